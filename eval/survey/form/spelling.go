package form

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed misspellings.txt
var misspellingText string

// misspellings are words that are often written wrong, and what was meant. There is no dictionary
// behind this rule: what is not in the list is not found.
var misspellings = func() map[string]string {
	m := map[string]string{}
	for l := range strings.Lines(misspellingText) {
		if wrong, right, ok := strings.Cut(strings.TrimSpace(l), " "); ok {
			m[wrong] = right
		}
	}
	return m
}()

// twice are words that may be repeated.
var twice = set("that had very bye so no now there ha")

// misspelt lists what is wrong with the spelling of a text.
func misspelt(text string) []string {
	var found []string
	last := ""
	for _, f := range strings.Fields(text) {
		words := tokens(f)
		for _, w := range words {
			if right, ok := misspellings[w]; ok {
				found = append(found, fmt.Sprintf("%q for %q", w, right))
			}
		}
		if len(words) != 1 {
			last = ""
			continue
		}
		w := words[0]
		if w == last && !twice[w] && len(w) > 1 && digits(w) == "" {
			found = append(found, fmt.Sprintf("%q is there twice", w))
		}
		if last = w; strings.ContainsAny(f[len(f)-1:], ".,;:?!)") {
			last = ""
		}
	}
	return found
}
