package utility

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/eval"
	"parley/sim/llm/loose"
)

// Label is what a quantifier said of one criterion.
type Label struct {
	Value  string // one of the accepted values; empty unless scored
	Status eval.Status
	Reason string // why there is none
}

// notApplicable is the label of a criterion that does not apply to a sample.
const notApplicable = "not applicable"

func unread(format string, args ...any) Label {
	return Label{Status: eval.Unparsed, Reason: fmt.Sprintf(format, args...)}
}

// Keys under which quantifiers put the label of a criterion, in the order in which they count.
var labelKeys = []string{"accepted values", "accepted value", "value", "label", "rating", "score", "performance", "level", "selected", "selected value", "choice", "assigned value", "assessment", "evaluation", "result"}

// ReadLabels reads a quantifier's reply on several criteria, by their order. What is not an accepted value is unscored
// with its reason.
func ReadLabels(reply string, criteria []Criterion) []Label {
	said := make([][]string, len(criteria))
	found := loose.Find(reply)
	cut := slices.ContainsFunc(found, func(v loose.Value) bool { return v.State != loose.Whole })
	for i := range found {
		collect(&found[i], criteria, said, 0)
	}
	none := !slices.ContainsFunc(said, func(s []string) bool { return len(s) > 0 })
	if none && len(criteria) == 1 {
		return []Label{ReadLabel(reply, &criteria[0])}
	}
	if none && len(found) == 0 {
		collectLines(reply, criteria, said)
	}
	labels := make([]Label, len(criteria))
	for i := range criteria {
		labels[i] = unread("the reply does not name this criterion")
		if cut {
			labels[i] = unread("the reply breaks off before this criterion")
		}
		for k, text := range said[i] {
			label := accept(text, &criteria[i])
			if k > 0 && label != labels[i] {
				labels[i] = unread("two labels are given: %q and %q", clip(said[i][0]), clip(text))
				break
			}
			labels[i] = label
		}
	}
	return labels
}

// collect gathers what an object says of each criterion. Of one that breaks off, the last value counts for nothing.
func collect(v *loose.Value, criteria []Criterion, said [][]string, depth int) {
	if depth > 4 {
		return
	}
	if at := find(criteria, text(under(v, nameKeys))); at >= 0 { // {"criterion": ..., "label": ...}
		if label, ok := labelOf(v); ok {
			said[at] = append(said[at], label)
			return
		}
	}
	whole := v.Items
	if v.State != loose.Whole && len(whole) > 0 {
		whole = whole[:len(whole)-1]
	}
	for i := range whole {
		item, key := &whole[i], ""
		if v.Kind == loose.Object {
			key = v.Keys[i]
		}
		switch at := find(criteria, key); {
		case at >= 0:
			label, ok := labelOf(item)
			if !ok {
				label = "several values or none"
			}
			said[at] = append(said[at], label)
		case item.Kind == loose.Object || item.Kind == loose.Array:
			collect(item, criteria, said, depth+1)
		case item.Kind == loose.String && strings.ContainsRune(item.Text, '{'): // an object as a text
			for _, inner := range loose.Find(item.Text) {
				collect(&inner, criteria, said, depth+1)
			}
		case len(criteria) == 1 && slices.Contains(labelKeys, fold(key)): // the label of the only one
			if label, ok := labelOf(v); ok {
				said[0] = append(said[0], label)
			}
		}
	}
}

// listed is a line that gives a criterion and its label: "- **Clarity**: good", "2. Clarity - good", "| Clarity | good |".
var listed = regexp.MustCompile(`^[\s|>*•-]*(?:\d+[.)]\s*)?[*_"']*([^:|*]+?)[*_"']*\s*(?::[*_"']*|\||\s[-–—]\s|=)\s*([^|]+)`)

// collectLines reads a reply that has no JSON and gives one criterion a line.
func collectLines(reply string, criteria []Criterion, said [][]string) {
	for line := range strings.Lines(reply) {
		if m := listed.FindStringSubmatch(line); m != nil {
			if at := find(criteria, m[1]); at >= 0 {
				said[at] = append(said[at], strings.TrimSpace(m[2]))
			}
		}
	}
}

