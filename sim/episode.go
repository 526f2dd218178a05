package sim

import (
	"fmt"
	"time"

	"parley/characters"
	"parley/scenarios"
	"parley/sim/llm"
)

// Episode is the record of one play, and the only state of a game.
type Episode struct {
	Session  string
	Seed     uint64
	Scenario *scenarios.Scenario
	Turns    int // planned; 0: open-ended

	Events []*Event
	// Tokens counts prompt and completion tokens of the calls so far, where servers said.
	Tokens int
	// Played is what the turns so far used, without debriefs. Whoever restores an episode sets it.
	Played Used
	// Ended says why the play is over; empty while it goes on.
	Ended string

	cast  []characters.Public
	seats []seat         // of the cast, in its order
	turn  int            // the last turn played
	since time.Time      // when what comes next began: the end of the last, or of a stop
	moves []*Event       // one act or pass a turn
	asked map[asked]bool // debriefs had
}

// Used is what turns took: prompt and completion tokens, where servers said, and time.
type Used struct {
	Tokens int
	Time   time.Duration
}

type asked struct {
	control string
	player  characters.ID
}

// seat is what an episode holds for one character.
type seat struct {
	id   characters.ID
	hash uint64   // of its name
	root uint64   // of its randomness
	seen []*Event // what it perceived so far, in order
}

// NewEpisode starts the record of a play that has not begun. The seed is the session's own.
func NewEpisode(session string, seed uint64, s *scenarios.Scenario, turns int) *Episode {
	ep := &Episode{
		Session: session, Seed: seed, Scenario: s, Turns: turns,
		cast:  make([]characters.Public, len(s.Cast)),
		seats: make([]seat, len(s.Cast)),
		asked: map[asked]bool{},
	}
	// Most games have a move a turn, the scene, an end and a debrief for each; others grow the lists.
	room := max(0, min(turns, 256))
	ep.Events, ep.moves = make([]*Event, 0, room+2+len(s.Cast)), make([]*Event, 0, room)
	for i, c := range s.Cast {
		hash := HashText(string(c.ID))
		ep.cast[i] = c.Public()
		ep.seats[i] = seat{c.ID, hash, Mix(seed, HashText("root"), hash), make([]*Event, 0, room+1)}
	}
	return ep
}

// seat returns what is held for a character; a zero seat for one who is not in the cast.
func (ep *Episode) seat(of characters.ID) seat {
	for i := range ep.seats {
		if ep.seats[i].id == of {
			return ep.seats[i]
		}
	}
	return seat{}
}

// Restore puts back what was played before a stop: whole turns, in order, from the start. It
// refuses events that do not follow each other.
func (ep *Episode) Restore(events []Event, tokens int) error {
	for i := range events {
		e := &events[i]
		if e.Session != ep.Session || e.Seq != len(ep.Events) {
			return fmt.Errorf("restore session %s: event %d of session %s is where event %d should be", ep.Session, e.Seq, e.Session, len(ep.Events))
		}
		if e.Actor != "" && ep.Scenario.Sheet(e.Actor) == nil {
			return fmt.Errorf("restore session %s: event %d is by %s, who is not in the cast", ep.Session, e.Seq, e.Actor)
		}
		ep.add(e)
	}
	if n := len(ep.Events); n > 0 && !ep.Events[n-1].Last {
		return fmt.Errorf("restore session %s: its last turn is not whole", ep.Session)
	}
	ep.Tokens = tokens
	return nil
}

// add appends an event that is complete.
func (ep *Episode) add(e *Event) {
	ep.Events = append(ep.Events, e)
	switch e.Kind {
	case KindDebrief:
		ep.asked[asked{e.Control, e.Actor}] = true
		return // outside of the fiction: no character perceives it in play
	case KindEnd:
		ep.Ended = e.Text
		return
	case KindAct, KindPass:
		ep.turn = e.Turn
		ep.moves = append(ep.moves, e)
	}
	for i := range ep.seats {
		if seat := &ep.seats[i]; e.Heard(seat.id) {
			seat.seen = append(seat.seen, e)
		}
	}
}

