package ieg

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"parley/characters"
	"parley/eval"
	"parley/eval/report"
	"parley/eval/report/view"
)

// Show prints the gaps, and with all F-scores, baselines, differences and single skills below them.
func Show(w io.Writer, results []eval.Result, all bool) error {
	if err := Headline(w, results); err != nil {
		return err
	}
	if !all {
		return nil
	}
	fmt.Fprintln(w)
	var main, skills []eval.Result
	for _, r := range results {
		if strings.Contains(r.Metric, "@") {
			skills = append(skills, r)
		} else {
			main = append(main, r)
		}
	}
	if err := report.Results(w, main); err != nil || len(skills) == 0 {
		return err
	}
	fmt.Fprintln(w)
	return printSkills(w, skills)
}

// printSkills prints precision and recall of every skill, an arm in each column, with the right ones
// of those predicted and of those that are true.
func printSkills(w io.Writer, results []eval.Result) error {
	type column struct{ arm, control string }
	var columns []column
	cells := map[column]map[string]string{}
	for _, r := range results {
		at := column{r.Arm, r.Control}
		if cells[at] == nil {
			cells[at] = map[string]string{}
			columns = append(columns, at)
		}
		if r.Value != nil {
			cells[at][r.Metric] = fmt.Sprintf("%.0f (%d of %d)", *r.Value, r.N, r.Of)
		}
	}
	t := &view.Table{Head: view.Columns("Skill")}
	columns = slices.DeleteFunc(columns, func(c column) bool { return c.control != "" }) // baselines know one skill
	for _, at := range columns {
		t.Head = append(t.Head, view.Columns("#"+at.arm+": precision", "#recall")...)
	}
	for _, skill := range characters.Skills() {
		row := []string{string(skill)}
		for _, at := range columns {
			for _, part := range []string{"precision@", "recall@"} {
				row = append(row, cmp.Or(cells[at][part+string(skill)], "-"))
			}
		}
		t.Add(row...)
	}
	return report.Print(w, t)
}
