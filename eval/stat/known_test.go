package stat_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"parley/eval/stat"
)

// Values without a note were computed with SciPy 1.17, scikit-learn 1.9, statsmodels 0.15 or the
// krippendorff package.

var (
	before = []float64{3.1, 4.0, 2.5, 3.7, 4.4, 3.3, 2.9, 3.8}
	after  = []float64{2.9, 3.5, 2.7, 3.1, 4.4, 3.0, 2.2, 3.6}
	left   = []float64{12, 15, 11, 18, 20, 9, 14}
	right  = []float64{10, 13, 12, 15, 16, 9.5, 11, 8}
)

func value(v float64) stat.Value { return stat.Number(v) }

func TestKnownValues(t *testing.T) {
	truth := []string{"a", "a", "b", "c", "b", "a", "c", "c", "b", "a"}
	said := []string{"a", "b", "b", "c", "b", "a", "a", "c", "c", "a"}
	gapped1, gapped2 := []int{1, 1, 4, 5, 4, 2}, []int{1, 2, 5, 5, 2, 1}
	// The first and third pairs of raters of the alpha example: the last two units have one rating.
	units := [][]float64{{1, 1}, {2, 2}, {3, 3}, {3, 3}, {2, 2}, {1, 2}, {4, 4}, {1, 1}, {2, 2}, {5}, {}}

	tests := []struct {
		name   string
		got    stat.Value
		want   float64
		reason string
	}{
		{"cohen d", stat.CohenD(left, right), 0.7006088539875636, ""},
		{"hedges g", stat.HedgesG(left, right), 0.6592606481573506, "the exact factor for 13 degrees of freedom"},
		{"cohen d, one sample constant", stat.CohenD([]float64{1, 1, 1}, []float64{1, 2, 3}), -math.Sqrt(2), "by hand: the pooled variance is 2 over 4"},
		{"cliff of single values", stat.CliffDelta([]float64{2}, []float64{1}), 1, "by definition"},
		{"alpha ratio from 0", stat.Alpha([][]float64{{0, 1}, {1, 1}}, stat.Ratio), 0, "by hand: 1-3*2/6"},
		{"pearson p of three", stat.Pearson([]float64{0, 1, 2}, []float64{0, 1, 0.5}).P, 2.0 / 3, "by hand: r is 1/2, and t on one degree of freedom is Cauchy's"},
		{"mcnemar pairs", value(float64(stat.McNemar(3, 9).N)), 12, "all that differ"},
		{"sign test, nothing greater", stat.SignTest([]float64{1, 1}, []float64{2, 3}, stat.Greater).P, 1, "by definition"},
		{"mean of a sum too large", stat.Value{V: *stat.Mean([]float64{math.MaxFloat64, math.MaxFloat64 / 2}, 0.95).Value / math.MaxFloat64}, 0.75, "by hand"},
		{"cohen dz", stat.CohenDz(before, after), 0.944383049876493, ""},
		{"cliff", stat.CliffDelta(left, right), 0.3392857142857143, ""},
		{"cliff of separate samples", stat.CliffDelta([]float64{3, 4}, []float64{1, 2, 2}), 1, "by definition"},
		{"rank biserial", stat.RankBiserial(before, after), (25.5 - 2.5) / 28, "rank sums of the seven differences"},
		{"mcc of three labels", stat.MCC(truth, said), 0.5454545454545454, ""},
		{"mcc of two", stat.MCC([]int{1, 1, 1, 0, 0, 1, 0, 1}, []int{1, 0, 1, 0, 1, 1, 0, 1}), 0.4666666666666667, ""},
		{"mcc of unequal shares", stat.MCC([]int{1, 1, 1, 0, 0, 0}, []int{1, 1, 1, 1, 1, 0}), 3 / math.Sqrt(45), "by hand: 3*1-0*2 over the root of 5*3*3*1"},
		{"kappa", stat.Kappa(truth, said, nil, stat.Plain), 0.5454545454545454, ""},
		{"kappa of unequal shares", stat.Kappa([]int{1, 1, 1, 0, 0, 0}, []int{1, 1, 1, 1, 1, 0}, nil, stat.Plain), 1.0 / 3, "by hand: 4/6 observed, 1/2 expected"},
		{"prevalence of one verdict", stat.Confusion{FalseNeg: 1}.Prevalence(), 1, "by definition"},
		{"linear kappa", stat.Kappa(truth, said, []string{"a", "b", "c"}, stat.Linear), 0.5555555555555556, ""},
		{"linear kappa, gap closed", stat.Kappa(gapped1, gapped2, []int{1, 2, 4, 5}, stat.Linear), 0.5, "label 3 forgotten"},
		{"linear kappa, full list", stat.Kappa(gapped1, gapped2, []int{1, 2, 3, 4, 5}, stat.Linear), 0.5454545454545454, "label 3 counts though nobody gave it"},
		{"accuracy", stat.Accuracy(truth, said), 0.7, "by hand"},
		{"mse", stat.MSE([]float64{1, 2, 3}, []float64{1, 4, 2}), 5.0 / 3, "by hand"},
		{"mse of verdicts", stat.MSE([]float64{1, 0, 1, 1}, []float64{1, 1, 1, 0}), 0.5, "the share of disagreements"},
		{"alpha nominal", stat.Alpha(units, stat.Nominal), 0.8521739130434782, ""},
		{"alpha ordinal", stat.Alpha(units, stat.Ordinal), 0.9229024943310657, ""},
		{"alpha interval", stat.Alpha(units, stat.IntervalScale), 0.9427609427609428, ""},
		{"alpha ratio", stat.Alpha(units, stat.Ratio), 0.8767663976140317, ""},
		{"alpha of labels", stat.AlphaOf([][]string{{"x", "x"}, {"x", "y"}, {"y", "y"}, {"y"}}), 1 - 5.0*2/18, "by hand: o = 2, e = 2*3*3"},
		{"population cv", stat.CV([]float64{2, 4, 6}, stat.Population), math.Sqrt(8.0/3) / 4, "by hand"},
		{"sample cv", stat.CV([]float64{2, 4, 6}, stat.Sample), 0.5, "by hand"},
		{"cv of a negative mean", stat.CV([]float64{-2, -4, -6}, stat.Sample), -0.5, "signed, as SciPy has it"},
		{"sd", stat.SD([]float64{2, 4, 6}, stat.Sample), 2, "by hand"},
		{"clustered se", stat.ClusteredSE([]float64{1, 2, 3, 4, 5, 6, 9, 2}, []int{0, 0, 0, 1, 1, 2, 2, 3}), 1.3693063937629153, "statsmodels' cluster-robust SE times sqrt(4/3)"},
		{"kendall exact", stat.KendallB([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, []float64{3, 0, 2, 5, 1, 4, 8, 6, 11, 7, 10, 9}).P, 0.003181646992410881, ""},
		{"one exchange in 40", exchanged(40).P, 2 / math.Gamma(40), "2/(n-1)!, beyond the limit of exact"},
		{"pearson", stat.Pearson(before, after).R, 0.8899007542243564, ""},
		{"pearson p", stat.Pearson(before, after).P, 0.003067070576583187, ""},
		{"mcnemar", stat.McNemar(3, 9).P, 0.14599609375, ""},
		{"mcnemar without discordance", stat.McNemar(0, 0).P, 1, "nothing speaks against the null"},
		{"paired t, greater", stat.PairedT(before, after, 0.95, stat.Greater).P, 0.015973918901951416, ""},
		{"paired t, less", stat.PairedT(before, after, 0.95, stat.Less).P, 0.9840260810980486, ""},
		{"welch t", stat.Welch(left, right, 0.95, stat.TwoSided).Statistic, 1.3216079304613804, ""},
		{"welch p", stat.Welch(left, right, 0.95, stat.TwoSided).P, 0.2139877708064555, ""},
		{"welch df", value(stat.Welch(left, right, 0.95, stat.TwoSided).DF), 10.64895375964086, ""},
		{"welch, one sample constant", stat.Welch([]float64{1, 1, 1}, []float64{1, 2, 3}, 0.95, stat.TwoSided).Statistic, -math.Sqrt(3), "by hand: the standard error is that of the second"},
		{"welch df, one sample constant", value(stat.Welch([]float64{1, 1, 1}, []float64{1, 2, 3}, 0.95, stat.TwoSided).DF), 2, "by hand"},
		{"welch, greater", stat.Welch(left, right, 0.95, stat.Greater).P, 0.10699388540322775, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !tt.got.OK() || math.Abs(tt.got.V-tt.want) > 1e-9*max(1e-30, math.Abs(tt.want)) {
				t.Errorf("got %v, want %v (%s)", tt.got, tt.want, tt.reason)
			}
		})
	}
}

