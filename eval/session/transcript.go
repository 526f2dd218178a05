package session

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"parley/characters"
	"parley/eval"
	"parley/eval/run"
	"parley/logs"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/llm"
)

// Transcript is everything that a run has of one session.
type Transcript struct {
	Session string       `json:"session"`
	Row     *Row         `json:"row"`
	Events  []sim.Event  `json:"events"`
	Calls   []ShownCall  `json:"calls,omitempty"`
	Scores  []eval.Score `json:"scores"`
}

type ShownCall struct {
	llm.Call
	Messages []run.Message `json:"messages"`
}

// Through leaves of a session what one character perceived, its own answers, and the calls behind its
// own moves. What it was told for a control was never said at the table.
func (t *Transcript) Through(eyes characters.ID) {
	if t.Row != nil {
		t.Row.Scenario = "" // everybody's secrets, and the NPC's knowledge
	}
	t.Scores = nil // they hold what there was to find out
	t.Events = slices.DeleteFunc(t.Events, func(e sim.Event) bool {
		return !e.Heard(eyes) || e.Kind == sim.KindEnd || e.Control == scenarios.ControlTold
	})
	for i := range t.Events {
		if e := &t.Events[i]; e.Actor != eyes { // what others thought, and how their replies came about
			e.Skill, e.Facts, e.Fault, e.Calls = "", nil, "", nil
		}
	}
	t.Calls = slices.DeleteFunc(t.Calls, func(call ShownCall) bool {
		return call.Actor != string(eyes) || strings.HasPrefix(call.Purpose, "judge:") || call.Purpose == "debrief:"+scenarios.ControlTold
	})
}

// Only keeps one turn, with the calls behind it and no scores. A turn that the session does not have is an error.
func (t *Transcript) Only(turn int) error {
	last := 0
	for i := range t.Events {
		last = max(last, t.Events[i].Turn)
	}
	t.Events = slices.DeleteFunc(t.Events, func(e sim.Event) bool { return e.Turn != turn })
	if len(t.Events) == 0 {
		return fmt.Errorf("session %s has no turn %d; its turns are 0 to %d", t.Session, turn, last)
	}
	t.Calls = slices.DeleteFunc(t.Calls, func(call ShownCall) bool {
		return !slices.ContainsFunc(t.Events, func(e sim.Event) bool { return slices.Contains(e.Calls, call.ID) })
	})
	t.Scores = nil
	return nil
}

// List returns the sessions of a run in order, without their situations.
func List(dir string) (list []Row, err error) {
	for row, err := range Sessions.Read(dir) {
		if err != nil {
			return nil, err
		}
		row.Scenario = ""
		list = append(list, row)
	}
	return list, nil
}

// ReadTranscript reads a session by its number in the list, from 1, or by its id; with calls, what models were
// asked and replied, too.
func ReadTranscript(dir, which string, calls bool) (*Transcript, error) {
	t := &Transcript{}
	n := 0
	for row, err := range Sessions.Read(dir) {
		if err != nil {
			return nil, err
		}
		if n++; row.ID == which || fmt.Sprint(n) == which {
			t.Session, t.Row = row.ID, &row
			break
		}
	}
	if t.Row == nil {
		t.Session = which // one that is still under way has no row, and only its id finds it
	}
	all := logs.Span{To: math.MaxInt64}
	at := Places{Events: all, Scores: all}
	if calls {
		at.Calls = all
	}
	if err := t.read(dir, at); err != nil {
		return nil, err
	}
	if t.Row == nil && t.Events == nil {
		return nil, fmt.Errorf("%s has no session %s that is done, and none under way with that id; parley show %s lists them", dir, which, dir)
	}
	if !calls {
		return t, nil
	}
	messages := map[string]run.Message{}
	for _, hash := range t.Prompts() {
		messages[hash] = run.Message{}
	}
	for m, err := range run.Messages.Read(dir) {
		if err != nil {
			return nil, err
		}
		if _, asked := messages[m.Hash]; asked {
			messages[m.Hash] = m
		}
	}
	t.Ask(messages)
	return t, nil
}

// Places says where the rows of a session are in the files of its run's tables, perhaps with rows of other
// sessions between them. An empty span is not read.
type Places struct{ Row, Events, Scores, Calls logs.Span }

// TranscriptAt reads a session whose places are known. Its calls, which are read where they are asked for or
// something is malformed, have no messages yet.
func TranscriptAt(dir, session string, at Places, calls bool) (*Transcript, error) {
	t := &Transcript{Session: session}
	if err := within(dir, Sessions, at.Row, session, func(r Row) { t.Row = &r }); err != nil {
		return nil, err
	}
	err := t.read(dir, Places{Events: at.Events, Scores: at.Scores})
	if err == nil && (calls || t.faulty()) {
		err = t.read(dir, Places{Calls: at.Calls})
	}
	return t, err
}

// read adds the rows of the session at their places.
func (t *Transcript) read(dir string, at Places) error {
	err := within(dir, Events, at.Events, t.Session, func(e sim.Event) { t.Events = append(t.Events, e) })
	if err != nil {
		return err
	}
	err = within(dir, run.Scores, at.Scores, t.Session, func(s eval.Score) { t.Scores = append(t.Scores, s) })
	if err != nil {
		return err
	}
	return within(dir, run.Calls, at.Calls, t.Session, func(c llm.Call) { t.Calls = append(t.Calls, ShownCall{Call: c}) })
}

// Counting leaves out the scores that do not count any more, in a run that was scored again.
func (t *Transcript) Counting(m *run.Manifest) {
	t.Scores = slices.DeleteFunc(t.Scores, func(s eval.Score) bool { return !m.Shows(&s) })
}

// within reads the rows of a session in a span.
func within[T any](dir string, table run.Rows[T], at logs.Span, session string, keep func(T)) error {
	if at.From >= at.To {
		return nil
	}
	f, err := table.File(dir)
	if err != nil {
		return err
	}
	for row, err := range table.Within(f, at) {
		if err != nil {
			return err
		}
		if table.Job(&row) == session {
			keep(row)
		}
	}
	return nil
}

// Prompts lists the hashes of the messages that the calls were made with.
func (t *Transcript) Prompts() (hashes []string) {
	for i := range t.Calls {
		hashes = append(hashes, t.Calls[i].Prompt...)
	}
	slices.Sort(hashes)
	return slices.Compact(hashes)
}

// Ask gives the calls their messages, by their hashes.
func (t *Transcript) Ask(messages map[string]run.Message) {
	for i := range t.Calls {
		for _, hash := range t.Calls[i].Prompt {
			t.Calls[i].Messages = append(t.Calls[i].Messages, messages[hash])
		}
	}
}

// Seat finds a character by id or by name.
func (t *Transcript) Seat(who string) (characters.ID, error) {
	if t.Row == nil {
		return characters.ID(who), nil
	}
	var cast []string
	for _, s := range t.Row.Cast {
		first, _, _ := strings.Cut(s.Name, " ")
		if strings.EqualFold(who, s.ID) || strings.EqualFold(who, s.Name) || strings.EqualFold(who, first) {
			return characters.ID(s.ID), nil
		}
		cast = append(cast, s.ID)
	}
	return "", run.Usagef("%s is not in the cast: %s", who, strings.Join(cast, ", "))
}
