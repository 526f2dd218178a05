package script

import (
	"fmt"
	"strings"

	"parley/eval"
	"parley/eval/stat"
)

// Detection is how well judges see one kind of planted fault: the paper's Table 4, and what it leaves
// out, how often they see that fault where there is none.
type Detection struct {
	Fault    Fault
	Metric   Metric
	Seen     stat.Interval // share of the scripts with the fault whose metric is 0 (Wilson)
	Alarms   stat.Interval // share of the intact scripts whose metric is 0 (Wilson)
	N, Of    int           // scripts with the fault: judged, planted
	Intact   int           // scripts without a fault
	Unjudged map[string]int
}

// Detect counts over scores whose arm is the planted fault, Intact among them.
func Detect(scores []eval.Score, level float64) []Detection {
	var list []Detection
	for _, fault := range Faults() {
		d := Detection{Fault: fault, Metric: fault.Metric(), Unjudged: map[string]int{}}
		seen, alarms, intact := 0, 0, 0
		for i := range scores {
			s := &scores[i]
			if s.Metric != string(d.Metric) {
				continue
			}
			bad := 0
			if s.Value != nil && *s.Value == 0 {
				bad = 1
			}
			switch {
			case s.Arm == string(Intact):
				if d.Intact++; s.Value != nil {
					intact, alarms = intact+1, alarms+bad
				}
			case s.Arm != string(fault):
			case s.Value == nil:
				d.Of++
				d.Unjudged[fmt.Sprintf("%s: %s", s.Status, s.Reason)]++
			default:
				d.Of, d.N, seen = d.Of+1, d.N+1, seen+bad
			}
		}
		if d.Of == 0 {
			continue
		}
		d.Seen, d.Alarms = stat.Wilson(seen, d.N, level), stat.Wilson(alarms, intact, level)
		list = append(list, d)
	}
	return list
}

// detections are the lines of a perturbation test.
func detections(scorer string, list []Detection) []eval.Result {
	var results []eval.Result
	for _, d := range list {
		results = append(results, eval.Result{
			Scorer: scorer, Metric: "detected", Arm: string(d.Fault), Value: d.Seen.Value, Low: d.Seen.Low, High: d.Seen.High,
			N: d.N, Of: d.Of, Unit: "scripts", Reason: strings.Trim(d.Seen.Reason+"; "+eval.Tallied(d.Unjudged), "; "),
		}, eval.Result{
			Scorer: scorer, Metric: "false_alarms", Arm: string(d.Fault), Value: d.Alarms.Value, Low: d.Alarms.Low, High: d.Alarms.High,
			N: d.Alarms.N, Of: d.Intact, Unit: "intact scripts", Reason: d.Alarms.Reason,
		})
	}
	return results
}
