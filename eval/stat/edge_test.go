package stat_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gonum "gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"parley/eval/stat"
)

// An interval does not depend on the scale: on 1 to 5 it is that on 0 to 1, stretched.
func TestBoundedIntervalOnAnyScale(t *testing.T) {
	unit := [][]float64{{0.25, 0.5}, {0.75}, {0.5, 0, 1}, {0.25}}
	scaled := make([][]float64, len(unit))
	for i, cluster := range unit {
		for _, v := range cluster {
			scaled[i] = append(scaled[i], 1+4*v)
		}
	}
	a, b := stat.BoundedInterval(unit, 0, 1, 0.95), stat.BoundedInterval(scaled, 1, 5, 0.95)
	for _, pair := range [][2]*float64{{a.Value, b.Value}, {a.Low, b.Low}, {a.High, b.High}} {
		if math.Abs(1+4**pair[0]-*pair[1]) > 1e-9 {
			t.Errorf("%v on 0 to 1 is %v on 1 to 5", *pair[0], *pair[1])
		}
	}
	if a.N != 7 || a.Clusters != 4 {
		t.Errorf("%d values in %d clusters", a.N, a.Clusters)
	}
	for _, v := range []float64{0.99, 5.01} {
		if i := stat.BoundedInterval([][]float64{{v}}, 1, 5, 0.95); i.Value != nil || !strings.Contains(i.Reason, "outside of 1 to 5") {
			t.Errorf("%v on 1 to 5: %+v", v, i)
		}
	}
}

// The automatic method is exact for up to 25 pairs, and for up to 50 without ties and zeros.
func TestWilcoxonChoosesItsMethod(t *testing.T) {
	for _, test := range []struct {
		n, zeros int
		tied     bool
		want     stat.Method
	}{
		{25, 0, true, stat.Exact}, {26, 0, true, stat.Normal}, {25, 1, false, stat.Exact}, {26, 1, false, stat.Normal},
		{26, 0, false, stat.Exact}, {50, 0, false, stat.Exact}, {51, 0, false, stat.Normal},
	} {
		r := rand.New(rand.NewPCG(1, uint64(test.n)))
		a, b := make([]float64, test.n), make([]float64, test.n)
		for i := range a {
			a[i] = float64(i+1) * float64(1-2*r.IntN(2))
			if i < test.zeros {
				a[i] = 0
			}
		}
		if test.tied {
			a[0], a[1] = 7, 7
		}
		auto, named := stat.Wilcoxon(a, b, stat.RankZeros, stat.Auto, stat.TwoSided), stat.Wilcoxon(a, b, stat.RankZeros, test.want, stat.TwoSided)
		if auto != named || !strings.HasSuffix(auto.Method, string(test.want)) {
			t.Errorf("%+v: %+v, want %+v", test, auto, named)
		}
	}
}

// The least that each measure can be taken of.
func TestSmallestSamples(t *testing.T) {
	two, other := []float64{1, 2}, []float64{3, 5}
	for name, v := range map[string]stat.Value{
		"cohen": stat.CohenD(two, other), "welch": stat.Welch(two, other, 0.95, stat.TwoSided).P, "paired": stat.PairedT(two, other, 0.95, stat.TwoSided).P,
		"pooled": stat.PooledSD(two, other[:1]), "pooled, first": stat.PooledSD(other[:1], two), "uncertainty": stat.Paired.Uncertainty(2, 0.8, 0.95),
	} {
		if !v.OK() {
			t.Errorf("%s of two values: %s", name, v.Reason)
		}
	}
	for name, v := range map[string]stat.Value{
		"cohen": stat.CohenD(two, other[:1]), "welch": stat.Welch(two[:1], other, 0.95, stat.TwoSided).P, "paired": stat.PairedT(two[:1], other[:1], 0.95, stat.TwoSided).P,
		"pooled": stat.PooledSD(two[:1], other[:1]),
	} {
		if v.OK() {
			t.Errorf("%s of one value: %v", name, v.V)
		}
	}
	ends := []stat.Value{stat.Number(0), stat.Number(1)}
	for name, adjust := range map[string]func([]stat.Value) []stat.Value{"holm": stat.Holm, "benjamini": stat.BenjaminiHochberg} {
		if got := adjust(ends); fmt.Sprint(got) != fmt.Sprint(ends) {
			t.Errorf("%s of p 0 and 1: %v", name, got)
		}
	}
}

