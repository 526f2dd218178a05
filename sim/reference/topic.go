package reference

import (
	"strings"
	"unicode"

	"parley/scenarios"
)

// question is a part of a speech that asks for something to the point.
type question struct {
	aspect scenarios.Aspect // "" asks for anything that is left
	text   string
}

// questions reads what a speech asks to the point: sentence by sentence, those with a question mark.
func questions(speech string) []question {
	var asked []question
	for _, s := range sentences(speech) {
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

// sentences cuts a text at full stops, question and exclamation marks and line ends. A mark within a
// number or after a single letter does not end one.
func sentences(text string) []string {
	var out []string
	start := 0
	cut := func(end int) {
		if s := strings.TrimSpace(text[start:end]); s != "" {
			out = append(out, s)
		}
		start = end
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			cut(i)
		case '.', '!', '?':
			end := i + 1
			for end < len(text) && strings.IndexByte(".!?\"')*", text[end]) >= 0 {
				end++
			}
			initial := text[i] == '.' && i >= 2 && text[i-2] == ' ' && unicode.IsUpper(rune(text[i-1]))
			if (end == len(text) || text[end] == ' ' || text[end] == '\n') && !initial {
				cut(end)
				i = end - 1
			}
		}
	}
	cut(len(text))
	return out
}
