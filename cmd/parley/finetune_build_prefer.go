package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"parley/eval/judge"
	"parley/eval/run"
	"parley/eval/session"
	"parley/finetune"
	"parley/sim/llm"
	"parley/sim/reference"
)

// preferring opens who plays the other turns and who chooses.
func (b *building) preferring(ctx context.Context) (err error) {
	c, s := b.c, &b.selection
	if b.record, b.finish, err = callsTo(c.String("calls")); err != nil {
		return err
	}
	p := &s.Preferring
	*p = finetune.Preferring{Margin: c.Float64("margin"), Sample: c.Int("sample"), Jobs: c.Int("jobs"), Seed: c.Uint64("seed")}
	for _, spec := range c.StringSlice("against") {
		name, arm := strings.CutPrefix(spec, "arm:")
		p.Rivals = append(p.Rivals, finetune.Rival{Name: name, Arm: arm, Calls: !arm && !reference.Is(name), Open: func(ctx context.Context, in *finetune.Source) (func() finetune.Actors, error) {
			rival, err := playersOf(ctx, in, spec, spec, b)
			if err != nil {
				return nil, err
			}
			return rival.actors, nil
		}})
	}
	switch prefer := c.String("prefer"); {
	case prefer == "played":
		p.Choose = finetune.First
	case prefer == "rival":
		p.Choose = finetune.Second
	case c.String("judge") != "":
		p.JudgeCalls = 2
		return b.judged(ctx, c.String("judge"))
	case c.Int("rollout") > 0:
		return b.rollout(ctx)
	case c.String("choices") != "":
		return b.chosen(c.String("choices"))
	}
	return nil
}

// judged has a model choose, which must not be one of those whose turns it compares.
func (b *building) judged(ctx context.Context, spec string) error {
	var others []string
	for _, rival := range b.selection.Preferring.Rivals {
		if !rival.Arm {
			others = append(others, rival.Name)
		}
	}
	for _, in := range b.selection.Inputs {
		e := in.Config
		for i := range e.Player {
			others = append(others, e.Player[i].Models(e.Players)...)
		}
		if b.selection.Who != finetune.Players {
			others = append(others, e.NPC)
		}
	}
	for _, name := range others {
		if registry().SameModel(spec, name) && !b.c.Bool("allow-self-judge") {
			return usagef("the judge %s would judge its own turns (%s): name another judge, or say --allow-self-judge", spec, name)
		}
	}
	models := llm.Models{Registry: registry(), Env: environment(), Tell: func(text string) { b.note("%s", text) }}
	m, err := models.Open(ctx, spec)
	if err != nil {
		return usageError{err}
	}
	j := &judge.Judge{Model: m.Model, Name: spec, Sampling: llm.Sampling{NumCtx: m.Context(0)}, Now: time.Now, Trusting: b.c.Bool("trusting")}
	if dir := b.c.String("cache"); dir != "" {
		j.Model = m.Cached(run.FileCache(dir))
	}
	b.selection.Preferring.Choose = finetune.ByJudge(j, b.c.Uint64("seed"), b.record)
	return nil
}

// rollout chooses by what comes of a turn.
func (b *building) rollout(ctx context.Context) error {
	playing := map[string]*players{}
	actor := b.c.String("rollout-actor")
	for i := range b.selection.Inputs {
		in := &b.selection.Inputs[i]
		var err error
		if playing[in.Name], err = playersOf(ctx, in, actor, in.Config.NPC, b); err != nil {
			return err
		}
	}
	scorer, err := session.ScorerOf(b.selection.Inputs[0].Config, b.c.String("score"))
	if err != nil {
		return err
	}
	r := &finetune.Rollout{
		Turns: b.c.Int("rollout"), Metric: b.c.String("score"), Margin: b.c.Float64("margin"), Record: b.record, Now: time.Now,
		Scorer: scorer,
		Actors: func(source string) (finetune.Actors, error) { return playing[source].actors(), nil },
	}
	if !reference.Is(actor) {
		r.Calls = r.Turns + 1
	}
	b.selection.Preferring.Rollout, b.selection.Preferring.Choose = r, r.Choose
	return nil
}

// chosen has a person choose: in a file that is there, or in one that is written.
func (b *building) chosen(name string) error {
	choices := &finetune.Choices{}
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		b.collect, b.selection.Preferring.Choose = choices, choices.Collect
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	b.selection.Preferring.Choose = choices.Choose
	return choices.Read(f, name)
}
