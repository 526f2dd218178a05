package finetune

import (
	"context"
	"iter"

	"parley/characters"
	"parley/sim"
)

// Rivalry is a session in whose views another actor plays as well.
type Rivalry struct {
	*Session
	// Rival returns who plays the other turns of a character, a player or the NPC, of this session.
	Rival func(id characters.ID, player bool) (sim.Actor, error)
	// Pass is why a turn that was played is left out; nil: it is not. It may itself be nil.
	Pass func(x *Example) error
}

// Against has another actor play a turn in every view of some seats, n sessions at a time: preferences
// between the turn that was played, A of each pair, and the rival's, B. model is the rival's name.
func Against(ctx context.Context, n int, sessions iter.Seq2[Rivalry, error], who Seats, model string, choose Chooser) iter.Seq2[Example, error] {
	type result struct {
		x   Example
		err error
	}
	all := parallel(ctx, n, sessions, func(ctx context.Context, r Rivalry) (list []result, err error) {
		for p, err := range r.pairs(ctx, who, model) {
			var x Example
			if err == nil {
				x, err = choose(ctx, &p)
			}
			if err != nil && !dropped(err) {
				return list, err
			}
			list = append(list, result{x, err})
		}
		return list, nil
	})
	return func(yield func(Example, error) bool) {
		for list, err := range all {
			if err != nil {
				if !yield(Example{}, err) {
					return
				}
				continue
			}
			for _, r := range list {
				if !yield(r.x, r.err) {
					return
				}
			}
		}
	}
}

// pairs are the turns of a session, each with the rival's.
func (r *Rivalry) pairs(ctx context.Context, who Seats, model string) iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		rivals := map[characters.ID]sim.Actor{}
		for t, err := range r.turns(ctx, who) {
			var p Pair
			if err == nil {
				id := t.event.Actor
				if rivals[id] == nil {
					rivals[id], err = r.Rival(id, t.view.Player)
				}
				if err == nil {
					p, err = r.pair(ctx, &t, model, rivals[id])
				}
			}
			if !yield(p, err) || err != nil && !dropped(err) {
				return
			}
		}
	}
}

// pair asks the rival for its turn.
func (r *Rivalry) pair(ctx context.Context, t *turn, model string, rival sim.Actor) (Pair, error) {
	a, err := r.play(t, PlayOptions{Written: true})
	if err == nil && r.Pass != nil {
		err = r.Pass(&a)
	}
	if err != nil {
		return Pair{}, err
	}
	b := a
	b.ID, b.Model, b.Score = a.ID+"/"+model, model, nil
	p := Pair{a, b}
	d, err := rival.Act(ctx, t.view)
	if err != nil {
		return p, err
	}
	e := &sim.Event{Turn: t.event.Turn, Seq: t.event.Seq, Kind: sim.KindAct, Actor: t.event.Actor, Speech: d.Speech, Deed: d.Deed, Skill: d.Skill, Fault: d.Fault}
	if d.Speech == "" && d.Deed == "" {
		e.Kind, e.Skill = sim.KindPass, ""
	} else if len(d.To) > 0 {
		e.Audience = append([]characters.ID{e.Actor}, d.To...)
	}
	reply, ok, err := t.scribe.Reply(t.view, e)
	switch {
	case err != nil:
		return p, err
	case e.Fault != "":
		return p, p.drop(Malformed, e.Fault)
	case !ok:
		return p, p.drop(Unwritten, "the other actor's move")
	case reply == t.reply:
		return p, p.drop(Alone, "the other actor does the same")
	}
	other := *t
	other.event = e
	p.B.Completion, p.B.Labels = []Message{{Assistant, reply}}, labels(e)
	p.B.Body, err = other.body()
	return p, err
}
