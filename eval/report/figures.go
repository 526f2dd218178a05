package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/report/view"
	"parley/eval/run"
)

// DifferenceSuffix ends the names of metrics that compare arms item by item.
const DifferenceSuffix = "_difference"

// headlines shows the headline metrics of each arm: one as tiles, several as a table.
func headlines(m *run.Manifest, metrics []eval.Metric) []view.Block {
	var tiles view.Tiles
	t := &view.Table{Head: view.Columns("Arm")}
	for i, arm := range m.Arms {
		row := []view.Cell{{Text: arm}}
		for k := range metrics {
			metric := &metrics[k]
			at := slices.IndexFunc(m.Results, func(r eval.Result) bool {
				return metric.Headline && r.Scorer == metric.Scorer && r.Metric == metric.Name && r.Arm == arm && r.Control == ""
			})
			if at < 0 {
				continue
			}
			r, decimals := &m.Results[at], 1
			if metric.Bounded() && metric.High <= 1 {
				decimals = 2
			}
			cell := view.Cell{Text: "unscored", Note: Shorten(r.Reason, 200), Grey: true}
			if r.Value != nil {
				cell = view.Cell{Text: view.Decimals(r.Value, decimals), Note: view.Decimals(r.Low, decimals) + " to " + view.Decimals(r.High, decimals)}
			}
			if row = append(row, cell); len(row) > len(t.Head) {
				t.Head = append(t.Head, view.Column{Name: metric.Title, Number: true})
			}
			tile := view.Tile{Name: arm, Value: metric.Title + " " + cell.Text, Note: cell.Note, Series: i}
			if r.Value != nil {
				tile.Note = "95 % interval " + cell.Note + "; " + nOf(r)
			}
			tiles = append(tiles, tile)
		}
		t.Rows = append(t.Rows, row)
	}
	switch len(t.Head) {
	case 1:
		return nil
	case 2:
		return []view.Block{tiles}
	}
	t.Caption = "The headline of each arm, with 95 % intervals."
	return []view.Block{t}
}

// measuredFigure shows every measure of every arm with its controls.
func measuredFigure(results []eval.Result, metrics []eval.Metric, series map[string]int) *view.Figure {
	p := &view.Dots{Title: "Measures by arm, with their controls", Axis: view.Axis{Name: "bars are 95 % intervals"}}
	var captions []string
	titles := map[string]string{} // of the metrics that have a caption
	low, high, ends := math.Inf(1), math.Inf(-1), true
	for i := range results {
		r := &results[i]
		m := eval.Find(metrics, r.Scorer, r.Metric)
		if !m.Headline {
			continue
		}
		low, high, ends = min(low, m.Low), max(high, m.High), ends && m.Bounded()
		if titles[m.Caption] == "" {
			captions = append(captions, m.Caption)
			titles[m.Caption] = m.Title
		} else if !slices.Contains(strings.Split(titles[m.Caption], "; "), m.Title) {
			titles[m.Caption] += "; " + m.Title
		}
		dot := view.Dot{
			Group: r.Arm, Label: m.Title, Value: r.Value, Low: r.Low, High: r.High, Series: series[r.Arm],
			Note: nOf(r), Missing: "unscored: " + r.Reason,
		}
		if r.Control != "" {
			dot.Label, dot.Hollow = "control: "+r.Control, true
		}
		p.Rows = append(p.Rows, dot)
	}
	if len(p.Rows) == 0 {
		return nil
	}
	if ends { // of all scales; else as the values need it
		p.Axis.From, p.Axis.To = &low, &high
	}
	text := ""
	for _, caption := range captions {
		text += titles[caption] + ": " + caption + " "
	}
	return &view.Figure{ID: "measured", Plot: p, Caption: text + "Hollow marks are controls."}
}

// differenceFigure compares arms pair by pair by the headline metrics.
func differenceFigure(results []eval.Result, metrics []eval.Metric, series map[string]int) *view.Figure {
	p := &view.Dots{Title: "Paired differences between arms", Axis: view.Axis{Name: "difference; bars are 95 % intervals"}}
	for i := range results {
		r := &results[i]
		name, ok := strings.CutSuffix(r.Metric, DifferenceSuffix)
		metric := eval.Find(metrics, r.Scorer, name)
		if !ok || !metric.Headline {
			continue
		}
		arm, _, _ := strings.Cut(r.Arm, " - ")
		p.Rows = append(p.Rows, view.Dot{
			Group: metric.Title + ": " + strings.Replace(r.Arm, " - ", " minus ", 1), Label: "difference",
			Value: r.Value, Low: r.Low, High: r.High, Series: series[arm], Note: nOf(r), Missing: "unscored: " + r.Reason,
		})
	}
	if len(p.Rows) == 0 {
		return nil
	}
	return &view.Figure{ID: "differences", Plot: p, Caption: "The same session played by two arms, the one less the other. An interval that holds 0 tells no difference."}
}

// curveFigures show what is measured after every few turns, one figure a metric.
func curveFigures(results []eval.Result, metrics []eval.Metric, series map[string]int) []*view.Figure {
	var figures []*view.Figure
	for i := range metrics {
		if f := curveFigure(results, &metrics[i], series); f != nil {
			figures = append(figures, f)
		}
	}
	return figures
}