func exchanged(n int) stat.Correlation {
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], y[i] = float64(i), float64(i)
	}
	y[0], y[1] = y[1], y[0]
	return stat.KendallB(x, y)
}

func TestWilcoxon(t *testing.T) {
	x := []float64{1.83, .50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30} // Hollander and Wolfe's depression scores
	y := []float64{.878, .647, .598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	tests := []struct {
		name   string
		a, b   []float64
		zeros  stat.Zeros
		method stat.Method
		alt    stat.Alternative
		w, p   float64
	}{
		{"exact", x, y, stat.DropZeros, stat.Exact, stat.TwoSided, 5, 0.0390625},
		{"auto is exact", x, y, stat.DropZeros, stat.Auto, stat.TwoSided, 5, 0.0390625},
		{"exact greater", x, y, stat.DropZeros, stat.Exact, stat.Greater, 40, 0.01953125},
		{"exact less", x, y, stat.DropZeros, stat.Exact, stat.Less, 40, 0.986328125},
		{"normal", x, y, stat.DropZeros, stat.Normal, stat.TwoSided, 5, 0.038151710173415135},
		{"normal greater", x, y, stat.DropZeros, stat.Normal, stat.Greater, 40, 0.019075855086707567},
		{"normal less", x, y, stat.DropZeros, stat.Normal, stat.Less, 40, 0.9809241449132924},
		{"exact with ties", before, after, stat.DropZeros, stat.Exact, stat.TwoSided, 2.5, 0.0625},
		{"exact with ties and zeros", before, after, stat.RankZeros, stat.Exact, stat.TwoSided, 3.5, 0.0625},
		{"exact pratt greater", before, after, stat.RankZeros, stat.Exact, stat.Greater, 31.5, 0.03125},
		{"exact wilcox less", before, after, stat.DropZeros, stat.Exact, stat.Less, 25.5, 0.984375},
		{"normal with ties", before, after, stat.DropZeros, stat.Normal, stat.TwoSided, 2.5, 0.05149455160099051},
		{"normal pratt", before, after, stat.RankZeros, stat.Normal, stat.TwoSided, 3.5, 0.04910953919720455},
		{"auto with ties is exact", before, after, stat.DropZeros, stat.Auto, stat.TwoSided, 2.5, 0.0625},
		{"auto pratt is exact", before, after, stat.RankZeros, stat.Auto, stat.TwoSided, 3.5, 0.0625},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := stat.Wilcoxon(tt.a, tt.b, tt.zeros, tt.method, tt.alt)
			near(t, "W", got.Statistic, &tt.w)
			near(t, "p", got.P, &tt.p)
		})
	}
}

