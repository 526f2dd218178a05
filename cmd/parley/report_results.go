package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/iep"
	"parley/eval/report/view"
)

// Suffix of the metrics that compare arms pair by pair.
const differenceSuffix = "_difference"

// primary reports whether a result is a measure itself, whatever its control.
func primary(r *eval.Result) bool { return r.Metric == r.Scorer }

// reportGlance is what to know first, the reasons for doubt included.
func reportGlance(m *manifest, d *reportData) []view.Block {
	var tiles view.Tiles
	for i, a := range d.arms {
		at := slices.IndexFunc(m.Results, func(r eval.Result) bool { return r.Arm == a.name && r.Control == "" && primary(&r) })
		if at < 0 {
			at = slices.IndexFunc(m.Results, func(r eval.Result) bool { return r.Arm == a.name && r.Metric == "valid_turns" })
		}
		if at < 0 {
			continue
		}
		r := &m.Results[at]
		tile := view.Tile{Name: a.name, Value: strings.ToUpper(r.Metric) + " " + view.Number(r.Value), Series: i}
		if !primary(r) {
			tile.Value = view.Number(r.Value) + " % valid turns"
		}
		tile.Note = fmt.Sprintf("95 %% interval %s; %s", interval(r), nOf(r))
		if r.Value == nil {
			tile.Value, tile.Note = "unscored", shorten(r.Reason, 200)
		} else if primary(r) && a.moves > 0 {
			tile.Note += fmt.Sprintf("; %s of turns valid", inPercent(a.valid, a.moves))
		}
		tiles = append(tiles, tile)
	}
	var blocks []view.Block
	if len(tiles) > 0 {
		blocks = append(blocks, tiles)
	}
	facts := view.Facts{{Name: "Run", Text: []string{m.ID + ", " + string(m.State)}}}
	if took := "started " + m.Started.Format("2006-01-02 15:04:05 MST"); m.Finished != nil {
		facts = append(facts, view.Fact{Name: "Time", Text: []string{fmt.Sprintf("%s, took %s", took, seconds(m.Finished.Sub(m.Started).Microseconds()))}})
	} else {
		facts = append(facts, view.Fact{Name: "Time", Text: []string{took}})
	}
	complete, failed, moves, valid := 0, 0, 0, 0
	for _, a := range d.arms {
		complete, failed = complete+a.sessions[stateComplete], failed+a.sessions[stateFailed]
		moves, valid = moves+a.moves, valid+a.valid
	}
	facts = append(facts,
		view.Fact{Name: "Sessions", Text: []string{fmt.Sprintf("%d complete, %d failed, of %d asked for", complete, failed, m.Experiment.Sessions*len(d.arms))}},
		view.Fact{Name: "Players' turns", Text: []string{fmt.Sprintf("%s of %s valid; malformed ones were played as a pass or cut, and are counted below", grouped(int64(valid)), grouped(int64(moves)))}},
	)
	var doubts []string
	if m.State != stateComplete {
		doubts = append(doubts, fmt.Sprintf("The run is %s: its numbers are of what there is so far.", m.State))
	}
	if failed > 0 {
		doubts = append(doubts, fmt.Sprintf("%d sessions failed; parley resume tries them again.", failed))
	}
	if n := unscored(m.Results); n > 0 {
		doubts = append(doubts, fmt.Sprintf("%d scores are missing; the table of results says why.", n))
	}
	for _, spec := range slices.Sorted(maps.Keys(m.Models)) {
		if ignored := m.Models[spec].Ignored; len(ignored) > 0 {
			doubts = append(doubts, fmt.Sprintf("%s does not take %s.", spec, strings.Join(ignored, ", ")))
		}
	}
	if doubts != nil {
		facts = append(facts, view.Fact{Name: "Keep in mind", Text: doubts})
	}
	return append(blocks, facts)
}

