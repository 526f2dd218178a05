package iep_test

import (
	"context"
	"net/url"
	"strconv"
	"testing"

	"parley/characters"
	"parley/eval/iep"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/reference"
	"parley/sim/simtest"
)

// measured is the mean over players and sessions of IEP, its controls, and the share really heard.
type measured struct{ iep, none, told, heard float64 }

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
	scorer := iep.Scorer{Judge: lexical(), Heard: true}
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
				t.Fatalf("%s of %s is unscored: %s", score.Metric, score.Subject, score.Reason)
			}
			switch {
			case score.Metric == iep.Heard:
				sum.heard += *score.Value
			case score.Control == sim.ControlNoConversation:
				sum.none += *score.Value
			case score.Control == sim.ControlTold:
				sum.told += *score.Value
			default:
				sum.iep += *score.Value
				n++
			}
		}
	}
	return measured{sum.iep / n, sum.none / n, sum.told / n, sum.heard / n}
}

// The reference actors are the yardstick: what they find out is known.
func TestCalibration(t *testing.T) {
	sessions := 200
	if testing.Short() {
		sessions = 40
	}
	last := -1.0
	for _, share := range []float64{0.25, 0.5, 0.75, 1} {
		m := calibrate(t, "diligent", share, sessions)
		t.Logf("diligent, share %.2f: iep %.1f, heard %.1f, no conversation %.1f, told %.1f", share, m.iep, m.heard, m.none, m.told)
		if m.iep <= last || m.iep < m.heard-8 || m.iep > m.heard+8 || m.none != 0 || m.told < 97 {
			t.Errorf("share %.2f: %+v after %.1f", share, m, last)
		}
		last = m.iep
	}
	if last < 95 {
		t.Errorf("with everything given out, diligent players find out %.1f", last)
	}
	for _, player := range []string{"silent", "small-talk"} {
		if m := calibrate(t, player, 1, sessions); m.iep > 2 || m.none != 0 || m.told < 97 {
			t.Errorf("%s: %+v", player, m)
		}
	}
	if loner := calibrate(t, "loner", 1, sessions); loner.iep >= last-20 {
		t.Errorf("loners find out %.1f, sharers %.1f", loner.iep, last)
	}
}
