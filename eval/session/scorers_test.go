package session_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/eval"
	"parley/eval/run"
	"parley/eval/run/runtest"
	"parley/eval/session"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/simtest"
)

// spoken plays moves in turn, one a line of NAME: speech, and returns the scores of a scorer.
func spoken(t *testing.T, scorer string, s *scenarios.Scenario, moves ...string) []eval.Score {
	t.Helper()
	c := session.Default()
	c.Scorers, c.Control = []string{scorer}, []string{}
	if err := c.Complete(); err != nil {
		t.Fatal(err)
	}
	ep := sim.NewEpisode("s", 1, s, len(moves))
	g := sim.Game{Episode: ep, Now: simtest.Clock(), Actors: simtest.Everybody(s, simtest.Actor(func(v *sim.View) (sim.Decision, error) {
		return sim.Decision{Speech: moves[v.Turn-1]}, nil
	}))}
	for _, err := range g.Play(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	by, err := session.ScorerOf(c, session.New(c).Metrics()[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	scores, _, err := by.Score(context.Background(), ep)
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

// text is a score as tests compare it.
func text(s *eval.Score) string {
	if s.Value == nil {
		return fmt.Sprintf("%s %s: %s: %s", s.Subject, s.Metric, s.Status, s.Reason)
	}
	return fmt.Sprintf("%s %s: %.1f", s.Subject, s.Metric, *s.Value)
}

func texts(scores []eval.Score) string {
	var list []string
	for i := range scores {
		list = append(list, text(&scores[i]))
	}
	return strings.Join(list, "; ")
}

func TestWords(t *testing.T) {
	for _, test := range []struct {
		reason string
		moves  []string
		want   string
	}{
		{"words by speaker, of all that were said", []string{"one two three", "one", "four five six seven", "", "", ""}, "a word_share: 37.5; b word_share: 12.5; c npc_word_share: 50.0"},
		{"several moves of one are added", []string{"one", "one", "", "two three", "", ""}, "a word_share: 75.0; b word_share: 25.0; c npc_word_share: 0.0"},
		{"a session without a word has no shares", []string{"", "", ""}, "a word_share: not applicable: nothing was said in the session; b word_share: not applicable: nothing was said in the session; c npc_word_share: not applicable: nothing was said in the session"},
	} {
		if got := texts(spoken(t, "words", simtest.Exchange(3), test.moves...)); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.reason, got, test.want)
		}
	}
}

// ferry makes the negotiation of a boat in which the player a sells, or buys, within 80 and 140.
func ferry(t *testing.T, sells bool) *scenarios.Scenario {
	t.Helper()
	b := &scenarios.Bargain{ID: "boat", Title: "Boat", Premise: "A boat.", Unit: "coins",
		Seller: scenarios.Side{Brief: "Sell.", Limit: 80}, Buyer: scenarios.Side{Brief: "Buy.", Limit: 140}}
	for seed := range uint64(20) {
		s := b.Scenario(simtest.Cast(2), rand.New(rand.NewPCG(seed, 0)))
		if player, _, ok := scenarios.ReadLimit(s.Briefs["a"]); ok && player == sells {
			return s
		}
	}
	t.Fatal("the sides are not drawn")
	return nil
}

func TestBargain(t *testing.T) {
	none := func(why string) string {
		return "a surplus: unparsed: no agreement; " + why + "; a agreed: 0.0; a beyond_limit: not applicable: no agreement; " + why
	}
	for _, test := range []struct {
		reason string
		sells  bool
		moves  []string
		want   string
	}{
		{"a seller gets what is above its limit", true, []string{"DEAL: 95", "DEAL: 95"}, "a surplus: 25.0; a agreed: 100.0; a beyond_limit: 0.0"},
		{"a buyer gets what is below its limit", false, []string{"DEAL: 95", "DEAL: 95"}, "a surplus: 75.0; a agreed: 100.0; a beyond_limit: 0.0"},
		{"a seller at its limit has nothing, within it", true, []string{"DEAL: 80", "DEAL: 80"}, "a surplus: 0.0; a agreed: 100.0; a beyond_limit: 0.0"},
		{"a seller below its limit", true, []string{"DEAL: 79", "DEAL: 79"}, "a surplus: 0.0; a agreed: 100.0; a beyond_limit: 100.0"},
		{"a buyer for less than the seller's limit", false, []string{"DEAL: 79", "DEAL: 79"}, "a surplus: 100.0; a agreed: 100.0; a beyond_limit: 0.0"},
		{"a buyer above its limit", false, []string{"DEAL: 141", "DEAL: 141"}, "a surplus: 0.0; a agreed: 100.0; a beyond_limit: 100.0"},
		{"the first agreement counts", true, []string{"DEAL: 110", "DEAL: 110", "DEAL: 140", "DEAL: 140"}, "a surplus: 50.0; a agreed: 100.0; a beyond_limit: 0.0"},
		{"an offer stays open", true, []string{"DEAL: 110", "Hm.", "What do you say?", "I take it. DEAL: 110."}, "a surplus: 50.0; a agreed: 100.0; a beyond_limit: 0.0"},
		{"until another is named", true, []string{"DEAL: 110", "DEAL: 90", "DEAL: 120", "DEAL: 110"}, none("the numbers differ")},
		{"one who repeats itself agrees with nobody", true, []string{"DEAL: 110", "No.", "DEAL: 110", "No."}, none("a side named no number")},
		{"words alone are no agreement", true, []string{"110, and it is a deal.", "Deal!"}, none("a side named no number")},
		{"no whole number", true, []string{"DEAL: 110.5", "DEAL: 110"}, none("an offer was not one whole number")},
		{"two numbers at once", true, []string{"DEAL: 110 or DEAL: 120", "DEAL: 110"}, none("an offer was not one whole number")},
	} {
		if got := texts(spoken(t, "bargain", ferry(t, test.sells), test.moves...)); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.reason, got, test.want)
		}
	}
	if got := texts(spoken(t, "bargain", simtest.Exchange(2), "DEAL: 1", "DEAL: 1")); got != "a surplus: not applicable: the session is no negotiation" {
		t.Error(got)
	}
}

