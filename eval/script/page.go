package script

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/report"
	"parley/eval/report/view"
	"parley/eval/run"
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
	add := func(id, title string, blocks ...view.Block) {
		if len(blocks) > 0 {
			page.Sections = append(page.Sections, view.Section{ID: id, Title: title, Blocks: blocks})
		}
	}
	if c.Perturb {
		add("detected", "Planted faults, and how many were found", d.detectionBlocks(m.Results)...)
	} else {
		blocks, err := d.rankingBlocks()
		if err != nil {
			return err
		}
		add("ranking", "Ranking", blocks...)
	}
	add("metrics", "The seven metrics", d.metricBlocks()...)
	if !c.Perturb {
		add("topics", "Topics", d.topicBlocks()...)
		add("length", "Number of steps", d.lengthBlocks()...)
	}
	return page.Write(w)
}

// Summary says in a line what was evaluated.
func Summary(c *Config, tasks int) string {
	return fmt.Sprintf("%d tasks, %d authors; critic %s, execute %s, commonsense %s; gold answers: %s; seed %d",
		tasks, len(c.Authors), orNone(c.Critic), orNone(c.Execute), orNone(c.Commonsense), goldSource(c), c.Seed)
}

func orNone(spec string) string {
	if spec == "" {
		return "none"
	}
	return spec
}

func goldSource(c *Config) string {
	switch c.Gold {
	case "none":
		return "none"
	case "reference":
		return "the tasks' own steps"
	}
	return c.Gold + ", written by " + orNone(c.Synthesize)
}

// decimals writes a share with three decimals.
func decimals(v *float64) string {
	if v == nil {
		return "–"
	}
	return strings.ReplaceAll(fmt.Sprintf("%.3f", *v), "-", "−")
}

// series is the colour of an arm.
func (d *Data) series(arm string) int { return max(0, slices.Index(d.arms, arm)) }

// fromTo is an axis with set ends.
func fromTo(name string, from, to float64) view.Axis {
	return view.Axis{Name: name, From: &from, To: &to}
}

func (d *Data) rankingBlocks() ([]view.Block, error) {
	var blocks []view.Block
	for _, scorer := range d.Judged() {
		g, err := d.Ranking(scorer)
		if err != nil {
			return nil, err
		}
		plot := &view.Dots{Title: "Scores by " + scorer, Axis: fromTo("mean share of metrics passed, %", 0, 100)}
		t := &view.Table{Caption: fmt.Sprintf("Ranking by %s over the %d of %d tasks that are wholly scored for all authors.", scorer, g.Common, g.Of), Head: view.Columns("Model", "#Rank", "#Ranks", "#Score", "#95 % interval", "#N", "#All bad", "#All good")}
		for _, r := range g.Ranked {
			rank, ranks, interval := "–", "–", "–"
			dot := view.Dot{Label: r.Arm, Value: eval.Percent(r.Score.Value), Low: eval.Percent(r.Score.Low), High: eval.Percent(r.Score.High), Series: d.series(r.Arm), Note: fmt.Sprintf("%d of %d", r.N, r.Of)}
			if r.Score.Value == nil {
				dot.Missing = report.Shorten(r.Score.Reason, 60)
			}
			if r.Rank > 0 {
				rank = fmt.Sprint(r.Rank)
				if len(r.Tied) > 0 {
					rank = "=" + rank
				}
			}
			if r.Score.Low != nil {
				interval, ranks = fmt.Sprintf("%s to %s", decimals(r.Score.Low), decimals(r.Score.High)), fmt.Sprintf("%d to %d", r.Best, r.Worst)
			}
			plot.Rows = append(plot.Rows, dot)
			t.Add(r.Arm, rank, ranks, decimals(r.Score.Value), interval, fmt.Sprintf("%d of %d", r.N, r.Of), decimals(&r.Least), decimals(&r.Most))
		}
		blocks = append(blocks, &view.Figure{ID: "ranking-" + scorer, Caption: "Scores with 95 % bootstrap intervals over tasks. All bad and all good: the mean over all tasks, with whatever is unscored taken so.", Plot: plot, Numbers: t})
		if len(g.Pairs) > 0 {
			tests := &view.Table{Caption: "Paired differences (t interval), Wilcoxon's signed ranks, adjusted by Holm.", Head: view.Columns("Pair", "#Difference", "#95 % interval", "#p", "#p by Holm")}
			for _, p := range g.Pairs {
				interval := "–"
				if p.Diff.Low != nil {
					interval = fmt.Sprintf("%s to %s", decimals(p.Diff.Low), decimals(p.Diff.High))
				}
				tests.Add(p.A+" − "+p.B, decimals(p.Diff.Value), interval, short(p.P), short(p.Holm))
			}
			blocks = append(blocks, tests)
		}
	}
	return blocks, nil
}

