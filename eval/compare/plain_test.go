//go:build !race

package compare_test

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Two arms whose true IEP differs by d: the interval covers d, and without a difference the test fires as often as
// it says. 1,000 comparisons have a standard error of 0.7 points; that of 200 would be 1.5.
func TestPlantedDifferences(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates thousands of comparisons")
	}
	const comparisons = 1000
	for _, situations := range []int{12, 40} {
		for _, d := range []float64{0, 12} {
			random := rand.New(rand.NewPCG(17, uint64(situations)))
			covered, fired := 0, 0
			for range comparisons {
				diff := simulate(t, random, situations, d)
				if *diff.Low <= d && d <= *diff.High {
					covered++
				}
				if *diff.PHolm < 0.05 {
					fired++
				}
			}
			share, fires := 100*float64(covered)/comparisons, 100*float64(fired)/comparisons
			if share < 93 || share > 97 {
				t.Errorf("%d situations, d = %v: %.1f %% of the intervals cover it, want 93 to 97 %%", situations, d, share)
			}
			if d == 0 && (fires < 3 || fires > 7) {
				t.Errorf("%d situations without a difference: %.1f %% of the tests fire, want 3 to 7 %%", situations, fires)
			}
		}
	}
}

// The number of situations that a difference is said to need shows such a difference in 80 % of the comparisons,
// whether many situations or a few told how far they spread.
func TestPlantedPower(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates thousands of comparisons")
	}
	const comparisons = 500
	for _, test := range []struct {
		reason      string
		pilot       int     // situations of the comparison that says what is needed
		known       bool    // one such comparison for all, instead of another each time
		d           float64 // true difference in it
		least, most float64 // differences that the test looks at
	}{
		{"a spread that is known, some 50 situations", 4000, true, 5, 4, 6},
		{"a spread that is known, some 10 situations", 4000, true, 12, 11, 13},
		{"a spread that 12 situations told", 12, false, 7, 3, 10},
		{"a spread that 6 situations told", 6, false, 7, 3, 10},
	} {
		random := rand.New(rand.NewPCG(17, uint64(test.pilot)))
		pilot := simulate(t, random, test.pilot, test.d)
		seen := 0
		for n := 0; n < comparisons; {
			if !test.known {
				pilot = simulate(t, random, test.pilot, test.d)
			}
			if pilot.Needed == nil || math.Abs(*pilot.Value) < test.least || math.Abs(*pilot.Value) > test.most {
				if test.known {
					t.Fatalf("%s: the difference is %v", test.reason, *pilot.Value)
				}
				continue
			}
			if *simulate(t, random, *pilot.Needed, *pilot.Value).PHolm < 0.05 {
				seen++
			}
			n++
		}
		share := 100 * float64(seen) / comparisons
		if math.Abs(share-80) > 5 {
			t.Errorf("%s: %.1f %% of the tests see the difference, want 80 %%", test.reason, share)
		}
	}
}
