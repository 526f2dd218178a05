package pddl_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/eval/planning/pddl"
)

const gripperDomain = `; a small domain with everything that the language has
(define (domain Gripper)
  (:requirements :strips :typing :negative-preconditions :equality :action-costs)
  (:types room ball gripper - object  LEFT right - gripper)
  (:constants l - left r - right)
  (:predicates (at-robby ?r - room) (at ?b - ball ?r - room) (busy ?g - (either left right))
     (carry ?o - ball ?g - gripper) (open ?x ?y - room))
  (:functions (total-cost) - number (distance ?x ?y - room) - number)
  (:action MOVE :parameters (?from ?to - room)
    :precondition (and (not (= ?from ?to)) (at-robby ?from) (open ?from ?to))
    :effect (and (at-robby ?to) (not (at-robby ?from)) (increase (total-cost) (distance ?from ?to))))
  (:action pick :parameters (?b - ball ?r - room ?g - gripper)
    :precondition (and (at ?b ?r) (at-robby ?r) (not (busy ?g)))
    :effect (and (carry ?b ?g) (not (at ?b ?r)) (busy ?g) (increase (total-cost) 2)))
  (:action drop :parameters (?b - ball ?r - room ?g - gripper)
    :precondition (and (carry ?b ?g) (at-robby ?r))
    :effect (and (at ?b ?r) (not (carry ?b ?g)) (not (busy ?g)) (increase (total-cost) 1))))`

const gripperProblem = `(define (problem two) (:domain gripper)
  (:objects A b - room Ball1 ball2 - ball)
  (:init (at-robby a) (at ball1 a) (AT ball2 a) (open a b) (open b a)
     (= (total-cost) 0) (= (distance a b) 10) (= (distance b a) 7))
  (:goal (and (at ball1 b) (at ball2 B) (not (busy l))))
  (:metric minimize (total-cost)))`

func gripper(t testing.TB) *pddl.Task {
	t.Helper()
	d, err := pddl.ParseDomain("gripper.pddl", gripperDomain)
	if err != nil {
		t.Fatal(err)
	}
	return ground(t, d, "two.pddl", gripperProblem)
}

func TestEveryHeuristicFindsTheSameCost(t *testing.T) {
	for _, h := range []string{"blind", "hmax", "lmcut"} {
		if s := solve(t, gripper(t), pddl.Options{Heuristic: h}); s.Cost != 16 || len(s.Plan) != 5 {
			t.Errorf("%s: cost %d with %d steps, want 16 (pick 2, pick 2, move 10, drop 1, drop 1) with 5", h, s.Cost, len(s.Plan))
		}
	}
	sets := []struct {
		dir, sub  string
		every, of int
		h         []string
		mean      float64 // of the whole set as its source states it; 0: not stated
	}{
		{"planbench_blocksworld", "generated_basic", 10, 501, []string{"blind", "hmax", "lmcut", "blocks"}, 0},
		{"planbench_depots", "instances", 100, 501, []string{"blind", "lmcut"}, 0},
		{"depots18", "", 5, 20, []string{"blind", "lmcut"}, 0},
	}
	for _, set := range sets {
		files := problemFiles(t, set.dir, set.sub)
		for i := 0; i < len(files); i += set.every {
			task := load(t, data(t, set.dir, "domain.pddl"), files[i])
			var costs []int
			for _, h := range set.h {
				costs = append(costs, solve(t, task, pddl.Options{Heuristic: h}).Cost)
			}
			if slices.Min(costs) != slices.Max(costs) {
				t.Errorf("%s: %v give %v", files[i], set.h, costs)
			}
		}
	}
}

// The means are those that NOTES.md states for the two PlanBench sets.
func TestPlanBenchBlocksworldMeans(t *testing.T) {
	for _, set := range []struct {
		sub  string
		mean float64
	}{{"generated", 12.5}, {"generated_basic", 7.58}} {
		files := problemFiles(t, "planbench_blocksworld", set.sub)
		sum := 0
		for _, f := range files {
			sum += solve(t, load(t, data(t, "planbench_blocksworld", "domain.pddl"), f), pddl.Options{}).Cost
		}
		if mean := float64(sum) / float64(len(files)); mean < set.mean-0.05 || mean > set.mean+0.05 {
			t.Errorf("%s: mean cost %.3f of %d problems, want %.2f", set.sub, mean, len(files), set.mean)
		}
	}
}

