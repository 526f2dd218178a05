package stat

import (
	"fmt"
	"math"
	"strconv"
)

// Value is a number, or the reason why there is none.
type Value struct {
	V      float64 // meaningful only where Reason is empty
	Reason string  // why the value is undefined; empty where it is defined
}

// Number makes a Value of v. What is not finite is undefined.
func Number(v float64) Value {
	switch {
	case math.IsNaN(v):
		return Undefined("the result is not a number")
	case math.IsInf(v, 0):
		return Undefined("the result is too large for a float64")
	}
	return Value{V: v}
}

// Undefined makes a Value that has no number, for the reason that is given.
func Undefined(reason string) Value { return Value{Reason: reason} }

func undefinedf(format string, args ...any) Value { return Undefined(fmt.Sprintf(format, args...)) }

// OK reports whether there is a number.
func (v Value) OK() bool { return v.Reason == "" }

// Ptr returns the number as rows of a table hold it: nil where it is undefined.
func (v Value) Ptr() *float64 {
	if !v.OK() {
		return nil
	}
	return &v.V
}

// String returns the shortest number that reads back the same, or the reason.
func (v Value) String() string {
	if !v.OK() {
		return "undefined: " + v.Reason
	}
	return strconv.FormatFloat(v.V, 'g', -1, 64)
}

// Interval is an estimate with its confidence interval. Either may be missing.
type Interval struct {
	Value    *float64 // the estimate
	Low      *float64 // nil, like High, where there is no interval
	High     *float64
	N        int    // values that the estimate rests on
	Clusters int    // clusters that they form; 0 where they stand alone
	Lost     int    // resamples on which the statistic was undefined, left out of a bootstrap
	Reason   string // why the estimate or its interval is missing
}

// around makes an interval that holds v; a bound that is not finite leaves the estimate alone.
func around(v Value, low, high float64, n int) Interval {
	if !v.OK() {
		return Interval{N: n, Reason: v.Reason}
	}
	l, h := Number(low), Number(high)
	if !l.OK() || !h.OK() {
		return bare(v, n, "the interval is too wide for a float64")
	}
	return Interval{Value: v.Ptr(), Low: l.Ptr(), High: h.Ptr(), N: n}
}

// bare makes an estimate that has no interval, for a reason.
func bare(v Value, n int, reason string) Interval {
	if !v.OK() {
		reason = v.Reason
	}
	return Interval{Value: v.Ptr(), N: n, Reason: reason}
}

// unfit says why values cannot be used: one is NaN or infinite. Empty: they can.
func unfit(samples ...[]float64) string {
	for _, xs := range samples {
		for i, x := range xs {
			if !Number(x).OK() {
				return fmt.Sprintf("value %d of %d is %v: drop it or correct it", i+1, len(xs), x)
			}
		}
	}
	return ""
}

// unpaired says why two columns cannot be paired by position. Empty: they can.
func unpaired(n, m int) string {
	if n != m {
		return fmt.Sprintf("%d values cannot be paired with %d", n, m)
	}
	return ""
}

// badLevel says why a confidence level is none. Empty: it is one.
func badLevel(level float64) string {
	if !(level > 0 && level < 1) {
		return fmt.Sprintf("level %v is not between 0 and 1", level)
	}
	return ""
}
