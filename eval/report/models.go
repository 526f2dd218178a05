package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/eval/report/view"
	"parley/eval/run"
	"parley/sim/llm"
)

// models lists the models that answered, and what they used.
func models(m *run.Manifest) []view.Block {
	served := &view.Table{
		Caption: "Every model that was opened, as its server identified it.",
		Head:    view.Columns("Model", "Identity", "Digest", "Reply form", "#num_ctx", "Options not taken"),
	}
	for _, spec := range slices.Sorted(maps.Keys(m.Models)) {
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
				row[4] = view.Cell{Text: Grouped(int64(note.NumCtx))}
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
	table := usage(m.Usage)
	table.Caption = "Calls by model and purpose. Where a server did not count all calls, a number says how many it covers; what has no price has no cost. " + usageLegend
	blocks = append(blocks, table)
	for _, note := range m.Usage.CostNotes() {
		blocks = append(blocks, view.Text(note))
	}
	return blocks
}

const usageLegend = "Service is the time of the servers, queue the waiting at parley's own limits and to ask again, first the mean time to the first piece of a streamed reply."

// usage is the table of what models used, a row for each model and purpose, and all together.
func usage(t *llm.Tally) *view.Table {
	cost := "#Cost"
	if t.Currency != "" {
		cost += ", " + t.Currency
	}
	table := &view.Table{Head: view.Columns("Model", "For", "#Calls", "#Failed", "#Prompt tokens", "#Cached", "#Reply tokens", cost, "#Service", "#Queue", "#First", "#Tok/s")}
	for _, r := range t.Rows {
		table.Rows = append(table.Rows, usageRow(&r))
	}
	if len(t.Rows) > 1 {
		total := t.Total()
		total.Model, total.Purpose = "all", ""
		table.Rows = append(table.Rows, usageRow(&total))
	}
	return table
}

func usageRow(r *llm.Row) []view.Cell {
	failed := 0
	var why []string
	for _, fault := range slices.Sorted(maps.Keys(r.Failed)) {
		failed += r.Failed[fault]
		why = append(why, fmt.Sprintf("%d %s", r.Failed[fault], fault))
	}
	calls := view.Cell{Text: Grouped(int64(r.Calls))}
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
	cost := view.Cell{Text: strings.TrimSpace(CostText(r.Cost, "")), Grey: r.Cost.Amount == nil}
	if r.Cost.Amount != nil && r.Cost.Known < r.Cost.Of {
		cost.Note = fmt.Sprintf("known for %d of %d calls", r.Cost.Known, r.Cost.Of)
	}
	return []view.Cell{
		{Text: r.Model}, {Text: r.Purpose}, calls, {Text: fmt.Sprint(failed), Note: strings.Join(why, ", ")},
		countCell(r.Prompt), countCell(r.Cached), countCell(r.Completion), cost,
		{Text: Seconds(r.Service())}, {Text: Seconds(r.Queue)}, {Text: optional(r.ToFirst)("%.2f s")}, {Text: optional(r.Rate)("%.1f")},
	}
}

func countCell(c llm.Count) view.Cell {
	if c.Sum == nil {
		return view.Cell{Text: "unknown", Grey: true}
	}
	cell := view.Cell{Text: Grouped(*c.Sum)}
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
