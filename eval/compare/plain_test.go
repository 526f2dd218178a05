//go:build !race

package compare_test

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Two arms whose true IEP differs by d: the interval covers d, the test fires as often as it says without a
// difference, and the number of situations that a difference is said to need has the power that is stated.
func TestPlantedDifferences(t *testing.T) {
	const comparisons = 200
	random := rand.New(rand.NewPCG(17, 2))
	for _, d := range []float64{0, 5, 12} {
		covered, fired := 0, 0
		for range comparisons {
			diff := simulate(t, random, 40, d)
			if *diff.Low <= d && d <= *diff.High {
				covered++
			}
			if *diff.PHolm < 0.05 {
				fired++
			}
		}
		if share := float64(covered) / comparisons; share < 0.93 || share > 0.97 {
			t.Errorf("d = %v: %.1f %% of the intervals cover it, want 93 to 97 %%", d, 100*share)
		}
		if share := float64(fired) / comparisons; d == 0 && (share < 0.03 || share > 0.07) {
			t.Errorf("without a difference %.1f %% of the tests fire, want 3 to 7 %%", 100*share)
		}
	}
	const d = 5
	needed := simulate(t, random, 4000, d).Needed // what many situations know of the spread
	if needed == nil {
		t.Fatal("a difference says no number of situations that it needs")
	}
	seen := 0
	for range comparisons {
		if *simulate(t, random, *needed, d).PHolm < 0.05 {
			seen++
		}
	}
	if share := float64(seen) / comparisons; math.Abs(share-0.8) > 0.08 {
		t.Errorf("with %d situations %.1f %% of the tests see a difference of %d, want 80 %%", *needed, 100*share, d)
	}
}
