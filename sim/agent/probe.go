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
	m, err := New(Config{Model: model, Name: name, Sampling: sampling, Form: JSON, Now: now})
	if err != nil {
		return "", "", nil, err
	}
	d, err := m.Agent(nil).act(ctx, probeView(), "probe")
	switch fault := llm.FaultOf(err); {
	case fault == llm.Unsupported, fault == llm.BadRequest:
		return Lines, fmt.Sprintf("lines: the server does not take a JSON schema: %v", err), d.Calls, nil
	case err != nil:
		return "", "", d.Calls, fmt.Errorf("probe %s: %w", name, err)
	case d.Fault == FaultFiltered, d.Fault == FaultRefused, d.Fault == FaultOtherLanguage:
		// The form did not stand in the way, and lines would not help.
		return JSON, fmt.Sprintf("json: the probe was answered, though not with a move (%s)", d.Fault), d.Calls, nil
	case d.Fault != "" && d.Fault != FaultTooLong && d.Fault != FaultUnknownAddressee:
		return Lines, fmt.Sprintf("lines: the reply to a probe in JSON had the fault %q", d.Fault), d.Calls, nil
	}
	return JSON, "json: a probe was answered in JSON", d.Calls, nil
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
