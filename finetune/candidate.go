package finetune

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"parley/characters"
	"parley/eval/run"
	"parley/eval/session"
	"parley/sim"
)

// Preferring says between which turns is chosen, and how.
type Preferring struct {
	Choose     Chooser  // nil: by score, see Margin
	Margin     float64  // by which the better score is higher
	Rivals     []Rival  // who else plays a turn in every view; none: turns of several arms and runs are compared
	Sample     int      // turns of a session that are looked at, drawn by Seed; 0: all
	Rollout    *Rollout // for the estimate, where Choose plays on
	JudgeCalls int      // that Choose makes for a pair, for the estimate
	Jobs       int      // sessions at a time, or pairs where there are no rivals
	Seed       uint64
}

// Actors returns who plays a character, a player or the NPC.
type Actors func(id characters.ID, player bool) (sim.Actor, error)

// Rival is another player of the turns of a run.
type Rival struct {
	Name  string
	Arm   bool // Name is an arm of the run: its turn of the same number is taken from the record
	Calls bool // it asks a model for its turn
	// Open returns a function that makes the actors of one session of a run. It is not called for an arm.
	Open func(ctx context.Context, in *Source) (func() Actors, error)
}

// open finds who plays the other turns of each session of a run.
func (r *Rival) open(ctx context.Context, in *Source) (func(*Session) Actors, error) {
	if !r.Arm {
		make, err := r.Open(ctx, in)
		return func(*Session) Actors { return make() }, err
	}
	moves := map[string]*sim.Event{}
	key := func(situation string, turn int, id characters.ID) string {
		return fmt.Sprintf("%s/%d/%s", situation, turn, id)
	}
	for p, err := range session.Episodes(in.Path) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if p.Row.Arm != r.Name || p.Row.State != run.Complete {
			continue
		}
		for _, e := range p.Episode.Moves() {
			moves[key(situation(&p.Row), e.Turn, e.Actor)] = e
		}
	}
	if len(moves) == 0 {
		return nil, fmt.Errorf("%s has no complete session of the arm %s", in.Path, r.Name)
	}
	return func(s *Session) Actors {
		return func(id characters.ID, _ bool) (sim.Actor, error) {
			return recorded(func(v *sim.View) *sim.Event { return moves[key(s.Group, v.Turn, id)] }), nil
		}
	}, nil
}

// recorded plays moves of a record.
type recorded func(*sim.View) *sim.Event

// Act returns the recorded move of the turn; where there is none, it is a fault.
func (r recorded) Act(_ context.Context, v *sim.View) (sim.Decision, error) {
	e := r(v)
	if e == nil {
		return sim.Decision{Fault: "not recorded"}, nil
	}
	return decisionOf(e), nil
}

// decisionOf returns the decision that a move came of.
func decisionOf(e *sim.Event) sim.Decision {
	d := sim.Decision{Speech: e.Speech, Deed: e.Deed, Skill: e.Skill, Facts: e.Facts, Fault: e.Fault}
	for _, id := range e.Audience {
		if id != e.Actor {
			d.To = append(d.To, id)
		}
	}
	return d
}

// preferences are pairs of turns, of which the better one is chosen.
func (s *Selection) preferences(ctx context.Context) iter.Seq2[Example, error] {
	choose := s.Preferring.Choose
	if choose == nil {
		choose = ByScore(s.Preferring.Margin)
	}
	if len(s.Preferring.Rivals) == 0 {
		return Choose(ctx, s.Preferring.Jobs, s.met(ctx), choose)
	}
	return s.chained(s.Inputs, func(in *Source) iter.Seq2[Example, error] { return s.against(ctx, in, choose) })
}

// met are the pairs of turns that several arms and runs played in the same view.
func (s *Selection) met(ctx context.Context) iter.Seq2[Pair, error] {
	return Pairs(s.chained(s.Inputs, func(in *Source) iter.Seq2[Example, error] { return s.source(ctx, in, true) }))
}

