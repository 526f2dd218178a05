package agent

import (
	"parley/scenarios"
	"parley/sim"
	"parley/sim/llm"
)

// Need is what decides on how long the prompts of a game become.
type Need struct {
	Style              // with an empty Form: the longer one
	Turns     int      // of the game
	MaxTokens int      // of the longest reply; 0: the default of a sampling
	Control   []string // debriefs besides the real one
	Referee   bool     // the model referees, too
}

// Context estimates, in tokens, the context that every prompt in one of the scenarios fits into: the
// longest one without transcript, a line for every turn, which is rarely longer than 90 tokens, and
// room for the reply; in steps of 1,024. Where the lines turn out longer, the agent leaves out the
// oldest.
func (n Need) Context(in ...*scenarios.Scenario) (int, error) {
	const label, usual, step = 10, 80, 1024
	longest := n.MaxTokens
	if longest <= 0 {
		longest = llm.Sampling{}.Complete().MaxTokens
	}
	forms := []Form{n.Form}
	if n.Form == "" {
		forms = []Form{JSON, Lines}
	}
	fixed := 0
	for _, s := range in {
		for _, form := range forms {
			style := n.Style
			style.Form = form
			tokens, err := n.fixed(style, s)
			if err != nil {
				return 0, err
			}
			fixed = max(fixed, tokens)
		}
	}
	fixed += fixed / 5 // the margin of the estimate
	need := fixed + n.Turns*(label+min(longest, usual)) + max(longest, leastAnswer)
	return (need + step - 1) / step * step, nil
}

// fixed is how many tokens the longest prompt has before the play begins.
func (n Need) fixed(style Style, s *scenarios.Scenario) (tokens int, err error) {
	scribe, err := NewScribe(style)
	if err != nil {
		return 0, err
	}
	ep := sim.NewEpisode("need", 1, s, n.Turns)
	for _, c := range s.Cast {
		v := ep.View(c.ID, 1)
		a, err := scribe.seat(v)
		if err != nil {
			return 0, err
		}
		tokens = max(tokens, llm.EstimatePrompt(a.prompt(0, a.turn)))
		if !v.Player || len(s.Questions) == 0 {
			continue
		}
		for _, control := range append([]string{""}, n.Control...) {
			v.Control = control
			if control == sim.ControlTold {
				v.Knowledge = s.Knowledge
			}
			question, err := a.question(scribe.factory, v, s.Questions)
			if err != nil {
				return 0, err
			}
			tokens = max(tokens, llm.EstimatePrompt(a.prompt(0, question)))
		}
	}
	if n.Referee {
		a, question, err := (&DM{factory: scribe.factory}).seat(ep, &sim.Event{Actor: s.Cast[0].ID})
		if err != nil {
			return 0, err
		}
		tokens = max(tokens, llm.EstimatePrompt(a.prompt(0, question)))
	}
	return tokens, nil
}
