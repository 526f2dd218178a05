package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"parley/eval/report"
	"parley/eval/script"
	"parley/eval/script/sqlite"
)

func evalScriptRankCommand() *cli.Command {
	return &cli.Command{
		Name:      "rank",
		Usage:     "rank models by the seven metrics, of a table or a run",
		ArgsUsage: "SCORES.csv|RUN|SCRIPT.db",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "weights", Usage: "`WEIGHTS` of the metrics, such as NM=2,SC=3 (default: all 1)"},
			&cli.StringFlag{Name: "scorer", Usage: "rank by `SCORER`: of a run, script (default) or script-single; of a database, the model that judged"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that the resamples come from"},
			jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			w, err := scriptWeights(c.StringSlice("weights"))
			if err != nil {
				return err
			}
			scorer := c.String("scorer")
			if scorer == "" {
				scorer = script.Scorer
			}
			t, own, err := scoreTable(c.Args().First(), scorer)
			if err != nil {
				return err
			}
			for m, v := range own { // what a run did not ask for has no weight
				if w == nil {
					w = script.Weights{}
				}
				if _, said := w[m]; !said || v == 0 {
					w[m] = v
				}
			}
			g, err := script.Rank(t, w, confidence, script.Drawing(c.Uint64("seed")))
			if err != nil {
				return err
			}
			if c.Bool("json") {
				err = printJSON(c.App.Writer, answer{Results: script.RankResults(scorer, g)})
			} else {
				err = printRanking(c.App.Writer, g)
			}
			if err == nil && len(g.Ranked) > 0 && g.Ranked[0].Score.Value == nil {
				err = partialf("no author can be ranked: %s", g.Ranked[0].Score.Reason)
			}
			return err
		},
	}
}

// scoreTable reads a table, or the verdicts of a run with the weights that the run was begun with.
func scoreTable(name, scorer string) (*script.Table, script.Weights, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		_, d, err := readScripts(name)
		if err != nil {
			return nil, nil, err
		}
		t := d.Table(scorer)
		if len(t.Rows) == 0 {
			return nil, nil, fmt.Errorf("%s holds no verdicts of %s, only of %v", name, scorer, d.Scorers())
		}
		w, _ := d.Weights(scorer)
		return t, w, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	if !sqlite.Is(data) {
		t, err := script.ReadTable(bytes.NewReader(data), name)
		return t, nil, err
	}
	db, err := script.ReadDatabase(data, name)
	if err != nil {
		return nil, nil, err
	}
	d := script.DataOf(db.Verdicts)
	if scorer == script.Scorer && len(d.Scorers()) == 1 {
		scorer = d.Scorers()[0]
	}
	t := d.Table(scorer)
	if len(t.Rows) == 0 {
		return nil, nil, fmt.Errorf("%s holds no verdicts of %s, only of %v: choose with --scorer", name, scorer, d.Scorers())
	}
	return t, nil, nil
}

// printRanking prints a ranking and the tests between authors.
func printRanking(w io.Writer, g *script.Ranking) error {
	ranks, tests := g.Tables()
	return errors.Join(report.Table(w, ranks), report.Table(w, tests))
}
