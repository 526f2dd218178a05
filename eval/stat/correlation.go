package stat

import (
	"cmp"
	"math"
	"slices"
)

// Correlation is how two paired columns go together, with a two-sided p value for none.
type Correlation struct {
	R      Value
	P      Value
	N      int    // pairs
	Method string // how p was had
}

func uncorrelated(n int, why string) Correlation {
	return Correlation{R: Undefined(why), P: Undefined(why), N: n}
}

// uncorrelatable says why two columns have no correlation. Empty: they have one.
func uncorrelatable(x, y []float64) string {
	why := cmp.Or(unpaired(len(x), len(y)), unfit(x, y))
	switch {
	case why != "":
		return why
	case len(x) < 2:
		return "a correlation needs two pairs"
	case constant(x) && constant(y):
		return "both columns are constant"
	case constant(x):
		return "the first column is constant"
	case constant(y):
		return "the second column is constant"
	}
	return ""
}

// Pearson is the product-moment correlation; p from Student's t on n-2 degrees of freedom.
func Pearson(x, y []float64) Correlation {
	if why := uncorrelatable(x, y); why != "" {
		return uncorrelated(len(x), why)
	}
	return pearson(x, y)
}

// Spearman is Pearson's correlation of mid-ranks, so ties need no correction. Its p is the t
// approximation, as in SciPy and in R's exact=FALSE.
func Spearman(x, y []float64) Correlation {
	if why := uncorrelatable(x, y); why != "" {
		return uncorrelated(len(x), why)
	}
	return pearson(Ranks(x), Ranks(y))
}

func pearson(x, y []float64) Correlation {
	n := len(x)
	mx, my := mean(x), mean(y)
	nx, ny := norm(x, mx), norm(y, my)
	if !Number(nx).OK() || !Number(ny).OK() {
		return uncorrelated(n, "the spread is too large for a float64")
	}
	var r float64
	for i := range x {
		r += (x[i] - mx) / nx * ((y[i] - my) / ny)
	}
	out := Correlation{R: Number(r), N: n, Method: "t"}
	switch {
	case !out.R.OK():
		out.P = out.R
	case n < 3:
		out.R.V = math.Copysign(1, r)
		out.P = Undefined("two pairs always lie on a line")
	default:
		r = math.Max(-1, math.Min(1, r))
		df := float64(n - 2)
		out.R.V = r
		out.P = Number(tTail(r*math.Sqrt(df)/math.Sqrt((1-r)*(1+r)), df))
	}
	return out
}

// Fisher is the interval of a Pearson correlation of n pairs from Fisher's z transformation (1921).
// It supposes a bivariate normal; bootstrap where that is in doubt.
func Fisher(r Value, n int, level float64) Interval {
	switch {
	case badLevel(level) != "":
		return bare(r, n, badLevel(level))
	case r.OK() && math.Abs(r.V) > 1:
		return Interval{N: n, Reason: "a correlation lies between -1 and 1"}
	case r.OK() && math.Abs(r.V) == 1:
		return bare(r, n, "all pairs lie on a line: nothing to make an interval from")
	case n < 4:
		return bare(r, n, "Fisher's interval needs four pairs")
	}
	half := normalQuantile(level) / math.Sqrt(float64(n-3))
	z := math.Atanh(r.V)
	return around(r, math.Tanh(z-half), math.Tanh(z+half), n)
}

// Ranks are the ranks from 1 of values in rising order; equal values share the mean of their ranks.
func Ranks(xs []float64) []float64 {
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(xs[i], xs[j]) })
	ranks := make([]float64, len(xs))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && xs[order[j]] == xs[order[i]] {
			j++
		}
		for _, at := range order[i:j] {
			ranks[at] = float64(i+j+1) / 2
		}
		i = j
	}
	return ranks
}

// Grouped is the mean over groups of a correlation within each group.
type Grouped struct {
	Mean    Interval       // over the groups that have one; N counts them
	Groups  int            // in all
	Skipped map[string]int // groups left out, by reason
}

// Within correlates x and y within each group, say each document, and averages over the groups
// where the correlation exists: a group whose scores do not vary is skipped and counted, never
// taken as 0. The t interval takes the groups as independent.
func Within[G comparable](x, y []float64, groups []G, level float64, correlate func(x, y []float64) Correlation) Grouped {
	if why := cmp.Or(badLevel(level), unpaired(len(x), len(y)), unpaired(len(x), len(groups)), unfit(x, y)); why != "" {
		return Grouped{Mean: Interval{Reason: why}}
	}
	byGroup := Clusters(groups)
	out := Grouped{Groups: len(byGroup), Skipped: map[string]int{}}
	var rs []float64
	for _, rows := range byGroup {
		c := correlate(pick(x, rows), pick(y, rows))
		if c.R.OK() {
			rs = append(rs, c.R.V)
		} else {
			out.Skipped[c.R.Reason]++
		}
	}
	out.Mean = Mean(rs, level)
	if len(rs) == 0 {
		out.Mean.Reason = "no group has a correlation"
	}
	return out
}

func pick(xs []float64, rows []int) []float64 {
	out := make([]float64, len(rows))
	for i, row := range rows {
		out[i] = xs[row]
	}
	return out
}
