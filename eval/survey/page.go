package survey

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"parley/eval/report"
	"parley/eval/report/view"
	"parley/eval/run"
)

// Report writes the page of an evaluation of surveys.
func (p *Plan) Report(dir string, m *run.Manifest, w io.Writer) error {
	d, err := ReadRun(dir, p.config)
	if err != nil {
		return err
	}
	return d.Page(m, p.config, w)
}

// Page writes the page of a run, with the comparison with people where there is one.
func (d *RunData) Page(m *run.Manifest, c *Config, w io.Writer) error {
	sections := []view.Section{
		{ID: "rectified", Title: "Changed verdicts", Blocks: rectifiedBlocks(d)},
		{ID: "scores", Title: "Scores before and after", Blocks: spreadBlocks(d)},
	}
	if d.agree != nil {
		sections = append(sections, view.Section{ID: "people", Title: "Compared with people", Blocks: peopleBlocks(d)})
	}
	sections = append(sections,
		view.Section{ID: "rubric", Title: "Proposed changes of the rubric", Blocks: proposalBlocks(d)},
		view.Section{ID: "documents", Title: "Documents", Blocks: documentBlocks(d)},
	)
	page := &report.Page{
		Manifest: m, Metrics: m.Metrics, Config: c, Rerun: "parley eval survey run --config FILE", Title: "Surveys judged: run " + m.ID,
		Subtitle: fmt.Sprintf("%d documents; evaluator %s, SAGE agent %s (%s), scores %s, rubric version %d, seed %d.",
			len(d.Documents)+len(d.unread), c.Evaluator, orNone(c.Sage), c.Variant, c.Scores, c.Rubric.Version, c.Seed),
		Sections: sections,
	}
	return page.Write(w)
}

func rectifiedBlocks(d *RunData) []view.Block {
	rows := d.Rectifications()
	if len(rows) == 0 {
		return []view.Block{view.Text("Nobody reviewed the evaluator's verdicts.")}
	}
	t := &view.Table{
		Caption: "Verdicts that the second agent changed. A score is changed by half a point or more; labels have no order, so that only changes count. Total is negative and positive.",
		Head:    view.Columns("Aspect", "By", "#Negative", "#Positive", "#Total", "#Kept", "#Unscored", "#Of", "#Definitions changed"),
	}
	for _, r := range rows {
		negative, positive, definitions := fmt.Sprint(r.Negative), fmt.Sprint(r.Positive), "–"
		if !r.Graded {
			negative, positive = "–", "–"
		}
		if r.Agent == Sage {
			definitions = fmt.Sprintf("%d of %d", r.Definitions, r.Asked)
		}
		t.Add(r.Aspect, string(r.Agent), negative, positive, fmt.Sprint(r.Total), fmt.Sprint(r.Kept), fmt.Sprint(r.Unscored), fmt.Sprint(r.Of), definitions)
	}
	return []view.Block{t}
}

func spreadBlocks(d *RunData) []view.Block {
	var blocks []view.Block
	spreads := d.Spreads()
	for i := range d.Rubric.Aspects {
		a := &d.Rubric.Aspects[i]
		bars := &view.Bars{Title: a.Title, X: view.Axis{Name: "score"}, Y: view.Axis{Name: "documents"}, Labels: []string{"1", "2", "3", "4", "5"}}
		numbers := &view.Table{Head: view.Columns("By", "#1", "#2", "#3", "#4", "#5", "#Unscored", "#Of")}
		if a.Labels != nil {
			bars.X.Name, bars.Labels = "label", a.Labels
			heads := append([]string{"By"}, a.Labels...)
			numbers.Head = view.Columns(append(heads, "#Unscored", "#Of")...)
		}
		for _, s := range spreads {
			if s.Aspect != a.Name {
				continue
			}
			var values []float64
			cells := []string{string(s.Agent)}
			for j := range bars.Labels {
				n := 0
				if a.Labels != nil {
					n = s.Labels[a.Labels[j]]
				} else {
					n = s.Scores[j]
				}
				values, cells = append(values, float64(n)), append(cells, fmt.Sprint(n))
			}
			numbers.Add(append(cells, fmt.Sprint(s.Unscored), fmt.Sprint(s.Of))...)
			bars.Panels = append(bars.Panels, view.Panel{Label: string(s.Agent), Series: len(bars.Panels), Values: values})
		}
		blocks = append(blocks, &view.Figure{ID: "spread-" + a.Name, Caption: a.Title + ": " + a.Definition, Plot: bars, Numbers: numbers})
	}
	return blocks
}

