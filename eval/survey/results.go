package survey

import (
	"fmt"
	"maps"
	"slices"

	"parley/eval"
	"parley/eval/stat"
)

// Results are the tables as lines of the documented shape: scorer survey; the arm is the agent; the
// metric is aspect:mean, aspect:negative, aspect:positive, aspect:changed, aspect:total,
// aspect:definitions, and new_aspect:name. Counts have Wilson's interval of their share of n, times n.
func (d *Data) Results() []eval.Result {
	var list []eval.Result
	for _, s := range d.Spreads() {
		r := eval.Result{Scorer: "survey", Metric: s.Aspect + ":mean", Arm: string(s.Agent), N: s.Of - s.Unscored, Of: s.Of, Unit: "documents"}
		if s.Named {
			for _, label := range slices.Sorted(maps.Keys(s.Labels)) {
				list = append(list, counted(s.Aspect+":"+label, string(s.Agent), s.Labels[label], r.N, r.Of))
			}
			continue
		}
		i := stat.Mean(s.Values, 0.95)
		r.Value, r.Low, r.High, r.Reason = i.Value, i.Low, i.High, i.Reason
		if r.Low != nil {
			low, high := max(1, *r.Low), min(5, *r.High)
			r.Low, r.High = &low, &high
		}
		if s.Unscored > 0 {
			r.Reason = joinReasons(r.Reason, d.whyNot(s.Agent, s.Aspect))
		}
		list = append(list, r)
	}
	for _, t := range d.Rectifications() {
		for _, c := range []struct {
			name  string
			n     int
			shown bool
		}{{"negative", t.Negative, t.Graded}, {"positive", t.Positive, t.Graded}, {"changed", t.Changed, !t.Graded}, {"total", t.Total, true}} {
			if c.shown {
				list = append(list, counted(t.Aspect+":"+c.name, string(t.Agent), c.n, t.Of-t.Unscored, t.Of))
			}
		}
		if t.Agent == Sage {
			list = append(list, counted(t.Aspect+":definitions", string(t.Agent), t.Definitions, t.Asked, t.Of))
		}
	}
	asked, of := 0, 0
	for i := range d.Proposals {
		if p := &d.Proposals[i]; p.Kind == Asked {
			of++
			if p.Status == eval.Scored {
				asked++
			}
		}
	}
	for _, c := range d.NewAspects() {
		list = append(list, counted("new_aspect:"+slug(c.Name), string(Sage), c.Count, asked, of))
	}
	return list
}

// counted is a result that is a count of k in n.
func counted(metric, arm string, k, n, of int) eval.Result {
	r := eval.Result{Scorer: "survey", Metric: metric, Arm: arm, N: n, Of: of, Unit: "documents"}
	if n == 0 {
		r.Reason = "nothing was scored"
		return r
	}
	v, i := float64(k), stat.Wilson(k, n, 0.95)
	r.Value = &v
	if i.Low != nil {
		low, high := *i.Low*float64(n), *i.High*float64(n)
		r.Low, r.High = &low, &high
	}
	return r
}

// whyNot tells why an agent's verdicts on an aspect are missing.
func (d *Data) whyNot(agent Agent, aspect string) string {
	counts := map[string]int{}
	for i := range d.Verdicts {
		if v := &d.Verdicts[i]; v.Agent == agent && v.Aspect == aspect && !v.Scored() {
			counts[string(v.Status)+": "+v.Reason]++
		}
	}
	text := ""
	for _, why := range slices.Sorted(maps.Keys(counts)) {
		text = joinReasons(text, fmt.Sprintf("%d x %s", counts[why], why))
	}
	return text
}

func joinReasons(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// AgreementResults are correlations and ceilings as lines of the documented shape: the metric is
// aspect:spearman, aspect:kendall (tau-b) or aspect:alpha, the control what was held against.
func AgreementResults(list []Agreement, ceilings []Ceiling, documents int) []eval.Result {
	var out []eval.Result
	add := func(metric, arm, control string, i stat.Interval) {
		out = append(out, eval.Result{Scorer: "survey", Metric: metric, Arm: arm, Control: control, Value: i.Value, Low: i.Low, High: i.High,
			N: i.N, Of: documents, Unit: "documents", Reason: i.Reason})
	}
	for _, a := range list {
		add(a.Aspect+":spearman", string(a.Agent), string(a.Against), a.Spearman)
		add(a.Aspect+":kendall", string(a.Agent), string(a.Against), a.Kendall)
	}
	for _, c := range ceilings {
		add(c.Aspect+":alpha", "people", "", stat.Interval{Value: c.Alpha.Ptr(), N: c.Units, Reason: c.Alpha.Reason})
	}
	return out
}
