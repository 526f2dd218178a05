package utility

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/sim/llm"
	"parley/sim/llm/loose"
)

// Keys under which critics put what belongs to a criterion.
var (
	nameKeys        = []string{"name", "criterion", "title"}
	descriptionKeys = []string{"description", "definition", "desc", "meaning"}
	valueKeys       = []string{"accepted values", "accepted value", "acceptable values", "values", "possible values", "scale", "options"}
)

// ranges are those of Python, as some critics write them among the JSON.
var ranges = regexp.MustCompile(`([:\[,]\s*)(?:list\()?(range\([\w\s,]+\))\)?`)

// ReadCritic reads the criteria of a critic's reply: objects with accepted values, in a list or under their names at any
// depth. What is no whole criterion is rejected with its reason; the error is for a reply that has none at all.
func ReadCritic(reply string) (kept []Criterion, rejected []string, err error) {
	_, reply, ended := llm.SplitReasoning(reply)
	if !ended {
		return nil, nil, errors.New("the reply ends within its reasoning")
	}
	found := loose.Find(reply)
	if slices.ContainsFunc(found, unfinished) {
		found = loose.Find(ranges.ReplaceAllString(reply, `$1"$2"`))
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
	switch {
	case len(found) == 0:
		err = errors.New("no criteria in it: a JSON list or object is needed")
	case len(kept) == 0:
		err = fmt.Errorf("no criteria in it: %s", strings.Join(rejected, "; "))
	}
	return kept, rejected, err
}

func unfinished(v loose.Value) bool { return v.State != loose.Whole }

// readCriteria reads a criterion that is under a name, or, where the value has no accepted values, those within it.
func readCriteria(name string, v *loose.Value, list *[]Criterion, rejected *[]string) {
	c := Criterion{Name: strings.Trim(cmp.Or(text(under(v, nameKeys)), name), "*_`\" "), Description: text(under(v, descriptionKeys))}
	values, deeper := under(v, valueKeys), func(item loose.Value) bool { return item.Items != nil }
	switch {
	case values != nil && !unfinished(*v):
		c.readValues(values)
		if subs := under(v, []string{"sub criteria"}); subs != nil {
			readCriteria("", subs, &c.Sub, rejected)
		}
		*list = append(*list, c)
	case values == nil && slices.ContainsFunc(v.Items, deeper):
		for i := range v.Items {
			if v.Kind == loose.Array {
				readCriteria("", &v.Items[i], list, rejected)
			} else if deeper(v.Items[i]) {
				readCriteria(v.Keys[i], &v.Items[i], list, rejected)
			}
		}
	case unfinished(*v):
		*rejected = append(*rejected, cmp.Or(c.Name, "a criterion")+": the reply breaks off")
	default:
		*rejected = append(*rejected, cmp.Or(c.Name, "a criterion")+": no accepted values")
	}
}

// readValues reads accepted values with their meanings, where they are given: as a list, as an object by label, or as
// a text that holds all.
func (c *Criterion) readValues(v *loose.Value) {
	c.Meaning = map[string]string{}
	add := func(label, means string) {
		label = strings.TrimSpace(label)
		if c.Values = append(c.Values, label); means != "" {
			c.Meaning[label] = means
		}
	}
	switch v.Kind {
	case loose.Array:
		for i := range v.Items {
			item := &v.Items[i]
			label := text(under(item, []string{"value", "label", "name"}))
			if label == "" && len(item.Keys) == 1 {
				add(item.Keys[0], text(&item.Items[0]))
			} else {
				add(cmp.Or(label, text(item)), text(under(item, descriptionKeys)))
			}
		}
	case loose.Object:
		for i, key := range v.Keys {
			add(key, text(&v.Items[i]))
		}
	default:
		add(text(v), "")
	}
	if len(c.Values) == 1 {
		c.Values = splitValues(c.Values[0])
	}
}

// wholeRange is a range of whole numbers: range(0, 6, 1) of Python, which leaves out the end, or 1-5.
var wholeRange = regexp.MustCompile(`^(?:range\(\s*(?:(\d+)\s*,\s*)?(\d+)\s*(?:,\s*(\d+)\s*)?\)|(\d+)\s*(?:to|–|-)\s*(\d+))$`)

// splitValues takes a text apart that holds all values: a range, or a list with commas, semicolons, bars or slashes.
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
	for _, at := range []string{";", "|", ",", "/"} {
		if strings.Contains(s, at) {
			for part := range strings.SplitSeq(strings.Trim(s, "[](){}"), at) {
				list = append(list, strings.Trim(part, `"' `))
			}
			return list
		}
	}
	return []string{s}
}

// squash makes spellings of a key, such as acceptedValues and accepted_values, the same.
func squash(key string) string { return strings.ReplaceAll(fold(key), " ", "") }

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
