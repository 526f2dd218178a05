// Package report shows runs: as tables in a terminal and as one self-contained HTML page. Both are made from
// manifests, metrics and tables alone, whatever the kind of run; a plan may add sections of its own.
package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/eval"
	"parley/eval/report/view"
	"parley/sim/llm"
)

// Results prints results as a table of a terminal's width. What has no value says so. Where rows would be wider, each
// metric is a line above its rows, and a note that does not fit a line below its row; then long arms are cut.
func Results(w io.Writer, results []eval.Result) error {
	rows := [][]string{{"METRIC", "ARM", "CONTROL", "VALUE", "95 % INTERVAL", "N"}}
	for i := range results {
		r := &results[i]
		row := []string{r.Metric, llm.Clean(r.Arm), cmp.Or(r.Control, "-"), "unscored", "-", fmt.Sprintf("%d of %d %s", r.N, r.Of, r.Unit)}
		if r.Value != nil {
			row[3] = fmt.Sprintf("%.2f", *r.Value)
		}
		if r.Low != nil && r.High != nil {
			row[4] = fmt.Sprintf("%.2f to %.2f", *r.Low, *r.High)
		}
		rows = append(rows, row)
	}
	widths, all := make([]int, len(rows[0])), -2
	for column := range widths {
		for _, row := range rows {
			widths[column] = max(widths[column], utf8.RuneCountInString(row[column]))
		}
		all += widths[column] + 2
	}
	const metric, arm = 0, 1
	above := all > Width
	if above {
		all -= widths[metric]
		widths[metric] = 0
		widths[arm] = max(min(20, widths[arm]), widths[arm]-max(0, all-Width))
	}
	var b strings.Builder
	for i, row := range rows {
		line := ""
		if above {
			if i == 1 || i > 1 && results[i-1].Metric != results[i-2].Metric {
				fmt.Fprintln(&b, row[metric])
			}
			row[metric] = ""
		}
		for column, text := range row {
			line += fmt.Sprintf("%-*s  ", widths[column], Shorten(text, max(3, widths[column])))
		}
		text := ""
		if i > 0 {
			text = Shorten(note(&results[i-1]), Width-6)
		}
		if text != "" && utf8.RuneCountInString(line+text) > Width {
			line = strings.TrimRight(line, " ") + "\n      "
		}
		b.WriteString(strings.TrimRight(line+text, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// note says what a result rests on: its p-value, why something is missing, and its bounds.
func note(r *eval.Result) string {
	var parts []string
	if r.PHolm != nil {
		parts = append(parts, "p "+PValue(*r.PHolm)+" (Holm)")
	}
	if r.Reason != "" {
		parts = append(parts, r.Reason)
	}
	if r.Least != nil && r.Most != nil {
		parts = append(parts, fmt.Sprintf("%.2f to %.2f with all that is missing", min(*r.Least, *r.Most), max(*r.Least, *r.Most)))
	}
	return strings.Join(parts, "; ")
}

// PValue writes a p-value.
func PValue(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// Usage prints what models used, without the columns that say nothing; nothing where no model was called.
func Usage(w io.Writer, t *llm.Tally) error {
	if t == nil || len(t.Rows) == 0 {
		return nil
	}
	table := usage(t)
	table.DropEmpty("Failed", "Service", "Queue", "First", "Tok/s")
	for _, row := range table.Rows {
		for i := range row {
			if row[i].Note != "" {
				row[i].Text += " (" + row[i].Note + ")"
			}
		}
	}
	if err := Table(w, table); err != nil {
		return err
	}
	for _, note := range t.CostNotes() {
		fmt.Fprintln(w, Wrap("note: "+llm.Clean(note)))
	}
	if !slices.ContainsFunc(table.Head, func(c view.Column) bool { return c.Name == "Service" }) {
		return nil
	}
	_, err := fmt.Fprintln(w, Wrap(usageLegend))
	return err
}

// CostText writes a cost: 0 where no server was asked, and how much of it is known.
func CostText(c llm.Cost, currency string) string {
	switch {
	case c.Of == 0:
		return "0"
	case c.Amount == nil:
		return "unknown"
	case c.Known < c.Of:
		return fmt.Sprintf("over %.4f %s", *c.Amount, currency)
	}
	return fmt.Sprintf("%.4f %s", *c.Amount, currency)
}

// optional writes a number that may be missing, and a dash where it is.
func optional(number func() (float64, bool)) func(format string) string {
	return func(format string) string {
		if v, ok := number(); ok {
			return fmt.Sprintf(format, v)
		}
		return "-"
	}
}

// countUnits are the units of results whose N and Of count something else than scores.
var countUnits = []string{"windows", "intentions", "intentions predicted"}

// Unscored counts the scores without a value among results that are measurements, not differences.
func Unscored(results []eval.Result) int {
	n := 0
	for i := range results {
		if !slices.Contains(countUnits, results[i].Unit) && results[i].PHolm == nil && !strings.HasSuffix(results[i].Metric, DifferenceSuffix) {
			n += results[i].Of - results[i].N
		}
	}
	return n
}

// Shorten puts a text on one line and cuts it to so many characters.
func Shorten(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-3]) + "..."
	}
	return s
}

// Width is that of a terminal that is not asked how wide it is.
const Width = 100

// Wrap breaks a text into lines of a terminal's width.
func Wrap(text string) string { return strings.Join(wrapped(text, Width), "\n") }

// wrapped breaks a text into lines of a width, within words only where they are wider.
func wrapped(text string, width int) (lines []string) {
	var line []rune
	end := func() {
		lines = append(lines, string(line))
		line = nil
	}
	for field := range strings.FieldsSeq(text) {
		word := []rune(field)
		if len(line) > 0 && len(line)+1+len(word) > width {
			end()
		}
		if len(line) > 0 {
			line = append(line, ' ')
		}
		parts := (len(word) + width - 1) / width
		for size := (len(word) + parts - 1) / parts; len(word) > size; word = word[size:] {
			line = word[:size:size]
			end()
		}
		line = append(line, word...)
	}
	end()
	return lines
}
