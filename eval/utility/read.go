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
	descriptionKeys = []string{"description", "definition", "desc"}
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
func ReadCritic(reply string) (list []Criterion, rejected []string, err error) {
	found := loose.Find(reply)
	if broken := func(v loose.Value) bool { return v.State != loose.Whole }; slices.ContainsFunc(found, broken) {
		if again := loose.Find(ranges.ReplaceAllString(comments.ReplaceAllString(reply, "$1"), `$1"$2"`)); !slices.ContainsFunc(again, broken) {
			found = again
		}
	}
	if len(found) == 0 {
		return nil, nil, errors.New("no criteria in it: a JSON list or object is needed")
	}
	for i := range found {
		readCriteria(&found[i], &list, &rejected)
	}
	kept := list[:0]
	for _, c := range list {
		if err := c.complete(); err != nil {
			rejected = append(rejected, err.Error())
			continue
		}
		if slices.ContainsFunc(kept, func(k Criterion) bool { return fold(k.Name) == fold(c.Name) }) {
			rejected = append(rejected, c.Name+": given twice")
			continue
		}
		kept = append(kept, c)
	}
	if len(kept) == 0 {
		return nil, rejected, fmt.Errorf("no criteria in it: %s", strings.Join(append(rejected, "the JSON is of another form"), "; "))
	}
	return kept, rejected, nil
}

// readCriteria reads what is under one outermost value. Of one that breaks off, the last part is not whole and is
// left out.
func readCriteria(v *loose.Value, list *[]Criterion, rejected *[]string) {
	if v.Kind == loose.Object {
		if inner := under(v, listKeys); inner != nil && (inner.Kind == loose.Array || inner.Kind == loose.Object) {
			readCriteria(inner, list, rejected)
			return
		}
	}
	for i := range v.Items {
		item := &v.Items[i]
		name := ""
		if v.Kind == loose.Object {
			if under(v, valueKeys) != nil { // the criterion alone
				item, name = v, text(under(v, nameKeys))
			} else {
				name = v.Keys[i]
			}
		}
		c, err := readCriterion(item, name)
		switch {
		case v.State != loose.Whole && i == len(v.Items)-1:
			*rejected = append(*rejected, fmt.Sprintf("%s: the reply breaks off", orElse(name, "criterion "+strconv.Itoa(i+1))))
		case err != nil:
			*rejected = append(*rejected, err.Error())
		default:
			*list = append(*list, c)
		}
		if item == v {
			return
		}
	}
}

func readCriterion(v *loose.Value, name string) (Criterion, error) {
	c := Criterion{Name: name}
	if v.Kind == loose.Array && name != "" { // {"name": ["bad", "good"]}
		values, meaning, err := readValues(v)
		c.Values, c.Meaning = values, meaning
		return c, err
	}
	if v.Kind != loose.Object {
		return c, fmt.Errorf("%s: no object with a description and accepted values", orElse(name, "a criterion"))
	}
	if n := text(under(v, nameKeys)); n != "" {
		c.Name = n
	}
	c.Description = text(under(v, descriptionKeys))
	if subs := under(v, subKeys); subs != nil {
		var rejected []string
		readCriteria(subs, &c.Sub, &rejected)
		if len(rejected) > 0 {
			return c, fmt.Errorf("%s: %s", c.Name, rejected[0])
		}
	}
	values := under(v, valueKeys)
	if values == nil {
		return c, fmt.Errorf("%s: no accepted values", orElse(c.Name, "a criterion"))
	}
	var err error
	if c.Values, c.Meaning, err = readValues(values); err != nil {
		return c, fmt.Errorf("%s: %w", c.Name, err)
	}
	return c, nil
}

// readValues reads accepted values with their meanings, where they are given.
func readValues(v *loose.Value) (values []string, meaning map[string]string, err error) {
	switch v.Kind {
	case loose.Array:
		for i := range v.Items {
			item := &v.Items[i]
			label := text(item)
			if item.Kind == loose.Object {
				label = text(under(item, append([]string{"value", "label"}, nameKeys...)))
				if d := text(under(item, append([]string{"meaning"}, descriptionKeys...))); d != "" && label != "" {
					meaning = put(meaning, label, d)
				}
				if label == "" && len(item.Keys) == 1 {
					label = item.Keys[0]
					meaning = put(meaning, label, text(&item.Items[0]))
				}
			}
			values = append(values, strings.TrimSpace(label))
		}
	case loose.Object:
		for i, key := range v.Keys {
			values = append(values, key)
			if d := text(&v.Items[i]); d != "" {
				meaning = put(meaning, key, d)
			}
		}
	default:
		values = splitValues(text(v))
	}
	if len(values) == 1 {
		values = splitValues(values[0])
	}
	if len(values) < 2 {
		return nil, nil, fmt.Errorf("accepted values %q are no list", strings.Join(values, ", "))
	}
	return values, meaning, nil
}

func put(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}

// splitValues takes a text apart that holds all values: range(0, 6), 1-5, poor/fair/good, or a list with commas or
// semicolons.
func splitValues(s string) []string {
	s = strings.TrimSpace(s)
	lower := strings.ToLower(s)
	if inner, ok := strings.CutPrefix(lower, "range("); ok {
		from, to, step := 0, 0, 1
		args := strings.Split(strings.TrimSuffix(inner, ")"), ",")
		var numbers []int
		for _, a := range args {
			n, err := strconv.Atoi(strings.TrimSpace(a))
			if err != nil {
				return []string{s}
			}
			numbers = append(numbers, n)
		}
		switch len(numbers) {
		case 1:
			to = numbers[0]
		case 2:
			from, to = numbers[0], numbers[1]
		case 3:
			from, to, step = numbers[0], numbers[1], numbers[2]
		}
		return count(s, from, to-1, step)
	}
	for _, between := range []string{" to ", "–", "-"} {
		a, b, ok := strings.Cut(lower, between)
		from, err1 := strconv.Atoi(strings.TrimSpace(a))
		to, err2 := strconv.Atoi(strings.TrimSpace(b))
		if ok && err1 == nil && err2 == nil {
			return count(s, from, to, 1)
		}
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

// under returns the first value under one of the keys, in any spelling.
func under(v *loose.Value, keys []string) *loose.Value {
	if v == nil || v.Kind != loose.Object {
		return nil
	}
	for _, want := range keys {
		for i, key := range v.Keys {
			if fold(key) == want {
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
