package stat

import (
	"math"
	"slices"
	"sort"
)

// CohenD is (mean(a)-mean(b)) / pooled standard deviation of independent samples (Cohen 1988).
func CohenD(a, b []float64) Value {
	switch why := unfit(a, b); {
	case why != "":
		return Undefined(why)
	case len(a) < 2 || len(b) < 2:
		return Undefined("a sample of fewer than two values has no spread")
	case constant(a) && constant(b):
		return Undefined("both samples are constant: no spread to measure by")
	}
	return Number((mean(a) - mean(b)) / PooledSD(a, b).V)
}

// PooledSD is the standard deviation that two independent samples have in common.
func PooledSD(a, b []float64) Value {
	if why := unfit(a, b); why != "" {
		return Undefined(why)
	}
	if len(a) < 1 || len(b) < 1 || len(a)+len(b) < 3 {
		return Undefined("a pooled standard deviation needs three values in two samples")
	}
	return Number(math.Hypot(norm(a, mean(a)), norm(b, mean(b))) / math.Sqrt(float64(len(a)+len(b)-2)))
}

// HedgesG is Cohen's d without its upward bias in small samples, by the exact factor of Hedges
// (1981), not its usual approximation 1-3/(4m-1).
func HedgesG(a, b []float64) Value {
	d := CohenD(a, b)
	if !d.OK() {
		return d
	}
	m := float64(len(a) + len(b) - 2)
	top, _ := math.Lgamma(m / 2)
	bottom, _ := math.Lgamma((m - 1) / 2)
	return Number(d.V * math.Exp(top-bottom) / math.Sqrt(m/2))
}

// CohenDz is the mean of a[i]-b[i] over the standard deviation of these differences: the effect that
// a paired t test sees.
func CohenDz(a, b []float64) Value {
	d, why := differences(a, b)
	switch {
	case why != "":
		return Undefined(why)
	case len(d) < 2:
		return Undefined("one pair has no spread")
	case constant(d):
		return Undefined("every difference is the same: no spread to measure by")
	}
	return Number(mean(d) / sd(d, Sample))
}

// CliffDelta is P(a > b) - P(a < b) over all pairs of independent samples, from -1 to 1 (Cliff 1993).
// It asks for an order only, so it fits ordinal scores.
func CliffDelta(a, b []float64) Value {
	switch why := unfit(a, b); {
	case why != "":
		return Undefined(why)
	case len(a) == 0 || len(b) == 0:
		return Undefined("one sample is empty")
	}
	sorted := slices.Sorted(slices.Values(b))
	var sum int64
	for _, v := range a {
		less := sort.SearchFloat64s(sorted, v)
		more := len(sorted) - sort.Search(len(sorted), func(i int) bool { return sorted[i] > v })
		sum += int64(less - more)
	}
	return Number(float64(sum) / float64(len(a)) / float64(len(b)))
}

// RankBiserial is the effect size of Wilcoxon's signed-rank test: the share of the rank sum that
// speaks for a > b less the share that speaks against it (Kerby 2014). Zeros are left out.
func RankBiserial(a, b []float64) Value {
	d, why := differences(a, b)
	switch {
	case why != "":
		return Undefined(why)
	case zeros(d) == len(d):
		return Undefined("every difference is zero")
	}
	s := signRanks(d, DropZeros)
	return Number((s.plus - s.minus) / (s.plus + s.minus))
}
