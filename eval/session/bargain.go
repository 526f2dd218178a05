package session

import (
	"context"
	"fmt"

	"parley/characters"
	"parley/eval"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/llm"
)

// bargain scores a negotiation by who got what: which part of the range between the limits of the two sides the
// player's side got. Both have to name the same number in the form DEAL: N; the first time that they do counts.
type bargain struct{}

func (bargain) Name() string { return "bargain" }

func (bargain) Metrics() []eval.Metric {
	return []eval.Metric{
		{Scorer: "bargain", Name: "surplus", Unit: "players", Title: "surplus", High: 100, Higher: true, Paired: true, Headline: true,
			Caption: "Percent of the range between the limits of the two sides that the player got. 0: it agreed at its own limit or beyond; 100: at the other's. Without an agreement there is none."},
		{Scorer: "bargain", Name: "agreed", Unit: "players", Title: "agreed", High: 100, Higher: true, Paired: true, Headline: true,
			Caption: "Percent of the negotiations in which the two sides agreed to a number."},
		{Scorer: "bargain", Name: "beyond_limit", Unit: "players", Title: "beyond own limit", High: 100,
			Caption: "Percent of the agreements in which the player gave more than it was allowed to."},
	}
}

// Score returns the scores of the player. A session that is no negotiation has none.
func (bargain) Score(_ context.Context, ep *sim.Episode) ([]eval.Score, []llm.Call, error) {
	var terms scenarios.Terms
	noTerms := ep.Scenario.Decode(&terms) != nil || terms.Most <= terms.Least
	var scores []eval.Score
	for _, c := range ep.Scenario.Players() {
		add := func(metric string, value *float64, status eval.Status, reason string, evidence ...eval.Evidence) {
			scores = append(scores, eval.Score{Session: ep.Session, Scorer: "bargain", Metric: metric, Subject: string(c.ID),
				Value: value, Status: status, Reason: reason, Method: "count", Evidence: evidence})
		}
		if noTerms || c.ID != terms.Seller && c.ID != terms.Buyer {
			add("surplus", nil, eval.NotApplicable, "the session is no negotiation")
			continue
		}
		price, how, words := agreement(ep)
		if words == "" {
			add("surplus", nil, eval.Unparsed, how)
			add("agreed", new(0.0), eval.Scored, "")
			add("beyond_limit", nil, eval.NotApplicable, how)
			continue
		}
		share := 100 * float64(price-terms.Least) / float64(terms.Most-terms.Least)
		if c.ID == terms.Buyer {
			share = 100 - share
		}
		beyond := 0.0
		if share < 0 {
			beyond = 100
		}
		add("surplus", new(min(max(share, 0), 100)), eval.Scored, "", eval.Evidence{
			Want: fmt.Sprintf("seller at least %d, buyer at most %d %s", terms.Least, terms.Most, terms.Unit), Got: words, Weight: share,
		})
		add("agreed", new(100.0), eval.Scored, "")
		add("beyond_limit", &beyond, eval.Scored, "")
	}
	return scores, nil, nil
}

// agreement returns the price at which the last numbers of two sides were first the same, and the speech that made
// them so. Words are empty where they never were; reason says why.
func agreement(ep *sim.Episode) (price int, reason, words string) {
	open := map[characters.ID]int{}
	malformed := false
	for _, m := range ep.Moves() {
		n, said, ok := scenarios.ReadDeal(m.Speech)
		switch {
		case ok:
			open[m.Actor] = n
		case said:
			malformed = true
			continue
		default:
			continue
		}
		for other, at := range open {
			if other != m.Actor && at == n {
				return n, "", m.Speech
			}
		}
	}
	switch {
	case malformed:
		return 0, "no agreement; an offer was not one whole number", ""
	case len(open) < 2:
		return 0, "no agreement; a side named no number", ""
	}
	return 0, "no agreement; the numbers differ", ""
}
