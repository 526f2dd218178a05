package scenarios_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/characters"
	"parley/scenarios"
)

func TestExpression(t *testing.T) {
	shelf := scenarios.Library()
	players := cast(4)
	r := rand.New(rand.NewPCG(7, 7))
	counts := map[int]int{}
	skills := map[characters.Skill]int{}
	const games = 3600
	for i := range games {
		scene := &shelf.Scenes[i%len(shelf.Scenes)]
		s := scenarios.NewExpression(scene, players, r)
		if s.Kind != scenarios.Expression || s.ID != scene.ID || s.NPC != players[3].ID || s.Knowledge != nil || len(s.Questions) != 0 {
			t.Fatalf("made %+v", s)
		}
		if !strings.HasPrefix(s.Premise, scene.Premise) || !strings.Contains(s.Premise, players[0].Name) {
			t.Fatalf("%s: premise %s", scene.ID, s.Premise)
		}
		seen := map[characters.Skill]bool{}
		for _, in := range s.Intentions {
			if seen[in.Skill] {
				t.Fatalf("%s: %s is dealt twice", scene.ID, in.Skill)
			}
			seen[in.Skill] = true
			skills[in.Skill]++
		}
		for _, c := range players {
			n := 0
			for _, a := range scene.Aims {
				told := strings.Contains(s.Briefs[c.ID], a.Brief)
				meant := false
				for _, in := range s.Intentions {
					meant = meant || in == scenarios.Intention{Character: c.ID, Skill: a.Skill}
				}
				if told != meant {
					t.Fatalf("%s: %s is told of %s: %v, and it is an intention: %v", scene.ID, c.ID, a.Skill, told, meant)
				}
				if told {
					n++
				}
			}
			counts[n]++
			if n == 0 && !strings.Contains(s.Briefs[c.ID], "nothing in particular") {
				t.Fatalf("%s: a character without aim is told %q", scene.ID, s.Briefs[c.ID])
			}
		}
	}
	for _, scene := range shelf.Scenes {
		for _, a := range scene.Aims {
			for _, skill := range characters.Skills() {
				if strings.Contains(strings.ToLower(a.Brief), strings.ToLower(string(skill))) {
					t.Errorf("%s: a brief names %s: %s", scene.ID, skill, a.Brief)
				}
			}
		}
	}
	dealt := float64(games * len(players))
	for n, want := range []float64{0.25, 0.65, 0.10} {
		if got := float64(counts[n]) / dealt; got < want-0.02 || got > want+0.02 {
			t.Errorf("%.3f of the characters have %d aims, where %.2f are wanted", got, n, want)
		}
	}
	total := 0
	for _, n := range skills {
		total += n
	}
	for _, skill := range characters.Skills() {
		if share := float64(skills[skill]) / float64(total); share < 0.045 || share > 0.066 {
			t.Errorf("%s is %.3f of the intentions", skill, share)
		}
	}
}

func TestExpressionOfAScarceScene(t *testing.T) {
	scene := &scenarios.Scene{ID: "a", Title: "A", Premise: "A.", Aims: []scenarios.Aim{
		{Skill: characters.Stealth, Brief: "hide"}, {Skill: characters.Stealth, Brief: "sneak"}, {Skill: characters.Arcana, Brief: "ponder"},
	}}
	twice := 0
	for seed := range uint64(200) {
		s := scenarios.NewExpression(scene, cast(6), rand.New(rand.NewPCG(seed, 0)))
		told := map[string]int{}
		for _, c := range s.Cast {
			for _, a := range scene.Aims {
				if strings.Contains(s.Briefs[c.ID], a.Brief+" ") {
					told[a.Brief]++
				}
			}
		}
		for brief, n := range told {
			if n > 1 {
				t.Fatalf("seed %d: %q is dealt %d times", seed, brief, n)
			}
		}
		if n := len(s.Intentions); n > 3 {
			t.Fatalf("seed %d: %d intentions of 3 aims", seed, n)
		} else if n == 3 {
			twice++
		} else if n == 2 && s.Intentions[0].Skill == s.Intentions[1].Skill {
			t.Fatalf("seed %d: %s twice although another skill was left", seed, s.Intentions[0].Skill)
		}
	}
	if twice == 0 {
		t.Error("what is left is never dealt")
	}
	if s := scenarios.NewExpression(scene, nil, rand.New(rand.NewPCG(1, 1))); len(s.Intentions) != 0 {
		t.Errorf("without cast: %+v", s)
	}
}

func TestExpressionIsDeterministic(t *testing.T) {
	scene := findScene("rope-bridge")
	first := scenarios.NewExpression(scene, cast(4), rand.New(rand.NewPCG(3, 4)))
	for range 20 {
		if diff := cmp.Diff(first, scenarios.NewExpression(scene, cast(4), rand.New(rand.NewPCG(3, 4)))); diff != "" {
			t.Fatal(diff)
		}
	}
}

func BenchmarkNewExpression(b *testing.B) {
	shelf, players, r := scenarios.Library(), cast(4), rand.New(rand.NewPCG(1, 2))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		scenarios.NewExpression(&shelf.Scenes[i%len(shelf.Scenes)], players, r)
	}
}
