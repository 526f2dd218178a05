package main

import (
	"context"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/iep"
	"parley/eval/session"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/llm"
)

func judgeCheckIEPCommand() *cli.Command {
	return &cli.Command{
		Name:  "iep",
		Usage: "measure a judge of key points on planted debriefs",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "judge", Value: session.Lexical, Usage: "lexical, embed:MODEL or a chat `MODEL`"},
			&cli.StringFlag{Name: "cases", Usage: "read debriefs of your own from `FILE`, one JSON object a line; - is standard input"},
			&cli.IntFlag{Name: "n", Value: 40, Usage: "make mechanical debriefs about `N` pieces; 0: none"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that the mechanical debriefs follow from"},
			jsonFlag(),
		},
		Action: judgeCheckIEP,
	}
}

func judgeCheckIEP(c *cli.Context) error {
	if c.Int("n") < 0 {
		return usagef("n is %d: it is a number of pieces", c.Int("n"))
	}
	cases, err := checkCases(c)
	if err != nil {
		return err
	}
	j, err := loneJudge(c.Context, c.String("judge"))
	if err != nil {
		return err
	}
	check, _, err := iep.CheckJudge(c.Context, j, cases, c.Uint64("seed"))
	if err != nil {
		return err
	}
	n := check.Unscored()
	if err := printAnswer(c, check.Results()); err != nil || n == 0 {
		return err
	}
	return partialf("%d of %d debriefs have no verdict", n, len(cases))
}

// checkCases reads the debriefs of --cases, or takes the program's own.
func checkCases(c *cli.Context) ([]iep.Case, error) {
	name := c.String("cases")
	if name == "" {
		return append(iep.Cases(), iep.Mechanical(scenarios.Library().Knowledge, c.Int("n"), sim.Rand(c.Uint64("seed")))...), nil
	}
	in, err := openInput(c, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return iep.ReadCases(in, name)
}

// loneJudge opens a judge of key points outside of a run.
func loneJudge(ctx context.Context, spec string) (iep.Judge, error) {
	if spec == session.Lexical {
		return iep.NewLexical(session.LibraryFacts()), nil
	}
	name, embeds := strings.CutPrefix(spec, session.Embed)
	if !embeds {
		j, err := chatJudge(ctx, spec)
		return &iep.Model{Judge: j}, err
	}
	m, err := registry().Open(ctx, name, environment())
	if err != nil {
		return nil, usageError{err}
	}
	embedder, ok := m.(llm.Embedder)
	if !ok {
		return nil, usagef("%s has no embeddings: judge with embed:ollama:NAME or embed:openai:NAME", name)
	}
	model := llm.Wrap(llm.Embedding(embedder, name), llm.Retry(llm.Retrier{}))
	return &iep.Embedding{Model: model, Spec: name, Now: time.Now, Words: iep.NewLexical(session.LibraryFacts())}, nil
}