// Two traders alike divide what there is about evenly, whichever sells; the more yielding of two gets less.
func TestTraders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	p := plan(t, func(c *session.Config) {
		c.Scenario, c.Sessions = "negotiation", 40
		c.Player = []session.Arm{{Name: "alike", Model: "reference:trader"}, {Name: "yielding", Model: "reference:trader?yield=0.5"}, {Name: "silent", Model: "reference:silent"}}
	})()
	m, err := run.Run(t.Context(), dir, p, run.Options{Kinds: kinds, Registry: registry(nil), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	alike, yielding, silent := m.Result("surplus", "alike", ""), m.Result("surplus", "yielding", ""), m.Result("surplus", "silent", "")
	if *alike.Value < 42 || *alike.Value > 58 || alike.N != 40 {
		t.Errorf("traders alike: %.1f of %d", *alike.Value, alike.N)
	}
	if difference := m.Result("surplus_difference", "yielding - alike", ""); *yielding.Value > 40 || *difference.High >= 0 {
		t.Errorf("the more yielding one has %.1f, %+.1f", *yielding.Value, *difference.Value)
	}
	if silent.Value != nil || silent.Of != 40 || !strings.Contains(silent.Reason, "40 x unparsed: no agreement") {
		t.Errorf("a silent player: %+v", silent)
	}
	if findings, err := run.Verify(dir, kinds); err != nil || findings.Found != 0 {
		t.Errorf("verify: %+v, %v", findings, err)
	}
}

// Every kind of scenario is a plan that resumes, verifies and scores, with its own players and scorers.
func TestPlanOfEveryKind(t *testing.T) {
	for _, kind := range scenarios.Kinds()[1:] {
		t.Run(kind.Name, func(t *testing.T) {
			runtest.TestPlan(t, runtest.Case{
				New:     plan(t, func(c *session.Config) { c.Scenario, c.Sessions, c.Turns = kind.Name, 2, 8 }),
				Options: run.Options{Kinds: kinds, Registry: registry(nil)},
			})
		})
	}
}

// Every scorer and metric has its row on the reference page.
func TestScorersAreDescribed(t *testing.T) {
	page, err := os.ReadFile("../../cmd/parley/README.md")
	if err != nil {
		t.Fatal(err)
	}
	c := session.Default()
	c.Scorers = session.ScorerNames()
	if err := c.Complete(); err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			rows[strings.TrimSpace(cells[1])] += cells[2]
		}
	}
	for _, m := range session.New(c).Metrics() {
		if !strings.Contains(rows["`"+m.Scorer+"`"], "`"+m.Name+"`") {
			t.Errorf("cmd/parley/README.md has no row of scorer %s and metric %s", m.Scorer, m.Name)
		}
	}
}
