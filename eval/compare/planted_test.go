package compare_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"parley/eval"
	"parley/eval/compare"
)

var iep = eval.Metric{Scorer: "iep", Name: "iep", Title: "IEP", Unit: "players", High: 100, Higher: true, Paired: true, Headline: true}

// players are those of one simulated session; facts are the key points of each.
const players, facts = 3, 10

// simulate compares two reference arms that find out each fact with a chance of p and p+d/100, harder in some
// situations than in others, over so many situations.
func simulate(t *testing.T, random *rand.Rand, situations int, d float64) compare.Difference {
	t.Helper()
	sum := eval.NewSummary([]eval.Metric{iep}, []string{"a", "b"}, nil)
	for i := range situations {
		p := 0.3 + 0.2*random.Float64() // the same situation for both arms
		for k := range players {
			for at, arm := range []string{"a", "b"} {
				chance, found := p+float64(at)*d/100, 0
				for range facts {
					if random.Float64() < chance {
						found++
					}
				}
				v := 100 * float64(found) / facts
				sum.Add(&eval.Score{Session: arm + fmt.Sprint(i), Item: fmt.Sprint(i), Arm: arm, Scorer: "iep", Metric: "iep", Subject: fmt.Sprint(k), Value: &v, Status: eval.Scored})
			}
		}
	}
	r, err := compare.OfResults([]eval.Metric{iep}, sum.Results(), "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Differences) != 1 {
		t.Fatalf("%d differences of two arms", len(r.Differences))
	}
	diff := r.Differences[0]
	if diff.A == "a" { // b less a, whichever came out better
		low, high, v := -*diff.High, -*diff.Low, -*diff.Value
		diff.Low, diff.High, diff.Value = &low, &high, &v
	}
	return diff
}

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
