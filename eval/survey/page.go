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
	return d.Page(m, w)
}

// Page writes the page of a run, with the comparison with people where there is one.
func (d *RunData) Page(m *run.Manifest, w io.Writer) error {
	var changed view.Block = view.Text("There was no second agent that could change verdicts.")
	if t := d.rectified(); len(t.Rows) > 0 {
		changed = t
	}
	sections := []view.Section{
		{ID: "grid", Title: "Documents by aspect", Blocks: []view.Block{d.grid()}},
		{ID: "rectified", Title: "Changed verdicts", Blocks: []view.Block{changed}},
		{ID: "scores", Title: "Scores before and after", Blocks: d.spreadBlocks()},
	}
	if d.agree != nil {
		sections = append(sections, view.Section{ID: "people", Title: "Compared with people", Blocks: d.peopleBlocks()})
	}
	sections = append(sections,
		view.Section{ID: "rubric", Title: "Proposed changes of the rubric", Blocks: d.proposalBlocks()},
		view.Section{ID: "documents", Title: "Documents", Blocks: d.documentBlocks()},
	)
	page := &report.Page{
		Manifest: m, Metrics: m.Metrics, Config: d.config, Rerun: "parley eval survey run --config FILE", Title: "Surveys judged: run " + m.ID,
		Subtitle: d.summary(), Verdict: []view.Block{d.means()}, Sections: sections,
	}
	return page.Write(w)
}

func (d *RunData) spreadBlocks() []view.Block {
	var blocks []view.Block
	for i := range d.Rubric.Aspects {
		a := &d.Rubric.Aspects[i]
		bars := &view.Bars{Title: a.Title, X: view.Axis{Name: "score"}, Y: view.Axis{Name: "documents"}, Labels: []string{"1", "2", "3", "4", "5"}}
		if a.Labels != nil {
			bars.X.Name, bars.Labels = "label", a.Labels
		}
		for _, s := range d.Spreads() {
			if s.Aspect == a.Name {
				var values []float64
				for _, n := range s.counts(a) {
					values = append(values, float64(n))
				}
				bars.Panels = append(bars.Panels, view.Panel{Label: string(s.Agent), Series: len(bars.Panels), Values: values})
			}
		}
		blocks = append(blocks, &view.Figure{ID: "spread-" + a.Name, Caption: a.Title + ": " + a.Definition, Plot: bars})
	}
	for _, t := range d.spreads() {
		blocks = append(blocks, t)
	}
	return blocks
}

func (d *RunData) peopleBlocks() []view.Block {
	dots := &view.Dots{Title: "Spearman's correlation with people", Axis: view.Axis{Name: "rho"}}
	for _, a := range d.agree {
		dots.Rows = append(dots.Rows, view.Dot{Group: a.Aspect, Label: string(a.Agent), Value: a.Spearman.Value, Low: a.Spearman.Low, High: a.Spearman.High,
			Series: slices.Index(d.Agents(), a.Agent), Note: fmt.Sprintf("n %d", a.Spearman.N), Missing: a.Spearman.Reason})
	}
	return []view.Block{
		view.Text(fmt.Sprintf("Scores are compared with the %s. Intervals are 95 %%, from a bootstrap over documents. Alpha is the people's own agreement, which is a ceiling. %d verdicts are on documents that the run does not have.", d.against, d.lost)),
		&view.Figure{ID: "people-spearman", Caption: "Correlation of each agent's scores with people's, by aspect.", Plot: dots, Numbers: report.ResultTable(d.AgreementResults())},
	}
}

func (d *RunData) proposalBlocks() []view.Block {
	changes := &view.Table{Caption: "Other definitions.", Head: view.Columns("Document", "Aspect", "Definition", "Why")}
	for _, p := range d.Proposals {
		if p.Kind == Definition {
			changes.Add(p.Document, p.Aspect, view.Clip(p.Text, 600), view.Clip(p.Why, 400))
		}
	}
	asked, answered := d.asked()
	return []view.Block{
		view.Text(fmt.Sprintf("Proposals were asked for on %d documents, and had on %d. What is accepted of them makes the next rubric: parley eval survey rubric apply RUN.", asked, answered)),
		d.proposed(), &view.Fold{Summary: fmt.Sprintf("%d other definitions", len(changes.Rows)), Blocks: []view.Block{changes}},
	}
}

// maxShown is how many documents the page shows.
const maxShown = 200

func (d *RunData) documentBlocks() []view.Block {
	var blocks []view.Block
	for _, row := range d.unread {
		blocks = append(blocks, view.Text(fmt.Sprintf("%s could not be read: %s", row.File, row.Reason)))
	}
	found, rules := map[string]*view.Table{}, map[string]int{}
	for _, f := range d.findings {
		if found[f.Document] == nil {
			found[f.Document] = &view.Table{Caption: "Found without a model", Head: view.Columns("Where", "Rule", "Message")}
		}
		found[f.Document].Add(f.Where, f.Rule, f.Message)
		rules[f.Rule]++
	}
	said := map[string]*view.Table{}
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		if said[v.Document] == nil {
			said[v.Document] = &view.Table{Head: view.Columns("Aspect", "By", "#Verdict", "Why")}
		}
		verdict, why := v.Label, v.Why
		switch {
		case !v.Scored():
			verdict, why = string(v.Status), v.Reason
		case v.Value != nil:
			verdict = fmt.Sprintf("%.2f", *v.Value)
		}
		said[v.Document].Add(v.Aspect, string(v.Agent), verdict, view.Clip(why, 600))
	}
	counts := &view.Table{Caption: "What checks without a model found.", Head: view.Columns("Rule", "#Findings")}
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		counts.Add(rule, fmt.Sprint(rules[rule]))
	}
	blocks = append(blocks, counts)
	for _, row := range d.rows[:min(len(d.rows), maxShown)] {
		fold := &view.Fold{
			ID: "document-" + row.ID, Summary: fmt.Sprintf("%s: %s (%s, %s)", row.ID, view.Clip(row.Title, 120), row.File, row.Kind),
			Blocks: []view.Block{view.Facts{{Name: "Asked for", Text: []string{row.Prompt}}}},
		}
		for _, t := range []*view.Table{said[row.ID], found[row.ID]} {
			if t != nil {
				fold.Blocks = append(fold.Blocks, t)
			}
		}
		blocks = append(blocks, fold)
	}
	if more := len(d.rows) - maxShown; more > 0 {
		blocks = append(blocks, view.Text(fmt.Sprintf("%d more documents are in documents.parquet.", more)))
	}
	return blocks
}
