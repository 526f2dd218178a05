package utility_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley/eval/utility"
)

func TestDisturb(t *testing.T) {
	turn := func(text string) utility.Turn { return utility.Turn{Who: "solver", Text: text, Tested: true} }
	asked := utility.Turn{Who: "user", Text: "What now? Say it. Please."}
	others := []utility.Sample{{ID: "other", Turns: []utility.Turn{asked, turn("Something else.")}}}
	tests := []struct {
		reason, way string
		turns       []utility.Turn
		words       int // of the tested turns that are left; 0: it cannot be disturbed
	}{
		{"a quarter of the sentences", utility.Drop, []utility.Turn{asked, turn("One. Two. Three. Four."), turn("Five. Six. Seven. Eight.")}, 6},
		{"at least one sentence", utility.Drop, []utility.Turn{turn("One. Two.")}, 1},
		{"lines of code are units", utility.Drop, []utility.Turn{turn("a=1\nb=2\nc=3\nd=4")}, 3},
		{"a number belongs to what it counts", utility.Drop, []utility.Turn{turn("1. One\n2. Two")}, 2},
		{"never all of it", utility.Drop, []utility.Turn{asked, turn("One.")}, 0},
		{"other order", utility.Swap, []utility.Turn{asked, turn("One."), turn("Two.")}, 2},
		{"one turn has no order", utility.Swap, []utility.Turn{asked, turn("One.")}, 0},
		{"a turn of another sample", utility.Replace, []utility.Turn{asked, turn("One.")}, 2},
		{"nothing is under test", utility.Replace, []utility.Turn{asked}, 0},
	}
	for _, test := range tests {
		s := utility.Sample{ID: "s", Turns: test.turns}
		before := slices.Clone(s.Turns)
		for seed := range uint64(20) {
			d, err := utility.Disturb(&s, test.way, 0.25, others, rand.New(rand.NewPCG(seed, 1)))
			if (err != nil) != (test.words == 0) || !slices.Equal(s.Turns, before) {
				t.Fatalf("%s: %v, of %v", test.reason, err, s.Turns)
			}
			if err != nil {
				continue
			}
			again, _ := utility.Disturb(&s, test.way, 0.25, others, rand.New(rand.NewPCG(seed, 1)))
			words := 0
			for i, turn := range d.Turns {
				if turn.Tested {
					words += len(strings.Fields(turn.Text))
				} else if turn != s.Turns[i] {
					t.Errorf("%s: %q is not under test and changes", test.reason, turn.Text)
				}
			}
			if words != test.words || d.Text() == s.Text() || d.Text() != again.Text() {
				t.Errorf("%s: %q", test.reason, d.Text())
			}
		}
	}
}
