package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"parley/eval/run"
	"parley/logs"
)

func runsCommand() *cli.Command {
	return &cli.Command{
		Name:        "runs",
		Usage:       "list runs",
		Subcommands: []*cli.Command{{Name: "list", Usage: "list the runs in a directory (default runs)", ArgsUsage: "[DIR]", Flags: []cli.Flag{jsonFlag()}, Action: listRuns}},
	}
}

func listRuns(c *cli.Context) error {
	root := "runs"
	if c.NArg() > 0 {
		root = c.Args().First()
	}
	names, err := run.Dirs(root)
	if err != nil && c.NArg() == 0 {
		tell(c)("there are no runs here yet; play one with: parley run")
	} else if err != nil {
		return err
	}
	list := []run.Listed{}
	for _, name := range names {
		list = append(list, run.List(filepath.Join(root, name)))
	}
	return output(c, map[string]any{"runs": list}, func(w io.Writer) error { return run.PrintList(w, list) })
}

func resumeCommand() *cli.Command {
	return &cli.Command{
		Name:      "resume",
		Usage:     "continue a run of any kind that was stopped",
		ArgsUsage: "RUN",
		Flags: append([]cli.Flag{
			&cli.IntFlag{Name: "jobs", Usage: "do `N` jobs at once, whatever the configuration says"},
			&cli.StringFlag{Name: "cache", Usage: "keep judges' replies in `DIR`, and do not ask again what was answered there"},
			&cli.BoolFlag{Name: "trust", Usage: "open the models that the run of another user names"},
			&cli.BoolFlag{Name: "accept-changed-model", Usage: "continue although a server now serves another model under a name"},
			allFlag(), jsonFlag(),
		}, budgetFlags...),
		Action: func(c *cli.Context) error {
			o, err := runOptions(c)
			if err != nil {
				return err
			}
			o.Jobs = c.Int("jobs")
			dir := c.Args().First()
			m, err := run.Resume(c.Context, dir, o)
			if err != nil {
				return err
			}
			return finished(c, dir, m, c.Bool("json"), kindOf(m.Kind).show)
		},
	}
}

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "write a run's page again: results, plots and transcripts in one HTML file",
		ArgsUsage: "RUN",
		Flags:     []cli.Flag{&cli.StringFlag{Name: "out", Usage: "write to `FILE`, - being standard output (default RUN/" + run.ReportName + ")"}},
		Action: func(c *cli.Context) error {
			dir, out := c.Args().First(), c.String("out")
			m, err := run.ReadManifest(dir)
			if err != nil {
				return err
			}
			p, err := kinds.Plan(dir, m)
			if err != nil {
				return err
			}
			reporter, ok := p.(run.Reporter)
			if !ok {
				return fmt.Errorf("runs of kind %s have no page", m.Kind)
			}
			var page bytes.Buffer
			if err := reporter.Report(dir, m, &page); err != nil {
				return err
			}
			switch out {
			case "-":
				_, err = page.WriteTo(c.App.Writer)
				return err
			case "":
				out = filepath.Join(dir, run.ReportName)
			}
			if err := logs.WriteFile(out, page.Bytes()); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.App.Writer, "The report is in %s\n", out)
			return err
		},
	}
}
