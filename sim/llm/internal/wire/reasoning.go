package wire

import (
	"regexp"
	"strings"
)

var mark = regexp.MustCompile(`(?i)<(/?)(?:think|thinking|thought)>|\[(/?)THINK\]`)

// Reasoning takes out of a reply what the model thought aloud between <think> and </think>. Some
// servers swallow the first mark, so that all up to a lone </think> is thought; a reply cut short
// lacks the second, so that all after a lone <think> is. A text without marks comes back as it is.
func Reasoning(text string) (said, thought string) {
	if !strings.ContainsAny(text, "<[") { // most have none, and the expression is slow
		return text, ""
	}
	marks := mark.FindAllStringSubmatchIndex(text, -1)
	if marks == nil {
		return text, ""
	}
	var speech strings.Builder
	var thoughts []string
	keep := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			thoughts = append(thoughts, s)
		}
	}
	thinking, opened, from := false, false, 0
	for _, m := range marks {
		piece := text[from:m[0]]
		from = m[1]
		closes := m[3] > m[2] || m[5] > m[4]
		switch {
		case thinking:
			keep(piece)
			thinking = !closes
		case closes && !opened && !strings.HasPrefix(strings.TrimSpace(text), "{"):
			// In an object a lone mark stands within a string, and what is before it is not thought.
			keep(piece)
			opened = true
		default:
			speech.WriteString(piece)
			thinking = !closes
			opened = true
		}
	}
	if thinking {
		keep(text[from:])
	} else {
		speech.WriteString(text[from:])
	}
	return strings.TrimSpace(speech.String()), strings.Join(thoughts, "\n")
}
