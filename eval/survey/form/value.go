package form

import (
	"strconv"
	"strings"
	"unicode"

	"parley/sim/llm/loose"
)

// value is a part of a document's JSON, whose keys keep their order; without a Value it is not there.
type value struct{ *loose.Value }

// squash makes keys that differ in case, spaces, hyphens and underscores the same.
func squash(key string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, key)
}

func (v value) is(k loose.Kind) bool { return v.Value != nil && v.Kind == k }

// get returns the first value of an object under one of the names, whatever their case and joints.
func (v value) get(names ...string) value {
	if v.is(loose.Object) {
		for _, name := range names {
			for i, key := range v.Keys {
				if squash(key) == name && v.Items[i].Kind != loose.Null {
					return value{&v.Items[i]}
				}
			}
		}
	}
	return value{}
}

func (v value) has(name string) bool { return v.get(name).Value != nil }

// each returns the entries of a list.
func (v value) each() []value {
	if !v.is(loose.Array) {
		return nil
	}
	return v.values()
}

// values returns the entries of a list or an object.
func (v value) values() []value {
	if v.Value == nil {
		return nil
	}
	list := make([]value, len(v.Items))
	for i := range list {
		list[i] = value{&v.Items[i]}
	}
	return list
}

// text makes a text of a value: of an object what it calls its text, of a list its only entry.
func (v value) text() string { return v.inner(3) }

func (v value) inner(depth int) string {
	switch {
	case v.Value == nil || depth == 0 || v.Kind == loose.Null:
		return ""
	case v.Kind == loose.Object:
		return v.get("text", "label", "title", "value", "option", "name", "displaytext", "description").inner(depth - 1)
	case v.Kind == loose.Array && len(v.Items) == 1:
		return value{&v.Items[0]}.inner(depth - 1)
	}
	return strings.TrimSpace(v.Text)
}

// texts returns the texts of a list, or of an object such as {"A": "Yes", "B": "No"}.
func (v value) texts() []string {
	var list []string
	for _, one := range v.values() {
		if s := one.text(); s != "" || v.Kind == loose.Array {
			list = append(list, s)
		}
	}
	return list
}

// whole returns a whole number, nil where the value is none.
func (v value) whole() *int {
	if v.is(loose.Number) || v.is(loose.String) {
		if n, err := strconv.Atoi(strings.TrimSpace(v.Text)); err == nil {
			return &n
		}
	}
	return nil
}

// flag reports whether a value says yes.
func (v value) flag() bool {
	return v.Value != nil && (strings.EqualFold(v.Text, "true") || strings.EqualFold(v.Text, "yes"))
}
