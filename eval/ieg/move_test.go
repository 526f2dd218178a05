package ieg_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley/eval/ieg"
	"parley/eval/run/runtest"
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

// With real play of one shape nothing is drawn: a window is about every move that the shape fits.
func TestAtMovesOfOneShape(t *testing.T) {
	talk := func(speakers string) (lines []ieg.Line) {
		names := map[rune]string{'A': "Ann", 'B': "Bob", 'C': "Cid", 'D': ieg.DM, 'G': "Guest"}
		for _, r := range speakers {
			lines = append(lines, ieg.Line{Speaker: names[r], Text: "Hm."})
		}
		return lines
	}
	var b strings.Builder
	for _, test := range []struct {
		reason     string
		game, real string // who speaks; real play ends with its window
		aims, n    int    // intentions of real play
	}{
		{"windows end with the move", "ABGCAGB", "BGA", 1, 3},
		{"a line comes after the move", "ABGCAGB", "BAG", 1, 3},
		{"who moves again has moved too late", "AABBGAD", "BAG", 1, 3},
		{"nothing comes after the last move", "GABCA", "BAGG", 1, 4},
		{"the others are of those who moved last before", "ABCABCABC", "CBA", 2, 3},
		{"who moves again within the window is none of them", "ACBCBAA", "CGBA", 2, 4},
		{"three moved", "GGABCDABC", "ABC", 3, 3},
		{"the first line of a window counts", "GBGAGC", "BGA", 2, 3},
		{"real play that is as long as a window", "GGAGG", "ADD", 1, 3},
		{"real play that is longer than a window has no shape", "GGAGG", "ADDD", 1, 3},
		{"real play in which nothing is tried has no shape", "GGAGG", "DDD", 0, 3},
		{"a window of no length asked for is as long as usual", "GDGDGDGDGDGDGDGDGDABGAG", "A", 1, 0},
	} {
		game := window(tries("Ann", "Stealth"), tries("Bob", "Insight"), tries("Cid", "Arcana"))
		real := window(game.Intentions[:test.aims]...)
		game.Lines, real.Lines = talk(test.game), talk(test.real)
		fmt.Fprintf(&b, "# %s\n", test.reason)
		for _, x := range ieg.AtMoves(game, []ieg.Interaction{*real}, test.n) {
			fmt.Fprintf(&b, "%s %d lines, %v\n", x.ID, len(x.Lines), x.Intentions)
		}
	}
	runtest.Golden(t, "moves.golden", b.String())
	for n, want := range map[int]string{0: "", 2: "Bob Cid", 3: "Ann Bob Cid", 9: "Ann Bob Cid"} {
		var got []string
		for _, l := range ieg.Trim([]ieg.Interaction{{Lines: talk("ABC")}}, n)[0].Lines {
			got = append(got, l.Speaker)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("the last %d lines are those of %v", n, got)
		}
	}
}
