package script

import (
	"cmp"

	"parley/eval"
)

// Finding is the verdict of an agent on one metric of one script: a row of a run's verdicts.
type Finding struct {
	Session string      `json:"session" parquet:"session,dict"` // the task
	Arm     string      `json:"arm" parquet:"arm,dict"`         // who wrote the script
	Scorer  string      `json:"scorer" parquet:"scorer,dict"`
	Agent   string      `json:"agent" parquet:"agent,dict"` // critic, execute, commonsense, single
	Metric  Metric      `json:"metric" parquet:"metric,dict"`
	Value   *float64    `json:"value" parquet:"value,optional"` // 1: good, 0: bad; nil unless scored
	Status  eval.Status `json:"status" parquet:"status,dict"`
	Reason  string      `json:"reason" parquet:"reason"`
	// Method says what the value rests on: both, the plain verdict and the list of faults, which
	// agree; said, the plain verdict alone; or listed, the list alone.
	Method string `json:"method" parquet:"method,dict"`

	// What was found, where the agent was asked for it.
	Missing []string `json:"missing" parquet:"missing,list"` // steps that should be there
	Steps   []int    `json:"steps" parquet:"steps,list"`     // numbers of the steps at fault, from 1
	Unmet   []int    `json:"unmet" parquet:"unmet,list"`     // numbers of the constraints that are not met, from 1
	FailsAt int      `json:"fails_at" parquet:"fails_at"`    // the step at which the work comes to a halt; 0: none
	Explain string   `json:"explain" parquet:"explain"`
	Calls   []string `json:"calls" parquet:"calls,list"`
}

// Score is the finding as a row of a run's scores.
func (f *Finding) Score() eval.Score {
	s := eval.Score{
		Session: f.Session, Item: f.Session, Arm: f.Arm, Scorer: f.Scorer, Metric: string(f.Metric), Subject: f.Arm, Value: f.Value,
		Status: f.Status, Reason: f.Reason, Method: f.Method, Calls: f.Calls,
	}
	for _, m := range f.Missing {
		s.Evidence = append(s.Evidence, eval.Evidence{Want: m})
	}
	return s
}

// decide joins the plain verdict (fault says that there is one) and what is listed. Either may be
// missing, and both are for a reason; where both are there they have to agree.
func (f *Finding) decide(fault, listed *bool, why string) {
	f.Status, f.Reason = eval.Unparsed, cmp.Or(why, "the verdict does not say")
	switch {
	case fault == nil && listed == nil:
		return
	case fault == nil:
		fault, f.Method = listed, "listed"
	case listed == nil:
		f.Method = "said"
	case *fault != *listed:
		f.Reason = "the verdict says one thing and its list of faults another"
		return
	default:
		f.Method = "both"
	}
	f.Value, f.Status, f.Reason = new(1.0), eval.Scored, ""
	if *fault {
		*f.Value = 0
	}
}
