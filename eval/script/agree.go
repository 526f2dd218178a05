package script

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"parley/eval"
	"parley/eval/stat"
)

// Verdicts are the verdicts of people, one a script and metric.
type Verdicts struct {
	Of    map[[3]string]*float64 // task, arm, metric; nil: no value, or no majority
	Ties  int                    // among several people, of which none has a majority
	Given int                    // single verdicts read
}

// ReadHuman reads people's verdicts from CSV: columns task, model, and one for each metric that was
// judged, 1 being good, with True and False, 1 and 0, yes and no, or empty cells. Rows of one task
// and model are several people's, of which the majority counts; half and half is no verdict.
func ReadHuman(r io.Reader, name string) (*Verdicts, error) {
	votes := map[[3]string][2]int{}
	v := &Verdicts{Of: map[[3]string]*float64{}}
	model := "model"
	var metrics []string
	err := eval.EachRow(r, name, func(has map[string]bool) error {
		if !has[model] {
			model = "arm"
		}
		for _, m := range metricNames() {
			if has[strings.ToLower(m)] {
				metrics = append(metrics, m)
			}
		}
		if !has["task"] || !has[model] || metrics == nil {
			return fmt.Errorf("a sheet has the columns task, model and at least one of %s", strings.Join(metricNames(), ", "))
		}
		return nil
	}, func(cell func(string) string) error {
		if cell("task") == "" || cell(model) == "" {
			return errors.New("the row does not name its task and model")
		}
		for _, m := range metrics {
			text := cell(strings.ToLower(m))
			value, ok := readYes(text)
			if !ok {
				return fmt.Errorf("column %s: %q is neither yes nor no", m, text)
			}
			key := [3]string{cell("task"), cell(model), m}
			count := votes[key]
			if value != nil {
				v.Given++
				count[int(*value)]++
			}
			votes[key] = count
		}
		return nil
	})
	for key, count := range votes {
		v.Of[key] = nil
		switch {
		case count[0] == count[1] && count[0] > 0:
			v.Ties++
		case count[0] > count[1]:
			v.Of[key] = new(0.0)
		case count[1] > count[0]:
			v.Of[key] = new(1.0)
		}
	}
	return v, err
}

// Agreement is how a judge's verdicts on one metric, or on several, agree with people's. 1 is good, so that a
// positive is a script without the fault.
type Agreement struct {
	Metric    Metric
	N         int // pairs
	Of        int // verdicts of the judge, scored or not
	NoHuman   int // pairs dropped as no person's verdict is there
	NoJudge   int // pairs dropped as the judge's is unscored
	Confusion stat.Confusion
	Accuracy  stat.Interval // Wilson
	MSE       stat.Value    // of verdicts 0 and 1: the share of disagreements, 1 - accuracy
	Kappa     stat.Value
	MCC       stat.Value

	truth, said []bool // the pairs
}

// measure computes the measures of the pairs.
func (a *Agreement) measure(level float64) {
	a.N = len(a.truth)
	a.Confusion, _ = stat.Confuse(a.truth, a.said) // they are as long as each other
	right := a.Confusion.TruePos + a.Confusion.TrueNeg
	a.Accuracy = stat.Wilson(right, a.N, level)
	a.Kappa, a.MCC = stat.Kappa(a.truth, a.said, nil, stat.Plain), stat.MCC(a.truth, a.said)
	if a.MSE = stat.Undefined("there are no pairs"); a.N > 0 {
		a.MSE = stat.Number(float64(a.N-right) / float64(a.N))
	}
}

