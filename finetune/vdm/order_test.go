package vdm_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"parley/characters"
	"parley/eval/ieg"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/reference"
	"parley/sim/simtest"
)

// played cuts games of reference actors as the windows of real play are cut.
func played(t *testing.T, player string, sessions int, real []ieg.Interaction) (xs []ieg.Interaction) {
	t.Helper()
	p, err := reference.Open(player, nil)
	if err != nil {
		t.Fatal(err)
	}
	npc, err := reference.Open("small-talk", nil)
	if err != nil {
		t.Fatal(err)
	}
	scenes := scenarios.Expression.Library()
	for i := range sessions {
		r := sim.Rand(uint64(i))
		s := scenes[i%len(scenes)].(*scenarios.Scene)
		scenario := scenarios.NewExpression(s, characters.Generate(r, 4), r)
		g := sim.Game{
			Episode: sim.NewEpisode(fmt.Sprintf("%s-%d", player, i), uint64(i), scenario, 30), Actors: simtest.Everybody(scenario, p),
			Now: simtest.Clock(), Endings: []sim.Ending{sim.AllPass()},
		}
		g.Actors[scenario.NPC] = npc
		for _, err := range g.Play(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, game := range ieg.FromEpisode(g.Episode, math.MaxInt) {
			xs = append(xs, ieg.AtMoves(&game, real, 0)...)
		}
	}
	return xs
}

// hummed puts "Hm." in place of all that is said, and other labels where relabel says so.
func hummed(xs []ieg.Interaction, relabel func(i int) []ieg.Intention) []ieg.Interaction {
	out := slices.Clone(xs)
	for i := range out {
		out[i].Lines = slices.Clone(out[i].Lines)
		for k := range out[i].Lines {
			out[i].Lines[k].Text = "Hm."
		}
		if relabel != nil {
			out[i].Intentions = relabel(i)
		}
	}
	return out
}

// sessions of reference actors in each source.
const sessions = 400
