package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/planning"
	tables "parley/eval/report"
	"parley/eval/run"
)

func planningRunCommand() *cli.Command {
	return &cli.Command{
		Name:  "run",
		Usage: "ask models planning questions and score the answers",
		Description: "Asks each model the same questions and measures the answers: iou, precision, recall and exact by task;\n" +
			"for plans action_distance, valid, cost_ratio and others. The run is a directory of tables with a page,\n" +
			"report.html. reference:planning?drop=0.1&invent=0.1 answers from the truth with errors at these rates.",
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "model", Usage: "`MODEL` to ask; may be given several times"},
			&cli.StringFlag{Name: "tasks", Usage: "`TASKS`: applicable, state, positive, negative, after, plan, separated by commas (default: all)"},
			&cli.StringFlag{Name: "problems", Usage: "`FILE` of problems, as generate writes it, or of ACPBench-Hard (default: problems are generated)"},
			&cli.StringFlag{Name: "domain", Usage: "`DOMAINS` of generated problems, separated by commas", Value: "blocksworld,depots"},
			&cli.IntFlag{Name: "n", Usage: "`NUMBER` of problems, of each domain where they are generated (default: 20, or all of the file)"},
			&cli.StringFlag{Name: "form", Usage: "`FORM` of the questions: words or pddl", Value: string(planning.Words)},
			&cli.IntFlag{Name: "steps", Usage: "`NUMBER` of actions of the task after", Value: 2},
			&cli.IntFlag{Name: "shots", Usage: "`NUMBER` of questions with answers to show first"},
			&cli.StringFlag{Name: "persona", Usage: "`TEXT` of a system message"},
			&cli.Float64Flag{Name: "temperature", Usage: "`T` of sampling", Value: 0},
			&cli.IntFlag{Name: "max-tokens", Usage: "`NUMBER` of tokens of an answer", Value: 2048},
			&cli.IntFlag{Name: "num-ctx", Usage: "`NUMBER` of tokens of a local model's context"},
		}, runFlags("questions")...),
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usagef("run takes no arguments; name models with --model")
			}
			return planningRun(c)
		},
	}
}

// planningConfig makes the configuration from flags.
func planningConfig(c *cli.Context) (*planning.Config, error) {
	_, tasks, err := askingOf(c)
	if err != nil {
		return nil, err
	}
	config := planning.Default()
	config.Model = c.StringSlice("model")
	config.Tasks, config.Form, config.Steps = tasks, planning.Form(c.String("form")), c.Int("steps")
	config.Shots, config.Persona = c.Int("shots"), c.String("persona")
	config.Domain = strings.Split(c.String("domain"), ",")
	if config.Problems = c.String("problems"); config.Problems != "" {
		config.Domain, config.N = nil, 0
	}
	if c.IsSet("n") {
		if config.N = c.Int("n"); config.N < 1 {
			return nil, usagef("--n is 1 or more")
		}
	}
	config.Sampling.Temperature = new(c.Float64("temperature"))
	config.Sampling.MaxTokens, config.Sampling.NumCtx = c.Int("max-tokens"), c.Int("num-ctx")
	if err := overlay(c, &config.Settings); err != nil {
		return nil, err
	}
	return config, config.Complete()
}

func planningRun(c *cli.Context) error {
	config, err := planningConfig(c)
	if err != nil {
		return asUsage(err)
	}
	return begin(c, planning.New(config), func() any { return planning.Default() }, showPlanning)
}

// showPlanning prints the results of a run for people.
func showPlanning(c *cli.Context, dir string, m *run.Manifest) error {
	if err := tables.Results(c.App.Writer, byTask(m.Results)); err != nil {
		return err
	}
	if err := tables.Usage(c.App.Writer, m.Usage); err != nil {
		return err
	}
	return printedAt(c, dir)
}

// asUsage turns a wrong configuration into a wrong use of the command.
func asUsage(err error) error {
	var wrong run.UsageError
	if errors.As(err, &wrong) {
		return usageError{err}
	}
	return err
}

// byTask puts the task before the name of each metric, for the terminal's table.
func byTask(results []eval.Result) []eval.Result {
	results = slices.Clone(results)
	for i := range results {
		results[i].Metric = results[i].Scorer + " " + results[i].Metric
	}
	return results
}
