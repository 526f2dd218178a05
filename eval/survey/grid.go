package survey

import (
	"fmt"
	"slices"

	"parley/eval/report"
	"parley/eval/report/view"
)

// maxGrid is how many documents the table of documents and aspects lists.
const maxGrid = 60

// grid is the table of what each document got by each aspect, above the means of each agent with their 95 %
// intervals. Where the second agent says something else than the evaluator, it stands behind an arrow.
func (d *RunData) grid() *view.Table {
	head := []string{"Document"}
	for i := range d.Rubric.Aspects {
		head = append(head, "#"+d.Rubric.Aspects[i].Name)
	}
	t := &view.Table{Caption: "Verdicts by document and aspect; what SAGE changed stands behind an arrow. Below, the means with their 95 % intervals.", Head: view.Columns(head...)}
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
	results := d.Results()
	for _, agent := range d.Agents() {
		mean, low, high := []string{"mean by " + string(agent)}, []string{"  95 % from"}, []string{"  to"}
		for i := range d.Rubric.Aspects {
			name := d.Rubric.Aspects[i].Name + ":mean"
			texts := [3]string{"–", "–", "–"}
			for _, r := range results {
				if r.Metric == name && r.Arm == string(agent) {
					for k, v := range []*float64{r.Value, r.Low, r.High} {
						if v != nil {
							texts[k] = fmt.Sprintf("%.2f", *v)
						}
					}
				}
			}
			mean, low, high = append(mean, texts[0]), append(low, texts[1]), append(high, texts[2])
		}
		t.Add(mean...)
		t.Add(low...)
		t.Add(high...)
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
