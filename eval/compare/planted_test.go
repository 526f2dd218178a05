package compare_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"parley/eval"
	"parley/eval/compare"
)

var iep = eval.Metric{Scorer: "iep", Name: "iep", Title: "IEP", Unit: "players", High: 100, Higher: true, Paired: true, Headline: true}

// players are those of one simulated session; facts are the key points of each.
const players, facts = 3, 10

// simulate compares two reference arms that find out each fact with a chance of p and p+d/100, harder in some
// situations than in others, over so many situations. It returns b less a.
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
	if diff.A == "a" && diff.Value != nil { // b less a, whichever came out better
		low, high, v := -*diff.High, -*diff.Low, -*diff.Value
		diff.Low, diff.High, diff.Value = &low, &high, &v
	}
	return diff
}
