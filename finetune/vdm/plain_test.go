//go:build !race

package vdm_test

import (
	"context"
	"fmt"
	"parley/eval"
	"parley/sim"
	"slices"
	"testing"
	"time"

	"parley/eval/ieg"
	"parley/finetune/vdm"
)

// The floors are those that the linear virtual DM has to hold on real play, as means over seeds.
func TestPublishedRealPlay(t *testing.T) {
	train, val, test := windows(t, "train"), windows(t, "val"), windows(t, "test")
	var bestC, bestO float64
	for _, b := range ieg.Baselines(train) {
		c, o := f(t, b, test)
		bestC, bestO = max(bestC, c), max(bestO, o)
		t.Logf("%-14s f_c %.2f f_o %.2f", b.Name(), c, o)
	}
	const seeds = 5
	for _, tuning := range []struct {
		name string
		val  []ieg.Interaction
	}{{"validation", val}, {"cross-validation", nil}} {
		var sumC, sumO float64
		for seed := range uint64(seeds) {
			start := time.Now()
			l, err := vdm.Train(context.Background(), vdm.Config{Seed: seed}, train, tuning.val)
			if err != nil {
				t.Fatal(err)
			}
			took := time.Since(start)
			c, o := f(t, l, test)
			vc, vo := f(t, l, val)
			sumC, sumO = sumC+c/seeds, sumO+o/seeds
			beside, alone, second := l.Thresholds()
			t.Logf("%s seed %d: test f_c %.2f f_o %.2f, val f_c %.2f f_o %.2f, thresholds %.3f %.2f %.2f, %v", tuning.name, seed, c, o, vc, vo, beside, alone, second, took)
		}
		t.Logf("%s: test f_c %.2f f_o %.2f", tuning.name, sumC, sumO)
		if said := fmt.Sprintf("it reaches f_c %.1f and f_o %.1f over 5 seeds; last speaker plus most common skill reaches %.1f and %.1f", sumC, sumO, bestC, bestO); tuning.val != nil {
			published(t, said)
		}
		if sumO < 33 || sumC < 76 || sumO < bestO+8 || sumC < bestC {
			t.Errorf("%s: f_c %.2f and f_o %.2f are below what was reached before, or too near the baselines' %.2f and %.2f", tuning.name, sumC, sumO, bestC, bestO)
		}
	}
}

// trainLinear trains a linear virtual DM.
func trainLinear(ctx context.Context, train, val []ieg.Interaction, seed uint64) (ieg.Predictor, error) {
	return vdm.Train(ctx, vdm.Config{Seed: seed}, train, val)
}

// order runs a study of vivid, vague and small-talk play, of vivid play in which all say "Hm.", and of others. It fails
// where the words of vivid play do not teach more than those of vague play, these more than small talk, each by more
// than their intervals, or where "Hm." teaches anything, whatever its labels. It returns what finds a result.
func order(t *testing.T, train, test []ieg.Interaction, stretches bool, play func(player string) []ieg.Interaction, others ...string) func(metric, arm, control string) *eval.Result {
	vivid, r := play("vivid"), sim.Rand(9)
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
		Train: trainLinear, RealTrain: train, RealTest: test, Seed: 1, Workers: 2, Seeds: 3, Stretches: stretches,
		Generated: []ieg.Source{{Name: "vivid", Interactions: vivid}, {Name: "hm", Interactions: hummed(vivid, nil)}, {Name: "hm, relabelled", Interactions: hummed(vivid, frequent)}},
	}
	for _, player := range append([]string{"vague", "small-talk"}, others...) {
		s.Generated = append(s.Generated, ieg.Source{Name: player, Interactions: play(player)})
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
	return find
}

// Real play is that of CRD3, every other episode to learn from and the rest to be tested on. The table is in the README.
func TestPublishedOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains some fifty virtual DMs")
	}
	train, test := byEpisode(ieg.Trim(slices.Concat(windows(t, "train"), windows(t, "val"), windows(t, "test")), ieg.MoveLines))
	find := order(t, train, test, false, func(player string) []ieg.Interaction { return played(t, player, 400, train) }, "blunt")
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
}

// Stretches of play have several intentions each, and those of reference actors other numbers of them than real ones.
func TestPublishedOrderOfStretches(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains some fifty virtual DMs")
	}
	train, test := byEpisode(stretches(t, slices.Concat(windows(t, "train"), windows(t, "val"), windows(t, "test"))))
	find := order(t, train, test, true, func(player string) []ieg.Interaction { return played(t, player, 2500, nil) })
	text := ""
	for _, arm := range []string{"real", "vivid", "vague", "small-talk", "hm"} {
		r := find("words_o", arm, "")
		text += fmt.Sprintf(", %s %.1f (%.1f to %.1f)", arm, *r.Value, *r.Low, *r.High)
	}
	published(t, text[2:])
}
