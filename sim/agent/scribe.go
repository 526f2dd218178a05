package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/characters"
	"parley/sim"
	"parley/sim/llm"
)

// Style is how agents are asked and answer: what of a Config decides on the words.
type Style struct {
	Form    Form     // empty: JSON
	Layout  Layout   // empty: SharedPrefix
	Prompts *Prompts // nil: BuiltinPrompts
	Checks  bool     // skill checks are rolled
}

// Scribe writes down, without a model, what the characters of one session are asked and what they
// would have to answer: Reply is the inverse of Parse. Like an Agent it keeps what it rendered, and is
// not safe for concurrent use.
type Scribe struct {
	factory *Factory
	table   Table
	seats   map[characters.ID]*memory
}

// NewScribe returns a scribe for one session.
func NewScribe(s Style) (*Scribe, error) {
	m, err := New(Config{
		Model: llm.Func(nil), Name: "none", Now: func() time.Time { return time.Time{} },
		Form: s.Form, Layout: s.Layout, Prompts: s.Prompts, Checks: s.Checks,
	})
	if err != nil {
		return nil, err
	}
	return &Scribe{factory: m, seats: map[characters.ID]*memory{}}, nil
}

// seat is what is rendered for the character of a view.
func (s *Scribe) seat(v *sim.View) (*memory, error) {
	a := s.seats[v.Self.ID]
	if a == nil {
		a = new(memory)
		s.seats[v.Self.ID] = a
	}
	if err := a.see(s.factory, &s.table, v); err != nil {
		return nil, fmt.Errorf("write down what %s is asked: %w", v.Self.ID, err)
	}
	return a, nil
}

// Prompt returns the messages that an agent is asked with for its move in a view, word for word.
func (s *Scribe) Prompt(v *sim.View) ([]llm.Message, error) {
	a, err := s.seat(v)
	if err != nil {
		return nil, err
	}
	return a.prompt(0, a.turn), nil
}

// Opening returns what the character of a view is told before the play, as one text: rules, scene and
// character, in the order of the layout. With Question, it makes a conversation of a play, in which
// the character's own moves are the assistant's.
func (s *Scribe) Opening(v *sim.View) (string, error) {
	a, err := s.seat(v)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, m := range slices.Concat(a.head, a.persona) {
		if m.Content != playSoFar.Content {
			parts = append(parts, m.Content)
		}
	}
	return strings.Join(parts, "\n"), nil
}

// Question returns what the character of a view is asked for its move in a conversation: the lines of
// those events of the view which it has not been shown yet, and the turn's instruction. first says
// that it has not been shown any.
func (s *Scribe) Question(v *sim.View, news []*sim.Event, first bool) (string, error) {
	a, err := s.seat(v)
	if err != nil {
		return "", err
	}
	var lines []string
	if first {
		lines = append(lines, playSoFar.Content)
	}
	for _, e := range news {
		if line := s.table.line(a.cast, e, v.Premise); line.Content != "" {
			lines = append(lines, line.Content)
		}
	}
	switch {
	case first && len(lines) == 1:
		lines = append(lines, notBegun.Content)
	case len(lines) == 0:
		lines = append(lines, "(Nothing has been said or done since.)")
	}
	return strings.Join(append(lines, a.turn.Content), "\n"), nil
}

// Line returns an event as the transcript of a view has it; empty where it is no part of that.
func (s *Scribe) Line(v *sim.View, e *sim.Event) (string, error) {
	a, err := s.seat(v)
	if err != nil {
		return "", err
	}
	return s.table.line(a.cast, e, v.Premise).Content, nil
}

// Reply returns the reply that says what the character of a view does in an event: an act or a pass of
// its own. ok is false where it would not be read as that: the move had a Fault, or its words are such
// that Parse takes them for something else.
func (s *Scribe) Reply(v *sim.View, e *sim.Event) (text string, ok bool, err error) {
	a, err := s.seat(v)
	if err != nil || e.Fault != "" || e.Actor != v.Self.ID || e.Kind != sim.KindAct && e.Kind != sim.KindPass {
		return "", false, err
	}
	m := Move{Speech: e.Speech, Deed: e.Deed}
	for _, id := range e.Audience {
		if id != e.Actor {
			m.To = append(m.To, id)
		}
	}
	if len(m.To) == len(a.cast.people)-1 {
		m.To = nil // all the others are everybody
	}
	if s.factory.Checks {
		m.Skill = e.Skill
	}
	if s.factory.Form == Lines {
		text = a.cast.written(&m)
	} else {
		text = a.cast.encoded(&m, s.factory.Checks)
	}
	read := a.cast.parse(text, false)
	slices.Sort(read.To)
	slices.Sort(m.To)
	ok = read.Speech == m.Speech && read.Deed == m.Deed && read.Skill == m.Skill && read.Fault == "" && slices.Equal(read.To, m.To)
	return text, ok, nil
}

// whisperedTo returns the names of the characters that a move is whispered to.
func (c *cast) whisperedTo(m *Move) []string {
	names := []string{}
	for i := range c.people {
		if slices.Contains(m.To, c.people[i].id) {
			names = append(names, c.people[i].Label)
		}
	}
	return names
}

// encoded writes a move in the JSON form.
func (c *cast) encoded(m *Move, checks bool) string {
	var b bytes.Buffer
	field := func(before, key string, value any) {
		b.WriteString(before + `"` + key + `": `)
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(value); err != nil {
			panic(err) // text can be written
		}
		b.Truncate(b.Len() - 1) // the line end
	}
	field("{", "speech", m.Speech)
	field(", ", "deed", m.Deed)
	b.WriteString(`, "to": [`)
	for i, name := range c.whisperedTo(m) {
		if i > 0 {
			b.WriteString(", ")
		}
		raw, err := json.Marshal(name)
		if err != nil {
			panic(err)
		}
		b.Write(raw)
	}
	b.WriteByte(']')
	if checks {
		skill := string(m.Skill)
		if skill == "" {
			skill = "none"
		}
		field(", ", "check", skill)
	}
	b.WriteByte('}')
	return b.String()
}

// written writes a move in the lines form.
func (c *cast) written(m *Move) string {
	if m.Speech == "" && m.Deed == "" {
		return "PASS"
	}
	var lines []string
	for _, l := range []struct{ label, text string }{
		{"SAY", m.Speech}, {"DO", m.Deed}, {"CHECK", string(m.Skill)}, {"TO", strings.Join(c.whisperedTo(m), ", ")},
	} {
		if l.text != "" {
			lines = append(lines, l.label+": "+l.text)
		}
	}
	return strings.Join(lines, "\n")
}
