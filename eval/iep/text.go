package iep

import (
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// Sentences cuts a text into sentences: at full stops, question and exclamation marks, semicolons and
// line ends. List marks and numbering at a line's beginning go; a full stop within a number or after
// a single letter or a common abbreviation does not end a sentence.
func Sentences(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		line = strings.TrimLeft(line, "-*•–—>#\t ")
		if i := strings.IndexFunc(line, func(r rune) bool { return r < '0' || r > '9' }); i > 0 && i < 4 && strings.ContainsRune(".):", rune(line[i])) {
			line = strings.TrimSpace(line[i+1:])
		}
		out = cut(out, line)
	}
	return out
}

func cut(out []string, line string) []string {
	keep := func(s string) {
		if s = strings.TrimSpace(s); strings.IndexFunc(s, unicode.IsLetter) >= 0 {
			out = append(out, s)
		}
	}
	start := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '.', '!', '?', ';':
		default:
			continue
		}
		end := i + 1
		for end < len(line) && strings.IndexByte(".!?\"')*”’", line[end]) >= 0 {
			end++
		}
		if end < len(line) && line[end] != ' ' || line[i] == '.' && abbreviation(line[start:i]) {
			continue
		}
		keep(line[start:end])
		start, i = end, end-1
	}
	keep(line[start:])
	return out
}

// abbreviation reports whether a full stop after s belongs to its last word.
func abbreviation(s string) bool {
	word := s[strings.LastIndexByte(s, ' ')+1:]
	if len(word) == 1 {
		return unicode.IsUpper(rune(word[0]))
	}
	switch strings.ToLower(word) {
	case "mr", "mrs", "ms", "dr", "st", "e.g", "i.e", "etc", "vs", "no", "approx":
		return true
	}
	return false
}

// asciiFold takes accents off and makes curly quotes straight, which embedding models need too.
func asciiFold(s string) string {
	ascii := true
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			ascii = false
			break
		}
	}
	if ascii {
		return s
	}
	folded, _, err := transform.String(transform.Chain(norm.NFKD, runes.Remove(runes.In(unicode.Mn))), s)
	if err != nil {
		folded = s
	}
	return quotes.Replace(folded)
}

var quotes = strings.NewReplacer("‘", "'", "’", "'", "“", `"`, "”", `"`, "–", "-", "—", "-", "…", "...", "ß", "ss", "æ", "ae", "ø", "o", "đ", "d", "ł", "l")
