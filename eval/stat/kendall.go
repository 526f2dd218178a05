package stat

import (
	"cmp"
	"math"
	"slices"
)

// exactKendall is the largest n for which p comes from the exact distribution, as in SciPy. Beyond
// it only rankings at most one exchange from perfect are counted exactly.
const exactKendall = 33

// KendallB is Kendall's tau-b, (C-D)/sqrt((n0-n1)(n0-n2)), with C concordant and D discordant of n0
// pairs of pairs, n1 tied in x and n2 in y. p is exact for up to 33 pairs without ties, else normal
// with the variance corrected for ties (Kendall, "Rank Correlation Methods"). Time is O(n log n)
// (Knight 1966).
func KendallB(x, y []float64) Correlation {
	return kendall(x, y, func(k *pairCounts) float64 {
		return float64(k.concordant-k.discordant) / math.Sqrt(float64(k.all-k.tiedX)) / math.Sqrt(float64(k.all-k.tiedY))
	})
}

// KendallC is Stuart's tau-c, 2(C-D)m/(n^2(m-1)), m being the smaller number of distinct values: the
// one for columns with unequal numbers of categories. p is that of tau-b.
func KendallC(x, y []float64) Correlation {
	return kendall(x, y, func(k *pairCounts) float64 {
		n, m := float64(k.n), float64(k.categories)
		return 2 * float64(k.concordant-k.discordant) / (n * n) * m / (m - 1)
	})
}

func kendall(x, y []float64, tau func(*pairCounts) float64) Correlation {
	if why := uncorrelatable(x, y); why != "" {
		return uncorrelated(len(x), why)
	}
	k := countPairs(x, y)
	out := Correlation{R: Number(math.Max(-1, math.Min(1, tau(k)))), N: k.n}
	out.P, out.Method = k.p()
	return out
}

// pairCounts are the counts that Kendall's statistics are made of.
type pairCounts struct {
	n, categories          int
	all, tiedX, tiedY      int64 // pairs of pairs
	concordant, discordant int64
	xs, ys                 ties
}

// ties are sums over groups of t equal values that the variance needs.
type ties struct{ three, wide float64 } // t(t-1)(t-2); t(t-1)(2t+5)

func countPairs(x, y []float64) *pairCounts {
	n := len(x)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(x[i], x[j]), cmp.Compare(y[i], y[j]))
	})
	k := &pairCounts{n: n, all: pairsOf(n)}
	byX := make([]float64, n)
	byY := make([]float64, n)
	for i, at := range order {
		byX[i], byY[i] = x[at], y[at]
	}
	var tiedBoth int64
	run := 1
	for i := 1; i <= n; i++ {
		if i < n && byX[i] == byX[i-1] && byY[i] == byY[i-1] {
			run++
			continue
		}
		tiedBoth += pairsOf(run)
		run = 1
	}
	var inX, inY int
	k.tiedX, inX, k.xs = countTies(byX)
	k.discordant = exchanges(byY, make([]float64, n))
	k.tiedY, inY, k.ys = countTies(byY) // exchanges has sorted them
	k.categories = min(inX, inY)
	k.concordant = k.all - k.tiedX - k.tiedY + tiedBoth - k.discordant
	return k
}

func pairsOf(n int) int64 { return int64(n) * int64(n-1) / 2 }

func countTies(sorted []float64) (pairs int64, distinct int, sums ties) {
	for i := 0; i < len(sorted); {
		j := i + 1
		for j < len(sorted) && sorted[j] == sorted[i] {
			j++
		}
		t := float64(j - i)
		pairs += pairsOf(j - i)
		sums.three += t * (t - 1) * (t - 2)
		sums.wide += t * (t - 1) * (2*t + 5)
		distinct++
		i = j
	}
	return pairs, distinct, sums
}

// exchanges sorts xs by merging and counts the pairs that stood in falling order.
func exchanges(xs, spare []float64) (count int64) {
	if len(xs) < 2 {
		return 0
	}
	mid := len(xs) / 2
	left, right := xs[:mid], xs[mid:]
	count = exchanges(left, spare[:mid]) + exchanges(right, spare[mid:])
	copy(spare, xs)
	left, right = spare[:mid], spare[mid:]
	for i := range xs {
		switch {
		case len(right) == 0 || len(left) > 0 && left[0] <= right[0]:
			xs[i], left = left[0], left[1:]
		default:
			xs[i], right = right[0], right[1:]
			count += int64(len(left))
		}
	}
	return count
}

func (k *pairCounts) p() (Value, string) {
	fewer := min(k.concordant, k.discordant)
	if k.tiedX == 0 && k.tiedY == 0 && (k.n <= exactKendall || fewer <= 1) {
		return Number(exactKendallP(k.n, int(fewer))), "exact"
	}
	n := float64(k.n)
	m := n * (n - 1)
	variance := (m*(2*n+5)-k.xs.wide-k.ys.wide)/18 +
		2*float64(k.tiedX)*float64(k.tiedY)/m +
		k.xs.three*k.ys.three/(9*m*(n-2))
	return Number(normalP(float64(k.concordant-k.discordant)/math.Sqrt(variance), TwoSided)), "normal"
}

// exactKendallP is the two-sided p of a ranking of n with c exchanges, c at most half of all pairs:
// twice the share of the n! permutations with at most c exchanges.
func exactKendallP(n, c int) float64 {
	share := make([]float64, c+1) // of the permutations of j, those with i exchanges
	share[0] = 1
	next := make([]float64, c+1)
	for j := 2; j <= n; j++ {
		var window float64
		for i := range share {
			window += share[i]
			if i >= j {
				window -= share[i-j]
			}
			next[i] = window / float64(j)
		}
		share, next = next, share
	}
	var p float64
	for _, s := range share {
		p += s
	}
	return math.Min(1, 2*p)
}
