package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Alternative is the hypothesis that a test sets against its null hypothesis. The zero value is TwoSided.
type Alternative string

const (
	TwoSided Alternative = ""
	Greater  Alternative = "greater" // the first sample, or the difference, tends to be larger
	Less     Alternative = "less"
)

// normalTail is P(Z >= z). gonum's Survival is 1-CDF and 0 beyond 8; erfc keeps the far tail.
func normalTail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// normalP is the p value of a standard normal statistic.
func normalP(z float64, alt Alternative) float64 {
	switch alt {
	case Greater:
		return normalTail(z)
	case Less:
		return normalTail(-z)
	}
	return 2 * normalTail(math.Abs(z))
}

// tTail is P(|T| >= |t|) of Student's t with df degrees of freedom.
func tTail(t, df float64) float64 {
	return mathext.RegIncBeta(df/2, 0.5, df/(df+t*t))
}

// tP is the p value of a t statistic.
func tP(t, df float64, alt Alternative) float64 {
	both := tTail(t, df)
	if alt == TwoSided {
		return both
	}
	if (t > 0) == (alt == Greater) {
		return both / 2
	}
	return 1 - both/2
}

// tQuantile is the t beyond which, on both sides together, 1-level of Student's t lies. gonum's own
// quantile is 1e-10 off at common levels and wrong far out at many degrees of freedom, so its tail
// is inverted here.
func tQuantile(level, df float64) float64 {
	high := 2.0
	for tTail(high, df) > 1-level {
		high *= 2
	}
	return falling(func(t float64) float64 { return tTail(t, df) - (1 - level) }, 0, high)
}

// normalQuantile is the z beyond which, on both sides together, 1-level of the normal lies.
func normalQuantile(level float64) float64 { return math.Sqrt2 * math.Erfinv(level) }

// falling returns where the falling function f crosses zero between low and high, to the last bit.
func falling(f func(float64) float64, low, high float64) float64 {
	for {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			return mid
		}
		if f(mid) > 0 {
			low = mid
		} else {
			high = mid
		}
	}
}

// binomialTail is P(X >= k), k at most n, of n fair or unfair coins that fall heads with probability p.
func binomialTail(k, n int, p float64) float64 {
	if k <= 0 {
		return 1
	}
	return mathext.RegIncBeta(float64(k), float64(n-k+1), p)
}
