package reference

import (
	"strings"
	"unicode"

	"parley/scenarios"
	"parley/sim/prose"
)

// question is a part of a speech that asks for something to the point.
type question struct {
	aspect scenarios.Aspect // "" asks for anything that is left
	text   string
}

// questions reads what a speech asks to the point: sentence by sentence, those with a question mark.
func questions(speech string) []question {
	var asked []question
	for _, s := range prose.Sentences(speech) {
		if !strings.Contains(s, "?") {
			continue
		}
		low := strings.ToLower(s)
		found := false
		for _, t := range texts().Topics {
			if containsAny(low, t.words) {
				asked, found = append(asked, question{t.Aspect, low}), true
				break
			}
		}
		switch {
		case found:
		case containsAny(low, texts().anything):
			asked = append(asked, question{"", low})
		default:
			asked = append(asked, question{"none", low})
		}
	}
	return asked
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if i := strings.Index(s, w); i >= 0 && (i == 0 || !unicode.IsLetter(rune(s[i-1]))) {
			return true
		}
	}
	return false
}
