package main

import (
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/planning"
	"parley/eval/planning/pddl"
	"parley/eval/report"
	"parley/eval/run"
	"parley/logs"
)

// askFlags say which questions are made.
func askFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "tasks", Usage: "`TASKS` to ask: applicable, state, positive, negative, after, plan, separated by commas (default: all)"},
		&cli.StringFlag{Name: "form", Usage: "`FORM` of the questions: words or pddl", Value: string(planning.Words)},
		&cli.IntFlag{Name: "steps", Usage: "`NUMBER` of actions of the task after", Value: 2},
	}
}

func planningGenerateCommand() *cli.Command {
	return &cli.Command{
		Name:  "generate",
		Usage: "make planning problems with their optimal costs, and questions about them",
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "domain", Usage: "`DOMAINS`: blocksworld, depots or FILE.pddl, separated by commas", Value: cli.NewStringSlice("blocksworld")},
			&cli.IntFlag{Name: "n", Usage: "`NUMBER` of problems of each domain", Value: 500},
			&cli.Uint64Flag{Name: "seed", Usage: "`SEED` of problems and questions", Value: 1},
			&cli.StringFlag{Name: "out", Usage: "`FILE.jsonl` of the problems; - is standard output (required)"},
			&cli.StringFlag{Name: "blocks", Usage: "`MIN-MAX` number of blocks", Value: "3-12"},
			&cli.StringFlag{Name: "states", Usage: "`KIND` of Blocksworld problem: stack (a random subset in one stack; one tower as the goal) or uniform (both states uniform over all)", Value: "stack"},
			&cli.StringFlag{Name: "depots", Usage: "`NUMBERS` of depots, distributors, trucks, pallets, hoists and crates", Value: "3,1,3,4,4,3"},
			&cli.StringFlag{Name: "questions", Usage: "`FILE` of the questions, .jsonl or .parquet"},
			&cli.BoolFlag{Name: "histogram", Usage: "print how many problems have each size and cost"},
			&cli.DurationFlag{Name: "max-time", Usage: "`TIME` to solve one problem; one that takes longer is drawn again", Value: time.Minute},
		}, askFlags()...),
		Action: planningGenerate,
	}
}

func planningGenerate(c *cli.Context) error {
	if c.String("out") == c.String("questions") {
		return usagef("--out and --questions name one file")
	}
	config := planning.Default()
	config.Domain, config.N = c.StringSlice("domain"), c.Int("n")
	overlay(c, config)
	last := time.Now()
	worlds, err := config.Generate(c.Context, pddl.Options{MaxTime: c.Duration("max-time"), Now: time.Now}, func(done int) {
		if now := time.Now(); now.Sub(last) > 5*time.Second {
			last = now
			tell(c)("%d of %d problems of a domain", done, config.N)
		}
	})
	if err != nil {
		return err
	}
	problems := make([]planning.Problem, 0, len(worlds))
	for _, w := range worlds {
		problems = append(problems, w.Problem)
	}
	if err := logs.WriteRows(c.App.Writer, c.String("out"), problems); err != nil {
		return err
	}
	if name := c.String("questions"); name != "" {
		questions, err := config.Questions(worlds)
		if err == nil {
			err = logs.WriteRows(c.App.Writer, name, questions)
		}
		if err != nil {
			return err
		}
	}
	if c.Bool("histogram") {
		return planning.PrintHistogram(c.App.ErrWriter, problems)
	}
	return nil
}

func planningRunCommand() *cli.Command {
	return &cli.Command{
		Name:  "run",
		Usage: "ask models planning questions and score the answers",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringSliceFlag{Name: "model", Usage: "`MODEL` to ask; may be given several times"},
			&cli.StringFlag{Name: "problems", Usage: "`FILE` of problems, as generate writes it, or of ACPBench-Hard (default: problems are generated)"},
			&cli.StringSliceFlag{Name: "domain", Usage: "`DOMAINS` of generated problems, separated by commas", Value: cli.NewStringSlice("blocksworld", "depots")},
			&cli.IntFlag{Name: "n", Usage: "`NUMBER` of problems, of each domain where they are generated (default: 20, or all of the file)"},
			&cli.IntFlag{Name: "shots", Usage: "`NUMBER` of questions with answers to show first"},
			&cli.StringFlag{Name: "persona", Usage: "`TEXT` of a system message"},
			&cli.Float64Flag{Name: "temperature", Usage: "`T` of sampling", Value: 0},
			&cli.IntFlag{Name: "reply-tokens", Usage: "`NUMBER` of tokens of an answer", Value: 2048},
			&cli.IntFlag{Name: "num-ctx", Usage: "`NUMBER` of tokens of a local model's context"},
		}, askFlags(), runFlags("questions")),
		Action: func(c *cli.Context) error {
			config := planning.Default()
			if c.IsSet("problems") {
				config.Domain, config.N = nil, 0
			}
			overlay(c, config)
			if c.IsSet("n") && config.N < 1 {
				return usagef("--n is 1 or more")
			}
			config.Sampling.Temperature = new(c.Float64("temperature"))
			config.Sampling.MaxTokens, config.Sampling.NumCtx = c.Int("reply-tokens"), c.Int("num-ctx")
			if err := config.Complete(); err != nil {
				return err
			}
			return begin(c, planning.New(config), func() any { return planning.Default() }, showPlanning)
		},
	}
}

// showPlanning prints the headline results of a run for people, or all, with the task before the name of each metric.
func showPlanning(c *cli.Context, dir string, m *run.Manifest) error {
	headlines := map[string]bool{}
	for _, metric := range m.Metrics {
		headlines[metric.Scorer+" "+metric.Name] = metric.Headline
	}
	var results []eval.Result
	for _, r := range m.Results {
		if r.Metric = r.Scorer + " " + r.Metric; c.Bool("all") || headlines[r.Metric] {
			results = append(results, r)
		}
	}
	if err := report.Results(c.App.Writer, results); err != nil {
		return err
	}
	return printEnd(c, dir, m)
}
