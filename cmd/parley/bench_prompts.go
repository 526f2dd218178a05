package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"parley/eval/run"
	"parley/eval/session"
	"parley/scenarios"
	"parley/sim/llm"
)

func benchPromptsCommand() *cli.Command {
	return &cli.Command{
		Name:      "prompts",
		Usage:     "measure what each layout of prompts costs on a model's server",
		ArgsUsage: "MODEL",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "turns", Value: 12, Usage: "`N` turns of the session"},
			&cli.IntFlag{Name: "players", Value: 3, Usage: "`N` players beside the NPC"},
			&cli.StringFlag{Name: "form", Usage: "of replies: auto (default), json or lines"},
			&cli.StringFlag{Name: "prompts", Usage: "play with the prompts in `DIR`"},
			&cli.IntFlag{Name: "max-tokens", Value: 200, Usage: "`N` tokens of a reply at most"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that all randomness comes from"},
			&cli.BoolFlag{Name: "json", Usage: `print {"model": ..., "layouts": [...]} instead`},
		},
		Action: benchPrompts,
	}
}

func benchPrompts(c *cli.Context) error {
	model := c.Args().First()
	temp, err := os.MkdirTemp("", "parley-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	options, err := runOptions(c)
	if err != nil {
		return err
	}
	var costs []*session.PromptCost
	for _, layout := range []string{"shared-prefix", "persona-first"} {
		e := session.Default()
		e.Scenario, e.Sessions, e.Players, e.Turns, e.Layout, e.Prompts, e.Jobs = scenarios.Expression.Name, 1, c.Int("players"), c.Int("turns"), layout, c.String("prompts"), 1
		e.Player, e.NPC, e.Seed, e.Endings = []session.Arm{{Model: model}}, model, c.Uint64("seed"), session.Endings{}
		if c.IsSet("form") {
			e.Form = c.String("form")
		}
		sampling := llm.Sampling{Temperature: new(float64), MaxTokens: c.Int("max-tokens")}
		e.Sampling = map[string]llm.Sampling{"player": sampling, "npc": sampling}
		if err := e.Complete(); err != nil {
			return err
		}
		dir := filepath.Join(temp, layout)
		if _, err := run.Run(c.Context, dir, session.New(e), options); err != nil {
			return err
		}
		cost, err := session.ReadPromptCost(dir)
		if err != nil {
			return err
		}
		costs = append(costs, cost)
	}
	return output(c, map[string]any{"model": model, "layouts": costs}, func(w io.Writer) error { return session.PrintPromptCosts(w, costs) })
}
