package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/annotate"
	"parley/logs"
)

func evalAnnotateCommand() *cli.Command {
	return &cli.Command{
		Name:      "annotate",
		Usage:     "let people judge: write a sheet, or read a filled-in one back",
		ArgsUsage: "RUN | ITEMS.jsonl | SHEET.csv",
		Description: "Of a run, the debriefs are judged: how many of the key facts each answer tells. Of items, each\n" +
			"line is {\"id\":..., \"subject\":..., \"text\":..., \"offered\":JSON schema of the verdict}. The sheet is CSV,\n" +
			"with rows for each person; what they write under \"value\" counts. With --read, the sheet becomes\n" +
			"verdicts, one JSON object a line: id, subject, annotator, status, value, reason, method, note.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "annotator", Usage: "a `NAME` to ask; repeat for several people"},
			&cli.StringFlag{Name: "out", Usage: "write to `FILE` instead of the standard output"},
			&cli.BoolFlag{Name: "read", Usage: "read a filled-in sheet back"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("annotate takes one run, file of items or sheet, and got %d", c.NArg())
			}
			name := c.Args().First()
			if c.Bool("read") {
				return writeTo(c, func(w io.Writer) error { return readSheet(c, w, name) })
			}
			if strings.HasSuffix(name, ".csv") {
				return usagef("%s looks like a sheet; with --read it is read back", name)
			}
			people := c.StringSlice("annotator")
			if len(people) == 0 {
				return usagef("annotate needs to know who judges: --annotator NAME, once for each person")
			}
			return writeTo(c, func(w io.Writer) error { return writeSheet(c, w, name, people) })
		},
	}
}

// writeTo writes to the file that --out names, whole or not at all, or to the standard output. What is incomplete
// but usable is written too.
func writeTo(c *cli.Context, write func(io.Writer) error) error {
	name := c.String("out")
	if name == "" {
		return write(c.App.Writer)
	}
	var b bytes.Buffer
	bad := write(&b)
	var partial partialError
	if bad != nil && !errors.As(bad, &partial) {
		return bad
	}
	return cmp.Or(logs.WriteFile(name, b.Bytes()), bad)
}

func writeSheet(c *cli.Context, w io.Writer, name string, people []string) error {
	sheet := annotate.NewSheet(w, people...)
	items := 0
	add := func(item annotate.Item) error {
		items++
		return sheet.Add(item)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		if err := annotate.Debriefs(name, add); err != nil {
			return err
		}
	} else {
		in, err := openInput(c, name)
		if err != nil {
			return err
		}
		defer in.Close()
		if err := annotate.ReadItems(in, name, add); err != nil {
			return err
		}
	}
	if items == 0 {
		return fmt.Errorf("%s holds nothing to judge", name)
	}
	fmt.Fprintf(c.App.ErrWriter, "%d items for %s; fill in the column \"value\", then: parley eval annotate --read SHEET.csv\n", items, strings.Join(people, ", "))
	return nil
}

func readSheet(c *cli.Context, w io.Writer, name string) error {
	in, err := openInput(c, name)
	if err != nil {
		return err
	}
	defer in.Close()
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	scored, of := 0, 0
	err = annotate.ReadSheet(in, name, func(h annotate.Human) error {
		of++
		if h.Status == eval.Scored {
			scored++
		}
		return out.Encode(h)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(c.App.ErrWriter, "%d of %d verdicts scored\n", scored, of)
	if scored < of {
		return partialf("%s: %d of %d verdicts could not be read; their lines say why", name, of-scored, of)
	}
	return nil
}
