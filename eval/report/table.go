package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"parley/eval/report/view"
	"parley/sim/llm"
)

var plainMarks = strings.NewReplacer("–", "-", "−", "-", "\u202f", "")

// Table prints a table of a page in the terminal, below a blank line; nothing where it has no rows. Long cells are
// cut, and what stands small below a cell in the page is left out.
func Table(w io.Writer, t *view.Table) error {
	if len(t.Rows) == 0 {
		return nil
	}
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	line := func(cells []string) {
		fmt.Fprintln(tab, strings.Join(cells, "\t"))
	}
	var head []string
	for _, c := range t.Head {
		head = append(head, strings.ToUpper(c.Name))
	}
	fmt.Fprintln(tab)
	line(head)
	for _, row := range t.Rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, Shorten(llm.Clean(plainMarks.Replace(c.Text)), 120))
		}
		line(cells)
	}
	return tab.Flush()
}
