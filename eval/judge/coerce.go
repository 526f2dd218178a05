package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"parley/sim/llm/loose"
)

// coerce reads a value in the terms of a schema. Nothing is clamped, rounded or filled in.
func coerce(v *loose.Value, schema any) (any, error) {
	p := partOf(schema)
	if choices, ok := p.choices(); ok {
		return choose(v, choices)
	}
	switch {
	case v.Kind == loose.Null && p.typed("null"):
		return nil, nil
	case v.Kind == loose.Object && p.object():
		return object(v, p)
	case v.Kind == loose.Array && p.typed("array"):
		list := make([]any, len(v.Items))
		for i := range v.Items {
			item, err := coerce(&v.Items[i], p["items"])
			if err != nil {
				return nil, fmt.Errorf("item %d: %w", i+1, err)
			}
			list[i] = item
		}
		return list, nil
	case p.typed("integer"), p.typed("number"):
		return number(v, p)
	case p.typed("boolean"):
		return boolean(v)
	case p.typed("string"):
		if v.Kind != loose.String {
			return nil, fmt.Errorf("%s is no text", show(v))
		}
		return v.Text, nil
	}
	return literal(v)
}

var errMissing = errors.New("it is missing")

func object(v *loose.Value, p part) (any, error) {
	out, failed := members(v, p)
	for _, key := range slices.Sorted(maps.Keys(failed)) {
		return nil, fmt.Errorf("%q: %w", key, failed[key])
	}
	return out, nil
}

// members reads every property, also behind one that cannot be read, so that independent labels can be had
// one by one. Keys that the schema neither names nor allows are left out.
func members(v *loose.Value, p part) (out map[string]any, failed map[string]error) {
	out, failed = map[string]any{}, map[string]error{}
	names := p.names()
	for i, key := range v.Keys {
		property, schema := p.named(key, names), p["additionalProperties"]
		if property == "" {
			if schema == false {
				continue
			}
			property = key
		} else {
			schema = p.properties()[property]
		}
		member := &v.Items[i]
		got, err := coerce(member, schema)
		if err != nil && member.Kind == loose.Null && !slices.Contains(p.required(), property) {
			continue // null for what need not be there
		}
		had, twice := out[property]
		switch {
		case err != nil:
			failed[property] = err
		case twice && !same(had, got):
			failed[property] = errors.New("two different values are given")
		default:
			out[property] = got
		}
	}
	for _, property := range p.required() {
		if _, ok := out[property]; !ok && failed[property] == nil {
			failed[property] = errMissing
		}
	}
	return out, failed
}

// literal returns a value without a schema, its numbers in one spelling.
func literal(v *loose.Value) (any, error) {
	got, err := v.Any()
	if err != nil {
		return nil, err
	}
	return spell(got), nil
}

func spell(v any) any {
	switch v := v.(type) {
	case json.Number:
		return decimal(v)
	case []any:
		for i := range v {
			v[i] = spell(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = spell(v[key])
		}
	}
	return v
}

// decimal writes a whole number without a fraction or exponent, so that it decodes into an integer.
func decimal(n json.Number) json.Number {
	f, err := n.Float64()
	if err == nil && f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return json.Number(strconv.FormatInt(int64(f), 10))
	}
	return n
}

// share is a number as a share of the highest of its scale.
var share = regexp.MustCompile(`^(\S+?)\s*(?:/|out of)\s*(\S+)$`)

// number reads a number: as such, as text, or as a share of the maximum, such as 4/5 on a scale to 5.
func number(v *loose.Value, p part) (any, error) {
	text := tidy(v.Text)
	if m := share.FindStringSubmatch(text); m != nil {
		if high, ok := p.bound("maximum"); ok && m[2] == strconv.FormatFloat(high, 'f', -1, 64) {
			text = m[1]
		}
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil || !json.Valid([]byte(text)) {
		return nil, fmt.Errorf("%s is no number", show(v))
	}
	return decimal(json.Number(text)), nil
}

var yesNo = map[string]bool{"true": true, "yes": true, "false": false, "no": false}

// boolean reads true and false, also as yes and no. Words that praise or blame are neither: whether "pass" is
// true depends on the question.
func boolean(v *loose.Value) (any, error) {
	b, ok := yesNo[fold(v.Text)]
	if !ok || v.Kind == loose.Number {
		return nil, fmt.Errorf("%s is neither true nor false", show(v))
	}
	return b, nil
}

// choose finds the listed value that a value means: the same one; for a label, the same but for case, spaces
// and quotation marks, or the only label that begins with the words given, four letters or a digit at least.
func choose(v *loose.Value, choices []any) (any, error) {
	said := fold(v.Text)
	var folded, begun []any
	for _, choice := range choices {
		if means(v, choice) {
			return choice, nil
		}
		label, ok := choice.(string)
		if !ok || said == "" {
			continue
		}
		switch label = fold(label); {
		case label == said:
			folded = append(folded, choice)
		case begins(label, said):
			begun = append(begun, choice)
		}
	}
	switch {
	case len(folded) == 1:
		return folded[0], nil
	case len(folded) == 0 && len(begun) == 1:
		return begun[0], nil
	}
	return nil, fmt.Errorf("%s is not one of %s", show(v), list(choices))
}

// means reports whether a value is a listed one, which decides how it is read.
func means(v *loose.Value, choice any) bool {
	var got any
	var err error
	switch choice.(type) {
	case string:
		return v.Kind < loose.Array && choice == v.Text
	case json.Number:
		got, err = number(v, nil)
	case bool:
		got, err = boolean(v)
	default:
		got, err = literal(v)
	}
	return err == nil && same(got, choice)
}

// begins reports whether a label has more words than those said, which tell enough of it.
func begins(label, said string) bool {
	rest, ok := strings.CutPrefix(label, said)
	next := []rune(rest + "x")[0]
	return ok && !unicode.IsLetter(next) && !unicode.IsDigit(next) && (len(said) > 3 || strings.ContainsAny(said, "0123456789"))
}

// tidy takes off what surrounds a label or number: white space, quotation marks, emphasis, and a full stop
// behind it.
func tidy(text string) string {
	text = norm.NFKC.String(strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, text))
	return strings.TrimRight(strings.Trim(text, " \t\r\n\"'`“”‘’«»*_~[]"), ".!,;: \t\"'`”’*_")
}

// fold makes labels that differ in case, spaces, dashes and quotation marks the same.
func fold(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(tidy(text)), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("-_–—\"'`", r)
	}), " ")
}
