package iep

import (
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"

	"parley/sim/prose"
)

// Sentences cuts a text into sentences, at semicolons too. List marks and numbering at a line's beginning go, and so
// does what holds no letter.
func Sentences(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		line = strings.TrimLeft(line, "-*•–—>#\t ")
		if i := strings.IndexFunc(line, func(r rune) bool { return r < '0' || r > '9' }); i > 0 && i < 4 && strings.ContainsRune(".):", rune(line[i])) {
			line = strings.TrimSpace(line[i+1:])
		}
		for _, s := range prose.Sentences(line) {
			for _, part := range strings.SplitAfter(s, "; ") {
				if strings.IndexFunc(part, unicode.IsLetter) >= 0 {
					out = append(out, strings.TrimSpace(part))
				}
			}
		}
	}
	return out
}

// asciiFold takes accents off and makes curly quotes straight, which embedding models need too.
func asciiFold(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) {
		return s
	}
	folded, _, err := transform.String(transform.Chain(norm.NFKD, runes.Remove(runes.In(unicode.Mn))), s)
	if err != nil {
		folded = s
	}
	return quotes.Replace(folded)
}

var quotes = strings.NewReplacer("‘", "'", "’", "'", "“", `"`, "”", `"`, "–", "-", "—", "-", "…", "...", "ß", "ss", "æ", "ae", "ø", "o", "đ", "d", "ł", "l")
