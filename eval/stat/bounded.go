package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// ShareInterval is the share of trials that succeed, with its interval at the level, where the trials of one
// cluster (a session) go together: cluster i has yes[i] successes of of[i] trials. See BoundedInterval.
func ShareInterval(yes, of []int, level float64) Interval {
	if why := unpaired(len(yes), len(of)); why != "" {
		return Interval{Reason: why}
	}
	sums, sizes := make([]float64, len(yes)), make([]float64, len(of))
	for i := range yes {
		if yes[i] < 0 || yes[i] > of[i] {
			return Interval{Reason: "a cluster has more successes than trials"}
		}
		sums[i], sizes[i] = float64(yes[i]), float64(of[i])
	}
	return boundedInterval(sums, sizes, level)
}

// BoundedInterval is the mean of values that lie between low and high, such as each player's share of facts, with
// its interval at the level; values[i] holds the values of one cluster, such as the players of one session. There is
// no mean, for a reason, where there are no values or where one of them is outside of the bounds.
//
// The interval is that of Clopper and Pearson for a share of an effective number of trials: as many
// independent trials as would vary as much as the clusters' sums do, fewer by the factor that Student's t on
// C-1 degrees of freedom asks for (Korn and Graubard 1998), and C where the clusters do not vary at all. It is
// widened to hold what C clusters cannot exclude: that a share 1-(1-level)^(1/C) of all clusters, none of
// which was seen, lies at a bound. It is therefore never narrower than C clusters allow, at 0 and 100 % and in
// between, and one cluster has a wide interval.
func BoundedInterval(values [][]float64, low, high, level float64) Interval {
	if why := unfit(append(values[:len(values):len(values)], []float64{low, high})...); why != "" {
		return Interval{Reason: why}
	}
	if low >= high {
		return Interval{Reason: "the bounds of the values leave no room"}
	}
	sums, sizes := make([]float64, len(values)), make([]float64, len(values))
	for i, cluster := range values {
		for _, v := range cluster {
			if v < low || v > high {
				return Interval{Reason: undefinedf("value %v is outside of %v to %v", v, low, high).Reason}
			}
			sums[i] += (v - low) / (high - low)
		}
		sizes[i] = float64(len(cluster))
	}
	out := boundedInterval(sums, sizes, level)
	for _, v := range []*float64{out.Value, out.Low, out.High} {
		if v != nil {
			*v = math.Max(low, math.Min(high, low+*v*(high-low)))
		}
	}
	return out
}

// boundedInterval estimates the mean of values between 0 and 1 from each cluster's sum and number of values.
func boundedInterval(sums, sizes []float64, level float64) Interval {
	if why := badLevel(level); why != "" {
		return Interval{Reason: why}
	}
	sum, n, c := 0.0, 0.0, 0.0
	for i := range sums {
		if sizes[i] > 0 {
			sum, n, c = sum+sums[i], n+sizes[i], c+1
		}
	}
	if n == 0 {
		return Interval{Reason: "no values"}
	}
	m := sum / n
	squares := 0.0 // of the clusters' departures from the mean
	for i := range sums {
		if d := sums[i] - m*sizes[i]; math.Abs(d) > 1e-12*sizes[i] {
			squares += d * d
		}
	}
	trials := c
	if squares > 0 {
		variance := c / (c - 1) * squares / (n * n)
		ratio := normalQuantile(level) / tQuantile(level, c-1)
		trials = m * (1 - m) / variance * ratio * ratio
	}
	l, h := shareBounds(m*trials, trials, level)
	unseen := 1 - math.Pow(1-level, 1/c)
	out := around(Number(m), math.Min(l, m*(1-unseen)), math.Max(h, m+(1-m)*unseen), int(n))
	out.Clusters = int(c)
	return out
}

// shareBounds are Clopper and Pearson's bounds of a share for k successes of n trials, neither of which needs
// to be whole.
func shareBounds(k, n, level float64) (low, high float64) {
	tail := (1 - level) / 2
	low = falling(func(p float64) float64 { return tail - mathext.RegIncBeta(k, n-k+1, p) }, 0, k/n)
	high = falling(func(p float64) float64 { return mathext.RegIncBeta(n-k, k+1, 1-p) - tail }, k/n, 1)
	return low, high
}

// MeanInterval is the mean of all values with a t interval over groups of values that go together, such as the
// players of one session: ClusteredMean with the values of each group apart. Groups that do not vary have no
// interval, since no width would claim certainty.
func MeanInterval(groups [][]float64, level float64) Interval {
	var values []float64
	var ids []int
	for i, group := range groups {
		for _, v := range group {
			values, ids = append(values, v), append(ids, i)
		}
	}
	return ClusteredMean(values, ids, level)
}
