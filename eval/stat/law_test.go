package stat_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"parley/eval/stat"
)

// everything runs each statistic on two columns and hands out what came of it, by name.
func everything(x, y []float64, ids []int) (values map[string]stat.Value, intervals map[string]stat.Interval) {
	labelsX, labelsY := make([]int, len(x)), make([]int, len(y))
	above := 0
	for i := range x {
		labelsX[i], labelsY[i] = int(math.Mod(math.Abs(x[i]), 4)), int(math.Mod(math.Abs(y[i]), 4))
		if x[i] > y[i] {
			above++
		}
	}
	units := make([][]float64, len(x))
	for i := range units {
		units[i] = []float64{x[i], y[i]}
	}
	four := []int{0, 1, 2, 3}
	t, w := stat.PairedT(x, y, .95, stat.TwoSided), stat.Welch(x, y, .95, stat.Less)
	p, s := stat.Pearson(x, y), stat.Spearman(x, y)
	b, c := stat.KendallB(x, y), stat.KendallC(x, y)
	in := stat.Within(x, y, ids, .95, stat.KendallB)
	exact := stat.Wilcoxon(x, y, stat.RankZeros, stat.Exact, stat.TwoSided)
	normal := stat.Wilcoxon(x, y, stat.DropZeros, stat.Normal, stat.Greater)
	values = map[string]stat.Value{
		"sd": stat.SD(x, stat.Sample), "cv": stat.CV(x, stat.Population), "se": stat.ClusteredSE(x, ids),
		"pearson": p.R, "pearson p": p.P, "spearman": s.R, "spearman p": s.P,
		"tau-b": b.R, "tau-b p": b.P, "tau-c": c.R,
		"mse": stat.MSE(x, y), "accuracy": stat.Accuracy(labelsX, labelsY), "mcc": stat.MCC(labelsX, labelsY),
		"kappa": stat.Kappa(labelsX, labelsY, nil, stat.Plain), "weighted": stat.Kappa(labelsX, labelsY, four, stat.Quadratic),
		"nominal": stat.Alpha(units, stat.Nominal), "ordinal": stat.Alpha(units, stat.Ordinal),
		"interval": stat.Alpha(units, stat.IntervalScale), "ratio": stat.Alpha(units, stat.Ratio),
		"t": t.Statistic, "t p": t.P, "welch": w.Statistic, "welch p": w.P,
		"wilcoxon": exact.Statistic, "wilcoxon p": exact.P, "wilcoxon normal p": normal.P,
		"sign p": stat.SignTest(x, y, stat.TwoSided).P, "mcnemar p": stat.McNemar(above, len(x)-above).P,
		"d": stat.CohenD(x, y), "g": stat.HedgesG(x, y), "dz": stat.CohenDz(x, y),
		"cliff": stat.CliffDelta(x, y), "biserial": stat.RankBiserial(x, y),
	}
	intervals = map[string]stat.Interval{
		"mean": stat.Mean(x, .95), "clustered mean": stat.ClusteredMean(x, ids, .9),
		"wilson": stat.Wilson(above, len(x), .95), "clopper-pearson": stat.ClopperPearson(above, len(x), .99),
		"paired t": t.Diff, "welch": w.Diff, "fisher": stat.Fisher(p.R, p.N, .95), "within": in.Mean,
	}
	return values, intervals
}

// lawful fails where a value is not finite, a share leaves its range, or an interval leaves out its
// estimate.
func lawful(t *testing.T, values map[string]stat.Value, intervals map[string]stat.Interval) {
	t.Helper()
	within := func(name string, low, high float64) {
		if v := values[name]; v.OK() && !(low <= v.V && v.V <= high) {
			t.Errorf("%s: %v is not in [%v, %v]", name, v, low, high)
		}
	}
	for name, v := range values {
		if v.OK() && (math.IsNaN(v.V) || math.IsInf(v.V, 0)) {
			t.Errorf("%s: %v has no reason", name, v.V)
		}
		if name[len(name)-1] == 'p' && len(name) > 2 && name[len(name)-2] == ' ' {
			within(name, 0, 1)
		}
	}
	for _, name := range []string{"pearson", "spearman", "tau-b", "tau-c", "mcc", "cliff", "biserial"} {
		within(name, -1, 1)
	}
	for _, name := range []string{"kappa", "weighted", "nominal", "ordinal", "interval", "ratio"} {
		within(name, math.Inf(-1), 1)
	}
	within("accuracy", 0, 1)
	within("mse", 0, math.Inf(1))
	for name, i := range intervals {
		switch {
		case i.Value == nil || i.Low == nil || i.High == nil:
			if i.Reason == "" {
				t.Errorf("%s: %+v misses a part and has no reason", name, i)
			}
		case !(*i.Low <= *i.Value && *i.Value <= *i.High):
			t.Errorf("%s: [%v, %v] leaves out %v", name, *i.Low, *i.High, *i.Value)
		}
	}
}