func reportResults(m *manifest, d *reportData) []view.Block {
	if len(m.Results) == 0 {
		return []view.Block{view.Text(fmt.Sprintf("There are none yet: the run is %s.", m.State))}
	}
	series := map[string]int{}
	for i, a := range d.arms {
		series[a.name] = i
	}
	var blocks []view.Block
	for _, f := range []*view.Figure{
		measuredFigure(m.Results, series), differenceFigure(m.Results, series), curveFigure(m, series), spreadFigure(m, d),
	} {
		if f != nil {
			blocks = append(blocks, f)
		}
	}
	return append(blocks, resultTable(m.Results))
}

// measuredFigure shows every measure of every arm with its controls.
func measuredFigure(results []eval.Result, series map[string]int) *view.Figure {
	low, high := 0.0, 100.0
	p := &view.Dots{Title: "Measures by arm, with their controls", Axis: view.Axis{Name: "0 to 100; bars are 95 % intervals", From: &low, To: &high}}
	for i := range results {
		r := &results[i]
		if !primary(r) && r.Metric != iep.Heard {
			continue
		}
		if over(r.Value, high) || over(r.High, high) {
			p.Axis.To = nil
		}
		dot := view.Dot{
			Group: r.Arm, Label: strings.ToUpper(r.Metric), Value: r.Value, Low: r.Low, High: r.High, Series: series[r.Arm],
			Note: nOf(r), Missing: "unscored: " + r.Reason,
		}
		if r.Control != "" {
			dot.Label, dot.Hollow = "control: "+r.Control, true
		}
		if r.Metric == iep.Heard {
			dot.Label, dot.Hollow = "heard in play", true
		}
		p.Rows = append(p.Rows, dot)
	}
	if len(p.Rows) == 0 {
		return nil
	}
	return &view.Figure{
		ID: "measured", Plot: p,
		Caption: "IEP is the share, in percent, of what only the NPC knew that the players could tell afterwards. Hollow marks are controls and the share that was really said to them in play, as the journal knows it.",
	}
}

func over(v *float64, limit float64) bool { return v != nil && *v > limit }

// differenceFigure compares arms pair by pair.
func differenceFigure(results []eval.Result, series map[string]int) *view.Figure {
	p := &view.Dots{Title: "Paired differences between arms", Axis: view.Axis{Name: "difference; bars are 95 % intervals"}}
	for i := range results {
		r := &results[i]
		metric, ok := strings.CutSuffix(r.Metric, differenceSuffix)
		if !ok {
			continue
		}
		arm, _, _ := strings.Cut(r.Arm, " - ")
		p.Rows = append(p.Rows, view.Dot{
			Group: strings.ToUpper(metric) + ": " + strings.Replace(r.Arm, " - ", " minus ", 1), Label: "difference",
			Value: r.Value, Low: r.Low, High: r.High, Series: series[arm], Note: nOf(r), Missing: "unscored: " + r.Reason,
		})
	}
	if len(p.Rows) == 0 {
		return nil
	}
	return &view.Figure{ID: "differences", Plot: p, Caption: "The same session played by two arms, the one less the other. An interval that holds 0 tells no difference."}
}

// curveFigure shows what is measured after every few turns.
func curveFigure(m *manifest, series map[string]int) *view.Figure {
	low, high := 0.0, 100.0
	lines := map[string]*view.Trace{}
	t := &view.Table{Head: view.Columns("Arm", "#Turn", "#Recall", "#95 % interval", "#n")}
	last := float64(m.Experiment.Turns)
	p := &view.Curve{Title: "Recall over the turns", X: view.Axis{Name: "turns played", To: &last}, Y: view.Axis{Name: "recall, %", From: &low, To: &high}}
	var names []string
	for i := range m.Results {
		r := &m.Results[i]
		if metric, _, ok := strings.Cut(r.Metric, "@"); !ok || metric != iep.Recall || r.Control != "" {
			continue
		}
		l := lines[r.Arm]
		if l == nil {
			l = &view.Trace{Label: r.Arm, Series: series[r.Arm]}
			lines[r.Arm] = l
			names = append(names, r.Arm)
		}
		turn := turnOf(r.Metric)
		l.Points = append(l.Points, view.Point{X: float64(turn), Y: r.Value, Low: r.Low, High: r.High})
		t.Add(r.Arm, fmt.Sprint(turn), view.Number(r.Value), interval(r), nOf(r))
	}
	for _, name := range names {
		slices.SortFunc(lines[name].Points, func(a, b view.Point) int { return cmp.Compare(a.X, b.X) })
		p.Lines = append(p.Lines, *lines[name])
	}
	if len(p.Lines) == 0 {
		return nil
	}
	return &view.Figure{
		ID: "recall", Plot: p, Numbers: t,
		Caption: "What the players had heard after so many turns, from the transcript, whatever they told later. Bands are 95 % intervals.",
	}
}

