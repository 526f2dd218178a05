package stat

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Test is the outcome of a test of significance.
type Test struct {
	Statistic Value
	P         Value
	DF        float64 // degrees of freedom; 0 where the test has none
	N         int     // values or pairs that the test rests on
	Zeros     int     // pairs without a difference
	Method    string  // which test, and how p was had
}

func untested(n int, why string) Test {
	return Test{Statistic: Undefined(why), P: Undefined(why), N: n}
}

// Comparison is a difference with its interval and the test of whether there is one.
type Comparison struct {
	Diff Interval
	Test
}

func noComparison(n int, why string) Comparison {
	return Comparison{Diff: Interval{N: n, Reason: why}, Test: untested(n, why)}
}

// differences are a[i]-b[i].
func differences(a, b []float64) ([]float64, string) {
	if why := cmp.Or(unpaired(len(a), len(b)), unfit(a, b)); why != "" {
		return nil, why
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
		if !Number(d[i]).OK() {
			return nil, fmt.Sprintf("the difference of pair %d is too large for a float64", i+1)
		}
	}
	if len(d) == 0 {
		return nil, "no pairs"
	}
	return d, ""
}

// PairedT is the mean of a[i]-b[i] with its t interval, and Student's paired t test.
func PairedT(a, b []float64, level float64, alt Alternative) Comparison {
	d, why := differences(a, b)
	if why = cmp.Or(badLevel(level), badAlternative(alt), why); why != "" {
		return noComparison(len(a), why)
	}
	out := Comparison{Diff: Mean(d, level), Test: untested(len(d), "")}
	out.Method, out.Zeros = "paired t", zeros(d)
	switch {
	case len(d) < 2:
		why = "a paired t test needs two pairs"
	case constant(d) && d[0] == 0:
		why = "every difference is zero"
	case constant(d):
		why = "every difference is the same: no spread to test against"
	}
	if why != "" {
		out.Statistic, out.P = Undefined(why), Undefined(why)
		return out
	}
	out.DF = float64(len(d) - 1)
	out.Statistic = Number(mean(d) / (sd(d, Sample) / math.Sqrt(float64(len(d)))))
	out.P = out.Statistic
	if out.P.OK() {
		out.P = Number(tP(out.Statistic.V, out.DF, alt))
	}
	return out
}

// Welch is mean(a)-mean(b) of independent samples with its interval, and Welch's t test, which does
// not take the variances as equal (Welch 1947).
func Welch(a, b []float64, level float64, alt Alternative) Comparison {
	n := len(a) + len(b)
	why := cmp.Or(badLevel(level), badAlternative(alt), unfit(a, b))
	switch {
	case why != "":
	case len(a) == 0 || len(b) == 0:
		why = "one sample is empty"
	}
	if why != "" {
		return noComparison(n, why)
	}
	diff := Number(mean(a) - mean(b))
	out := Comparison{Diff: Interval{Value: diff.Ptr(), N: n}, Test: untested(n, "")}
	out.Method = "welch t"
	switch {
	case !diff.OK():
		why = diff.Reason
	case len(a) < 2 || len(b) < 2:
		why = "a sample of one value has no spread"
	case constant(a) && constant(b):
		why = "both samples are constant: no spread to test against"
	}
	if why != "" {
		out.Diff.Reason = why
		out.Statistic, out.P = Undefined(why), Undefined(why)
		return out
	}
	ea := sd(a, Sample) / math.Sqrt(float64(len(a)))
	eb := sd(b, Sample) / math.Sqrt(float64(len(b)))
	se := math.Hypot(ea, eb)
	wa, wb := ea/se*(ea/se), eb/se*(eb/se)
	out.DF = 1 / (wa*wa/float64(len(a)-1) + wb*wb/float64(len(b)-1))
	if !Number(out.DF).OK() { // nor is it where the error is not
		return noComparison(n, "the spread is too large or too small for a float64")
	}
	half := tQuantile(level, out.DF) * se
	out.Diff = around(diff, diff.V-half, diff.V+half, n)
	out.Statistic = Number(diff.V / se)
	out.P = out.Statistic
	if out.P.OK() {
		out.P = Number(tP(out.Statistic.V, out.DF, alt))
	}
	return out
}

// SignTest is the exact binomial test of whether a[i] > b[i] is as frequent as a[i] < b[i]; ties are
// left out and counted. The statistic is the number of pairs with a[i] > b[i]. Without any difference
// p is 1.
func SignTest(a, b []float64, alt Alternative) Test {
	d, why := differences(a, b)
	if why = cmp.Or(badAlternative(alt), why); why != "" {
		return untested(len(a), why)
	}
	up, down := 0, 0
	for _, v := range d {
		switch {
		case v > 0:
			up++
		case v < 0:
			down++
		}
	}
	return Test{
		Statistic: Number(float64(up)), P: coin(up, down, alt),
		N: up + down, Zeros: len(d) - up - down, Method: "sign, exact",
	}
}

// McNemar is the exact McNemar test of paired yes or no: only01 pairs have no and yes, only10 have
// yes and no. The statistic is the smaller of both. Without any discordant pair p is 1.
func McNemar(only01, only10 int) Test {
	if only01 < 0 || only10 < 0 {
		return untested(0, "a count of pairs is negative")
	}
	return Test{
		Statistic: Number(float64(min(only01, only10))), P: coin(only01, only10, TwoSided),
		N: only01 + only10, Method: "mcnemar, exact",
	}
}

// coin is the p value of heads and tails of a fair coin.
func coin(heads, tails int, alt Alternative) Value {
	n := heads + tails
	switch alt {
	case Greater:
		return Number(binomialTail(heads, n, 0.5))
	case Less:
		return Number(binomialTail(tails, n, 0.5))
	}
	return Number(math.Min(1, 2*binomialTail(max(heads, tails), n, 0.5)))
}

func badAlternative(alt Alternative) string {
	switch alt {
	case TwoSided, Greater, Less:
		return ""
	}
	return fmt.Sprintf("alternative %q is none of greater, less and two-sided (empty)", alt)
}

func zeros(d []float64) int {
	return floats.Count(func(v float64) bool { return v == 0 }, d)
}