// FuzzLaws holds every statistic to its range for any finite columns, and to a reason for others.
func FuzzLaws(f *testing.F) {
	seed := func(vs ...float64) {
		var raw []byte
		for _, v := range vs {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
		}
		f.Add(raw, uint8(3))
	}
	seed(1, 2, 3, 4, 5, 6)
	seed(0, 0, 0, 0)
	seed(math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64, 1, 2, 3)
	seed(5e-324, 0, 0, 5e-324, 1e-300, 1e-310)
	seed(1, 1+0x1p-52, 1, 1+0x1p-52, 1, 1)
	seed(math.NaN(), 1, 2, 3)
	seed(1e154, 1e155, 3, 4, math.Inf(1), 0)
	f.Fuzz(func(t *testing.T, raw []byte, clusters uint8) {
		var vs []float64
		for ; len(raw) >= 8 && len(vs) < 40; raw = raw[8:] {
			vs = append(vs, math.Float64frombits(binary.LittleEndian.Uint64(raw)))
		}
		x, y := vs[:len(vs)/2], vs[len(vs)/2:len(vs)/2*2]
		ids := make([]int, len(x))
		for i := range ids {
			ids[i] = i % (int(clusters%5) + 1)
		}
		values, intervals := everything(x, y, ids)
		lawful(t, values, intervals)
		b := stat.Bootstrap{BCa: clusters%2 == 0, Rand: rand.New(rand.NewPCG(1, 2))}
		for _, end := range []*float64{b.Mean(x, stat.Clusters(ids)).Low, b.Mean(x, stat.Clusters(ids)).High} {
			if end != nil && (math.IsNaN(*end) || math.IsInf(*end, 0)) {
				t.Errorf("a bootstrap ends at %v", *end)
			}
		}
	})
}

// TestLaws: on columns like ours, scores in steps with many ties, the order of rows does not matter.
func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 200 {
		n := 2 + r.IntN(30)
		x, y, ids := make([]float64, n), make([]float64, n), make([]int, n)
		for i := range x {
			x[i], y[i], ids[i] = float64(r.IntN(10))/2, float64(r.IntN(6)), r.IntN(6)
		}
		values, intervals := everything(x, y, ids)
		lawful(t, values, intervals)
		px, py, pids := slices.Clone(x), slices.Clone(y), slices.Clone(ids)
		r.Shuffle(n, func(i, j int) {
			px[i], px[j], py[i], py[j], pids[i], pids[j] = px[j], px[i], py[j], py[i], pids[j], pids[i]
		})
		again, intervalsAgain := everything(px, py, pids)
		for name, i := range intervals {
			values[name+" value"], again[name+" value"] = of(i.Value), of(intervalsAgain[name].Value)
			values[name+" low"], again[name+" low"] = of(i.Low), of(intervalsAgain[name].Low)
		}
		for name, v := range values {
			w := again[name]
			if v.OK() != w.OK() || math.Abs(v.V-w.V) > 1e-9*math.Max(1, math.Abs(v.V)) {
				t.Errorf("round %d, %s: %v, in another order %v", round, name, v, w)
			}
		}
	}
}

// TestKendallBySlowCount holds the fast count of pairs against the definition.
func TestKendallBySlowCount(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		n := 3 + r.IntN(60)
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(r.IntN(8)), float64(r.IntN(8))
		}
		var score, inX, inY float64
		for i := range x {
			for j := range i {
				dx, dy := sign(x[i]-x[j]), sign(y[i]-y[j])
				score += dx * dy
				inX += dx * dx
				inY += dy * dy
			}
		}
		if inX == 0 || inY == 0 {
			continue
		}
		near(t, fmt.Sprint(x, y), stat.KendallB(x, y).R, is(score/math.Sqrt(inX*inY)))
	}
}

