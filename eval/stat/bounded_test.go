package stat_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"parley/eval/stat"
)

// Where clusters do not vary, the bounds are Clopper and Pearson's for as many trials as clusters: of C
// successes in C trials the lower one is 0.025^(1/C).
func TestBoundedInterval(t *testing.T) {
	at := func(v float64, clusters, size int) [][]float64 {
		out := make([][]float64, clusters)
		for i := range out {
			for range size {
				out[i] = append(out[i], v)
			}
		}
		return out
	}
	tests := []struct {
		name               string
		values             [][]float64
		low, high          float64
		mean, lower, upper float64
		reason             string
	}{
		{"none in 3 sessions", at(0, 3, 4), 0, 1, 0, 0, 1 - math.Pow(.025, 1./3), "12 players are 3 trials"},
		{"all in 12 sessions", at(1, 12, 4), 0, 1, 1, math.Pow(.025, 1./12), 1, ""},
		{"all, in percent", at(100, 12, 4), 0, 100, 100, 100 * math.Pow(.025, 1./12), 100, ""},
		{"one session", at(1, 1, 4), 0, 1, 1, .025, 1, "no spread between sessions is known"},
		{"empty sessions do not count", append(at(0, 3, 2), nil, nil), 0, 1, 0, 0, 1 - math.Pow(.025, 1./3), ""},
		{"half, without spread", at(.5, 2, 3), 0, 1, .5, 0.012579, 0.987421, "1 success of 2"},
		{"hardly varied", [][]float64{{.5, .5}, {.5, .5}, {.5, .5}, {.5, .5001}}, 0, 1, .5, .5 * math.Pow(.05, 1./4), 1 - .5*math.Pow(.05, 1./4), "what four sessions cannot exclude"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := stat.BoundedInterval(tt.values, tt.low, tt.high, 0.95)
			if got.Value == nil || got.Low == nil {
				t.Fatalf("no interval: %s", got.Reason)
			}
			if math.Abs(*got.Value-tt.mean) > 1e-4 || math.Abs(*got.Low-tt.lower) > 1e-4*tt.high || math.Abs(*got.High-tt.upper) > 1e-4*tt.high {
				t.Errorf("got %v in [%v, %v], want [%v, %v]; %s", *got.Value, *got.Low, *got.High, tt.lower, tt.upper, tt.reason)
			}
		})
	}
	// By hand: 4 clusters of 2, m = 5/8, squares 2.75, so the variance is 4/3*2.75/64 and m(1-m) over it 4.0909; t
	// on 3 degrees of freedom is 3.182446, so there are 4.0909*(1.959964/3.182446)^2 = 1.5517 trials.
	got := stat.ShareInterval([]int{0, 2, 1, 2}, []int{2, 2, 2, 2}, 0.95)
	if *got.Value != 5./8 || math.Abs(*got.Low-.014087) > 1e-5 || math.Abs(*got.High-.999184) > 1e-5 || got.N != 8 || got.Clusters != 4 {
		t.Errorf("got %v in [%v, %v] of %d in %d clusters", *got.Value, *got.Low, *got.High, got.N, got.Clusters)
	}
}

func TestBoundedIntervalUndefined(t *testing.T) {
	for name, values := range map[string][][]float64{
		"nothing": nil, "empty": {{}, {}}, "above": {{0, 1.5}}, "below": {{-.1}}, "NaN": {{math.NaN()}},
	} {
		if got := stat.BoundedInterval(values, 0, 1, .95); got.Value != nil || got.Reason == "" {
			t.Errorf("%s: got %+v, want a reason", name, got)
		}
	}
	for name, got := range map[string]stat.Interval{
		"more successes than trials": stat.ShareInterval([]int{3}, []int{2}, .95),
		"lengths":                    stat.ShareInterval([]int{3}, []int{4, 4}, .95),
		"level":                      stat.ShareInterval([]int{3}, []int{4}, 1),
		"bounds":                     stat.BoundedInterval([][]float64{{1}}, 1, 1, .95),
	} {
		if got.Value != nil || got.Reason == "" {
			t.Errorf("%s: got %+v, want a reason", name, got)
		}
	}
}

// TestNoWidth: an interval of no width would claim certainty.
func TestNoWidth(t *testing.T) {
	same := []float64{2, 2, 2, 2}
	ids := []int{1, 1, 2, 2}
	for name, got := range map[string]stat.Interval{
		"mean": stat.Mean(same, .95), "clustered": stat.ClusteredMean(same, ids, .95),
		"groups":    stat.MeanInterval([][]float64{{2, 2}, {2}}, .95),
		"cancel":    stat.MeanInterval([][]float64{{1, 3}, {0, 4}}, .95),
		"bootstrap": stat.Bootstrap{Rand: rand.New(rand.NewPCG(1, 2))}.Mean(same, stat.Clusters(ids)),
	} {
		if got.Value == nil || *got.Value != 2 || got.Low != nil || got.Reason == "" {
			t.Errorf("%s: got %+v, want 2 without an interval", name, got)
		}
	}
}