// Agree compares scores of one scorer with people's verdicts, a metric at a time.
func Agree(scores []eval.Score, people *Verdicts, level float64) []Agreement {
	var list []Agreement
	for _, m := range metricNames() {
		a := Agreement{Metric: Metric(m)}
		for i := range scores {
			s := &scores[i]
			if s.Metric != m {
				continue
			}
			a.Of++
			switch human := people.Of[[3]string{s.Session, s.Arm, m}]; {
			case human == nil:
				a.NoHuman++
			case s.Value == nil:
				a.NoJudge++
			default:
				a.truth, a.said = append(a.truth, *human == 1), append(a.said, *s.Value == 1)
			}
		}
		if a.Of > 0 {
			a.measure(level)
			list = append(list, a)
		}
	}
	return list
}

// Join returns the agreement over all pairs of all metrics alike.
func Join(list []Agreement, level float64) Agreement {
	all := Agreement{}
	for _, a := range list {
		all.Of, all.NoHuman, all.NoJudge = all.Of+a.Of, all.NoHuman+a.NoHuman, all.NoJudge+a.NoJudge
		all.truth, all.said = append(all.truth, a.truth...), append(all.said, a.said...)
	}
	all.measure(level)
	return all
}

// Macro returns the mean of a measure over the metrics that have it, and their number.
func Macro(list []Agreement, of func(*Agreement) stat.Value) (stat.Value, int) {
	sum, n := 0.0, 0
	for i := range list {
		if v := of(&list[i]); v.OK() {
			sum, n = sum+v.V, n+1
		}
	}
	if n == 0 {
		return stat.Undefined("it is defined for no metric"), 0
	}
	return stat.Number(sum / float64(n)), n
}

// Agreement makes the lines of the table, and counts pairs, and pairs that lack the judge's verdict.
func (d *Data) Agreement(people *Verdicts) (results []eval.Result, pairs, lost int) {
	measures := []struct {
		name string
		of   func(*Agreement) stat.Value
	}{
		{"accuracy", func(a *Agreement) stat.Value { return stat.Accuracy(a.truth, a.said) }}, {"mse", func(a *Agreement) stat.Value { return a.MSE }},
		{"kappa", func(a *Agreement) stat.Value { return a.Kappa }}, {"mcc", func(a *Agreement) stat.Value { return a.MCC }},
	}
	for _, scorer := range d.Scorers() {
		line := func(a *Agreement, metric, arm string, value *float64, reason string) {
			r := eval.Result{Scorer: scorer, Metric: metric, Arm: scorer + " " + arm, Value: value, N: a.N, Of: a.Of, Unit: "pairs", Reason: strings.Trim(reason, "; ")}
			if metric == "accuracy" && arm != "macro" {
				r.Low, r.High = a.Accuracy.Low, a.Accuracy.High
			}
			results = append(results, r)
		}
		list := Agree(d.scores[scorer], people, eval.Confidence)
		for i := range list {
			a := &list[i]
			about := map[string]string{
				"accuracy": fmt.Sprintf("%d without a person's verdict, %d without the judge's", a.NoHuman, a.NoJudge),
				"mse":      "of yes and no: the share of disagreements, 1 - accuracy",
			}
			for _, m := range measures {
				v := m.of(a)
				line(a, m.name, string(a.Metric), v.Ptr(), about[m.name]+"; "+v.Reason)
			}
			line(a, "prevalence", string(a.Metric), a.Confusion.Prevalence().Ptr(), a.Confusion.Prevalence().Reason)
			line(a, "false_pass", string(a.Metric), new(float64(a.Confusion.FalsePos)), "the judge says good, people say bad")
			line(a, "false_fail", string(a.Metric), new(float64(a.Confusion.FalseNeg)), "the judge says bad, people say good")
			pairs, lost = pairs+a.N, lost+a.NoJudge
		}
		all := Join(list, eval.Confidence)
		for _, m := range measures {
			v := m.of(&all)
			line(&all, m.name, "micro", v.Ptr(), "over all pairs alike; "+v.Reason)
			v, n := Macro(list, m.of)
			line(&all, m.name, "macro", v.Ptr(), fmt.Sprintf("mean over the metrics that have one: %d; %s", n, v.Reason))
		}
	}
	return results, pairs, lost
}
