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
	case d.Fault == FaultFiltered, d.Fault == FaultRefusal, d.Fault == FaultOtherLanguage:
		// The form was no obstacle, and lines would not help.
		return JSON, fmt.Sprintf("the probe was answered, though not with a move (%s)", d.Fault), calls, nil
	}
	v := probeView()
	if m := Parse(calls[len(calls)-1].Reply, v.Self.ID, v.Cast); m.Form != JSON || d.Fault == FaultCutOff || d.Fault == FaultMalformed {
		if d.Fault != "" {
			return Lines, fmt.Sprintf("the reply to a probe in JSON had the fault %q", d.Fault), calls, nil
		}
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
