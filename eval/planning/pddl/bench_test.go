package pddl_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"parley/eval/planning/pddl"
)

// BenchmarkSolve solves the reference problems of each set once per iteration and reports the slowest
// problem and, for the sets that LM-cut solves, expansions per second.
func BenchmarkSolve(b *testing.B) {
	for _, set := range sets {
		b.Run(set.dir, func(b *testing.B) {
			var tasks []*pddl.Task
			for _, ref := range references(b, set.dir) {
				tasks = append(tasks, load(b, data(b, set.dir, "domain.pddl"), data(b, filepath.Join(set.dir, set.sub), ref.file)))
			}
			for b.Loop() {
				var slowest, total time.Duration
				expanded, stored := 0, 0
				for _, task := range tasks {
					began := time.Now()
					s, err := pddl.Solve(context.Background(), task, pddl.Options{})
					if err != nil {
						b.Fatal(err)
					}
					d := time.Since(began)
					slowest, total = max(slowest, d), total+d
					expanded, stored = expanded+s.Expanded, stored+s.Stored
				}
				b.ReportMetric(slowest.Seconds(), "slowest-s")
				b.ReportMetric(float64(expanded)/total.Seconds(), "expanded/s")
				b.ReportMetric(float64(stored)/total.Seconds(), "stored/s")
			}
		})
	}
}
