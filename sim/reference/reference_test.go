package reference_test

import (
	"context"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/reference"
	"parley/sim/simtest"
)

func open(t *testing.T, name string, options ...string) reference.Actor {
	t.Helper()
	v := url.Values{}
	for i := 0; i+1 < len(options); i += 2 {
		v.Set(options[i], options[i+1])
	}
	a, err := reference.Open(name, v)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// table plays one session of four on a piece of the library.
func table(t *testing.T, i int, seats func(s *scenarios.Scenario) map[characters.ID]sim.Actor) *sim.Episode {
	t.Helper()
	shelf := scenarios.Library().Knowledge
	s := scenarios.NewExchange(&shelf[i%len(shelf)], characters.Generate(sim.Rand(uint64(i)), 4))
	g := sim.Game{Episode: sim.NewEpisode("s", uint64(i), s, 30), Actors: seats(s), Now: simtest.Clock()}
	for _, err := range g.Play(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return g.Episode
}

func seated(t *testing.T, player string) func(*scenarios.Scenario) map[characters.ID]sim.Actor {
	return func(s *scenarios.Scenario) map[characters.ID]sim.Actor {
		seats := simtest.Everybody(s, open(t, player))
		seats[s.NPC] = open(t, "npc")
		return seats
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	for _, test := range []struct{ name, option, value, want string }{
		{"nobody", "", "", "known are"},
		{"npc", "share", "2", "from 0 to 1"},
		{"npc", "share", "NaN", "from 0 to 1"},
		{"npc", "volume", "1", "no option"},
		{"diligent", "share", "1", "no option"},
	} {
		v := url.Values{}
		if test.option != "" {
			v.Set(test.option, test.value)
		}
		if _, err := reference.Open(test.name, v); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v", test, err)
		}
	}
	for _, name := range reference.Names() {
		open(t, name)
	}
}

// What is asked to the point is given, in words that the fact itself uses; what is not asked stays.
func TestNPCAnswersToThePoint(t *testing.T) {
	s := simtest.Exchange(2)
	facts := s.Knowledge.Facts
	for _, test := range []struct {
		reason, speech string
		want           []int
	}{
		{"asked where", "Where is it?", []int{0}},
		{"asked who made it", "Tell me, who made the Ashen Bell?", []int{1}},
		{"asked what it can do", "What can it do?", []int{2}},
		{"asked two things", "Where is it? And who made it?", []int{0, 1}},
		{"asked by what a fact is about", "Is it true that the smith used stolen coins?", []int{1}},
		{"asked for whatever there is", "What else do you know?", []int{0}},
		{"no question", "I like bells. Where I come from there are many.", nil},
		{"a question about nothing", "How are you today?", nil},
		{"what nobody knows", "When does it happen?", nil},
	} {
		g := sim.Game{Episode: sim.NewEpisode("s", 3, s, 2), Now: simtest.Clock(), Actors: simtest.Everybody(s, open(t, "npc"))}
		g.Actors["a"] = simtest.Actor(func(*sim.View) (sim.Decision, error) { return sim.Decision{Speech: test.speech}, nil })
		for _, err := range g.Play(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
		}
		e := g.Episode.Moves()[1]
		if !slices.Equal(e.Facts, test.want) {
			t.Errorf("%s: %q gives %v; want %v (%s)", test.reason, test.speech, e.Facts, test.want, e.Speech)
		}
		for _, f := range e.Facts {
			if !strings.Contains(e.Speech, facts[f].Text) {
				t.Errorf("%s: the answer does not tell fact %d: %s", test.reason, f, e.Speech)
			}
		}
	}
}

// A whispered question is answered to the one who asked, and to nobody else.
func TestLonersShareNothing(t *testing.T) {
	for i := range 20 {
		ep := table(t, i, seated(t, "loner"))
		for _, m := range ep.Moves() {
			if len(m.Audience) != 2 && m.Kind == sim.KindAct && (m.Actor != ep.Scenario.NPC || len(m.Facts) > 0) {
				t.Errorf("session %d, turn %d is perceived by %v: %s", i, m.Turn, m.Audience, m.Speech)
			}
			if m.Actor != ep.Scenario.NPC && len(m.Facts) > 0 {
				t.Errorf("session %d, turn %d: a loner tells facts", i, m.Turn)
			}
		}
	}
}

// Where a diligent player is told something in private, it passes it on.
func TestDiligentPlayersShare(t *testing.T) {
	shared := 0
	for i := range 20 {
		ep := table(t, i, func(s *scenarios.Scenario) map[characters.ID]sim.Actor {
			seats := simtest.Everybody(s, open(t, "diligent"))
			npc := open(t, "npc")
			seats[s.NPC] = simtest.Actor(func(v *sim.View) (sim.Decision, error) { // tells one player only
				d, err := npc.Act(context.Background(), v)
				if len(d.Facts) > 0 {
					d.To = []characters.ID{s.Cast[0].ID}
				}
				return d, err
			})
			return seats
		})
		for _, m := range ep.Moves() {
			if m.Actor == ep.Scenario.Cast[0].ID && len(m.Facts) > 0 {
				shared += len(m.Facts)
				for _, f := range m.Facts {
					if !strings.Contains(m.Speech, ep.Scenario.Knowledge.Facts[f].Text) {
						t.Errorf("session %d, turn %d: fact %d is not what is told: %s", i, m.Turn, f, m.Speech)
					}
				}
			}
		}
	}
	if shared < 40 {
		t.Errorf("%d facts were shared in 20 sessions", shared)
	}
}

// The grammar is rich: over many seeds every actor says and does many different things.
func TestSpeechIsVaried(t *testing.T) {
	for _, name := range reference.Names() {
		if name == "silent" {
			continue
		}
		a := open(t, name)
		s := simtest.Exchange(2)
		ep := sim.NewEpisode("s", 1, s, 30)
		said := map[string]bool{}
		for seed := range uint64(2000) {
			v := ep.View("a", 1)
			if name == "npc" {
				v = ep.View("b", 1)
				v.Events = []*sim.Event{{Kind: sim.KindAct, Actor: "a", Speech: "Where is it?"}}
			}
			v.Seed, v.Root = sim.Mix(seed), 1
			v.Aims = []characters.Skill{characters.Skills()[seed%18]}
			d, err := a.Act(context.Background(), v)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range []string{"SUBJECT", "NPC", "[", "]", "|"} {
				if strings.Contains(d.Speech+d.Deed, w) {
					t.Fatalf("%s: a hole in the grammar: %q %q", name, d.Speech, d.Deed)
				}
			}
			said[d.Speech+"|"+d.Deed] = true
		}
		if len(said) < 200 {
			t.Errorf("%s has %d different moves in 2000", name, len(said))
		}
	}
}

// Each skill looks like something when it is acted out, and vivid players never say its name.
func TestVividPlayersDoNotNameTheSkill(t *testing.T) {
	s := simtest.Exchange(2)
	ep := sim.NewEpisode("s", 1, s, 30)
	for _, skill := range characters.Skills() {
		acted, named := map[string]bool{}, 0
		for seed := range uint64(600) {
			v := ep.View("a", 1)
			v.Seed, v.Aims = sim.Mix(seed), []characters.Skill{skill}
			d, _ := open(t, "vivid").Act(context.Background(), v)
			acted[d.Speech+d.Deed] = true
			if strings.Contains(strings.ToLower(d.Speech+d.Deed), strings.ToLower(string(skill))) {
				t.Errorf("%s is named: %q %q", skill, d.Speech, d.Deed)
			}
			if b, _ := open(t, "blunt").Act(context.Background(), v); strings.Contains(b.Speech, string(skill)) {
				named++
			}
		}
		if len(acted) < 40 || named < 200 {
			t.Errorf("%s: acted out in %d ways, named bluntly %d times", skill, len(acted), named)
		}
	}
}

func TestTheSameViewGivesTheSameMove(t *testing.T) {
	a, b := table(t, 3, seated(t, "diligent")), table(t, 3, seated(t, "diligent"))
	if !reflect.DeepEqual(a.Events, b.Events) {
		t.Error("two plays of one seed differ")
	}
}
