package compare

import "parley/eval"

// OfResults compares arms by their results alone.
func OfResults(metrics []eval.Metric, results []eval.Result, arms ...string) (*Report, error) {
	var list []*Arm
	for _, name := range arms {
		list = append(list, &Arm{Arm: name, Metrics: map[string]Value{}})
	}
	return assemble(metrics, results, list, "")
}