// spreadFigure shows how the players' IEP is spread, which a mean hides.
func spreadFigure(m *manifest, d *reportData) *view.Figure {
	p := &view.Bars{Title: "Players by IEP", X: view.Axis{Name: "IEP of a player in a session"}, Y: view.Axis{Name: "players"}}
	t := &view.Table{Head: view.Columns("Arm")}
	for i := 0; i <= reportBins; i++ {
		p.Labels = append(p.Labels, fmt.Sprint(i*100/reportBins))
		if i < reportBins {
			t.Head = append(t.Head, view.Column{Name: fmt.Sprintf("%d to %d", i*100/reportBins, (i+1)*100/reportBins), Number: true})
		}
	}
	for i := range d.arms {
		a := &d.arms[i]
		row, any := []string{a.name}, false
		for _, n := range a.bins {
			row, any = append(row, fmt.Sprint(n)), any || n > 0
		}
		if any {
			p.Panels = append(p.Panels, view.Panel{Label: a.name, Series: i, Values: a.bins[:]})
			t.Add(row...)
		}
	}
	if len(p.Panels) == 0 {
		return nil
	}
	return &view.Figure{ID: "spread", Plot: p, Numbers: t, Caption: "How many players came to which IEP, each in its session. The last bar holds 100 too."}
}

// resultTable is every result as the command prints it.
func resultTable(results []eval.Result) *view.Table {
	t := &view.Table{
		Caption: "Every result. n is how many were scored, of all; what has no value says why.",
		Head:    view.Columns("Metric", "Arm", "Control", "#Value", "#95 % interval", "#n of all", "Unit", "Note"),
	}
	for i := range results {
		r := &results[i]
		value := view.Cell{Text: "unscored", Grey: true}
		if r.Value != nil {
			value = view.Cell{Text: fixed(r.Value)}
		}
		within := view.Cell{Text: "–", Grey: true}
		if r.Low != nil && r.High != nil {
			within = view.Cell{Text: fixed(r.Low) + " to " + fixed(r.High)}
		}
		t.Rows = append(t.Rows, []view.Cell{
			{Text: r.Metric}, {Text: r.Arm}, {Text: r.Control}, value, within,
			{Text: grouped(int64(r.N)) + " of " + grouped(int64(r.Of))}, {Text: r.Unit}, {Text: view.Clip(r.Reason, 400)},
		})
	}
	return t
}

func interval(r *eval.Result) string {
	if r.Low == nil || r.High == nil {
		return "–"
	}
	return view.Number(r.Low) + " to " + view.Number(r.High)
}

func nOf(r *eval.Result) string {
	return fmt.Sprintf("%s of %s %s", grouped(int64(r.N)), grouped(int64(r.Of)), r.Unit)
}

// fixed writes a value with two decimals, as the command's table does.
func fixed(v *float64) string {
	return strings.Replace(fmt.Sprintf("%.2f", *v), "-", "−", 1)
}

func inPercent(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}

// grouped writes a number with its thousands apart.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// seconds writes microseconds in a unit that can be read.
func seconds(us int64) string {
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
