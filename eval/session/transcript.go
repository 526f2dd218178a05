package session

import (
	"fmt"
	"slices"
	"strings"

	"parley/characters"
	"parley/eval"
	"parley/eval/run"
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
	for e, err := range Events.Read(dir) {
		if err != nil {
			return nil, err
		}
		if e.Session == t.Session {
			t.Events = append(t.Events, e)
		}
	}
	if t.Row == nil && t.Events == nil {
		return nil, fmt.Errorf("%s has no session %s that is done, and none under way with that id; parley show %s lists them", dir, which, dir)
	}
	for s, err := range run.Scores.Read(dir) {
		if err != nil {
			return nil, err
		}
		if s.Session == t.Session {
			t.Scores = append(t.Scores, s)
		}
	}
	if !calls {
		return t, nil
	}
	wanted := map[string]bool{}
	for call, err := range run.Calls.Read(dir) {
		if err != nil {
			return nil, err
		}
		if call.Session == t.Session {
			t.Calls = append(t.Calls, ShownCall{Call: call})
			for _, hash := range call.Prompt {
				wanted[hash] = true
			}
		}
	}
	messages := map[string]run.Message{}
	for m, err := range run.Messages.Read(dir) {
		if err != nil {
			return nil, err
		}
		if wanted[m.Hash] {
			messages[m.Hash] = m
		}
	}
	for i := range t.Calls {
		for _, hash := range t.Calls[i].Prompt {
			t.Calls[i].Messages = append(t.Calls[i].Messages, messages[hash])
		}
	}
	return t, nil
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

func (t *Transcript) name(id characters.ID) string {
	if t.Row != nil {
		for _, s := range t.Row.Cast {
			if s.ID == string(id) {
				return s.Name
			}
		}
	}
	return string(id)
}
