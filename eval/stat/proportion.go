package stat

import (
	"fmt"
	"math"
)

// Wilson is the share k of n with Wilson's score interval, without continuity correction (Wilson
// 1927). It is the one to print for pass rates: it covers well for small n, and 0 of 10 does not
// get an interval of no width.
func Wilson(k, n int, level float64) Interval {
	share, why := proportion(k, n, level)
	if why != "" {
		return Interval{N: max(n, 0), Reason: why}
	}
	z := normalQuantile(level)
	N := float64(n)
	centre := (share + z*z/(2*N)) / (1 + z*z/N)
	half := z / (1 + z*z/N) * math.Sqrt(share*(1-share)/N+z*z/(4*N*N))
	low, high := math.Max(0, centre-half), math.Min(1, centre+half)
	return around(Number(share), math.Min(low, share), math.Max(high, share), n)
}

// ClopperPearson is the share k of n with the exact interval from the beta distribution (Clopper
// and Pearson 1934). It never covers less than the level, and is wider than needed for that.
func ClopperPearson(k, n int, level float64) Interval {
	share, why := proportion(k, n, level)
	if why != "" {
		return Interval{N: max(n, 0), Reason: why}
	}
	low, high := shareBounds(float64(k), float64(n), level)
	return around(Number(share), low, high, n)
}

func proportion(k, n int, level float64) (share float64, why string) {
	switch {
	case badLevel(level) != "":
		return share, badLevel(level)
	case n <= 0:
		return share, "no trials"
	case k < 0 || k > n:
		return share, fmt.Sprintf("%d successes of %d trials", k, n)
	}
	return float64(k) / float64(n), ""
}
