package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"parley/eval"
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
	return showResults(c, dir, m, shown)
}

// readScripts reads an evaluation of scripts.
func readScripts(dir string) (*script.Config, *script.Data, error) {
	_, p, err := readRun(dir, script.Kind)
	if err != nil {
		return nil, nil, err
	}
	g := p.Config().(*script.Config)
	d, err := script.ReadData(dir, g)
	return g, d, err
}

// readRun reads the manifest and the plan of a run of a kind.
func readRun(dir, kind string) (*run.Manifest, run.Plan, error) {
	m, err := run.ReadManifest(dir)
	if err != nil {
		return nil, nil, err
	}
	if m.Kind != kind {
		return nil, nil, fmt.Errorf("%s is a run of kind %q, and one of kind %q is needed", dir, m.Kind, kind)
	}
	p, err := kinds.Plan(dir, m)
	return m, p, err
}
