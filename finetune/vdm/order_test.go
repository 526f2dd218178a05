package vdm_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"parley/characters"
	"parley/eval"
	"parley/eval/ieg"
	"parley/finetune/vdm"
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

// The planted order: the words of vivid play teach a virtual DM of real play more than those of vague play, these
// more than small talk, and "Hm." teaches nothing, whatever its labels. Real play is that of CRD3, every other
// episode to learn from and the rest to be tested on. The table is in the README.
func TestPublishedOrder(t *testing.T) {
	if raced || testing.Short() {
		t.Skip("it trains some fifty virtual DMs")
	}
	var train, test []ieg.Interaction
	groups := map[string]int{}
	for _, x := range ieg.Trim(slices.Concat(windows(t, "train"), windows(t, "val"), windows(t, "test")), ieg.MoveLines) {
		if _, known := groups[x.Group]; !known {
			groups[x.Group] = len(groups)
		}
		if groups[x.Group]%2 == 0 {
			train = append(train, x)
		} else {
			test = append(test, x)
		}
	}
	vivid := played(t, "vivid", sessions, train)
	r := sim.Rand(9)
	frequent := func(i int) []ieg.Intention {
		who := ""
		for _, l := range vivid[i].Lines {
			if slices.Contains(vivid[i].Cast, l.Speaker) {
				who = l.Speaker
			}
		}
		x := train[r.IntN(len(train))]
		return []ieg.Intention{{Character: who, Skill: x.Intentions[0].Skill}}
	}
	s := ieg.Study{
		Train: func(ctx context.Context, train, val []ieg.Interaction, seed uint64) (ieg.Predictor, error) {
			return vdm.Train(ctx, vdm.Config{Seed: seed}, train, val)
		},
		RealTrain: train, RealTest: test, Seed: 1, Workers: 2, Seeds: 3,
		Generated: []ieg.Source{
			{Name: "vivid", Interactions: vivid}, {Name: "vague", Interactions: played(t, "vague", sessions, train)},
			{Name: "small-talk", Interactions: played(t, "small-talk", sessions, train)}, {Name: "blunt", Interactions: played(t, "blunt", sessions, train)},
			{Name: "hm", Interactions: hummed(vivid, nil)}, {Name: "hm, relabelled", Interactions: hummed(vivid, frequent)},
		},
	}
	report, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	results := report.Results(ieg.Bootstrap{Seed: 1})
	find := func(metric, arm, control string) *eval.Result {
		i := slices.IndexFunc(results, func(r eval.Result) bool { return r.Metric == metric && r.Arm == arm && r.Control == control })
		if i < 0 || results[i].Value == nil || results[i].Low == nil {
			t.Fatalf("%s of %s (%s) has no value or no interval: %+v", metric, arm, control, results)
		}
		return &results[i]
	}
	for _, row := range [][3]string{
		{"real play", "real", ""}, {"reference `vivid`, acts out what it wants", "vivid", ""}, {"reference `vague`", "vague", ""},
		{"reference `blunt`, names the skill outright", "blunt", ""}, {"reference `small-talk`", "small-talk", ""},
		{"`vivid` with \"Hm.\" for all that is said", "hm", ""}, {"the same, the last speaker tries what real people do", "hm, relabelled", ""},
		{"real play, skills shuffled", "real", ieg.Shuffled}, {"one half of real play against the other", "real", ieg.NoiseFloor},
	} {
		line := "| " + row[0]
		for _, metric := range []string{"words_o", "f_o", "G_o"} {
			switch {
			case metric == "words_o" && row[2] != "", metric == "f_o" && row[2] == ieg.NoiseFloor, metric == "G_o" && row[0] == "real play":
				line += " | "
			default:
				r := find(metric, row[1], row[2])
				line += fmt.Sprintf(" | %.1f (%.1f to %.1f)", *r.Value, *r.Low, *r.High)
			}
		}
		published(t, line+" |")
	}
	for _, order := range [][2]string{{"vivid", "vague"}, {"vague", "small-talk"}, {"vague", "hm"}, {"vague", "hm, relabelled"}} {
		more, less := find("words_o", order[0], ""), find("words_o", order[1], "")
		if *more.Low <= *less.High {
			t.Errorf("words of %s add %.1f (from %.1f), those of %s %.1f (to %.1f)", order[0], *more.Value, *more.Low, order[1], *less.Value, *less.High)
		}
	}
	for _, hm := range []string{"hm", "hm, relabelled"} {
		if r := find("words_o", hm, ""); *r.Low > 1 || *r.High > 5 {
			t.Errorf("%s teaches by its words: %.1f (%.1f to %.1f)", hm, *r.Value, *r.Low, *r.High)
		}
	}
}

// sessions of reference actors in each source.
const sessions = 400
