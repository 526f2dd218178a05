package main

import (
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
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "model", Usage: "a `MODEL` under test; repeat for several"},
			&cli.StringSliceFlag{Name: "persona", Usage: "have every model answer as `CHARACTER`, an id of the library or a file; each further one is an arm of its own"},
			&cli.BoolFlag{Name: "gold", Usage: "judge with a gold answer (default)"},
			&cli.BoolFlag{Name: "no-gold", Usage: "judge without one"},
			&cli.StringFlag{Name: "gold-from", Value: "pool", Usage: "`SOURCE` of gold answers: pool, leave-one-out, direct or reference"},
		}, scriptFlags()...),
		Action: func(c *cli.Context) error {
			g, err := scriptConfig(c)
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
				g.Authors = nil
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
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "kind", Usage: "plant only faults of `KINDS` " + strings.Join(faults, ", "), DefaultText: "all"},
			&cli.StringFlag{Name: "by", Usage: "`MODEL` that plants the faults (default: rules)"},
			&cli.BoolFlag{Name: "no-gold", Usage: "judge without a gold answer"},
		}, scriptFlags()...),
		Action: func(c *cli.Context) error {
			g, err := scriptConfig(c)
			if err != nil {
				return err
			}
			g.Perturb = true
			if c.IsSet("kind") {
				g.Authors = nil
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
		&cli.IntFlag{Name: "reply-tokens", Value: 700, Usage: "`N` tokens of a script at most"},
	}, runFlags("tasks")...)
}

// scriptConfig reads the experiment file, where one is named, and overlays the flags that run and perturb share.
func scriptConfig(c *cli.Context) (*script.Config, error) {
	g := script.Default()
	if c.NArg() == 1 {
		if err := run.ReadConfig(c.Args().First(), g); err != nil {
			return nil, err
		}
	}
	overlay(c, g)
	if c.Bool("no-gold") {
		g.Gold = "none"
	}
	if c.IsSet("weights") {
		w, err := script.ParseWeights(c.StringSlice("weights"))
		if err != nil {
			return nil, err
		}
		g.Weights = w
	}
	return g, nil
}

// beginScripts begins a run.
func beginScripts(c *cli.Context, g *script.Config) error {
	if err := g.Complete(func(name string) ([]*characters.Sheet, error) { return findCharacters(name) }); err != nil {
		return err
	}
	return begin(c, script.New(g), func() any { return script.Default() }, showScripts)
}

// showScripts prints the results of a run for people.
func showScripts(c *cli.Context, dir string, m *run.Manifest) error {
	if err := script.Show(c.App.Writer, dir, m, c.Bool("all")); err != nil {
		return err
	}
	return printEnd(c, dir, m)
}
