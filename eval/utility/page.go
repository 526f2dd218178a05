package utility

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/report"
	"parley/eval/report/view"
	"parley/eval/run"
	"parley/eval/stat"
	"parley/logs"
)

// CriteriaName is the file in the directory of a run that holds its criteria for a person to edit.
const CriteriaName = "criteria.yaml"

// Report writes the page of an assessment of utility, and the file of criteria beside it: with verdicts where there are
// some, and all that were proposed where nothing was quantified.
func (p *Plan) Report(dir string, m *run.Manifest, w io.Writer) error {
	s, err := ReadStudy(dir, p.config)
	if err != nil {
		return err
	}
	c, list := p.config, s.Pool
	if c.Critic != "" && len(s.Findings) == 0 {
		list = s.Proposed
	}
	if len(list) > 0 {
		text, err := EncodeCriteria(list)
		if err == nil {
			err = logs.WriteFile(filepath.Join(dir, CriteriaName), text)
		}
		if err != nil {
			return err
		}
	}
	sections := []view.Section{{ID: "criteria", Title: "Criteria", Blocks: s.criteria()}}
	if len(s.Findings) > 0 {
		sections = append(sections,
			view.Section{ID: "groups", Title: "Successes and failures", Blocks: s.groups()},
			view.Section{ID: "stability", Title: "Stability over seeds", Blocks: s.stability()},
			view.Section{ID: "sensitivity", Title: "Sensitivity of the verdicts", Blocks: s.sensitivity()},
		)
	}
	if len(s.Findings) > 0 && len(c.Disturb) > 0 {
		sections = append(sections, view.Section{ID: "disturbed", Title: "Original against disturbed", Blocks: s.disturbed()})
	}
	page := &report.Page{
		Manifest: m, Metrics: p.Metrics(), Config: c, Rerun: "parley eval utility verify --config FILE", Title: "Task utility: run " + m.ID,
		Subtitle: fmt.Sprintf("%d criteria, %d samples, quantifier %s with %d seeds in %d rounds, seed %d.", len(s.Pool), len(c.Samples), cmp.Or(c.Quantifier, "none"), c.Seeds, s.Rounds, c.Seed),
		Sections: sections,
	}
	return page.Write(w)
}

// Table returns the criteria with their verdicts or, where nothing was quantified, their values.
func (s *Study) Table() *view.Table {
	if len(s.Findings) == 0 {
		return s.listed()
	}
	return s.verdicts()
}

// interval returns the mean over the samples of a group of values from 0 to 1, given for all samples.
func (s *Study) interval(group string, of []stat.Value) stat.Interval {
	var values [][]float64
	for i, sample := range s.Config.Samples {
		if sample.Group == group && of[i].OK() {
			values = append(values, []float64{of[i].V})
		}
	}
	return stat.BoundedInterval(values, 0, 1, eval.Confidence)
}

// verdicts has a row for each criterion that was quantified.
func (s *Study) verdicts() *view.Table {
	t := &view.Table{Head: view.Columns("Criterion", "Verdict", "#CV", "#SD/range", "#Agreement", "#Power", "#The same", "#Labels", "Why")}
	for _, f := range s.Findings {
		power, same, verdict, reason := "–", "–", "–", ""
		if len(f.powers) > 0 {
			power, same = view.Decimals(f.powers[0].share(), 3), fmt.Sprint(f.powers[0].Zeros)
		}
		if s.verifies() {
			verdict, reason = f.Verdict, f.Reason
		}
		t.Add(clip(f.Criterion.Name), verdict, f.shown("cv"), f.shown("range_sd"), f.shown(agreement), power, same, fmt.Sprintf("%d of %d", f.scored, f.of), reason)
	}
	return t
}

// shown writes a measure of stability.
func (f *Finding) shown(figure string) string { return view.Decimals(f.Figure(figure).Ptr(), 3) }

