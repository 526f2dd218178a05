package reference

import (
	"context"
	"math"
	"strconv"

	"parley/scenarios"
	"parley/sim"
)

// trader bargains for a price. It opens with twice its limit where it sells and half of it where it buys, and goes by
// the share yield of the way that is left towards its limit at each further offer, never beyond. It takes an open
// offer that is at least as good as what it would name next. Where nothing is to be bargained for, it makes small talk.
type trader struct{ yield float64 }

// Act names the next price, or agrees to the other's. With a bargain made, it passes.
func (t trader) Act(_ context.Context, v *sim.View) (sim.Decision, error) {
	r := sim.Rand(v.Seed)
	sells, limit, ok := scenarios.ReadLimit(v.Brief)
	if !ok {
		return chat(r), nil
	}
	offers, mine, theirs := 0, -1, -1
	for _, e := range v.Events {
		price, _, ok := scenarios.ReadDeal(e.Speech)
		switch {
		case !ok:
		case e.Actor == v.Self.ID:
			offers, mine = offers+1, price
		default:
			theirs = price
		}
		if mine >= 0 && mine == theirs {
			return sim.Decision{}, nil
		}
	}
	next := t.price(sells, limit, offers)
	if theirs >= 0 && (sells && theirs >= next || !sells && theirs <= next) {
		return sim.Decision{Speech: pick(r, texts().Accepts) + " DEAL: " + strconv.Itoa(theirs)}, nil
	}
	return sim.Decision{Speech: pick(r, texts().Offers) + " DEAL: " + strconv.Itoa(next)}, nil
}

// price returns the offer after so many: opening + (limit - opening) (1 - (1 - yield)^offers), rounded to the
// trader's own advantage.
func (t trader) price(sells bool, limit, offers int) int {
	opening, round := float64(limit)/2, math.Floor
	if sells {
		opening, round = 2*float64(limit), math.Ceil
	}
	return int(round(float64(limit) + (opening-float64(limit))*math.Pow(1-t.yield, float64(offers))))
}

// Debrief says that there was nothing; a negotiation has no questions.
func (t trader) Debrief(_ context.Context, v *sim.View, _ []string) (sim.Answer, error) {
	return nothing(v), nil
}