func sign(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// TestExactWilcoxonByAllSigns holds the exact p against all 2^n signs, ties and zeros included.
func TestExactWilcoxonByAllSigns(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 50 {
		d := make([]float64, 2+r.IntN(8))
		for i := range d {
			d[i] = float64(r.IntN(9) - 4)
		}
		d[0] = 1
		sizes := make([]float64, len(d))
		for i, v := range d {
			sizes[i] = math.Abs(v)
		}
		ranks := stat.Ranks(sizes)
		plus := func(signs uint) (sum float64) {
			for i, rank := range ranks {
				if signs>>i&1 == 1 && d[i] != 0 {
					sum += rank
				}
			}
			return sum
		}
		var seen uint
		for i, v := range d {
			if v > 0 {
				seen |= 1 << i
			}
		}
		all, atLeast := 0, 0
		for signs := range uint(1) << len(d) {
			all++
			if plus(signs) >= plus(seen) {
				atLeast++
			}
		}
		got := stat.Wilcoxon(d, make([]float64, len(d)), stat.RankZeros, stat.Exact, stat.Greater)
		near(t, fmt.Sprint(d), got.P, is(float64(atLeast)/float64(all)))
	}
}

// TestCoverage counts how often intervals hold the truth that samples were drawn from.
func TestCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	count := func(rounds int, truth float64, interval func() stat.Interval) float64 {
		held := 0
		for range rounds {
			i := interval()
			if i.Low == nil {
				t.Fatalf("no interval: %s", i.Reason)
			}
			if *i.Low <= truth && truth <= *i.High {
				held++
			}
		}
		return float64(held) / float64(rounds)
	}
	normal := func() []float64 {
		xs := make([]float64, 8)
		for i := range xs {
			xs[i] = 3 + r.NormFloat64()
		}
		return xs
	}
	// 15 clusters of 6 whose values share half of their variance.
	ids := make([]int, 90)
	for i := range ids {
		ids[i] = i / 6
	}
	grouped := func() []float64 {
		xs := make([]float64, len(ids))
		var common float64
		for i := range xs {
			if i%6 == 0 {
				common = r.NormFloat64()
			}
			xs[i] = 3 + common + r.NormFloat64()
		}
		return xs
	}
	skewed := func() []float64 {
		xs := make([]float64, 30)
		for i := range xs {
			xs[i] = r.ExpFloat64()
		}
		return xs
	}
	boot := stat.Bootstrap{Rand: r}
	bca := stat.Bootstrap{Rand: r, BCa: true}
	tests := []struct {
		name      string
		low, high float64 // share of intervals that hold the truth
		reason    string
		got       float64
	}{
		{"t", .94, .96, "exact for normal values", count(4000, 3, func() stat.Interval { return stat.Mean(normal(), .95) })},
		{"t at 80 %", .78, .82, "exact for normal values", count(4000, 3, func() stat.Interval { return stat.Mean(normal(), .80) })},
		{"t on clusters", 0, .80, "taking clustered values as independent claims too much", count(2000, 3, func() stat.Interval { return stat.Mean(grouped(), .95) })},
		{"clustered t", .935, .965, "", count(4000, 3, func() stat.Interval { return stat.ClusteredMean(grouped(), ids, .95) })},
		{"percentile on clusters", .87, .97, "a little short with 15 clusters", count(200, 3, func() stat.Interval { return boot.Mean(grouped(), stat.Clusters(ids)) })},
		{"percentile, skewed", .86, .97, "known to be short with 30 values", count(200, 1, func() stat.Interval { return boot.Mean(skewed(), stat.Items(30)) })},
		{"bca, skewed", .87, .97, "known to be short with 30 values", count(200, 1, func() stat.Interval { return bca.Mean(skewed(), stat.Items(30)) })},
	}
	for _, tt := range tests {
		t.Logf("%s: %.3f", tt.name, tt.got)
		if tt.got < tt.low || tt.got > tt.high {
			t.Errorf("%s: %.3f of the intervals hold the truth, want %.3f to %.3f (%s)", tt.name, tt.got, tt.low, tt.high, tt.reason)
		}
	}
}

// TestProportionCoverage sums the chance of every count, so there is nothing random in it.
func TestProportionCoverage(t *testing.T) {
	const n = 25
	var wilson, points float64
	for p := 0.02; p < 0.99; p += 0.01 {
		chance := math.Pow(1-p, n) // of k = 0
		var inWilson, inExact float64
		for k := range n + 1 {
			if i := stat.Wilson(k, n, .95); *i.Low <= p && p <= *i.High {
				inWilson += chance
			}
			if i := stat.ClopperPearson(k, n, .95); *i.Low <= p && p <= *i.High {
				inExact += chance
			}
			chance *= float64(n-k) / float64(k+1) * p / (1 - p)
		}
		if inExact < .95 {
			t.Errorf("clopper-pearson covers %v at %.2f", inExact, p)
		}
		wilson += inWilson
		points++
	}
	if mean := wilson / points; mean < .94 || mean > .96 {
		t.Errorf("wilson covers %v on average", mean)
	}
}

// TestFalseAlarms: with nothing to find, a test at 5 % finds something in about one of twenty.
func TestFalseAlarms(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	boot := stat.Bootstrap{Rand: r}
	const rounds = 300
	alarms := map[string]int{}
	for range rounds {
		x, y := make([]float64, 12), make([]float64, 12)
		for i := range x {
			x[i], y[i] = r.NormFloat64(), r.NormFloat64()
		}
		for name, p := range map[string]stat.Value{
			"paired t":         stat.PairedT(x, y, .95, stat.TwoSided).P,
			"welch":            stat.Welch(x, y, .95, stat.TwoSided).P,
			"wilcoxon":         stat.Wilcoxon(x, y, stat.DropZeros, stat.Exact, stat.TwoSided).P,
			"paired bootstrap": boot.Paired(x, y, stat.Items(12)).P,
			"spearman":         stat.Spearman(x, y).P,
			"kendall":          stat.KendallB(x, y).P,
		} {
			if p.V < 0.05 {
				alarms[name]++
			}
		}
	}
	for name, n := range alarms {
		if share := float64(n) / rounds; share < .02 || share > .10 {
			t.Errorf("%s: %.3f false alarms at 5 %%", name, share)
		}
	}
}