// listed has a row for each criterion with its values.
func (s *Study) listed() *view.Table {
	t := &view.Table{Caption: fmt.Sprintf("%d criteria, of %d that critics proposed; %d more could not be read. Values go from worst to best unless their order is unknown.", len(s.Pool), len(s.Proposed), len(s.Rejected)),
		Head: view.Columns("Criterion", "Kind", "Order found by", "#Critics", "Values")}
	for _, c := range s.Pool {
		t.Add(clip(c.Name), c.Kind, c.Order, fmt.Sprint(len(c.Seeds)), strings.Join(c.Values, " | "))
	}
	return t
}

// criteria shows the criteria with their verdicts, and how their number grows with that of critics.
func (s *Study) criteria() []view.Block {
	blocks := []view.Block{s.Table()}
	if len(s.Findings) > 0 {
		blocks = append(blocks, s.listed())
	}
	if len(s.Rejected) > 0 {
		blocks = append(blocks, view.Text("Not read, among others: "+view.Clip(s.Rejected[0], 200)))
	}
	for _, note := range s.Notes {
		blocks = append(blocks, view.Text(view.Clip(note, 300)))
	}
	var points []view.Point
	for _, g := range s.Growth() {
		points = append(points, view.Point{X: float64(g.Sources), Y: new(g.Mean), Low: new(g.Low), High: new(g.High)})
	}
	return append(blocks, curve("growth", "Different criteria by number of critics (figure 4 of the paper). The band holds 95 % of the choices of so many critics.",
		"critics", "different criteria", points)...)
}

// curve draws a line by a whole number; nothing where it has no points.
func curve(id, caption, x, y string, points []view.Point) []view.Block {
	if len(points) < 2 {
		return nil
	}
	lines := []view.Trace{{Label: y, Points: points}}
	return []view.Block{&view.Figure{ID: id, Caption: caption, Plot: &view.Curve{Title: y + " by number of " + x, X: view.Axis{Name: x}, Y: view.Axis{Name: y}, Lines: lines}}}
}

// levels draws mean labels by criterion, from the worst to the best.
func (s *Study) levels(id, title, caption string, bars bool, rows func(f *Finding) []view.Dot) view.Block {
	p := &view.Dots{Title: title, Axis: view.Axis{Name: "mean label, 0 worst to 1 best", From: new(0.0), To: new(1.0)}, Bars: bars}
	for _, f := range s.Findings {
		for _, row := range rows(f) {
			row.Group = f.Criterion.Name
			p.Rows = append(p.Rows, row)
		}
	}
	return &view.Figure{ID: id, Caption: caption, Plot: p}
}

// groups shows the mean label of each group by criterion.
func (s *Study) groups() []view.Block {
	delta := &view.Table{Caption: "Cliff's delta of successes over failures: 1 where every success scores higher than every failure.", Head: view.Columns("Criterion", "#Delta", "Note")}
	for _, f := range s.Findings {
		delta.Add(f.Criterion.Name, view.Decimals(f.separation.Ptr(), 3), f.separation.Reason)
	}
	return []view.Block{s.levels("by-group", "Labels by group", "Mean label by group with 95 % intervals (figure 3).", true, func(f *Finding) (bars []view.Dot) {
		for k, group := range s.Config.groups() {
			u := s.interval(group, f.means)
			bars = append(bars, view.Dot{Label: group, Value: u.Value, Low: u.Low, High: u.High, Series: k, Note: fmt.Sprintf("n %d", u.N), Missing: u.Reason})
		}
		return bars
	}), delta}
}

