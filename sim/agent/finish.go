package agent

import (
	"strings"

	"parley/characters"
)

// finish cleans a draft's texts, resolves its names and says what is wrong with it. Where several
// things are, the fault is the first of: cut off, leaked or other speakers with nothing left to play,
// placeholders, refusal, other language, unknown addressee; and for a move that is played: speaks for
// others, leaked tokens, unknown addressee, too long.
func (c *cast) finish(d *draft, leaked bool) Move {
	speech, deeds := splitDeeds(c.whispering(d, unescape(d.speech)))
	speech, echo := stripped(speech)
	deed, echoed := stripped(strings.ReplaceAll(unescape(d.deed), "*", ""))
	if len(deeds) > 0 {
		within, _ := stripped(strings.Join(deeds, "; "))
		deed = c.joined(within, deed)
	}
	deed = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(deed, "("), ")"))
	if nothing(deed) || sameAs(deed, "nothing") {
		deed = ""
	}
	if nothing(speech) {
		speech = ""
	}
	if strings.Trim(speech, ".…- ") == "" { // an audible silence
		speech = ""
	}
	odd := speech != "" && wordless(speech) || deed != "" && wordless(deed)
	if odd {
		if wordless(speech) {
			speech = ""
		}
		if wordless(deed) {
			deed = ""
		}
	}
	if speech == "" && deed == "" {
		switch {
		case d.others:
			return Move{Fault: FaultSpeaksForOthers}
		case leaked:
			return Move{Fault: FaultLeakedTokens}
		case echo || echoed || odd:
			return Move{Fault: FaultUnparsed}
		}
		return Move{} // a pass, and meant as one
	}
	switch {
	case refused(speech) || speech == "" && refused(deed):
		return Move{Fault: FaultRefused}
	case foreign(speech, deed):
		return Move{Fault: FaultOtherLanguage}
	}
	m := Move{Speech: speech, Deed: deed}
	if len(d.to) == 0 && !d.whispered {
		d.to = c.whisperedDeed(deed)
	}
	if len(d.to) > 0 || d.whispered {
		to, ok := c.whom(d.to)
		if len(to) == 0 && (!ok || len(d.to) == 0) {
			return Move{Fault: FaultUnknownAddressee}
		}
		m.To = to
		if !ok {
			m.Fault = FaultUnknownAddressee
		}
	}
	var long, longer bool
	m.Speech, long = capped(m.Speech)
	m.Deed, longer = capped(m.Deed)
	switch {
	case d.others:
		m.Fault = FaultSpeaksForOthers
	case leaked:
		m.Fault = FaultLeakedTokens
	case m.Fault == "" && (long || longer):
		m.Fault = FaultTooLong
	}
	if d.check != "" {
		m.Skill, _ = characters.ParseSkill(d.check)
	}
	return m
}

// unescape drops the backslashes of Markdown and of quotes that were escaped twice.
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

// stripped folds a text to one line without quotes around it. A text that is only <a placeholder> of
// the form is no text: echo.
func stripped(text string) (s string, echo bool) {
	s = unquote(squeeze(text))
	if strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") && strings.Count(s, "<") == 1 {
		return "", true
	}
	return s, false
}

// nothing reports whether a text is a way to leave a field empty.
func nothing(text string) bool {
	if len(text) > 12 {
		return false
	}
	switch strings.ToLower(text) {
	case "none", "(none)", "null", "n/a", "pass", "pass.", "(pass)", "-", "--", "(nothing)", "(silence)", "empty", "(empty)", "''", `""`:
		return true
	}
	return false
}

func sameAs(text, word string) bool { return strings.EqualFold(strings.TrimSuffix(text, "."), word) }

// whispering takes a leading "(whispers to Bren)" or "*whispers to Bren*" off a speech.
func (c *cast) whispering(d *draft, speech string) string {
	s := strings.TrimLeft(speech, " \t\n\"“'")
	if s == "" || s[0] != '(' && s[0] != '*' {
		return speech
	}
	closer := ")"
	if s[0] == '*' {
		closer = "*"
	}
	end := strings.Index(s[1:min(len(s), maxHead)], closer)
	if end < 0 {
		return speech
	}
	inner := strings.TrimSpace(s[1 : 1+end])
	if low := strings.ToLower(inner); low != "whispers" && low != "whispering" && low != "whisper" &&
		!strings.HasPrefix(low, "whispers to ") && !strings.HasPrefix(low, "whispering to ") && !strings.HasPrefix(low, "whisper to ") {
		return speech
	}
	if len(d.to) == 0 {
		c.aside(d, inner)
	}
	return s[end+2:]
}

// whisperedDeed returns the cast members that a deed such as "whispers to Bren and Cade about it" is
// for. Whispering to somebody else, a horse or a god, is for everybody to see.
func (c *cast) whisperedDeed(deed string) (to []string) {
	verb, rest, _ := strings.Cut(deed, " ")
	if low := strings.ToLower(verb); low != "whispers" && low != "whisper" && low != "whispering" {
		return nil
	}
	rest, ok := strings.CutPrefix(rest, "to ")
	if !ok {
		return nil
	}
	words := strings.Fields(rest[:min(len(rest), 4*maxHead)])
	for len(words) > 0 {
		n := min(3, len(words))
		for ; n > 0; n-- {
			name := strings.TrimRight(strings.Join(words[:n], " "), ",.;:")
			if who, ok := c.lookup(key(name)); ok && who != c.self {
				to = append(to, name)
				break
			}
		}
		if n == 0 {
			break
		}
		more := strings.HasSuffix(words[n-1], ",")
		words = words[n:]
		if len(words) > 0 && words[0] == "and" {
			more, words = true, words[1:]
		}
		if !more {
			break
		}
	}
	return to
}
