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
	plain := true
	for i := 0; plain && i < len(s); i++ {
		plain = s[i] >= 0x20 && s[i] < 0x7f || s[i] == '\n' || s[i] == '\t'
	}
	if plain {
		return s
	}
	var b strings.Builder
	s = strings.ReplaceAll(s, "\r\n", "\n")
	for _, r := range s { // broken bytes come as utf8.RuneError
		switch {
		case r == '\n' || r == '\t' || r == '\u200c' || r == '\u200d':
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune('\u2421')
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r&0xfffe == 0xfffe:
			fmt.Fprintf(&b, "⟦U+%04X⟧", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Clip shortens a text to about n characters and says how many are gone.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	total := utf8.RuneCountInString(s)
	if total <= n {
		return s
	}
	at := 0
	for i := range s {
		if at == n {
			return fmt.Sprintf("%s … (%d more characters)", s[:i], total-n)
		}
		at++
	}
	return s
}