// find returns the place of the criterion of that name, in any spelling, or -1.
func find(criteria []Criterion, name string) int {
	key := joined.Replace(fold(name))
	return slices.IndexFunc(criteria, func(c Criterion) bool { return key != "" && joined.Replace(fold(c.Name)) == key })
}

// labelOf returns the text of a label: of a scalar, of a list of one, or under a key of an object.
func labelOf(v *loose.Value) (string, bool) {
	switch v.Kind {
	case loose.Object:
		for _, key := range labelKeys {
			if inner := under(v, []string{key}); inner != nil {
				if label, ok := labelOf(inner); ok {
					return label, true
				}
			}
		}
		return "", false
	case loose.Array:
		if len(v.Items) != 1 {
			return "", false
		}
		return labelOf(&v.Items[0])
	case loose.Null:
		return "null", true
	}
	return v.Text, true
}

var quoted = regexp.MustCompile(`["'“‘*` + "`" + `]+([^"'“”‘’*` + "`" + `\n]+)["'”’*` + "`" + `]+`)

// ReadLabel reads a reply that is on one criterion: the label alone, or with prose around it where exactly one accepted
// value is marked by quotation marks, or is alone on the last line or behind its last colon.
func ReadLabel(reply string, c *Criterion) Label {
	whole := accept(reply, c)
	lines := strings.Split(strings.TrimSpace(reply), "\n")
	last := lines[len(lines)-1]
	for _, l := range []Label{whole, accept(last, c), accept(last[strings.LastIndexByte(last, ':')+1:], c)} {
		if l.Status != eval.Unparsed {
			return l
		}
	}
	var marked []Label
	for _, m := range quoted.FindAllStringSubmatch(reply, -1) {
		if l := accept(m[1], c); l.Status == eval.Scored && !slices.Contains(marked, l) {
			marked = append(marked, l)
		}
	}
	switch len(marked) {
	case 1:
		return marked[0]
	case 0:
		return whole
	}
	return unread("two labels are given: %q and %q", marked[0].Value, marked[1].Value)
}

// accept returns the accepted value that a text is: in any case, with quotation marks around it, and with an
// explanation behind a colon, dash, comma, bracket or full stop.
func accept(said string, c *Criterion) Label {
	key := fold(said)
	if key == "" {
		return unread("the label is empty")
	}
	if v, ok := match(key, c); ok {
		return Label{Value: v, Status: eval.Scored}
	}
	if key == notApplicable || key == "n a" || key == "na" {
		return Label{Status: eval.NotApplicable, Reason: "the quantifier says that it does not apply"}
	}
	for i, r := range said {
		explained := strings.ContainsRune(":(,;.—–", r) || strings.HasPrefix(said[i:], " - ")
		if !explained || i == 0 {
			continue
		}
		if v, ok := match(fold(said[:i]), c); ok && !lists(fold(said[i:]), v, c) {
			return Label{Value: v, Status: eval.Scored}
		}
	}
	return unread("%q is none of the accepted values", clip(said))
}

// match finds an accepted value by its folded form.
func match(key string, c *Criterion) (string, bool) {
	i := slices.IndexFunc(c.Values, func(v string) bool { return fold(v) == key })
	if i < 0 {
		return "", false
	}
	return c.Values[i], true
}

// lists reports whether an explanation begins with another accepted value, as a list of them does.
func lists(rest, value string, c *Criterion) bool {
	return slices.ContainsFunc(c.Values, func(v string) bool { return v != value && strings.HasPrefix(rest+" ", fold(v)+" ") })
}

// clip shortens a text for a reason.
func clip(s string) string {
	if r := []rune(strings.Join(strings.Fields(s), " ")); len(r) > 60 {
		return string(r[:60]) + "..."
	}
	return strings.Join(strings.Fields(s), " ")
}
