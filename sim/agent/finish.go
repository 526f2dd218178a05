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
	speech, deeds := splitDeeds(c.directions(d, unescape(d.speech)))
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
	c.narrates(d, speech)
	if to, marked := c.whispersTo(deed); marked && (c.allKnown(to) || speech != "" || quotes(deed)) {
		d.whisper(to)
	}
	if len(d.to) > 0 || d.whispered {
		to, ok := c.heard(d)
		if len(to) == 0 && !ok {
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
