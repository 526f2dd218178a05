// Package prose takes English texts apart.
package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences cuts a text into sentences: at line ends, and at full stops, question and exclamation marks that a space
// or the end follows. Closing quotes and brackets stay with their sentence. A full stop after a single capital or a
// common abbreviation ends none.
func Sentences(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		start := 0
		keep := func(end int) {
			if s := strings.TrimSpace(line[start:end]); s != "" {
				out = append(out, s)
			}
			start = end
		}
		for i := 0; i < len(line); i++ {
			if line[i] != '.' && line[i] != '!' && line[i] != '?' {
				continue
			}
			end := len(line) - len(strings.TrimLeft(line[i+1:], ".!?\"')*”’"))
			next, _ := utf8.DecodeRuneInString(line[end:])
			if (end == len(line) || unicode.IsSpace(next)) && !(line[i] == '.' && abbreviation(line[start:i])) {
				keep(end)
				i = end - 1
			}
		}
		keep(len(line))
	}
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
