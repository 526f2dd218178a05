package main

import "fmt"

// verifyScripts holds an evaluation of scripts against its invariants: calls, verdicts and scripts
// refer to what is there, what is unscored has a reason, every task is done, and the streams are
// those that the journal held.
func verifyScripts(dir string, m *manifest) (*verification, error) {
	v := &verification{Run: dir, State: m.State, Streams: map[string]verifiedStream{}, Findings: []string{}}
	if m.State != stateComplete {
		v.findf("the run is %s: finish it with: parley resume %s", m.State, dir)
	}
	for _, k := range scriptStreams() {
		if err := k.check(v, m, dir); err != nil {
			return nil, fmt.Errorf("%s: %w", k.name(), err)
		}
		v.order = append(v.order, k.name())
	}
	if n := v.Streams[streamTasks].Rows; m.State == stateComplete && n != int64(m.Script.Tasks) {
		v.findf("tasks: %d are complete of %d", n, m.Script.Tasks)
	}
	if judged, want := v.Streams[streamVerdicts].Rows, v.Streams[streamTasks].Rows*int64(7*len(m.Script.Authors)); judged < want {
		v.findf("verdicts: %d, and the agents alone give %d", judged, want)
	}
	return v, nil
}
