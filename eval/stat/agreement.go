package stat

import (
	"cmp"
	"fmt"
	"math"
)

// MSE is the mean squared difference of paired values. For verdicts of 0 and 1 it is the share of
// disagreements.
func MSE(x, y []float64) Value {
	why := cmp.Or(unpaired(len(x), len(y)), unfit(x, y))
	switch {
	case why != "":
		return Undefined(why)
	case len(x) == 0:
		return Undefined("no pairs")
	}
	var sum float64
	for i := range x {
		d := x[i] - y[i]
		sum += d * d / float64(len(x))
	}
	return Number(sum)
}

// Accuracy is the share of pairs with equal labels.
func Accuracy[L comparable](truth, said []L) Value {
	if why := unpaired(len(truth), len(said)); why != "" {
		return Undefined(why)
	}
	if len(truth) == 0 {
		return Undefined("no pairs")
	}
	same := 0
	for i := range truth {
		if truth[i] == said[i] {
			same++
		}
	}
	return Number(float64(same) / float64(len(truth)))
}

// Confusion counts binary verdicts against the truth.
type Confusion struct{ TruePos, FalsePos, TrueNeg, FalseNeg int }

// Confuse counts said against truth, which must be as long.
func Confuse(truth, said []bool) (Confusion, error) {
	var c Confusion
	if why := unpaired(len(truth), len(said)); why != "" {
		return c, fmt.Errorf("counting verdicts: %s", why)
	}
	for i, yes := range truth {
		switch {
		case yes && said[i]:
			c.TruePos++
		case yes:
			c.FalseNeg++
		case said[i]:
			c.FalsePos++
		default:
			c.TrueNeg++
		}
	}
	return c, nil
}

// N is the number of verdicts.
func (c Confusion) N() int { return c.TruePos + c.FalsePos + c.TrueNeg + c.FalseNeg }

// Prevalence is the share of what is truly positive.
func (c Confusion) Prevalence() Value {
	if c.N() == 0 {
		return Undefined("no verdicts")
	}
	return Number(float64(c.TruePos+c.FalseNeg) / float64(c.N()))
}

// Weights say how far apart two labels of Cohen's kappa are.
type Weights int

const (
	Plain     Weights = iota // apart or not
	Linear                   // by places in the list of labels
	Quadratic                // by places, squared
)

// Kappa is Cohen's kappa of two raters, 1 - observed/expected disagreement (Cohen 1960, weighted
// 1968). Labels are all that could be given, in their order, also those that no rater gave: without
// them a gap in the scale would close. Plain weights need no list (nil). Where both raters give one
// and the same label throughout, chance explains everything and kappa is undefined. Where labels
// are rare it can be 0 although nearly all agree; print the accuracy beside it.
func Kappa[L comparable](a, b []L, labels []L, w Weights) Value {
	if why := unpaired(len(a), len(b)); why != "" {
		return Undefined(why)
	}
	if len(a) == 0 {
		return Undefined("no pairs")
	}
	place, why := places(a, b, labels, w != Plain)
	if why != "" {
		return Undefined(why)
	}
	apart := func(i, j int) float64 {
		d := math.Abs(float64(i - j))
		switch w {
		case Linear:
			return d
		case Quadratic:
			return d * d
		}
		return math.Min(1, d)
	}
	var observed float64
	countA, countB := map[int]float64{}, map[int]float64{}
	for i := range a {
		pa, pb := place[a[i]], place[b[i]]
		observed += apart(pa, pb)
		countA[pa]++
		countB[pb]++
	}
	var expected float64 // whole numbers, so the order of the map does not matter
	for pa, na := range countA {
		for pb, nb := range countB {
			expected += apart(pa, pb) * na * nb
		}
	}
	if expected == 0 {
		return Undefined("both raters give one and the same label throughout: all agreement is expected by chance")
	}
	return Number(1 - observed*float64(len(a))/expected)
}

// places numbers the labels in their order, or in that of their appearance where no list is given.
func places[L comparable](a, b, labels []L, ordered bool) (map[L]int, string) {
	place := make(map[L]int)
	for _, l := range labels {
		if _, twice := place[l]; twice {
			return nil, fmt.Sprintf("label %v is twice in the list of labels", l)
		}
		place[l] = len(place)
	}
	if len(labels) == 0 && ordered {
		return nil, "weighted kappa needs the full list of labels in their order"
	}
	for _, given := range [][]L{a, b} {
		for _, l := range given {
			if _, known := place[l]; known {
				continue
			}
			if len(labels) > 0 || l != l { // a NaN is no label
				return nil, fmt.Sprintf("label %v is not in the list of labels", l)
			}
			place[l] = len(place)
		}
	}
	return place, ""
}

// MCC is Matthews' correlation coefficient, for more than two labels in the form of Gorodkin (2004).
// Where one of the two sides gives a single label it is undefined (scikit-learn says 0).
func MCC[L comparable](truth, said []L) Value {
	if why := unpaired(len(truth), len(said)); why != "" {
		return Undefined(why)
	}
	if len(truth) == 0 {
		return Undefined("no pairs")
	}
	place, why := places(truth, said, nil, false)
	if why != "" {
		return Undefined(why)
	}
	counts := make([][2]float64, len(place))
	var same float64
	for i := range truth {
		counts[place[truth[i]]][0]++
		counts[place[said[i]]][1]++
		if truth[i] == said[i] {
			same++
		}
	}
	n := float64(len(truth))
	both, inTruth, inSaid := same*n, n*n, n*n
	for _, c := range counts {
		both -= c[0] * c[1]
		inTruth -= c[0] * c[0]
		inSaid -= c[1] * c[1]
	}
	if inTruth == 0 || inSaid == 0 {
		return Undefined("one side gives a single label throughout")
	}
	return Number(math.Max(-1, math.Min(1, both/math.Sqrt(inTruth)/math.Sqrt(inSaid))))
}