func TestSignTest(t *testing.T) {
	a := []float64{1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 5, 5}
	b := []float64{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 5, 5}
	for alt, want := range map[stat.Alternative]float64{stat.TwoSided: 0.34375, stat.Greater: 0.171875, stat.Less: 0.9453125} {
		got := stat.SignTest(a, b, alt)
		near(t, "p "+string(alt), got.P, &want)
		if got.N != 10 || got.Zeros != 2 || got.Statistic.V != 7 {
			t.Errorf("got %+v, want 7 of 10 and 2 zeros", got)
		}
	}
}

func TestKnownIntervals(t *testing.T) {
	tests := []struct {
		name       string
		got        stat.Interval
		mid        float64
		low, high  float64
		n, cluster int
	}{
		{"mean", stat.Mean(left, 0.95), 99.0 / 7, 10.54392865614478, 17.741785629569506, 7, 0},
		{
			"clustered mean", stat.ClusteredMean([]float64{1, 2, 3, 4, 5, 6, 9, 2}, []string{"a", "a", "a", "b", "b", "c", "c", "d"}, 0.95),
			4, 4 - 3.1824463052837078*1.3693063937629153, 4 + 3.1824463052837078*1.3693063937629153, 8, 4,
		},
		{"clusters of one are no clusters", stat.ClusteredMean(left, []int{1, 2, 3, 4, 5, 6, 7}, 0.95), 99.0 / 7, 10.54392865614478, 17.741785629569506, 7, 7},
		{"mean at half the level", stat.Mean([]float64{0, 1, 2}, 0.5), 1, 1 - math.Sqrt(2)/3, 1 + math.Sqrt(2)/3, 3, 0}, // t is the root of 2/3
		{"two clusters", stat.ClusteredMean([]float64{1, 1, 3, 3}, []int{1, 1, 2, 2}, 0.95), 2, 2 - 12.706204736174707, 2 + 12.706204736174707, 4, 2},
		{"wilson of none", stat.Wilson(0, 10, 0.95), 0, 0, 0.27753279986288926, 10, 0},
		{"wilson", stat.Wilson(7, 20, 0.95), 0.35, 0.18119182410108203, 0.5671457233147638, 20, 0},
		{"wilson of all", stat.Wilson(10, 10, 0.95), 1, 0.7224672001371106, 1, 10, 0},
		{"wilson 99 %", stat.Wilson(7, 20, 0.99), 0.35, 0.14639344137693883, 0.6283381789526872, 20, 0},
		{"clopper-pearson", stat.ClopperPearson(7, 20, 0.95), 0.35, 0.15390920478454118, 0.5921885345328282, 20, 0},
		{"clopper-pearson of all", stat.ClopperPearson(10, 10, 0.95), 1, 0.6915028921812392, 1, 10, 0},
		{"clopper-pearson of many", stat.ClopperPearson(999, 1000, 0.95), 0.999, 0.9944410757201734, 0.9999746825125088, 1000, 0},
		{"fisher", stat.Fisher(stat.Pearson(before, after).R, 8, 0.95), 0.8899007542243564, 0.4967078234052269, 0.9800162815765329, 8, 0},
		{"fisher of four", stat.Fisher(value(0), 4, 0.95), 0, math.Tanh(-1.959963984540054), math.Tanh(1.959963984540054), 4, 0},
		{"one value", stat.BoundedInterval([][]float64{{0}}, 0, 1, 0.95), 0, 0, 0.975, 1, 1},
		{"welch", stat.Welch(left, right, 0.95, stat.TwoSided).Diff, 99.0/7 - 94.5/8, -1.5662494378525587, 6.226963723566843, 15, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			near(t, "value", of(tt.got.Value), &tt.mid)
			near(t, "low", of(tt.got.Low), &tt.low)
			near(t, "high", of(tt.got.High), &tt.high)
			if tt.got.N != tt.n || tt.got.Clusters != tt.cluster || tt.got.Reason != "" {
				t.Errorf("got %+v, want n %d in %d clusters", tt.got, tt.n, tt.cluster)
			}
		})
	}
}

