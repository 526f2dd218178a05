package vdm

import (
	"context"
	"fmt"
	"time"

	"parley/eval"
	"parley/eval/ieg"
)

// Trained says what a training did.
type Trained struct {
	Out        string             `json:"out"`
	Task       string             `json:"task"`
	Model      About              `json:"model"`
	Thresholds map[string]float64 `json:"thresholds"`
	Seconds    float64            `json:"seconds"` // of training, files aside
}

// Trained returns what a training that took so long did; out is the file.
func (l *Linear) Trained(out string, took time.Duration) Trained {
	beside, alone, second := l.Thresholds()
	return Trained{
		Out: out, Task: "dm", Model: l.About(), Seconds: took.Seconds(),
		Thresholds: map[string]float64{"beside": beside, "alone": alone, "second": second},
	}
}

// String is the text for people.
func (t Trained) String() string {
	m, at := t.Model, t.Thresholds
	return fmt.Sprintf("%s: a virtual DM of %d features, from %d intentions in %d windows of %d groups (seed %d), in %.2f s\n"+
		"thresholds by %s (%d windows): %.3f for one who acts beside others, %.3f alone, %.3f for a second skill\n",
		t.Out, m.Features, m.Learned, m.Windows, m.Groups, m.Seed, t.Seconds, m.Tuned, m.TunedWindows, at["beside"], at["alone"], at["second"])
}

// Compare tests a virtual DM on windows, jobs at a time, beside the baselines of ieg, which know the most
// common skill from train. unscored is the number of windows for which it gave no readable reply.
func Compare(ctx context.Context, dm ieg.Predictor, test, train []ieg.Interaction, jobs int, seed uint64) (results []eval.Result, unscored int, err error) {
	for i, p := range append([]ieg.Predictor{dm}, ieg.Baselines(train)...) {
		panel := ieg.Panel{Name: p.Name()}
		if i > 0 {
			panel.Control, jobs = ieg.Baseline, 1
		}
		marks, err := ieg.Evaluate(ctx, p, test, jobs)
		if err != nil {
			return nil, 0, err
		}
		for _, m := range marks {
			if i == 0 && m.Reason != "" {
				unscored++
			}
		}
		panel.Marks = [][]ieg.Mark{marks}
		results = append(results, panel.Results(ieg.Bootstrap{Seed: seed})...)
	}
	return results, unscored, nil
}
