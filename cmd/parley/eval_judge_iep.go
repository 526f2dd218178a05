package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/iep"
	"parley/eval/judge"
	"parley/eval/stat"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/llm"
)

func judgeCheckIEPCommand() *cli.Command {
	return &cli.Command{
		Name:  "iep",
		Usage: "measure a judge of key points on planted debriefs",
		Description: "Each debrief tells exactly s of the k facts of a piece of knowledge in other words, among\n" +
			"sentences that tell nothing and a fact of something else. exact and within_1 are the shares of\n" +
			"debriefs whose count the judge gets right, or to within one; bias is the mean of its count less s;\n" +
			"flip is the share whose count changes when the key points come in reverse order.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "judge", Value: "lexical", Usage: "lexical, embed:MODEL or a chat `MODEL`"},
			&cli.IntFlag{Name: "n", Value: 100, Usage: "plant `N` debriefs"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that the debriefs follow from"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usagef("judge-check iep takes flags only, and got %q", c.Args().First())
			}
			if c.Int("n") < 1 {
				return usagef("n is %d: at least 1 debrief is needed", c.Int("n"))
			}
			spec := c.String("judge")
			j, err := loneJudge(c.Context, spec)
			if err != nil {
				return err
			}
			check, _, err := iep.CheckJudge(c.Context, j, scenarios.Library().Knowledge, c.Int("n"), sim.Rand(c.Uint64("seed")))
			if err != nil {
				return err
			}
			results := checkResults(check, spec, c.Int("n"))
			if c.Bool("json") {
				err = printJSON(c.App.Writer, answer{Results: results})
			} else {
				err = printResults(c.App.Writer, results)
			}
			if missing := c.Int("n") - len(check.Exact); err == nil && missing > 0 {
				err = partialf("%d of %d debriefs have no verdict", missing, c.Int("n"))
			}
			return err
		},
	}
}

// loneJudge opens a judge outside of a run.
func loneJudge(ctx context.Context, spec string) (iep.Judge, error) {
	if spec == "lexical" {
		return iep.NewLexical(corpus()), nil
	}
	if name, ok := strings.CutPrefix(spec, "embed:"); ok {
		m, err := registry().Open(ctx, name, environment())
		if err != nil {
			return nil, usageError{err}
		}
		embedder, ok := m.(llm.Embedder)
		if !ok {
			return nil, usagef(noEmbeddings, name)
		}
		model := llm.Wrap(llm.Embedding(embedder, name), llm.Retry(llm.Retrier{}))
		return &iep.Embedding{Model: model, Spec: name, Now: time.Now}, nil
	}
	if isReference(spec) {
		return nil, usagef("%s cannot judge: say lexical, embed:MODEL or a chat model", spec)
	}
	m, err := openModel(ctx, spec)
	if err != nil {
		return nil, err
	}
	s := llm.Sampling{NumCtx: registry().Defaults(spec).Context}
	return &iep.Model{Judge: &judge.Judge{Model: m, Name: spec, Sampling: s, Now: time.Now}}, nil
}

// checkResults makes the lines of the table.
func checkResults(c *iep.Check, spec string, n int) []eval.Result {
	share := func(metric string, hits []bool) eval.Result {
		k := 0
		for _, h := range hits {
			if h {
				k++
			}
		}
		i := stat.Wilson(k, len(hits), confidence)
		return eval.Result{Scorer: "judge-check", Metric: metric, Arm: spec, Value: percent(i.Value), Low: percent(i.Low), High: percent(i.High), N: len(hits), Of: n, Unit: "debriefs", Reason: i.Reason}
	}
	bias := stat.Mean(c.Bias, confidence)
	results := []eval.Result{
		share("exact", c.Exact), share("within_1", c.Within1),
		{Scorer: "judge-check", Metric: "bias", Arm: spec, Value: bias.Value, Low: bias.Low, High: bias.High, N: bias.N, Of: n, Unit: "debriefs", Reason: bias.Reason},
		share("flip", c.Flip),
	}
	if len(c.Missing) > 0 {
		for i := range results {
			results[i].Reason = strings.TrimPrefix(fmt.Sprintf("%s; %s", results[i].Reason, tallied(c.Missing)), "; ")
		}
	}
	return results
}

// percent turns a share into percent.
func percent(share *float64) *float64 {
	if share == nil {
		return nil
	}
	p := 100 * *share
	return &p
}
