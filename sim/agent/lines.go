package agent

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/sim/llm"
)

const (
	// decoration is the marks that may surround a name or a label.
	decoration = " \t*_#>-•~|`\"'“‘[("
	// maxHead is how far into a line the colon behind a name is looked for, in bytes.
	maxHead = 96
)

// head is the name of a speaker that a line begins with.
type head struct {
	who   int    // a place in the cast, outside or oneself
	aside string // "whispers to Bren" of "Orla (whispers to Bren): ..."
	rest  string // the text behind it
}

// speechVerb matches a verb of speech between a speaker and the colon.
var speechVerb = regexp.MustCompile(`(?i) (?:(?:says?|said|asks?|asked|repl(?:ies|ied)|answer(?:s|ed)|whisper(?:s|ed)|shout(?:s|ed)|mutter(?:s|ed)|adds|added|respond(?:s|ed)|speak(?:s|ing)|continues)(?: (?:to|at) [^:]{1,40}|,? [a-z]+ly)?|to [^:]{1,40})$`)

// head reads the name at the beginning of a line: "Bren:", "**Bren Ironhand:**", "[Bren] ", "Bren (angrily): ",
// "Bren says: ", "### Bren". A name that words in small letters follow ("Bren: take five") is somebody who
// is called, unless the reply is known to be a dialogue.
func (c *cast) head(line string, dialogue bool) (head, bool) {
	bare := strings.TrimLeft(line, decoration+"<")
	mark := line[:len(line)-len(bare)]
	if h, ok := c.headless(mark, bare); ok || bare == "" {
		return h, ok
	}
	colon := strings.IndexAny(bare[:min(len(bare), maxHead)], ":：")
	if colon < 0 {
		return c.heading(mark, bare)
	}
	_, size := utf8.DecodeRuneInString(bare[colon:])
	name, aside := bare[:colon], ""
	if open := strings.IndexByte(name, '('); open > 0 {
		aside = strings.Trim(name[open:], " \t()*_[]")
		name = name[:open]
	}
	who := c.named(strings.TrimSpace(name))
	if who == unknown {
		if who = c.named(speechVerb.ReplaceAllString(strings.TrimRight(name, " *_"), "")); who == unknown || who == oneself {
			return c.heading(mark, bare)
		}
	}
	// The emphasis that a name with its colon is in ends behind them: **Bren:**, _Bren:_.
	rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(bare[colon+size:]), strings.Trim(mark, " \t-•#>")))
	first, _ := utf8.DecodeRuneInString(rest)
	called := (who >= 0 || who == ambiguous) && who != c.self && (unicode.IsLower(first) || unicode.IsDigit(first))
	return head{who: who, aside: aside, rest: rest}, dialogue || !called
}

// headless reads a name without a colon: in brackets, or with a dash or a bar behind it.
func (c *cast) headless(mark, bare string) (head, bool) {
	if strings.ContainsAny(mark, "[<(") {
		if end := strings.IndexAny(bare[:min(len(bare), maxHead)], "]>)"); end > 0 {
			if who := c.named(bare[:end]); who != unknown && (who != oneself || strings.Contains(mark, "[")) {
				return head{who: who, rest: strings.TrimLeft(bare[end+1:], " \t*_:：")}, true
			}
		}
	}
	for _, dash := range []string{" - ", " – ", " — ", " | ", " > "} {
		if name, rest, ok := strings.Cut(bare, dash); ok {
			who := c.named(name)
			return head{who: who, rest: rest}, who >= 0 && (who == c.self || strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, "“"))
		}
	}
	return head{}, false
}

// heading reads a line that is a name and no more, where a number sign or bold type marks it so. A plain
// name alone is somebody who is called.
func (c *cast) heading(mark, bare string) (head, bool) {
	if len(bare) > maxHead || !strings.Contains(mark, "#") && !strings.Contains(mark, "**") {
		return head{}, false
	}
	who := c.named(strings.TrimRight(bare, " \t*_#]"))
	return head{who: who}, who != unknown && who != oneself
}

