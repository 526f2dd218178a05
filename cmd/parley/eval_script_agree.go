package main

import (
	"io"
	"os"

	"github.com/urfave/cli/v2"

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
			_, _, d, err := script.ReadRun(dir)
			if err != nil {
				return err
			}
			if c.Bool("sheet") {
				return writeTo(c, func(w io.Writer) error { return script.WriteHuman(w, dir) })
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
			tell(c)("%d verdicts of people, %d without a majority", people.Given, people.Ties)
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
