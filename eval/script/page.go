package script

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"parley/eval"
	"parley/eval/report"
	"parley/eval/report/view"
	"parley/eval/run"
	"parley/eval/stat"
)

// Report writes the page of an evaluation of scripts.
func (p *Plan) Report(dir string, m *run.Manifest, w io.Writer) error {
	c := p.config
	d, err := ReadData(dir, c)
	if err != nil {
		return err
	}
	page := &report.Page{
		Manifest: m, Metrics: m.Metrics, Config: c, Rerun: "parley eval script run FILE", Title: "Scripts: parley run " + m.ID,
		Subtitle: Summary(c, len(d.tasks)),
	}
	if !c.Perturb {
		var blocks []view.Block
		for _, scorer := range d.Judged() {
			g, err := d.Ranking(scorer)
			if err != nil {
				return err
			}
			ranks, tests := g.Tables()
			ranks.Caption = "Ranking by " + scorer + ". " + ranks.Caption
			if blocks = append(blocks, ranks); len(g.Pairs) > 0 {
				blocks = append(blocks, tests)
			}
		}
		page.Sections = append(page.Sections, view.Section{ID: "ranking", Title: "Ranking", Blocks: blocks})
	}
	page.Sections = append(page.Sections, view.Section{ID: "metrics", Title: "The seven metrics", Blocks: d.metricBlocks()})
	if weights, ok := d.Weights(Scorer); ok && !c.Perturb {
		page.Sections = append(page.Sections,
			view.Section{ID: "topics", Title: "Topics", Blocks: []view.Block{d.topics(weights)}},
			view.Section{ID: "length", Title: "Number of steps", Blocks: []view.Block{d.lengths(weights)}})
	}
	return page.Write(w)
}

// Summary says in a line what was evaluated.
func Summary(c *Config, tasks int) string {
	orNone := func(spec string) string {
		if spec == "" {
			return "none"
		}
		return spec
	}
	gold := map[string]string{"none": "none", "reference": "the tasks' own steps"}[c.Gold]
	if gold == "" {
		gold = c.Gold + ", written by " + orNone(c.Synthesize)
	}
	return fmt.Sprintf("%d tasks, %d authors; critic %s, execute %s, commonsense %s; gold answers: %s; seed %d",
		tasks, len(c.Authors), orNone(c.Critic), orNone(c.Execute), orNone(c.Commonsense), gold, c.Seed)
}

// metricBlocks shows the shares of scripts by author and metric, for each scorer.
func (d *Data) metricBlocks() []view.Block {
	var blocks []view.Block
	for _, scorer := range d.Scorers() {
		blocks = append(blocks, report.Heat("metrics-"+scorer, "Scripts that pass, by "+scorer, "Share of scripts that pass each metric; 1 is good. Intervals are Wilson's, 95 %.",
			d.arms, metricNames(), func(arm, metric string) eval.Result { return d.mean(scorer, metric, arm) }))
	}
	legend := view.Facts{}
	for _, m := range Metrics() {
		legend = append(legend, view.Fact{Name: string(m), Text: []string{m.Title()}})
	}
	return append(blocks, legend)
}

// scored gathers the scores of an author's scripts that are wholly scored, of those that are in a group, and counts
// all of that group.
func (d *Data) scored(arm string, w Weights, in func(task string) bool) (scores []float64, of int) {
	t := d.Table(Scorer)
	for i := range t.Rows {
		if row := &t.Rows[i]; row.Arm == arm && in(row.Task) {
			if of++; row.Whole(w) {
				scores = append(scores, row.score(w, 0))
			}
		}
	}
	return scores, of
}

// topics shows the scores by author and topic.
func (d *Data) topics(w Weights) view.Block {
	names := slices.Compact(slices.Sorted(maps.Values(d.topic)))
	return report.Heat("topics-heat", "Scores by topic", "Mean share of metrics passed, by topic.", d.arms, names, func(arm, topic string) eval.Result {
		scores, of := d.scored(arm, w, func(task string) bool { return d.topic[task] == topic })
		return resultOf(within(scores, 0, eval.Confidence), of)
	})
}

func resultOf(i stat.Interval, of int) eval.Result {
	return eval.Result{Value: i.Value, Low: i.Low, High: i.High, N: i.N, Of: of, Reason: i.Reason}
}

// lengths shows how authors do by the number of steps of their scripts.
func (d *Data) lengths(w Weights) view.Block {
	plot := &view.Curve{Title: "Scores by the number of steps", X: view.Axis{Name: "steps of the script"},
		Y: view.Axis{Name: "mean share of metrics passed", From: new(0.0), To: new(1.0)}}
	numbers := &view.Table{Caption: "Scripts that are wholly scored.", Head: view.Columns("Model", "#Steps", "#Score", "#95 % interval", "#Scripts")}
	for series, arm := range d.arms {
		trace := view.Trace{Label: arm, Series: series}
		lengths := map[int]bool{}
		for key, n := range d.steps {
			if key[1] == arm {
				lengths[n] = true
			}
		}
		for _, n := range slices.Sorted(maps.Keys(lengths)) {
			scores, _ := d.scored(arm, w, func(task string) bool {
				steps, written := d.steps[[2]string{task, arm}]
				return written && steps == n
			})
			if i := within(scores, 0, eval.Confidence); i.Value != nil {
				trace.Points = append(trace.Points, view.Point{X: float64(n), Y: i.Value, Low: i.Low, High: i.High})
				numbers.Add(arm, fmt.Sprint(n), view.Number(i.Value), spread(i), fmt.Sprint(i.N))
			}
		}
		if trace.Points != nil {
			plot.Lines = append(plot.Lines, trace)
		}
	}
	if plot.Lines == nil {
		return view.Text("No script is wholly scored.")
	}
	return &view.Figure{ID: "length-curve", Caption: "How authors do by the number of steps of their scripts.", Plot: plot, Numbers: numbers}
}
