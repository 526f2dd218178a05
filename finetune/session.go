package finetune

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"parley/characters"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
)

// Why a source gives up a turn.
const (
	Malformed Reason = "malformed turn" // its reply was none, or not whole; Detail names the fault
	Unwritten Reason = "unwritten turn" // written down, the move would not be read back as itself
	Alone     Reason = "no alternative" // only one turn is known for the view
	Undecided Reason = "undecided"      // which of two turns is better cannot be said; Detail says why
)

// Session is a recorded play, and how it was played.
type Session struct {
	Episode  *sim.Episode
	ID       string // unique within a dataset
	Group    string
	Scenario string
	Source   string
	Style    agent.Style                  // how turns are written down, the form aside
	Forms    map[characters.ID]agent.Form // by character; missing: the style's
	Models   map[characters.ID]string     // the model of each, as the user named it
	Metric   string                       // that the scores are of
	Scores   map[characters.ID]float64    // of each character's play, where there is one
	// Asked returns the hashes of the messages that a model was really asked with for a move, none where
	// no model was asked. It may be nil.
	Asked func(e *sim.Event) []string
	// Message finds a message by its hash. It is called where a prompt that was asked is not the one
	// that follows from the view.
	Message func(hash string) (llm.Message, error)

	arm  string
	mean *float64 // score of the session
}

// Seats say whose turns are learned.
type Seats string

const (
	Players   Seats = "players"
	NPC       Seats = "npc"
	Everybody Seats = "all"
)

// has reports whether a character is one of the seats.
func (s Seats) has(ep *sim.Episode, id characters.ID) bool {
	return s == Everybody || (id == ep.Scenario.NPC) == (s == NPC)
}

// turn is a valid move.
type turn struct {
	event  *sim.Event
	view   *sim.View // before it
	scribe *agent.Scribe
	reply  string
	news   []*sim.Event // perceived since the character's last valid move
	first  bool         // it is that character's first valid move
}

// id names a turn within the dataset.
func (s *Session) id(e *sim.Event) string { return fmt.Sprintf("%s/%d/%s", s.ID, e.Turn, e.Actor) }

// turns yields the valid moves of some seats in the order of play, and a *Dropped for each other one.
func (s *Session) turns(ctx context.Context, who Seats) iter.Seq2[turn, error] {
	return func(yield func(turn, error) bool) {
		scribes := map[agent.Form]*agent.Scribe{}
		type place struct{ seen, from int } // events perceived before the next move; of these, known
		places := map[characters.ID]*place{}
		for _, e := range s.Episode.Moves() {
			if !who.has(s.Episode, e.Actor) {
				continue
			}
			if err := ctx.Err(); err != nil {
				yield(turn{}, err)
				return
			}
			p := places[e.Actor]
			if p == nil {
				p = new(place)
				places[e.Actor] = p
			}
			v := s.Episode.View(e.Actor, e.Turn)
			for p.seen < len(v.Events) && v.Events[p.seen].Seq < e.Seq {
				p.seen++
			}
			v.Events = v.Events[:p.seen:p.seen]
			t := turn{event: e, view: v, news: v.Events[p.from:], first: p.from == 0}
			var err error
			if t.scribe, err = s.scribe(scribes, e.Actor); err != nil {
				yield(turn{}, err)
				return
			}
			ok := false
			if t.reply, ok, err = t.scribe.Reply(v, e); err != nil {
				yield(turn{}, err)
				return
			}
			if !ok {
				d := &Dropped{ID: s.id(e), Group: s.Group, Source: s.Source, Reason: Unwritten}
				if e.Fault != "" {
					d.Reason, d.Detail = Malformed, e.Fault
				}
				if !yield(turn{}, d) {
					return
				}
				continue
			}
			p.from = p.seen + 1 // behind the move itself, which its actor perceives
			if !yield(t, nil) {
				return
			}
		}
	}
}

// scribe returns the writer of what a character is asked and answers.
func (s *Session) scribe(known map[agent.Form]*agent.Scribe, id characters.ID) (*agent.Scribe, error) {
	style := s.Style
	if form := s.Forms[id]; form != "" {
		style.Form = form
	}
	var err error
	if known[style.Form] == nil {
		known[style.Form], err = agent.NewScribe(style)
	}
	return known[style.Form], err
}

// example begins an example of a turn, or of a conversation that begins with it.
func (s *Session) example(task Task, t *turn) Example {
	id := t.event.Actor
	x := Example{
		ID: s.id(t.event), Task: task, Group: s.Group, Scenario: s.Scenario, Source: s.Source, Model: s.Models[id],
	}
	if score, ok := s.Scores[id]; ok {
		x.Score = &score
	}
	return x
}

// labels say what kind of move a turn is.
func labels(e *sim.Event) []string {
	var list []string
	add := func(is bool, label string) {
		if is {
			list = append(list, label)
		}
	}
	add(e.Kind == sim.KindPass, "pass")
	add(e.Speech != "", "speech")
	add(e.Deed != "", "deed")
	add(len(e.Audience) > 0, "whisper")
	return list
}

// body returns what happened since the character's last move, and what it then does.
func (t *turn) body() (string, error) {
	var b strings.Builder
	for _, e := range append(slices.Clone(t.news), t.event) {
		line, err := t.scribe.Line(t.view, e)
		if err != nil {
			return "", err
		}
		if line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String(), nil
}

// joined makes messages of a prompt: one of the system, and one of the user.
func joined(prompt []llm.Message) []Message {
	var list []Message
	for _, m := range llm.Join(prompt) {
		list = append(list, Message{Role(m.Role), strings.TrimSpace(m.Content)})
	}
	return list
}
