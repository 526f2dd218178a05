//go:build !race

package planning_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/eval/planning"
	"parley/eval/run"
)

func TestReferenceAnswererGivesTheIoUOfTheory(t *testing.T) {
	const n, drop, invent = 500, 0.2, 0.1
	c := planning.Default()
	arm := fmt.Sprintf("reference:planning?drop=%v&invent=%v", drop, invent)
	c.Model, c.N, c.Domain = []string{"reference:planning", arm}, n, []string{"blocksworld"}
	c.Tasks = []planning.Task{planning.Applicable, planning.State, planning.Negative}
	if err := c.Complete(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() + "/run"
	m, err := run.Run(t.Context(), dir, planning.New(c), run.Options{Now: time.Now, Kinds: kinds})
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range c.Tasks {
		if v := result(t, m, string(task), "iou", "reference:planning", ""); v != 1 {
			t.Errorf("%s: the truth itself has IoU %v", task, v)
		}
		var want, squares float64
		for q, err := range planning.Questions.Read(dir) {
			if err != nil {
				t.Fatal(err)
			}
			if q.Task == task {
				want += expectedIoU(len(q.Truth), drop, invent) / n
				squares += 1.0 / float64(len(q.Truth))
			}
		}
		// The variance of one answer is at most about (drop + invent)/size.
		margin := 3 * math.Sqrt((drop+invent)*squares) / n
		if have := result(t, m, string(task), "iou", arm, ""); math.Abs(have-want) > margin {
			t.Errorf("%s: IoU %.4f, theory gives %.4f +- %.4f", task, have, want, margin)
		}
	}
}

func TestOptimalPlansDifferAndAreScoredAsOptimal(t *testing.T) {
	c := planning.Default()
	c.Model, c.N, c.Domain, c.Tasks = []string{"reference:planning"}, 12, []string{"depots"}, []planning.Task{planning.Plan}
	if err := c.Complete(); err != nil {
		t.Fatal(err)
	}
	m, err := run.Run(t.Context(), t.TempDir()+"/run", planning.New(c), run.Options{Now: time.Now, Kinds: kinds})
	if err != nil {
		t.Fatal(err)
	}
	for metric, want := range map[string]float64{"action_distance": 0, "action_distance_closest": 0, "causal_link_distance": 0, "state_sequence_distance": 0, "valid": 1, "goal_reached": 1, "cost_ratio": 1, "valid_prefix": 1} {
		if v := result(t, m, "plan", metric, "reference:planning", ""); v != want {
			t.Errorf("%s of the reference plan: %v, want %v", metric, v, want)
		}
	}
	if v := result(t, m, "plan", "action_distance", "reference:planning", "another optimal plan"); v < 0.1 || v > 0.45 {
		t.Errorf("two optimal plans are %.2f apart on average; 0.3 was measured before", v)
	}
}

func TestAnyTruthInAnyStyleReadsBack(t *testing.T) {
	for _, domain := range []string{"blocksworld", "depots"} {
		for _, w := range generate(t, planning.DefaultGenerator(domain), 8, 21) {
			r := w.Reader()
			for _, task := range planning.Tasks {
				for seed := range uint64(3) {
					q, err := w.Ask(task, planning.Asking{Seed: seed})
					if err != nil {
						t.Fatal(err)
					}
					words := w.Words(task, q.Truth, seed)
					for i, style := range styles {
						raw := style(q.Truth, words)
						got := r.Read(task, raw, false)
						have := got.Sequence()
						if task != planning.Plan {
							have = got.Set()
						}
						if !slices.Equal(have, q.Truth) {
							t.Fatalf("%s, style %d:\n%s\n got %v\nwant %v", q.ID, i, raw, have, q.Truth)
						}
					}
				}
			}
		}
	}
}

func TestGeneratedProblemsAreDifferentAndUnsolved(t *testing.T) {
	for _, c := range []struct {
		domain    string
		n         int
		low, high float64 // of the mean cost; the paper has 18.7 and 12
	}{{"blocksworld", 300, 17.2, 20.2}, {"depots", 25, 10, 14}} {
		list := generate(t, planning.DefaultGenerator(c.domain), c.n, 5)
		seen := map[string]bool{}
		sum := 0
		for _, w := range list {
			body := strings.Replace(w.PDDL, w.ID, "", 1)
			if seen[body] {
				t.Errorf("%s stands twice", w.ID)
			}
			seen[body] = true
			if *w.Cost == 0 || len(w.Plan) != *w.Cost {
				t.Errorf("%s: cost %d with a plan of %d steps", w.ID, *w.Cost, len(w.Plan))
			}
			sum += *w.Cost
		}
		if mean := float64(sum) / float64(c.n); mean < c.low || mean > c.high {
			t.Errorf("%s: mean cost %.2f, want %v to %v", c.domain, mean, c.low, c.high)
		}
		again := generate(t, planning.DefaultGenerator(c.domain), 5, 5)
		for i, w := range again {
			if w.PDDL != list[i].PDDL || !slices.Equal(w.Plan, list[i].Plan) {
				t.Errorf("%s: the same seed gave another problem", w.ID)
			}
		}
	}
}
