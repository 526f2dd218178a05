package agent

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	escapedAngles = strings.NewReplacer(`\u003c`, "<", `\u003C`, "<", `\u003e`, ">", `\u003E`, ">")
	thinking      = regexp.MustCompile(`(?i)<(/?)(think|thinking|thought|thoughts|reasoning)>`)
	// token is what chat templates mark roles and ends with.
	token = regexp.MustCompile(`(?i)<\|[^|<>\n]{0,40}\|?>|<｜[^｜<>\n]{0,60}｜>|\[/?INST\]|<</?SYS>>|</?s>|<(start|end)_of_turn>|<(bos|eos|pad|unk)>`)
	final = regexp.MustCompile(`(?i)<\|channel\|>final<\|message\|>`)
)

// withoutReasoning removes what a reasoning model thought aloud, also where only the closing tag is
// there. open says that the reasoning did not end, so that there is no answer after it.
func withoutReasoning(text string) (answer string, open bool) {
	if strings.Contains(text, `\u003`) {
		text = escapedAngles.Replace(text)
	}
	if strings.IndexByte(text, '<') < 0 {
		return text, false
	}
	if at := final.FindAllStringIndex(text, -1); len(at) > 0 { // the analysis channel came before
		text = text[at[len(at)-1][1]:]
	}
	tags := thinking.FindAllStringSubmatchIndex(text, -1)
	if len(tags) == 0 {
		return text, false
	}
	var b strings.Builder
	from, inside := 0, false
	for _, tag := range tags {
		closes := tag[2] < tag[3]
		switch {
		case !closes && !inside:
			b.WriteString(text[from:tag[0]])
			inside = true
		case closes && inside:
			inside = false
		case closes: // its opening tag was in the prompt: all so far was reasoning
			b.Reset()
		}
		from = tag[1]
	}
	if inside {
		return b.String(), true
	}
	b.WriteString(text[from:])
	return b.String(), false
}

// withoutTokens cuts a text at the first token of a chat template. Tokens that it begins with, and
// the model's own role behind them, are skipped; another's role ends it.
func withoutTokens(text string) (own string, leaked bool) {
	if strings.IndexByte(text, '<') < 0 && !strings.Contains(text, "INST]") && !strings.Contains(text, "inst]") {
		return text, false
	}
	for {
		at := token.FindStringIndex(text)
		if at == nil {
			return text, leaked
		}
		if before := text[:at[0]]; strings.TrimSpace(before) != "" {
			return before, true
		}
		leaked = true
		text = strings.TrimLeft(text[at[1]:], " \t")
		word := text
		if end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
			word = text[:end]
		}
		switch strings.ToLower(word) {
		case "user", "system", "human", "tool":
			return "", true
		case "assistant", "model":
			text = text[len(word):]
		}
	}
}

// squeeze folds white space, and drops what cannot be seen.
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
		case unicode.IsSpace(r) || unicode.IsControl(r):
			gap = true
			continue
		case r == utf8.RuneError || unicode.Is(unicode.Cf, r):
			continue
		}
		if gap && len(b) > 0 {
			b = append(b, ' ')
		}
		b, gap = utf8.AppendRune(b, r), false
	}
	return string(b)
}

// unquote removes quotation marks where everything stands in them.
func unquote(text string) string {
	if len(text) < 2 {
		return text
	}
	if text[0] == '\'' && text[len(text)-1] == '\'' && !strings.Contains(text[1:len(text)-1], "' ") && !strings.Contains(text, "''") {
		return strings.TrimSpace(text[1 : len(text)-1])
	}
	first, _ := utf8.DecodeRuneInString(text)
	if !strings.ContainsRune(`"“«„`, first) {
		return text
	}
	inside := false
	for _, r := range text {
		switch r {
		case '"':
			inside = !inside
		case '“', '«', '„':
			inside = true
		case '”', '»':
			inside = false
		default:
			if !inside && !unicode.IsSpace(r) {
				return text
			}
		}
	}
	return squeeze(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`"“”«»„`, r) {
			return ' '
		}
		return r
	}, text))
}

// splitDeeds takes *what is done* out of what is said. A single word in asterisks within a sentence
// is stress, and **bold** always is.
func splitDeeds(text string) (speech string, deeds []string) {
	if strings.IndexByte(text, '*') < 0 {
		return text, nil
	}
	text = strings.ReplaceAll(text, "**", "")
	var b strings.Builder
	for {
		open := strings.IndexByte(text, '*')
		if open < 0 {
			b.WriteString(text)
			break
		}
		b.WriteString(text[:open])
		text = text[open+1:]
		end := strings.IndexByte(text, '*')
		if end < 0 || strings.HasPrefix(text, " ") { // a bullet, or one that was forgotten
			continue
		}
		inner := strings.TrimSpace(text[:end])
		text = text[end+1:]
		before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(b.String()[max(0, b.Len()-8):], " "))
		if !strings.Contains(inner, " ") && (unicode.IsLetter(before) || before == ',') {
			b.WriteString(inner)
		} else if inner != "" {
			deeds = append(deeds, inner)
		}
	}
	return b.String(), deeds
}
