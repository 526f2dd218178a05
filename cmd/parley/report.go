package main

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"parley/eval/run"
	"parley/logs"
)

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "make a run's page anew: results, plots and transcripts in one HTML file",
		ArgsUsage: "DIR",
		Description: "Every run writes DIR/" + run.ReportName + " when it ends. This makes it again, also of a run that\n" +
			"is still under way or was stopped. The page needs no network and no server.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "out", Usage: "write to `FILE`, - being standard output (default DIR/" + run.ReportName + ")"}},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("report takes one run directory, and got %d", c.NArg())
			}
			dir, out := c.Args().First(), c.String("out")
			page, err := pageOf(dir)
			if err != nil {
				return err
			}
			if out == "-" {
				_, err := c.App.Writer.Write(page)
				return err
			}
			if out == "" {
				out = filepath.Join(dir, run.ReportName)
			}
			if err := logs.WriteFile(out, page); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.App.Writer, "The report is in %s\n", out)
			return err
		},
	}
}

// pageOf makes the page of a run of any kind.
func pageOf(dir string) ([]byte, error) {
	m, err := run.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	p, err := kinds.Plan(dir, m)
	if err != nil {
		return nil, err
	}
	reporter, ok := p.(run.Reporter)
	if !ok {
		return nil, fmt.Errorf("runs of kind %s have no page", m.Kind)
	}
	var page bytes.Buffer
	err = reporter.Report(dir, m, &page)
	return page.Bytes(), err
}
