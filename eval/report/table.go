package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"parley/eval/report/view"
	"parley/sim/llm"
)

var plainMarks = strings.NewReplacer("–", "-", "−", "-", "\u202f", "")

// Table prints a table of a page in the terminal, below a blank line; nothing where it has no rows.
func Table(w io.Writer, t *view.Table) error {
	if len(t.Rows) == 0 {
		return nil
	}
	_, err := fmt.Fprint(w, "\n", columns(t))
	return err
}

// Print prints a table of a page in the terminal, below its caption.
func Print(w io.Writer, t *view.Table) error {
	if t.Caption != "" {
		fmt.Fprintln(w, Wrap(t.Caption))
	}
	_, err := io.WriteString(w, columns(t))
	return err
}

// columns writes a table for a terminal. Where it would be wider, the widest columns become narrower, with their texts
// on several lines. Long cells are cut, and what stands small below a cell in the page is left out.
func columns(t *view.Table) string {
	head := make([]string, len(t.Head))
	for i, c := range t.Head {
		if head[i] = c.Name; !strings.Contains(c.Name, "_") { // else the name of a metric
			head[i] = strings.ToUpper(c.Name)
		}
	}
	rows := [][]string{head}
	for _, row := range t.Rows {
		cells := make([]string, len(head))
		for i, c := range row {
			cells[i] = Shorten(llm.Clean(plainMarks.Replace(c.Text)), 120)
		}
		rows = append(rows, cells)
	}
	widths, gap := columnWidths(rows)
	var b strings.Builder
	for _, row := range rows {
		lines, deep := make([][]string, len(row)), 1
		for i, text := range row {
			lines[i] = wrapped(text, widths[i])
			deep = max(deep, len(lines[i]))
		}
		for k := range deep {
			line := ""
			for i := range row {
				text, width := "", widths[i]
				if k < len(lines[i]) {
					text = lines[i][k]
				}
				if !t.Number(i) {
					width = -width
				}
				line += fmt.Sprintf("%*s%*s", width, text, gap, "")
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return b.String()
}

// columnWidths returns how wide each column is, and how many spaces follow it. Where there is too little room, columns
// are narrowed to their longest word first, the widest before the others, and then further.
func columnWidths(rows [][]string) (widths []int, gap int) {
	widths, words, all := make([]int, len(rows[0])), make([]int, len(rows[0])), 0
	for i := range widths {
		for _, row := range rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
			for word := range strings.FieldsSeq(row[i]) {
				words[i] = max(words[i], utf8.RuneCountInString(word))
			}
		}
		all += widths[i]
	}
	gap = 2
	if all+gap*(len(widths)-1) > Width {
		gap = 1
	}
	for all += gap * (len(widths) - 1); all > Width; all-- {
		widest, slack := 0, false
		for i := range widths {
			if loose := widths[i] > words[i]; loose && !slack || loose == slack && widths[i] > widths[widest] {
				widest, slack = i, loose
			}
		}
		widths[widest]--
	}
	return widths, gap
}
