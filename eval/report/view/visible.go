package view

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible shows the characters of a text that cannot be seen, or that change how their neighbours are
// seen: control characters as pictures (␛), the others by their number (⟦U+202E⟧), broken UTF-8 as �.
// Line ends and tabs stay, and so do the two joiners that many scripts and emoji are written with.
func Visible(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, unseen) {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") { // broken bytes come as utf8.RuneError
		switch {
		case !unseen(r):
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune('\u2421')
		default:
			fmt.Fprintf(&b, "⟦U+%04X⟧", r)
		}
	}
	return b.String()
}

// unseen reports whether a character is one that Visible shows.
func unseen(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\u200c' || r == '\u200d':
		return false
	case r < 0x7f:
		return r < 0x20
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r&0xfffe == 0xfffe
}

// Clip shortens a text to about n characters and says how many are gone.
func Clip(s string, n int) string {
	at := 0
	for i := range s {
		if at == n {
			return fmt.Sprintf("%s … (%d more characters)", s[:i], utf8.RuneCountInString(s[i:]))
		}
		at++
	}
	return s
}
