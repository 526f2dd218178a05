package utility

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/eval"
	"parley/eval/report"
	"parley/sim/llm"
	"parley/sim/llm/loose"
)

// Keys under which critics put what belongs to a criterion.
var (
	nameKeys        = []string{"name", "criterion", "title", "criteria"}
	descriptionKeys = []string{"description", "definition", "desc", "meaning"}
	valueKeys       = []string{"accepted values", "accepted value", "acceptable values", "values", "possible values", "scale", "options"}
)

// ranges are those of Python, as some critics write them among the JSON.
var ranges = regexp.MustCompile(`([:\[,]\s*)(?:list\()?(range\([\w\s,]+\))\)?`)

// ReadCritic reads the criteria of a critic's reply: objects with accepted values, in a list or under their names at any
// depth. What is no whole criterion is rejected with its reason, and so is a reply that has none at all.
func ReadCritic(reply string) (kept []Criterion, rejected []string) {
	_, reply, ended := llm.SplitReasoning(reply)
	if !ended {
		return nil, []string{"the reply ends within its reasoning"}
	}
	found := loose.Find(reply)
	if slices.ContainsFunc(found, unfinished) {
		found = loose.Find(ranges.ReplaceAllString(reply, `$1"$2"`))
	}
	if len(found) == 0 {
		return nil, []string{"no criteria in it: a JSON list or object is needed"}
	}
	var list []Criterion
	for i := range found {
		readCriteria("", &found[i], &list, &rejected)
	}
	for _, c := range list {
		problems := c.problems("")
		switch {
		case len(problems) > 0:
			rejected = append(rejected, cmp.Or(c.Name, "a criterion")+": "+problems[0].Text)
		case find(kept, c.Name) >= 0:
			rejected = append(rejected, c.Name+": given twice")
		default:
			kept = append(kept, c)
		}
	}
	return kept, rejected
}

func unfinished(v loose.Value) bool { return v.State != loose.Whole }

// readCriteria reads a criterion that is under a name, or, where the value has no accepted values, those within it.
func readCriteria(name string, v *loose.Value, list *[]Criterion, rejected *[]string) {
	c := Criterion{Name: strings.Trim(cmp.Or(text(under(v, nameKeys)), name), "*_`\" "), Description: text(under(v, descriptionKeys))}
	values, deeper := under(v, valueKeys), func(item loose.Value) bool { return item.Items != nil }
	why := ": no accepted values"
	switch {
	case values != nil && !unfinished(*v):
		c.readValues(values)
		if subs := under(v, []string{"sub criteria"}); subs != nil && subs.Items != nil {
			readCriteria("", subs, &c.Sub, rejected)
		}
		*list = append(*list, c)
		return
	case values == nil && slices.ContainsFunc(v.Items, deeper):
		for i := range v.Items {
			if v.Kind == loose.Array {
				readCriteria("", &v.Items[i], list, rejected)
			} else if deeper(v.Items[i]) {
				readCriteria(v.Keys[i], &v.Items[i], list, rejected)
			}
		}
		return
	case unfinished(*v):
		why = ": the reply breaks off"
	}
	*rejected = append(*rejected, cmp.Or(c.Name, "a criterion")+why)
}

// readValues reads accepted values with their meanings, where they are given: as a list, as an object by label, as the
// ends of a range, or as a text that holds all. That a criterion does not apply is no value.
func (c *Criterion) readValues(v *loose.Value) {
	c.Meaning = map[string]string{}
	if low, high := under(v, []string{"min", "minimum"}), under(v, []string{"max", "maximum"}); low != nil && high != nil {
		v = &loose.Value{Kind: loose.String, Text: text(low) + "-" + text(high)}
	}
	for i := range v.Items {
		item := &v.Items[i]
		label, means := text(under(item, []string{"value", "label", "name"})), text(under(item, descriptionKeys))
		switch {
		case v.Kind == loose.Object:
			label, means = v.Keys[i], text(item)
		case label == "" && len(item.Keys) == 1:
			label, means = item.Keys[0], text(&item.Items[0])
		case label == "":
			label = text(item)
		}
		label = strings.TrimSpace(label)
		if c.Values = append(c.Values, label); means != "" {
			c.Meaning[label] = means
		}
	}
	if whole := append(c.Values, text(v)); len(c.Values) < 2 {
		c.Values = splitValues(whole[0])
	}
	c.Values = slices.DeleteFunc(c.Values, notApplicable)
}

// wholeRange is a range of whole numbers: range(0, 6, 1) of Python, which leaves out the end, or 1-5, with words before
// and an explanation in brackets behind.
var wholeRange = regexp.MustCompile(`^(?:range\(\s*(?:(\d+)\s*,\s*)?(\d+)\s*(?:,\s*(\d+)\s*)?\)|[a-z ]*\b(\d+)\s*(?:to|and|–|-)\s*(\d+)(?:\s*\(.*)?)$`)

// splitValues takes a text apart that holds all values: a range, or a list with commas, semicolons, bars, slashes or "or".
func splitValues(s string) (list []string) {
	if m := wholeRange.FindStringSubmatch(strings.ToLower(s)); m != nil {
		var n [6]int
		for i := range m {
			n[i], _ = strconv.Atoi(m[i])
		}
		from, to := n[1]+n[4], max(n[2]-1, n[5])
		for ; from <= to && len(list) <= maxValues; from += max(1, n[3]) {
			list = append(list, strconv.Itoa(from))
		}
		return list
	}
	for _, at := range []string{";", "|", ",", "/", " or "} {
		if strings.Contains(s, at) {
			for part := range strings.SplitSeq(strings.Trim(s, "[](){}"), at) {
				list = append(list, strings.Trim(strings.TrimPrefix(strings.TrimSpace(part), "or "), `"' `))
			}
			return list
		}
	}
	return []string{s}
}

// squash makes spellings of a key, such as acceptedValues and accepted_values, the same.
func squash(key string) string { return strings.ReplaceAll(fold(key), " ", "") }

// has reports whether a key is one of some, in any spelling.
func has(keys []string, key string) bool {
	return slices.ContainsFunc(keys, func(one string) bool { return squash(one) == squash(key) })
}

// under returns the first value under one of the keys, in any spelling, or nil.
func under(v *loose.Value, keys []string) *loose.Value {
	for _, want := range keys {
		for i, key := range v.Keys {
			if i < len(v.Items) && squash(key) == squash(want) {
				return &v.Items[i]
			}
		}
	}
	return nil
}

// text returns a scalar as it is written; "" for anything else.
func text(v *loose.Value) string {
	if v == nil || v.Kind == loose.Null {
		return ""
	}
	return strings.TrimSpace(v.Text) // lists and objects have none
}

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
