package reference_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/url"
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

// The answers of an NPC to two questions at once, of which it refuses some, are the same in every release, too.
func TestAnswersAreTheSameInEveryRelease(t *testing.T) {
	const want = "bc6d493d816264babf28b3337b1756315f311a1db4886adb783db223f5b2fec5"
	sum := sha256.New()
	npc, err := reference.Open("npc", url.Values{"share": {"0.6"}})
	if err != nil {
		t.Fatal(err)
	}
	s := simtest.Exchange(2)
	for seed := range uint64(300) {
		v := sim.NewEpisode("s", seed, s, 9).View("b", 2)
		v.Events = []*sim.Event{{Kind: sim.KindAct, Actor: "a", Speech: "Where is it? And who made it?"}}
		d, err := npc.Act(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(sum, "%q %q %d\n", d.Speech, d.Deed, d.Facts)
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil)); got != want {
		t.Errorf("the answers have the hash %s, want %s", got, want)
	}
}
