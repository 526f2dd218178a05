package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// same reports whether two values are one in JSON; 1 and 1.0 are.
func same(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			return false
		}
		x, xerr := a.Float64()
		y, yerr := b.Float64()
		return a == b || xerr == nil && yerr == nil && x == y && max(len(a), len(b)) < 16
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key, v := range a {
			other, ok := b[key]
			if !ok || !same(v, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

// show quotes the beginning of what a reply says, for a reason.
func show(n *node) string {
	switch n.kind {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 'n':
		return "null"
	}
	return fmt.Sprintf("%q", short(n.text))
}

// short cuts a text to 60 characters.
func short(text string) string {
	runes := []rune(strings.ToValidUTF8(text[:min(len(text), 400)], "\uFFFD"))
	if len(runes) > 60 {
		return string(runes[:60]) + "..."
	}
	return string(runes)
}

func offer(choices []any) string {
	var texts []string
	for i, choice := range choices {
		if i == 12 {
			texts = append(texts, fmt.Sprintf("... (%d in all)", len(choices)))
			break
		}
		text, err := json.Marshal(choice)
		if err != nil {
			continue
		}
		texts = append(texts, string(text))
	}
	return strings.Join(texts, ", ")
}