// against yields preferences between the turns of a run and those of the rivals.
func (s *Selection) against(ctx context.Context, in *Source, choose Chooser) iter.Seq2[Example, error] {
	type result struct {
		x   Example
		err error
	}
	return func(yield func(Example, error) bool) {
		var open []func(*Session) Actors
		for i := range s.Preferring.Rivals {
			of, err := s.Preferring.Rivals[i].open(ctx, in)
			if err != nil {
				yield(Example{}, err)
				return
			}
			open = append(open, of)
		}
		all := parallel(ctx, s.Preferring.Jobs, s.sessions(ctx, in, true), func(ctx context.Context, p *Session) (list []result, err error) {
			turns, gone, err := s.sampled(ctx, p)
			for _, d := range gone {
				list = append(list, result{err: d})
			}
			var rivals []Actors
			for _, of := range open {
				rivals = append(rivals, of(p))
			}
			for i := range turns {
				if err != nil {
					return list, err
				}
				for pair, bad := range s.pairs(ctx, p, &turns[i], rivals) {
					var x Example
					if bad == nil {
						x, bad = choose(ctx, &pair)
					}
					if bad != nil && !dropped(bad) {
						return list, bad
					}
					list = append(list, result{x, bad})
				}
			}
			return list, err
		})
		for list, err := range all {
			for _, r := range list {
				if !yield(r.x, r.err) {
					return
				}
			}
			if err != nil && !yield(Example{}, err) {
				return
			}
		}
	}
}

// sampled returns the turns of a session that are looked at, in their order, and which turns are no turns.
func (s *Selection) sampled(ctx context.Context, p *Session) (turns []turn, gone []error, err error) {
	for t, err := range p.turns(ctx, s.Who) {
		switch {
		case dropped(err):
			gone = append(gone, err)
		case err != nil:
			return nil, nil, err
		default:
			turns = append(turns, t)
		}
	}
	if n := s.Preferring.Sample; n > 0 && n < len(turns) {
		r := sim.Rand(sim.Mix(s.Preferring.Seed, sim.HashText(p.ID)))
		r.Shuffle(len(turns), func(i, j int) { turns[i], turns[j] = turns[j], turns[i] })
		turns = turns[:n]
		slices.SortFunc(turns, func(a, b turn) int { return a.event.Seq - b.event.Seq })
	}
	return turns, gone, nil
}

// pairs yields each two candidates for a view: the turn that was played, and each rival's. A candidate
// that is none, or that is the same as an earlier one, is a *Dropped.
func (s *Selection) pairs(ctx context.Context, p *Session, t *turn, rivals []Actors) iter.Seq2[Pair, error] {
	type candidate struct {
		x Example
		e *sim.Event
	}
	return func(yield func(Pair, error) bool) {
		played, err := p.play(t, PlayOptions{Written: true})
		if err == nil {
			err = s.passes(&played, p.arm)
		}
		if err != nil {
			yield(Pair{}, err)
			return
		}
		list := []candidate{{played, t.event}}
		for i, actors := range rivals {
			next := candidate{x: played}
			name := s.Preferring.Rivals[i].Name
			next.x.ID, next.x.Model, next.x.Score = played.ID+"/"+name, name, nil
			next.e, err = p.candidate(ctx, t, &next.x, actors)
			for _, other := range list {
				if err == nil && other.x.Completion[0].Content == next.x.Completion[0].Content {
					err = (&Pair{A: other.x, B: next.x}).drop(Alone, "the other actor does the same")
				}
			}
			if err != nil {
				if !yield(Pair{}, err) || !dropped(err) {
					return
				}
				continue
			}
			for _, other := range list {
				if !yield(Pair{A: other.x, B: next.x, session: p, moves: [2]*sim.Event{other.e, next.e}}, nil) {
					return
				}
			}
			list = append(list, next)
		}
	}
}

