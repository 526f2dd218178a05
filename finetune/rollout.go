package finetune

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"parley/characters"
	"parley/eval"
	"parley/eval/run"
	"parley/eval/session"
	"parley/sim"
	"parley/sim/llm"
	"parley/sim/reference"
)

// Rollout chooses by what comes of a turn: the play goes on from it for a few turns, is debriefed and
// scored.
type Rollout struct {
	Turns  int
	Actors func(source string) (Actors, error) // who plays on, in a session of a run
	Scorer eval.Scorer
	Metric string // of the scorer, the mover's own or, for an NPC's turn, the mean; empty: the one of the scorer's name, or its first
	Margin float64
	Calls  int // that one roll-out makes at most, for the estimate; 0: none
	Record func(llm.Call)
	Now    func() time.Time
}

// NewRollout returns the choice by roll-outs of so many turns in which an actor plays the players, and the run's own the
// NPC.
func (s *Selection) NewRollout(ctx context.Context, turns int, actor string, record func(llm.Call), o run.Options) (*Rollout, error) {
	scorer, err := session.ScorerOf(s.Inputs[0].Config, s.Metric)
	if err != nil {
		return nil, err
	}
	playing := map[string]func() Actors{} // by source
	for i := range s.Inputs {
		in := &s.Inputs[i]
		if playing[in.Name], err = in.actors(ctx, actor, in.Config.NPC, s.Form, o); err != nil {
			return nil, err
		}
	}
	r := &Rollout{
		Turns: turns, Metric: s.Metric, Margin: s.Preferring.Margin, Record: record, Now: o.Now, Scorer: scorer,
		Actors: func(source string) (Actors, error) { return playing[source](), nil },
	}
	if !reference.Is(actor) {
		r.Calls = turns + 1
	}
	return r, nil
}

// Choose is a Chooser: the turn after which the metric is higher by more than the margin. What both
// had before the turn is the same, so that the difference is that of their gains.
func (r *Rollout) Choose(ctx context.Context, p *Pair) (Example, error) {
	if p.session == nil {
		return Example{}, errors.New("a roll-out needs turns of one session: name with --against who plays the other ones")
	}
	for i, x := range []*Example{&p.A, &p.B} {
		var why string
		var err error
		if x.Score, why, err = r.play(ctx, p.session, p.moves[i]); err != nil {
			return Example{}, err
		}
		if x.Score == nil {
			return Example{}, p.drop(Undecided, "a roll-out is unscored: "+why)
		}
	}
	return ByScore(r.Margin)(ctx, p)
}

// play plays on after a move and returns the score, or why there is none.
func (r *Rollout) play(ctx context.Context, s *Session, move *sim.Event) (*float64, string, error) {
	actors, err := r.Actors(s.Source)
	if err != nil {
		return nil, "", err
	}
	was := s.Episode
	ep := sim.NewEpisode(was.Session, was.Seed, was.Scenario, move.Turn+r.Turns)
	var before []sim.Event
	for _, e := range was.Events {
		if e.Seq < move.Seq && e.Kind != sim.KindDebrief {
			before = append(before, *e)
			before[len(before)-1].Seq = len(before) - 1
		}
	}
	if err := ep.Restore(before, 0); err != nil {
		return nil, "", err
	}
	game := sim.Game{Episode: ep, Actors: map[characters.ID]sim.Actor{}, Order: &continued{first: move.Actor}, Now: r.Now}
	for _, c := range was.Scenario.Cast {
		if game.Actors[c.ID], err = actors(c.ID, c.ID != was.Scenario.NPC); err != nil {
			return nil, "", err
		}
	}
	game.Actors[move.Actor] = &opening{game.Actors[move.Actor], move}
	for turn, err := range game.Play(ctx) {
		for _, call := range turn.Calls {
			r.Record(call)
		}
		if err != nil {
			return nil, "", err
		}
	}
	list, calls, err := r.Scorer.Score(ctx, ep)
	for _, call := range calls {
		r.Record(call)
	}
	if err != nil {
		return nil, "", err
	}
	value, why := r.value(list, string(move.Actor))
	return value, why, nil
}

// value returns the score of a character, or the mean of all where it has none.
func (r *Rollout) value(list []eval.Score, who string) (*float64, string) {
	metric := r.Metric
	if metric == "" {
		metric = mainMetric(all(list))
	}
	var values []float64
	why := "the scorer has no value"
	for _, score := range list {
		if score.Control != "" || score.Turn != 0 {
			continue
		}
		switch {
		case score.Metric != metric:
		case score.Value == nil:
			why = strings.TrimSpace(string(score.Status) + " " + score.Reason)
		case score.Subject == who:
			return score.Value, ""
		default:
			values = append(values, *score.Value)
		}
	}
	if len(values) == 0 {
		return nil, why
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	sum /= float64(len(values))
	return &sum, ""
}

// continued is an order of turns that begins with one character; the others follow as in the cast.
type continued struct {
	first characters.ID
	begun bool
}

// Next returns who moves next.
func (o *continued) Next(_ context.Context, ep *sim.Episode) (characters.ID, error) {
	cast := ep.Scenario.Cast
	if !o.begun {
		o.begun = true
		return o.first, nil
	}
	moves := ep.Moves()
	at := slices.IndexFunc(cast, func(c *characters.Sheet) bool { return c.ID == moves[len(moves)-1].Actor })
	return cast[(at+1)%len(cast)].ID, nil
}

// opening plays a given move first, and then as an actor does.
type opening struct {
	sim.Actor
	move *sim.Event
}

// Act returns the given move once.
func (o *opening) Act(ctx context.Context, v *sim.View) (sim.Decision, error) {
	if o.move == nil {
		return o.Actor.Act(ctx, v)
	}
	d := decisionOf(o.move)
	o.move = nil
	return d, nil
}

// Debrief answers the questions after the play.
func (o *opening) Debrief(ctx context.Context, v *sim.View, questions []string) (sim.Answer, error) {
	d, ok := o.Actor.(sim.Debriefer)
	if !ok {
		return sim.Answer{}, errors.New("the actor of a roll-out cannot answer the debrief")
	}
	return d.Debrief(ctx, v, questions)
}
