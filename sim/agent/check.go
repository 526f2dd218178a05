package agent

import (
	_ "embed"
	"encoding/binary"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed refusals.txt
var refusalText string

type refusal struct {
	trigger string
	shape   *regexp.Regexp
}

var refusals = sync.OnceValue(func() (all []refusal) {
	for line := range strings.Lines(refusalText) {
		if trigger, shape, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t"); ok {
			all = append(all, refusal{trigger, regexp.MustCompile(shape)})
		}
	}
	return all
})

// refused reports whether the head of a text is one of the refusals.
func refused(text string) bool {
	const head = 400 // bytes
	lower := strings.ToLower(text[:min(len(text), head)])
	return slices.ContainsFunc(refusals(), func(r refusal) bool {
		return strings.Contains(lower, r.trigger) && r.shape.MatchString(lower)
	})
}

// repeats reports whether a text mostly repeats itself. Of the letters alone, without
// digits and the letters of a list, it looks at the pieces of eight bytes at every place, and at how many of them are
// new: nearly all in speech, and one in four where something is said four times over. The second half is
// looked at alone too, because a reply may get stuck late.
func repeats(text string) bool {
	const least = 72 // bytes; shorter repetition is rhetoric
	var room [512]byte
	letters := room[:0]
	from := 0 // of the last word
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters = utf8.AppendRune(letters, r)
			continue
		}
		if r == ')' && len(letters) == from+1 {
			letters = letters[:from] // "a)"
		}
		from = len(letters)
	}
	if len(letters) < least {
		return false
	}
	half := letters[len(letters)/2:]
	return fresh(letters) < 0.25 || len(half) >= 5*least && fresh(half) < 0.15
}

// fresh returns the share of pieces that did not occur before.
func fresh(letters []byte) float64 {
	const piece = 8
	var room [256]uint64
	pieces := room[:0]
	for i := range len(letters) - piece + 1 {
		pieces = append(pieces, binary.NativeEndian.Uint64(letters[i:]))
	}
	slices.Sort(pieces)
	return float64(len(slices.Compact(pieces))) / float64(len(letters)-piece+1)
}

// foreign reports whether most letters of some texts are not Latin. Fewer than four letters say nothing,
// unless none is Latin.
func foreign(texts ...string) bool {
	latin, other := 0, 0
	for _, text := range texts {
		for _, r := range text {
			switch {
			case !unicode.IsLetter(r):
			case r < utf8.RuneSelf || unicode.Is(unicode.Latin, r):
				latin++
			default:
				other++
			}
		}
	}
	return other > latin && (latin == 0 || latin+other >= 4)
}

// wordless reports whether a text has no letter and no digit.
func wordless(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0
}

// invisible reports whether there is nothing to be seen of a text.
func invisible(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { r = seen(r); return r != ' ' && r >= 0 }) < 0
}

// capped cuts a text to MaxRunes, behind a sentence if one ends in the last three quarters, else between
// words.
func capped(text string) (string, bool) {
	if utf8.RuneCountInString(text) <= MaxRunes {
		return text, false
	}
	text = string([]rune(text)[:MaxRunes])
	if end := strings.LastIndexAny(text, ".!?…"); end >= len(text)/4 {
		_, size := utf8.DecodeRuneInString(text[end:])
		return text[:end+size], true
	}
	if end := strings.LastIndexByte(text, ' '); end > 0 {
		return text[:end], true
	}
	return text, true
}
