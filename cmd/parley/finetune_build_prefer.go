package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/characters"
	"parley/eval/judge"
	"parley/finetune"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
)

// preferences are pairs of turns, of which the better one is chosen.
func (b *building) preferences(ctx context.Context) (exampleSeq, func() error, error) {
	record, finish, err := callsTo(b.c.String("calls"))
	if err != nil {
		return nil, nil, err
	}
	if record == nil {
		record = func(llm.Call) {}
	}
	choose := finetune.ByScore(b.c.Float64("margin"))
	switch {
	case b.c.String("judge") != "":
		if choose, err = b.chooser(ctx, record); err != nil {
			return nil, nil, errors.Join(err, finish())
		}
	case b.c.String("prefer") == preferPlayed:
		choose = finetune.First
	case b.c.String("prefer") == preferRival:
		choose = finetune.Second
	}
	jobs := b.c.Int("jobs")
	if b.c.String("against") == "" {
		turns := b.chained(b.inputs, func(in *input) exampleSeq { return b.source(ctx, in, true) })
		return finetune.Choose(ctx, jobs, finetune.Pairs(turns), choose), finish, nil
	}
	rivals := make([]*rivalry, len(b.inputs))
	for i := range b.inputs {
		if rivals[i], err = b.rival(ctx, &b.inputs[i], record); err != nil {
			return nil, nil, errors.Join(err, finish())
		}
	}
	at := 0
	all := b.chained(b.inputs, func(in *input) exampleSeq {
		r := rivals[at]
		at++
		return b.against(ctx, in, jobs, r, choose)
	})
	return all, finish, nil
}

// against has a rival play in every view of a run.
func (b *building) against(ctx context.Context, in *input, jobs int, r *rivalry, choose finetune.Chooser) exampleSeq {
	model := b.c.String("against")
	sessions := func(yield func(finetune.Rivalry, error) bool) {
		for s, err := range b.sessions(ctx, in, true) {
			next := finetune.Rivalry{}
			if err == nil {
				next = finetune.Rivalry{Session: s.Session, Rival: r.actors(), Pass: func(x *finetune.Example) error { return b.passes(x, s.arm) }}
			}
			if !yield(next, err) {
				return
			}
		}
	}
	return finetune.Against(ctx, jobs, sessions, b.who, model, choose)
}

// rivalry is who plays the other turn.
type rivalry struct {
	crew   *crew
	spec   string
	record func(llm.Call)
}

// rival hires the other actor as it would have been hired for the run.
func (b *building) rival(ctx context.Context, in *input, record func(llm.Call)) (*rivalry, error) {
	e, spec := in.manifest.Experiment, b.c.String("against")
	as := &Experiment{
		Scenario: e.Scenario, Players: e.Players, Turns: e.Turns, Player: []Arm{{Name: spec, Model: spec}}, NPC: spec,
		Referee: e.Referee, Judge: "lexical", Layout: e.Layout, Form: "auto", Sampling: e.Sampling, Seed: e.Seed, Limits: e.Limits,
	}
	if as.Referee != "none" {
		as.Referee = "dice" // the rival's turn is not resolved; but it may name a check
	}
	if b.form != "" {
		as.Form = string(b.form)
	}
	if e.Prompts != "" && exists(e.Prompts) {
		as.Prompts = e.Prompts
	}
	longest := func() ([]*scenarios.Scenario, error) {
		text := ""
		for row, err := range rows[sessionRow](in.path, streamSessions) {
			if err != nil {
				return nil, err
			}
			if len(row.Scenario) > len(text) {
				text = row.Scenario
			}
		}
		s := &scenarios.Scenario{}
		return []*scenarios.Scenario{s}, json.Unmarshal([]byte(text), s)
	}
	c, err := newCrew(ctx, &manifest{Experiment: as, Models: map[string]*servedNote{}}, longest, b.talk)
	if err != nil {
		return nil, err
	}
	if dir := b.c.String("cache"); dir != "" {
		for name, m := range c.open {
			id := llm.Identity{}
			if known := c.manifest.Models[name].Identity; known != nil {
				id = *known
			}
			c.open[name] = llm.Wrap(m, llm.Cache(cacheDir(dir), name, id))
		}
		for at, maker := range c.makers {
			maker.Model = c.open[at[1]]
		}
	}
	return &rivalry{c, spec, record}, nil
}