func TestErrorsGiveThePlace(t *testing.T) {
	swap := func(old, new string) string {
		if !strings.Contains(gripperDomain, old) {
			t.Fatalf("the domain has no %q", old)
		}
		return strings.Replace(gripperDomain, old, new, 1)
	}
	for _, c := range []struct{ reason, src, want string }{
		{"nothing", "", "d:1:1: no PDDL here"},
		{"not closed", "(define (domain x)", `d:1:1: "(" is never closed`},
		{"closed twice", "(define (domain x)))", `d:1:20: ")" without "("`},
		{"unknown predicate", swap("(at-robby ?from) (open", "(at-robbie ?from) (open"), `d:10:44: unknown predicate "at-robbie"`},
		{"arity", swap("(carry ?b ?g) (at-robby", "(carry ?b) (at-robby"), `d:16:24: "carry" takes 2 arguments, not 1`},
		{"unknown variable", swap("(at ?b ?r) (at-robby", "(at ?b ?z) (at-robby"), `d:13:31: unknown name "?z"`},
		{"wrong type", swap("(at ?b ?r) (at-robby", "(at ?r ?r) (at-robby"), `d:13:28: "?r" is of type room`},
		{"unknown type", swap("(?b - ball ?r - room ?g - gripper)\n    :precondition (and (at ", "(?b - bal ?r - room ?g - gripper)\n    :precondition (and (at "), `d:12:30: "?b" has the unknown type "bal"`},
		{"supertype of object", swap("(:types room", "(:types object - room room"), `d:4:11: "object" is the root`},
		{"cycle of types", swap("(:types room", "(:types gripper - left room"), "is its own supertype"},
		{"quantifier", swap("(and (at ?b ?r) (at-robby", "(and (forall (?q - room) (at ?b ?r)) (at-robby"), `d:13:24: "forall" is not supported`},
		{"conditional effect", swap("(carry ?b ?g) (not (at", "(when (at ?b ?r) (busy ?g)) (not (at"), `d:14:18: "when" is not supported`},
		{"section", swap("(:functions", "(:derived (x) (y)) (:functions"), `:derived is not supported`},
		{"twice", swap("(:action drop", "(:action pick"), `action "pick" is declared twice`},
		{"cost", swap("(total-cost) 2", "(total-cost) -2"), "a cost is a whole number"},
		{"deep", strings.Repeat("(", 500), "nest deeper"},
		{"type after dash", swap("?g - gripper)\n    :precondition (and (at", "?g -)\n    :precondition (and (at"), `"-" stands between names and their type`},
	} {
		_, err := pddl.ParseDomain("d", c.src)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.reason, err, c.want)
		}
	}
	d, _ := pddl.ParseDomain("d", gripperDomain)
	for _, c := range []struct{ reason, old, new, want string }{
		{"unknown object", "(at-robby a)", "(at-robby z)", `p:3:20: unknown name "z"`},
		{"object type", "ball2 - ball", "ball2 - bal", `p:2:24: "ball1" has the unknown type`},
		{"wrong type", "(at-robby a)", "(at-robby ball1)", `"ball1" is of type ball, and "at-robby" takes room here`},
		{"goal", "(:goal", "(:goals", ":goals is not supported"},
		{"domain", "(:domain gripper)", "(:domain logistics)", `p:1:23: the problem is not of domain "gripper", which d defines`},
		{"domain of two names", "(:domain gripper)", "(:domain gripper strips)", `p:1:23: the problem is not of`},
		{"metric", "minimize", "maximize", "only (:metric minimize (total-cost))"},
		{"constant", "(:objects", "(:objects l - right", "is a constant of the domain with another type"},
		{"variable", "(:objects", "(:objects ?l - ball", `variables start with "?"`},
	} {
		_, err := pddl.ParseProblem(d, "p", strings.Replace(gripperProblem, c.old, c.new, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.reason, err, c.want)
		}
	}
	p, err := pddl.ParseProblem(d, "p", strings.Replace(gripperProblem, "(= (distance b a) 7)", "", 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pddl.Ground(p); err == nil || !strings.Contains(err.Error(), "(distance b a)") {
		t.Errorf("a missing distance: %v", err)
	}
}

func TestValidation(t *testing.T) {
	p := gripper(t).Problem
	for _, c := range []struct {
		plan, reason  string
		step, applied int
		goal          bool
	}{
		{"(pick ball1 a l) (PICK Ball2 a r) (move a b) (drop ball1 b l) (drop ball2 b r)", "", 0, 5, true},
		{"0.001: (pick ball1 a l) [1]\n; a comment\n0.002: (pick ball2 a r) [1.000] ; c\n3: (move a b)\n4: (drop ball1 b l)\n5: (drop ball2 b r)\n", "", 0, 5, true},
		{"(pick ball1 a l) (pick ball2 a l)", "step 2 (pick ball2 a l): precondition (not (busy l)) does not hold", 2, 1, false},
		{"(move a a)", "step 1 (move a a): precondition (not (= a a)) does not hold", 1, 0, false},
		{"(pick ball1 a l) (move a b)", "goal (at ball1 b) does not hold at the end", 0, 2, false},
		{"(fly a b)", `step 1 (fly a b): unknown action "fly"`, 1, 0, false},
		{"(move a)", `step 1 (move a): action "move" takes 2 arguments, not 1`, 1, 0, false},
		{"(move a c)", `step 1 (move a c): unknown object "c"`, 1, 0, false},
		{"(move a ball1)", `step 1 (move a ball1): object "ball1" is of type ball, and "move" takes room here`, 1, 0, false},
	} {
		plan, err := pddl.ParsePlan("plan", c.plan)
		if err != nil {
			t.Fatal(err)
		}
		v := p.Validate(plan)
		if v.Reason != c.reason || failing(v) != c.step || v.Applied != c.applied || v.GoalReached != c.goal || v.Valid != (c.reason == "") {
			t.Errorf("%s: %+v", c.plan, v)
		}
	}
	if _, err := pddl.ParsePlan("plan", "pick up a"); err == nil || err.Error() != "plan:1:1: want an action in parentheses, such as (pick-up a)" {
		t.Errorf("a plan in prose: %v", err)
	}
}

// failing returns the failing step, or 0.
func failing(v pddl.Verdict) int {
	if v.FailingStep == nil {
		return 0
	}
	return *v.FailingStep
}

// acpRow is a row of an ACPBench-Hard file.
type acpRow struct {
	Domain   string `json:"PDDL_domain"`
	Problem  string `json:"PDDL_problem"`
	Question string
	Answer   json.RawMessage
}

func acp(t testing.TB, task string, use func(i int, r acpRow, task *pddl.Task)) {
	t.Helper()
	var rows []acpRow
	if err := json.Unmarshal([]byte(read(t, data(t, "acpbench_hard", task+".bw_depots.json"))), &rows); err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		d, err := pddl.ParseDomain("row", r.Domain)
		if err != nil {
			t.Fatal(err)
		}
		use(i, r, ground(t, d, "row", r.Problem))
	}
}

