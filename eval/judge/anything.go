package judge

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
)

// anything reads a verdict that nothing was offered for.
func (r *reader) anything() Reading {
	entire := strings.TrimSpace(fence.ReplaceAllString(r.text, ""))
	for i, root := range slices.Backward(r.found.roots) {
		list := root.kind == '['
		if list && !slices.ContainsFunc(root.kids, func(k *node) bool { return k.kind == '{' }) &&
			entire != r.text[root.start:root.end] {
			continue // such as the number of a note
		}
		v, err := r.c.literal(root)
		if err != nil {
			return unread("%v", err)
		}
		if i > 0 && r.beside(r.found.roots[i-1], root) {
			if other, err := r.c.literal(r.found.roots[i-1]); err != nil || !same(other, v) {
				return unread("two verdicts are offered side by side")
			}
		}
		reading := said(v, "loose json")
		if json.Valid([]byte(r.text[root.start:root.end])) {
			reading.Method = "json"
		}
		if root.inside {
			return unread("the verdict stands within an object that is broken")
		}
		if list && rivals(root) {
			return unread("%d verdicts stand side by side and differ", len(root.kids))
		}
		if why := r.doubt(root, reading); why != "" {
			return unread("%s", why)
		}
		if s := r.statement(r.spoken(root.end), false); s != nil && s.method == "mark" && !holds(v, s.value) {
			return unread("another verdict stands behind the object")
		}
		return reading
	}
	if why := r.doubt(nil, Reading{}); why != "" {
		return unread("%s", why)
	}
	return r.last(nil, Reading{})
}

// holds reports whether a value stands somewhere in another one.
func holds(in, v any) bool {
	switch in := in.(type) {
	case map[string]any:
		for _, one := range in {
			if holds(one, v) {
				return true
			}
		}
		return false
	case []any:
		return slices.ContainsFunc(in, func(one any) bool { return holds(one, v) })
	}
	return same(in, v)
}

// rivals reports whether a list holds objects that look like verdicts and differ.
func rivals(list *node) bool {
	var first any
	c := coercer{schema: &Schema{}}
	for _, kid := range list.kids {
		only := inner(kid)
		if kid.kind != '{' || only == nil {
			return false
		}
		v, err := c.literal(only)
		if err != nil {
			return true
		}
		if first == nil {
			first = v
		} else if !same(first, v) {
			return true
		}
	}
	return false
}

// free reads a value that nothing was offered for: true, false, a number, or a label of up to three
// words.
func free(text string, marked bool) (any, bool) {
	if b, ok := yesno[fold(text)]; ok && len(fold(text)) > 3 {
		return b, true
	}
	text = strings.TrimSpace(text)
	if num, err := readNumber(&node{kind: 's', text: text}, nil, false); err == nil {
		return num, true
	}
	if !marked {
		return text, oneWord.MatchString(text)
	}
	for _, cut := range []string{". ", " - ", " – ", " — ", " (", ": ", "; ", ", "} {
		text, _, _ = strings.Cut(text, cut)
	}
	text = tidy(text)
	words := strings.Fields(text)
	if len(words) == 0 || len(words) > 3 || len(text) > 40 || numberWord.MatchString(text) && len(words) > 1 {
		return nil, false
	}
	for _, w := range words {
		switch strings.ToLower(w) {
		case "or", "and", "but", "not", "maybe", "perhaps":
			return nil, false
		}
	}
	if strings.ContainsAny(text, "/|?") || !strings.ContainsFunc(text, unicode.IsLetter) {
		return nil, false
	}
	return text, true
}
