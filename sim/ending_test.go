package sim_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"parley/characters"
	"parley/sim"
	"parley/sim/llm"
	"parley/sim/simtest"
)

func TestEndings(t *testing.T) {
	say := func(lines ...string) sim.Actor {
		n := -1
		return simtest.Actor(func(v *sim.View) (sim.Decision, error) {
			n++
			return sim.Decision{Speech: lines[n%len(lines)]}, nil
		})
	}
	mute := func(passing characters.ID) sim.Actor { // all others' replies are malformed
		return simtest.Actor(func(v *sim.View) (sim.Decision, error) {
			if v.Self.ID == passing {
				return sim.Decision{}, nil
			}
			return sim.Decision{Fault: "malformed"}, nil
		})
	}
	tests := []struct {
		reason string
		actor  sim.Actor
		ending sim.Ending
		want   string
		turn   int
	}{
		{"everybody passes", say(""), sim.AllPass(), "all pass", 4},
		{"every reply is malformed", mute(""), sim.AllPass(), "turns", 40},
		{"one passes, three are malformed", mute("a"), sim.AllPass(), "turns", 40},
		{"one in four speaks", say("", "", "", "Well?"), sim.AllPass(), "turns", 40},
		{"the same words again and again", say("No.", "Yes!", "No...", "YES"), sim.Loop(), "loop", 12},
		{"farewells all round", say("Goodbye, friends.", "Farewell!", "Safe travels to you.", "Until we meet again."), sim.Loop(), "farewell", 4},
		{"a question about farewells is none", say("Is it goodbye, then?"), sim.Loop(), "loop", 12},
		{"different words every time", speak, sim.Loop(), "turns", 40},
		{"a second a turn", speak, sim.WallClock(10 * time.Second), "wall clock of 10s", 10},
	}
	for _, test := range tests {
		g := newGame(40, test.actor)
		g.Endings = []sim.Ending{test.ending}
		play(t, g)
		if g.Episode.Ended != test.want || g.Episode.Turn() != test.turn {
			t.Errorf("%s: ended by %q after turn %d; want %q after %d", test.reason, g.Episode.Ended, g.Episode.Turn(), test.want, test.turn)
		}
	}
}

// A game without a number of turns goes on until an ending says so.
func TestOpenEndedGame(t *testing.T) {
	g := newGame(0, speak)
	g.Endings = []sim.Ending{func(ep *sim.Episode) (string, bool) { return "enough", ep.Turn() == 50 }}
	play(t, g)
	if g.Episode.Ended != "enough" || g.Episode.Turn() != 50 {
		t.Errorf("it ended by %q after %d turns", g.Episode.Ended, g.Episode.Turn())
	}
}

func TestTokenBudget(t *testing.T) {
	n := 30
	g := newGame(40, simtest.Actor(func(v *sim.View) (sim.Decision, error) {
		return sim.Decision{Speech: "Yes.", Calls: []llm.Call{{ID: "c", Tokens: &n, Output: nil}}}, nil
	}))
	g.Endings = []sim.Ending{sim.TokenBudget(100)}
	play(t, g)
	if g.Episode.Turn() != 4 || g.Episode.Tokens != 120 {
		t.Errorf("it stopped after turn %d with %d tokens; want turn 4, 120", g.Episode.Turn(), g.Episode.Tokens)
	}
}

// Endings go by what the play itself used, whatever debriefs are held before it and wherever it was
// stopped.
func TestEndingsCountThePlayAlone(t *testing.T) {
	for reason, end := range map[string]sim.Ending{"tokens": sim.TokenBudget(100), "time": sim.WallClock(4 * time.Second)} {
		fresh := func(control ...string) (*sim.Game, *costly) {
			a := &costly{tokens: 30, at: time.Unix(0, 0).UTC()}
			g := newGame(40, a)
			g.Endings, g.Control, g.Now = []sim.Ending{end}, control, func() time.Time { return a.at }
			return g, a
		}
		g, _ := fresh()
		play(t, g)
		if g.Episode.Turn() != 4 {
			t.Errorf("%s: it stopped after turn %d, want 4", reason, g.Episode.Turn())
		}
		g, _ = fresh(sim.ControlNoConversation)
		play(t, g)
		if g.Episode.Turn() != 4 || g.Episode.Tokens != 4*30+6*30 {
			t.Errorf("%s: with debriefs before it, it stopped after turn %d with %d tokens in all, want 4, 300", reason, g.Episode.Turn(), g.Episode.Tokens)
		}
		for _, control := range [][]string{nil, {sim.ControlNoConversation}} {
			g, _ := fresh(control...)
			want := play(t, g)
			var used sim.Used
			for n, e := range want {
				if e.Move() {
					used = sim.Used{Tokens: used.Tokens + 30, Time: used.Time + time.Second}
				}
				g, a := fresh(control...)
				if err := g.Episode.Restore(kept(t, want[:n+1]), 0); err != nil {
					t.Fatal(err)
				}
				g.Episode.Played = used
				a.at = e.Time.Add(time.Hour) // the stop
				play(t, g)
				if g.Episode.Turn() != 4 {
					t.Errorf("%s: stopped after event %d, it went on to turn %d, want 4", reason, n, g.Episode.Turn())
				}
			}
		}
	}
}

// costly speaks and answers, in a second and for so many tokens each time.
type costly struct {
	tokens int
	at     time.Time
}

func (c *costly) call(id string) []llm.Call {
	c.at = c.at.Add(time.Second)
	return []llm.Call{{ID: id, Tokens: &c.tokens}}
}

func (c *costly) Act(_ context.Context, v *sim.View) (sim.Decision, error) {
	return sim.Decision{Speech: "Yes.", Calls: c.call(fmt.Sprint("act", v.Turn))}, nil
}

func (c *costly) Debrief(_ context.Context, v *sim.View, _ []string) (sim.Answer, error) {
	return sim.Answer{Text: "Nothing.", Calls: c.call(fmt.Sprint("debrief", v.Control, v.Self.ID))}, nil
}
