package sim

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"parley/characters"
	"parley/sim/dice"
	"parley/sim/llm"
)

// Game plays one session. The reader of Play decides what to keep and what to show.
type Game struct {
	Episode *Episode // empty for a new game; with its events restored for one taken up again
	Actors  map[characters.ID]Actor
	Order   Order    // nil: the cast's own order
	Referee Referee  // nil: deeds simply happen
	Endings []Ending // besides the planned number of turns; the first that says so ends the play
	Control []string // debriefs to hold besides the real one
	Now     func() time.Time
}

// Referee resolves what an actor tries. It is not a player: what it returns follows the attempt as
// events of the same turn.
type Referee interface {
	Resolve(ctx context.Context, ep *Episode, attempt *Event) ([]Event, []llm.Call, error)
}

// Order says who moves next.
type Order interface {
	Next(ctx context.Context, ep *Episode) (characters.ID, error)
}

// Starter is an order that rolls or says something before the first turn.
type Starter interface {
	Start(ep *Episode) []Event
}

// Ending says whether the play is over, and why.
type Ending func(ep *Episode) (reason string, over bool)

// Validate reports what is missing.
func (g *Game) Validate() error {
	s := g.Episode.Scenario
	if len(s.Cast) == 0 {
		return fmt.Errorf("game %s: the cast is empty", g.Episode.Session)
	}
	if s.Sheet(s.NPC) == nil && s.NPC != "" {
		return fmt.Errorf("game %s: the NPC %s is not in the cast", g.Episode.Session, s.NPC)
	}
	if g.Now == nil {
		return fmt.Errorf("game %s: there is no clock", g.Episode.Session)
	}
	if g.Episode.Turns == 0 && len(g.Endings) == 0 {
		return fmt.Errorf("game %s: nothing would end it: set a number of turns or an ending", g.Episode.Session)
	}
	for i, c := range s.Cast {
		if slices.ContainsFunc(s.Cast[:i], func(other *characters.Sheet) bool { return other.ID == c.ID }) {
			return fmt.Errorf("game %s: two of the cast have the id %s", g.Episode.Session, c.ID)
		}
		a := g.Actors[c.ID]
		if a == nil {
			return fmt.Errorf("game %s: %s has no actor", g.Episode.Session, c.ID)
		}
		if _, ok := a.(Debriefer); !ok && len(s.Questions) > 0 && c.ID != s.NPC {
			return fmt.Errorf("game %s: the actor of %s cannot answer the debrief", g.Episode.Session, c.ID)
		}
	}
	return nil
}

// Play yields turn after turn until the play is over and every debrief is held. What was yielded is
// part of the episode already. With an error come the calls that led to it, and no further turn; the
// episode stays at its last whole turn, and a new Game over it goes on from there.
func (g *Game) Play(ctx context.Context) iter.Seq2[Turn, error] {
	return func(yield func(Turn, error) bool) {
		if err := g.Validate(); err != nil {
			yield(Turn{}, err)
			return
		}
		if len(g.Episode.Events) > 0 {
			g.Episode.since = g.now()
		}
		for {
			if err := ctx.Err(); err != nil {
				yield(Turn{}, err)
				return
			}
			turn, err := g.step(ctx)
			if err != nil {
				yield(turn, err)
				return
			}
			if turn.Events == nil || !yield(turn, nil) {
				return
			}
		}
	}
}

// step plays the next turn, whichever it is; a turn without events means that all is done. What
// comes next is read from the episode alone.
func (g *Game) step(ctx context.Context) (Turn, error) {
	ep := g.Episode
	if len(ep.Events) == 0 {
		return g.open(), nil
	}
	if ep.Ended == "" {
		if g.controlled(ControlNoConversation) {
			if t, err := g.debrief(ctx, ControlNoConversation); t.Events != nil || err != nil {
				return t, err
			}
		}
		if reason, over := g.over(); over {
			return ep.record(g.now(), nil, Event{Turn: ep.turn, Kind: KindEnd, Text: reason}), nil
		}
		return g.move(ctx)
	}
	if t, err := g.debrief(ctx, ""); t.Events != nil || err != nil {
		return t, err
	}
	if g.controlled(ControlTold) {
		return g.debrief(ctx, ControlTold)
	}
	return Turn{}, nil
}

