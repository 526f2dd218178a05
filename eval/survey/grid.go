package survey

import (
	"fmt"
	"maps"
	"slices"

	"parley/eval/report"
	"parley/eval/report/view"
)

// maxGrid is how many documents the table of documents and aspects lists.
const maxGrid = 60

// means is the table of what each agent gave by each aspect over all documents.
func (d *RunData) means() *view.Table {
	head := []string{"Aspect"}
	for _, agent := range d.Agents() {
		head = append(head, "#"+string(agent)+" (95 %)")
	}
	t := &view.Table{Caption: "Mean scores with their 95 % intervals; of labels, the most frequent.", Head: view.Columns(head...)}
	results, spreads := d.Results(), d.Spreads()
	for i := range d.Rubric.Aspects {
		cells := []string{d.Rubric.Aspects[i].Name}
		for _, agent := range d.Agents() {
			text := "–"
			for _, r := range results {
				if r.Metric != d.Rubric.Aspects[i].Name+":mean" || r.Arm != string(agent) {
					continue
				}
				if text = "unscored"; r.Value != nil && r.Low != nil && r.High != nil {
					text = fmt.Sprintf("%.2f (%.1f to %.1f)", *r.Value, *r.Low, *r.High)
				}
				if r.Value != nil && r.N < r.Of {
					text += fmt.Sprintf(", %d of %d", r.N, r.Of)
				}
			}
			for _, s := range spreads {
				if s.Aspect == d.Rubric.Aspects[i].Name && s.Agent == agent && len(s.Labels) > 0 {
					label := slices.MaxFunc(slices.Sorted(maps.Keys(s.Labels)), func(a, b string) int { return s.Labels[a] - s.Labels[b] })
					text = fmt.Sprintf("%s: %d of %d", label, s.Labels[label], s.Of)
				}
			}
			cells = append(cells, text)
		}
		t.Add(cells...)
	}
	return t
}

// grid is the table of what each document got by each aspect. Where the second agent says something else than the
// evaluator, it stands behind an arrow.
func (d *RunData) grid() *view.Table {
	head := []string{"Document"}
	for i := range d.Rubric.Aspects {
		head = append(head, "#"+d.Rubric.Aspects[i].Name)
	}
	t := &view.Table{Caption: "Verdicts by document and aspect; what SAGE changed stands behind an arrow.", Head: view.Columns(head...)}
	for _, row := range d.rows[:min(len(d.rows), maxGrid)] {
		cells := []string{report.Shorten(row.ID+" "+row.Title, 32)}
		for i := range d.Rubric.Aspects {
			cells = append(cells, d.cell(row.ID, d.Rubric.Aspects[i].Name))
		}
		t.Add(cells...)
	}
	if more := len(d.rows) - maxGrid; more > 0 {
		t.Add(fmt.Sprintf("and %d more", more))
	}
	return t
}

// cell holds the scores of a document by an aspect.
func (d *RunData) cell(document, aspect string) string {
	say := func(agent Agent) string {
		v := d.verdict(document, agent, aspect)
		switch {
		case v == nil:
			return ""
		case !v.Scored():
			return "?"
		case v.Value != nil:
			return fmt.Sprintf("%.1f", *v.Value)
		}
		return v.Label
	}
	first, second := say(Evaluator), say(Sage)
	if slices.Contains([]string{"", first}, second) {
		return first
	}
	return first + " → " + second
}
