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

// speechVerb matches a speaker and a verb of speech before the colon.
var speechVerb = regexp.MustCompile(`(?i)^(.+?) (?:(?:says?|said|asks?|asked|repl(?:ies|ied)|answer(?:s|ed)|whisper(?:s|ed)|shout(?:s|ed)|mutter(?:s|ed)|adds|added|respond(?:s|ed)|speak(?:s|ing)|continues)(?: (?:to|at) [^:]{1,40}|,? [a-z]+ly)?|to [^:]{1,40})$`)

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
		m := speechVerb.FindStringSubmatch(strings.TrimRight(name, " *_"))
		if m == nil {
			return c.heading(mark, bare)
		}
		if who = c.named(m[1]); who == unknown || who == oneself {
			return head{}, false
		}
	}
	// The emphasis that a name with its colon is in ends behind them: **Bren:**, _Bren:_.
	rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(bare[colon+size:]), strings.Trim(mark, " \t-•#>")))
	first, _ := utf8.DecodeRuneInString(rest)
	called := (who >= 0 || who == ambiguous) && who != c.self && (unicode.IsLower(first) || unicode.IsDigit(first))
	if called && !dialogue {
		return head{}, false
	}
	return head{who: who, aside: aside, rest: rest}, true
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
	text = c.cleared(&d, text)
	s := script{c: c, d: &d}
	for line := range strings.Lines(text) {
		if _, _, _, s.labelled = labelled(strings.TrimSpace(c.unheaded(line))); s.labelled {
			text = inLine.ReplaceAllString(text, "$1\n$2")
			break
		}
	}
	if !s.labelled {
		d.form = Prose
	}
	s.read(text)
	d.speech, d.deed = strings.Join(s.say, "\n"), joined(d.deed, strings.Join(s.do, "\n"), "; ")
	return d
}

// passes reports whether a reply is a pass and no more: "PASS", "Orla passes.", "[Orla says and does nothing.]".
func (c *cast) passes(text string) bool {
	text = strings.TrimSpace(c.unheaded(strings.Trim(text, decoration+"\n")))
	if c.self >= 0 {
		me := &c.people[c.self]
		text = strings.TrimPrefix(strings.TrimPrefix(text, me.Name+" "), me.Label+" ")
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
	if lower := strings.ToLower(text); strings.ContainsAny(text, "([{<") || strings.Contains(lower, "ooc") || strings.Contains(lower, "out of char") {
		if without := note.ReplaceAllString(text, "\n"); without != text {
			d.mark(FaultOutOfCharacter)
			text = without
		}
	}
	if strings.ContainsAny(text, "[0123456789") { // as all that is forged has
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
	if text = c.cleared(d, text); !strings.ContainsAny(text, ":：[]#*<\n") {
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
	labelled bool   // there are labels
	current  string // the label that the next line goes on with
	dialogue bool   // one's own name stood before a line
}

// read takes line by line until the move ends.
func (s *script) read(text string) {
	for line := range strings.Lines(text) {
		if !s.line(line) {
			return
		}
	}
}

// line takes one line and reports whether to go on.
func (s *script) line(line string) bool {
	if strings.HasPrefix(line, "```") {
		return true
	}
	line = strings.TrimSpace(line)
	if s.labelled && line != "" && strings.Trim(line, decoration+"0123456789.)") == "" {
		return true // what is left before a label within a line
	}
	if told := narration.FindStringSubmatch(line); told != nil && !acting(told[1]) {
		return s.another()
	}
	if line == "" {
		if s.labelled && s.begun() {
			s.current = ""
		}
		return true
	}
	return s.headed(line)
}

// headed takes a line with the names and labels that it begins with.
func (s *script) headed(line string) bool {
	dialogue := s.dialogue || (s.labelled || s.field) && s.begun()
	for range 8 { // "Orla: SAY: Orla: ..."
		if label, aside, rest, ok := labelled(line); ok {
			if goOn := s.begin(label, aside, rest); !goOn || label == "to" || label == "check" {
				return goOn
			}
			line = rest
			continue
		}
		h, ok := s.c.head(line, dialogue)
		if !ok {
			break
		}
		if s.c.other(h.who) || h.who == oneself && s.begun() {
			return s.another()
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

// begun reports whether the move has words.
func (s *script) begun() bool { return len(s.say)+len(s.do) > 0 }

// another ends the reading at a line of another speaker.
func (s *script) another() bool {
	s.d.mark(FaultSpeaksForOthers)
	return false
}

// begin starts a labelled part. A label that comes again behind another one is a second move.
func (s *script) begin(label, aside, rest string) bool {
	if s.field {
		return true
	}
	again := label == "speech" && len(s.say) > 0 || label == "deed" && len(s.do) > 0
	if again && s.current != label {
		return false
	}
	switch s.current = label; label {
	case "to":
		s.d.to, s.d.fielded = append(s.d.to, rest), true
		s.current = ""
	case "check":
		s.d.check, s.current = rest, ""
	default:
		s.aside(aside)
	}
	return true
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
	if !strings.ContainsAny(line, ":：=-–—") {
		return "", "", "", false
	}
	m := labelLine.FindStringSubmatch(line)
	if m == nil || strings.HasPrefix(m[3], " ") && m[1] != strings.ToUpper(m[1]) {
		return "", "", "", false
	}
	return moveKeys.of(m[1]), m[2], strings.TrimSpace(m[4]), true
}