// curveFigure shows one metric over the turns; nil where it is not measured so.
func curveFigure(results []eval.Result, m *eval.Metric, series map[string]int) *view.Figure {
	title := m.Title
	if title != "" {
		title = strings.ToUpper(title[:1]) + title[1:]
	}
	p := &view.Curve{Title: title + " over the turns", X: view.Axis{Name: "turns played"}, Y: view.Axis{Name: m.Title}}
	if m.Bounded() {
		p.Y.From, p.Y.To = &m.Low, &m.High
	}
	t := &view.Table{Head: view.Columns("Arm", "#Turn", "#"+title, "#95 % interval", "#n")}
	lines := map[string]*view.Trace{}
	var names []string
	for i := range results {
		r := &results[i]
		name, at, ok := strings.Cut(r.Metric, "@")
		var turn int
		if _, err := fmt.Sscan(at, &turn); !ok || err != nil || name != m.Name || r.Scorer != m.Scorer || r.Control != "" {
			continue
		}
		if lines[r.Arm] == nil {
			lines[r.Arm] = &view.Trace{Label: r.Arm, Series: series[r.Arm]}
			names = append(names, r.Arm)
		}
		lines[r.Arm].Points = append(lines[r.Arm].Points, view.Point{X: float64(turn), Y: r.Value, Low: r.Low, High: r.High})
		t.Add(r.Arm, fmt.Sprint(turn), view.Number(r.Value), interval(r), nOf(r))
	}
	for _, name := range names {
		slices.SortFunc(lines[name].Points, func(a, b view.Point) int { return cmp.Compare(a.X, b.X) })
		p.Lines = append(p.Lines, *lines[name])
	}
	if len(p.Lines) == 0 {
		return nil
	}
	return &view.Figure{ID: m.Scorer + "-" + m.Name, Plot: p, Numbers: t, Caption: m.Caption + " Bands are 95 % intervals."}
}

// ResultTable shows every result, with the scorer where several have a metric of the name.
func ResultTable(results []eval.Result) *view.Table {
	t := &view.Table{
		Caption: "Every result. n is how many were scored, of all; what has no value says why.",
		Head:    view.Columns("Metric", "Arm", "Control", "#Value", "#95 % interval", "#n"),
	}
	scorers := map[string]string{}
	for _, r := range results {
		if first := cmp.Or(scorers[r.Metric], r.Scorer); first == r.Scorer {
			scorers[r.Metric] = first
		} else {
			scorers[r.Metric] = "several"
		}
	}
	for i := range results {
		r := &results[i]
		name := r.Metric
		if scorers[name] == "several" {
			name = r.Scorer + " " + name
		}
		value := view.Cell{Text: "unscored", Grey: true}
		if r.Value != nil {
			value = view.Cell{Text: view.Decimals(r.Value, 2)}
		}
		within := view.Cell{Text: "–", Grey: true}
		if r.Low != nil && r.High != nil {
			within = view.Cell{Text: view.Decimals(r.Low, 2) + " to " + view.Decimals(r.High, 2)}
		}
		t.Rows = append(t.Rows, []view.Cell{{Text: name, Note: view.Clip(note(r), 400)}, {Text: r.Arm}, {Text: r.Control}, value, within, {Text: nOf(r)}})
	}
	t.DropEmpty("Control")
	return t
}

func interval(r *eval.Result) string {
	if r.Low == nil || r.High == nil {
		return "–"
	}
	return view.Number(r.Low) + " to " + view.Number(r.High)
}

func nOf(r *eval.Result) string {
	return fmt.Sprintf("%s of %s %s", Grouped(int64(r.N)), Grouped(int64(r.Of)), r.Unit)
}

// Percent writes a share; a dash where there is nothing that it could be a share of.
func Percent(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}

// Grouped writes a number with its thousands apart.
func Grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// Seconds writes microseconds in a unit that can be read.
func Seconds(us int64) string {
	switch s := float64(us) / 1e6; {
	case us == 0:
		return "–"
	case s < 1:
		return fmt.Sprintf("%.0f ms", s*1e3)
	case s < 120:
		return fmt.Sprintf("%.1f s", s)
	case s < 7200:
		return fmt.Sprintf("%.1f min", s/60)
	default:
		return fmt.Sprintf("%.1f h", s/3600)
	}
}

// Heat draws shares as a heat map, a row for each arm, with the numbers in a table.
func Heat(id, title, caption string, arms, columns []string, of func(arm, column string) eval.Result) *view.Figure {
	heat := &view.Heat{Title: title, Rows: arms, Columns: columns}
	t := &view.Table{Head: view.Columns("Arm")}
	for _, c := range columns {
		t.Head = append(t.Head, view.Column{Name: c, Number: true})
	}
	for _, arm := range arms {
		var fields []view.Field
		cells := []view.Cell{{Text: arm}}
		for _, c := range columns {
			r := of(arm, c)
			cell := view.Cell{Text: "–", Note: fmt.Sprintf("%d of %d", r.N, r.Of), Grey: r.Value == nil}
			if r.Value != nil {
				cell.Text = fmt.Sprintf("%.3f", *r.Value)
			}
			if r.Low != nil && r.High != nil {
				cell.Note = fmt.Sprintf("%.3f to %.3f, %s", *r.Low, *r.High, cell.Note)
			}
			fields, cells = append(fields, view.Field{Share: r.Value, Text: cell.Text}), append(cells, cell)
		}
		heat.Cells, t.Rows = append(heat.Cells, fields), append(t.Rows, cells)
	}
	return &view.Figure{ID: id, Caption: caption, Plot: heat, Numbers: t}
}
