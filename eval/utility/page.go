package utility

import (
	"fmt"
	"io"
	"slices"

	"parley/eval/report"
	"parley/eval/report/view"
	"parley/eval/run"
	"parley/eval/stat"
)

// Report writes the page of an assessment of utility.
func (p *Plan) Report(dir string, m *run.Manifest, w io.Writer) error {
	s, err := ReadStudy(dir, p.config)
	if err != nil {
		return err
	}
	c := p.config
	sections := []view.Section{{ID: "criteria", Title: "Criteria", Blocks: s.criteriaBlocks()}}
	if len(s.Findings) > 0 {
		sections = append(sections,
			view.Section{ID: "groups", Title: "Successes and failures", Blocks: s.groupBlocks()},
			view.Section{ID: "stability", Title: "Stability over seeds", Blocks: s.stabilityBlocks()},
			view.Section{ID: "sensitivity", Title: "Sensitivity of the verdicts", Blocks: s.sensitivityBlocks()},
		)
	}
	if len(s.Findings) > 0 && len(c.Disturb) > 0 {
		sections = append(sections, view.Section{ID: "disturbed", Title: "Original against disturbed", Blocks: s.disturbedBlocks()})
	}
	page := &report.Page{
		Manifest: m, Metrics: p.Metrics(), Config: c, Rerun: "parley eval utility verify --config FILE", Title: "Task utility: run " + m.ID,
		Subtitle: fmt.Sprintf("%d criteria, %d samples, quantifier %s with %d seeds in %d rounds, seed %d.", len(s.Pool), len(c.Samples), orElse(c.Quantifier, "none"), c.Seeds, s.Rounds, c.Seed),
		Sections: sections,
	}
	return page.Write(w)
}

// criteriaBlocks shows the criteria with their verdicts, and how their number grows with that of critics.
func (s *Study) criteriaBlocks() []view.Block {
	t := &view.Table{Caption: "Criteria with what the verifier says of them. Values go from worst to best unless their order is unknown.",
		Head: view.Columns("Criterion", "Verdict", "Why", "Kind", "Order found by", "Values", "#Critics")}
	for i := range s.Pool {
		c := &s.Pool[i]
		t.Add(c.Name, orElse(c.Verdict, "–"), c.Reason, c.Kind, c.Order, fmt.Sprintf("%q", c.Values), fmt.Sprint(len(c.Seeds)))
	}
	blocks := []view.Block{t}
	if len(s.Rejected) > 0 {
		blocks = append(blocks, view.Text(fmt.Sprintf("%d criteria that critics proposed could not be read, such as: %s", len(s.Rejected), view.Clip(s.Rejected[0], 200))))
	}
	for _, note := range s.Notes {
		blocks = append(blocks, view.Text(view.Clip(note, 300)))
	}
	if growth := s.Growth(); growth != nil {
		line := view.Trace{Label: "different criteria"}
		for _, g := range growth {
			line.Points = append(line.Points, view.Point{X: float64(g.Seeds), Y: new(g.Mean), Low: new(g.Low), High: new(g.High)})
		}
		blocks = append(blocks, &view.Figure{ID: "growth", Caption: "Different criteria by number of critics (figure 4 of the paper). The band holds 95 % of the choices of so many critics.",
			Plot: &view.Curve{Title: "Growth of the criteria", X: view.Axis{Name: "critics"}, Y: view.Axis{Name: "criteria"}, Lines: []view.Trace{line}}})
	}
	return blocks
}

// groupBlocks shows the mean label of each group by criterion.
func (s *Study) groupBlocks() []view.Block {
	dots := &view.Dots{Title: "Labels by group", Axis: view.Axis{Name: "mean label, 0 worst to 1 best", From: new(0.0), To: new(1.0)}}
	delta := &view.Table{Caption: "Cliff's delta of successes over failures: 1 where every success scores higher than every failure.", Head: view.Columns("Criterion", "#Delta", "Note")}
	for i := range s.Findings {
		f := &s.Findings[i]
		for k, group := range s.Config.groups() {
			u := s.Utility(group, f.Criterion)
			dots.Rows = append(dots.Rows, view.Dot{Group: f.Criterion.Name, Label: group, Value: u.Value, Low: u.Low, High: u.High, Series: k, Note: fmt.Sprintf("n %d", u.N), Missing: u.Reason})
		}
		delta.Add(f.Criterion.Name, ofValue(f.Separation), f.Separation.Reason)
	}
	return []view.Block{&view.Figure{ID: "by-group", Caption: "Mean label by group with 95 % intervals (figure 3).", Plot: dots}, delta}
}

