//go:build !race

package pddl_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"parley/eval/planning/pddl"
)

func TestOptimalCostsEqualTheReferences(t *testing.T) {
	for _, set := range sets {
		t.Run(set.dir, func(t *testing.T) {
			refs := references(t, set.dir)
			for i, ref := range refs {
				if !*all && (i%set.every != 0 || ref.cost > set.most) {
					continue
				}
				task := load(t, data(t, set.dir, "domain.pddl"), data(t, set.dir, set.sub, ref.file))
				if s := solve(t, task, pddl.Options{}); s.Outcome != pddl.Optimal || s.Cost != ref.cost {
					t.Errorf("%s: %s, cost %d, want %d", ref.file, s.Outcome, s.Cost, ref.cost)
				}
			}
		})
	}
}

func TestSameSeedSamePlan(t *testing.T) {
	task := load(t, data(t, "depots18", "domain.pddl"), data(t, "depots18", "p10.pddl"))
	first := solve(t, task, pddl.Options{})
	if second := solve(t, task, pddl.Options{}); fmt.Sprint(first.Plan) != fmt.Sprint(second.Plan) {
		t.Error("two searches gave two plans")
	}
	sample := func(seed uint64) string {
		return fmt.Sprint(solve(t, task, pddl.Options{Shuffle: rand.New(rand.NewPCG(seed, 0))}).Plan)
	}
	if again := sample(1); again != sample(1) {
		t.Error("the same seed gave two plans")
	}
	plans := map[string]bool{}
	for seed := range uint64(10) {
		plans[sample(seed)] = true
	}
	if len(plans) < 2 {
		t.Error("ten seeds gave one plan")
	}
}