// A line's label, in the groups: label, direction, separator, rest.
var (
	labelLine = regexp.MustCompile("(?i)^[\\s*_#>•~|`\"'“‘(\\[-]*(?:\\d[.)]\\s*)?(say|says|said|speech|speak|dialogue|do|does|deed|act|action|to|whispers? to|check|skill|skill check)" +
		"[\\s*_\"”`]*(?:[(\\[]([^)\\]]{1,80})[)\\]])?[\\s*_\"”`\\])]*(:|：|=| [-–—] )[\\s_]*(?:\\*\\*)?\\s*(.*)$")
	// inLine matches a label within a line, which has to be in capitals.
	inLine = regexp.MustCompile(`([\s*.!?"'|,;)])[\s*|]*((?:SAY|DO|TO|CHECK) ?(?:\([^)]{1,60}\))?:)`)
	// narration matches a line of the game master, as the transcript has it.
	narration = regexp.MustCompile(`^\[(\p{Lu}[^\[\]]*[.!?…])\]$`)
	// speaking matches a direction behind a name that is no deed.
	speaking = regexp.MustCompile(`(?i)^(?:speaking|talking|saying|says?|whisper(?:s|ing|ed)?|aloud|out loud)$`)
	// passing matches a pass, in the actor's words or the transcript's.
	passing = regexp.MustCompile(`(?i)^\W*(?:i )?pass(?:es|ed)?(?: (?:on )?(?:her|his|their|my|the|this|its) turn)?\W*$|^says and does nothing`)
	// leadIn matches a line before the move that only announces it.
	leadIn = regexp.MustCompile(`(?i)^(?:sure|okay|ok,|certainly|of course|here is|here['’]s|my (?:response|reply|move)).{0,140}:\s*$`)
)

// lines reads a reply of labelled lines, or prose.
func (c *cast) lines(text string) (d draft) {
	d.form = Lines
	if c.passes(text) {
		return d
	}
	if text = c.cleared(&d, text); strings.Contains(text, ":") {
		text = inLine.ReplaceAllString(text, "$1\n$2")
	}
	s := script{c: c, d: &d}
	if s.read(text); !s.labelled {
		d.form = Prose
	}
	d.speech, d.deed = strings.Join(s.say, "\n"), joined(d.deed, strings.Join(s.do, "\n"), "; ")
	return d
}

// passes reports whether a reply is a pass and no more: "PASS", "Orla passes.", "[Orla says and does nothing.]".
func (c *cast) passes(text string) bool {
	text = strings.TrimSpace(c.unheaded(strings.Trim(text, decoration+"\n")))
	if c.self >= 0 {
		text = strings.TrimPrefix(strings.TrimPrefix(text, c.people[c.self].Name+" "), c.people[c.self].Label+" ")
	}
	return passing.MatchString(text)
}

// unheaded takes one's own name off the beginning of a line.
func (c *cast) unheaded(line string) string {
	for range 4 {
		h, ok := c.head(line, true)
		if !ok || h.who != c.self && h.who != oneself {
			break
		}
		line = h.rest
	}
	return line
}

// cleared unifies line breaks, takes out notes that are out of character, and cuts a text before dice or a
// game master's line that it made up.
func (c *cast) cleared(d *draft, text string) string {
	text = unifiedBreaks(text)
	if has(text, "([{<") || has(text, ":-\xe2") && announced.match(text) {
		if without := note.ReplaceAllString(text, "\n"); without != text {
			d.mark(FaultOutOfCharacter)
			text = without
		}
	}
	if has(text, "[") || has(text, "0123456789") && forgeries.match(text) {
		if at := forged.FindStringIndex(text); at != nil {
			d.mark(FaultSpeaksForOthers)
			text = text[:at[0]]
		}
	}
	return text
}