// An interval made of resamples that are already known is that of the bootstrap that makes them.
func TestBootstrapOfKnownResamples(t *testing.T) {
	xs := []float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3}
	for _, n := range []int{2, 7, 8, 10} {
		source := func() *rand.Rand { return rand.New(rand.NewPCG(5, 0)) }
		mean := func(rows []int) stat.Value {
			sum := 0.0
			for _, i := range rows {
				sum += xs[i]
			}
			return stat.Number(sum / float64(len(rows)))
		}
		want := stat.Bootstrap{Rand: source()}.Interval(stat.Items(n), mean)
		b := stat.Bootstrap{Rand: source()}
		var known []stat.Value
		for drawn := range b.Resamples(n) {
			known = append(known, mean(drawn))
		}
		got := b.Of(stat.Number(*want.Value), known, n)
		if len(known) != stat.MinDraws || *got.Low != *want.Low || *got.High != *want.High || got.N != n {
			t.Errorf("%d items: %v to %v, want %v to %v", n, *got.Low, *got.High, *want.Low, *want.High)
		}
		// A statistic that one resample in twenty lacks keeps its interval; one that more lack does not.
		for i := range known[:stat.MinDraws/20] {
			known[i] = stat.Undefined("none")
		}
		if got = b.Of(stat.Number(1), known, n); got.Low == nil || got.Lost != 100 {
			t.Errorf("%d items, 100 resamples lost: %+v", n, got)
		}
		known[stat.MinDraws-1] = stat.Undefined("none")
		if got = b.Of(stat.Number(1), known, n); got.Low != nil || !strings.Contains(got.Reason, "undefined on 101 of 2000") {
			t.Errorf("%d items, 101 resamples lost: %+v", n, got)
		}
	}
	if got := (stat.Bootstrap{}).Of(stat.Number(1), nil, 1); *got.Value != 1 || got.Low != nil || got.Reason == "" {
		t.Errorf("one item: %+v", got)
	}
	if got := (stat.Bootstrap{}).Of(stat.Undefined("why"), nil, 5); got.Value != nil || got.Reason != "why" {
		t.Errorf("no value: %+v", got)
	}
}

