package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/annotate"
	"parley/eval/session"
	"parley/scenarios"
	"parley/sim"
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

// writeTo runs a writer on the file that --out names, which is not there unless it succeeds, or on
// the standard output.
func writeTo(c *cli.Context, write func(io.Writer) error) (err error) {
	name := c.String("out")
	if name == "" {
		return write(c.App.Writer)
	}
	part := name + ".part"
	f, err := os.Create(part)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	w := bufio.NewWriter(f)
	bad := write(w)
	var partial partialError
	if bad != nil && !errors.As(bad, &partial) {
		return errors.Join(bad, f.Close(), os.Remove(part))
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, os.Remove(part)))
	}
	if err := os.Rename(part, name); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return bad
}

func writeSheet(c *cli.Context, w io.Writer, name string, people []string) error {
	sheet := annotate.NewSheet(w, people...)
	items := 0
	add := func(item annotate.Item) error {
		items++
		return sheet.Add(item)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		if err := debriefs(name, add); err != nil {
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

// debriefs yields the debriefs of a run, controls too, each with the key facts that it may tell. The
// sessions are read first, since a debrief's facts stand with its session.
func debriefs(dir string, yield func(annotate.Item) error) error {
	if _, _, err := session.Read(dir); err != nil {
		return err
	}
	facts := map[string]string{} // by session
	counts := map[string]int{}
	for row, err := range session.Sessions.Read(dir) {
		if err != nil {
			return err
		}
		var s scenarios.Scenario
		if err := json.Unmarshal([]byte(row.Scenario), &s); err != nil {
			return fmt.Errorf("%s: the scenario of session %s: %w", dir, row.ID, err)
		}
		if s.Knowledge == nil {
			continue
		}
		var list strings.Builder
		for i, f := range s.Knowledge.Facts {
			fmt.Fprintf(&list, "%d. %s\n", i+1, f.Text)
		}
		facts[row.ID], counts[row.ID] = list.String(), len(s.Knowledge.Facts)
	}
	for e, err := range session.Events.Read(dir) {
		if err != nil {
			return err
		}
		known, ok := facts[e.Session]
		if e.Kind != sim.KindDebrief || !ok {
			continue
		}
		item := annotate.Item{ID: e.Session + "/" + string(e.Actor), Subject: string(e.Actor)}
		if e.Control != "" {
			item.ID += "/" + e.Control
		}
		item.Text = "KEY FACTS\n" + known + "\nANSWER\n" + e.Text
		item.Offered = json.RawMessage(fmt.Sprintf(
			`{"type":"integer","minimum":0,"maximum":%d,"description":"how many of the key facts the answer tells"}`, counts[e.Session]))
		if err := yield(item); err != nil {
			return err
		}
	}
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
