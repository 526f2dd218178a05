package main

import (
	"context"
	"time"

	"parley/eval/judge"
	"parley/eval/run"
	"parley/finetune"
	"parley/sim/llm"
)

// preferring opens who plays the other turns and who chooses.
func (b *building) preferring(ctx context.Context) error {
	c, s := b.c, &b.selection
	o, err := runOptions(c)
	if err != nil {
		return err
	}
	if b.calls, err = finetune.NewCallLog(c.String("calls"), keys.Redact); err != nil {
		return err
	}
	p := &s.Preferring
	*p = finetune.Preferring{Margin: c.Float64("margin"), Sample: c.Int("sample"), Jobs: c.Int("jobs"), Seed: c.Uint64("seed")}
	for _, spec := range c.StringSlice("against") {
		p.Rivals = append(p.Rivals, finetune.NewRival(spec, s.Form, o))
	}
	switch prefer := c.String("prefer"); {
	case prefer == "played":
		p.Choose = finetune.First
	case prefer == "rival":
		p.Choose = finetune.Second
	case c.String("judge") != "":
		return b.judged(ctx, c.String("judge"), o)
	case c.Int("rollout") > 0:
		if p.Rollout, err = s.NewRollout(ctx, c.Int("rollout"), c.String("rollout-actor"), b.calls.Record, o); err == nil {
			p.Choose = p.Rollout.Choose
		}
	case c.String("choices") != "":
		b.collect, err = s.ByPerson(c.String("choices"))
	}
	return err
}

// judged has a model choose, which must not be one of those whose turns it compares.
func (b *building) judged(ctx context.Context, spec string, o run.Options) error {
	for _, name := range b.selection.Compared() {
		if o.Registry.SameModel(spec, name) && !b.c.Bool("allow-self-judge") {
			return usagef("the judge %s would judge its own turns (%s): name another judge, or say --allow-self-judge", spec, name)
		}
	}
	models := llm.Models{Registry: o.Registry, Env: o.Env, Tell: func(text string) { b.note("%s", text) }}
	m, err := models.Open(ctx, spec)
	if err != nil {
		return usageError{err}
	}
	j := &judge.Judge{Model: m.Model, Name: spec, Sampling: llm.Sampling{NumCtx: m.Context(0)}, Now: time.Now, Trusting: b.c.Bool("trusting")}
	if o.Cache != nil {
		j.Model = m.Cached(o.Cache)
	}
	p := &b.selection.Preferring
	p.Choose, p.JudgeCalls = finetune.ByJudge(j, b.c.Uint64("seed"), b.calls.Record), 2
	return nil
}