func unmarshal[T any](t testing.TB, b []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestApplicabilityRows(t *testing.T) {
	acp(t, "app", func(i int, r acpRow, task *pddl.Task) {
		want := unmarshal[[]string](t, r.Answer)
		var have []string
		for op := range task.Operators {
			if task.Applicable(task.Init, op) {
				have = append(have, task.Operators[op].String())
			}
		}
		slices.Sort(want)
		slices.Sort(have)
		if !slices.Equal(want, have) {
			t.Errorf("row %d: %v, want %v", i, have, want)
		}
	})
}

func TestValidationRows(t *testing.T) {
	acp(t, "val", func(i int, r acpRow, task *pddl.Task) {
		want := unmarshal[int](t, r.Answer)
		quoted := strings.Split(r.Question, `"`)[1]
		plan, err := pddl.ParsePlan("row", quoted)
		if err != nil {
			t.Fatal(err)
		}
		if v := task.Problem.Validate(plan); failing(v) != want+1 {
			t.Errorf("row %d: %+v, want step %d (counted from 0)", i, v, want)
		}
	})
}

func TestLimitsAndOutcomes(t *testing.T) {
	task := gripper(t)
	clock := time.Unix(0, 0)
	late := func() time.Time { clock = clock.Add(time.Second); return clock }
	for _, c := range []struct {
		reason string
		o      pddl.Options
		want   pddl.Outcome
	}{
		{"nodes", pddl.Options{MaxNodes: 3}, pddl.Unsolved},
		{"time", pddl.Options{MaxTime: time.Millisecond, Now: late}, pddl.Unsolved},
		{"enough", pddl.Options{MaxNodes: 1000, MaxTime: time.Hour, Now: late}, pddl.Optimal},
	} {
		s := solve(t, task, c.o)
		if s.Outcome != c.want || (len(s.Plan) > 0) != (c.want == pddl.Optimal) {
			t.Errorf("%s: %+v", c.reason, s)
		}
	}
	d := task.Problem.Domain
	for _, c := range []struct {
		reason, goal string
		want         pddl.Outcome
		cost         int
	}{
		{"no road back from nowhere", "(at ball1 c)", pddl.Unsolvable, 0},
		{"holds already", "(at ball1 a)", pddl.Optimal, 0},
		{"static goal", "(and (open a b) (not (open a c)))", pddl.Optimal, 0},
		{"static goal that is false", "(open a c)", pddl.Unsolvable, 0},
		{"two balls in one hand", "(and (carry ball1 l) (carry ball2 l))", pddl.Unsolvable, 0},
	} {
		src := strings.Replace(gripperProblem, "(and (at ball1 b) (at ball2 B) (not (busy l)))", c.goal, 1)
		src = strings.Replace(src, "A b - room", "a b c - room", 1)
		for _, h := range []string{"blind", "hmax", "lmcut"} {
			if s := solve(t, ground(t, d, "p", src), pddl.Options{Heuristic: h}); s.Outcome != c.want || s.Cost != c.cost {
				t.Errorf("%s (%s): %+v", c.reason, h, s)
			}
		}
	}
	if _, err := pddl.Solve(context.Background(), task, pddl.Options{Heuristic: "blocks"}); err == nil {
		t.Error("the Blocksworld heuristic took a gripper problem")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := pddl.Solve(ctx, task, pddl.Options{}); err == nil {
		t.Error("a cancelled search gave no error")
	}
}

// All optimal plans of small problems are compared with an enumeration by brute force.
func TestAllOptimalPlans(t *testing.T) {
	for _, file := range []string{"instance-1.pddl", "instance-101.pddl", "instance-202.pddl"} {
		task := load(t, data(t, "planbench_blocksworld", "domain.pddl"), data(t, "planbench_blocksworld", "generated_basic", file))
		s, g, err := pddl.AllOptimal(context.Background(), task, pddl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		all := enumerate(task, s.Cost)
		if g == nil || int(g.Count()) != len(all) {
			t.Fatalf("%s: graph %v, want %d plans of cost %d", file, g, len(all), s.Cost)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		seen := map[string]bool{}
		for range 50 * len(all) {
			plan := g.Sample(rng)
			if v := task.Problem.Validate(plan); !v.Valid || v.Cost != s.Cost {
				t.Fatalf("%s: sampled plan %v: %+v", file, plan, v)
			}
			seen[fmt.Sprint(plan)] = true
		}
		if len(seen) != len(all) {
			t.Errorf("%s: sampling gave %d of %d plans", file, len(seen), len(all))
		}
		for _, plan := range all {
			set := map[string]bool{}
			for _, a := range plan {
				set[a.String()] = true
			}
			for _, a := range g.Closest(set) {
				if !set[a.String()] {
					t.Errorf("%s: the plan closest to an optimal plan has another action %s", file, a)
				}
			}
		}
	}
}

// enumerate lists every plan of a cost by depth-first search.
func enumerate(task *pddl.Task, depth int) [][]pddl.Atom {
	var out [][]pddl.Atom
	var plan []pddl.Atom
	var walk func(s pddl.State)
	walk = func(s pddl.State) {
		if len(plan) == depth {
			if task.Reached(s) {
				out = append(out, slices.Clone(plan))
			}
			return
		}
		for op := range task.Operators {
			if task.Applicable(s, op) {
				next := slices.Clone(s)
				task.Apply(next, s, op)
				plan = append(plan, task.Operators[op].Atom)
				walk(next)
				plan = plan[:len(plan)-1]
			}
		}
	}
	walk(task.Init)
	return out
}

func FuzzParse(f *testing.F) {
	f.Add(gripperDomain, gripperProblem)
	f.Add("(define (domain d) (:predicates (p)) (:action a :effect (p)))", "(define (problem p) (:domain d) (:init) (:goal (p)))")
	f.Fuzz(func(t *testing.T, domain, problem string) {
		d, err := pddl.ParseDomain("d", domain)
		if err != nil || len(d.Actions) > 5 {
			return
		}
		p, err := pddl.ParseProblem(d, "p", problem)
		if err != nil || len(p.Objects) > 10 {
			return
		}
		for _, a := range d.Actions {
			if len(a.Params) > 4 {
				return
			}
		}
		task, err := pddl.Ground(p)
		if err != nil {
			return
		}
		s, err := pddl.Solve(context.Background(), task, pddl.Options{MaxNodes: 200})
		if err != nil {
			t.Fatal(err)
		}
		if s.Outcome == pddl.Optimal && !p.Validate(s.Plan).Valid {
			t.Errorf("plan %v is not valid: %+v", s.Plan, p.Validate(s.Plan))
		}
	})
}
