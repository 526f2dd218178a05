package agent

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// direction matches a stage direction that says who is spoken to: "whispers to Bren", "aside to Bren", "for
// Bren's ears only", "to Bren".
var direction = regexp.MustCompile(`(?i)^(?:(?:[a-z]+ly|whispers?|whispering|whispered|aside|says?|saying|speaking|murmurs?|mutters?|leans?(?: in| over| close)?|only|just|in private|in a (?:low|hushed|quiet) (?:voice|tone)),? +)*(?:to|for) +(.+?)(?:['’]s? ears)?(?: only| alone)?[.:]?$`)

// directed takes over a stage direction that says who is spoken to. It is a whisper to a character of the
// cast, or to an unknown name; to anything else ("to herself") it is a way of speaking: false.
func (c *cast) directed(d *draft, text string) bool {
	m := direction.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	to, ok := c.addressees([]string{m[1]})
	if !ok && len(to) == 0 && !capitalized(strings.Fields(m[1])...) && !strings.Contains(m[1], " and ") {
		return false
	}
	if len(d.to) == 0 {
		d.to = []string{m[1]}
	}
	return true
}

// bracketed matches a direction at the head of a speech.
var bracketed = regexp.MustCompile(`^\s*[(\[]([^()\[\]\n]{1,90})[)\]][\s:]*`)

// speech takes the deeds and a direction at its head out of a draft's speech.
func (c *cast) speech(d *draft) string {
	text := unescaped(d.speech)
	if has(text, "([") {
		if m := bracketed.FindStringSubmatch(text); m != nil && c.directed(d, m[1]) {
			text = text[len(m[0]):]
		}
	}
	said, deeds := splitDeeds(strings.TrimLeft(text, " \t\n:,/|"))
	d.deed = joined(strings.Join(deeds, "; "), d.deed, "; ")
	return said
}

// deedText is a deed without the marks of one. It is empty for one that is to do nothing.
func deedText(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(unescaped(text), "*", ""))
	if strings.EqualFold(strings.TrimSuffix(text, "."), "nothing") {
		return ""
	}
	return text
}

// spans matches what may be a deed: one pair of asterisks, parentheses or brackets.
var spans = regexp.MustCompile(`\*[^\s*][^*\n]*\*|\([^()\n]{2,120}\)|\[[^\[\]\n]{2,160}\]`)

// splitDeeds takes *deeds* out of what is said: those that are a clause of their own. Within a sentence
// the marks are emphasis, and the words stay; so do words in parentheses that are no action.
func splitDeeds(text string) (speech string, deeds []string) {
	if !has(text, "*([") {
		return text, nil
	}
	text = strings.ReplaceAll(text, "**", "")
	var b strings.Builder
	from := 0
	for _, at := range spans.FindAllStringIndex(text, -1) {
		span, inner := text[at[0]:at[1]], strings.TrimSpace(text[at[0]+1:at[1]-1])
		b.WriteString(text[from:at[0]])
		from = at[1]
		own := clause(b.String(), inner, text[at[1]:])
		switch {
		case own && (span[0] == '*' || span[0] == '[' && !unicode.IsUpper(rune(inner[0])) || acting(inner)):
			deeds = append(deeds, inner)
		case span[0] == '*':
			b.WriteString(inner)
		default:
			b.WriteString(span)
		}
	}
	b.WriteString(text[from:])
	return strings.ReplaceAll(b.String(), "*", ""), deeds
}

// clause reports whether a span is a clause of its own between the texts before and behind it.
func clause(before, inner, behind string) bool {
	before = strings.TrimRight(before[max(0, len(before)-16):], " \t*")
	last, _ := utf8.DecodeLastRuneInString(before)
	if before != "" && !strings.ContainsRune(".!?…—–-~\"”'’»)]\n;:", last) {
		return false
	}
	behind = strings.TrimLeft(behind, " \t*")
	next, _ := utf8.DecodeRuneInString(behind)
	if behind == "" || next == '\n' || unicode.IsUpper(next) || strings.ContainsRune("\"“'‘«(…", next) {
		return true
	}
	first, _ := utf8.DecodeRuneInString(inner) // *sighs* well, but *This* is it
	return unicode.IsLower(first) && (unicode.IsLower(next) || unicode.IsDigit(next)) && acting(inner)
}

// notActs are words that look like a verb of the third person and are none.
var notActs = " is was has as this its yes us his thus plus perhaps always sometimes unless less things nothing something anything everything thing does maybe just "

// acting reports whether words begin with a verb as deeds do: "laughs", "smiling at her".
func acting(words string) bool {
	first, _, _ := strings.Cut(strings.ToLower(words), " ")
	first = strings.TrimRight(first, ".,!;")
	return (strings.HasSuffix(first, "s") && !strings.HasSuffix(first, "ss") || strings.HasSuffix(first, "ing")) && len(first) > 3 && !strings.Contains(notActs, " "+first+" ")
}

var (
	// utterance matches a quotation that is spoken words.
	utterance = regexp.MustCompile(`^[\s'‘…—-]*[\p{Lu}\p{Lo}\d].*[.,!?…—–-]['’*]?\s*$`)
	// toReader are words that narration around quotes does not have.
	toReader = regexp.MustCompile(`(?i)\b(?:you|your|yours|you['’]re|we|our|let['’]s|i['’]m|i think|i know)\b|\?`)
	// narrates is what narration has.
	narrates = regexp.MustCompile(`(?i)\b(?:I|she|he|they|her|his|their)\b|^[^a-z]*\p{Lu}\w+ \w+s\b`)
)

// novel separates prose as in a novel: quotations are speech, the text around them is the deed.
// It does so only where every quotation is an utterance and the rest tells of somebody.
func novel(text, deed string) (speech, deeds string) {
	said, told, ok := quotes(text)
	if !ok || len(said) == 0 || slices.ContainsFunc(said, func(s string) bool { return !utterance.MatchString(s) }) {
		return text, deed
	}
	rest := squeeze(strings.Join(told, " "))
	if rest != "" && (toReader.MatchString(rest) || !narrates.MatchString(rest)) {
		return text, deed
	}
	return squeeze(strings.Join(said, " ")), joined(strings.Trim(rest, " ,"), deed, "; ")
}
