package agent

import (
	"regexp"
	"slices"
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

// dashed matches a name and what is said, with a dash or a bar between.
var dashed = regexp.MustCompile(`^(\p{Lu}[^\n:"“]{1,40}?) (?:[-–—|>]{1,2}) (.+)$`)

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
	rest := withoutEnd(mark, strings.TrimSpace(bare[colon+size:]))
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
	if !strings.ContainsAny(bare, "-–—|>") {
		return head{}, false
	}
	m := dashed.FindStringSubmatch(bare)
	if m == nil {
		return head{}, false
	}
	who := c.named(m[1])
	return head{who: who, rest: m[2]}, who >= 0 && (who == c.self || strings.HasPrefix(m[2], `"`) || strings.HasPrefix(m[2], "“"))
}

// withoutEnd takes off the end of the emphasis that a name with a colon is in: of **Bren:**, _Bren:_.
func withoutEnd(mark, rest string) string {
	for _, em := range []string{"**", "* ", "_ "} {
		behind, ends := strings.CutPrefix(rest, em)
		if ends && (strings.Contains(mark, strings.TrimSpace(em)) || em == "**" && !strings.Contains(behind, em)) {
			return strings.TrimSpace(behind)
		}
	}
	return rest
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
	// passes matches a pass, in the actor's words or the transcript's.
	passes = regexp.MustCompile(`(?i)^\W*(?:i )?pass(?:es|ed)?(?: (?:on )?(?:her|his|their|my|the|this|its) turn)?\W*$|^says and does nothing`)
	// leadIn matches a line before the move that only announces it.
	leadIn = regexp.MustCompile(`(?i)^(?:sure|okay|ok,|certainly|of course|here is|here['’]s|my (?:response|reply|move)).{0,140}:\s*$`)
)

// lines reads a reply of labelled lines, or prose.
func (c *cast) lines(text string) draft {
	s := script{c: c}
	whole := strings.TrimSpace(c.unheaded(strings.Trim(text, decoration+"\n")))
	if passes.MatchString(whole) {
		return draft{form: Lines}
	}
	text = c.cleared(&s.d, text)
	form := Prose
	for line := range strings.Lines(text) {
		if _, _, _, s.labelled = labelled(strings.TrimSpace(c.unheaded(line))); s.labelled {
			form, text = Lines, inLine.ReplaceAllString(text, "$1\n$2")
			break
		}
	}
	s.read(text)
	d := s.d
	d.form, d.speech, d.deed = form, strings.TrimSpace(s.say.String()), joined(d.deed, s.do.String(), "; ")
	d.open = !s.stopped
	return d
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
	for i := range c.people { // "Orla passes.", "[Orla says and does nothing.]"
		for _, name := range []string{c.people[i].Name, c.people[i].Label} {
			if rest, ok := strings.CutPrefix(strings.TrimLeft(line, decoration), name+" "); ok && i == c.self && passes.MatchString(rest) {
				return rest
			}
		}
	}
	return line
}

// cleared unifies line breaks, takes out notes that are out of character, and cuts a text before dice or a
// game master's line that it made up.
func (c *cast) cleared(d *draft, text string) string {
	text = unifiedBreaks(text)
	lower := strings.ToLower(text)
	if strings.ContainsAny(text, "([{<") || strings.Contains(lower, "ooc") || strings.Contains(lower, "out of char") {
		if without := note.ReplaceAllString(text, "\n"); without != text {
			d.mark(FaultOutOfCharacter)
			text = without
		}
	}
	if !mayBeForged(lower) {
		return text
	}
	if at := forged.FindStringIndex(text); at != nil {
		d.mark(FaultSpeaksForOthers)
		text = text[:at[0]]
	}
	return text
}

// mayBeForged reports whether a text in lower case has a sign of dice or of the game master's lines. Most have
// none, and the expression is slow.
func mayBeForged(lower string) bool {
	signs := []string{"roll", "check", "save", "throw", "d4", "d6", "d8", "d1", "d2"}
	return strings.IndexByte(lower, '[') >= 0 || strings.ContainsAny(lower, "0123456789") &&
		slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(lower, sign) })
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
	if strings.IndexByte(text, '<') >= 0 {
		text, _ = ownTurn(text)
		var leaked bool
		if text, leaked = withoutTokens(text); leaked {
			d.mark(FaultTemplateTokens)
		}
	}
	if text = c.cleared(d, text); !strings.ContainsAny(text, ":：[]#*<\n") {
		return text
	}
	s := script{c: c, field: true}
	s.read(text)
	d.mark(s.d.marked)
	d.deed = joined(d.deed, s.d.deed, "; ")
	if !d.fielded || len(d.to) == 0 {
		d.to = append(d.to, s.d.to...)
	}
	return s.say.String()
}

// script reads a text line by line.
type script struct {
	c        *cast
	d        draft
	say, do  strings.Builder
	field    bool   // the text is that of a field, in which no label begins another one
	labelled bool   // there are labels
	current  string // the label that the next line goes on with
	dialogue bool   // one's own name stood before a line
	stopped  bool   // another speaker, or a second move, ended it
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
		if h, ok := s.c.head(line, true); !ok || h.rest != "" || h.who != s.c.self {
			return s.another()
		}
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
func (s *script) begun() bool { return s.say.Len()+s.do.Len() > 0 }

// another ends the reading at a line of another speaker.
func (s *script) another() bool {
	s.d.mark(FaultSpeaksForOthers)
	s.stopped = true
	return false
}

// begin starts a labelled part. A label that comes again behind another one is a second move.
func (s *script) begin(label, aside, rest string) bool {
	if s.field {
		return true
	}
	again := label == "speech" && s.say.Len() > 0 || label == "deed" && s.do.Len() > 0
	if again && s.current != label {
		s.stopped = true
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
	if text == "" || s.c.directed(&s.d, text) || speaking.MatchString(text) {
		return
	}
	s.d.deed = joined(s.d.deed, text, "; ")
}

func (s *script) put(text string) {
	to := &s.say
	switch {
	case s.current == "deed":
		to = &s.do
	case s.labelled && s.current == "", s.say.Len() == 0 && !s.field && leadIn.MatchString(text), s.labelled && passes.MatchString(text):
		return // prose around the move
	}
	to.WriteString(text)
	to.WriteByte('\n')
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
