package hosted

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// washer makes what a server wrote fit to be shown and kept: one line without control characters,
// terminal sequences and marks that turn the direction of text, and without the key.
type washer struct{ key string }

// longest is how many bytes of one text are kept.
const longest = 2000

// escapes are sequences that a terminal would act on.
var escapes = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\|$)|\x1b[ -/]*[0-~]?|\u009b[0-?]*[ -/]*[@-~]")

func (w washer) line(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = escapes.ReplaceAllString(text, "")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		case r == '\u200c', r == '\u200d': // some scripts and signs need the joiners
			return r
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	text = w.redact(text)
	if len(text) <= longest {
		return text
	}
	cut := longest
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + " ..."
}

// redact takes the key out. Shorter than 4 bytes it is no secret, and would take letters out of words.
func (w washer) redact(text string) string {
	if len(w.key) < 4 {
		return text
	}
	return strings.ReplaceAll(text, w.key, "[key]")
}
