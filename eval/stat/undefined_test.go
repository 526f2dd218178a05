package stat_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"parley/eval/stat"
)

// TestUndefined: what does not exist says why, in words that a table can print.
func TestUndefined(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one, two, flat := []float64{1}, []float64{1, 2}, []float64{3, 3, 3}
	up, zero := []float64{1, 2, 3}, []float64{0, 0, 0}
	source := func() *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }
	boot := stat.Bootstrap{Rand: source()}
	value := func(i stat.Interval) stat.Value { return orReason(i.Value, i) }
	bound := func(i stat.Interval) stat.Value { return orReason(i.Low, i) }

	tests := []struct {
		name string
		got  stat.Value
		want string // part of the reason
	}{
		{"mean of none", value(stat.Mean(nil, .95)), "no values"},
		{"mean with NaN", value(stat.Mean([]float64{1, nan}, .95)), "value 2 of 2 is NaN"},
		{"mean with Inf", value(stat.Mean([]float64{inf}, .95)), "value 1 of 1 is +Inf"},
		{"mean at level 1", value(stat.Mean(two, 1)), "level 1"},
		{"mean at level NaN", value(stat.Mean(two, nan)), "level NaN"},
		{"interval of one", bound(stat.Mean(one, .95)), "one value has no spread"},
		{"clustered mean, one cluster", bound(stat.ClusteredMean(up, []int{1, 1, 1}, .95)), "one cluster"},
		{"clustered mean, ids missing", value(stat.ClusteredMean(up, []int{1, 1}, .95)), "cannot be paired"},
		{"clustered mean of none", value(stat.ClusteredMean(nil, []int{}, .95)), "no values"},
		{"clustered se, one cluster", stat.ClusteredSE(up, []int{1, 1, 1}), "one cluster has no spread"},
		{"mean whose interval overflows on one side", bound(stat.Mean([]float64{math.MaxFloat64, 0.99 * math.MaxFloat64, 0.98 * math.MaxFloat64}, .95)), "too wide"},
		{"mean at level 0", value(stat.Mean(two, 0)), "level 0"},
		{"wilson of none", value(stat.Wilson(0, 0, .95)), "no trials"},
		{"wilson of too many", value(stat.Wilson(3, 2, .95)), "3 successes of 2"},
		{"clopper-pearson of fewer than none", value(stat.ClopperPearson(-1, 2, .95)), "-1 successes"},
		{"sd of one", stat.SD(one, stat.Population), "two values"},
		{"cv of zeros", stat.CV(zero, stat.Population), "every value is zero"},
		{"cv of zero mean", stat.CV([]float64{-1, 1}, stat.Sample), "the mean is zero"},
		{"cv with NaN", stat.CV([]float64{nan, 1}, stat.Sample), "NaN"},
		{"pearson of constant x", stat.Pearson(flat, up).R, "first column is constant"},
		{"spearman of constant y", stat.Spearman(up, flat).R, "second column is constant"},
		{"kendall of constants", stat.KendallB(flat, flat).R, "both columns"},
		{"kendall p of constants", stat.KendallC(flat, up).P, "constant"},
		{"pearson of one", stat.Pearson(one, one).R, "two pairs"},
		{"pearson p of two", stat.Pearson(two, two).P, "on a line"},
		{"pearson of unpaired", stat.Pearson(one, two).R, "1 values cannot be paired with 2"},
		{"kendall with NaN", stat.KendallB([]float64{1, nan, 2}, up).R, "NaN"},
		{"fisher of three", bound(stat.Fisher(stat.Number(.5), 3, .95)), "four pairs"},
		{"within groups without any", value(stat.Within(flat, up, []int{1, 1, 1}, .95, stat.Pearson).Mean), "no group has a correlation"},
		{"prevalence of none", stat.Confusion{}.Prevalence(), "no verdicts"},
		{"correlation of what is too far apart", stat.Pearson([]float64{-math.MaxFloat64, math.MaxFloat64}, two).R, "spread is too large"},
		{"fisher of -1", bound(stat.Fisher(stat.Number(-1), 9, .95)), "on a line"},
		{"fisher of 1", bound(stat.Fisher(stat.Number(1), 9, .95)), "on a line"},
		{"mcc of one label said", stat.MCC(up, flat), "single label"},
		{"welch with one", stat.Welch(up, one, .95, "").P, "one value"},
		{"pooled sd without a sample", stat.PooledSD(nil, up), "three values"},
		{"power of 0", stat.Paired.Sessions(1, 0, .95), "power is not between"},
		{"bounds without room", value(stat.BoundedInterval([][]float64{{1}}, 1, 1, .95)), "no room"},
		{"fisher of 2", bound(stat.Fisher(stat.Number(2), 9, .95)), "between -1 and 1"},
		{"kappa of one label", stat.Kappa(flat, flat, nil, stat.Plain), "one and the same label"},
		{"kappa of none", stat.Kappa([]int{}, []int{}, nil, stat.Plain), "no pairs"},
		{"weighted kappa without labels", stat.Kappa(up, up, nil, stat.Linear), "full list of labels"},
		{"kappa with a foreign label", stat.Kappa(up, up, two, stat.Quadratic), "3 is not in the list"},
		{"kappa with a label twice", stat.Kappa(up, up, flat, stat.Quadratic), "is twice"},
		{"kappa of NaN", stat.Kappa([]float64{nan, 1}, two, nil, stat.Plain), "NaN is not in the list"},
		{"mcc of one label", stat.MCC(flat, up), "single label"},
		{"mcc of none", stat.MCC([]int{}, nil), "no pairs"},
		{"accuracy of none", stat.Accuracy([]int{}, nil), "no pairs"},
		{"accuracy of unpaired", stat.Accuracy(one, two), "cannot be paired"},
		{"mse of none", stat.MSE(nil, nil), "no pairs"},
		{"mse too large", stat.MSE([]float64{1e300}, []float64{-1e300}), "too large"},
		{"alpha of equal ratings", stat.Alpha([][]float64{{1, 1}, {1, 1}}, stat.Nominal), "all ratings are the same"},
		{"alpha of single ratings", stat.Alpha([][]float64{{1}, {2}, {}}, stat.Nominal), "no unit has two"},
		{"alpha ratio of negatives", stat.Alpha([][]float64{{-0.5, 2}}, stat.Ratio), "no negative ratings, there is -0.5"},
		{"alpha of an unknown metric", stat.Alpha([][]float64{{1, 2}}, "circular"), "circular"},
		{"alpha of NaN", stat.Alpha([][]float64{{1, nan}}, stat.Nominal), "NaN"},
		{"paired t of one", stat.PairedT(one, one, .95, "").P, "two pairs"},
		{"paired t of equals", stat.PairedT(up, up, .95, "").Statistic, "every difference is zero"},
		{"paired t of a shift", stat.PairedT(up, []float64{0, 1, 2}, .95, "").P, "every difference is the same"},
		{"paired t, unknown alternative", stat.PairedT(up, up, .95, "bigger").P, "bigger"},
		{"paired t of none", stat.PairedT(nil, nil, .95, "").P, "no pairs"},
		{"welch of one", stat.Welch(one, up, .95, "").P, "one value"},
		{"welch of none", value(stat.Welch(nil, up, .95, "").Diff), "empty"},
		{"welch of constants", stat.Welch(flat, zero, .95, "").P, "both samples are constant"},
		{"wilcoxon of equals", stat.Wilcoxon(up, up, stat.DropZeros, stat.Auto, "").P, "every difference is zero"},
		{"wilcoxon, zeros unnamed", stat.Wilcoxon(up, zero, "", stat.Auto, "").P, "neither wilcox nor pratt"},
		{"wilcoxon, unknown method", stat.Wilcoxon(up, zero, stat.DropZeros, "guess", "").P, "guess"},
		{"wilcoxon, exact of many", stat.Wilcoxon(make([]float64, 600), ramp(600), stat.DropZeros, stat.Exact, "").P, "too many"},
		{"sign test of none", stat.SignTest(nil, nil, "").P, "no pairs"},
		{"mcnemar of fewer than none", stat.McNemar(-1, 2).P, "negative"},
		{"bootstrap without source", bound(stat.Bootstrap{}.Mean(up, stat.Items(3))), "random source"},
		{"bootstrap of too few draws", bound(stat.Bootstrap{Draws: 100, Rand: source()}.Mean(up, stat.Items(3))), "100 resamples are too few"},
		{"bootstrap of one", bound(boot.Mean(one, stat.Items(1))), "two items"},
		{"bootstrap of none", value(boot.Mean(nil, nil)), "no values"},
		{"bootstrap of NaN", value(boot.Mean([]float64{nan}, stat.Items(1))), "NaN"},
		{"bootstrap at level 2", value(stat.Bootstrap{Level: 2, Rand: source()}.Mean(up, stat.Items(3))), "level 2"},
		{"bca of what resamples only lower", bound(stat.Bootstrap{BCa: true, Rand: source()}.Interval(stat.Items(99), distinct)), "one side"},
		{"bootstrap of a fickle statistic", bound(boot.Interval(stat.Items(3), fickle)), "undefined on"},
		{"cohen d of one", stat.CohenD(one, up), "fewer than two"},
		{"hedges g of constants", stat.HedgesG(flat, zero), "both samples are constant"},
		{"dz of a shift", stat.CohenDz(two, []float64{2, 3}), "every difference is the same"},
		{"cliff of none", stat.CliffDelta(nil, up), "empty"},
		{"rank biserial of equals", stat.RankBiserial(up, up), "every difference is zero"},
		{"pooled sd of two", stat.PooledSD(one, one), "three values"},
		{"sessions for nothing", stat.Paired.Sessions(0, .8, .95), "difference of zero"},
		{"sessions for next to nothing", stat.Unpaired.Sessions(1e-9, .8, .95), "more than 100000000"},
		{"sessions for certainty", stat.Paired.Sessions(1, 1, .95), "power is not between"},
		{"power of one", stat.Paired.Power(1, 1, .95), "two sessions"},
		{"power of NaN", stat.Paired.Power(nan, 5, .95), "NaN"},
		{"detectable by chance", stat.Paired.Detectable(9, .04, .95), "false alarms"},
		{"infinite number", stat.Number(inf), "too large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.got.OK() || !strings.Contains(tt.got.Reason, tt.want) {
				t.Errorf("got %v, want a reason with %q", tt.got, tt.want)
			}
			if tt.got.Ptr() != nil {
				t.Error("an undefined value has a number")
			}
		})
	}
}

func TestValueInWords(t *testing.T) {
	if got := stat.Number(0.25).String() + ", " + stat.Undefined("why").String(); got != "0.25, undefined: why" {
		t.Error(got)
	}
}

// orReason is a bound, or the reason why the interval has none.
func orReason(p *float64, i stat.Interval) stat.Value {
	if p != nil {
		return stat.Number(*p)
	}
	return stat.Undefined(i.Reason)
}

func ramp(n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = float64(i + 1)
	}
	return xs
}

// distinct counts the rows that differ: all of them, and fewer in practically every resample.
func distinct(rows []int) stat.Value {
	seen := make(map[int]bool)
	for _, row := range rows {
		seen[row] = true
	}
	return stat.Number(float64(len(seen)))
}

// fickle has no value where the first row is drawn twice.
func fickle(rows []int) stat.Value {
	zeros := 0
	for _, row := range rows {
		if row == 0 {
			zeros++
		}
	}
	if zeros > 1 {
		return stat.Undefined("the first row stands twice")
	}
	return stat.Number(float64(zeros))
}
