package stat

import (
	"cmp"
	"fmt"
	"math"
)

// Zeros says what Wilcoxon's test does with pairs that do not differ.
type Zeros string

const (
	DropZeros Zeros = "wilcox" // leaves them out before ranking
	RankZeros Zeros = "pratt"  // ranks them, then leaves their ranks out
)

// Method says how Wilcoxon's test gets its p value.
type Method string

const (
	Auto   Method = "auto"   // exact for up to 25 pairs, and for up to 50 that neither tie nor have zeros; else normal
	Exact  Method = "exact"  // from all signs of the ranks as they are, ties included
	Normal Method = "normal" // with the variance corrected for ties and zeros, without continuity correction
)

// exactWilcoxon bounds the pairs of an exact test: its time grows with their cube.
const exactWilcoxon = 500

// Wilcoxon is the signed-rank test of whether a[i]-b[i] is symmetric about zero (Wilcoxon 1945,
// Pratt 1959, variance by Cureton 1967). The choice of zeros can move p across a limit, so it is
// named, never silent. The statistic is the smaller rank sum, or that of the positive differences
// where the test is one-sided, as in scipy.stats.wilcoxon.
func Wilcoxon(a, b []float64, zero Zeros, method Method, alt Alternative) Test {
	d, why := differences(a, b)
	switch why = cmp.Or(badAlternative(alt), why); {
	case why != "":
	case zero != DropZeros && zero != RankZeros:
		why = fmt.Sprintf("zeros %q is neither wilcox nor pratt", zero)
	case method != Auto && method != Exact && method != Normal:
		why = fmt.Sprintf("method %q is none of auto, exact and normal", method)
	case zeros(d) == len(d):
		why = "every difference is zero"
	}
	if why != "" {
		return untested(len(a), why)
	}
	s := signRanks(d, zero)
	if method == Auto {
		method = Normal
		if len(d) <= 25 || len(d) <= 50 && s.ties == 0 && s.zeros == 0 {
			method = Exact
		}
	}
	out := Test{
		Statistic: Number(s.plus), N: len(s.ranks), Zeros: s.zeros,
		Method: fmt.Sprintf("wilcoxon, zeros %s, %s", zero, method),
	}
	if alt == TwoSided {
		out.Statistic = Number(math.Min(s.plus, s.minus))
	}
	switch {
	case method == Normal:
		out.P = Number(normalP((s.plus-s.expected)/math.Sqrt(s.variance), alt))
	case len(s.ranks) > exactWilcoxon:
		out.P = undefinedf("%d pairs are too many for an exact test, take the normal one", len(s.ranks))
	default:
		out.P = Number(s.exact(alt))
	}
	return out
}

// signed holds the ranks of the differences that are not zero.
type signed struct {
	ranks              []float64
	plus, minus        float64
	zeros              int
	ties               float64 // sum of t^3-t over groups of equal size, zeros aside
	expected, variance float64 // of plus
}

func signRanks(d []float64, zero Zeros) *signed {
	s := &signed{zeros: zeros(d)}
	var sizes []float64
	var up []bool
	for _, v := range d {
		if v != 0 || zero == RankZeros {
			sizes, up = append(sizes, math.Abs(v)), append(up, v > 0)
		}
	}
	n, z := float64(len(sizes)), 0.0
	if zero == RankZeros {
		z = float64(s.zeros)
	}
	equal := map[float64]float64{}
	for i, r := range Ranks(sizes) {
		if sizes[i] == 0 {
			continue
		}
		s.ranks = append(s.ranks, r)
		equal[r]++
		if up[i] {
			s.plus += r
		} else {
			s.minus += r
		}
	}
	for _, t := range equal { // whole numbers, so the order does not matter
		s.ties += t*t*t - t
	}
	s.expected = (n*(n+1) - z*(z+1)) / 4
	s.variance = (n*(n+1)*(2*n+1) - z*(z+1)*(2*z+1) - s.ties/2) / 24
	return s
}

// exact counts, over all signs of the ranks, the sums that lie as far out. Ranks are halves at worst,
// so twice a rank is whole.
func (s *signed) exact(alt Alternative) float64 {
	total := 0
	for _, r := range s.ranks {
		total += int(2 * r)
	}
	share := make([]float64, total+1) // of all signs, those that give a doubled sum
	share[0] = 1
	upTo := 0
	for _, r := range s.ranks {
		step := int(2 * r)
		upTo += step
		for sum := upTo; sum >= 0; sum-- {
			with := 0.0
			if sum >= step {
				with = share[sum-step]
			}
			share[sum] = (share[sum] + with) / 2
		}
	}
	// The distribution is symmetric: the upper tail of plus is the lower tail of minus, and a lower
	// tail is summed from its small end.
	below := func(sum float64) (p float64) {
		for _, q := range share[:int(2*sum)+1] {
			p += q
		}
		return math.Min(1, p)
	}
	switch alt {
	case Greater:
		return below(s.minus)
	case Less:
		return below(s.plus)
	}
	return math.Min(1, 2*below(math.Min(s.plus, s.minus)))
}
