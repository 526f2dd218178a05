package table

import (
	"cmp"
	"strconv"

	"parley/eval"
	"parley/eval/stat"
)

// Result is a statistic, or the reason why there is none.
type Result struct {
	eval.Result
	Statistic *float64       `json:"statistic"`
	P         *float64       `json:"p"`
	DF        float64        `json:"df,omitempty"`
	Method    string         `json:"method,omitempty"`
	Label     string         `json:"label,omitempty"` // of a p value, by --group
	Clusters  int            `json:"clusters,omitempty"`
	Zeros     int            `json:"zeros,omitempty"`   // pairs that do not differ
	Lost      int            `json:"lost,omitempty"`    // resamples on which the statistic is undefined
	Skipped   map[string]int `json:"skipped,omitempty"` // groups without a value, by reason
	Dropped   int            `json:"dropped"`           // rows that lack a value
}

// Run computes the statistic from a table. The error is a Usage, or names the table and the line.
func (s *Statistic) Run(t *Table, o Options) ([]Result, error) {
	set, err := s.settings(o)
	if err != nil {
		return nil, err
	}
	subject := s
	if set.of != nil {
		subject = set.of
	}
	d, err := t.load(&o, subject, s.group)
	if err != nil {
		return nil, err
	}
	results := s.run(d, set)
	for i := range results {
		r := &results[i]
		r.Scorer, r.Of, r.Dropped = "stat", max(r.Of, r.N), d.dropped
		r.Metric = cmp.Or(r.Metric, s.Name)
	}
	return results, nil
}

// single is a result of one value.
func single(d *data, v stat.Value) Result {
	n := d.n()
	for _, unit := range d.units {
		if len(unit) < 2 { // of no use to alpha
			n--
		}
	}
	return Result{Result: eval.Result{Value: v.Ptr(), N: n, Of: d.of, Unit: d.unit, Reason: v.Reason}}
}

// spread is a result of an estimate with its interval.
func spread(d *data, i stat.Interval) Result {
	r := single(d, stat.Value{})
	r.Value, r.Low, r.High, r.N, r.Reason = i.Value, i.Low, i.High, i.N, i.Reason
	r.Clusters, r.Lost = i.Clusters, i.Lost
	return r
}

// with adds a test to a result.
func (r Result) with(t stat.Test) Result {
	r.Statistic, r.P, r.DF, r.Method, r.Zeros = t.Statistic.Ptr(), t.P.Ptr(), t.DF, t.Method, t.Zeros
	if r.Reason == "" {
		r.Reason = t.P.Reason
	}
	return r
}

// tested is a result whose value is the statistic of a test.
func tested(d *data, t stat.Test) Result {
	r := single(d, t.Statistic).with(t)
	r.N = t.N
	return r
}

func only(r Result) []Result { return []Result{r} }

func rowsMean(d *data, o *settings) stat.Value { return meanValue(d.x, o.level) }

func rowsDifference(d *data, o *settings) stat.Value {
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

func runMean(d *data, o *settings) []Result {
	if d.grouped {
		return only(spread(d, stat.ClusteredMean(d.x, d.group, o.level)))
	}
	return only(spread(d, stat.Mean(d.x, o.level)))
}

func runClusteredSE(d *data, _ *settings) []Result {
	r := single(d, stat.ClusteredSE(d.x, d.group))
	r.Clusters = len(stat.Clusters(d.group))
	return only(r)
}

func runProportion(of func(k, n int, level float64) stat.Interval) func(*data, *settings) []Result {
	return func(d *data, o *settings) []Result {
		k := 0
		for _, yes := range d.x {
			k += int(yes)
		}
		return only(spread(d, of(k, len(d.x), o.level)))
	}
}

func runBootstrap(d *data, o *settings) []Result {
	i := o.boot.Interval(d.clusters(), func(rows []int) stat.Value { return o.of.value(d.pick(rows), o) })
	r := spread(d, i)
	r.Metric, r.Method = o.of.Name, "bootstrap "+o.method
	return only(r)
}

func runCorrelation(name string, of func(x, y []float64) stat.Correlation) func(*data, *settings) []Result {
	return func(d *data, o *settings) []Result {
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

func rowsKappa(w stat.Weights) func(*data, *settings) stat.Value {
	return func(d *data, o *settings) stat.Value {
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

func rowsAlpha(m stat.Metric) func(*data, *settings) stat.Value {
	return func(d *data, _ *settings) stat.Value {
		if m == stat.Nominal {
			return stat.AlphaOf(d.units)
		}
		units := make([][]float64, len(d.units))
		for i, unit := range d.units {
			for _, rating := range unit {
				v, _ := strconv.ParseFloat(rating, 64) // it was read as one
				units[i] = append(units[i], v)
			}
		}
		return stat.Alpha(units, m)
	}
}

func runPairedT(d *data, o *settings) []Result {
	c := stat.PairedT(d.x, d.y, o.level, o.alternative)
	return only(spread(d, c.Diff).with(c.Test))
}

func runWelch(d *data, o *settings) []Result {
	c := stat.Welch(d.x, d.y, o.level, o.alternative)
	return only(spread(d, c.Diff).with(c.Test))
}

func runWilcoxon(d *data, o *settings) []Result {
	return only(tested(d, stat.Wilcoxon(d.x, d.y, o.zeros, stat.Method(o.method), o.alternative)))
}

func runSign(d *data, o *settings) []Result {
	return only(tested(d, stat.SignTest(d.x, d.y, o.alternative)))
}

func runMcNemar(d *data, _ *settings) []Result {
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

func runPairedBootstrap(d *data, o *settings) []Result {
	c := o.boot.Paired(d.x, d.y, d.clusters())
	return only(spread(d, c.Diff).with(c.Test))
}

func runAdjusted(adjust func([]stat.Value) []stat.Value) func(*data, *settings) []Result {
	return func(d *data, _ *settings) []Result {
		ps := make([]stat.Value, len(d.x))
		for i, p := range d.x {
			ps[i] = stat.Number(p)
		}
		var out []Result
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
func runPower(design stat.Design) func(*data, *settings) []Result {
	return func(d *data, o *settings) []Result {
		var sd stat.Value
		diff, n, unit := 0.0, len(d.x), "pairs"
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
		if o.diff != nil {
			diff = *o.diff
		}
		if sd.OK() && sd.V == 0 {
			sd = stat.Undefined("there is no spread in the table to plan with")
		}
		on := func(metric string, of func(sd float64) stat.Value) Result {
			v := sd
			if sd.OK() {
				v = of(sd.V)
			}
			return Result{Result: eval.Result{Metric: metric, Value: v.Ptr(), N: n, Of: n, Unit: unit, Reason: v.Reason}}
		}
		return []Result{
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
