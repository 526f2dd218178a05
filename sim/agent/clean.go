package agent

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// token matches what chat templates mark roles and ends with.
	token = regexp.MustCompile(`(?i)<\|[^|<>\n]{0,40}\|?>|<[a-z_]{1,20}\|>|<｜[^｜<>\n]{0,60}｜>|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_(?:turn|utterance)>|<(?:bos|eos|pad|unk|eot|sop|eop)>|\[gMASK\]`)
	// note matches what is said out of character: in double parentheses or brackets, or behind "OOC".
	note = regexp.MustCompile(`(?is)\[ooc\].*?\[/ooc\]|(?:^|[\s"“*.!?])(?:\(\(.*?\)\)+|\[\[.*?\]\]+)|[(\[{<]\s*(?:/{0,2}\s*ooc\b|out[- ]of[- ]character\b|note:|author['’]s note\b|a/n\b)[^)\]}>]*[)\]}>]|(?:^|\n)[ \t*_]*/{0,2}[ \t]*(?:ooc|out of character)\b[*_]*\s*[:\-–—][^\n]*`)
	// forged matches the dice and the game master's lines, in parley's style or another's.
	forged = regexp.MustCompile(`(?i)\[\s*(?:(?:skill |ability )?(?:roll|check|dice|result|dm|gm|narrator|narration)\b|[^\]\n]{1,40}\b(?:rolls [^\]\n]*\d|says and does nothing)|[^\]\n]*\b\d*d(?:4|6|8|10|12|20|100)\b)|\((?:[a-z ]{1,30} )?(?:check|roll|save|throw)\b[^)\n]{0,40}[:=][^)\n]{0,40}\d|(?:^|\n)[^\n"“\[]{0,60}\b(?:rolls? [a-z ]{3,20}:? \d+|\d*d(?:4|6|8|10|12|20|100) ?(?:[+-] ?\d+ ?)?[=:] ?\d)`)
)

// mayHaveToken reports whether a text has a sign of a token. Most have none, and the expression is slow.
func mayHaveToken(text string) bool {
	return strings.IndexByte(text, '<') >= 0 || strings.Contains(text, "INST]") || strings.Contains(text, "[gM")
}

// ownTurn skips template tokens that a text begins with, and the model's own role behind them. another
// says that it begins with somebody else's role.
func ownTurn(text string) (own string, another bool) {
	for {
		if !mayHaveToken(text) {
			return text, false
		}
		at := token.FindStringIndex(text)
		if at == nil || strings.TrimSpace(text[:at[0]]) != "" {
			return text, false
		}
		text = strings.TrimLeft(text[at[1]:], " \t")
		end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
		if end < 0 {
			end = len(text)
		}
		switch strings.ToLower(text[:end]) {
		case "user", "system", "human", "tool":
			return "", true
		case "assistant", "model":
			text = text[end:]
		}
	}
}

// withoutTokens cuts a text at the first template token. leaked says that words follow it: a token
// that ends a text is no fault.
func withoutTokens(text string) (own string, leaked bool) {
	if !mayHaveToken(text) {
		return text, false
	}
	at := token.FindStringIndex(text)
	if at == nil {
		return text, false
	}
	return text[:at[0]], !wordless(token.ReplaceAllString(text[at[0]:], ""))
}

// lineBreaks are the ways to begin a line.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// ordinaryBytes are those of words and of the marks that end a sentence.
var ordinaryBytes = func() (table [256]bool) {
	for _, ch := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 .,;!?'") {
		table[ch] = true
	}
	return table
}()

// ordinary reports whether a text is one line of words in which no name, label, note, token or dice can be.
// Most texts are, and the expressions that look for these are slow.
func ordinary(text string) bool {
	for i := 0; i < len(text); i++ {
		if !ordinaryBytes[text[i]] {
			return false
		}
	}
	return !strings.Contains(text, "oll") // rolls
}

// squeeze folds white space to single spaces, and drops what cannot be seen.
func squeeze(text string) string {
	text = strings.TrimSpace(text)
	clean := true
	for i := 0; i < len(text); i++ {
		if ch := text[i]; ch < ' ' || ch >= 0x7f || ch == ' ' && text[i+1] == ' ' {
			clean = false
			break
		}
	}
	if clean {
		return text
	}
	b := make([]byte, 0, len(text))
	gap := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("\u2800\u3164\uffa0\u115f\u1160", r):
			gap = true
			continue
		case r == utf8.RuneError || unicode.In(r, unicode.Cf, unicode.Variation_Selector) || r == '\u034f':
			continue
		}
		if gap && len(b) > 0 {
			b = append(b, ' ')
		}
		b, gap = utf8.AppendRune(b, r), false
	}
	return string(b)
}

// unescape drops the backslashes of Markdown and of quotation marks that were escaped twice.
func unescape(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("\\_*\"'#`[]()!.-", text[i+1]) >= 0 {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// unquote removes quotation marks around a whole text.
func unquote(text string) string {
	if len(text) < 2 {
		return text
	}
	if text[0] == '\'' && text[len(text)-1] == '\'' && !strings.Contains(text[1:len(text)-1], "' ") && !strings.Contains(text, "''") {
		return strings.TrimSpace(text[1 : len(text)-1])
	}
	if first, _ := utf8.DecodeRuneInString(text); !strings.ContainsRune("\"“«„", first) {
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
	inside, from := false, 0
	for i, r := range text {
		var opens, closes bool
		switch r {
		case '"':
			opens, closes = !inside, inside
		case '“', '«', '„':
			opens = true
			if inside && r == '“' { // „German“
				opens, closes = false, true
			}
		case '”', '»':
			closes = true
		default:
			continue
		}
		if opens == inside {
			return nil, nil, false
		}
		if closes {
			said = append(said, text[from:i])
		} else {
			told = append(told, text[from:i])
		}
		inside, from = opens, i+utf8.RuneLen(r)
	}
	if inside {
		return append(said, text[from:]), told, true
	}
	return said, append(told, text[from:]), true
}
