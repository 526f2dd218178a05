package script

import (
	"fmt"

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
	Unjudged map[string]int
}

// Detect counts over findings whose arm is the planted fault, Intact among them.
func Detect(findings []Finding, level float64) []Detection {
	var list []Detection
	for _, fault := range Faults() {
		d := Detection{Fault: fault, Metric: fault.Metric(), Unjudged: map[string]int{}}
		seen, alarms, intact := 0, 0, 0
		for i := range findings {
			f := &findings[i]
			if f.Metric != d.Metric {
				continue
			}
			switch Fault(f.Arm) {
			case fault:
				d.Of++
				if f.Status != eval.Scored {
					d.Unjudged[fmt.Sprintf("%s: %s", f.Status, f.Reason)]++
					continue
				}
				d.N++
				if *f.Value == 0 {
					seen++
				}
			case Intact:
				if f.Status == eval.Scored {
					intact++
					if *f.Value == 0 {
						alarms++
					}
				}
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
