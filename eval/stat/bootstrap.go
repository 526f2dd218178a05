package stat

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
)

// MinDraws is the least number of resamples that an interval is made from.
const MinDraws = 2000

// maxLost is the share of resamples that may be undefined before there is no interval.
const maxLost = 0.05

// Bootstrap makes intervals by drawing clusters with replacement. Clusters are drawn whole, never
// their rows, so that what goes together stays together. (Efron and Tibshirani 1993, chapters 13
// and 14.) Resamples of few clusters vary too little; the tail shares are therefore those of Hesterberg's
// expanded percentile interval (2015), which makes up for it as Student's t does. Below 8 clusters the
// resamples do not reach far enough for that, and the interval also holds the t interval on C-1 degrees of
// freedom from the resamples' spread.
type Bootstrap struct {
	Draws int        // 0 means MinDraws; fewer are refused
	Level float64    // 0 means 0.95
	BCa   bool       // bias-corrected and accelerated, else percentile
	Rand  *rand.Rand // required; the same source gives the same interval
}

// Interval is the statistic of all rows with its bootstrap interval. The clusters hold positions of
// rows (see [Items] and [Clusters]); statistic computes from the rows that it is given, in which
// rows repeat, and must not keep the slice. Fewer than two clusters have no interval, nor has a statistic that
// is the same on all resamples.
func (b Bootstrap) Interval(clusters [][]int, statistic func(rows []int) Value) Interval {
	out, _ := b.interval(clusters, statistic)
	return out
}

// Mean is the mean of xs with its bootstrap interval over clusters.
func (b Bootstrap) Mean(xs []float64, clusters [][]int) Interval {
	if why := unfit(xs); why != "" {
		return Interval{N: len(xs), Reason: why}
	}
	return b.Interval(clusters, func(rows []int) Value { return meanOf(xs, rows) })
}

// Paired is the mean of x[i]-y[i] with its bootstrap interval over clusters of pairs, and a
// two-sided p value: the share of resamples whose mean lies at least as far from the observed mean
// as that lies from zero, itself counted as one of them.
func (b Bootstrap) Paired(x, y []float64, clusters [][]int) Comparison {
	d, why := differences(x, y)
	if why != "" {
		return noComparison(len(d), why)
	}
	diff, draws := b.interval(clusters, func(rows []int) Value { return meanOf(d, rows) })
	out := Comparison{Diff: diff, Test: Test{N: diff.N, Method: b.name()}}
	if draws == nil {
		out.Statistic, out.P = Undefined(diff.Reason), Undefined(diff.Reason)
		return out
	}
	far := 1
	for _, m := range draws {
		if math.Abs(m-*diff.Value) >= math.Abs(*diff.Value) {
			far++
		}
	}
	out.Statistic = Number(*diff.Value)
	out.P = Number(float64(far) / float64(len(draws)+1))
	return out
}

func (b Bootstrap) name() string {
	if b.BCa {
		return "bootstrap bca"
	}
	return "bootstrap percentile"
}

func (b Bootstrap) interval(clusters [][]int, statistic func([]int) Value) (Interval, []float64) {
	draws, level := cmp.Or(b.Draws, MinDraws), cmp.Or(b.Level, 0.95)
	all := slices.Concat(clusters...)
	n, c := len(all), len(clusters)
	grouped := c
	if c == n { // every item for itself
		grouped = 0
	}
	refused := func(v Value, why string) (Interval, []float64) {
		out := bare(v, n, why)
		out.Clusters = grouped
		return out, nil
	}
	switch {
	case badLevel(level) != "":
		return refused(Undefined(badLevel(level)), "")
	case n == 0:
		return refused(Undefined("no values"), "")
	}
	v := statistic(all)
	switch {
	case !v.OK():
		return refused(v, "")
	case b.Rand == nil:
		return refused(v, "a bootstrap needs a random source")
	case draws < MinDraws:
		return refused(v, fmt.Sprintf("%d resamples are too few for an interval, take %d", draws, MinDraws))
	case c < 2:
		return refused(v, tooFew(c))
	}
	values := make([]Value, 0, draws)
	rows := make([]int, 0, n)
	for drawn := range b.Resamples(c) {
		rows = rows[:0]
		for _, i := range drawn {
			rows = append(rows, clusters[i]...)
		}
		values = append(values, statistic(rows))
	}
	out, seen := b.of(v, values, level, clusters, statistic)
	out.N, out.Clusters = n, grouped
	return out, seen
}

// Resamples yields, for each resample of c clusters, which clusters it draws. The slice is used again.
func (b Bootstrap) Resamples(c int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		drawn := make([]int, c)
		for range cmp.Or(b.Draws, MinDraws) {
			for i := range drawn {
				drawn[i] = b.Rand.IntN(c)
			}
			if !yield(drawn) {
				return
			}
		}
	}
}