// metricBlocks is the heat map by author and metric.
func (d *Data) metricBlocks() []view.Block {
	var blocks []view.Block
	for _, scorer := range d.Scorers() {
		heat := &view.Heat{Title: "Scripts that pass, by " + scorer, Rows: d.arms}
		t := &view.Table{Caption: "Share of scripts that pass, with 95 % intervals (Wilson).", Head: view.Columns("Model")}
		for _, m := range Metrics() {
			heat.Columns = append(heat.Columns, string(m))
			t.Head = append(t.Head, view.Column{Name: string(m), Number: true})
		}
		for _, arm := range d.arms {
			var fields []view.Field
			cells := []view.Cell{{Text: arm}}
			for _, m := range Metrics() {
				r := share(scorer, string(m), arm, d.findings[scorer], m)
				fields = append(fields, view.Field{Share: r.Value, Text: decimals(r.Value)})
				note := fmt.Sprintf("%d of %d", r.N, r.Of)
				if r.Low != nil {
					note = fmt.Sprintf("%s to %s, %s", decimals(r.Low), decimals(r.High), note)
				}
				cells = append(cells, view.Cell{Text: decimals(r.Value), Note: note, Grey: r.Value == nil})
			}
			heat.Cells = append(heat.Cells, fields)
			t.Rows = append(t.Rows, cells)
		}
		blocks = append(blocks, &view.Figure{ID: "metrics-" + scorer, Caption: "Share of scripts that pass each metric; 1 is good.", Plot: heat, Numbers: t})
	}
	legend := view.Facts{}
	for _, m := range Metrics() {
		legend = append(legend, view.Fact{Name: string(m), Text: []string{m.Title()}})
	}
	return append(blocks, legend)
}

// topicBlocks is the heat map by author and topic.
func (d *Data) topicBlocks() []view.Block {
	var topics []string
	for i := range d.tasks {
		if !slices.Contains(topics, d.tasks[i].Topic) {
			topics = append(topics, d.tasks[i].Topic)
		}
	}
	slices.Sort(topics)
	t := d.Table(Scorer)
	w, ok := d.Weights(Scorer)
	if !ok {
		return nil
	}
	heat := &view.Heat{Title: "Scores by topic", Rows: d.arms, Columns: topics}
	numbers := &view.Table{Caption: "Mean share of metrics passed, over the tasks of a topic that are wholly scored.", Head: append(view.Columns("Model"), numberColumns(topics)...)}
	for _, arm := range d.arms {
		var fields []view.Field
		cells := []view.Cell{{Text: arm}}
		for _, topic := range topics {
			sum, n, of := 0.0, 0, 0
			for i := range t.Rows {
				if row := &t.Rows[i]; row.Arm == arm && d.topic[row.Task] == topic {
					of++
					if row.Whole(w) {
						sum, n = sum+row.Score(w), n+1
					}
				}
			}
			var v *float64
			if n > 0 {
				mean := sum / float64(n)
				v = &mean
			}
			fields = append(fields, view.Field{Share: v, Text: decimals(v)})
			cells = append(cells, view.Cell{Text: decimals(v), Note: fmt.Sprintf("%d of %d", n, of), Grey: v == nil})
		}
		heat.Cells = append(heat.Cells, fields)
		numbers.Rows = append(numbers.Rows, cells)
	}
	return []view.Block{&view.Figure{ID: "topics-heat", Caption: "Mean share of metrics passed, by topic.", Plot: heat, Numbers: numbers}}
}

