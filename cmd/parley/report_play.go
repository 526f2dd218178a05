package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/eval/report/view"
	"parley/sim/llm"
)

// reportPlay is how the sessions went, whatever came of them.
func reportPlay(d *reportData) []view.Block {
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
		n := func(v int) string { return grouped(int64(v)) }
		tokens := n(a.token)
		if a.calls > 0 && a.token == 0 {
			tokens = "unknown"
		}
		arms.Add(a.name, n(all), n(a.sessions[stateFailed]), n(a.turns), n(a.moves), n(a.valid), inPercent(a.valid, a.moves), n(a.passes), n(a.calls), tokens)
		for _, why := range byCount(a.ended) {
			endings.Add(a.name, string(stateComplete), why, n(a.ended[why]), inPercent(a.ended[why], all))
		}
		if failed := a.sessions[stateFailed]; failed > 0 {
			endings.Add(a.name, string(stateFailed), "an error", n(failed), inPercent(failed, all))
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
func faultFigure(d *reportData) *view.Figure {
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
			row := []string{a.name + ", " + sort.who, grouped(int64(sort.of))}
			any := 0
			for _, fault := range p.Columns {
				n := a.faults[faulty{sort.who, fault}]
				share := float64(n) / float64(sort.of)
				fields = append(fields, view.Field{Share: &share, Text: fmt.Sprint(n)})
				row = append(row, fmt.Sprint(n))
				any += n
			}
			if any > 0 || sort.who == byPlayers {
				p.Rows, p.Cells = append(p.Rows, shorten(a.name, 22)+", "+sort.who), append(p.Cells, fields)
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

// reportModels is who served, and what it took.
func reportModels(m *manifest) []view.Block {
	served := &view.Table{
		Caption: "Every model that the experiment names, as its server identified it before the first turn.",
		Head:    view.Columns("Model", "Identity", "Digest", "Reply form", "#num_ctx", "Options not taken"),
	}
	for _, spec := range m.models() {
		note := m.Models[spec]
		row := []view.Cell{{Text: spec}, {Text: "built in, no server", Grey: true}, {}, {}, {}, {}}
		if note != nil {
			row[1] = view.Cell{Text: "its server says nothing", Grey: true}
			if id := note.Identity; id != nil {
				row[1] = view.Cell{Text: id.Name, Note: joined(", ", id.Family, id.Parameters, id.Quantization, contextOf(id), id.Server, id.Version)}
				row[2] = view.Cell{Text: id.Digest}
			}
			row[3] = view.Cell{Text: note.Form, Note: note.Why}
			if note.NumCtx > 0 {
				row[4] = view.Cell{Text: grouped(int64(note.NumCtx))}
			}
			row[5] = view.Cell{Text: strings.Join(note.Ignored, ", ")}
			if len(note.Ignored) == 0 {
				row[5] = view.Cell{Text: "none", Grey: true}
			}
		}
		served.Rows = append(served.Rows, row)
	}
	blocks := []view.Block{served}
	if m.Usage == nil || len(m.Usage.Rows) == 0 {
		return append(blocks, view.Text("No model was called: built-in actors and measures need none."))
	}
	cost := "#Cost"
	if m.Usage.Currency != "" {
		cost += ", " + m.Usage.Currency
	}
	usage := &view.Table{
		Caption: "Calls by model and purpose. Where a server did not count all calls, a number says how many it covers; what has no price has no cost.",
		Head:    view.Columns("Model", "Purpose", "#Calls", "#Failed", "#Prompt tokens", "#Cached", "#Completion tokens", cost, "#Time", "#Tokens a second"),
	}
	for _, r := range m.Usage.Rows {
		usage.Rows = append(usage.Rows, usageRow(&r))
	}
	if len(m.Usage.Rows) > 1 {
		total := m.Usage.Total()
		total.Model, total.Purpose = "all", ""
		usage.Rows = append(usage.Rows, usageRow(&total))
	}
	return append(blocks, usage)
}

func usageRow(r *llm.Row) []view.Cell {
	failed := 0
	var why []string
	for _, fault := range slices.Sorted(maps.Keys(r.Failed)) {
		failed += r.Failed[fault]
		why = append(why, fmt.Sprintf("%d %s", r.Failed[fault], fault))
	}
	calls := view.Cell{Text: grouped(int64(r.Calls))}
	var notes []string
	if r.FromCache > 0 {
		notes = append(notes, fmt.Sprintf("%d from cache", r.FromCache))
	}
	if again := r.Asked - (r.Calls - r.FromCache); again > 0 {
		notes = append(notes, fmt.Sprintf("%d retries", again))
	}
	if r.Empty > 0 {
		notes = append(notes, fmt.Sprintf("%d empty", r.Empty))
	}
	calls.Note = strings.Join(notes, ", ")
	cost := view.Cell{Text: "unknown", Grey: true}
	if r.Cost.Amount != nil {
		cost = view.Cell{Text: fmt.Sprintf("%.4f", *r.Cost.Amount)}
	}
	if r.Cost.Known < r.Cost.Of {
		cost.Note = fmt.Sprintf("known for %d of %d calls", r.Cost.Known, r.Cost.Of)
	}
	rate := view.Cell{Text: "–", Grey: true}
	if r.Completion.Sum != nil && r.Write > 0 {
		rate = view.Cell{Text: fmt.Sprintf("%.1f", float64(*r.Completion.Sum)/(float64(r.Write)/1e6))}
	}
	return []view.Cell{
		{Text: r.Model}, {Text: r.Purpose}, calls, {Text: fmt.Sprint(failed), Note: strings.Join(why, ", ")},
		countCell(r.Prompt), countCell(r.Cached), countCell(r.Completion), cost, {Text: seconds(r.Total)}, rate,
	}
}

func countCell(c llm.Count) view.Cell {
	if c.Sum == nil {
		return view.Cell{Text: "unknown", Grey: true}
	}
	cell := view.Cell{Text: grouped(*c.Sum)}
	if c.Known < c.Of {
		cell.Note = fmt.Sprintf("of %d of %d calls", c.Known, c.Of)
	}
	return cell
}

func contextOf(id *llm.Identity) string {
	if id.Context == 0 {
		return ""
	}
	return fmt.Sprintf("%d tokens of context", id.Context)
}

// joined joins what is not empty.
func joined(with string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), with)
}
