package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/report"
	"parley/eval/script"
)

func evalScriptAgreeCommand() *cli.Command {
	return &cli.Command{
		Name:      "agree",
		Usage:     "compare a run's verdicts with people's",
		ArgsUsage: "RUN",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "human", Usage: "`FILE` of people's verdicts"},
			&cli.BoolFlag{Name: "sheet", Usage: "write an empty sheet instead"},
			&cli.StringFlag{Name: "out", Usage: "write to `FILE` instead of the standard output"},
			jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			dir := c.Args().First()
			_, d, err := readScripts(dir)
			if err != nil {
				return err
			}
			if c.Bool("sheet") {
				return writeTo(c, func(w io.Writer) error { return humanSheet(w, dir) })
			}
			if c.String("human") == "" {
				return usagef("agree needs people's verdicts: --human FILE.csv; --sheet writes an empty sheet")
			}
			f, err := os.Open(c.String("human"))
			if err != nil {
				return err
			}
			defer f.Close()
			people, err := script.ReadHuman(f, c.String("human"))
			if err != nil {
				return err
			}
			results, pairs, lost := d.Agreement(people)
			if err := writeTo(c, func(w io.Writer) error {
				if c.Bool("json") {
					return printJSON(w, answer{Run: dir, Results: results})
				}
				return report.Results(w, results)
			}); err != nil {
				return err
			}
			fmt.Fprintf(c.App.ErrWriter, "%d verdicts of people, %d without a majority\n", people.Given, people.Ties)
			switch {
			case pairs == 0:
				return partialf("no verdict of people is on a script of this run: task and model have to be written as there")
			case lost > 0:
				return partialf("%d pairs were dropped, as the judge's verdict is missing", lost)
			}
			return nil
		},
	}
}

// humanSheet writes an empty sheet of a run's scripts.
func humanSheet(w io.Writer, dir string) error {
	specific := map[string]string{}
	for row, err := range script.Done.Read(dir) {
		if err != nil {
			return err
		}
		var t script.Task
		if err := json.Unmarshal([]byte(row.Task), &t); err != nil {
			return fmt.Errorf("task %s: %w", row.ID, err)
		}
		specific[row.ID] = t.Specific
	}
	out := csv.NewWriter(w)
	head := []string{"task", "model"}
	for _, m := range script.Metrics() {
		head = append(head, string(m))
	}
	if err := out.Write(append(head, "specific task", "script")); err != nil {
		return err
	}
	for row, err := range script.Scripts.Read(dir) {
		if err != nil {
			return err
		}
		if row.Gold || row.Status != eval.Scored {
			continue
		}
		text := ""
		for i, s := range row.Steps {
			text += fmt.Sprintf("%d. %s\n", i+1, s)
		}
		record := append([]string{row.Session, row.Arm}, make([]string, len(script.Metrics()))...)
		if err := out.Write(append(record, specific[row.Session], text)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
