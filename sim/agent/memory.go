package agent

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/llm"
)

// Table is what the agents of one session share, so that it is rendered once: the rules, the scene,
// and the lines of what happened. Like all that agents keep it is a cache. It is not safe for
// concurrent use, as a game asks one agent at a time.
type Table struct {
	session string
	prompts *Prompts
	checks  bool
	*setting
	lines []rendered    // by sequence number
	shown []llm.Message // the transcript of the last view, whoever's it was
}

type rendered struct {
	event *sim.Event
	line  llm.Message // empty where the event is no part of the transcript
}

// setting is what everybody at a table is told before the play. The sessions that begin alike, as the arms and
// repeats of a run do, share one. It is safe for concurrent use.
type setting struct {
	public *cast
	data   *table
	rules  llm.Message
	scene  llm.Message

	mu       sync.Mutex
	openings map[seating]*opening
}

// The most that is kept of settings, and of the openings of one: sheets that were drawn again are other ones.
const (
	maxSettings = 512
	maxOpenings = 16
)

// seating is what an opening is made of, besides its setting.
type seating struct {
	form        Form
	layout      Layout
	self        *characters.Sheet
	player      bool
	brief, aims string
	knowledge   *scenarios.Knowledge
}

// opening is what one character is told before the play. Nothing in it is changed.
type opening struct {
	cast   *cast
	data   *seat
	schema json.RawMessage

	head    []llm.Message // rules, scene and, persona first, the character
	persona []llm.Message // the character, where it comes after the transcript
	turn    llm.Message   // the instruction
}

// memory is what an agent rendered of its views so far. It is a cache: an agent without it renders
// the same from the view alone.
type memory struct {
	session string
	self    characters.ID
	*opening

	events  int           // of the last view
	lines   []llm.Message // the transcript of the last view, until another agent at the table sees one
	dropped int           // of lines, left out because the prompt was too long
}

var (
	playSoFar = llm.NewMessage(llm.User, "The play so far:")
	notBegun  = llm.NewMessage(llm.User, "(Nothing has been said or done yet.)")
	leftOut   = llm.NewMessage(llm.User, "(The beginning is left out.)")
)

// see takes in a view, of which it renders what is new to the table.
func (a *memory) see(m *Factory, t *Table, v *sim.View) error {
	known := a.opening != nil && a.session == v.Session && a.self == v.Self.ID && a.events <= len(v.Events)
	if !known {
		if err := a.begin(m, t, v); err != nil {
			return err
		}
	}
	a.events, a.lines = len(v.Events), t.shown[:0]
	for _, e := range v.Events {
		if line := t.line(a.cast, e, v.Premise); line.Content != "" {
			a.lines = append(a.lines, line)
		}
	}
	t.shown = a.lines
	return nil
}

// line renders an event, or finds it rendered.
func (t *Table) line(c *cast, e *sim.Event, premise string) llm.Message {
	if e.Seq >= 0 && e.Seq < len(t.lines) && t.lines[e.Seq].event == e {
		return t.lines[e.Seq].line
	}
	var line llm.Message
	if text := c.line(e, premise); text != "" {
		line = llm.NewMessage(llm.User, text)
	}
	// Sequence numbers are dense, but for what these agents do not perceive. Others are not kept.
	for near := len(t.lines) + 64; e.Seq >= len(t.lines) && e.Seq < near; {
		t.lines = append(t.lines, rendered{})
	}
	if e.Seq >= 0 && e.Seq < len(t.lines) {
		t.lines[e.Seq] = rendered{e, line}
	}
	return line
}

// set takes in what everybody at the table is told before the play.
func (t *Table) set(m *Factory, v *sim.View) error {
	if t.setting != nil && t.session == v.Session && t.prompts == m.Prompts && t.checks == m.Checks {
		return nil
	}
	s, err := m.Prompts.setting(v, m.Checks)
	// A line a move, and a few of the table's; a session that has more grows them.
	room := min(max(v.Turns, len(v.Events)), 512) + 8
	*t = Table{session: v.Session, prompts: m.Prompts, checks: m.Checks, setting: s, lines: make([]rendered, 0, room), shown: make([]llm.Message, 0, room)}
	return err
}

// setting returns what everybody at the table of a view is told before the play.
func (p *Prompts) setting(v *sim.View, checks bool) (*setting, error) {
	told := []string{v.Kind.String(), v.Title, v.Premise, strconv.Itoa(v.Turns), strconv.FormatBool(checks), string(v.NPC)}
	for _, c := range v.Cast {
		told = append(told, string(c.ID), c.Name, c.Race, c.Class, c.Appearance)
	}
	key := strings.Join(told, "\x00")
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.settings[key]; s != nil {
		return s, nil
	}
	s := &setting{public: newCast(v.Self.ID, v.Cast), openings: map[seating]*opening{}}
	s.data = tableOf(v, s.public, checks)
	rules, err := p.render(promptRules, *s.data)
	if err != nil {
		return nil, err
	}
	s.rules = llm.NewMessage(llm.System, rules)
	if s.scene, err = p.section(llm.System, promptScene, *s.data); err != nil {
		return nil, err
	}
	if p.settings == nil || len(p.settings) == maxSettings {
		p.settings = map[string]*setting{}
	}
	p.settings[key] = s
	return s, nil
}

