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

var (
	// token matches what chat templates mark roles and ends with.
	token = regexp.MustCompile(`(?i)<\|[^|<>\n]{0,40}\|?>|<[a-z_]{1,20}\|>|<｜[^｜<>\n]{0,60}｜>|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_(?:turn|utterance)>|<(?:bos|eos|pad|unk|eot|sop|eop)>|<0x[[:xdigit:]]{2}>|\[(?:gMASK|EOS|BOS|PAD)\]`)
	// note matches what is said out of character: in double parentheses or brackets, or behind "OOC".
	note = regexp.MustCompile(`(?is)[\[<]ooc[\]>].*?[\[<]/ooc[\]>]|(?:^|[\s"“*.!?])(?:\(\(.*?\)\)+|\[\[.*?\]\]+)|[(\[{<]{1,2}\s*(?:/{0,2}\s*ooc\b|out[- ]of[- ]character\b|note:|author['’]s note\b|a/n\b)[^)\]}>]*[)\]}>]{1,2}|(?:^|\n)[ \t*_]*/{0,2}[ \t]*(?:ooc|out of character)\b[*_]*\s*[:\-–—][^\n]*`)
	// announced are phrases of which each match of note without a bracket has one.
	announced = newTriggers("ooc\t\nout of char\t")
	// forged matches the dice and the game master's lines, in parley's style or another's. It is slow.
	forged = regexp.MustCompile(`(?i)\[\s*(?:(?:skill |ability )?(?:roll|check|dice|result|dm|gm|narrator|narration)\b|[^\]\n]{1,40}\b(?:rolls [^\]\n]*\d|says and does nothing)|[^\]\n]*\b\d*d(?:4|6|8|10|12|20|100)\b)|\((?:[a-z ]{1,30} )?(?:check|roll|save|throw)\b[^)\n]{0,40}[:=][^)\n]{0,40}\d|(?:^|\n)[*_ ]*(?:\p{Lu}\w+ ){0,3}(?:check|roll|saving throw)[*_ ]*[:：][*_ ]*\d|(?:^|\n)[^\n"“\[]{0,60}: ?\d+ ?\((?:success|fail)|(?:^|\n)[^\n"“\[]{0,60}\b(?:roll(?:s|ed) an? natural \d|rolls? [a-z ]{3,20}:? \d+|\d*d(?:4|6|8|10|12|20|100) ?(?:[+-] ?\d+ ?)?[=:] ?\d)`)
	// forgeries are phrases of which each match without a square bracket has one.
	forgeries = newTriggers("roll\t\ncheck\t\nsave\t\nthrow\t\nsuccess\t\nfail\t\nd4\t\nd6\t\nd8\t\nd1\t\nd2\t")
)

// has reports whether a text has one of some bytes. Most texts have none of the marks that the slow expressions look
// for, and to look for each mark by itself is faster than strings.ContainsAny.
func has(text, bytes string) bool {
	for i := range len(bytes) {
		if strings.IndexByte(text, bytes[i]) >= 0 {
			return true
		}
	}
	return false
}

// marked reports whether a text has an angle bracket, or a bracket with a letter or a slash behind it, as tokens
// and calls begin.
func marked(text string) bool {
	if has(text, "<") {
		return true
	}
	for _, rest, found := strings.Cut(text, "["); found; _, rest, found = strings.Cut(rest, "[") {
		if rest != "" && (rest[0] == '/' || unicode.IsLetter(rune(rest[0]))) {
			return true
		}
	}
	return false
}

// ownTurn returns what the author wrote of a text: without the template tokens that it begins with and the
// model's own role behind them, up to the next token. leaked is the text from there on, or all of a text that
// begins with somebody else's role; it is empty where no words follow: a token that ends a text is no fault.
func ownTurn(text string) (own, leaked string) {
	for marked(text) {
		at := token.FindStringIndex(text)
		switch {
		case at == nil:
			return text, ""
		case strings.TrimSpace(text[:at[0]]) != "":
			if leaked = text[at[0]:]; wordless(token.ReplaceAllString(leaked, "")) {
				leaked = ""
			}
			return text[:at[0]], leaked
		case text[at[0]:at[1]] == "[INST]": // the prompt, said again
			return "", text
		}
		rest := strings.TrimLeft(text[at[1]:], " \t")
		behind := strings.TrimLeftFunc(rest, unicode.IsLetter)
		switch strings.ToLower(rest[:len(rest)-len(behind)]) {
		case "user", "system", "human", "tool":
			return "", text
		case "assistant", "model":
			rest = behind
		}
		text = rest
	}
	return text, ""
}

