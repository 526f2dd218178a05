package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/characters"
	"parley/eval/run"
	"parley/eval/script"
)

func evalScriptRunCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "have models write scripts, judge them, and rank the models",
		ArgsUsage: "[EXPERIMENT.yaml]",
		Description: "Each --model writes a script for each task. A model's options temperature and seed make arms of\n" +
			"one model; reference:intact and reference:FAULT write the task's own steps, with a planted fault.\n" +
			"Gold answers for the critic are learned from all scripts of the task (pool), from all but the one\n" +
			"that is judged (leave-one-out), from none (direct), or are the task's own steps (reference).\n" +
			"The run is a directory like any other: parley resume DIR goes on with it after a stop.",
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "model", Usage: "a `MODEL` under test; repeat for several"},
			&cli.StringSliceFlag{Name: "persona", Usage: "have every model answer as `CHARACTER`, an id of the library or a file; each further one is an arm of its own"},
			&cli.BoolFlag{Name: "gold", Usage: "judge with a gold answer (default)"},
			&cli.BoolFlag{Name: "no-gold", Usage: "judge without one"},
			&cli.StringFlag{Name: "gold-from", Value: "pool", Usage: "`SOURCE` of gold answers: pool, leave-one-out, direct or reference"},
		}, scriptFlags()...),
		Action: func(c *cli.Context) error {
			g, err := scriptConfig(c, "run")
			if err != nil {
				return err
			}
			if c.Bool("no-gold") && (c.Bool("gold") || c.IsSet("gold-from")) {
				return usagef("--no-gold and --gold or --gold-from exclude each other")
			}
			if c.IsSet("gold-from") {
				g.Gold = c.String("gold-from")
			}
			if c.IsSet("model") {
				g.Model, g.Authors = c.StringSlice("model"), nil
			}
			if c.IsSet("persona") {
				g.Persona = c.StringSlice("persona")
			}
			return beginScripts(c, g)
		},
	}
}

func evalScriptPerturbCommand() *cli.Command {
	var faults []string
	for _, f := range script.Faults() {
		faults = append(faults, string(f))
	}
	return &cli.Command{
		Name:      "perturb",
		Usage:     "plant known faults into reference scripts and see which of them the judges find",
		ArgsUsage: "[EXPERIMENT.yaml]",
		Description: "Every kind of fault is planted once into the reference steps of every task, by rule or, with --by,\n" +
			"by a model (a duplicate and a wrong order always by rule), and the script without a fault is judged\n" +
			"beside them, for false alarms. The task's own steps are the gold answer. The run is a directory like\n" +
			"any other: parley resume DIR goes on with it after a stop.",
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "kind", Usage: "plant only faults of `KINDS` " + strings.Join(faults, ", "), DefaultText: "all"},
			&cli.StringFlag{Name: "by", Usage: "`MODEL` that plants the faults (default: rules)"},
			&cli.BoolFlag{Name: "no-gold", Usage: "judge without a gold answer"},
		}, scriptFlags()...),
		Action: func(c *cli.Context) error {
			g, err := scriptConfig(c, "perturb")
			if err != nil {
				return err
			}
			g.Perturb = true
			if c.IsSet("kind") {
				g.Kind, g.Authors = c.StringSlice("kind"), nil
			}
			if c.IsSet("by") {
				g.By = c.String("by")
			}
			return beginScripts(c, g)
		},
	}
}

// scriptFlags are the flags of run and perturb.
func scriptFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "judge", Usage: "`MODEL` of all judge agents"},
		&cli.StringFlag{Name: "critic", Usage: "`MODEL` that looks for missing, redundant and duplicate steps, instead of --judge"},
		&cli.StringFlag{Name: "execute", Usage: "`MODEL` that carries the script out in thought, instead of --judge"},
		&cli.StringFlag{Name: "commonsense", Usage: "`MODEL` that checks steps against common sense, instead of --judge"},
		&cli.StringFlag{Name: "synthesize", Usage: "`MODEL` that writes the gold answers, instead of --judge"},
		&cli.BoolFlag{Name: "plain", Usage: "ask the agents for the paper's yes or no alone, not for what is wrong"},
		&cli.BoolFlag{Name: "trusting", Usage: "take verdicts that do not repeat the question's nonce, for judges that cannot; a script may then speak for the judge"},
		&cli.StringSliceFlag{Name: "baseline", Usage: "also judge by `METHODS`: single (one call for all), rouge, embed; separated by commas"},
		&cli.StringFlag{Name: "embed", Value: "ollama:all-minilm", Usage: "`MODEL` of embeddings for --baseline embed"},
		&cli.StringFlag{Name: "tasks", Usage: "`FILE` of tasks, JSON lines (default: the 60 built-in ones)"},
		&cli.IntFlag{Name: "first", DefaultText: "all", Usage: "take only the first `N` tasks"},
		&cli.StringSliceFlag{Name: "weights", Usage: "`WEIGHTS` of the metrics in the score, such as NM=2,SC=3 (default: all 1)"},
		&cli.IntFlag{Name: "max-tokens", Value: 700, Usage: "`N` tokens of a script at most"},
	}, runFlags("tasks")...)
}

// scriptConfig reads the experiment file, where one is named, and overlays the flags that run and perturb share.
func scriptConfig(c *cli.Context, command string) (*script.Config, error) {
	g := script.Default()
	if c.NArg() > 1 {
		return nil, usagef("eval script %s takes one experiment file, and got %d", command, c.NArg())
	}
	if c.NArg() == 1 {
		if err := run.ReadConfig(c.Args().First(), g); err != nil {
			return nil, err
		}
	}
	for name, value := range map[string]*string{
		"judge": &g.Judge, "critic": &g.Critic, "execute": &g.Execute, "commonsense": &g.Commonsense, "synthesize": &g.Synthesize,
		"embed": &g.Embed, "tasks": &g.Tasks,
	} {
		if c.IsSet(name) {
			*value = c.String(name)
		}
	}
	for name, value := range map[string]*bool{"plain": &g.Plain, "trusting": &g.Trusting} {
		if c.IsSet(name) {
			*value = c.Bool(name)
		}
	}
	if c.Bool("no-gold") {
		g.Gold = "none"
	}
	if c.IsSet("first") {
		g.First = c.Int("first")
	}
	if c.IsSet("max-tokens") {
		g.MaxTokens = c.Int("max-tokens")
	}
	if c.IsSet("baseline") {
		g.Baseline = slices.Compact(c.StringSlice("baseline"))
	}
	if c.IsSet("weights") {
		w, err := scriptWeights(c.StringSlice("weights"))
		if err != nil {
			return nil, err
		}
		g.Weights = w
	}
	return g, overlay(c, &g.Settings)
}

// beginScripts begins a run.
func beginScripts(c *cli.Context, g *script.Config) error {
	if err := g.Complete(func(name string) ([]*characters.Sheet, error) { return findCharacters(name) }); err != nil {
		return err
	}
	return begin(c, script.New(g), func() any { return script.Default() }, showScripts)
}
