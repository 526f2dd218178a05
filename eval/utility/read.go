package utility

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/sim/llm/loose"
)

// Keys under which critics put what belongs to a criterion.
var (
	nameKeys        = []string{"name", "criterion", "title"}
	descriptionKeys = []string{"description", "definition", "desc", "meaning"}
	valueKeys       = []string{"accepted values", "accepted value", "acceptable values", "values", "possible values", "scale", "options"}
	subKeys         = []string{"sub criteria", "subcriteria"}
	listKeys        = []string{"criteria", "evaluation criteria"}
)

// Ranges and comments of Python, as some critics write them among the JSON. They are looked for only where the reply
// cannot be read otherwise.
var (
	ranges   = regexp.MustCompile(`([:\[,]\s*)(?:list\()?(range\([\w\s,]+\))\)?`)
	comments = regexp.MustCompile(`(?m)([,\[\]{}"'0-9)]\s*)#[^"'\n]*$`)
)

// ReadCritic reads the criteria of a critic's reply: an object by name or a list, with accepted values as a list,
// object, text or range. What is no whole criterion is rejected with its reason; the error is for a reply that has
// none at all.
func ReadCritic(reply string) (kept []Criterion, rejected []string, err error) {
	found := loose.Find(reply)
	if broken := func(v loose.Value) bool { return v.State != loose.Whole }; slices.ContainsFunc(found, broken) {
		if again := loose.Find(ranges.ReplaceAllString(comments.ReplaceAllString(reply, "$1"), `$1"$2"`)); !slices.ContainsFunc(again, broken) {
			found = again
		}
	}
	if len(found) == 0 {
		return nil, nil, errors.New("no criteria in it: a JSON list or object is needed")
	}
	var list []Criterion
	for i := range found {
		readCriteria(&found[i], &list, &rejected)
	}
	for _, c := range list {
		err := c.complete()
		if err == nil && find(kept, c.Name) >= 0 {
			err = fmt.Errorf("%s: given twice", c.Name)
		}
		if err != nil {
			rejected = append(rejected, err.Error())
			continue
		}
		kept = append(kept, c)
	}
	if len(kept) == 0 {
		return nil, rejected, fmt.Errorf("no criteria in it: %s", strings.Join(append(rejected, "the JSON is of another form"), "; "))
	}
	return kept, rejected, nil
}

// readCriteria reads the criteria in one outermost value. Of one that breaks off, the last part is not whole and is
// left out.
func readCriteria(v *loose.Value, list *[]Criterion, rejected *[]string) {
	if inner := under(v, listKeys); inner != nil && inner.Items != nil {
		v = inner
	}
	parts := make([]loose.Value, 0, len(v.Items))
	names := make([]string, len(v.Items)+1)
	if under(v, valueKeys) != nil { // the criterion alone
		parts = append(parts, *v)
	} else {
		parts = append(parts, v.Items...)
		copy(names, v.Keys)
	}
	for i := range parts {
		c, err := readCriterion(&parts[i], names[i])
		switch {
		case v.State != loose.Whole && i == len(parts)-1:
			*rejected = append(*rejected, fmt.Sprintf("%s: the reply breaks off", orElse(names[i], "criterion "+strconv.Itoa(i+1))))
		case err != nil:
			*rejected = append(*rejected, fmt.Sprintf("%s: %v", orElse(c.Name, "a criterion"), err))
		default:
			*list = append(*list, c)
		}
	}
}

func readCriterion(v *loose.Value, name string) (Criterion, error) {
	c := Criterion{Name: strings.Trim(orElse(text(under(v, nameKeys)), name), "*_`\" "), Description: text(under(v, descriptionKeys))}
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
	var err error
	c.Values, c.Meaning, err = readValues(values)
	return c, err
}

// readValues reads accepted values with their meanings, where they are given: as a list, as an object by label, or as
// a text that holds all.
func readValues(v *loose.Value) (values []string, meaning map[string]string, err error) {
	add := func(label, means string) {
		values = append(values, strings.TrimSpace(label))
		if means != "" && label != "" {
			if meaning == nil {
				meaning = map[string]string{}
			}
			meaning[label] = means
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
	if len(values) == 1 {
		values = splitValues(values[0])
	}
	if len(values) < 2 {
		return nil, nil, fmt.Errorf("accepted values %q are no list", strings.Join(values, ", "))
	}
	return values, meaning, nil
}

// Texts that hold a range of whole numbers: range(0, 6, 1) of Python, which leaves out the end, and 1-5.
var (
	pythonRange = regexp.MustCompile(`^range\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?(?:,\s*(\d+)\s*)?\)$`)
	plainRange  = regexp.MustCompile(`^(\d+)\s*(?:to|–|-)\s*(\d+)$`)
)

// splitValues takes a text apart that holds all values: range(0, 6), 1-5, poor/fair/good, or a list with commas or
// semicolons.
func splitValues(s string) []string {
	s = strings.TrimSpace(s)
	atoi := func(s string, otherwise int) int {
		if n, err := strconv.Atoi(s); err == nil {
			return n
		}
		return otherwise
	}
	if m := pythonRange.FindStringSubmatch(strings.ToLower(s)); m != nil {
		if m[2] == "" {
			m[1], m[2] = "0", m[1]
		}
		return count(s, atoi(m[1], 0), atoi(m[2], 0)-1, atoi(m[3], 1))
	}
	if m := plainRange.FindStringSubmatch(strings.ToLower(s)); m != nil {
		return count(s, atoi(m[1], 0), atoi(m[2], 0), 1)
	}
	for _, at := range []string{";", "|", ",", "/"} {
		if strings.Contains(s, at) {
			var list []string
			for part := range strings.SplitSeq(strings.Trim(s, "[](){}"), at) {
				list = append(list, strings.Trim(strings.TrimSpace(part), `"'`))
			}
			return list
		}
	}
	return []string{s}
}

// count lists whole numbers as values, or returns the text where that makes no scale.
func count(s string, from, to, step int) []string {
	if step < 1 || to <= from || (to-from)/step >= maxValues {
		return []string{s}
	}
	var list []string
	for n := from; n <= to; n += step {
		list = append(list, strconv.Itoa(n))
	}
	return list
}

// joined is for keys such as acceptedValues.
var joined = strings.NewReplacer(" ", "")

// under returns the first value under one of the keys, in any spelling.
func under(v *loose.Value, keys []string) *loose.Value {
	if v == nil || v.Kind != loose.Object {
		return nil
	}
	for _, want := range keys {
		for i, key := range v.Keys {
			if i < len(v.Items) && (fold(key) == want || joined.Replace(fold(key)) == joined.Replace(want)) {
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

func orElse(s, instead string) string {
	if s == "" {
		return instead
	}
	return s
}