func TestBootstrapIntervals(t *testing.T) {
	// 300,000 resamples elsewhere, at the tail share 0.0057375 that eight items ask for; the mean of eight whole
	// numbers moves in steps of 1/8, and the upper end of the corrected interval is the 4th largest resample.
	xs := []float64{1, 2, 2, 3, 4, 7, 12, 30}
	for _, tt := range []struct {
		bca             bool
		low, high, near float64
	}{{false, 2.125, 17.375, 0.26}, {true, 2.875, 22.875, 1.5}} {
		b := stat.Bootstrap{Draws: 50_000, BCa: tt.bca, Rand: rand.New(rand.NewPCG(1, 2))}
		got := b.Mean(xs, stat.Items(len(xs)))
		if got.Low == nil || math.Abs(*got.Low-tt.low) > 0.126 || math.Abs(*got.High-tt.high) > tt.near {
			t.Errorf("bca %t: got [%v, %v], want [%v, %v]", tt.bca, of(got.Low), of(got.High), tt.low, tt.high)
		}
		again := stat.Bootstrap{Draws: 50_000, BCa: tt.bca, Rand: rand.New(rand.NewPCG(1, 2))}.Mean(xs, stat.Items(len(xs)))
		if *again.Low != *got.Low || *again.High != *got.High {
			t.Errorf("bca %t: the same seed gave another interval", tt.bca)
		}
	}
	// Two clusters of equal rows: a resample of the mean is 0, 1 or 2, never a mixture within one, and its
	// standard deviation is the square root of 1/2. Student's t on one degree of freedom does the rest.
	rows := []float64{0, 0, 0, 2, 2, 2}
	got := stat.Bootstrap{Rand: rand.New(rand.NewPCG(1, 2))}.Mean(rows, stat.Clusters([]string{"a", "a", "a", "b", "b", "b"}))
	if got.Low == nil || math.Abs(*got.Low-(1-12.706)) > 0.4 || math.Abs(*got.High-(1+12.706)) > 0.4 || got.Clusters != 2 || got.N != 6 {
		t.Errorf("got %v to %v, want 1 and 12.7 to both sides, of two clusters", of(got.Low), of(got.High))
	}
}

