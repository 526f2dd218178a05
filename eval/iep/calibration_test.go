//go:build !race

package iep_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"testing"

	"parley/characters"
	"parley/eval"
	"parley/eval/iep"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/reference"
	"parley/sim/simtest"
)

// measured is the mean over players and sessions of IEP, its controls, what was heard by the judge, what
// the journal knows to have been given, and how many players are flagged.
type measured struct{ iep, none, told, heard, given, flagged float64 }

// calibrate plays sessions of three reference players and a reference NPC.
func calibrate(t *testing.T, player string, share float64, sessions int) measured {
	t.Helper()
	p, err := reference.Open(player, nil)
	if err != nil {
		t.Fatal(err)
	}
	npc, err := reference.Open("npc", url.Values{"share": {strconv.FormatFloat(share, 'g', -1, 64)}})
	if err != nil {
		t.Fatal(err)
	}
	scorer := iep.Scorer{Judge: lexical()}
	shelf := scenarios.Library().Knowledge
	var sum measured
	n := 0.0
	for i := range sessions {
		cast := characters.Generate(sim.Rand(uint64(i)), 4)
		s := scenarios.NewExchange(&shelf[i%len(shelf)], cast)
		g := sim.Game{
			Episode: sim.NewEpisode("s", uint64(i), s, 30), Actors: simtest.Everybody(s, p), Now: simtest.Clock(),
			Control: []string{sim.ControlNoConversation, sim.ControlTold}, Endings: []sim.Ending{sim.AllPass()},
		}
		g.Actors[s.NPC] = npc
		for _, err := range g.Play(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
		}
		scores, _, err := scorer.Score(context.Background(), g.Episode)
		if err != nil {
			t.Fatal(err)
		}
		for _, score := range scores {
			if score.Value == nil {
				if score.Status != eval.NotApplicable {
					t.Fatalf("%s of %s is unscored: %s", score.Metric, score.Subject, score.Reason)
				}
				continue
			}
			switch {
			case score.Metric == iep.Heard && score.Control == "":
				sum.heard += *score.Value
			case score.Metric != iep.Metric:
			case score.Control == sim.ControlNoConversation:
				sum.none += *score.Value
			case score.Control == sim.ControlTold:
				sum.told += *score.Value
			default:
				sum.iep += *score.Value
				if score.Reason != "" {
					sum.flagged++
				}
				n++
			}
		}
		for _, c := range s.Players() {
			given := 0.0
			for _, h := range g.Episode.Heard(c.ID) {
				if h {
					given++
				}
			}
			sum.given += 100 * given / float64(len(s.Knowledge.Facts))
		}
	}
	return measured{sum.iep / n, sum.none / n, sum.told / n, sum.heard / n, sum.given / n, 100 * sum.flagged / n}
}

// The reference actors are the yardstick: what they find out is known. The table is in the README.
func TestPublishedCalibration(t *testing.T) {
	sessions := 100
	if testing.Short() {
		sessions = 20
	}
	names := map[string]string{"loner": "loner (asks in whispers, shares nothing)"}
	print := func(player string, share float64, m measured) {
		gives := "all"
		if share < 1 {
			gives = fmt.Sprintf("%.0f %%", 100*share)
		}
		if sessions == 100 {
			published(t, fmt.Sprintf("| %s | %s | %.1f | %.1f | %.1f | %.0f | %.0f |", cmp.Or(names[player], player), gives, m.iep, m.given, m.heard, m.none, m.told))
		}
	}
	last := -1.0
	for _, share := range []float64{0.25, 0.5, 0.75, 1} {
		m := calibrate(t, "diligent", share, sessions)
		print("diligent", share, m)
		if m.iep <= last || math.Abs(m.iep-m.given) > 2 || math.Abs(m.heard-m.given) > 2 || m.none != 0 || m.told < 98 || m.flagged > 1 {
			t.Errorf("share %.2f: %+v after %.1f", share, m, last)
		}
		last = m.iep
	}
	if last < 98 {
		t.Errorf("with everything given out, diligent players find out %.1f", last)
	}
	for _, player := range []string{"silent", "small-talk"} {
		m := calibrate(t, player, 1, sessions)
		print(player, 1, m)
		if m.iep > 1 || m.none != 0 || m.told < 98 || m.flagged > 0 {
			t.Errorf("%s: %+v", player, m)
		}
	}
	loner := calibrate(t, "loner", 1, sessions)
	print("loner", 1, loner)
	if loner.iep >= last-20 || math.Abs(loner.iep-loner.given) > 2 || loner.flagged > 1 {
		t.Errorf("loners find out %+v, sharers %.1f", loner, last)
	}
}
