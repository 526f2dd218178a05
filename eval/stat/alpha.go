package stat

import "slices"

// Metric says how far apart two ratings of Krippendorff's alpha are.
type Metric string

const (
	Nominal       Metric = "nominal"  // same or not
	Ordinal       Metric = "ordinal"  // by how many ratings lie between
	IntervalScale Metric = "interval" // squared difference
	Ratio         Metric = "ratio"    // squared difference over sum; no negative ratings
)

// Alpha is Krippendorff's alpha, 1 - observed/expected disagreement ("Computing Krippendorff's
// alpha-reliability", 2011). Each unit holds the ratings that it got, from any number of raters in
// any order; a missing rating is left out, and a unit with fewer than two ratings does not count.
// Where all ratings are the same there is no disagreement to expect and alpha is undefined. One
// disagreement among ratings that are otherwise the same gives about 0: print the share of agreement
// beside it.
func Alpha(units [][]float64, metric Metric) Value {
	if why := unfit(units...); why != "" {
		return Undefined(why)
	}
	var ratings []float64
	var kept [][]float64
	for _, unit := range units {
		if len(unit) > 1 {
			kept = append(kept, unit)
			ratings = append(ratings, unit...)
		}
	}
	if len(kept) == 0 {
		return Undefined("no unit has two ratings")
	}
	slices.Sort(ratings)
	if metric == Ratio && ratings[0] < 0 {
		return undefinedf("the ratio metric takes no negative ratings, there is %v", ratings[0])
	}
	scale := slices.Compact(slices.Clone(ratings))
	if len(scale) == 1 {
		return Undefined("all ratings are the same: no disagreement to expect")
	}
	count := make([]float64, len(scale))
	for _, r := range ratings {
		at, _ := slices.BinarySearch(scale, r)
		count[at]++
	}
	apart := distance(metric, scale, count)
	if apart == nil {
		return undefinedf("metric %q is none of nominal, ordinal, interval and ratio", metric)
	}
	var observed float64
	for _, unit := range kept {
		at := make([]int, len(unit))
		for i, r := range unit {
			at[i], _ = slices.BinarySearch(scale, r)
		}
		slices.Sort(at)
		var sum float64
		for i, low := range at {
			for _, high := range at[i+1:] {
				if low != high {
					sum += 2 * apart(low, high)
				}
			}
		}
		observed += sum / float64(len(unit)-1)
	}
	var expected float64
	for i := range scale {
		for j := i + 1; j < len(scale); j++ {
			expected += 2 * count[i] * count[j] * apart(i, j)
		}
	}
	return Number(1 - float64(len(ratings)-1)*observed/expected)
}

// AlphaOf is Alpha of labels without an order: the nominal metric.
func AlphaOf[L comparable](units [][]L) Value {
	code := make(map[L]float64)
	coded := make([][]float64, len(units))
	for i, unit := range units {
		for _, l := range unit {
			if _, known := code[l]; !known {
				code[l] = float64(len(code))
			}
			coded[i] = append(coded[i], code[l])
		}
	}
	return Alpha(coded, Nominal)
}

// distance returns the squared difference of two places of the scale, the first the lower one.
func distance(metric Metric, scale, count []float64) func(i, j int) float64 {
	switch metric {
	case Nominal:
		return func(int, int) float64 { return 1 }
	case IntervalScale:
		width := scale[len(scale)-1] - scale[0] // any unit will do; this one neither over- nor underflows
		return func(i, j int) float64 { d := (scale[j] - scale[i]) / width; return d * d }
	case Ratio:
		return func(i, j int) float64 { d := (scale[j] - scale[i]) / (scale[j] + scale[i]); return d * d }
	case Ordinal:
		upTo := make([]float64, len(count)) // ratings up to and with a place
		var sum float64
		for i, n := range count {
			sum += n
			upTo[i] = sum
		}
		return func(i, j int) float64 {
			d := upTo[j] - upTo[i] + count[i]/2 - count[j]/2
			return d * d
		}
	}
	return nil
}
