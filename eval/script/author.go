package script

import (
	"context"
	"time"

	"parley/eval"
	"parley/sim"
	"parley/sim/llm"
)

// Author is a model that writes scripts.
type Author struct {
	Model    llm.Model
	Name     string // the model as it was asked for
	Persona  string // instruction under which it answers; empty: none
	Sampling llm.Sampling
	Now      func() time.Time
}

// asks is how often an author is asked for one script: once more after a reply without steps.
const asks = 2

// Write has the author write a script for a task. A reply without steps is asked for again, and then
// the script is unparsed, with the reason; it is no script of no steps. The error is that of a
// context that was cancelled.
func (a *Author) Write(ctx context.Context, t *Task, actor string, seed uint64) (Script, []llm.Call, error) {
	return a.put(ctx, llm.Tag{Session: t.ID, Actor: actor, Purpose: "write"}, render("write", seed, t), seed)
}

// Direct has a model write a script as a gold answer, without having seen any other: what the paper compares pooling
// with.
func (a *Author) Direct(ctx context.Context, t *Task, actor string, seed uint64) (Script, []llm.Call, error) {
	return a.put(ctx, llm.Tag{Session: t.ID, Actor: actor, Purpose: "gold"}, render("write", seed, t), seed)
}

// Synthesize has a model learn from the scripts of others and write a better one.
func (a *Author) Synthesize(ctx context.Context, t *Task, candidates [][]string, actor string, seed uint64) (Script, []llm.Call, error) {
	texts := map[int]string{} // from 1
	for i, c := range candidates {
		texts[i+1] = numbered(c)
	}
	text := render("synthesize", seed, map[string]any{"Specific": t.Specific, "Candidates": texts})
	return a.put(ctx, llm.Tag{Session: t.ID, Actor: actor, Purpose: "gold"}, text, seed)
}

func (a *Author) put(ctx context.Context, tag llm.Tag, text string, seed uint64) (s Script, calls []llm.Call, err error) {
	var messages []llm.Message
	if a.Persona != "" {
		messages = append(messages, llm.NewMessage(llm.System, a.Persona))
	}
	messages = append(messages, llm.NewMessage(llm.User, text))
	for tag.Try = range asks {
		sampling := a.Sampling
		if sampling.MaxTokens == 0 {
			sampling.MaxTokens = 700
		}
		sampling = sampling.Complete()
		drawn := int64(sim.Mix(seed, sim.HashText(llm.CallID(tag))) >> 33)
		if a.Sampling.Seed != nil {
			drawn = *a.Sampling.Seed + int64(tag.Try)
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
		case resp.Finish != llm.Stop && s.Reason != "":
			s = noScript("%s (the reply was cut off)", s.Reason)
		case resp.Finish != llm.Stop:
			s = noScript("the reply was cut off")
		}
		if s.Status == eval.Scored {
			break
		}
	}
	return s, calls, nil
}
