package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"parley/eval"
	"parley/eval/report/view"
	"parley/eval/run"
)

// Page is the page of a run. What is not given here comes from the manifest.
type Page struct {
	Manifest *run.Manifest
	Metrics  []eval.Metric
	Config   any    // as an experiment file holds it; nil: as the manifest has it
	Rerun    string // the command that runs a file of it again
	Title    string
	Subtitle string
	Verdict  []view.Block   // what follows from the results, above all else
	Facts    view.Facts     // what to know first beside the headline numbers
	Sections []view.Section // of the kind of run, behind the results
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	m := p.Manifest
	sections, err := p.All()
	if err != nil {
		return err
	}
	title := p.Title
	if title == "" {
		title = "parley run " + m.ID
	}
	page := &view.Page{
		Title: title, Subtitle: p.Subtitle, Sections: sections,
		Foot: fmt.Sprintf("Made by parley %s (%s) from run %s. This page holds everything that it shows and loads nothing.", m.Version, m.Go, m.ID),
	}
	return page.Write(w)
}

// All returns all sections of the page.
func (p *Page) All() ([]view.Section, error) {
	asked, err := p.asked()
	if err != nil {
		return nil, err
	}
	m := p.Manifest
	sections := []view.Section{
		{ID: "glance", Title: "At a glance", Blocks: p.glance()},
		{ID: "results", Title: "Results", Blocks: p.results()},
	}
	sections = append(sections, p.Sections...)
	return append(sections,
		view.Section{ID: "models", Title: "Models and what they used", Blocks: models(m)},
		view.Section{ID: "asked", Title: "Configuration", Blocks: asked},
		view.Section{ID: "data", Title: "The data", Blocks: tables(m)}), nil
}

// glance is what to know first, the reasons for doubt included.
func (p *Page) glance() []view.Block {
	m := p.Manifest
	blocks := p.Verdict
	if blocks == nil {
		blocks = headlines(m, p.Metrics)
	}
	took := "started " + m.Started.Format("2006-01-02 15:04:05 MST")
	if m.Finished != nil {
		took += ", took " + Seconds(m.Finished.Sub(m.Started).Microseconds())
	}
	facts := view.Facts{
		{Name: "Run", Text: []string{m.ID + ", " + string(m.State)}}, {Name: "Time", Text: []string{took}},
		{Name: "Jobs", Text: []string{fmt.Sprintf("%d complete, %d failed, of %d", m.Jobs[run.Complete], m.Jobs[run.Failed], m.Of)}},
	}
	facts = append(facts, p.Facts...)
	if doubts := p.doubts(); doubts != nil {
		facts = append(facts, view.Fact{Name: "Keep in mind", Text: doubts})
	}
	return append(blocks, facts)
}

// doubts lists the reasons to read the numbers with care.
func (p *Page) doubts() (doubts []string) {
	m := p.Manifest
	if m.State != run.Complete {
		doubts = append(doubts, fmt.Sprintf("The run is %s: its numbers are of what there is so far.", m.State))
	}
	if n := m.Jobs[run.Failed]; n > 0 {
		doubts = append(doubts, fmt.Sprintf("%d jobs failed; parley resume tries them again.", n))
	}
	if n := Unscored(m.Results); n > 0 {
		doubts = append(doubts, fmt.Sprintf("%d scores are missing; the table of results says why.", n))
	}
	for _, spec := range slices.Sorted(maps.Keys(m.Models)) {
		s := m.Models[spec]
		if s == nil {
			continue
		}
		if len(s.Ignored) > 0 {
			doubts = append(doubts, fmt.Sprintf("%s does not take %s.", spec, strings.Join(s.Ignored, ", ")))
		}
	}
	return append(doubts, m.Changes()...)
}

// results shows what was measured.
func (p *Page) results() []view.Block {
	m := p.Manifest
	if len(m.Results) == 0 {
		return []view.Block{view.Text(fmt.Sprintf("There are none yet: the run is %s.", m.State))}
	}
	series := map[string]int{}
	for i, arm := range m.Arms {
		series[arm] = i
	}
	figures := append([]*view.Figure{measuredFigure(m.Results, p.Metrics, series), differenceFigure(m.Results, p.Metrics, series)}, curveFigures(m.Results, p.Metrics, series)...)
	var blocks []view.Block
	for _, f := range figures {
		if f != nil {
			blocks = append(blocks, f)
		}
	}
	return append(blocks, ResultTable(m.Results))
}

// asked is the configuration, and the prompts by their hashes.
func (p *Page) asked() ([]view.Block, error) {
	whole := &view.Fold{Summary: "The whole effective configuration"}
	if p.Config == nil {
		var config bytes.Buffer
		if err := json.Indent(&config, p.Manifest.Config, "", "  "); err != nil {
			return nil, err
		}
		whole.Blocks = []view.Block{view.Code(config.String())}
	} else {
		config, err := yaml.Marshal(p.Config)
		if err != nil {
			return nil, err
		}
		whole.Blocks = []view.Block{view.Text("Kept in a file, it runs again to the same result: " + p.Rerun), view.Code(config)}
	}
	blocks := []view.Block{whole}
	if prompts := p.Manifest.Prompts; len(prompts) > 0 {
		t := &view.Table{Caption: "Prompts by their hash. parley prompts export DIR writes the built-in ones.", Head: view.Columns("Prompt", "SHA-256")}
		for _, name := range slices.Sorted(maps.Keys(prompts)) {
			t.Add(name, prompts[name])
		}
		blocks = append(blocks, &view.Fold{Summary: fmt.Sprintf("The %d prompts", len(prompts)), Blocks: []view.Block{t}})
	}
	return blocks, nil
}

// tables lists the files beside the page, with ways to read them.
func tables(m *run.Manifest) []view.Block {
	var blocks []view.Block
	if len(m.Tables) > 0 {
		t := &view.Table{
			Caption: "Tables beside this page. The digest is over the canonical JSON lines of the rows; parley verify recomputes it.",
			Head:    view.Columns("Table", "#Rows", "SHA-256"),
		}
		for _, name := range slices.Sorted(maps.Keys(m.Tables)) {
			t.Add(name+".parquet", Grouped(m.Tables[name].Rows), m.Tables[name].Digest)
		}
		blocks = append(blocks, t)
	}
	return append(blocks,
		view.Text("In the run's directory, with DuckDB and with pandas:"),
		view.Code(strings.Join([]string{
			`duckdb -c "SELECT arm, metric, control, avg(value), count(value), count(*) FROM 'scores.parquet' WHERE turn = 0 GROUP BY ALL ORDER BY ALL"`,
			`python3 -c "import pandas as pd; s = pd.read_parquet('scores.parquet'); print(s[s.turn == 0].groupby(['arm', 'metric', 'control']).value.agg(['mean', 'count', 'size']))"`,
		}, "\n")))
}
