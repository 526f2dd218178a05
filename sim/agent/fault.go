package agent

import (
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What can be wrong with a reply: the values of sim.Decision.Fault and sim.Answer.Fault. A reply with
// a fault is played as a pass, and stays raw in its call, except where it says below that a valid
// part of it is played.
const (
	// FaultEmpty is a reply without a word in it.
	FaultEmpty = "empty"
	// FaultCutOff is a reply that ran into the limit of its tokens, or whose stream broke, before the
	// move was whole: JSON without its end, a last line without its rest, reasoning without an answer.
	// Half a sentence is not played. A debrief's text is kept.
	FaultCutOff = "cut off"
	// FaultRefused is a reply out of character: the model says what it is or that it will not.
	FaultRefused = "refused"
	// FaultFiltered is a prompt or a reply that a content filter stopped.
	FaultFiltered = "filtered"
	// FaultSpeaksForOthers is a reply that goes on with somebody else's line. It is cut there, and what
	// stands before, if anything, is played.
	FaultSpeaksForOthers = "speaks for others"
	// FaultFlood is a reply that repeats itself over and over.
	FaultFlood = "flood"
	// FaultUnparsed is a reply in which no move can be found: not the form that was asked for, or the
	// form's own placeholders.
	FaultUnparsed = "unparsed"
	// FaultOtherLanguage is a move most of whose letters are not Latin, or of six words and more that is
	// clearly French, German, Spanish, Italian or Portuguese. A debrief's text is kept.
	FaultOtherLanguage = "other language"
	// FaultLeakedTokens is a reply with a chat template's tokens in it. It is cut at the first one, and
	// what stands before, if anything, is played. A debrief's text is kept up to there.
	FaultLeakedTokens = "leaked tokens"
	// FaultUnknownAddressee is a whisper to somebody who is not at the table, to a name that two share, or
	// that says it is private and not for whom. It is never said aloud instead. Where others whom it names are known, it is
	// whispered to these alone.
	FaultUnknownAddressee = "unknown addressee"
	// FaultTooLong is speech or a deed of more than MaxRunes. It is played up to the last sentence that
	// fits.
	FaultTooLong = "too long"
)

// MaxRunes is the most that a move may say, and the most that it may do.
const MaxRunes = 1500

// flooded reports whether a text mostly repeats itself. It looks at pieces of eight bytes, at every
// place, and at how many of them are new: nearly all in speech, and one in four where something is
// said four times over. The second half is looked at alone too: a reply may get stuck late.
func flooded(text string) bool {
	const least = 96 // bytes; shorter repetition is rhetoric
	if len(text) < least {
		return false
	}
	if fresh(text) < 0.25 {
		return true
	}
	half := text[len(text)/2:]
	return len(half) >= 4*least && fresh(half) < 0.15
}

// fresh returns the share of eight-byte pieces of a text that did not occur in it before.
func fresh(text string) float64 {
	const piece = 8
	total := len(text) - piece + 1
	if total < 1 {
		return 1
	}
	switch { // the usual reply: a bit set on the stack, whose collisions do not matter
	case total <= 256:
		var seen [1 << (12 - 6)]uint64
		return float64(distinct(text, total, seen[:])) / float64(total)
	case total <= 2048:
		var seen [1 << (15 - 6)]uint64
		return float64(distinct(text, total, seen[:])) / float64(total)
	}
	seen := make(map[uint64]struct{}, 1024)
	for i := range total {
		seen[eight(text[i:])] = struct{}{}
	}
	return float64(len(seen)) / float64(total)
}

// distinct counts the pieces that begin at the first so many places of a text, by their hashes in a
// set of bits, whose length is a power of two.
func distinct(text string, total int, seen []uint64) (count int) {
	shift := 64 - bits.Len(uint(len(seen)*64-1))
	for i := range total {
		h := eight(text[i:]) * 0x9e3779b97f4a7c15 >> shift
		word, bit := &seen[h>>6&uint64(len(seen)-1)], uint64(1)<<(h&63)
		if *word&bit == 0 {
			*word |= bit
			count++
		}
	}
	return count
}

// eight returns the first eight bytes as a number.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// foreign reports whether some texts are in another language: most of their letters are not Latin, or
// their words are another tongue's. Fewer than four letters say nothing, unless none is Latin.
func foreign(texts ...string) bool {
	latin, other := 0, 0
	if otherTongue(texts...) {
		return true
	}
	if !slices.ContainsFunc(texts, wide) {
		return false
	}
	for _, text := range texts {
		for i, r := range text {
			switch {
			case r < utf8.RuneSelf:
				if ch := text[i] | 0x20; 'a' <= ch && ch <= 'z' {
					latin++
				}
			case !unicode.IsLetter(r):
			case unicode.Is(unicode.Latin, r):
				latin++
			default:
				other++
			}
		}
	}
	return other > latin && (latin == 0 || latin+other >= 4)
}

// wide reports whether a text is more than ASCII.
func wide(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// wordless reports whether a text has no letter and no digit.
func wordless(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0
}

// Refusals are looked for at the head of a text. They are told from a character's own "I cannot help
// you" by what only a program says: what it is, or what it was asked as (a request, content, role
// play).
var (
	selfNamed = regexp.MustCompile(`\b(as an? (ai|artificial intelligence|language model|large language model|virtual assistant|ai[- ]\w+)\b|i(['’]m| am) (just |only )?an? (ai|artificial intelligence|(large )?language model|virtual assistant|computer program|chat ?bot)\b|\b(large )?language model (trained|developed|created)|(trained|developed|created|made) by (openai|anthropic|google|meta ai|microsoft|alibaba|hugging ?face)|my (training data|programming (does not|doesn['’]t|prohibits)|content policy))`)
	wontDo    = regexp.MustCompile(`\b(i (cannot|can['’]?t|can not|won['’]?t|will not|am unable to|am not able to|must decline to|do not feel comfortable)|i['’]m (unable to|not able to|not comfortable)|unable to|decline to)\b[^.!?\n]{0,80}\b(request|role[- ]?play(ing)?|prompt|content|scenario|guidelines|polic(y|ies)|explicit|conversation of this|this type of|harmful|inappropriate|fictional)\b`)
	stock     = regexp.MustCompile(`^\W*(i(['’]m| am) sorry|sorry|i apologi[sz]e|my apologies|unfortunately)?\W*(but)?\W*i (cannot|can['’]?t|can not|am unable to) (assist|help|comply)( you)?( with (that|this))?\W*$`)
)

// triggers are what every refusal has one of.
var triggers = []string{
	"language model", " ai", "an ai", "artificial", "assistant", "chatbot", "request", "content", "role", "prompt", "assist", "comply",
	"help with that", "help with this", "guideline", "polic", "explicit", "harmful", "inappropriate", "fictional", "openai", "trained",
	"computer program", "scenario",
}

// begins marks the three letters that a trigger begins with, by their last five bits. Few places of a
// usual text have such letters, so that the triggers are hardly ever looked at.
var begins = func() (set [1 << 15 / 64]uint64) {
	for _, t := range triggers {
		at := uint(t[0]&31)<<10 | uint(t[1]&31)<<5 | uint(t[2]&31)
		set[at/64] |= 1 << (at % 64)
	}
	return set
}()

func refused(text string) bool {
	text = text[:min(len(text), 320)]
	at := uint(0)
	for i := range len(text) {
		at = (at<<5 | uint(text[i]&31)) & (1<<15 - 1)
		if begins[at/64]>>(at%64)&1 != 0 && i > 1 && triggered(text[i-2:]) {
			lower := lowered(text)
			return selfNamed.MatchString(lower) || wontDo.MatchString(lower) || stock.MatchString(lower)
		}
	}
	return false
}

func triggered(text string) bool {
	for _, t := range triggers {
		if len(text) >= len(t) && lowered(text[:len(t)]) == t {
			return true
		}
	}
	return false
}

// lowered makes small letters of ASCII's and leaves the rest, and the length, as they are.
func lowered(text string) string {
	for i := range len(text) {
		if 'A' <= text[i] && text[i] <= 'Z' {
			return strings.Map(func(r rune) rune {
				if 'A' <= r && r <= 'Z' {
					r += 'a' - 'A'
				}
				return r
			}, text)
		}
	}
	return text
}

// capped cuts a text to MaxRunes, at the end of a sentence if there is one in the last three quarters,
// else between words.
func capped(text string) (string, bool) {
	if len(text) <= MaxRunes || utf8.RuneCountInString(text) <= MaxRunes {
		return text, false
	}
	n := 0
	for i := range text {
		if n == MaxRunes {
			text = text[:i]
			break
		}
		n++
	}
	if end := strings.LastIndexAny(text, ".!?…"); end >= len(text)/4 {
		_, size := utf8.DecodeRuneInString(text[end:])
		return text[:end+size], true
	}
	if end := strings.LastIndexByte(text, ' '); end > 0 {
		return text[:end], true
	}
	return text, true
}
