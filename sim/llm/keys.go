package llm

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Keys is the secrets in use. Its zero value is ready to use, and it is safe for concurrent use.
type Keys struct {
	mu   sync.RWMutex
	keys []string // longest first
}

// minKey is how many bytes a key has at least. Redacting shorter ones would take letters out of words.
const minKey = 8

// Add adds a key.
func (k *Keys) Add(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(key) < minKey || slices.Contains(k.keys, key) {
		return
	}
	k.keys = append(slices.Clone(k.keys), key)
	slices.SortFunc(k.keys, func(a, b string) int { return len(b) - len(a) })
}

// Redact replaces every key in a text by "[key]", also the beginning of one where the text was cut
// within it. A nil receiver returns the text as it is.
func (k *Keys) Redact(text string) string {
	if k == nil {
		return text
	}
	k.mu.RLock()
	keys := k.keys
	k.mu.RUnlock()
	for _, key := range keys {
		text = strings.ReplaceAll(text, key, "[key]")
		for n := min(len(key)-1, len(text)); n >= minKey; n-- {
			if strings.HasSuffix(text, key[:n]) {
				text = text[:len(text)-n] + "[key]"
				break
			}
		}
	}
	return text
}

// escapes matches the sequences that a terminal acts on.
var escapes = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\|$)|\x1b[ -/]*[0-~]?|\u009b[0-?]*[ -/]*[@-~]")

// Clean makes foreign text fit for a terminal and for an error: one line of valid UTF-8, without
// control characters, terminal sequences and marks that change the direction of text.
func Clean(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return text
	}
	text = escapes.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), "")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case r == '\u200c', r == '\u200d': // joiners are part of some scripts
			return r
		case unicode.In(r, unicode.Cf, unicode.Co):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// Excerpt cleans a text and shortens it to about the number of bytes, at a character.
func Excerpt(text string, bytes int) string {
	text = Clean(text)
	if len(text) <= bytes {
		return text
	}
	for !utf8.RuneStart(text[bytes]) {
		bytes--
	}
	return text[:bytes] + " ..."
}
