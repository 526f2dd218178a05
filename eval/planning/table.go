package planning

import (
	"regexp"
	"strings"

	"parley/sim/llm/loose"
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

// Cells that say whether what the row or the column tells is so, and keys of such values.
var (
	truthKey  = regexp.MustCompile(`(?i)\b(?:applicable|possible|valid|allowed|executable|holds|true)\b`)
	yesCell   = regexp.MustCompile(`(?i)^(?:yes|y|true|✓|✔|✅|x)\b?\W*$`)
	noCell    = regexp.MustCompile(`(?i)^(?:no|n|false|✗|✘|❌|not (?:applicable|possible|valid|allowed|true))\b?\W*$`)
	placeHead = regexp.MustCompile(`(?i)^(?:location|place|at|position)$`)
)

// row reads a row of a table as a JSON object whose keys are the heads of the columns.
func (r *Reader) row(task Task, l *answerLine, head, cells []string) {
	if ruler.MatchString(l.text) {
		return
	}
	n := min(len(head), len(cells))
	v := loose.Value{Kind: loose.Object, Keys: head[:n]}
	for _, c := range cells[:n] {
		v.Items = append(v.Items, loose.Value{Kind: loose.String, Text: c})
	}
	lines, ok := r.object(task, &v)
	for _, line := range lines {
		l.items = append(l.items, r.text(task, line)...)
	}
	if len(l.items) == 0 {
		l.problem = "no " + kind(task) + " in this row"
		if ok && task.Actions() {
			l.problem = "said not to be asked for"
		}
	}
}

// refused reports whether a value beside an item says that the item is not so.
func refused(key string, v *loose.Value) bool {
	return v.Kind == loose.Bool && v.Text == "false" && truthKey.MatchString(key) || v.Kind == loose.String && noCell.MatchString(v.Text)
}

// property writes a property that an object has under a key: {"block": "a", "on": "b", "clear": true}.
func (r *Reader) property(subject, key string, v *loose.Value) string {
	key = strings.TrimPrefix(strings.ToLower(key), "is ")
	switch text := strings.ToLower(v.Text); {
	case ruler.MatchString(text) || text == "none" || v.Kind == loose.Null:
		return ""
	case yesCell.MatchString(text):
		return subject + " is " + key
	case noCell.MatchString(text):
		return subject + " is not " + key
	case placeHead.MatchString(key) && r.known(text) != "":
		return subject + " is at " + text
	default:
		return subject + " is " + key + " " + text
	}
}
