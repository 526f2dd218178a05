package judge

import (
	"context"
	"fmt"

	"parley/eval"
	"parley/sim/llm"
)

// AskAll puts one question to several judges, in order. What comes back is one verdict a judge.
func AskAll[T any](ctx context.Context, panel []*Judge, q Question[T]) ([]Verdict[T], error) {
	verdicts := make([]Verdict[T], 0, len(panel))
	for _, j := range panel {
		v, err := Ask(ctx, j, q)
		verdicts = append(verdicts, v)
		q.Try += len(v.Calls)
		if err != nil {
			return verdicts, err
		}
	}
	return verdicts, nil
}

// joined starts the verdict of a panel: all calls, and how many of its judges gave a verdict.
func joined[T any](panel []Verdict[T]) (Verdict[T], int) {
	out := Verdict[T]{Status: eval.Failed, Reason: "the panel is empty", Calls: []llm.Call{}}
	scored := 0
	for _, v := range panel {
		out.Calls = append(out.Calls, v.Calls...)
		if v.Status == eval.Scored {
			scored++
			out.Evidence = append(out.Evidence, v.Evidence...)
		} else {
			out.Status, out.Reason = v.Status, v.Reason
		}
	}
	return out, scored
}

// Majority joins the verdicts of a panel: the value that more than half of the judges gave who gave
// one. Agreement is the share of pairs of those judges that agree; it is 1 for a single judge, and
// the second result is false where no judge gave a verdict.
func Majority[T comparable](panel []Verdict[T]) (v Verdict[T], agreement float64, ok bool) {
	v, scored := joined(panel)
	if scored == 0 {
		return v, 0, false
	}
	votes := map[T]int{}
	for i := range panel {
		if panel[i].Status == eval.Scored {
			votes[panel[i].Value]++
		}
	}
	agreeing := 0
	v.Status, v.Method, v.Reason = eval.Unparsed, "majority", fmt.Sprintf("no majority among %d judges", scored)
	for value, n := range votes {
		agreeing += n * (n - 1)
		if 2*n > scored {
			v.Status, v.Reason, v.Value = eval.Scored, "", value
		}
	}
	return v, pairwise(agreeing, scored), true
}

// Mean joins the numbers of a panel into their mean over the judges who gave one. All of them have to
// be had in one mode. Agreement is as in Majority.
func Mean(panel []Rated) (v Verdict[float64], agreement float64, ok bool) {
	verdicts := make([]Verdict[float64], len(panel))
	for i := range panel {
		verdicts[i] = panel[i].Verdict
	}
	v, scored := joined(verdicts)
	if scored == 0 {
		return v, 0, false
	}
	sum, agreeing, mode := 0.0, 0, ""
	votes := map[float64]int{}
	for _, one := range verdicts {
		if one.Status != eval.Scored {
			continue
		}
		if mode != "" && one.Method != mode {
			v.Status, v.Reason = eval.Unparsed, fmt.Sprintf("the panel mixes the modes %s and %s", mode, one.Method)
			return v, 0, false
		}
		mode = one.Method
		sum += one.Value
		votes[one.Value]++
	}
	for _, n := range votes {
		agreeing += n * (n - 1)
	}
	v.Status, v.Reason, v.Value, v.Method = eval.Scored, "", sum/float64(scored), "mean of "+mode
	return v, pairwise(agreeing, scored), true
}

func pairwise(agreeing, judges int) float64 {
	if judges < 2 {
		return 1
	}
	return float64(agreeing) / float64(judges*(judges-1))
}
