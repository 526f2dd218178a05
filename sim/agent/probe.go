package agent

import (
	"context"
	"fmt"
	"time"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/llm"
)

// Probe finds out which form a model can play in, with one small move of a made-up scene asked for in
// JSON. It returns the form, and why it is that one, for the run's record. Errors that a form has
// nothing to do with, such as a server that is not there, are returned.
func Probe(ctx context.Context, model llm.Model, name string, sampling llm.Sampling, now func() time.Time) (form Form, reason string, calls []llm.Call, err error) {
	ask := func(form Form) (sim.Decision, error) {
		m, err := New(Config{Model: model, Name: name, Sampling: sampling, Form: form, Now: now})
		if err != nil {
			return sim.Decision{}, err
		}
		d, err := m.Agent(nil).act(ctx, probeView(), "probe")
		calls = append(calls, d.Calls...)
		return d, err
	}
	d, err := ask(JSON)
	for again := 0; again < 2 && err == nil && calls[len(calls)-1].Finish == llm.Cut; again++ {
		d, err = ask(JSON) // a connection that broke says nothing of the model
	}
	switch llm.FaultOf(err) {
	case llm.Unsupported:
		return Lines, fmt.Sprintf("the server does not take a JSON schema: %v", err), calls, nil
	case llm.BadRequest:
		if _, plain := ask(Lines); plain != nil {
			return "", "", calls, fmt.Errorf("probe %s: %w", name, plain)
		}
		return Lines, fmt.Sprintf("the server takes the request only without a JSON schema: %v", err), calls, nil
	}
	switch {
	case err != nil:
		return "", "", calls, fmt.Errorf("probe %s: %w", name, err)
	case d.Fault == FaultFiltered, d.Fault == FaultRefused, d.Fault == FaultOtherLanguage:
		// The form did not stand in the way, and lines would not help.
		return JSON, fmt.Sprintf("the probe was answered, though not with a move (%s)", d.Fault), calls, nil
	case d.Fault != "" && d.Fault != FaultTooLong && d.Fault != FaultUnknownAddressee:
		return Lines, fmt.Sprintf("the reply to a probe in JSON had the fault %q", d.Fault), calls, nil
	}
	text, _ := withoutReasoning(calls[len(calls)-1].Reply)
	if _, _, _, s := object(text, field); s != whole {
		return Lines, "the reply to a probe in JSON was a move, but not in JSON", calls, nil
	}
	return JSON, "a probe was answered in JSON", calls, nil
}

func probeView() *sim.View {
	self := &characters.Sheet{ID: "ada", Name: "Ada", Race: "Human", Class: "Ranger", Voice: "plain and short"}
	other := characters.Public{ID: "tom", Name: "Tom", Race: "Halfling", Class: "Rogue"}
	return &sim.View{
		Session: "probe", Seed: 1, Self: self, Player: true, Cast: []characters.Public{self.Public(), other},
		Kind: scenarios.Exchange, Title: "At the well", Premise: "Two travellers meet at a village well at noon.",
		NPC: "tom", Turn: 1, Turns: 2,
		Events: []*sim.Event{{Kind: sim.KindAct, Actor: "tom", Speech: "Good day! Where does this road lead?"}},
	}
}

// ContextNeed estimates, in tokens, the context that a game of so many turns needs with replies of at
// most maxTokens: a typical prompt without transcript, a line for every turn, which is rarely longer
// than 90 tokens, and room for the reply; in steps of 1,024. It is a guess. A prompt that turns out
// longer is too long, and the agent leaves out the oldest lines.
func ContextNeed(turns, maxTokens int) int {
	const fixed, label, usual, step = 1400, 10, 80, 1024
	if maxTokens <= 0 {
		maxTokens = llm.Sampling{}.Complete().MaxTokens
	}
	need := fixed + turns*(label+min(maxTokens, usual)) + max(maxTokens, leastAnswer)
	return (need + step - 1) / step * step
}
