package agent

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// token matches what chat templates mark roles and ends with.
	token = regexp.MustCompile(`(?i)<\|[^|<>\n]{0,40}\|?>|<[a-z_]{1,20}\|>|<｜[^｜<>\n]{0,60}｜>|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_(?:turn|utterance)>|<(?:bos|eos|pad|unk|eot|sop|eop)>|<0x[[:xdigit:]]{2}>|\[(?:gMASK|EOS|BOS|PAD)\]`)
	// note matches what is said out of character: in double parentheses or brackets, or behind "OOC".
	note = regexp.MustCompile(`(?is)[\[<]ooc[\]>].*?[\[<]/ooc[\]>]|(?:^|[\s"“*.!?])(?:\(\(.*?\)\)+|\[\[.*?\]\]+)|[(\[{<]{1,2}\s*(?:/{0,2}\s*ooc\b|out[- ]of[- ]character\b|note:|author['’]s note\b|a/n\b)[^)\]}>]*[)\]}>]{1,2}|(?:^|\n)[ \t*_]*/{0,2}[ \t]*(?:ooc|out of character)\b[*_]*\s*[:\-–—][^\n]*`)
	// forged matches the dice and the game master's lines, in parley's style or another's.
	forged = regexp.MustCompile(`(?i)\[\s*(?:(?:skill |ability )?(?:roll|check|dice|result|dm|gm|narrator|narration)\b|[^\]\n]{1,40}\b(?:rolls [^\]\n]*\d|says and does nothing)|[^\]\n]*\b\d*d(?:4|6|8|10|12|20|100)\b)|\((?:[a-z ]{1,30} )?(?:check|roll|save|throw)\b[^)\n]{0,40}[:=][^)\n]{0,40}\d|(?:^|\n)[*_ ]*(?:\p{Lu}\w+ ){0,3}(?:check|roll|saving throw)[*_ ]*[:：][*_ ]*\d|(?:^|\n)[^\n"“\[]{0,60}\b(?:roll(?:s|ed) an? natural \d|rolls? [a-z ]{3,20}:? \d+|\d*d(?:4|6|8|10|12|20|100) ?(?:[+-] ?\d+ ?)?[=:] ?\d)`)
)

// marked reports whether a text has an angle bracket, or a bracket with a letter or a slash behind it, as tokens
// and calls begin. Most have none, and the expressions are slow.
func marked(text string) bool {
	for i := range len(text) {
		if text[i] == '<' || text[i] == '[' && i+1 < len(text) && (text[i+1] == '/' || unicode.IsLetter(rune(text[i+1]))) {
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

// lineBreaks are the ways to begin a line.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// unifiedBreaks makes each of them a newline.
func unifiedBreaks(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r == '\u0085' || r == '\u2028' || r == '\u2029' }) < 0 {
		return text // as in most
	}
	return lineBreaks.Replace(text)
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

func unescape(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	return escaped.ReplaceAllString(text, "$1")
}

// unquote removes quotation marks around a whole text.
func unquote(text string) string {
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
		opens := r == '„' || r == '«' || (r == '“' || r == '"') && !inside // „German“
		if !opens && !strings.ContainsRune("\"”»“", r) {
			continue
		}
		if opens == inside {
			return nil, nil, false
		}
		if inside {
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
