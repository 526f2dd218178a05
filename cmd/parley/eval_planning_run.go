package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

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
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "model", Usage: "`MODEL` to ask; may be given several times"},
			&cli.StringFlag{Name: "tasks", Usage: "`TASKS`: applicable, state, positive, negative, after, plan, separated by commas (default: all)"},
			&cli.StringFlag{Name: "problems", Usage: "`FILE` of problems, as generate writes it, or of ACPBench-Hard (default: problems are generated)"},
			&cli.StringFlag{Name: "domain", Usage: "`DOMAINS` of generated problems, separated by commas", Value: "blocksworld,depots"},
			&cli.IntFlag{Name: "n", Usage: "`NUMBER` of problems, of each domain where they are generated (default: 20, or all of the file)"},
			&cli.Uint64Flag{Name: "seed", Usage: "`SEED` of problems and questions", Value: 1},
			&cli.StringFlag{Name: "form", Usage: "`FORM` of the questions: words or pddl", Value: string(planning.Words)},
			&cli.IntFlag{Name: "steps", Usage: "`NUMBER` of actions of the task after", Value: 2},
			&cli.IntFlag{Name: "shots", Usage: "`NUMBER` of questions with answers to show first"},
			&cli.StringFlag{Name: "persona", Usage: "`TEXT` of a system message"},
			&cli.Float64Flag{Name: "temperature", Usage: "`T` of sampling", Value: 0},
			&cli.IntFlag{Name: "max-tokens", Usage: "`NUMBER` of tokens of an answer", Value: 2048},
			&cli.IntFlag{Name: "num-ctx", Usage: "`NUMBER` of tokens of a local model's context"},
			&cli.IntFlag{Name: "jobs", Usage: "`NUMBER` of questions at once (default: what the models take)"},
			&cli.StringFlag{Name: "out", Usage: "`DIR` of the run", Required: true},
			&cli.BoolFlag{Name: "resume", Usage: "go on with the run in --out, as it was configured"},
			&cli.BoolFlag{Name: "json", Usage: "print one object with `results`"},
		},
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
	config.Seed, config.Jobs, config.Model = c.Uint64("seed"), c.Int("jobs"), c.StringSlice("model")
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
	return config, config.Complete()
}

func planningRun(c *cli.Context) error {
	o := run.Options{
		Kinds: run.Kinds{planning.Kind: planning.Decode}, Registry: registry(), Env: environment(),
		Version: version, Now: time.Now, Log: c.App.ErrWriter, Jobs: c.Int("jobs"),
	}
	dir := c.String("out")
	var m *run.Manifest
	var err error
	if c.Bool("resume") {
		m, err = run.Resume(c.Context, dir, o)
	} else {
		config, cerr := planningConfig(c)
		if cerr != nil {
			return asUsage(cerr)
		}
		m, err = run.Run(c.Context, dir, planning.New(config), o)
	}
	var stopped *run.StoppedError
	switch {
	case errors.As(err, &stopped) && errors.Is(err, context.Canceled):
		return fmt.Errorf("stopped; go on with: parley eval planning run --resume --out %s: %w", dir, err)
	case err != nil:
		return asUsage(err)
	}
	if c.Bool("json") {
		err = printJSON(c.App.Writer, map[string]any{"run": dir, "state": m.State, "results": m.Results})
	} else {
		err = tables.Results(c.App.Writer, byTask(m.Results))
	}
	if n := tables.Unscored(m.Results); err == nil && n > 0 {
		err = partialf("%d scores are missing; the results say why", n)
	}
	return err
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