func numberColumns(names []string) []view.Column {
	var columns []view.Column
	for _, n := range names {
		columns = append(columns, view.Column{Name: n, Number: true})
	}
	return columns
}

// lengthBlocks is how authors do by the number of steps of their scripts.
func (d *Data) lengthBlocks() []view.Block {
	t := d.Table(Scorer)
	w, ok := d.Weights(Scorer)
	if !ok {
		return nil
	}
	plot := &view.Curve{Title: "Scores by the number of steps", X: view.Axis{Name: "steps of the script"}, Y: fromTo("mean share of metrics passed", 0, 1)}
	numbers := &view.Table{Caption: "Mean share of metrics passed, by the number of steps; scripts that are wholly scored.", Head: view.Columns("Model", "#Steps", "#Score", "#95 % interval", "#Scripts")}
	for _, arm := range d.arms {
		by := map[int][]float64{}
		for i := range t.Rows {
			row := &t.Rows[i]
			if n, ok := d.steps[[2]string{row.Task, row.Arm}]; ok && row.Arm == arm && row.Whole(w) {
				by[n] = append(by[n], row.Score(w))
			}
		}
		trace := view.Trace{Label: arm, Series: d.series(arm)}
		for _, n := range slices.Sorted(maps.Keys(by)) {
			i := within(by[n], 0, eval.Confidence)
			low, high := i.Low, i.High
			trace.Points = append(trace.Points, view.Point{X: float64(n), Y: i.Value, Low: low, High: high})
			interval := "–"
			if low != nil && high != nil {
				interval = fmt.Sprintf("%s to %s", decimals(low), decimals(high))
			}
			numbers.Add(arm, fmt.Sprint(n), decimals(i.Value), interval, fmt.Sprint(i.N))
		}
		if len(trace.Points) > 0 {
			plot.Lines = append(plot.Lines, trace)
		}
	}
	if len(plot.Lines) == 0 {
		return nil
	}
	return []view.Block{&view.Figure{ID: "length-curve", Caption: "How authors do by the number of steps of their scripts.", Plot: plot, Numbers: numbers}}
}

// detectionBlocks is the share of planted faults that were found.
func (d *Data) detectionBlocks(results []eval.Result) []view.Block {
	plot := &view.Dots{Title: "Planted faults found, and false alarms", Axis: fromTo("share of scripts, %", 0, 100)}
	for i, metric := range []string{"detected", "false_alarms"} {
		for _, r := range results {
			if r.Metric != metric {
				continue
			}
			dot := view.Dot{
				Group: r.Scorer + ": " + strings.ReplaceAll(metric, "_", " "), Label: r.Arm, Value: eval.Percent(r.Value), Low: eval.Percent(r.Low), High: eval.Percent(r.High),
				Series: i, Hollow: i > 0, Note: fmt.Sprintf("%d of %d", r.N, r.Of),
			}
			if r.Value == nil {
				dot.Missing = report.Shorten(r.Reason, 60)
			}
			plot.Rows = append(plot.Rows, dot)
		}
	}
	if len(plot.Rows) == 0 {
		return nil
	}
	return []view.Block{&view.Figure{ID: "detected-plot", Caption: "Found: the metric that the fault is to be seen by is 0. False alarms: it is 0 for scripts without a fault. 95 % intervals by Wilson.", Plot: plot}}
}
