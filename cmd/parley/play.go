package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"parley/characters"
	"parley/eval"
	"parley/eval/iep"
	"parley/logs"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/fleet"
	"parley/sim/llm"
)

// player plays a run: it makes the sessions of an experiment, keeps what happens, and scores them.
type player struct {
	dir      string
	manifest *manifest
	exp      *Experiment
	stage    *stage
	crew     *crew
	prices   *llm.Prices // nil: cost is unknown
	journal  *logs.Journal
	scorer   *iep.Scorer // nil where nothing is scored
	progress *progress
	now      func() time.Time

	// What a resumed run starts from.
	done     map[string]bool // sessions that are complete
	restored map[string]*restored

	mu     sync.Mutex
	states map[State]int
}

// restored is what is on disk of a session that is not complete.
type restored struct {
	events []sim.Event
	tokens int
	played sim.Used // by moves
	calls  int

	dropped map[characters.ID]int // lines that the last answered prompt of a seat left out
}

// add counts a call, which was for a move or for a debrief.
func (r *restored) add(c *llm.Call, move bool) {
	tokens := 0
	for _, n := range []*int{c.Tokens, c.Output} {
		if n != nil {
			tokens += *n
		}
	}
	if c.Fault == "" {
		r.dropped[characters.ID(c.Actor)] = c.Dropped
	}
	r.calls++
	r.tokens += tokens
	if move {
		r.played.Tokens += tokens
		r.played.Time += time.Duration(c.Total) * time.Microsecond
	}
}

// play runs all sessions that are not done. After an error the run can be resumed.
func (p *player) play(ctx context.Context) error {
	e := p.exp
	arms := len(e.Player)
	jobs := func(yield func(func(context.Context) error) bool) {
		for i := range e.Sessions {
			for arm := range arms {
				if p.done[sessionID(arm, i)] {
					continue
				}
				if !yield(func(ctx context.Context) error { return p.session(ctx, arm, i) }) {
					return
				}
			}
		}
	}
	err := fleet.Run(ctx, p.jobs(), jobs)
	if flushed := p.journal.Flush(context.WithoutCancel(ctx)); err == nil {
		err = flushed
	}
	return err
}

// jobs is how many sessions are played at once: what the user says, else a few for models and as
// many as hide the disk's latency for actors that need none.
func (p *player) jobs() int {
	switch {
	case p.exp.Jobs > 0:
		return p.exp.Jobs
	case p.crew.jobs > 0:
		return p.crew.jobs
	}
	return 4 * runtime.GOMAXPROCS(0)
}

