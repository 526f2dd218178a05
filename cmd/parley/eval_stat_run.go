package main

import (
	"strconv"

	"parley/eval"
	"parley/eval/stat"
)

// single is a result of one value.
func single(d *statData, v stat.Value) statResult {
	n := d.n()
	for _, unit := range d.units {
		if len(unit) < 2 { // of no use to alpha
			n--
		}
	}
	return statResult{Result: eval.Result{Value: v.Ptr(), N: n, Of: d.of, Unit: d.unit, Reason: v.Reason}}
}

// spread is a result of an estimate with its interval.
func spread(d *statData, i stat.Interval) statResult {
	r := single(d, stat.Value{})
	r.Value, r.Low, r.High, r.N, r.Reason = i.Value, i.Low, i.High, i.N, i.Reason
	r.Clusters, r.Lost = i.Clusters, i.Lost
	return r
}

// with adds a test to a result.
func (r statResult) with(t stat.Test) statResult {
	r.Statistic, r.P, r.DF, r.Method, r.Zeros = t.Statistic.Ptr(), t.P.Ptr(), t.DF, t.Method, t.Zeros
	if r.Reason == "" {
		r.Reason = t.P.Reason
	}
	return r
}

// tested is a result whose value is the statistic of a test.
func tested(d *statData, t stat.Test) statResult {
	r := single(d, t.Statistic).with(t)
	r.N = t.N
	return r
}

func only(r statResult) []statResult { return []statResult{r} }

func rowsMean(d *statData, o *statOptions) stat.Value { return meanValue(d.x, o.level) }

func rowsDifference(d *statData, o *statOptions) stat.Value {
	diff := make([]float64, len(d.x))
	for i := range diff {
		diff[i] = d.x[i] - d.y[i]
	}
	return meanValue(diff, o.level)
}

func meanValue(xs []float64, level float64) stat.Value {
	m := stat.Mean(xs, level)
	if m.Value == nil {
		return stat.Undefined(m.Reason)
	}
	return stat.Number(*m.Value)
}

func runMean(d *statData, o *statOptions) []statResult {
	if d.grouped {
		return only(spread(d, stat.ClusteredMean(d.x, d.group, o.level)))
	}
	return only(spread(d, stat.Mean(d.x, o.level)))
}

func runClusteredSE(d *statData, _ *statOptions) []statResult {
	r := single(d, stat.ClusteredSE(d.x, d.group))
	r.Clusters = len(stat.Clusters(d.group))
	return only(r)
}

func runProportion(of func(k, n int, level float64) stat.Interval) func(*statData, *statOptions) []statResult {
	return func(d *statData, o *statOptions) []statResult {
		k := 0
		for _, yes := range d.x {
			k += int(yes)
		}
		return only(spread(d, of(k, len(d.x), o.level)))
	}
}

func runBootstrap(d *statData, o *statOptions) []statResult {
	i := o.boot.Interval(d.clusters(), func(rows []int) stat.Value { return o.of.value(d.pick(rows), o) })
	r := spread(d, i)
	r.Metric, r.Method = o.of.name, "bootstrap "+o.method
	return only(r)
}

func runCorrelation(name string, of func(x, y []float64) stat.Correlation) func(*statData, *statOptions) []statResult {
	return func(d *statData, o *statOptions) []statResult {
		if d.grouped {
			in := stat.Within(d.x, d.y, d.group, o.level, of)
			r := spread(d, in.Mean)
			r.Of, r.Unit, r.Skipped = in.Groups, "groups", in.Skipped
			return only(r)
		}
		c := of(d.x, d.y)
		r := single(d, c.R).with(stat.Test{Statistic: c.R, P: c.P, N: c.N, Method: c.Method})
		if name == "pearson" && c.R.OK() {
			i := stat.Fisher(c.R, c.N, o.level)
			r.Low, r.High = i.Low, i.High
			if r.Reason == "" {
				r.Reason = i.Reason
			}
		}
		return only(r)
	}
}

func rowsKappa(w stat.Weights) func(*statData, *statOptions) stat.Value {
	return func(d *statData, o *statOptions) stat.Value {
		if w == stat.Plain {
			return stat.Kappa(d.xLabels, d.yLabels, o.labels, w)
		}
		scale, why := d.scale(o.labels)
		if why != "" {
			return stat.Undefined(why)
		}
		return stat.Kappa(d.xLabels, d.yLabels, scale, w)
	}
}

