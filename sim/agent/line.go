package agent

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/sim"
	"parley/sim/dice"
)

// An event is one line of the transcript. What the line is made of can be told from what was said,
// because only line puts these marks into a line:
//
//	Orla: "words" *deed*                      a move
//	Orla (whispers to Bren): "words" *deed*   a move that only Bren perceives
//	[Bren says and does nothing.]             the table: passes, rolls, narration
//
// Text is data: it loses its line breaks, quotation marks, asterisks, brackets, backticks and angle
// brackets, and a colon after a name or a label, so that nothing that is said can pass for another
// speaker, for the table, or for a chat template's token.

// line renders an event. It is empty for what is no part of the play: the scene, which is in the
// system message, debriefs, and the end.
func (c *cast) line(e *sim.Event, premise string) string {
	var room [512]byte
	b := room[:0]
	switch e.Kind {
	case sim.KindAct:
		b = append(b, c.label(e)...)
		b = c.whisper(b, e)
		b = append(b, ':')
		head := len(b)
		b = c.between(b, '"', e.Speech)
		b = c.between(b, '*', e.Deed)
		if len(b) == head {
			return c.passed(e)
		}
	case sim.KindPass:
		return c.passed(e)
	case sim.KindRoll:
		if e.Roll == nil {
			return c.told(e.Text)
		}
		b = append(b, '[')
		b = append(b, c.label(e)...)
		b = rolled(b, e.Roll)
		b = append(b, ']')
	case sim.KindScene:
		if e.Text == premise {
			return ""
		}
		return c.told(e.Text)
	case sim.KindNarration:
		return c.told(e.Text)
	}
	return string(b)
}

// between appends a text between two marks, or nothing where nothing is left of it.
func (c *cast) between(b []byte, mark byte, text string) []byte {
	before := len(b)
	b = append(b, ' ', mark)
	if b = c.fold(b, text); len(b) == before+2 {
		return b[:before]
	}
	return append(b, mark)
}

func (c *cast) passed(e *sim.Event) string { return "[" + c.label(e) + " says and does nothing.]" }

// told renders what the table tells.
func (c *cast) told(text string) string {
	folded := c.fold(nil, text)
	if len(folded) == 0 {
		return ""
	}
	return "[" + string(folded) + "]"
}

func (c *cast) label(e *sim.Event) string {
	for i := range c.people {
		if c.people[i].id == e.Actor {
			return c.people[i].Label
		}
	}
	if e.Actor == "" {
		return "Somebody"
	}
	return string(c.fold(nil, string(e.Actor)))
}

// whisper says who else perceives the event, where that is not everybody.
func (c *cast) whisper(b []byte, e *sim.Event) []byte {
	if len(e.Audience) == 0 {
		return b
	}
	left := 0
	for i := range c.people {
		if !e.Heard(c.people[i].id) {
			left++
		}
	}
	if left == 0 {
		return b
	}
	b = append(b, " (whispers to "...)
	first := true
	for i := range c.people {
		if id := c.people[i].id; id != e.Actor && e.Heard(id) {
			if !first {
				b = append(b, ", "...)
			}
			b, first = append(b, c.people[i].Label...), false
		}
	}
	if first {
		b = append(b, "nobody"...)
	}
	return append(b, ')')
}

// rolled says what the dice showed: " rolls Stealth: 14 + 3 = 17 against 15, success".
func rolled(b []byte, r *dice.Roll) []byte {
	b = append(b, " rolls "...)
	b = append(b, r.Skill...)
	if r.Mode == dice.Advantage || r.Mode == dice.Disadvantage {
		b = append(b, " with "...)
		b = append(b, r.Mode...)
		b = append(b, " ("...)
		b = strconv.AppendInt(b, int64(r.First), 10)
		b = append(b, " and "...)
		b = strconv.AppendInt(b, int64(r.Second), 10)
		b = append(b, ')')
	}
	b = append(b, ": "...)
	b = strconv.AppendInt(b, int64(r.Natural()), 10)
	sign, modifier := " + ", r.Modifier
	if modifier < 0 {
		sign, modifier = " - ", -modifier
	}
	b = append(b, sign...)
	b = strconv.AppendInt(b, int64(modifier), 10)
	b = append(b, " = "...)
	b = strconv.AppendInt(b, int64(r.Total), 10)
	if r.Class > 0 {
		b = append(b, " against "...)
		b = strconv.AppendInt(b, int64(r.Class), 10)
		if r.Success {
			b = append(b, ", success"...)
		} else {
			b = append(b, ", failure"...)
		}
	}
	return b
}

// plain are the bytes that fold copies without a look.
var plain = func() (table [256]bool) {
	for i := '!'; i < utf8.RuneSelf-1; i++ {
		table[i] = !strings.ContainsRune("\"*<>[]`:", i)
	}
	return table
}()

// tamed returns what stands for a character in the transcript; a space for white space, and -1 for nothing.
func tamed(r rune) rune {
	switch r {
	case '"', '“', '”', '„', '‟', '«', '»', '＂', '`':
		return '\''
	case '<', '＜':
		return '‹'
	case '>', '＞':
		return '›'
	case '[', '［':
		return '('
	case ']', '］':
		return ')'
	case '：':
		return ':'
	case '*', '＊', utf8.RuneError:
		return -1
	}
	switch {
	case unicode.IsSpace(r), unicode.IsControl(r):
		return ' '
	case unicode.Is(unicode.Cf, r):
		return -1
	}
	return r
}

// fold appends a text as one line of data, without the marks that the transcript is made of.
func (c *cast) fold(b []byte, text string) []byte {
	start := len(b)
	gap := false
	for i := 0; i < len(text); {
		from := i
		for i < len(text) && plain[text[i]] {
			i++
		}
		if i > from {
			if gap && len(b) > start {
				b = append(b, ' ')
			}
			b, gap = append(b, text[from:i]...), false
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch r = tamed(r); {
		case r == ':' && c.poses(b[start:]):
			b, gap = append(b, " -"...), true
			continue
		case r == ' ':
			gap = true
			continue
		case r < 0:
			continue
		}
		if gap && len(b) > start {
			b = append(b, ' ')
		}
		b, gap = utf8.AppendRune(b, r), false
	}
	return b
}

// poseWords are what a line of a prompt, of a chat template or of a reply may begin with.
var poseWords = []string{
	"say", "do", "to", "pass", "check", "speech", "deed", "system", "user", "assistant", "human", "narrator",
	"dm", "gm", "dungeon master", "game master", "instruction", "response", "input", "the play so far",
}

// poses reports whether a colon after this text would make it look like the head of a line.
func (c *cast) poses(before []byte) bool {
	text := strings.TrimRight(string(before[max(0, len(before)-80):]), " ')_-.")
	ends := func(name string) bool {
		if len(name) == 0 || len(name) > len(text) || !strings.EqualFold(text[len(text)-len(name):], name) {
			return false
		}
		r, _ := utf8.DecodeLastRuneInString(text[:len(text)-len(name)])
		return len(text) == len(name) || !unicode.IsLetter(r) || unicode.Is(unicode.Lm, r) // such as a stroke that only fills a line
	}
	for i := range c.people {
		p := &c.people[i]
		if ends(p.Label) || ends(p.Name) || ends(string(p.id)) {
			return true
		}
	}
	for _, w := range poseWords {
		if ends(w) {
			return true
		}
	}
	return false
}