func TestPairedBootstrap(t *testing.T) {
	b := stat.Bootstrap{Draws: 20_000, Rand: rand.New(rand.NewPCG(3, 4))}
	got := b.Paired(before, after, stat.Items(len(before)))
	if got.Diff.Low == nil || *got.Diff.Low <= 0 || *got.Diff.High >= 0.6 {
		t.Errorf("interval %+v does not lie between 0 and 0.6", got.Diff)
	}
	if !got.P.OK() || got.P.V < 0.0005 || got.P.V > 0.02 {
		t.Errorf("p is %v, want a small one", got.P)
	}
	same := b.Paired(before, before, stat.Items(len(before)))
	if !same.P.OK() || same.P.V != 1 {
		t.Errorf("p of no difference is %v, want 1", same.P)
	}
}

func TestMultiple(t *testing.T) {
	ps := []stat.Value{value(.01), value(.04), stat.Undefined("too few pairs"), value(.03), value(.005), value(.2), value(1.5)}
	for name, tt := range map[string]struct {
		got  []stat.Value
		want []*float64
	}{
		"holm": {stat.Holm(ps), []*float64{is(.04), is(.09), nil, is(.09), is(.025), is(.2), nil}},
		"bh":   {stat.BenjaminiHochberg(ps), []*float64{is(.025), is(.05), nil, is(.05), is(.025), is(.2), nil}},
	} {
		for i, want := range tt.want {
			near(t, fmt.Sprint(name, " ", i), tt.got[i], want)
		}
	}
	near(t, "holm above 1", stat.Holm([]stat.Value{value(.6), value(.7)})[0], is(1))
	if ps[0].V != .01 {
		t.Error("the p values handed in have changed")
	}
}