// Of is the percentile interval of a statistic that is v of all c clusters, and is known of each of their
// resamples, such as [Bootstrap.Resamples] yields.
func (b Bootstrap) Of(v Value, resampled []Value, c int) Interval {
	b.BCa = false
	switch {
	case !v.OK():
		return bare(v, c, "")
	case c < 2:
		return bare(v, c, tooFew(c))
	}
	out, _ := b.of(v, resampled, cmp.Or(b.Level, 0.95), Items(c), nil)
	out.N = c
	return out
}

func tooFew(c int) string {
	return fmt.Sprintf("a bootstrap needs two items to draw from, there is %d", c)
}

// of makes an interval from resamples, of which some may be undefined, and returns the defined ones sorted; nil:
// too few are.
func (b Bootstrap) of(v Value, resampled []Value, level float64, clusters [][]int, statistic func([]int) Value) (Interval, []float64) {
	var seen []float64
	for _, got := range resampled {
		if got.OK() {
			seen = append(seen, got.V)
		}
	}
	lost := len(resampled) - len(seen)
	if float64(lost) > maxLost*float64(len(resampled)) {
		why := fmt.Sprintf("the statistic is undefined on %d of %d resamples", lost, len(resampled))
		return Interval{Value: v.Ptr(), Lost: lost, Reason: why}, nil
	}
	slices.Sort(seen)
	out := b.bounds(v, seen, level, clusters, statistic)
	out.Lost = lost
	return out, seen
}

// bounds makes an interval from the sorted resamples.
func (b Bootstrap) bounds(v Value, seen []float64, level float64, clusters [][]int, statistic func([]int) Value) Interval {
	if constant(seen) {
		return Interval{Value: v.Ptr(), Reason: noSpread}
	}
	c := float64(len(clusters))
	t, inflate := tQuantile(level, c-1), math.Sqrt(c/(c-1))
	tail := normalTail(inflate * t)
	low, high, why := tail, 1-tail, ""
	if b.BCa {
		low, high, why = corrected(v.V, seen, low, high, clusters, statistic)
	}
	if why != "" {
		return Interval{Value: v.Ptr(), Reason: why}
	}
	l, h := quantile(seen, low), quantile(seen, high)
	if c < 8 {
		half := t * inflate * sd(seen, Sample)
		l, h = math.Min(l, v.V-half), math.Max(h, v.V+half)
	}
	return around(v, l, h, 0)
}

// corrected moves the two tail shares by the bias of the resamples and by the acceleration that
// leaving out one cluster at a time shows (Efron 1987). Resamples equal to the estimate count half.
func corrected(v float64, sorted []float64, low, high float64, clusters [][]int, statistic func([]int) Value) (l, h float64, why string) {
	below, _ := slices.BinarySearch(sorted, v)
	above, _ := slices.BinarySearch(sorted, math.Nextafter(v, math.Inf(1)))
	share := (float64(below) + float64(above)) / 2 / float64(len(sorted))
	if share == 0 || share == 1 {
		return l, h, "every resample lies on one side of the estimate: no bias-corrected interval"
	}
	z0 := probit(share)
	leftOut := make([]float64, len(clusters))
	var rows []int
	for i := range clusters {
		rows = rows[:0]
		for j, cluster := range clusters {
			if j != i {
				rows = append(rows, cluster...)
			}
		}
		got := statistic(rows)
		if !got.OK() {
			return l, h, "with one item left out the statistic is undefined: " + got.Reason
		}
		leftOut[i] = got.V
	}
	m := mean(leftOut)
	var a float64
	if scale := norm(leftOut, m); scale > 0 && Number(scale).OK() {
		for _, t := range leftOut {
			u := (m - t) / scale
			a += u * u * u / 6
		}
	}
	move := func(p float64) float64 {
		z := z0 + probit(p)
		if a*z >= 1 {
			return math.NaN()
		}
		return 1 - normalTail(z0+z/(1-a*z))
	}
	l, h = move(low), move(high)
	if !Number(l + h).OK() {
		return l, h, "the acceleration is too large for a corrected interval"
	}
	return l, h, ""
}

// probit is the standard normal quantile of a share strictly between 0 and 1.
func probit(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// quantile interpolates linearly between order statistics: type 7 of Hyndman and Fan (1996), the
// default of R and NumPy.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	w := at - float64(i)
	return sorted[i]*(1-w) + sorted[i+1]*w
}

func meanOf(xs []float64, rows []int) Value {
	if len(rows) == 0 {
		return Undefined("no values")
	}
	var sum float64
	for _, row := range rows {
		sum += xs[row]
	}
	return Number(sum / float64(len(rows)))
}
