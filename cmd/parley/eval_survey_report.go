package main

import (
	"bytes"
	"cmp"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"parley/eval/run"
	"parley/eval/survey"
	"parley/logs"
)

func surveyReportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "show what a run of surveys found, and compare it with people",
		ArgsUsage: "RUN",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "human", Usage: "`FILE.csv` of people's verdicts"},
			&cli.StringFlag{Name: "annotators", Value: "mean", Usage: "compare scores with their mean, or with `EACH`: mean or each"},
			&cli.StringFlag{Name: "html", Usage: "write the page to `FILE` (default RUN/" + run.ReportName + ")"},
			allFlag(), jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			against, ok := map[string]survey.Against{"mean": survey.MeanAnnotator, "each": survey.EachAnnotator}[c.String("annotators")]
			if !ok {
				return usagef("--annotators %s: say mean or each", c.String("annotators"))
			}
			dir := c.Args().First()
			m, d, err := survey.Open(dir)
			if err != nil {
				return err
			}
			if file := c.String("human"); file != "" {
				if err := d.Compare(file, against); err != nil {
					return err
				}
			}
			var page bytes.Buffer
			if err := d.Page(m, &page); err != nil {
				return err
			}
			if err := logs.WriteFile(cmp.Or(c.String("html"), filepath.Join(dir, run.ReportName)), page.Bytes()); err != nil {
				return err
			}
			results := append(d.Results(), d.AgreementResults()...)
			return output(c, answer{Run: dir, Sessions: m.Jobs, Results: results}, func(io.Writer) error { return printSurvey(c, dir, m, d) })
		},
	}
}