func (g *Game) controlled(by string) bool { return slices.Contains(g.Control, by) }

// open sets the scene.
func (g *Game) open() Turn {
	events := []Event{{Kind: KindScene, Text: g.Episode.Scenario.Premise}}
	if s, ok := g.Order.(Starter); ok {
		events = append(events, s.Start(g.Episode)...)
	}
	return g.Episode.record(g.now(), nil, events...)
}

func (g *Game) over() (string, bool) {
	ep := g.Episode
	if ep.Turns > 0 && ep.turn >= ep.Turns {
		return "turns", true
	}
	for _, end := range g.Endings {
		if reason, over := end(ep); over {
			return reason, true
		}
	}
	return "", false
}

// move asks the next actor and lets the referee resolve what it tries.
func (g *Game) move(ctx context.Context) (Turn, error) {
	ep := g.Episode
	order := g.Order
	if order == nil {
		order = Fixed{}
	}
	id, err := order.Next(ctx, ep)
	if err != nil {
		return Turn{}, err
	}
	turn := ep.turn + 1
	d, err := g.Actors[id].Act(ctx, ep.View(id, turn))
	if err != nil {
		return Turn{Calls: d.Calls}, fmt.Errorf("session %s, turn %d, %s: %w", ep.Session, turn, id, err)
	}
	events, calls := make([]Event, 1), d.Calls
	e := &events[0]
	*e = Event{Turn: turn, Kind: KindAct, Actor: id, Speech: d.Speech, Deed: d.Deed, Skill: d.Skill, Facts: d.Facts, Fault: d.Fault}
	if d.Speech == "" && d.Deed == "" {
		e.Kind, e.Skill, e.Facts = KindPass, "", nil
	} else if len(d.To) > 0 {
		e.Audience = audience(id, d.To)
	}
	if len(e.Facts) == 0 {
		e.Facts = nil
	}
	if g.Referee != nil && e.Deed != "" {
		more, asked, err := g.Referee.Resolve(ctx, ep, e)
		calls = append(calls, asked...)
		if err != nil {
			return Turn{Calls: calls}, fmt.Errorf("session %s, turn %d, referee: %w", ep.Session, turn, err)
		}
		for i := range more {
			more[i].Turn = turn
		}
		events = append(events, more...)
	}
	return ep.record(g.now(), calls, events...), nil
}

// audience is the speaker and those spoken to, each once.
func audience(by characters.ID, to []characters.ID) []characters.ID {
	heard := []characters.ID{by}
	for _, id := range to {
		if !slices.Contains(heard, id) {
			heard = append(heard, id)
		}
	}
	return heard
}

// debrief asks the next player who has not answered yet under a control.
func (g *Game) debrief(ctx context.Context, control string) (Turn, error) {
	ep, s := g.Episode, g.Episode.Scenario
	if len(s.Questions) == 0 {
		return Turn{}, nil
	}
	for _, c := range s.Cast {
		if c.ID == s.NPC || ep.asked[asked{control, c.ID}] {
			continue
		}
		a, err := g.Actors[c.ID].(Debriefer).Debrief(ctx, ep.debriefView(c.ID, control), s.Questions)
		if err != nil {
			return Turn{Calls: a.Calls}, fmt.Errorf("session %s, debrief of %s: %w", ep.Session, c.ID, err)
		}
		return ep.record(g.now(), a.Calls, Event{
			Turn: ep.turn, Kind: KindDebrief, Actor: c.ID, Audience: []characters.ID{c.ID},
			Text: a.Text, Fault: a.Fault, Control: control,
		}), nil
	}
	return Turn{}, nil
}

// now is the clock in the resolution that records keep.
func (g *Game) now() time.Time { return g.Now().UTC().Truncate(time.Microsecond) }

// rollEvent is a roll that everybody sees.
func rollEvent(by characters.ID, r dice.Roll) Event {
	return Event{Kind: KindRoll, Actor: by, Roll: &r}
}
