package main

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"parley/eval/run"
	"parley/eval/survey"
)

func surveyRunCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "have documents judged by an evaluator and a critic",
		ArgsUsage: "[FILE|DIR...]",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "config", Usage: "experiment `FILE` that the flags overlay"},
			&cli.StringFlag{Name: "evaluator", Usage: "`MODEL` of the evaluator"},
			&cli.StringFlag{Name: "sage", Usage: "`MODEL` of the SAGE agent; none: the evaluator alone"},
			&cli.StringFlag{Name: "variant", Value: "vanilla", Usage: "of the SAGE agent: vanilla, reflect or cot"},
			&cli.StringFlag{Name: "scores", Value: "top", Usage: "how scores are had: top, logprob or samples"},
			&cli.IntFlag{Name: "draws", Value: 20, Usage: "`N` draws for --scores samples"},
			&cli.StringSliceFlag{Name: "baseline", Usage: "also judge by `METHODS`: twice, checklist; separated by commas"},
			&cli.StringFlag{Name: "rubric", Usage: "`FILE` of the rubric (default: the built-in one)"},
			&cli.StringSliceFlag{Name: "aspect", Usage: "judge by these `ASPECTS` of the rubric only"},
			&cli.BoolFlag{Name: "trusting", Usage: "take verdicts that do not repeat the question's nonce, for judges that cannot; a document may then speak for the judge"},
			&cli.IntFlag{Name: "reply-tokens", Value: 1000, Usage: "`N` tokens of a reply at most"},
		}, runFlags("documents")...),
		Action: func(c *cli.Context) error {
			g, err := surveyConfig(c)
			if err != nil {
				return err
			}
			return begin(c, survey.New(g), func() any { return survey.DefaultConfig() }, showSurvey)
		},
	}
}

// surveyConfig makes the configuration that a command line asks for.
func surveyConfig(c *cli.Context) (*survey.Config, error) {
	g := survey.DefaultConfig()
	if file := c.String("config"); file != "" {
		if err := run.ReadConfig(file, g); err != nil {
			return nil, err
		}
	}
	if c.NArg() > 0 || g.Files == nil {
		files, err := run.Files(c.Args().Slice())
		if err != nil {
			return nil, err
		}
		g.Files = files
	}
	overlay(c, g)
	if c.IsSet("rubric") {
		var err error
		if g.Rubric, err = openRubric(c.String("rubric")); err != nil {
			return nil, err
		}
	}
	return g, g.Complete()
}

func openRubric(file string) (*survey.Rubric, error) {
	if file == "" {
		return survey.Builtin(), nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("rubric: %w", err)
	}
	return survey.ReadRubric(data, file)
}

// showSurvey prints the tables of a run for people.
func showSurvey(c *cli.Context, dir string, m *run.Manifest) error {
	_, d, err := survey.Open(dir)
	if err != nil {
		return err
	}
	return printSurvey(c, dir, m, d)
}

func printSurvey(c *cli.Context, dir string, m *run.Manifest, d *survey.RunData) error {
	if err := d.Print(c.App.Writer, c.Bool("all")); err != nil {
		return err
	}
	return printEnd(c, dir, m)
}
