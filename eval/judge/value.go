package judge

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// same reports whether two values that were read are one; their numbers have one spelling.
func same(a, b any) bool { return reflect.DeepEqual(a, b) }

// short cuts a text to 60 characters.
func short(text string) string {
	runes := []rune(strings.ToValidUTF8(text, "\uFFFD"))
	if len(runes) > 60 {
		return string(runes[:60]) + "..."
	}
	return string(runes)
}

// list names the values of an enum, 12 at most.
func list(choices []any) string {
	var texts []string
	for i, choice := range choices {
		if i == 12 {
			texts = append(texts, fmt.Sprintf("... (%d in all)", len(choices)))
			break
		}
		if text, err := json.Marshal(choice); err == nil {
			texts = append(texts, string(text))
		}
	}
	return strings.Join(texts, ", ")
}
