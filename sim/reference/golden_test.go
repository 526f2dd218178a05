package reference_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/reference"
	"parley/sim/simtest"
)

// TestGamesAreTheSameInEveryRelease compares 300 games of reference actors with those of the first
// release, as published results name them by a seed.
func TestGamesAreTheSameInEveryRelease(t *testing.T) {
	const want = "7c1c8fcce58d8830c89ff30f544b37ef85bb4f3a3cb1340dc888d5def0d3dd4a"
	sum := sha256.New()
	encode := json.NewEncoder(sum)
	players := []string{"diligent", "loner", "vivid", "blunt", "vague", "small-talk"}
	for seed := range uint64(300) {
		r := sim.Rand(seed)
		kind := scenarios.Kinds()[seed%2]
		library := kind.Library()
		s := library[r.IntN(len(library))].Scenario(characters.Generate(r, 4), r)
		g := sim.Game{Episode: sim.NewEpisode("s", seed, s, 24), Actors: map[characters.ID]sim.Actor{}, Now: simtest.Clock(),
			Referee: sim.Dice{}, Order: sim.Addressed{}, Control: []string{sim.ControlTold}}
		for i, c := range s.Cast {
			name := players[(int(seed)+i)%len(players)]
			if c.ID == s.NPC && seed%3 > 0 {
				name = "npc"
			}
			actor, err := reference.Open(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			g.Actors[c.ID] = actor
		}
		for turn, err := range g.Play(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range turn.Events {
				if err := encode.Encode(&turn.Events[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil)); got != want {
		t.Errorf("the games have the hash %s, want %s", got, want)
	}
}