// candidate has an actor play a turn, and completes its example, which is that of the played turn.
func (s *Session) candidate(ctx context.Context, t *turn, x *Example, actors Actors) (*sim.Event, error) {
	actor, err := actors(t.event.Actor, t.view.Player)
	if err != nil {
		return nil, err
	}
	d, err := actor.Act(ctx, t.view)
	if err != nil {
		return nil, err
	}
	e := &sim.Event{Turn: t.event.Turn, Seq: t.event.Seq, Kind: sim.KindAct, Actor: t.event.Actor, Speech: d.Speech, Deed: d.Deed, Skill: d.Skill, Facts: d.Facts, Fault: d.Fault}
	if d.Speech == "" && d.Deed == "" {
		e.Kind, e.Skill, e.Facts = sim.KindPass, "", nil
	} else if len(d.To) > 0 {
		e.Audience = append([]characters.ID{e.Actor}, d.To...)
	}
	reply, ok, err := t.scribe.Reply(t.view, e)
	switch {
	case err != nil:
		return nil, err
	case e.Fault != "":
		return nil, x.drop(Malformed, e.Fault)
	case !ok:
		return nil, x.drop(Unwritten, "the other actor's move")
	}
	other := *t
	other.event, other.reply = e, reply
	x.Completion, x.Labels = []Message{{Assistant, reply}}, labels(e)
	x.Body, err = other.body()
	return e, err
}

// Forecast is how much a build of preferences will be, at most: candidates that do the same, and pairs
// that cannot be decided, are left out later.
type Forecast struct {
	Sessions     int `json:"sessions"`
	Views        int `json:"views"`
	Pairs        int `json:"pairs"`
	RivalCalls   int `json:"rival_calls"`
	JudgeCalls   int `json:"judge_calls"`
	RolloutCalls int `json:"rollout_calls"`
	// Undecided says which pairs will be left out, and how to have fewer; empty where all are decided.
	Undecided string `json:"undecided,omitempty"`
}

// String is the text for people.
func (f Forecast) String() string {
	text := fmt.Sprintf("at most %d pairs, of %d views of %d sessions\nat most %d calls for other turns, %d of the judge, %d of roll-outs\n",
		f.Pairs, f.Views, f.Sessions, f.RivalCalls, f.JudgeCalls, f.RolloutCalls)
	if f.Undecided != "" {
		text += "fewer pairs are likely: " + f.Undecided + "\n"
	}
	return text
}

// Estimate counts what preferences there would be, without a call of a model.
func (s *Selection) Estimate(ctx context.Context) (f Forecast, err error) {
	p := &s.Preferring
	if len(p.Rivals) == 0 {
		for _, err := range s.met(ctx) {
			switch {
			case err == nil:
				f.Pairs++
				s.found = true
			case !dropped(err):
				return f, err
			}
		}
	} else {
		for i := range s.Inputs {
			for played, err := range s.sessions(ctx, &s.Inputs[i], true) {
				if dropped(err) {
					continue
				}
				if err != nil {
					return f, err
				}
				turns, _, err := s.sampled(ctx, played)
				if err != nil {
					return f, err
				}
				f.Sessions++
				f.Views += len(turns)
			}
		}
		n := len(p.Rivals)
		f.Pairs = f.Views * n * (n + 1) / 2
		for i := range p.Rivals {
			if p.Rivals[i].Calls {
				f.RivalCalls += f.Views
			}
		}
	}
	f.JudgeCalls = f.Pairs * p.JudgeCalls
	switch {
	case p.Rollout != nil:
		f.RolloutCalls = 2 * f.Pairs * p.Rollout.Calls
		f.Undecided = "two turns whose roll-outs have the same score give none; " + moreRollouts
	case p.JudgeCalls > 0:
		f.Undecided = "a judge that calls it a tie, or that chooses by position (its two orders disagree), gives none"
	case p.Choose == nil:
		f.Undecided = "two turns with the same score, or without one, give none; " + moreScores
	}
	return f, nil
}
