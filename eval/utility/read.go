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
	subKeys         = []string{"sub criteria"}
	listKeys        = []string{"criteria", "evaluation criteria"}
)

// ranges are those of Python, as some critics write them among the JSON.
var ranges = regexp.MustCompile(`([:\[,]\s*)(?:list\()?(range\([\w\s,]+\))\)?`)

// ReadCritic reads the criteria of a critic's reply: an object by name or a list, with accepted values as a list,
// object, text or range. What is no whole criterion is rejected with its reason; the error is for a reply that has
// none at all.
func ReadCritic(reply string) (kept []Criterion, rejected []string, err error) {
	_, reply, ended := llm.SplitReasoning(reply)
	if !ended {
		return nil, nil, errors.New("the reply ends within its reasoning")
	}
	found := loose.Find(reply)
	if slices.ContainsFunc(found, unfinished) {
		found = loose.Find(ranges.ReplaceAllString(reply, `$1"$2"`))
	}
	if len(found) == 0 {
		return nil, nil, errors.New("no criteria in it: a JSON list or object is needed")
	}
	var list []Criterion
	for i := range found {
		readCriteria(&found[i], &list, &rejected)
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
	if len(kept) == 0 {
		return nil, rejected, fmt.Errorf("no criteria in it: %s", strings.Join(append(rejected, "the JSON is of another form"), "; "))
	}
	return kept, rejected, nil
}

func unfinished(v loose.Value) bool { return v.State != loose.Whole }

// readCriteria reads the criteria in one outermost value. Of one that breaks off, the last part is not whole and is
// left out.
func readCriteria(v *loose.Value, list *[]Criterion, rejected *[]string) {
	if inner := under(v, listKeys); inner != nil && inner.Items != nil {
		v = inner
	}
	parts, names := v.Items, v.Keys
	if under(v, valueKeys) != nil { // the criterion alone
		parts, names = []loose.Value{*v}, nil
	}
	for i := range parts {
		name := ""
		if names != nil {
			name = names[i]
		}
		c, err := readCriterion(&parts[i], name)
		if unfinished(*v) && i == len(parts)-1 {
			err = errors.New("the reply breaks off")
		}
		if err != nil {
			*rejected = append(*rejected, fmt.Sprintf("%s: %v", cmp.Or(c.Name, "criterion "+strconv.Itoa(i+1)), err))
			continue
		}
		*list = append(*list, c)
	}
}

func readCriterion(v *loose.Value, name string) (Criterion, error) {
	c := Criterion{Name: strings.Trim(cmp.Or(text(under(v, nameKeys)), name), "*_`\" "), Description: text(under(v, descriptionKeys))}
	values := under(v, valueKeys)
	switch {
	case v.Kind == loose.Array && name != "": // {"name": ["bad", "good"]}
		values = v
	case v.Kind != loose.Object:
		return c, errors.New("no object with a description and accepted values")
	case values == nil:
		return c, errors.New("no accepted values")
	}
	if subs := under(v, subKeys); subs != nil {
		var rejected []string
		if readCriteria(subs, &c.Sub, &rejected); len(rejected) > 0 {
			return c, errors.New(rejected[0])
		}
	}
	c.readValues(values)
	return c, nil
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
			switch label := text(under(item, append([]string{"value", "label"}, nameKeys...))); {
			case item.Kind == loose.Object && label == "" && len(item.Keys) == 1:
				add(item.Keys[0], text(&item.Items[0]))
			case item.Kind == loose.Object:
				add(label, text(under(item, descriptionKeys)))
			default:
				add(text(item), "")
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

// wholeRange is a text that holds a range of whole numbers: range(0, 6, 1) of Python, which leaves out the end, or 1-5.
var wholeRange = regexp.MustCompile(`^(?:range\(\s*(?:(\d+)\s*,\s*)?(\d+)\s*(?:,\s*(\d+)\s*)?\)|(\d+)\s*(?:to|–|-)\s*(\d+))$`)

// splitValues takes a text apart that holds all values: range(0, 6), 1-5, poor/fair/good, or a list with commas or
// semicolons.
func splitValues(s string) (list []string) {
	s = strings.TrimSpace(s)
	if m := wholeRange.FindStringSubmatch(strings.ToLower(s)); m != nil {
		var n [6]int
		for i := range m {
			n[i], _ = strconv.Atoi(m[i])
		}
		from, to, step := n[1]+n[4], n[2]-1, max(1, n[3])
		if m[5] != "" {
			to = n[5]
		}
		for ; from <= to && len(list) <= maxValues; from += step {
			list = append(list, strconv.Itoa(from))
		}
		return list
	}
	for _, at := range []string{";", "|", ",", "/"} {
		if strings.Contains(s, at) {
			for part := range strings.SplitSeq(strings.Trim(s, "[](){}"), at) {
				list = append(list, strings.Trim(strings.TrimSpace(part), `"'`))
			}
			return list
		}
	}
	return []string{s}
}

// squash makes spellings of a key, such as acceptedValues and accepted_values, the same.
func squash(key string) string { return strings.ReplaceAll(fold(key), " ", "") }

// under returns the first value under one of the keys, in any spelling.
func under(v *loose.Value, keys []string) *loose.Value {
	if v == nil || v.Kind != loose.Object {
		return nil
	}
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
	if v == nil || v.Kind == loose.Array || v.Kind == loose.Object || v.Kind == loose.Null {
		return ""
	}
	return strings.TrimSpace(v.Text)
}