// The corrected interval by its formulas (Efron 1987) from the same resamples.
func TestBCaByHand(t *testing.T) {
	bcaByHand(t, []float64{0.1, 0.3, 0.2, 0.9, 0.4, 2.5, 0.6, 7, 0.8, 1.1, 3.2, 0.7}, 0.02, 0.05)
	bcaByHand(t, []float64{1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, 1e-9, 0) // many resamples are equal to the estimate
}

// bcaByHand fails where a bound is further than most from that by the formulas, or the upper one not further out than
// that of the plain interval.
func bcaByHand(t *testing.T, xs []float64, most, further float64) {
	t.Helper()
	c := float64(len(xs))
	mean := func(rows []int) float64 {
		sum := 0.0
		for _, i := range rows {
			sum += xs[i]
		}
		return sum / float64(len(rows))
	}
	source := func() *rand.Rand { return rand.New(rand.NewPCG(9, 9)) }
	got := stat.Bootstrap{BCa: true, Rand: source()}.Mean(xs, stat.Items(len(xs)))
	var seen []float64
	below := 0.0
	for drawn := range (stat.Bootstrap{Rand: source()}).Resamples(len(xs)) {
		m := mean(drawn)
		seen = append(seen, m)
		switch {
		case m < *got.Value:
			below++
		case m == *got.Value:
			below += 0.5
		}
	}
	slices.Sort(seen)
	var cubes, squares float64
	for i := range xs {
		d := (xs[i] - *got.Value) / (c - 1) // of the mean without it from the mean of such means
		cubes, squares = cubes+d*d*d, squares+d*d
	}
	a, z0 := cubes/(6*math.Pow(squares, 1.5)), distuv.UnitNormal.Quantile(below/float64(len(seen)))
	z := math.Sqrt(c/(c-1)) * distuv.StudentsT{Sigma: 1, Nu: c - 1}.Quantile(0.975)
	for _, end := range []struct {
		z   float64
		got *float64
	}{{-z, got.Low}, {z, got.High}} {
		p := distuv.UnitNormal.CDF(z0 + (z0+end.z)/(1-a*(z0+end.z)))
		if want := gonum.Quantile(p, gonum.LinInterp, seen, nil); math.Abs(*end.got-want) > most {
			t.Errorf("bound %v, want %v", *end.got, want)
		}
	}
	if got.Clusters != 0 {
		t.Errorf("%d clusters of one", got.Clusters)
	}
	if plain := (stat.Bootstrap{Rand: source()}).Mean(xs, stat.Items(len(xs))); *got.High < *plain.High+further {
		t.Errorf("the corrected interval of skewed values ends at %v, the plain one at %v", *got.High, *plain.High)
	}
}

// The exact p is for 33 pairs without ties, and beyond for at most one exchange.
func TestKendallChoosesItsMethod(t *testing.T) {
	for _, test := range []struct {
		n, exchanges int
		tied         bool
		want         string
	}{{33, 12, false, "exact"}, {34, 12, false, "normal"}, {34, 1, false, "exact"}, {34, 2, false, "normal"}, {20, 1, true, "normal"}} {
		x := make([]float64, test.n)
		for i := range x {
			x[i] = float64(i)
		}
		y := slices.Clone(x)
		for i := range test.exchanges {
			y[2*i], y[2*i+1] = y[2*i+1], y[2*i]
		}
		if test.tied {
			y[18] = y[19]
		}
		if a, b := stat.KendallB(x, y), stat.KendallB(y, x); a.Method != test.want || b.Method != test.want {
			t.Errorf("%+v: %s and %s", test, a.Method, b.Method)
		}
	}
}

// The smallest samples that are enough, and those just below.
func TestFirstSamples(t *testing.T) {
	if v := stat.Paired.Detectable(1, 0.8, 0.95); v.OK() {
		t.Errorf("one session shows an effect of %v", v.V)
	}
	// With two pairs, t(1) at 5 % is 12.71, and 80 % of all spreads are below 1.2816 of the true one: 12.71 x 1.2816 / sqrt 2.
	if v := stat.Paired.Detectable(2, 0.8, 0.95); !v.OK() || math.Abs(v.V-11.52) > 0.1 {
		t.Errorf("two sessions show an effect of %+v", v)
	}
	if v := stat.Paired.Uncertainty(3, 0.999999, 0.999); !v.OK() || v.V < 10 {
		t.Errorf("a spread that three pairs told, for nearly certain power: %+v", v)
	}
	for n, why := range map[int]string{-1: "no trials", 0: "no trials", 1: ""} {
		if w := stat.Wilson(0, n, 0.95); (w.Value == nil) != (why != "") || w.N != max(n, 0) {
			t.Errorf("0 of %d by Wilson: %+v", n, w)
		}
		if i := stat.ClopperPearson(0, n, 0.95); (i.Value == nil) != (why != "") || !strings.Contains(i.Reason, why) || i.N != max(n, 0) {
			t.Errorf("0 of %d: %+v", n, i)
		}
	}
	// One success of one: the lower bound is 2.5 %, of none of one the upper 97.5 %.
	if i := stat.ClopperPearson(1, 1, 0.95); math.Abs(*i.Low-0.025) > 1e-6 || *i.High != 1 {
		t.Errorf("1 of 1: %+v", i)
	}
	if c := stat.PairedT([]float64{0, -math.MaxFloat64}, []float64{0, math.MaxFloat64}, 0.95, stat.TwoSided); c.Diff.Value != nil || !strings.Contains(c.Diff.Reason, "pair 2 is too large") {
		t.Errorf("%+v", c.Diff)
	}
	if c := stat.PairedT(nil, nil, 0.95, stat.TwoSided); c.Diff.Value != nil || c.Diff.Reason != "no pairs" {
		t.Errorf("%+v", c.Diff)
	}
}
