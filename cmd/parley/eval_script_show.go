package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/report"
	"parley/eval/run"
	"parley/eval/script"
)

// showScripts prints the results of a run for people.
func showScripts(c *cli.Context, dir string, m *run.Manifest) error {
	g, d, err := readScripts(dir)
	if err != nil {
		return err
	}
	w := c.App.Writer
	fmt.Fprintln(w, script.Summary(g, m.Of))
	if !g.Perturb && slices.Contains(d.Judged(), script.Scorer) {
		ranking, err := d.Ranking(script.Scorer)
		if err != nil {
			return err
		}
		if err := printRanking(w, ranking); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	shown := slices.DeleteFunc(slices.Clone(m.Results), func(r eval.Result) bool {
		return r.Scorer == script.Scorer && (r.Metric == "rank" || r.Metric == "score" || r.Metric == "difference")
	})
	for i := range shown {
		if shown[i].Scorer != script.Scorer {
			shown[i].Metric = shown[i].Scorer + " " + shown[i].Metric
		}
	}
	if err := report.Results(w, shown); err != nil {
		return err
	}
	if err := report.Usage(w, m.Usage); err != nil {
		return err
	}
	return printedAt(c, dir)
}

// readScripts reads an evaluation of scripts.
func readScripts(dir string) (*script.Config, *script.Data, error) {
	m, err := run.ReadManifest(dir)
	if err != nil {
		return nil, nil, err
	}
	if m.Kind != script.Kind {
		return nil, nil, fmt.Errorf("%s is a run of kind %q, and no evaluation of scripts", dir, m.Kind)
	}
	p, err := script.Decode(m.Config)
	if err != nil {
		return nil, nil, err
	}
	g := p.Config().(*script.Config)
	d, err := script.ReadData(dir, g)
	return g, d, err
}
