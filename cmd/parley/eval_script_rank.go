package main

import (
	"cmp"

	"github.com/urfave/cli/v2"

	"parley/eval/script"
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
			w, err := script.ParseWeights(c.StringSlice("weights"))
			if err != nil {
				return err
			}
			scorer := cmp.Or(c.String("scorer"), script.Scorer)
			g, err := script.RankFile(c.Args().First(), scorer, w, c.Uint64("seed"))
			if err != nil {
				return err
			}
			err = output(c, answer{Results: script.RankResults(scorer, g)}, g.Print)
			if err == nil && len(g.Ranked) > 0 && g.Ranked[0].Score.Value == nil {
				err = partialf("no author can be ranked: %s", g.Ranked[0].Score.Reason)
			}
			return err
		},
	}
}
