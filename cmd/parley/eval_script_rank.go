package main

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"parley/eval/script"
)

func evalScriptRankCommand() *cli.Command {
	return &cli.Command{
		Name:      "rank",
		Usage:     "rank models by the seven metrics, of a table or a run",
		ArgsUsage: "SCORES.csv | RUN | SCRIPT.db",
		Description: "A table has the columns model, perhaps size and task, NM, NR, ND, EX, SC, CG and OC, with numbers\n" +
			"from 0 to 1 or True and False, 1 being good; others are passed over. A model's score is the mean of\n" +
			"the metrics, by their weights, over the tasks that are wholly scored for all models. Scores are not\n" +
			"rounded; those that are equal, or that the table's digits cannot separate, share a place.\n" +
			"Of the authors' SQLite file, the table eval_result is ranked.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "weights", Usage: "`WEIGHTS` of the metrics, such as NM=2,SC=3 (default: all 1)"},
			&cli.StringFlag{Name: "scorer", Usage: "rank by `SCORER`: of a run, script (default) or script-single; of a database, the model that judged"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that the resamples come from"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("rank takes one table or run, and got %d", c.NArg())
			}
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
			g, err := script.Rank(t, w, confidence, drawing(c.Uint64("seed")))
			if err != nil {
				return err
			}
			if c.Bool("json") {
				err = printJSON(c.App.Writer, answer{Results: rankResults(scorer, g)})
			} else {
				err = printRanking(c.App.Writer, g)
			}
			if err == nil && len(g.Ranked) > 0 && g.Ranked[0].Score.Value == nil {
				err = partialf("nobody can be ranked: %s", g.Ranked[0].Score.Reason)
			}
			return err
		},
	}
}

// scoreTable reads a table, or the verdicts of a run with the weights that the run was begun with.
func scoreTable(name, scorer string) (*script.Table, script.Weights, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		m, err := readScriptManifest(name)
		if err != nil {
			return nil, nil, err
		}
		d, err := readScriptData(name, m.Script)
		if err != nil {
			return nil, nil, err
		}
		t := d.table(scorer)
		if len(t.Rows) == 0 {
			return nil, nil, fmt.Errorf("%s holds no verdicts of %s, only of %v", name, scorer, d.scorers())
		}
		w, _ := d.weights(scorer)
		return t, w, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if !isDatabase(f) {
		t, err := script.ReadTable(f, name)
		return t, nil, err
	}
	db, err := script.ReadDatabase(f, name)
	if err != nil {
		return nil, nil, err
	}
	d := &scriptData{findings: map[string][]script.Finding{}}
	for _, v := range db.Verdicts {
		d.findings[v.Scorer] = append(d.findings[v.Scorer], v)
	}
	if scorer == script.Scorer && len(d.findings) == 1 {
		scorer = d.scorers()[0]
	}
	t := d.table(scorer)
	if len(t.Rows) == 0 {
		return nil, nil, fmt.Errorf("%s holds no verdicts of %s, only of %v: choose with --scorer", name, scorer, d.scorers())
	}
	return t, nil, nil
}

// readScriptManifest reads the manifest of an evaluation of scripts.
func readScriptManifest(dir string) (*manifest, error) {
	m, err := readAnyManifest(dir)
	if err == nil && m.Script == nil {
		err = fmt.Errorf("%s holds no evaluation of scripts", dir)
	}
	return m, err
}

// printRanking prints a ranking for people.
func printRanking(w io.Writer, g *script.Ranking) error {
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tab, "RANK\tMODEL\tSCORE\t95 % INTERVAL\tRANKS\tN\tNOTE")
	for _, r := range g.Ranked {
		rank, score, interval, ranks, note := "-", "unscored", "-", "-", r.Score.Reason
		if r.Rank > 0 {
			rank, note = fmt.Sprint(r.Rank), ""
			if len(r.Tied) > 0 {
				rank = "=" + rank
			}
		}
		if r.Score.Value != nil {
			score = fmt.Sprintf("%.4f", *r.Score.Value)
		}
		if r.Score.Low != nil {
			interval, ranks = fmt.Sprintf("%.4f to %.4f", *r.Score.Low, *r.Score.High), fmt.Sprintf("%d to %d", r.Best, r.Worst)
		}
		if r.N < r.Of {
			note = fmt.Sprintf("%s over all tasks between %.4f and %.4f", note, r.Least, r.Most)
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\t%d of %d\t%s\n", rank, r.Arm, score, interval, ranks, r.N, r.Of, note)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	if len(g.Pairs) > 0 {
		fmt.Fprintln(tab, "\nDIFFERENCE\tVALUE\t95 % INTERVAL\tP\tP BY HOLM")
		for _, p := range g.Pairs {
			value, interval := "undefined", "-"
			if p.Diff.Value != nil {
				value = fmt.Sprintf("%.4f", *p.Diff.Value)
			}
			if p.Diff.Low != nil {
				interval = fmt.Sprintf("%.4f to %.4f", *p.Diff.Low, *p.Diff.High)
			}
			fmt.Fprintf(tab, "%s - %s\t%s\t%s\t%s\t%s\n", p.A, p.B, value, interval, short(p.P), short(p.Holm))
		}
	}
	return tab.Flush()
}