// own returns what is the author's own of a field: without reasoning, without a name or a label before it, up to the
// first line of another speaker.
func (c *cast) own(d *draft, text string) string {
	text = strings.ReplaceAll(text, `\n`, "\n") // escaped twice
	if _, rest, certain := llm.SplitReasoning(text); certain {
		text = rest
	} else if !strings.Contains(text, "</") { // else it is a word of a sentence, as the whole reply was split before
		d.fault = FaultReasoning
	}
	if callsTool(text) {
		d.fault = FaultToolCall
	}
	text, leaked := ownTurn(text)
	if leaked != "" {
		d.mark(FaultTemplateTokens)
	}
	if text = c.cleared(d, text); !has(text, ":[]#*<\n") && !strings.Contains(text, "：") {
		return text
	}
	s := script{c: c, d: d, field: true}
	s.read(text)
	return strings.Join(s.say, "\n")
}

// script reads a text line by line.
type script struct {
	c        *cast
	d        *draft
	say, do  []string
	field    bool   // the text is that of a field, in which no label begins another one
	labelled bool   // there was a label; what came before it is prose around the move
	current  string // the label that the next line goes on with
	dialogue bool   // one's own name stood before a line
}

// read takes line by line until the move ends: at a line of another speaker, or at a second move.
func (s *script) read(text string) {
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		told := narration.FindStringSubmatch(bare)
		switch {
		case bare == "":
			if len(s.say)+len(s.do) > 0 { // else the label is on a line of its own
				s.current = ""
			}
		case strings.HasPrefix(line, "```"), s.labelled && strings.Trim(bare, decoration+"0123456789.)") == "":
			// a fence, or what is left before a label within a line
		case told != nil && !acting(told[1]):
			s.d.mark(FaultSpeaksForOthers)
			return
		case !s.line(bare):
			return
		}
	}
}

// line takes a line with the names and labels that it begins with, and reports whether to go on.
func (s *script) line(line string) (goOn bool) {
	begun := len(s.say)+len(s.do) > 0
	dialogue := s.dialogue || (s.labelled || s.field) && begun
	for range 8 { // "Orla: SAY: Orla: ..."
		if label, aside, rest, ok := labelled(line); ok {
			if line, goOn = s.begin(label, aside, rest); line == "" {
				return goOn
			}
			continue
		}
		h, ok := s.c.head(line, dialogue)
		if !ok {
			break
		}
		if s.c.other(h.who) || h.who == oneself && begun {
			s.d.mark(FaultSpeaksForOthers)
			return false
		}
		s.dialogue = true
		s.aside(h.aside)
		if line = h.rest; line == "" {
			return true
		}
	}
	s.put(line)
	return true
}

// begin starts a labelled part, and returns the rest of its line that is to be read. A label that comes again
// behind another one is a second move.
func (s *script) begin(label, aside, rest string) (string, bool) {
	switch {
	case s.field:
		return rest, true
	case label == "to":
		s.d.to, s.current = append(s.d.to, rest), ""
		return "", true
	case label == "check":
		s.d.check, s.current = rest, ""
		return "", true
	case !s.labelled:
		s.labelled, s.say = true, nil
	case s.current != label && (label == "speech" && len(s.say) > 0 || label == "deed" && len(s.do) > 0):
		return "", false
	}
	s.current = label
	s.aside(aside)
	return rest, true
}

// aside reads the parentheses behind a name or a label.
func (s *script) aside(text string) {
	if !s.c.directed(s.d, text) && !speaking.MatchString(text) {
		s.d.deed = joined(s.d.deed, text, "; ")
	}
}

func (s *script) put(text string) {
	switch {
	case s.current == "deed":
		s.do = append(s.do, text)
	case s.labelled && s.current == "", len(s.say) == 0 && !s.field && leadIn.MatchString(text), s.labelled && passing.MatchString(text):
		// prose around the move
	default:
		s.say = append(s.say, text)
	}
}

// labelled reads the label at the head of a line: "SAY: ", "**Say:** ", "1. DO - ", "SAY (to Bren): ". The
// label is the field that it is for: speech, deed, to or check.
func labelled(line string) (label, aside, rest string, ok bool) {
	m := labelLine.FindStringSubmatch(line)
	if m == nil || strings.HasPrefix(m[3], " ") && m[1] != strings.ToUpper(m[1]) {
		return "", "", "", false
	}
	return moveKeys.of(m[1]), m[2], strings.TrimSpace(m[4]), true
}