// stabilityBlocks shows how labels spread over seeds, and what more seeds change.
func (s *Study) stabilityBlocks() []view.Block {
	dots := &view.Dots{Title: "Spread over seeds", Axis: view.Axis{Name: "mean label of all samples by seed, 0 worst to 1 best", From: new(0.0), To: new(1.0)}}
	quartiles := &view.Table{Head: view.Columns("Criterion", "#Least", "#Lower quartile", "#Median", "#Upper quartile", "#Most", "#Seeds")}
	curve := &view.Curve{Title: "CV by number of seeds", X: view.Axis{Name: "seeds"}, Y: view.Axis{Name: "sum of mean CV over criteria"}}
	for i := range s.Findings {
		f := &s.Findings[i]
		if len(f.Seeds) == 0 {
			continue
		}
		q := slices.Sorted(slices.Values(f.Seeds))
		at := func(share float64) float64 { return q[int(share*float64(len(q)-1)+0.5)] }
		dots.Rows = append(dots.Rows, view.Dot{Group: f.Criterion.Name, Label: "median, quartiles", Value: new(at(0.5)), Low: new(at(0.25)), High: new(at(0.75))},
			view.Dot{Group: f.Criterion.Name, Label: "median, least to most", Value: new(at(0.5)), Low: new(q[0]), High: new(q[len(q)-1]), Hollow: true})
		row := []string{f.Criterion.Name}
		for _, share := range []float64{0, 0.25, 0.5, 0.75, 1} {
			row = append(row, number3(new(at(share))))
		}
		quartiles.Add(append(row, fmt.Sprint(len(q)))...)
	}
	line := view.Trace{Label: "all criteria"}
	for n := 2; n <= s.Config.Seeds; n++ {
		line.Points = append(line.Points, view.Point{X: float64(n), Y: s.sumCV(n)})
	}
	blocks := []view.Block{&view.Figure{ID: "spread", Caption: "Boxes over seeds (figures 5 and 11): the filled line is from the lower to the upper quartile, the hollow one from the least to the most.", Plot: dots, Numbers: quartiles}}
	if len(line.Points) > 1 {
		curve.Lines = []view.Trace{line}
		blocks = append(blocks, &view.Figure{ID: "seeds", Caption: "Sum over criteria of the mean coefficient of variation with the first seeds alone (figure 6): where it is level, more seeds tell nothing new.", Plot: curve})
	}
	return blocks
}

// sumCV returns the sum of mean CV over criteria with an order, by the first n seeds alone.
func (s *Study) sumCV(n int) *float64 {
	var rows []LabelRow
	for _, r := range s.rows {
		if r.Seed <= n && r.Variant == "" {
			rows = append(rows, r)
		}
	}
	part, sum := newStudy(rows, s.Config), 0.0
	for i := range s.Pool {
		f := Finding{Criterion: &s.Pool[i]}
		if part.stability(&f); f.CV.OK() {
			sum += f.CV.V
		}
	}
	return &sum
}

// sensitivityBlocks shows what the verdict on stability depends on.
func (s *Study) sensitivityBlocks() []view.Block {
	t := s.Config.Thresholds
	table := &view.Table{Caption: fmt.Sprintf("Stable by each figure, at the limits CV %g, SD over range %g, agreement %g.", t.MaxCV, t.MaxRangeSD, t.MinAgreement),
		Head: view.Columns("Criterion", "#CV from 0", "#CV from 0 without zero means", "#Zero means", "#CV from 1", "#SD over range", "#Agreement")}
	changed := 0
	for i := range s.Findings {
		f := &s.Findings[i]
		says := func(v stat.Value, ok bool) string {
			return ofValue(v) + map[bool]string{true: " stable", false: " not stable"}[ok]
		}
		if !f.CV.OK() {
			table.Add(f.Criterion.Name, "–", "–", "–", "–", "–", says(f.Agreement, f.Agreement.OK() && f.Agreement.V >= t.MinAgreement))
			continue
		}
		zero, one := f.CV.V <= t.MaxCV, f.CVFromOne.V <= t.MaxCV
		without := f.CVWithout.OK() && f.CVWithout.V <= t.MaxCV
		if zero != one || zero != without {
			changed++
		}
		table.Add(f.Criterion.Name, says(f.CV, zero), says(f.CVWithout, without), fmt.Sprint(f.Zeros), says(f.CVFromOne, one),
			says(f.RangeSD, f.RangeSD.V <= t.MaxRangeSD), says(f.Agreement, f.Agreement.V >= t.MinAgreement))
	}
	return []view.Block{
		view.Text(fmt.Sprintf("The coefficient of variation divides by the mean level, so that it depends on where the scale starts: with the worst label as 0 it grows without bound as labels come near it, and has no value where all are the worst; with the worst label as 1 it is always smaller. Here %d of %d criteria pass or fail by where the scale starts, or by whether samples with nothing but the worst label count as 0 or not at all.", changed, len(s.Findings))),
		view.Text("The standard deviation over the range and the agreement do not use the mean: adding the same number to every level changes neither, and so no verdict that rests on them. The verdict rests on " + t.Stability + "."),
		table,
	}
}

// disturbedBlocks compares samples with their disturbed forms.
func (s *Study) disturbedBlocks() []view.Block {
	dots := &view.Dots{Title: "Original against disturbed", Axis: view.Axis{Name: "mean label, 0 worst to 1 best", From: new(0.0), To: new(1.0)}}
	t := &view.Table{Caption: "Paired sign test by sample; ties are left out of it, and counted.", Head: view.Columns("Criterion", "Disturbed by", "#Lower", "#Higher", "#The same", "#Share of the same", "#p")}
	for i := range s.Findings {
		f := &s.Findings[i]
		for k := range f.Powers {
			p := &f.Powers[k]
			if k == 0 {
				dots.Rows = append(dots.Rows, view.Dot{Group: f.Criterion.Name, Label: "original", Value: p.Original.Ptr(), Missing: p.Original.Reason})
			}
			dots.Rows = append(dots.Rows, view.Dot{Group: f.Criterion.Name, Label: p.Variant, Value: p.Disturbed.Ptr(), Series: k + 1, Missing: p.Disturbed.Reason})
			t.Add(f.Criterion.Name, p.Variant, fmt.Sprint(p.Better), fmt.Sprint(p.Worse), fmt.Sprint(p.Ties), report.Percent(p.Ties, p.Better+p.Worse+p.Ties), ofValue(p.P))
		}
	}
	return []view.Block{&view.Figure{ID: "disturbed-labels", Caption: "Mean label of samples as they are and disturbed (figures 7 and 13).", Plot: dots}, t}
}