func rowsAlpha(m stat.Metric) func(*statData, *statOptions) stat.Value {
	return func(d *statData, _ *statOptions) stat.Value {
		if m == stat.Nominal {
			return stat.AlphaOf(d.units)
		}
		units := make([][]float64, len(d.units))
		for i, unit := range d.units {
			for _, rating := range unit {
				v, err := strconv.ParseFloat(rating, 64)
				if err != nil {
					return stat.Undefined("rating " + rating + " is not a number")
				}
				units[i] = append(units[i], v)
			}
		}
		return stat.Alpha(units, m)
	}
}

func runPairedT(d *statData, o *statOptions) []statResult {
	c := stat.PairedT(d.x, d.y, o.level, o.alternative)
	return only(spread(d, c.Diff).with(c.Test))
}

func runWelch(d *statData, o *statOptions) []statResult {
	c := stat.Welch(d.x, d.y, o.level, o.alternative)
	return only(spread(d, c.Diff).with(c.Test))
}

func runWilcoxon(d *statData, o *statOptions) []statResult {
	return only(tested(d, stat.Wilcoxon(d.x, d.y, o.zeros, stat.Method(o.method), o.alternative)))
}

func runSign(d *statData, o *statOptions) []statResult {
	return only(tested(d, stat.SignTest(d.x, d.y, o.alternative)))
}

func runMcNemar(d *statData, _ *statOptions) []statResult {
	only01, only10 := 0, 0
	for i := range d.x {
		switch {
		case d.x[i] < d.y[i]:
			only01++
		case d.x[i] > d.y[i]:
			only10++
		}
	}
	t := stat.McNemar(only01, only10)
	t.Zeros, t.N = len(d.x)-only01-only10, len(d.x)
	return only(tested(d, t))
}

func runPairedBootstrap(d *statData, o *statOptions) []statResult {
	c := o.boot.Paired(d.x, d.y, d.clusters())
	return only(spread(d, c.Diff).with(c.Test))
}

func runAdjusted(adjust func([]stat.Value) []stat.Value) func(*statData, *statOptions) []statResult {
	return func(d *statData, _ *statOptions) []statResult {
		ps := make([]stat.Value, len(d.x))
		for i, p := range d.x {
			ps[i] = stat.Number(p)
		}
		var out []statResult
		for i, p := range adjust(ps) {
			r := single(d, p)
			r.Unit, r.P, r.Statistic = "tests", p.Ptr(), ps[i].Ptr()
			if d.grouped {
				r.Label = d.group[i]
			}
			out = append(out, r)
		}
		return out
	}
}

// runPower gives the sessions that a difference needs, the difference that the table's sessions can
// see, and their chance of seeing it, with the standard deviation of the table.
func runPower(design stat.Design) func(*statData, *statOptions) []statResult {
	return func(d *statData, o *statOptions) []statResult {
		diff, sd, n, unit := 0.0, stat.Value{}, len(d.x), "pairs"
		if design == stat.Paired {
			deltas := make([]float64, len(d.x))
			for i := range deltas {
				deltas[i] = d.x[i] - d.y[i]
			}
			sd = stat.SD(deltas, stat.Sample)
			diff = meanValue(deltas, o.level).V
		} else {
			sd = stat.PooledSD(d.x, d.y)
			diff = meanValue(d.x, o.level).V - meanValue(d.y, o.level).V
			n, unit = min(len(d.x), len(d.y)), "sessions an arm"
		}
		if o.hasDiff {
			diff = o.diff
		}
		if sd.OK() && sd.V == 0 {
			sd = stat.Undefined("there is no spread in the table to plan with")
		}
		on := func(metric string, of func(sd float64) stat.Value) statResult {
			v := sd
			if sd.OK() {
				v = of(sd.V)
			}
			return statResult{Result: eval.Result{Metric: metric, Value: v.Ptr(), N: n, Of: n, Unit: unit, Reason: v.Reason}}
		}
		return []statResult{
			on("sessions needed", func(sd float64) stat.Value { return design.Sessions(diff/sd, o.power, o.level) }),
			on("difference seen", func(sd float64) stat.Value {
				effect := design.Detectable(n, o.power, o.level)
				if !effect.OK() {
					return effect
				}
				return stat.Number(effect.V * sd)
			}),
			on("power", func(sd float64) stat.Value { return design.Power(diff/sd, n, o.level) }),
		}
	}
}
