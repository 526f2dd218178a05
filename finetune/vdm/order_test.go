package vdm_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/characters"
	"parley/eval/ieg"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/reference"
	"parley/sim/simtest"
)

// played cuts games of reference actors as the windows of real play are cut, or into stretches where there are none.
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
		if real == nil {
			xs = append(xs, ieg.FromEpisode(g.Episode, 0)...)
			continue
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

// stretches makes stretches of real play out of its windows, which end before a request for a check: no two share lines,
// each has the checks of all windows that end within it, and loses the lines that ask for these or give their totals.
func stretches(t *testing.T, windows []ieg.Interaction) (xs []ieg.Interaction) {
	const asked = 4 // lines from a request on
	turn := func(x *ieg.Interaction) int {
		n, err := strconv.Atoi(x.ID[strings.LastIndex(x.ID, ":")+1:])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	games := map[string][]ieg.Interaction{}
	for _, x := range windows {
		games[x.Group] = append(games[x.Group], x)
	}
	for _, group := range slices.Sorted(maps.Keys(games)) {
		game, first := games[group], math.MaxInt
		slices.SortFunc(game, func(a, b ieg.Interaction) int { return turn(&b) - turn(&a) })
		for i, x := range game {
			if turn(&x) > first {
				continue
			}
			first = turn(&x) - len(x.Lines)
			hidden := map[int]bool{}
			for k := i + 1; k < len(game) && turn(&game[k]) > first; k++ {
				for _, in := range game[k].Intentions {
					if !slices.Contains(x.Intentions, in) {
						x.Intentions = append(slices.Clip(x.Intentions), in)
					}
				}
				for n := range asked {
					hidden[turn(&game[k])+n-first] = true
				}
			}
			lines := x.Lines
			x.Lines = nil
			for k, l := range lines {
				if !hidden[k] {
					x.Lines = append(x.Lines, l)
				}
			}
			xs = append(xs, x)
		}
	}
	return xs
}

// byEpisode puts every other episode aside.
func byEpisode(windows []ieg.Interaction) (train, test []ieg.Interaction) {
	groups := map[string]int{}
	for _, x := range windows {
		if _, known := groups[x.Group]; !known {
			groups[x.Group] = len(groups)
		}
		if groups[x.Group]%2 == 0 {
			train = append(train, x)
		} else {
			test = append(test, x)
		}
	}
	return train, test
}
