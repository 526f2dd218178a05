package main

import (
	"parley/eval/run"
	"parley/eval/survey"

	"github.com/urfave/cli/v2"
)

func evalSurveyCommand() *cli.Command {
	return &cli.Command{
		Name:  "survey",
		Usage: "judge surveys, forms, lists and conversations without a reference",
		Subcommands: []*cli.Command{
			surveyGenerateCommand(),
			surveyRunCommand(),
			surveyCheckCommand(),
			surveyReportCommand(),
			surveyRubricCommand(),
		},
	}
}

func surveyCheckCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "find what is wrong with documents, without a model",
		ArgsUsage: "FILE|DIR...",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print one object with `findings`, each {file, where, rule, message}, files and unread"},
		},
		Action: func(c *cli.Context) error {
			files, err := run.Files(c.Args().Slice())
			if err != nil {
				return err
			}
			checked := survey.Check(files)
			err = output(c, checked, checked.Print)
			if n := len(checked.Unread); err == nil && n > 0 {
				err = partialf("%d of %d files could not be read: %s", n, len(files), checked.Unread[0].Reason)
			}
			return err
		},
	}
}