// actors returns who plays in one session: for each character, an actor that keeps a record.
func (r *rivalry) actors() func(characters.ID, bool) (sim.Actor, error) {
	table := new(agent.Table)
	return func(_ characters.ID, player bool) (sim.Actor, error) {
		seat := "player"
		if !player {
			seat = "npc"
		}
		a, err := r.crew.actor(place{role: seat}, r.spec, table)
		return recordedActor{a, r.record}, err
	}
}

// recordedActor keeps the calls of an actor.
type recordedActor struct {
	sim.Actor
	record func(llm.Call)
}

// Act plays and records.
func (a recordedActor) Act(ctx context.Context, v *sim.View) (sim.Decision, error) {
	d, err := a.Actor.Act(ctx, v)
	for _, call := range d.Calls {
		a.record(call)
	}
	return d, err
}

// chooser is a judge that says which of two turns is better.
func (b *building) chooser(ctx context.Context, record func(llm.Call)) (finetune.Chooser, error) {
	spec := b.c.String("judge")
	if err := b.ownJudge(spec); err != nil {
		return nil, err
	}
	base, err := registry().Open(ctx, spec, environment())
	if err != nil {
		return nil, usageError{err}
	}
	m := llm.Wrap(base, llm.Retry(llm.Retrier{}))
	if dir := b.c.String("cache"); dir != "" {
		id := llm.Identity{}
		if who, ok := base.(llm.Identifier); ok {
			if id, err = who.Identify(ctx); err != nil {
				return nil, err
			}
		}
		m = llm.Wrap(m, llm.Cache(cacheDir(dir), spec, id))
	}
	s := llm.Sampling{NumCtx: registry().Defaults(spec).Context}
	j := &judge.Judge{Model: m, Name: spec, Sampling: s, Now: time.Now, Trusting: b.c.Bool("trusting")}
	return finetune.ByJudge(j, b.c.Uint64("seed"), func(p judge.Preference) {
		for _, call := range p.Calls {
			record(call)
		}
	}), nil
}

// ownJudge refuses a judge that is one of those whose turns it compares.
func (b *building) ownJudge(spec string) error {
	if b.c.Bool("allow-self-judge") {
		return nil
	}
	var others []string
	if rival := b.c.String("against"); rival != "" {
		others = append(others, rival)
	}
	for _, in := range b.inputs {
		e := in.manifest.Experiment
		for i := range e.Player {
			others = append(others, e.Player[i].models(e.Players)...)
		}
		if b.who != finetune.Players {
			others = append(others, e.NPC)
		}
	}
	for _, name := range slices.Compact(others) {
		if registry().SameModel(spec, name) {
			return usagef("the judge %s would judge its own turns (%s): name another judge, or say --allow-self-judge", spec, name)
		}
	}
	return nil
}

// explain adds to an error of a build what to do about it.
func (b *building) explain(err error) error {
	if b.found.Load() > 0 || errors.Is(err, context.Canceled) {
		return err
	}
	hint := ""
	switch {
	case b.task == finetune.DM:
		hint = "windows come from sessions of the scenario intention (parley run --scenario intention) and from files of windows"
	case b.task == finetune.Judge:
		hint = "verdicts of models are in runs with --judge MODEL, and in those of eval script run and eval survey run; the lexical judge and reference actors ask no model"
	case b.task == finetune.Preference && b.c.String("against") == "" && b.c.String("judge") == "":
		hint = "turns meet where several arms or runs of one seed play the same sessions, as with --player A --player B; --judge MODEL chooses where scores do not, and --against ACTOR has another one play in every view"
	case b.task == finetune.Preference:
		hint = "turns meet where several arms or runs of one seed play the same sessions, or with --against another actor"
	default:
		hint = "see with parley show whether the run has valid turns, and whether the filters let them pass"
	}
	return fmt.Errorf("%w; %s", err, hint)
}
