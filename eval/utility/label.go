package utility

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/report"
	"parley/sim/llm"
	"parley/sim/llm/loose"
)

// Label is what a quantifier said of one criterion.
type Label struct {
	Value  string // one of the accepted values; empty unless scored
	Status eval.Status
	Reason string // why there is none
}

// inapplicable is the label of a criterion that does not apply to a sample.
const inapplicable = "not applicable"

// notApplicable reports whether a label says that.
func notApplicable(label string) bool {
	return slices.Contains([]string{inapplicable, "n a", "na"}, fold(label))
}

func unread(format string, args ...any) Label {
	return Label{Status: eval.Unparsed, Reason: fmt.Sprintf(format, args...)}
}

// labelKeys are those under which quantifiers put the label of a criterion, in the order in which they count.
var labelKeys = []string{"accepted values", "accepted value", "value", "label", "rating", "score", "level", "selected", "selected value", "choice", "answer", "assessment", "evaluation", "result"}

// ReadLabels reads a quantifier's reply on several criteria, by their order. What is not an accepted value is unscored
// with its reason.
func ReadLabels(reply string, criteria []Criterion) []Label {
	_, text, ended := llm.SplitReasoning(reply)
	found, said := loose.Find(text), map[int][]string{}
	for i := range found {
		collect("", &found[i], criteria, said)
	}
	missing := "the reply does not name this criterion"
	switch {
	case !ended:
		said, missing = nil, "the reply ends within its reasoning"
	case len(said) == 0 && len(criteria) == 1:
		return []Label{readLabel(text, &criteria[0])}
	case slices.ContainsFunc(found, unfinished):
		missing = "the reply breaks off before this criterion"
	case len(found) == 0:
		missing = "there is no JSON in the reply"
	}
	labels := make([]Label, len(criteria))
	for i := range criteria {
		labels[i] = unread("%s", missing)
		for k, text := range said[i] {
			if label := accept(text, &criteria[i]); k == 0 {
				labels[i] = label
			} else if label != labels[i] {
				labels[i] = unread("two labels are given: %q and %q", clip(said[i][0]), clip(text))
				break
			}
		}
	}
	return labels
}

// collect gathers what a value under a key, or the values within it, say of criteria, by their places:
// {"Clarity": ...}, {"criterion": "Clarity", "label": ...}, or {"label": ...} of the only one. Of a value that breaks
// off, the last part counts for nothing.
func collect(key string, v *loose.Value, criteria []Criterion, said map[int][]string) {
	label, labelled := labelOf(v)
	at := max(find(criteria, key), find(criteria, text(under(v, nameKeys))))
	if len(criteria) == 1 && labelled && slices.Contains(labelKeys, fold(key)) {
		at = 0
	}
	if at >= 0 {
		said[at] = append(said[at], label)
		return
	}
	if v.Kind == loose.String && strings.ContainsRune(v.Text, '{') { // an object as a text
		v = &loose.Value{Items: loose.Find(v.Text)}
	}
	for i := range v.Items {
		key := ""
		if v.Keys != nil {
			key = v.Keys[i]
		}
		if i < len(v.Items)-1 || !unfinished(*v) {
			collect(key, &v.Items[i], criteria, said)
		}
	}
}

// find returns the place of the criterion of that name, in any spelling, or -1.
func find(criteria []Criterion, name string) int {
	key := squash(name)
	return slices.IndexFunc(criteria, func(c Criterion) bool { return key != "" && squash(c.Name) == key })
}

// labelOf returns the text of a label: of a scalar, of a list of one, or under a key of an object.
func labelOf(v *loose.Value) (label string, ok bool) {
	for _, key := range labelKeys {
		if inner := under(v, []string{key}); inner != nil && !ok {
			label, ok = labelOf(inner)
		}
	}
	if v.Kind == loose.Array && len(v.Items) == 1 {
		return labelOf(&v.Items[0])
	}
	if ok || v.Items == nil {
		return label + v.Text, true
	}
	return "several values or none", false
}

// readLabel reads a reply that is on one criterion: the label alone, or behind prose where it is alone on the last line
// or behind its last colon.
func readLabel(reply string, c *Criterion) Label {
	last := strings.TrimSpace(reply)
	last = last[strings.LastIndexByte(last, '\n')+1:]
	for _, text := range []string{reply, last, last[strings.LastIndexByte(last, ':')+1:]} {
		if l := accept(text, c); l.Status != eval.Unparsed {
			return l
		}
	}
	return accept(reply, c)
}

// accept returns the accepted value that a text is, or that it does not apply: in any case, with quotation marks around
// it, and with an explanation behind a colon, dash, comma, bracket, full stop or line, unless that begins with another
// accepted value or goes on with a number.
func accept(said string, c *Criterion) Label {
	text := strings.ReplaceAll(said, " - ", " – ") // a hyphen within a word ends nothing
	for end := len(text); end > 0; end = strings.LastIndexAny(text[:end], ":(,;.—–\n") {
		decimals := fraction.FindString(text[end:])
		if strings.Trim(decimals, ".0") != "" {
			continue
		}
		label, rest := fold(text[:end]), fold(text[end+len(decimals):])+" "
		for _, v := range c.Values {
			another := func(other string) bool { return other != v && strings.HasPrefix(rest, fold(other)+" ") }
			if fold(v) == label && !slices.ContainsFunc(c.Values, another) {
				return Label{Value: v, Status: eval.Scored}
			}
		}
		if notApplicable(label) {
			return Label{Status: eval.NotApplicable, Reason: "the quantifier says that it does not apply"}
		}
	}
	if fold(said) == "" {
		return unread("the label is empty")
	}
	return unread("%q is none of the accepted values", clip(said))
}

// fraction is the rest of a number behind its whole part.
var fraction = regexp.MustCompile(`^[.,]\d+`)

// clip shortens a text for a reason.
func clip(s string) string { return report.Shorten(s, 60) }
