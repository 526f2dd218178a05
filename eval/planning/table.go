package planning

import (
	"regexp"
	"slices"
	"strings"
)

// cellsOf returns the cells of a row of a Markdown table without marks of emphasis; nil where a line is none.
func cellsOf(line string) (cells []string) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") || strings.Count(line, "|") < 2 {
		return nil
	}
	for c := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
		cells = append(cells, strings.Trim(c, " *`_"))
	}
	return cells
}

// Cells that say whether what the row or the column tells is so.
var (
	yesCell   = regexp.MustCompile(`(?i)^(?:yes|y|true|✓|✔|✅|x)\b?\W*$`)
	noCell    = regexp.MustCompile(`(?i)^(?:no|n|false|✗|✘|❌|not (?:applicable|possible|valid|allowed|true))\b?\W*$`)
	placeHead = regexp.MustCompile(`(?i)^(?:location|place|at|position)$`)
)

// row reads a row of a table: a cell with an item, the cells of one action, or an object with its properties by
// column. A cell that says no refuses what another cell tells.
func (r *Reader) row(task Task, l *answerLine, head, cells []string) {
	if ruler.MatchString(l.text) {
		return
	}
	refused := slices.ContainsFunc(cells, noCell.MatchString)
	l.items = r.cells(task, cells)
	if subject := r.mark(cells[0]); len(l.items) == 0 && !task.Actions() && len(subject.seen) == 1 && len(subject.words) == 1 {
		l.items, refused = r.columns(task, head, cells), false
	}
	switch {
	case len(l.items) == 0:
		l.problem = "no " + kind(task) + " in this row"
	case refused && task.Actions():
		l.items, l.problem = nil, "said not to apply"
	case refused:
		for i := range l.items {
			l.items[i].negated = true
		}
	}
}

// cells reads the cells that hold whole items, of actions the first one, or the cells of one action together.
func (r *Reader) cells(task Task, cells []string) (items []found) {
	partial := func(f found) bool { return f.loose || f.sym != nil && len(f.args) != len(f.sym.params) }
	var words []string
	for _, c := range cells {
		if got := r.sentence(task, c, false, ""); len(got) > 0 && !slices.ContainsFunc(got, partial) {
			items = append(items, got...)
			if task.Actions() {
				return items
			}
		}
		if c != "" && c != "-" && c != "–" && !digits(c) {
			words = append(words, c)
		}
	}
	for n := len(words); n > 0 && task.Actions(); n-- { // the last cells may explain
		if got := r.sentence(task, strings.Join(words[:n], " "), false, ""); len(got) > 0 {
			return got
		}
	}
	return items
}

// columns reads the properties of the object in the first cell of a row, by the heads of the other columns.
func (r *Reader) columns(task Task, head, cells []string) (items []found) {
	for k := 1; k < len(cells) && k < len(head); k++ {
		var got []found
		switch c := cells[k]; {
		case c == "" || ruler.MatchString(c) || strings.EqualFold(c, "none"):
		case yesCell.MatchString(c):
			got = r.sentence(task, cells[0]+" is "+head[k], false, "")
		case noCell.MatchString(c):
			got = r.sentence(task, cells[0]+" is not "+head[k], false, "")
		case placeHead.MatchString(head[k]):
			if got = r.sentence(task, cells[0]+" is at "+c, false, ""); len(got) == 0 {
				got = r.sentence(task, cells[0]+" is "+c, false, "")
			}
		default:
			got = r.sentence(task, cells[0]+" is "+strings.TrimPrefix(strings.ToLower(head[k]), "is ")+" "+c, false, "")
		}
		items = append(items, got...)
	}
	return items
}