// session plays and scores one session. Its error stops the run.
func (p *player) session(ctx context.Context, arm, i int) error {
	e := p.exp
	id := sessionID(arm, i)
	s := e.scenario(p.stage, i)
	ep := sim.NewEpisode(id, e.sessionSeed(i), s, e.Turns)
	row := sessionRow{
		ID: id, Index: i, Arm: e.Player[arm].Name, Seed: strconv.FormatUint(ep.Seed, 10),
		Kind: s.Kind.String(), Title: s.Title, State: stateComplete, Questions: s.Questions,
		Started: p.now().UTC(),
	}
	whole, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("session %s: %w", id, err)
	}
	row.Scenario = string(whole)
	if r := p.restored[id]; r != nil {
		if err := ep.Restore(r.events, r.tokens); err != nil {
			return fmt.Errorf("%s does not fit the experiment: %w", p.dir, err)
		}
		ep.Played = r.played
		if len(r.events) > 0 {
			if r.events[0].Text != s.Premise {
				return fmt.Errorf("%s does not fit the experiment: session %s began with another scene", p.dir, id)
			}
			row.Started = r.events[0].Time
		}
		row.Calls = r.calls
	}
	game := sim.Game{
		Episode: ep, Actors: map[characters.ID]sim.Actor{}, Order: e.order(), Endings: e.Endings.list(),
		Control: e.Control, Now: p.now, Referee: p.crew.referee(),
	}
	models, table := e.Player[arm].models(e.Players), new(agent.Table)
	for at, c := range s.Cast {
		seat, spec := "npc", e.NPC
		if c.ID != s.NPC {
			seat, spec = "player", models[at]
		}
		actor, err := p.crew.actor(place{seat, arm, at}, spec, table)
		if err != nil {
			return err
		}
		if a, ok := actor.(*agent.Agent); ok && p.restored[id] != nil {
			a.Resume(p.restored[id].dropped[c.ID])
		}
		game.Actors[c.ID] = actor
		row.Cast = append(row.Cast, seatRow{ID: string(c.ID), Name: c.Name, Role: seat, Model: spec})
	}
	var kept llm.Ledger // messages of this session that the journal has
	for turn, failed := range game.Play(ctx) {
		if ctx.Err() != nil && failed != nil {
			return ctx.Err()
		}
		b := p.journal.Batch()
		addCalls(b, &kept, turn.Calls) // also those of a turn that failed, which has no events
		logs.Add(b, streamEvents, turn.Events...)
		if err := p.journal.Append(b); err != nil {
			return err
		}
		row.Calls += len(turn.Calls)
		if failed == nil {
			p.progress.turn()
			continue
		}
		if hopeless(failed) {
			return failed
		}
		row.State, row.Error = stateFailed, clean(failed.Error())
	}
	b := p.journal.Batch()
	if row.State == stateComplete && p.scorer != nil {
		scores, calls, err := p.scorer.Score(ctx, ep)
		if err != nil {
			return err
		}
		for i := range scores {
			scores[i].Arm = row.Arm
			scores[i].Reason = clean(scores[i].Reason)
		}
		addCalls(b, &kept, calls)
		logs.Add(b, streamScores, scores...)
		row.Calls += len(calls)
		p.progress.scores(scores)
	}
	row.count(ep)
	row.Finished = p.now().UTC()
	logs.Add(b, streamSessions, row)
	if err := p.journal.Append(b); err != nil {
		return err
	}
	p.mu.Lock()
	p.states[row.State]++
	p.mu.Unlock()
	p.progress.session(row.State)
	return nil
}

// addCalls adds calls to a batch, and those of their messages that the session has not kept yet.
func addCalls(b *logs.Batch, kept *llm.Ledger, calls []llm.Call) {
	for i := range calls {
		calls[i].Error = clean(calls[i].Error)
		for hash, m := range kept.New(&calls[i]) {
			logs.Add(b, streamMessages, messageRow{Hash: hash, Role: m.Role, Content: m.Content})
		}
	}
	logs.Add(b, streamCalls, calls...)
}

// count fills in what the episode says about the session.
func (row *sessionRow) count(ep *sim.Episode) {
	row.Ended, row.Turns, row.Tokens = ep.Ended, ep.Turn(), ep.Tokens
	for _, m := range ep.Moves() {
		if m.Actor == ep.Scenario.NPC {
			continue
		}
		row.Moves++
		if m.Fault == "" {
			row.Valid++
		}
		if m.Kind == sim.KindPass {
			row.Passes++
		}
	}
}

// hopeless reports whether every other session would fail in the same way, so that the run had
// better stop and be resumed once the cause is mended.
func hopeless(err error) bool { return llm.FaultOf(err).Lasting() }

// newScorer makes the scorer that an experiment asks for; the judge is the lexical one where it is nil.
func newScorer(e *Experiment, judge iep.Judge) *iep.Scorer {
	if !slices.Contains(e.kind().Scorers, "iep") {
		return nil
	}
	lexical := iep.NewLexical(corpus())
	if judge == nil {
		judge = lexical
	}
	return &iep.Scorer{
		Judge: judge, Condense: e.Keypoints == "judge", Lexical: lexical, Every: e.Curve,
	}
}

// corpus is what tells common words from rare ones: the facts of the library.
func corpus() []string {
	var texts []string
	for _, k := range scenarios.Library().Knowledge {
		for i := range k.Facts {
			texts = append(texts, k.Facts[i].Text)
		}
	}
	return texts
}

// unscored counts scores without a value.
func unscored(results []eval.Result) int {
	n := 0
	for _, r := range results {
		if r.Unit == "players" {
			n += r.Of - r.N
		}
	}
	return n
}