// stability shows how labels spread over seeds, and what more seeds change.
func (s *Study) stability() []view.Block {
	box := s.levels("spread", "Spread over seeds", "Box plots over seeds of the mean label of all samples (figures 5 and 11): median, quartiles, least and most.", false, func(f *Finding) []view.Dot {
		if len(f.seeds) == 0 {
			return nil
		}
		sorted := slices.Sorted(slices.Values(f.seeds))
		at := func(share float64) *float64 { return &sorted[int(share*float64(len(sorted)-1)+0.5)] }
		return []view.Dot{{Label: fmt.Sprintf("%d seeds", len(sorted)), Value: at(0.5), Low: at(0.25), High: at(0.75), Least: at(0), Most: at(1)}}
	})
	var points []view.Point
	for n := 2; n <= s.Config.Seeds; n++ {
		sum := 0.0
		for i := range s.Pool {
			sum += s.measure(i, n).Figure("cv").V
		}
		points = append(points, view.Point{X: float64(n), Y: new(sum)})
	}
	return append([]view.Block{box}, curve("seeds", "Sum over criteria of the mean coefficient of variation with the first seeds alone (figure 6): where it is level, more seeds tell nothing new.",
		"seeds", "sum of mean CV over criteria", points)...)
}

// sensitivity shows what the verdict on stability depends on.
func (s *Study) sensitivity() []view.Block {
	t := s.Config.Thresholds
	table := &view.Table{Caption: fmt.Sprintf("Stable by each figure, at the limits CV %g, SD over range %g, agreement %g.", t.MaxCV, t.MaxRangeSD, t.MinAgreement),
		Head: view.Columns("Criterion", "#CV from 0", "#CV from 0 without zero means", "#CV from 1", "#SD over range", "#Agreement", "#Zero means")}
	changed := 0
	for _, f := range s.Findings {
		row, stable, zeros := []string{f.Criterion.Name}, map[string]bool{}, 0
		for _, figure := range figures {
			text := f.shown(figure)
			if v := f.Figure(figure); v.OK() {
				_, stable[figure] = t.limit(figure, v)
				text += map[bool]string{true: " stable", false: " not stable"}[stable[figure]]
			}
			row = append(row, text)
		}
		for _, values := range f.stability {
			if _, mean := values["cv_without_zeros"]; !mean && values != nil {
				zeros++
			}
		}
		table.Add(append(row, fmt.Sprint(zeros))...)
		if stable["cv"] != stable["cv_from_one"] || stable["cv"] != stable["cv_without_zeros"] {
			changed++
		}
	}
	return []view.Block{
		view.Text(fmt.Sprintf("The coefficient of variation divides by the mean level, so that it depends on where the scale starts: with the worst label as 0 it grows without bound as labels come near it, and has no value where all are the worst; with the worst label as 1 it is always smaller. Here %d of %d criteria pass or fail by where the scale starts, or by whether samples with nothing but the worst label count as 0 or not at all.", changed, len(s.Findings))),
		view.Text("The standard deviation over the range and the agreement do not use the mean: adding the same number to every level changes neither, and so no verdict that rests on them. The verdict rests on " + t.Stability + "."),
		table,
	}
}

// disturbed compares samples with their disturbed forms.
func (s *Study) disturbed() []view.Block {
	t := &view.Table{Caption: "Paired sign test by sample; ties are left out of it, and counted.", Head: view.Columns("Criterion", "Disturbed by", "#Lower", "#Higher", "#The same", "#Share of the same", "#p")}
	figure := s.levels("disturbed-labels", "Original against disturbed", "Mean label of samples as they are and disturbed (figures 7 and 13).", true, func(f *Finding) (bars []view.Dot) {
		bar := func(label string, levels []float64) {
			mean := meanOf(levels, "no sample has labels in both forms")
			mean.V /= float64(len(f.Criterion.Values) - 1)
			bars = append(bars, view.Dot{Label: label, Value: mean.Ptr(), Series: len(bars), Missing: mean.Reason})
		}
		for _, p := range f.powers {
			if len(bars) == 0 {
				bar("original", p.original)
			}
			bar(p.variant, p.disturbed)
			t.Add(f.Criterion.Name, p.variant, fmt.Sprint(p.lower()), fmt.Sprint(p.N-p.lower()), fmt.Sprint(p.Zeros), report.Percent(p.Zeros, p.N+p.Zeros), view.Decimals(p.P.Ptr(), 3))
		}
		return bars
	})
	return []view.Block{figure, t}
}