// record numbers the events of one turn, appends them and marks the last one. It keeps the events'
// slice.
func (ep *Episode) record(now time.Time, calls []llm.Call, events ...Event) Turn {
	var ids []string // nil where there are none, as an event that was kept and read back has it
	tokens := 0
	for i := range calls {
		ids = append(ids, calls[i].ID)
		for _, n := range []*int{calls[i].Tokens, calls[i].Output} {
			if n != nil {
				tokens += *n
			}
		}
	}
	ep.Tokens += tokens
	if events[0].Move() {
		ep.Played.Tokens += tokens
		ep.Played.Time += now.Sub(ep.since)
	}
	ep.since = now
	for i := range events {
		e := &events[i]
		e.Session, e.Seq, e.Time, e.Last = ep.Session, len(ep.Events), now, i == len(events)-1
		if i == 0 {
			e.Calls = ids
		}
		ep.add(e)
	}
	return Turn{Events: events, Calls: calls}
}

// Turn returns the number of the last turn played, 0 before the first.
func (ep *Episode) Turn() int { return ep.turn }

// Moves returns the act or pass of every turn so far, in order.
func (ep *Episode) Moves() []*Event { return ep.moves }

// Seen returns what a character perceived so far, in order.
func (ep *Episode) Seen(by characters.ID) []*Event {
	seen := ep.seat(by).seen
	return seen[:len(seen):len(seen)]
}

// Heard returns which facts of the NPC's knowledge a player was given, as far as the actors that
// gave them away knew: one entry a fact.
func (ep *Episode) Heard(by characters.ID) []bool {
	if ep.Scenario.Knowledge == nil {
		return nil
	}
	heard := make([]bool, len(ep.Scenario.Knowledge.Facts))
	for _, e := range ep.seat(by).seen {
		if e.Actor == by {
			continue
		}
		for _, f := range e.Facts {
			if f >= 0 && f < len(heard) {
				heard[f] = true
			}
		}
	}
	return heard
}

// Debrief returns a player's answer under a control ("" for the real one), or nil.
func (ep *Episode) Debrief(player characters.ID, control string) *Event {
	for _, e := range ep.Events {
		if e.Kind == KindDebrief && e.Actor == player && e.Control == control {
			return e
		}
	}
	return nil
}

// View returns what a character knows before its move of the given turn.
func (ep *Episode) View(of characters.ID, turn int) *View {
	s, seat := ep.Scenario, ep.seat(of)
	v := &View{
		Session: ep.Session, Seed: Mix(ep.Seed, uint64(turn), seat.hash), Root: seat.root,
		Self: s.Sheet(of), Player: of != s.NPC, Cast: ep.cast, Kind: s.Kind, Title: s.Title,
		Premise: s.Premise, Brief: s.Briefs[of], NPC: s.NPC, Turn: turn, Turns: ep.Turns,
		Events: seat.seen[:len(seat.seen):len(seat.seen)],
	}
	if !v.Player {
		v.Knowledge = s.Knowledge
	}
	for _, i := range s.Intentions {
		if i.Character == of {
			v.Aims = append(v.Aims, i.Skill)
		}
	}
	return v
}

// debriefView is the view for the questions under a control.
func (ep *Episode) debriefView(of characters.ID, control string) *View {
	v := ep.View(of, ep.turn)
	v.Seed = Mix(v.Seed, HashText("debrief"), HashText(control))
	v.Control = control
	switch control {
	case ControlNoConversation:
		scene := 0
		for scene < len(v.Events) && v.Events[scene].Turn == 0 {
			scene++
		}
		v.Events = v.Events[:scene:scene]
	case ControlTold:
		v.Knowledge = ep.Scenario.Knowledge
	}
	return v
}
