package sim_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/characters"
	"parley/sim"
	"parley/sim/dice"
	"parley/sim/simtest"
)

func TestDiceReferee(t *testing.T) {
	tests := []struct {
		reason string
		deeds  []string // of a, b, c, d in turn
		want   []string // mode of the roll of each, empty for none
	}{
		{"a deed that needs no check simply happens", []string{"sits down", "", "", ""}, []string{"", "", "", ""}},
		{"the words call for a check", []string{"picks the lock", "", "", ""}, []string{"straight", "", "", ""}},
		{"help gives advantage", []string{"helps Bela with the door", "climbs the wall", "", ""}, []string{"", "advantage", "", ""}},
		{"help within another word is none", []string{"laid a hand on Bela and said nothing", "climbs the wall", "", ""}, []string{"", "straight", "", ""}},
		{"nor is it help of a name within another", []string{"helps the Isabelan guard", "climbs the wall", "", ""}, []string{"", "straight", "", ""}},
		{"help of whom the name is possessive of", []string{"assists Bela's work", "climbs the wall", "", ""}, []string{"", "advantage", "", ""}},
		{"a hindrance gives disadvantage", []string{"climbs the wall in the dark", "", "", ""}, []string{"disadvantage", "", "", ""}},
		{"both cancel", []string{"helps Bela with the rope", "climbs the wall in the dark", "", ""}, []string{"", "straight", "", ""}},
	}
	for _, test := range tests {
		g := newGame(4, simtest.Actor(func(v *sim.View) (sim.Decision, error) {
			return sim.Decision{Speech: "Here goes.", Deed: test.deeds[v.Turn-1]}, nil
		}))
		g.Referee = sim.Dice{Class: 12}
		got := make([]string, 4)
		for _, e := range play(t, g) {
			if e.Kind != sim.KindRoll {
				continue
			}
			got[e.Turn-1] = string(e.Roll.Mode)
			r := e.Roll
			want := r.First
			switch r.Mode {
			case dice.Advantage:
				want = max(r.First, r.Second)
			case dice.Disadvantage:
				want = min(r.First, r.Second)
			}
			if r.Total != want+r.Modifier || r.Success != (r.Total >= 12) {
				t.Errorf("%s: the roll is counted wrong: %+v", test.reason, *r)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

// What a deed's check is called for by the actor goes before what its words suggest, and the roll of a
// whispered deed is seen by those who saw the deed.
func TestDiceFollowsTheActor(t *testing.T) {
	g := newGame(1, simtest.Actor(func(v *sim.View) (sim.Decision, error) {
		return sim.Decision{Deed: "climbs the wall", Skill: "Stealth", To: []characters.ID{"c"}}, nil
	}))
	g.Referee = sim.Dice{}
	for _, e := range play(t, g) {
		if e.Kind == sim.KindRoll && e.Roll.Skill != "Stealth" {
			t.Errorf("rolled %s", e.Roll.Skill)
		}
		if (e.Kind == sim.KindRoll || e.Kind == sim.KindNarration) && (e.Heard("b") || !e.Heard("c")) {
			t.Errorf("a %s is perceived by %v", e.Kind, e.Audience)
		}
	}
}

// The narration says by how much a total missed or passed its class, and without a class of its own the referee
// draws one: 12 and 15 twice as often as 10 and 18.
func TestDiceNarration(t *testing.T) {
	const sessions = 3000
	classes, margins := map[int]int{}, map[int]bool{}
	s := simtest.Exchange(2)
	for seed := range uint64(sessions) {
		g := &sim.Game{
			Episode: sim.NewEpisode("s", seed, s, 1), Now: simtest.Clock(), Referee: sim.Dice{},
			Actors: simtest.Everybody(s, simtest.Actor(func(*sim.View) (sim.Decision, error) {
				return sim.Decision{Deed: "climbs the wall"}, nil
			})),
		}
		var roll dice.Roll
		for _, e := range play(t, g) {
			if e.Kind == sim.KindRoll {
				roll = *e.Roll
				classes[roll.Class]++
			}
			if e.Kind != sim.KindNarration {
				continue
			}
			by := roll.Total - roll.Class
			margins[by] = true
			want := "fails outright"
			for _, step := range []struct {
				from int
				word string
			}{{-3, "only just fails"}, {0, "only just succeeds"}, {3, "succeeds"}, {8, "succeeds with ease"}} {
				if by >= step.from {
					want = step.word
				}
			}
			if want = fmt.Sprintf("Ada %s (Athletics %d against %d).", want, roll.Total, roll.Class); e.Text != want {
				t.Errorf("by %d: %q, want %q", by, e.Text, want)
			}
		}
	}
	for by := -5; by <= 9; by++ {
		if !margins[by] {
			t.Errorf("no roll missed or passed its class by %d", by)
		}
	}
	for class, sixths := range map[int]int{10: 1, 12: 2, 15: 2, 18: 1} {
		if share := float64(classes[class]) / sessions; math.Abs(share-float64(sixths)/6) > 0.03 {
			t.Errorf("class %d is drawn in %.3f of the sessions, want %d of 6", class, share, sixths)
		}
	}
	if len(classes) != 4 {
		t.Errorf("the classes are %v", classes)
	}
}

// Help counts until the one who is helped has moved, and not from longer ago than a round.
func TestHelpLasts(t *testing.T) {
	for _, test := range []struct {
		order  string // who moves
		want   []string
		reason string
	}{
		{"ab", []string{"advantage"}, "the first move of all helps"},
		{"acddb", []string{"advantage"}, "a round ago"},
		{"acdcdb", []string{"straight"}, "longer ago than a round"},
		{"abb", []string{"advantage", "straight"}, "for one deed alone"},
	} {
		g := newGame(len(test.order), simtest.Actor(func(v *sim.View) (sim.Decision, error) {
			deeds := map[characters.ID]string{"a": "helps Bela with the rope", "b": "climbs the wall"}
			return sim.Decision{Speech: "Now.", Deed: deeds[v.Self.ID]}, nil
		}))
		g.Order, g.Referee = listed(test.order), sim.Dice{Class: 12}
		var got []string
		for _, e := range play(t, g) {
			if e.Kind == sim.KindRoll {
				got = append(got, string(e.Roll.Mode))
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v: %s", test.order, got, test.want, test.reason)
		}
	}
}

// listed is an order that is written down.
type listed string

func (l listed) Next(_ context.Context, ep *sim.Episode) (characters.ID, error) {
	return characters.ID(l[ep.Turn() : ep.Turn()+1]), nil
}
