package script

import (
	"fmt"

	"parley/eval"
	"parley/eval/stat"
)

// Agreement makes the lines of the table, and counts pairs, and pairs that lack the judge's verdict.
func (d *Data) Agreement(people *Verdicts) (results []eval.Result, pairs, lost int) {
	for _, scorer := range d.Scorers() {
		list := Agree(d.findings[scorer], people, eval.Confidence)
		add := func(metric, arm string, value *float64, n, of int, reason string) *eval.Result {
			results = append(results, eval.Result{Scorer: scorer, Metric: metric, Arm: arm, Value: value, N: n, Of: of, Unit: "pairs", Reason: reason})
			return &results[len(results)-1]
		}
		value := func(metric string, arm string, v stat.Value, n, of int) { add(metric, arm, v.Ptr(), n, of, v.Reason) }
		for _, a := range list {
			arm := scorer + " " + string(a.Metric)
			dropped := fmt.Sprintf("%d without a person's verdict, %d without the judge's", a.NoHuman, a.NoJudge)
			r := add("accuracy", arm, a.Accuracy.Value, a.N, a.Of, dropped)
			r.Low, r.High = a.Accuracy.Low, a.Accuracy.High
			add("mse", arm, a.MSE.Ptr(), a.N, a.Of, "of yes and no: the share of disagreements, 1 - accuracy "+a.MSE.Reason)
			value("kappa", arm, a.Kappa, a.N, a.Of)
			value("mcc", arm, a.MCC, a.N, a.Of)
			value("prevalence", arm, a.Confusion.Prevalence(), a.N, a.Of)
			add("false_pass", arm, countOf(a.Confusion.FalsePos), a.N, a.Of, "the judge says good, people say bad")
			add("false_fail", arm, countOf(a.Confusion.FalseNeg), a.N, a.Of, "the judge says bad, people say good")
			pairs, lost = pairs+a.N, lost+a.NoJudge
		}
		o := Join(list, eval.Confidence)
		micro, macro := scorer+" micro", scorer+" macro"
		const alike, over = "over all pairs alike ", "mean over the metrics that have one: %d %s"
		r := add("accuracy", micro, o.MicroAccuracy.Value, o.N, o.Of, alike)
		r.Low, r.High = o.MicroAccuracy.Low, o.MicroAccuracy.High
		add("accuracy", macro, o.MacroAccuracy.Ptr(), o.N, o.Of, fmt.Sprintf(over, o.Metrics, o.MacroAccuracy.Reason))
		add("mse", micro, o.MicroMSE.Ptr(), o.N, o.Of, "over all pairs alike: 1 - accuracy "+o.MicroMSE.Reason)
		add("mse", macro, o.MacroMSE.Ptr(), o.N, o.Of, fmt.Sprintf(over, o.Metrics, o.MacroMSE.Reason))
		add("kappa", micro, o.MicroKappa.Ptr(), o.N, o.Of, alike+o.MicroKappa.Reason)
		add("kappa", macro, o.MacroKappa.Ptr(), o.N, o.Of, fmt.Sprintf(over, o.Kappas, o.MacroKappa.Reason))
		add("mcc", micro, o.MicroMCC.Ptr(), o.N, o.Of, alike+o.MicroMCC.Reason)
		add("mcc", macro, o.MacroMCC.Ptr(), o.N, o.Of, fmt.Sprintf(over, o.MCCs, o.MacroMCC.Reason))
	}
	return results, pairs, lost
}

func countOf(n int) *float64 {
	v := float64(n)
	return &v
}
