package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/characters"
)

// Form is how a reply is written.
type Form string

const (
	// JSON is an object by a schema, which a server can enforce.
	JSON Form = "json"
	// Lines are labelled lines, for models too small for JSON. A reply without labels is speech.
	Lines Form = "lines"
)

// Move is what a reply says its author does.
type Move struct {
	Speech string // on one line, at most MaxRunes; a pass has neither speech nor deed
	Deed   string // likewise
	To     []characters.ID
	Skill  characters.Skill // the check that the deed needs; empty: the reply names none
	Fault  string           // one of the faults, or empty
}

// Parse reads the reply of a model that plays self, one of the cast. It takes either form wherever it
// finds it, with prose, fences, reasoning and decoration around it, in time linear in the reply. It
// never returns what stands behind another cast member's name at the head of a line, and it never
// makes a whisper public. What is no move is a pass with a Fault.
func Parse(raw string, form Form, self characters.ID, public []characters.Public) Move {
	return newCast(self, public).parse(raw, form, false)
}

// draft is a move before its texts are cleaned and its names are resolved.
type draft struct {
	speech, deed, check string
	to                  []string // what stands in the field or the line for it
	aside               []string // whom marks of a whisper name
	whispered           bool     // there is such a mark, whether or not it says to whom
	fielded             bool     // there is a field that says who hears it, be it nobody
	found               bool     // a move was found, be it a pass
	others              bool     // it went on with somebody else's line
	open                bool     // it reaches to the end of the reply
	halved              bool     // an object that does not end
}

// parse reads a reply; cut says that the server stopped it before the model did.
func (c *cast) parse(raw string, form Form, cut bool) Move {
	text, open := withoutReasoning(raw)
	if strings.TrimSpace(text) == "" {
		if open || cut {
			return Move{Fault: FaultCutOff}
		}
		return Move{Fault: FaultEmpty}
	}
	text, leaked := withoutTokens(text)
	if flooded(text) {
		return Move{Fault: FaultFlood}
	}
	d := c.draft(text, form)
	switch {
	case leaked && (d.halved || !d.found && !d.others):
		return Move{Fault: FaultLeakedTokens}
	case d.halved, cut && d.open && !leaked:
		return Move{Fault: FaultCutOff}
	case !d.found && d.others:
		return Move{Fault: FaultSpeaksForOthers}
	case !d.found && refused(text):
		return Move{Fault: FaultRefused}
	case !d.found && cut:
		return Move{Fault: FaultCutOff}
	case !d.found && strings.Trim(text, " \t\r\n`") == "":
		return Move{Fault: FaultEmpty}
	case !d.found:
		return Move{Fault: FaultUnparsed}
	}
	return c.finish(&d, leaked)
}

// draft finds the move in a reply.
func (c *cast) draft(text string, form Form) draft {
	if strings.IndexByte(text, '{') >= 0 {
		switch f, begin, end, s := object(text, field); s {
		case whole:
			return c.filled(f, text[:begin], text[end:])
		case halved:
			return draft{halved: true}
		}
	}
	return c.lines(text, form == Lines)
}

// filled makes a draft of an object's fields; before and after are what stands around it.
func (c *cast) filled(f fields, before, after string) draft {
	d := draft{check: f.check, to: f.to, fielded: f.addressed}
	if f.speaker != "" && c.other(c.named(f.speaker)) || c.announces(before) {
		d.others = true
		return d
	}
	d.found = true
	c.marked(&d, &f)
	c.announced(&d, before)
	c.announced(&d, after)
	d.speech = c.part(&d, f.speech)
	d.deed = c.joined(d.deed, c.part(&d, f.deed))
	if strings.IndexFunc(after, unicode.IsLetter) >= 0 {
		d.others = d.others || c.goesOn(after)
	}
	return d
}

// other reports whether a name means somebody else.
func (c *cast) other(who int) bool { return who != nobody && who != oneself && who != c.self }

// announces reports whether a text ends with somebody else's name, as before "Bren: {...}".
func (c *cast) announces(before string) bool {
	before = strings.TrimSpace(before)
	before = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(before, "json"), "```"))
	if before == "" {
		return false
	}
	h, ok := c.speaker(before[strings.LastIndexByte(before, '\n')+1:])
	return ok && h.rest == "" && c.other(h.who)
}

// goesOn reports whether there are other speakers in what follows a move.
func (c *cast) goesOn(after string) bool {
	for line := range strings.Lines(after) {
		if h, ok := c.speaker(line); ok && c.other(h.who) {
			return true
		}
	}
	if strings.IndexByte(after, '{') < 0 {
		return false
	}
	f, _, _, s := object(after, field)
	return s != none && f.speaker != "" && c.other(c.named(f.speaker))
}

// breaks are all the ways to begin a line.
var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

func unified(text string) string {
	for i := range len(text) {
		if ch := text[i]; ch >= utf8.RuneSelf || ch == '\r' || ch == '\v' || ch == '\f' {
			return breaks.Replace(text)
		}
	}
	return text
}

// part takes one's own out of a field's text: without one's name before it, and up to the first line
// that is somebody else's.
func (c *cast) part(d *draft, text string) string {
	if strings.Contains(text, `\n`) {
		text = strings.ReplaceAll(text, `\n`, "\n")
	}
	if !headed(text) {
		return text
	}
	var own strings.Builder
	for line := range strings.Lines(unified(text)) {
		line = strings.TrimSpace(line)
		if kind, aside, rest := labelled(line); own.Len() == 0 && (kind == sayLabel || kind == doLabel) {
			c.aside(d, aside)
			line = rest // the key leaked into the text
		}
		h, ok := c.speaker(line)
		switch {
		case ok && (h.who == c.self || h.who == oneself && own.Len() == 0):
			c.aside(d, h.aside)
			line = h.rest
			if h, ok := c.speaker(line); ok && c.other(h.who) {
				d.others = true
				return own.String()
			}
		case ok && h.who == oneself, ok && c.other(h.who):
			d.others = true
			return own.String()
		}
		own.WriteString(line)
		own.WriteByte('\n')
	}
	return own.String()
}

