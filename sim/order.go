package sim

import (
	"context"
	"slices"
	"strings"

	"parley/characters"
	"parley/sim/dice"
)

// Fixed moves in the order of the cast: the players, then the NPC.
type Fixed struct{}

// Next returns who moves next.
func (Fixed) Next(_ context.Context, ep *Episode) (characters.ID, error) {
	return ep.cast[ep.turn%len(ep.cast)].ID, nil
}

// Shuffled draws a new order every round.
type Shuffled struct{}

// Next returns who moves next.
func (Shuffled) Next(_ context.Context, ep *Episode) (characters.ID, error) {
	n := len(ep.cast)
	round := Rand(Mix(ep.Seed, HashText("shuffled"), uint64(ep.turn/n)))
	return ep.cast[round.Perm(n)[ep.turn%n]].ID, nil
}

// Initiative rolls a d20 with the Dexterity modifier for everybody once, and keeps that order. Of
// equal totals the higher Dexterity goes first, then the earlier in the cast.
type Initiative struct{}

// Start shows the rolls to everybody.
func (Initiative) Start(ep *Episode) []Event {
	rolls, order := initiative(ep)
	var events []Event
	for _, i := range order {
		events = append(events, rollEvent(ep.cast[i].ID, rolls[i]))
	}
	return events
}

// Next returns who moves next.
func (Initiative) Next(_ context.Context, ep *Episode) (characters.ID, error) {
	_, order := initiative(ep)
	return ep.cast[order[ep.turn%len(order)]].ID, nil
}

func initiative(ep *Episode) ([]dice.Roll, []int) {
	r := Rand(Mix(ep.Seed, HashText("initiative")))
	var rolls []dice.Roll
	var order []int
	for i, c := range ep.Scenario.Cast {
		rolls = append(rolls, dice.Check(r, "Initiative", modifier(c.Abilities.Dexterity), 0, dice.Straight))
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if d := rolls[b].Total - rolls[a].Total; d != 0 {
			return d
		}
		return rolls[b].Modifier - rolls[a].Modifier
	})
	return rolls, order
}

// modifier is the bonus that an ability score gives: half of what it is above 10, rounded down.
func modifier(score int) int { return (score - score&1 - 10) / 2 }

// Addressed lets whoever was spoken to last answer: the first one that the last move whispered to or
// called by name. Where nobody was, and before anybody is left out for more than two rounds, it is
// the one who has waited longest.
type Addressed struct{}

// Next returns who moves next.
func (Addressed) Next(_ context.Context, ep *Episode) (characters.ID, error) {
	waited := make(map[characters.ID]int, len(ep.cast)) // turn of the last move, 0 for none
	for _, m := range ep.moves {
		waited[m.Actor] = m.Turn
	}
	longest := 0
	for i, c := range ep.cast {
		if waited[c.ID] < waited[ep.cast[longest].ID] {
			longest = i
		}
	}
	next := ep.cast[longest].ID
	if len(ep.moves) == 0 || ep.turn-waited[next] > 2*len(ep.cast) {
		return next, nil
	}
	if to := addressee(ep, ep.moves[len(ep.moves)-1]); to != "" {
		return to, nil
	}
	return next, nil
}

// addressee returns whom a move is directed at, or "".
func addressee(ep *Episode, m *Event) characters.ID {
	for _, id := range m.Audience {
		if id != m.Actor {
			return id
		}
	}
	words := strings.FieldsFunc(strings.ToLower(m.Speech), func(r rune) bool {
		return strings.ContainsRune(" \t\n.,;:!?\"“”()*_", r)
	})
	for _, w := range words {
		for _, c := range ep.cast {
			first, _, _ := strings.Cut(strings.ToLower(c.Name), " ")
			if w == first && c.ID != m.Actor {
				return c.ID
			}
		}
	}
	return ""
}
