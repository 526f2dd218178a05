package utility

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

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
