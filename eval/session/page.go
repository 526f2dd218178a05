package session

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"parley/eval/compare"
	"parley/eval/report"
	"parley/eval/report/view"
	"parley/eval/run"
)

// Report writes the page of a run of sessions.
func (p *Plan) Report(dir string, m *run.Manifest, w io.Writer) error {
	c := p.config
	d, err := readPage(dir, c)
	if err != nil {
		return err
	}
	for _, t := range d.spoken {
		t.Counting(m)
	}
	sessions := fmt.Sprintf("%d sessions of %s", c.Sessions*len(c.Player), c.Scenario)
	if len(c.Player) > 1 {
		sessions = fmt.Sprintf("%d arms, each with the same %d sessions of %s", len(c.Player), c.Sessions, c.Scenario)
	}
	var verdict []view.Block
	if len(m.Results) > 0 {
		r, err := compare.Of(dir, m, m.Metrics)
		if err != nil {
			return err
		}
		verdict = r.Blocks()
	}
	people, err := peopleBlocks(dir)
	if err != nil {
		return err
	}
	page := &report.Page{
		Manifest: m, Verdict: verdict, Metrics: m.Metrics, Config: c, Rerun: "parley run FILE", Title: c.Name,
		Subtitle: fmt.Sprintf("%s: %d players and one NPC (%s), up to %d turns, judge %s, seed %d.", sessions, c.Players, c.NPC, c.Turns, c.Judge, c.Seed),
		Sections: []view.Section{
			{ID: "play", Title: "How the play went", Blocks: playBlocks(d)},
			{ID: "sessions", Title: "Sessions", Blocks: sessionBlocks(m, d)},
		},
	}
	if people != nil {
		page.Sections = append(page.Sections, view.Section{ID: "people", Title: "People and the judge", Blocks: people})
	}
	return page.Write(w)
}

// playBlocks shows how the sessions went.
func playBlocks(d *pageData) []view.Block {
	arms := &view.Table{
		Caption: "Play by arm. Moves are the players' turns, passes those in which nothing is said or done, malformed ones included.",
		Head:    view.Columns("Arm", "#Sessions", "#Failed", "#Turns", "#Moves", "#Valid", "#Valid, %", "#Passes", "#Calls", "#Tokens"),
	}
	endings := &view.Table{Caption: "Sessions by how they ended.", Head: view.Columns("Arm", "State", "Ended by", "#Sessions", "#Share")}
	for i := range d.arms {
		a := &d.arms[i]
		all := 0
		for _, n := range a.sessions {
			all += n
		}
		n := func(v int) string { return report.Grouped(int64(v)) }
		tokens := n(a.token)
		if a.calls > 0 && a.token == 0 {
			tokens = "unknown"
		}
		arms.Add(a.name, n(all), n(a.sessions[run.Failed]), n(a.turns), n(a.moves), n(a.valid), report.Percent(a.valid, a.moves), n(a.passes), n(a.calls), tokens)
		for _, why := range byCount(a.ended) {
			endings.Add(a.name, string(run.Complete), why, n(a.ended[why]), report.Percent(a.ended[why], all))
		}
		if failed := a.sessions[run.Failed]; failed > 0 {
			endings.Add(a.name, string(run.Failed), "an error", n(failed), report.Percent(failed, all))
		}
	}
	blocks := []view.Block{arms}
	if f := faultFigure(d); f != nil {
		blocks = append(blocks, f)
	} else {
		blocks = append(blocks, view.Text("No turn and no debrief was malformed."))
	}
	blocks = append(blocks, endings)
	if len(d.errors) > 0 {
		failures := &view.Table{Caption: "Why sessions failed.", Head: view.Columns("Error", "#Sessions")}
		for i, text := range byCount(d.errors) {
			if i == 10 {
				failures.Add(fmt.Sprintf("and %d other errors", len(d.errors)-i), "")
				break
			}
			failures.Add(text, fmt.Sprint(d.errors[text]))
		}
		blocks = append(blocks, failures)
	}
	return blocks
}

// faultFigure shows what was malformed, by kind and arm, against all turns of that sort. It is nil
// where nothing was.
func faultFigure(d *pageData) *view.Figure {
	total := map[string]int{}
	for i := range d.arms {
		for f, n := range d.arms[i].faults {
			total[f.fault] += n
		}
	}
	if len(total) == 0 {
		return nil
	}
	p := &view.Heat{Title: "Malformed turns by kind and arm", Columns: byCount(total)}
	t := &view.Table{Head: append(view.Columns("Arm", "#Of all"), view.Columns(prefixed("#", p.Columns)...)...)}
	for i := range d.arms {
		a := &d.arms[i]
		for _, sort := range []struct {
			who string
			of  int
		}{{byPlayers, a.moves}, {byNPC, a.turns - a.moves}, {byDebriefs, a.debriefs}} {
			if sort.of == 0 {
				continue
			}
			var fields []view.Field
			row := []string{a.name + ", " + sort.who, report.Grouped(int64(sort.of))}
			any := 0
			for _, fault := range p.Columns {
				n := a.faults[faulty{sort.who, fault}]
				share := float64(n) / float64(sort.of)
				fields = append(fields, view.Field{Share: &share, Text: fmt.Sprint(n)})
				row = append(row, fmt.Sprint(n))
				any += n
			}
			if any > 0 || sort.who == byPlayers {
				p.Rows, p.Cells = append(p.Rows, report.Shorten(a.name, 22)+", "+sort.who), append(p.Cells, fields)
				t.Add(row...)
			}
		}
	}
	return &view.Figure{
		ID: "faults", Plot: p, Numbers: t,
		Caption: "Malformed turns by kind: how many, and by strength of the colour which share of all turns of that sort. Nothing was repaired: a malformed turn is played as a pass, or as the valid move that could be cut out of it.",
	}
}

func prefixed(with string, names []string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = with + name
	}
	return all
}

// byCount lists keys by their counts, the most frequent first.
func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	})
}