// headed reports whether a text can have a speaker's name, a label or a line break in it.
func headed(text string) bool {
	for i := range len(text) {
		switch ch := text[i]; ch {
		case '\n', '\r', '\v', '\f', ':', '#', '[', '*':
			return true
		default:
			if ch >= utf8.RuneSelf {
				return true
			}
		}
	}
	return false
}

// aside takes what stands in parentheses behind one's own name.
func (c *cast) aside(d *draft, text string) {
	if text == "" {
		return
	}
	first, _, _ := strings.Cut(text, " ")
	if to, marked := c.directs(text, !d.fielded); marked {
		d.whisper(to)
	} else if !speechVerbs[strings.ToLower(first)] {
		d.deed = c.joined(d.deed, text)
	}
}

func (*cast) joined(a, b string) string {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	switch {
	case a == "" || a == b:
		return b
	case b == "":
		return a
	}
	return a + "; " + b
}

// lines reads labelled lines. plain says whether a reply without a label is speech.
func (c *cast) lines(text string, plain bool) draft {
	s := script{c: c, current: noLabel}
	for line := range strings.Lines(unified(text)) {
		if !s.line(strings.TrimSpace(line)) {
			break
		}
	}
	d := s.d
	d.speech, d.deed = s.say.String(), c.joined(d.deed, s.do.String())
	if s.labelled {
		d.found = true
	} else if s.plain.Len() > 0 && plain {
		d.speech, d.found = s.plain.String(), true
	}
	d.open = !s.stopped && !s.closed && !(s.passed && s.say.Len() == 0)
	return d
}

// script reads a reply line by line.
type script struct {
	c              *cast
	d              draft
	say, do, plain strings.Builder
	current        label // that the next line goes on with
	last           label // that came last
	labelled       bool  // there was a label of a move
	passed         bool
	closed         bool // an empty line ended the labelled part
	stopped        bool // somebody else's line, or a second move, ended it
}

// line takes one line and reports whether to go on.
func (s *script) line(line string) bool {
	if line == "" {
		if s.labelled && s.say.Len()+s.do.Len() > 0 {
			s.current, s.closed = noLabel, true
		}
		return true
	}
	if strings.HasPrefix(line, "```") {
		return true
	}
	for range 8 { // "Orla: SAY: Orla: ..." and "SAY: ... DO: ..." on one line
		if kind, aside, rest := labelled(line); kind != noLabel {
			s.c.aside(&s.d, aside)
			if kind == whisperLabel {
				kind, rest = s.c.whisperLine(&s.d, rest)
			}
			if !s.begin(kind) {
				return false
			}
			if kind == toLabel || kind == checkLabel {
				value, after, more := inline(rest)
				if kind == toLabel {
					s.d.to = append(s.d.to, value)
				} else {
					s.d.check = value
				}
				if !more {
					return true
				}
				rest = after
			}
			line = rest
		} else if h, ok := s.c.speaker(line); ok {
			if s.c.other(h.who) || h.who == oneself && s.begun() {
				s.d.others, s.stopped = true, true
				return false
			}
			s.c.aside(&s.d, h.aside)
			line = h.rest
		} else if names, ok := strings.CutPrefix(line, "TO "); ok && (s.c.allKnown([]string{names}) || proper(names)) {
			s.d.to = append(s.d.to, names) // the colon was forgotten
			return true
		} else {
			before, after, more := inline(line)
			s.put(before)
			if !more {
				return true
			}
			line = after
		}
		if line == "" {
			return true
		}
	}
	s.put(line)
	return true
}

func (s *script) begun() bool { return s.say.Len()+s.do.Len()+s.plain.Len() > 0 }

// begin starts a labelled part. A label that comes again after another one is a second move.
func (s *script) begin(kind label) bool {
	again := kind == sayLabel && s.say.Len() > 0 || kind == doLabel && s.do.Len() > 0
	if again && (s.last != kind || s.closed) || kind == passLabel && s.say.Len()+s.do.Len() > 0 {
		s.stopped = true
		return false
	}
	s.last, s.current, s.closed = kind, kind, false
	switch kind {
	case sayLabel, doLabel:
		s.labelled = true
	case passLabel:
		s.labelled, s.passed, s.current = true, true, noLabel
	default:
		s.current = noLabel
	}
	return true
}

func (s *script) put(text string) {
	to := &s.plain
	if s.current != sayLabel && s.current != doLabel {
		s.c.announced(&s.d, text)
	}
	switch {
	case s.current == sayLabel:
		to = &s.say
	case s.current == doLabel:
		to = &s.do
	case s.labelled:
		return // prose behind the move
	case s.plain.Len() == 0 && leadIn(text):
		return
	}
	if text = strings.TrimSpace(text); text != "" {
		to.WriteString(text)
		to.WriteByte('\n')
	}
}

// leadIn reports whether a line only announces the reply: "Sure, here is my move:".
func leadIn(line string) bool {
	if !strings.HasSuffix(line, ":") || len(line) > 160 {
		return false
	}
	low := strings.ToLower(line)
	for _, w := range []string{"sure", "okay", "ok,", "certainly", "of course", "here is", "here's", "here’s", "my response", "my reply"} {
		if strings.HasPrefix(low, w) {
			return true
		}
	}
	return false
}
