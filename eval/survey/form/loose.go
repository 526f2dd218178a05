package form

import (
	"strings"
	"unicode"

	"parley/sim/llm/loose"
)

// pair is one key of an object, whose order is kept: models write questions as keys.
type pair struct {
	key   string
	value any
}

// object is a JSON object: keys in their order.
type object []pair

// get returns the first value that stands under one of the names, whatever their case and joints.
func (o object) get(names ...string) any {
	for _, name := range names {
		for _, p := range o {
			if squash(p.key) == name {
				return p.value
			}
		}
	}
	return nil
}

func (o object) has(name string) bool {
	for _, p := range o {
		if squash(p.key) == name {
			return true
		}
	}
	return false
}

// squash makes keys that differ in case, spaces, hyphens and underscores the same.
func squash(key string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, key)
}

// number is a JSON number, as written.
type number string

// ordered makes a value of a text's JSON in terms that keep the order of keys: object, []any, string, number, bool
// and nil. Of a value that is not complete it makes what is there.
func ordered(v *loose.Value) any {
	switch v.Kind {
	case loose.Null:
		return nil
	case loose.Bool:
		return v.Text == "true"
	case loose.Number:
		return number(v.Text)
	case loose.Array:
		list := []any{}
		for i := range v.Items {
			list = append(list, ordered(&v.Items[i]))
		}
		return list
	case loose.Object:
		o := object{}
		for i := range v.Items {
			o = append(o, pair{v.Keys[i], ordered(&v.Items[i])})
		}
		return o
	}
	return v.Text
}