// unifiedBreaks makes a newline of every way to begin a line, and U+FFFD of each byte that is not UTF-8.
func unifiedBreaks(text string) string {
	if !has(text, "\r\v\f\xc2\xe2") && utf8.ValidString(text) { // the bytes that such breaks begin with
		return text
	}
	return strings.Map(func(r rune) rune {
		if r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029' {
			return '\n'
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}

// squeeze folds white space to single spaces, and drops what cannot be seen.
func squeeze(text string) string {
	if text = strings.TrimSpace(text); !strings.Contains(text, "  ") && strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) < 0 {
		return text // as most are
	}
	return strings.Join(strings.Fields(strings.Map(seen, text)), " ")
}

// seen returns what can be seen of a character: a space for white space, and -1 for nothing.
func seen(r rune) rune {
	switch {
	case ' ' < r && r < 0x7f: // as most are
	case unicode.IsSpace(r), unicode.IsControl(r), strings.ContainsRune("\u2800\u3164\uffa0\u115f\u1160", r):
		return ' '
	case r == utf8.RuneError, r == '\u034f', unicode.In(r, unicode.Cf, unicode.Variation_Selector):
		return -1
	}
	return r
}

// escaped matches what Markdown escapes, and quotation marks that were escaped twice.
var escaped = regexp.MustCompile("\\\\([\\\\_*\"'#`\\[\\]()!.-])")

// unescaped takes out the backslashes before what Markdown escapes.
func unescaped(text string) string {
	if !has(text, `\`) {
		return text
	}
	return escaped.ReplaceAllString(text, "$1")
}

// unquote removes quotation marks around a whole text.
func unquote(text string) string {
	if first, _ := utf8.DecodeRuneInString(text); first != '"' && first != '“' && first != '«' && first != '„' {
		return text
	}
	said, told, ok := quotes(text)
	if !ok || len(said) == 0 || strings.TrimSpace(strings.Join(told, "")) != "" {
		return text
	}
	return squeeze(strings.Join(said, " "))
}

// quotes separates the text in double quotation marks from the text around them. ok is false where a mark
// that opens is not closed, but for the last one.
func quotes(text string) (said, told []string, ok bool) {
	var parts [2][]string // told, said
	at, from := 0, 0
	for i, r := range text {
		opens := r == '„' || r == '«' || (r == '“' || r == '"') && at == 0 // „German“
		if !opens && !strings.ContainsRune("\"”»“", r) {
			continue
		}
		if opens == (at == 1) {
			return nil, nil, false
		}
		parts[at] = append(parts[at], text[from:i])
		at, from = 1-at, i+utf8.RuneLen(r)
	}
	parts[at] = append(parts[at], text[from:])
	return parts[1], parts[0], true
}

//go:embed refusals.txt
var refusalText string

// triggers are phrases in lower case, each with an expression for a text that has it, by what their first two
// bytes are folded to.
type triggers [1 << 10][]trigger

type trigger struct {
	phrase string
	shape  *regexp.Regexp
}

// newTriggers reads lines of a phrase, a tab and an expression. Other lines are comments.
func newTriggers(lines string) *triggers {
	t := new(triggers)
	for line := range strings.Lines(lines) {
		if phrase, shape, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t"); ok {
			at := fold2(phrase[0], phrase[1])
			t[at] = append(t[at], trigger{phrase, regexp.MustCompile(shape)})
		}
	}
	return t
}

// fold2 folds two bytes to a place among the triggers, whatever the case of letters. What is not ASCII, of which
// most texts have little, shares a place.
func fold2(a, b byte) int {
	if a >= utf8.RuneSelf {
		return 0
	}
	if b >= utf8.RuneSelf {
		b = 0
	}
	return int(a&31)<<5 | int(b&31)
}

// match reports whether a text has one of the phrases and, in lower case, matches its expression.
func (t *triggers) match(text string) bool {
	for i := range len(text) - 1 {
		for _, r := range t[fold2(text[i], text[i+1])] {
			if n := i + len(r.phrase); n <= len(text) && strings.EqualFold(text[i:n], r.phrase) && r.shape.MatchString(strings.ToLower(text)) {
				return true
			}
		}
	}
	return false
}

var refusals = sync.OnceValue(func() *triggers { return newTriggers(refusalText) })

// refused reports whether the head of a text is one of the refusals.
func refused(text string) bool {
	return refusals().match(text[:min(len(text), 400)]) // bytes
}

// repeats reports whether a text mostly repeats itself. Of the letters alone, without
// digits and the letters of a list, it looks at the pieces of eight bytes at every place, and at how many of them are
// new: nearly all in speech, and one in four where something is said four times over. The second half is
// looked at alone too, because a reply may get stuck late.
func repeats(text string) bool {
	const least = 72 // bytes; shorter repetition is rhetoric
	letters := make([]byte, 0, 512)
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
	pieces := make([]uint64, 0, 256)
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
// words. Nothing is left of a single word.
func capped(text string) (string, bool) {
	if len(text) <= MaxRunes || utf8.RuneCountInString(text) <= MaxRunes {
		return text, false
	}
	text = string([]rune(text)[:MaxRunes])
	end := strings.LastIndexAny(text, ".!?") + 1
	if end <= len(text)/4 {
		end = max(strings.LastIndexByte(text, ' '), 0)
	}
	return text[:end], true
}
