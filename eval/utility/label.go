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

// Keys under which quantifiers put the label of a criterion, in the order in which they count.
var labelKeys = []string{"accepted values", "accepted value", "value", "label", "rating", "score", "performance", "level"}

// ReadLabels reads a quantifier's reply on several criteria, by their order. What is not an accepted value is unscored
// with its reason.
func ReadLabels(reply string, criteria []Criterion) []Label {
	said := make([][]string, len(criteria)) // texts, without those that say the same
	cut := false
	for _, v := range loose.Find(reply) {
		cut = cut || v.State != loose.Whole
		collect(&v, criteria, said, 0)
	}
	if len(criteria) == 1 && !slices.ContainsFunc(said, func(s []string) bool { return len(s) > 0 }) {
		return []Label{ReadLabel(reply, &criteria[0])}
	}
	labels := make([]Label, len(criteria))
	for i := range criteria {
		switch {
		case len(said[i]) == 0 && cut:
			labels[i] = Label{Status: eval.Unparsed, Reason: "the reply breaks off before this criterion"}
		case len(said[i]) == 0:
			labels[i] = Label{Status: eval.Unparsed, Reason: "the reply does not name this criterion"}
		default:
			labels[i] = accept(said[i][0], &criteria[i])
			for _, other := range said[i][1:] {
				if accept(other, &criteria[i]) != labels[i] {
					labels[i] = Label{Status: eval.Unparsed, Reason: fmt.Sprintf("two labels are given: %q and %q", clip(said[i][0]), clip(other))}
				}
			}
		}
	}
	return labels
}

// collect gathers what an object says of each criterion. Of one that breaks off, the last value counts for nothing.
func collect(v *loose.Value, criteria []Criterion, said [][]string, depth int) {
	if depth > 4 {
		return
	}
	whole := v.Items
	if v.State != loose.Whole && len(whole) > 0 {
		whole = whole[:len(whole)-1]
	}
	if name := text(under(v, nameKeys)); name != "" { // {"criterion": ..., "label": ...}
		if at := find(criteria, name); at >= 0 {
			if label, ok := labelOf(v); ok {
				said[at] = append(said[at], label)
				return
			}
		}
	}
	for i := range whole {
		item := &whole[i]
		at := -1
		if v.Kind == loose.Object {
			at = find(criteria, v.Keys[i])
		}
		switch {
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
		case len(criteria) == 1 && v.Kind == loose.Object && slices.Contains(labelKeys, fold(v.Keys[i])): // the label of the only one
			if label, ok := labelOf(v); ok {
				said[0] = append(said[0], label)
			}
		}
	}
}

// find returns the place of the criterion of that name, in any spelling, or -1.
func find(criteria []Criterion, name string) int {
	key := fold(name)
	return slices.IndexFunc(criteria, func(c Criterion) bool { return fold(c.Name) == key })
}

// labelOf returns the text of a label: of a scalar, of a list of one, or under a key of an object.
func labelOf(v *loose.Value) (string, bool) {
	switch v.Kind {
	case loose.Object:
		for _, key := range labelKeys {
			if inner := under(v, []string{key}); inner != nil {
				return labelOf(inner)
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
// value is marked by quotation marks, or stands alone on the last line or behind its last colon.
func ReadLabel(reply string, c *Criterion) Label {
	whole := accept(reply, c)
	if whole.Status == eval.Scored {
		return whole
	}
	lines := strings.Split(strings.TrimSpace(reply), "\n")
	last := lines[len(lines)-1]
	if l := accept(last, c); l.Status == eval.Scored {
		return l
	}
	if i := strings.LastIndexByte(last, ':'); i >= 0 {
		if l := accept(last[i+1:], c); l.Status == eval.Scored {
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
	return Label{Status: eval.Unparsed, Reason: fmt.Sprintf("two labels are given: %q and %q", marked[0].Value, marked[1].Value)}
}

// accept returns the accepted value that a text is: in any case, with quotation marks around it, and with an
// explanation behind a colon, dash, comma, bracket or full stop.
func accept(said string, c *Criterion) Label {
	key := fold(said)
	if key == "" {
		return Label{Status: eval.Unparsed, Reason: "the label is empty"}
	}
	if v, ok := match(key, c); ok {
		return Label{Value: v, Status: eval.Scored}
	}
	for i, r := range said {
		explained := strings.ContainsRune(":(,;.—–", r) || strings.HasPrefix(said[i:], " - ")
		if !explained || i == 0 {
			continue
		}
		if v, ok := match(fold(said[:i]), c); ok && !mentions(fold(said[i:]), v, c) {
			return Label{Value: v, Status: eval.Scored}
		}
	}
	return Label{Status: eval.Unparsed, Reason: fmt.Sprintf("%q is none of the accepted values", clip(said))}
}

// match finds an accepted value by its folded form.
func match(key string, c *Criterion) (string, bool) {
	for _, v := range c.Values {
		if fold(v) == key {
			return v, true
		}
	}
	return "", false
}

// mentions reports whether an explanation begins with another accepted value, as a list of them does.
func mentions(rest, value string, c *Criterion) bool {
	for _, v := range c.Values {
		if v != value && (rest == fold(v) || strings.HasPrefix(rest, fold(v)+" ")) {
			return true
		}
	}
	return false
}

// clip shortens a text for a reason.
func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "..."
	}
	return s
}
