package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/annotate"
	"parley/eval/report"
	"parley/logs"
)

func evalAnnotateCommand() *cli.Command {
	return &cli.Command{
		Name:      "annotate",
		Usage:     "let people judge: write a sheet, read a filled-in one, or compare it with the run's judge",
		ArgsUsage: "RUN|ITEMS.jsonl|SHEET.csv",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "annotator", Usage: "a `NAME` to ask; repeat for several people"},
			&cli.IntFlag{Name: "sample", DefaultText: "all", Usage: "take `N` debriefs of a run, evenly from arms and controls"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that sample and order come from"},
			&cli.StringFlag{Name: "key", Usage: "`FILE` that maps the sheet's ids to the run: written with a sheet, read with --agree; keep it from the annotators (default: beside --out)"},
			&cli.StringFlag{Name: "out", Usage: "write to `FILE` instead of the standard output"},
			&cli.BoolFlag{Name: "read", Usage: "read a filled-in sheet back"},
			&cli.StringFlag{Name: "agree", Usage: "compare a filled-in sheet with the judge of `RUN`; the run's page then shows it"},
			jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			name := c.Args().First()
			switch {
			case c.Bool("read"):
				return writeTo(c, func(w io.Writer) error { return readSheet(c, w, name) })
			case c.String("agree") != "":
				return agreeWithPeople(c, name)
			case strings.HasSuffix(name, ".csv"):
				return usagef("%s looks like a sheet; with --read it is read back, with --agree RUN compared", name)
			case len(c.StringSlice("annotator")) == 0:
				return usagef("annotate needs the names of those who judge: --annotator NAME, once for each person")
			}
			return writeSheet(c, name)
		},
	}
}

// keyFile returns the file of a sheet's key.
func keyFile(c *cli.Context, sheet string) string {
	if name := c.String("key"); name != "" || sheet == "" {
		return name
	}
	return sheet + ".key.json"
}

func writeSheet(c *cli.Context, name string) error {
	var items []annotate.Item
	var key *annotate.Key
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		items, key, err = annotate.Debriefs(name, c.Int("sample"), c.Uint64("seed"))
	} else {
		var in io.ReadCloser
		if in, err = openInput(c, name); err == nil {
			err = annotate.ReadItems(in, name, func(item annotate.Item) error { items = append(items, item); return nil })
			in.Close()
		}
	}
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return fmt.Errorf("%s holds nothing to judge", name)
	}
	people := c.StringSlice("annotator")
	err = writeTo(c, func(w io.Writer) error {
		sheet := annotate.NewSheet(w, people...)
		for _, item := range items {
			if err := sheet.Add(item); err != nil {
				return err
			}
		}
		return nil
	})
	if file := keyFile(c, c.String("out")); err == nil && key != nil && file != "" {
		err = logs.WriteJSON(file, key)
	}
	if err == nil {
		tell(c)("%d items for %s; fill in the column \"value\", then: parley eval annotate --read SHEET.csv", len(items), strings.Join(people, ", "))
	}
	return err
}

// verdictsOf reads the verdicts of a filled-in sheet.
func verdictsOf(c *cli.Context, name string) (list []annotate.Human, err error) {
	in, err := openInput(c, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	err = annotate.ReadSheet(in, name, func(h annotate.Human) error { list = append(list, h); return nil })
	return list, err
}

func readSheet(c *cli.Context, w io.Writer, name string) error {
	list, err := verdictsOf(c, name)
	if err != nil {
		return err
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	scored := 0
	for _, h := range list {
		if h.Status == eval.Scored {
			scored++
		}
		if err := out.Encode(h); err != nil {
			return err
		}
	}
	tell(c)("%d of %d verdicts scored", scored, len(list))
	if scored < len(list) {
		return partialf("%s: %d of %d verdicts could not be read; their lines say why", name, len(list)-scored, len(list))
	}
	return nil
}

// agreeWithPeople compares people's verdicts with each other and with the judge of a run.
func agreeWithPeople(c *cli.Context, name string) error {
	dir, file := c.String("agree"), keyFile(c, name)
	in, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("the key of the sheet, which was written with it; name it with --key FILE: %w", err)
	}
	defer in.Close()
	key, err := annotate.ReadKey(in, file)
	if err != nil {
		return err
	}
	list, err := verdictsOf(c, name)
	if err != nil {
		return err
	}
	a, err := annotate.Agree(dir, list, key)
	if err != nil {
		return err
	}
	results := a.Results()
	if err := a.Keep(dir); err != nil {
		return err
	}
	if err := output(c, answer{Run: dir, Results: results}, func(w io.Writer) error { return report.Results(w, results) }); err != nil {
		return err
	}
	tell(c)("%d debriefs judged by %s; the page of the run shows it after: parley report %s", a.Items, strings.Join(a.People, ", "), dir)
	if lost := a.Unjudged + a.Unknown + a.Unreadable; lost > 0 {
		return partialf("%d debriefs without a score of the judge, %d verdicts on items of another key, %d without a value", a.Unjudged, a.Unknown, a.Unreadable)
	}
	return nil
}
