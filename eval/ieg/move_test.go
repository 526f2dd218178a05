package ieg_test

import (
	"testing"

	"parley/eval/ieg"
)

func TestAtMoves(t *testing.T) {
	game := window(tries("Ann", "Stealth"), tries("Cid", "Arcana"), tries("Ann", "Insight"))
	game.Lines = []ieg.Line{{Speaker: ieg.DM, Text: "A door."}, {Speaker: "Ann", Text: "I hide."}, {Speaker: "Bob", Text: "Hm."}, {Speaker: ieg.DM, Text: "Dark."}, {Speaker: "Guest", Text: "Boo."}, {Speaker: "Cid", Text: "Runes?"}}
	got := ieg.AtMoves(game, 3)
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
