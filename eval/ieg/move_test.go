package ieg_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"parley/eval/ieg"
)

// Cut as real play is, windows have its distances, numbers of intentions and lines.
func TestAtMovesAsRealPlay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var real []ieg.Interaction
	for i := range 400 { // half end with the move, a third one line later, the rest two; every fourth has two intentions
		after := []int{0, 0, 0, 1, 1, 2}[r.IntN(6)]
		x := ieg.Interaction{Intentions: []ieg.Intention{tries("Ann", "Stealth")}, Lines: slices.Repeat([]ieg.Line{{Speaker: "Bob", Text: "Hm."}}, 6)}
		x.Lines[5-after].Speaker = "Ann"
		if i%4 == 0 {
			x.Lines[0].Speaker = "Cid"
			x.Intentions = append(x.Intentions, tries("Cid", "Arcana"))
		}
		real = append(real, x)
	}
	after, several, windows := map[int]int{}, 0, 0
	for i := range 60 {
		g := window(tries("Ann", "Stealth"), tries("Bob", "Insight"), tries("Cid", "Arcana"))
		g.ID, g.Lines = fmt.Sprint("game", i), nil
		for k := range 40 {
			g.Lines = append(g.Lines, ieg.Line{Speaker: []string{"Ann", "Bob", "Guest", "Cid"}[k%4], Text: "Hm."})
		}
		got := ieg.AtMoves(g, real, 6)
		if again := ieg.AtMoves(g, real, 6); len(again) != len(got) {
			t.Fatal("the same game is cut in two ways")
		}
		for _, x := range got {
			windows++
			if len(x.Lines) != 6 || len(x.Intentions) > 2 {
				t.Fatalf("%d lines, %d intentions", len(x.Lines), len(x.Intentions))
			}
			if len(x.Intentions) == 2 {
				several++
			}
			last := 0
			for n, l := range x.Lines {
				if slices.ContainsFunc(x.Intentions, func(in ieg.Intention) bool { return in.Character == l.Speaker }) {
					last = n
				}
			}
			after[5-last]++
		}
	}
	share := func(n int) int { return 100 * n / windows }
	if share(after[0]) < 45 || share(after[0]) > 55 || share(after[1]) < 28 || share(after[1]) > 38 || share(after[2]) < 12 || share(after[2]) > 22 || share(several) < 20 || share(several) > 30 {
		t.Errorf("of %d windows, by distance %v, with two intentions %d", windows, after, several)
	}
}

func TestAtMoves(t *testing.T) {
	game := window(tries("Ann", "Stealth"), tries("Cid", "Arcana"), tries("Ann", "Insight"))
	game.Lines = []ieg.Line{{Speaker: ieg.DM, Text: "A door."}, {Speaker: "Ann", Text: "I hide."}, {Speaker: "Bob", Text: "Hm."}, {Speaker: ieg.DM, Text: "Dark."}, {Speaker: "Guest", Text: "Boo."}, {Speaker: "Cid", Text: "Runes?"}}
	got := ieg.AtMoves(game, nil, 3)
	want := []struct {
		id    string
		lines int
		aims  []ieg.Intention
	}{
		{"w:2", 2, []ieg.Intention{tries("Ann", "Stealth"), tries("Ann", "Insight")}},
		{"w:3", 3, nil}, // Bob is after nothing, and the rest of the table does not count
		{"w:6", 3, []ieg.Intention{tries("Cid", "Arcana")}},
	}
	if len(got) != len(want) {
		t.Fatalf("%d windows, want %d", len(got), len(want))
	}
	for i, w := range want {
		x := got[i]
		same := len(x.Intentions) == len(w.aims)
		for k := range w.aims {
			same = same && x.Intentions[k] == w.aims[k]
		}
		if x.ID != w.id || len(x.Lines) != w.lines || !same || x.Group != "g" {
			t.Errorf("window %d: %+v, want %+v", i, x, w)
		}
		if last := x.Lines[len(x.Lines)-1].Speaker; last == ieg.DM || last == "Guest" {
			t.Errorf("window %d ends with a line of %s", i, last)
		}
		if err := x.Validate(); err != nil {
			t.Error(err)
		}
	}
}