// opening returns what the character of a view is told before the play.
func (s *setting) opening(m *Factory, v *sim.View) (*opening, error) {
	key := seating{m.Form, m.Layout, v.Self, v.Player, v.Brief, listed(v.Aims, " and "), nil}
	if !v.Player {
		key.knowledge = v.Knowledge
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.openings[key]; o != nil {
		return o, nil
	}
	o := &opening{cast: s.public.of(v.Self.ID)}
	o.data = seatOf(v, s.data, o.cast.self)
	instruction := promptJSON
	if m.Form == Lines {
		instruction = promptLines
	} else {
		o.schema = o.cast.schema(m.Checks)
	}
	role := llm.User
	if m.Layout == PersonaFirst {
		role = llm.System
	}
	persona, err := m.Prompts.section(role, promptPersona, *o.data)
	if err != nil {
		return nil, err
	}
	if o.turn, err = m.Prompts.section(llm.User, instruction, *o.data); err != nil {
		return nil, err
	}
	if m.Layout == PersonaFirst {
		o.head = []llm.Message{s.rules, persona, s.scene, playSoFar}
	} else {
		o.head = []llm.Message{s.rules, s.scene, playSoFar}
		o.persona = []llm.Message{persona}
	}
	if len(s.openings) == maxOpenings {
		clear(s.openings)
	}
	s.openings[key] = o
	return o, nil
}

// begin takes in what stays the same for a whole session.
func (a *memory) begin(m *Factory, t *Table, v *sim.View) error {
	if err := t.set(m, v); err != nil {
		return err
	}
	o, err := t.setting.opening(m, v)
	if err != nil {
		return err
	}
	*a = memory{session: v.Session, self: v.Self.ID, opening: o}
	return nil
}

// prompt puts the messages together. The slice is new every time, since a call keeps its own.
func (a *memory) prompt(dropped int, tail llm.Message) []llm.Message {
	lines := a.lines[min(dropped, len(a.lines)):]
	messages := make([]llm.Message, 0, len(a.head)+1+len(lines)+len(a.persona)+1)
	messages = append(messages, a.head...)
	switch {
	case len(a.lines) == 0:
		messages = append(messages, notBegun)
	case dropped > 0:
		messages = append(messages, leftOut)
	}
	messages = append(messages, lines...)
	messages = append(messages, a.persona...)
	return append(messages, tail)
}

// leaveOut says how many of the oldest lines to leave out when so many less are not enough. The cuts
// are the same for every agent and every turn: at multiples of a window of bytes, counted from
// the beginning of the play, so that an agent that is built anew comes to the same cut, and prompts
// keep their prefix until the next. A window is as many bytes as the model takes tokens, about a
// quarter of what it can hold. The newest line always stays; where it is all that would be left, the
// cut is not a lasting one. Where nothing more can go, the number stays what it was.
func (a *memory) leaveOut(dropped, window int) (next int, lasting bool) {
	most := len(a.lines) - 1
	at := 0
	for i := range a.lines {
		before := at / window
		at += len(a.lines[i].Content) + 1
		if i+1 > dropped && at/window != before && i+1 <= most {
			return i + 1, true
		}
	}
	return max(most, dropped), false
}

// lasting returns the last cut that leaves out at most so many lines: the one that a prompt which left
// out that many has left for those after it.
func (a *memory) lasting(dropped, window int) (cut int) {
	at := 0
	for i := range min(dropped, len(a.lines)) {
		before := at / window
		at += len(a.lines[i].Content) + 1
		if at/window != before {
			cut = i + 1
		}
	}
	return cut
}

// bound limits a text in a schema, so that a small model cannot go on without end inside the form.
var bound = fmt.Sprintf(`,"maxLength":%d`, boundRunes)

// schema returns the JSON schema of a reply. Every key is required and no other is allowed, as hosted
// servers insist; "to" names each of the others at most once.
func (c *cast) schema(checks bool) json.RawMessage {
	b := make([]byte, 0, 768)
	b = append(b, `{"type":"object","properties":{"speech":{"type":"string"`...)
	b = append(b, bound...)
	b = append(b, `},"deed":{"type":"string"`...)
	b = append(b, bound...)
	b = append(b, `},"to":{"type":"array","items":{"type":"string"`...)
	between, others := `,"enum":[`, 0
	for i := range c.people {
		if i != c.self {
			b = quoted(append(b, between...), c.people[i].Label)
			between = ","
			others++
		}
	}
	if others > 0 {
		b = append(b, ']')
	}
	b = append(b, `},"uniqueItems":true,"maxItems":`...)
	b = append(strconv.AppendInt(b, int64(others), 10), '}')
	if checks {
		b = append(b, `,"check":{"type":"string","enum":["none"`...)
		for _, skill := range characters.Skills() {
			b = quoted(append(b, ','), string(skill))
		}
		b = append(b, "]}"...)
	}
	b = append(b, `},"required":["speech","deed","to"`...)
	if checks {
		b = append(b, `,"check"`...)
	}
	return append(b, `],"additionalProperties":false}`...)
}

// quoted appends a text as a JSON string.
func quoted(b []byte, text string) []byte {
	name, _ := json.Marshal(text) // a string always can be
	return append(b, name...)
}