func TestPower(t *testing.T) {
	tests := []struct {
		effect           float64
		n                int
		paired, unpaired float64
	}{
		{.5, 20, 0.5645044184390203, 0.3379390289250411},
		{.8, 5, 0.2809920635173735, 0.2007394526520355},
		{.2, 100, 0.508264806621038, 0.29064587165908673},
		{-1.5, 2, 0.13295212415702737, 0.148691579150247},
		{3, 3, 0.7452680070062834, 0.7825543870581168},
	}
	for _, tt := range tests {
		near(t, fmt.Sprint("paired ", tt), stat.Paired.Power(tt.effect, tt.n, 0.95), &tt.paired)
		near(t, fmt.Sprint("unpaired ", tt), stat.Unpaired.Power(tt.effect, tt.n, 0.95), &tt.unpaired)
	}
	for _, tt := range []struct{ effect, paired, unpaired float64 }{
		{.2, 199, 394}, {.5, 34, 64}, {.8, 15, 26}, {2, 5, 6},
	} {
		near(t, fmt.Sprint("pairs for ", tt.effect), stat.Paired.Sessions(tt.effect, .8, .95), &tt.paired)
		near(t, fmt.Sprint("sessions for ", tt.effect), stat.Unpaired.Sessions(tt.effect, .8, .95), &tt.unpaired)
	}
	// By numeric integration of the noncentral t distribution.
	near(t, "uncertainty of 10 pairs", stat.Paired.Uncertainty(10, .8, .95), is(1.2104781425325262))
	near(t, "uncertainty of 10 sessions an arm", stat.Unpaired.Uncertainty(10, .8, .95), is(1.0989992858895685))
	near(t, "uncertainty of 5 pairs", stat.Paired.Uncertainty(5, .9, .95), is(1.9711618361235834))
	near(t, "detectable, paired", stat.Paired.Detectable(20, .8, .95), is(0.6604416546230268)) // by numeric integration
	near(t, "detectable, unpaired", stat.Unpaired.Detectable(20, .8, .95), is(0.9091290326820767))
	// The normal approximation n = ((1.96 + .8416)/effect)^2, exact for many sessions.
	if got := stat.Paired.Sessions(0.001, .8, .95); !got.OK() || math.Abs(got.V/7848880-1) > 1e-5 {
		t.Errorf("pairs for a thousandth: got %v, want about 7.85 million", got)
	}
}

func TestConfusion(t *testing.T) {
	c, err := stat.Confuse([]bool{true, true, true, false, false}, []bool{true, true, false, true, false})
	if err != nil {
		t.Fatal(err)
	}
	if want := (stat.Confusion{TruePos: 2, FalsePos: 1, TrueNeg: 1, FalseNeg: 1}); c != want || c.N() != 5 {
		t.Errorf("got %+v, want %+v", c, want)
	}
	near(t, "prevalence", c.Prevalence(), is(0.6))
	if _, err := stat.Confuse([]bool{true}, nil); err == nil {
		t.Error("verdicts of unequal number were counted")
	}
}

func TestRanks(t *testing.T) {
	got := stat.Ranks([]float64{3, 1, 3, 2, 3})
	if want := []float64{4, 1, 4, 2, 4}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestWithin(t *testing.T) {
	x := []float64{1, 2, 3, 5, 5, 5, 1, 2, 3, 7}
	y := []float64{1, 2, 3, 1, 2, 3, 3, 2, 1, 7}
	docs := []string{"a", "a", "a", "b", "b", "b", "c", "c", "c", "d"}
	got := stat.Within(x, y, docs, 0.95, stat.Spearman)
	near(t, "mean", of(got.Mean.Value), is(0)) // +1 and -1; a constant document is no 0
	if got.Groups != 4 || got.Mean.N != 2 || got.Skipped["the first column is constant"] != 1 || got.Skipped["a correlation needs two pairs"] != 1 {
		t.Errorf("got %+v", got)
	}
}