func peopleBlocks(d *RunData) []view.Block {
	dots := &view.Dots{Title: "Spearman's correlation with people", Axis: view.Axis{Name: "rho"}}
	series := map[Agent]int{}
	for _, a := range d.agree {
		if _, ok := series[a.Agent]; !ok {
			series[a.Agent] = len(series)
		}
		dots.Rows = append(dots.Rows, view.Dot{Group: a.Aspect, Label: string(a.Agent), Value: a.Spearman.Value, Low: a.Spearman.Low, High: a.Spearman.High,
			Series: series[a.Agent], Note: fmt.Sprintf("n %d", a.Spearman.N), Missing: a.Spearman.Reason})
	}
	results := AgreementResults(d.agree, d.ceilings, len(d.Documents))
	return []view.Block{
		view.Text(fmt.Sprintf("Scores are held against the %s. Intervals are 95 %%, from a bootstrap over documents. Alpha is the people's own agreement, which is a ceiling. %d verdicts are on documents that the run does not have.", d.against, d.lost)),
		&view.Figure{ID: "people-spearman", Caption: "Correlation of each agent's scores with people's, by aspect.", Plot: dots, Numbers: report.ResultTable(results)},
	}
}

func proposalBlocks(d *RunData) []view.Block {
	clusters := &view.Table{Caption: "New aspects, by the number of documents on which they were proposed; names that share half of their words are one.",
		Head: view.Columns("Name", "#Documents", "Also called", "Definition")}
	for _, c := range d.NewAspects() {
		clusters.Add(c.Name, fmt.Sprint(c.Count), fmt.Sprint(len(c.Names)-1), view.Clip(c.Definition, 400))
	}
	changes := &view.Table{Caption: "Other definitions.", Head: view.Columns("Document", "Aspect", "Definition", "Why")}
	asked, answered := 0, 0
	for _, p := range d.Proposals {
		switch p.Kind {
		case Asked:
			if asked++; p.Status == "scored" {
				answered++
			}
		case Definition:
			changes.Add(p.Document, p.Aspect, view.Clip(p.Text, 600), view.Clip(p.Why, 400))
		}
	}
	return []view.Block{
		view.Text(fmt.Sprintf("Proposals were asked for on %d documents, and had on %d. What is accepted of them makes the next rubric: parley eval survey rubric apply RUN.", asked, answered)),
		clusters, &view.Fold{Summary: fmt.Sprintf("%d other definitions", len(changes.Rows)), Blocks: []view.Block{changes}},
	}
}

func documentBlocks(d *RunData) []view.Block {
	var blocks []view.Block
	for _, row := range d.unread {
		blocks = append(blocks, view.Text(fmt.Sprintf("%s could not be read: %s", row.File, row.Reason)))
	}
	byDocument := map[string][]FindingRow{}
	for _, f := range d.findings {
		byDocument[f.Document] = append(byDocument[f.Document], f)
	}
	verdicts := map[string][]Verdict{}
	for _, v := range d.Verdicts {
		verdicts[v.Document] = append(verdicts[v.Document], v)
	}
	rules := map[string]int{}
	for _, f := range d.findings {
		rules[f.Rule]++
	}
	counts := &view.Table{Caption: "What checks without a model found.", Head: view.Columns("Rule", "#Findings")}
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		counts.Add(rule, fmt.Sprint(rules[rule]))
	}
	blocks = append(blocks, counts)
	for i, row := range d.rows {
		if i == 200 {
			blocks = append(blocks, view.Text(fmt.Sprintf("%d more documents stand in documents.parquet.", len(d.rows)-i)))
			break
		}
		said := &view.Table{Head: view.Columns("Aspect", "By", "#Verdict", "Why")}
		for _, v := range verdicts[row.ID] {
			verdict, why := v.Label, v.Why
			switch {
			case !v.Scored():
				verdict, why = string(v.Status), v.Reason
			case v.Value != nil:
				verdict = fmt.Sprintf("%.2f", *v.Value)
			}
			said.Add(v.Aspect, string(v.Agent), verdict, view.Clip(why, 600))
		}
		found := &view.Table{Caption: "Found without a model", Head: view.Columns("Where", "Rule", "Message")}
		for _, f := range byDocument[row.ID] {
			found.Add(f.Where, f.Rule, f.Message)
		}
		blocks = append(blocks, &view.Fold{
			ID: "document-" + row.ID, Summary: fmt.Sprintf("%s: %s (%s, %s)", row.ID, view.Clip(row.Title, 120), row.File, row.Kind),
			Blocks: []view.Block{view.Facts{{Name: "Asked for", Text: []string{row.Prompt}}}, said, found},
		})
	}
	return blocks
}
