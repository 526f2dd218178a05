package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/run"
	"parley/eval/utility"
	"parley/logs"
)

func evalUtilityCommand() *cli.Command {
	labels := func(name, usage string, seeds int, disturb ...string) *cli.Command {
		return &cli.Command{Name: name, Usage: usage, Flags: sampleFlags(), Action: func(c *cli.Context) error { return utilityRun(c, seeds, disturb) }}
	}
	return &cli.Command{
		Name:  "utility",
		Usage: "criteria for a task, how well samples meet them, and which of them can be relied on",
		Subcommands: []*cli.Command{
			{
				Name: "criteria", Usage: "have a critic propose criteria for a task",
				Flags: append([]cli.Flag{
					&cli.StringFlag{Name: "task", Usage: "`FILE` of the task, YAML: name, description, successful, failed (required)"},
					&cli.StringFlag{Name: "model", Usage: "`MODEL` of the critic (required)"},
					&cli.IntFlag{Name: "seeds", Value: 1, Usage: "ask `N` times, each with another seed"},
					&cli.BoolFlag{Name: "solutions", Usage: "ask for criteria that tell the task's successful and failed examples apart"},
					&cli.StringFlag{Name: "out", Usage: "`FILE` of the criteria, YAML (required)"},
					&cli.StringFlag{Name: "run", Usage: "`DIR` of the run with all calls (default runs/<time>)"},
				}, slices.DeleteFunc(runFlags("critics"), func(f cli.Flag) bool { return f.Names()[0] == "out" })...),
				Action: utilityCriteria,
			},
			utilityConsolidateCommand(),
			labels("quantify", "label samples by criteria", 1),
			labels("verify", "keep, drop or flag criteria by how stable and discriminating their labels are", 18, utility.Drop),
		},
	}
}

// sampleFlags are those of commands that label samples.
func sampleFlags() []cli.Flag {
	d := utility.DefaultThresholds()
	return append([]cli.Flag{
		&cli.StringFlag{Name: "config", Usage: "experiment `FILE` that the flags overlay"},
		&cli.StringFlag{Name: "criteria", Usage: "`FILE` of the criteria, YAML or JSON, or a run that has some; roleplay: the built-in ones for sessions"},
		&cli.StringSliceFlag{Name: "samples", Usage: "`FILE` of message logs or text, directory of such files, or RUN of sessions"},
		&cli.StringFlag{Name: "success", Usage: "which samples were done: METRIC>=NUMBER of a run's scores, or a JSON `FILE` of {id: true|false} (default: the middle of the scale of the run's headline, such as iep>=50, or what logs say)"},
		&cli.StringSliceFlag{Name: "hide", Usage: "`KEYS` of logs that tell the answer, beside the usual ones"},
		&cli.StringFlag{Name: "task", Usage: "`FILE` of the task, YAML: name, description, successful, failed"},
		&cli.StringFlag{Name: "model", Usage: "`MODEL` of the quantifier, or lexical"},
		&cli.IntFlag{Name: "seeds", Usage: "label each sample `N` times (default: 1; verify: 18)"},
		&cli.BoolFlag{Name: "each", Usage: "ask for one criterion a call"},
		&cli.Float64Flag{Name: "temperature", DefaultText: "0.8", Usage: "`T` of the models; at 0 all labels are alike, whether they can be relied on or not"},
		&cli.StringSliceFlag{Name: "disturb", Usage: "verify with samples disturbed by `WAYS`: drop, swap, replace"},
		&cli.Float64Flag{Name: "share", Value: 0.25, Usage: "`SHARE` of sentences that drop leaves out"},
		&cli.IntFlag{Name: "rounds", Value: 1, Usage: "verify what is left again, until nothing is dropped or `N` times"},
		&cli.StringFlag{Name: "stability", Value: d.Stability, Usage: "judge stability by `FIGURE`: range_sd, cv or agreement"},
		&cli.StringFlag{Name: "critic", Usage: "`MODEL` that proposes the criteria, instead of --criteria"},
		&cli.IntFlag{Name: "critics", Value: 50, Usage: "ask the critic with `N` seeds"},
		&cli.StringFlag{Name: "summariser", Usage: "`MODEL` that makes one list of what critics propose"},
	}, append(mergeFlags, runFlags("samples")...)...)
}

// mergeFlags say which criteria are similar.
var mergeFlags = []cli.Flag{
	&cli.StringFlag{Name: "embed", Usage: "`MODEL` of embeddings by which similar criteria are found (default: by their letters)"},
	&cli.Float64Flag{Name: "tau", Value: 0.8, Usage: "merge criteria from this `SIMILARITY`"},
}

// utilityCriteria asks critics and writes the criteria that they propose.
func utilityCriteria(c *cli.Context) error {
	task, err := utility.ReadTask(c.String("task"), &utility.Reader{})
	if err != nil {
		return err
	}
	g, dir := utility.DefaultConfig(), cmp.Or(c.String("run"), filepath.Join("runs", run.NewID(time.Now())))
	overlay(c, &g.Settings)
	g.Task, g.Critic, g.Critics, g.Solutions, g.Out = task, c.String("model"), c.Int("seeds"), c.Bool("solutions"), dir
	ended := utilityBegin(c, g)
	made, out := filepath.Join(dir, utility.CriteriaName), c.String("out")
	_, partial := errors.AsType[partialError](ended)
	switch {
	case ended != nil && !partial, c.Bool("print-config"), c.Bool("estimate"):
		return ended
	case !exists(made):
		return errors.Join(ended, fmt.Errorf("%s is not written: no criterion was proposed that could be read", out))
	}
	text, err := os.ReadFile(made)
	if err == nil {
		err = logs.WriteFile(out, text)
	}
	return errors.Join(ended, err)
}

// utilityRun labels samples, and verifies criteria where samples are disturbed.
func utilityRun(c *cli.Context, seeds int, disturb []string) (err error) {
	g, reader := utility.DefaultConfig(), &utility.Reader{Hidden: c.StringSlice("hide")}
	g.Seeds, g.Disturb = seeds, disturb
	if file := c.String("config"); file != "" {
		err = run.ReadConfig(file, g)
	}
	if file := c.String("task"); file != "" && err == nil {
		g.Task, err = utility.ReadTask(file, reader)
	}
	if name := c.String("criteria"); name != "" && err == nil {
		g.Criteria, err = readCriteria(name)
	}
	if c.IsSet("samples") && err == nil {
		g.Samples, err = reader.Load(c.StringSlice("samples"), c.String("success"))
	}
	if err != nil {
		return err
	}
	overlay(c, g)
	if c.IsSet("model") {
		g.Quantifier = c.String("model")
	}
	if c.IsSet("stability") {
		g.Thresholds.Stability = c.String("stability")
	}
	if c.IsSet("temperature") {
		g.Sampling.Temperature = new(c.Float64("temperature"))
	}
	if g.Critic != "" && g.Critics == 0 {
		g.Critics = c.Int("critics")
	}
	return utilityBegin(c, g)
}

// utilityBegin runs a configuration.
func utilityBegin(c *cli.Context, g *utility.Config) error {
	if err := g.Complete(); err != nil {
		return err
	}
	return begin(c, utility.New(g), func() any { return utility.DefaultConfig() }, showUtility)
}
