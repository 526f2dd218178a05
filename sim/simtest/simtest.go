// Package simtest holds small real parts for tests of play: casts, situations, and actors that do
// what they are told. Shipped code does not import it.
package simtest

import (
	"context"
	"fmt"
	"time"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
)

// Cast returns n characters with plain names and one secret each; the last one is meant to be the NPC.
func Cast(n int) []*characters.Sheet {
	names := []string{"Ada Brook", "Bela Corso", "Cato Dunne", "Dara Elm", "Egon Frey", "Fia Grove"}
	var cast []*characters.Sheet
	for i := range n {
		name := names[i%len(names)]
		cast = append(cast, &characters.Sheet{
			ID: characters.ID(fmt.Sprintf("%c", 'a'+i)), Name: name, Race: "Human", Class: "Fighter", Level: 3,
			Abilities: characters.Abilities{Strength: 15, Dexterity: 8 + 2*i, Constitution: 14, Intelligence: 13, Wisdom: 12, Charisma: 10},
			Secrets:   []string{fmt.Sprintf("secret-%c-4711", 'a'+i)},
		})
	}
	return cast
}

// Exchange returns a situation in which the last of n characters knows three facts.
func Exchange(n int) *scenarios.Scenario {
	k := &scenarios.Knowledge{
		ID: "bell", Title: "the Ashen Bell", Hook: "There is talk of the Ashen Bell.",
		Text: "The Ashen Bell hangs under the lake. It was cast by Orla Venn. It rings before a flood.",
		Facts: []scenarios.Fact{
			{Text: "The Ashen Bell hangs in a drowned chapel under the northern lake.", Aspect: scenarios.Place},
			{Text: "The Ashen Bell was cast by the smith Orla Venn from stolen coins.", Aspect: scenarios.Origin},
			{Text: "The Ashen Bell rings by itself three nights before a flood.", Aspect: scenarios.Power},
		},
	}
	return scenarios.NewExchange(k, Cast(n))
}

// Actor is a function that plays and has nothing to say in a debrief.
type Actor func(v *sim.View) (sim.Decision, error)

// Act calls the function.
func (a Actor) Act(ctx context.Context, v *sim.View) (sim.Decision, error) {
	if err := ctx.Err(); err != nil {
		return sim.Decision{}, err
	}
	return a(v)
}

// Debrief says how much was perceived.
func (a Actor) Debrief(_ context.Context, v *sim.View, questions []string) (sim.Answer, error) {
	return sim.Answer{Text: fmt.Sprintf("%s perceived %d events", v.Self.ID, len(v.Events))}, nil
}

// Everybody seats one actor in every chair.
func Everybody(s *scenarios.Scenario, a sim.Actor) map[characters.ID]sim.Actor {
	seats := map[characters.ID]sim.Actor{}
	for _, c := range s.Cast {
		seats[c.ID] = a
	}
	return seats
}

// Clock returns a clock that moves a second at every look.
func Clock() func() time.Time {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}
