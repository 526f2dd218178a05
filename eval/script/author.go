package script

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	"parley/eval"
	"parley/sim/llm"
)

// Author is a model that writes scripts.
type Author struct {
	Model    llm.Model
	Name     string // the model as it was asked for
	Persona  string // instruction under which it answers; empty: none
	Sampling llm.Sampling
	Again    int // how often it is asked again after a reply without steps; 0: once, negative: never
	Now      func() time.Time
}

func (a *Author) asks() int {
	switch {
	case a.Again < 0:
		return 1
	case a.Again == 0:
		return 2
	}
	return 1 + a.Again
}

// request is one that is put until there are steps.
type request struct {
	purpose, session, actor, text string
	seed                          uint64
}

// Write has the author write a script for a task. A reply without steps is asked for again, and then
// the script is unparsed, with the reason; it is no script of no steps. The error is that of a
// context that was cancelled.
func (a *Author) Write(ctx context.Context, t *Task, actor string, seed uint64) (Script, []llm.Call, error) {
	return a.put(ctx, request{"write", t.ID, actor, render(writePrompt, seed, t), seed})
}

// Direct has a model write a script as a gold answer, without having seen any other: what the paper
// holds pooling against.
func (a *Author) Direct(ctx context.Context, t *Task, actor string, seed uint64) (Script, []llm.Call, error) {
	return a.put(ctx, request{"gold", t.ID, actor, render(writePrompt, seed, t), seed})
}

// Synthesize has a model learn from the scripts of others and write a better one.
func (a *Author) Synthesize(ctx context.Context, t *Task, candidates [][]string, actor string, seed uint64) (Script, []llm.Call, error) {
	var texts []string
	for _, c := range candidates {
		texts = append(texts, numbered(c))
	}
	text := render(synthesizePrompt, seed, map[string]any{"Specific": t.Specific, "Candidates": texts})
	return a.put(ctx, request{"gold", t.ID, actor, text, seed})
}

func (a *Author) put(ctx context.Context, r request) (Script, []llm.Call, error) {
	var messages []llm.Message
	if a.Persona != "" {
		messages = append(messages, llm.NewMessage(llm.System, a.Persona))
	}
	messages = append(messages, llm.NewMessage(llm.User, r.text))
	var calls []llm.Call
	var s Script
	for try := range a.asks() {
		sampling := a.Sampling
		if sampling.MaxTokens == 0 {
			sampling.MaxTokens = 700
		}
		sampling = sampling.Complete()
		tag := llm.Tag{Session: r.session, Actor: r.actor, Purpose: r.purpose, Try: try}
		drawn := int64(hashed(r.seed, llm.CallID(tag)) >> 33)
		if a.Sampling.Seed != nil {
			drawn = *a.Sampling.Seed + int64(try)
		}
		sampling.Seed = &drawn
		resp, call, err := llm.Ask(ctx, a.Model, a.Name, llm.Request{Messages: messages, Sampling: sampling, Tag: tag}, a.Now)
		calls = append(calls, call)
		if ctx.Err() != nil {
			return s, calls, ctx.Err()
		}
		if err != nil {
			return Script{Status: eval.Failed, Reason: err.Error()}, calls, nil
		}
		s = Read(resp.Text)
		switch {
		case resp.Finish == llm.Refused || resp.Finish == llm.Filtered:
			s = noScript("the author did not answer: %s", resp.Finish)
		case resp.Finish != llm.Stop:
			reason := "the reply was cut off"
			if s.Reason != "" {
				reason = s.Reason + " (the reply was cut off)"
			}
			s = noScript("%s", reason)
		}
		if s.Status == eval.Scored {
			break
		}
	}
	return s, calls, nil
}

// hashed derives a number from a seed and what it is for.
func hashed(seed uint64, parts ...string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d", seed)
	for _, p := range parts {
		fmt.Fprintf(h, "\x00%s", p)
	}
	x := h.Sum64() // FNV leaves close inputs close in the upper bits
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
