package stat

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Mean is the arithmetic mean with Student's t interval on n-1 degrees of freedom. One value, or values that
// are all the same, have a mean and no interval.
func Mean(xs []float64, level float64) Interval {
	if why := cmp.Or(badLevel(level), unfit(xs)); why != "" {
		return Interval{N: len(xs), Reason: why}
	}
	n := len(xs)
	if n == 0 {
		return Interval{Reason: "no values"}
	}
	m := Number(mean(xs))
	if n == 1 {
		return bare(m, n, "one value has no spread to make an interval from")
	}
	if constant(xs) {
		return bare(m, n, noSpread)
	}
	half := tQuantile(level, float64(n-1)) * norm(xs, m.V) / math.Sqrt(float64(n-1)) / math.Sqrt(float64(n))
	return around(m, m.V-half, m.V+half, n)
}

// noSpread is the reason where an interval would have no width and so claim certainty.
const noSpread = "the values do not vary: nothing to make an interval from"

// ClusteredMean is the mean of all values with a t interval on C-1 degrees of freedom from the
// clustered standard error, C being the number of clusters; ids[i] names the cluster of xs[i]. Use
// it where several values come from one session and so are not independent. One cluster has a mean
// and no interval, and so have clusters that do not vary.
func ClusteredMean[C comparable](xs []float64, ids []C, level float64) Interval {
	if why := cmp.Or(badLevel(level), unpaired(len(xs), len(ids)), unfit(xs)); why != "" {
		return Interval{N: len(xs), Reason: why}
	}
	n := len(xs)
	if n == 0 {
		return Interval{Reason: "no values"}
	}
	m, se, c := Number(mean(xs)), ClusteredSE(xs, ids), len(Clusters(ids))
	out := bare(m, n, se.Reason)
	switch {
	case !se.OK():
	case se.V == 0:
		out.Reason = noSpread
	default:
		half := tQuantile(level, float64(c-1)) * se.V
		out = around(m, m.V-half, m.V+half, n)
	}
	out.Clusters = c
	return out
}

// ClusteredSE is the standard error of the mean of all values where values of one cluster go
// together: sqrt(C/(C-1) * sum over clusters of (sum over the cluster of (x-mean))^2) / n.
// (Miller, "Adding error bars to evals", 2024, section 2.2, with the small-sample factor.) With one
// value a cluster it is the plain standard error.
func ClusteredSE[C comparable](xs []float64, ids []C) Value {
	if why := cmp.Or(unpaired(len(xs), len(ids)), unfit(xs)); why != "" {
		return Undefined(why)
	}
	clusters := Clusters(ids)
	if len(clusters) < 2 {
		return Undefined("one cluster has no spread between clusters to make an interval from")
	}
	m := mean(xs)
	sums := make([]float64, len(clusters))
	for i, rows := range clusters {
		for _, row := range rows {
			sums[i] += xs[row] - m
		}
	}
	c := float64(len(clusters))
	return Number(math.Sqrt(c/(c-1)) * floats.Norm(sums, 2) / float64(len(xs)))
}

// Clusters groups the positions of ids by id, in the order in which ids first appear.
func Clusters[C comparable](ids []C) [][]int {
	at := make(map[C]int)
	var out [][]int
	for i, id := range ids {
		k, seen := at[id]
		if !seen {
			k = len(out)
			at[id] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	return out
}

// Items returns n clusters of one position each: every item for itself.
func Items(n int) [][]int {
	rows := make([]int, n)
	out := make([][]int, n)
	for i := range rows {
		rows[i] = i
		out[i] = rows[i : i+1]
	}
	return out
}

// Divisor says what a standard deviation divides by.
type Divisor int

const (
	Population Divisor = iota // n
	Sample                    // n-1
)

// SD is the standard deviation.
func SD(xs []float64, by Divisor) Value {
	if why := unfit(xs); why != "" {
		return Undefined(why)
	}
	if len(xs) < 2 {
		return undefinedf("a standard deviation needs two values, there are %d", len(xs))
	}
	return Number(sd(xs, by))
}

// CV is the coefficient of variation, the standard deviation over the mean (signed, as in
// scipy.stats.variation). A zero mean has none, also where every value is zero. It is not
// invariant to a shift of the scale: a scale from 0 and the same scale from 1 differ.
func CV(xs []float64, by Divisor) Value {
	s := SD(xs, by)
	if !s.OK() {
		return s
	}
	m := mean(xs)
	switch {
	case m == 0 && constant(xs):
		return Undefined("every value is zero: nothing to compare the spread with")
	case m == 0:
		return Undefined("the mean is zero: nothing to compare the spread with")
	}
	return Number(s.V / m)
}

// mean is the arithmetic mean of values that are finite and not none. Values whose sum is too large are divided
// first.
func mean(xs []float64) float64 {
	n := float64(len(xs))
	m := floats.Sum(xs) / n
	if !Number(m).OK() {
		m = 0
		for _, x := range xs {
			m += x / n
		}
	}
	return math.Max(slices.Min(xs), math.Min(slices.Max(xs), m))
}

// norm is sqrt(sum (x-m)^2), which neither overflows nor underflows on the way; exactly 0 for
// constant values, whose mean is exact.
func norm(xs []float64, m float64) float64 {
	off := slices.Clone(xs)
	floats.AddConst(-m, off)
	return floats.Norm(off, 2)
}

// sd is the standard deviation of at least two finite values.
func sd(xs []float64, by Divisor) float64 {
	n := float64(len(xs))
	if by == Sample {
		n--
	}
	return norm(xs, mean(xs)) / math.Sqrt(n)
}

func constant(xs []float64) bool {
	for _, x := range xs {
		if x != xs[0] {
			return false
		}
	}
	return true
}
