package main

import (
	"github.com/urfave/cli/v2"

	"parley/eval/planning"
	"parley/eval/report"
	"parley/eval/run"
	"parley/eval/script"
	"parley/eval/session"
	"parley/eval/survey"
	"parley/eval/utility"
)

func resumeCommand() *cli.Command {
	return &cli.Command{
		Name:      "resume",
		Usage:     "go on with a run of any kind that was stopped",
		ArgsUsage: "DIR",
		Description: "Calls that were answered are not made again. What failed is tried again. A run that is complete is\n" +
			"left alone; its results are printed once more. A run that you did not begin on this machine names\n" +
			"models, and so addresses and variables of keys, that somebody else chose: it needs --trust.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "jobs", Usage: "do `N` jobs at once, whatever the configuration says"},
			&cli.StringFlag{Name: "cache", Usage: "keep judges' replies in `DIR`, and do not ask again what was answered there"},
			&cli.BoolFlag{Name: "trust", Usage: "open the models that the run of another user names"},
			&cli.BoolFlag{Name: "accept-changed-model", Usage: "go on although a server now serves another model under a name"},
			&cli.BoolFlag{Name: "all", Usage: "print every result, also of several arms"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("resume takes one run directory, and got %d", c.NArg())
			}
			dir := c.Args().First()
			o, err := runOptions(c)
			if err != nil {
				return err
			}
			o.Jobs = c.Int("jobs")
			m, err := run.Resume(c.Context, dir, o)
			if err != nil {
				return err
			}
			return finished(c, dir, m, c.Bool("json"), showOf(m.Kind))
		},
	}
}

// showOf returns what prints a run of a kind.
func showOf(kind string) showFunc {
	known := map[string]showFunc{session.Kind: showSessions, script.Kind: showScripts, survey.Kind: showSurvey, planning.Kind: showPlanning, utility.Kind: showUtility}
	if show := known[kind]; show != nil {
		return show
	}
	return showPlain
}

// showPlain prints the results of a run of a kind that has no tables of its own.
func showPlain(c *cli.Context, dir string, m *run.Manifest) error {
	if err := report.Results(c.App.Writer, m.Results); err != nil {
		return err
	}
	if err := report.Usage(c.App.Writer, m.Usage); err != nil {
		return err
	}
	return printedAt(c, dir)
}
