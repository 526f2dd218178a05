package dice_test

import (
	"math/rand/v2"
	"testing"

	"parley/sim/dice"
)

// The chance to roll at least n: straight (21-n)/20, with advantage 1-(n-1)^2/400, with disadvantage
// (21-n)^2/400.
func TestOddsAreThoseOfTheDice(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const rolls = 200_000
	for mode, want := range map[dice.Mode]float64{
		dice.Straight: 9.0 / 20, dice.Advantage: 1 - 121.0/400, dice.Disadvantage: 81.0 / 400,
	} {
		wins := 0
		for range rolls {
			roll := dice.Check(r, "Stealth", 2, 14, mode) // a 12 on the die
			if roll.Success {
				wins++
			}
			if roll.Mode != mode || roll.Total != roll.Natural()+2 || roll.First < 1 || roll.First > 20 {
				t.Fatalf("a wrong roll: %+v", roll)
			}
			if (roll.Second == 0) != (mode == dice.Straight) {
				t.Fatalf("%s rolled a second die of %d", mode, roll.Second)
			}
		}
		if got := float64(wins) / rolls; got < want-0.005 || got > want+0.005 {
			t.Errorf("%s: %.4f of the checks succeed; want %.4f", mode, got, want)
		}
	}
}

func TestARollWithoutAClassNeverSucceeds(t *testing.T) {
	if dice.Check(rand.New(rand.NewPCG(1, 2)), "Initiative", 30, 0, dice.Straight).Success {
		t.Error("it succeeds at nothing")
	}
}
