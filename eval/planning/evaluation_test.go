package planning_test

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/planning"
	"parley/eval/run"
	"parley/eval/run/runtest"
	"parley/sim/llm"
)

func plan(t *testing.T, change func(*planning.Config)) func() run.Plan {
	return func() run.Plan {
		c := planning.Default()
		c.N, c.MaxNodes = 2, 100_000
		change(c)
		if err := c.Complete(); err != nil {
			t.Fatal(err)
		}
		return planning.New(c)
	}
}

var kinds = run.Kinds{planning.Kind: planning.Decode}

const script = `
- purpose: plan
  reply: "1. pick up block b1"
- reply: None
`

func registry() llm.Registry {
	return llm.Registry{llm.ScriptAdapter(func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(script)), nil })}
}

func TestPlanContract(t *testing.T) {
	runtest.TestPlan(t, runtest.Case{
		New: plan(t, func(c *planning.Config) {
			c.Model = []string{"script:a.yaml", "reference:planning?drop=0.2&invent=0.1"}
			c.Domain, c.Shots, c.Persona = []string{"blocksworld"}, 1, "You are a careful planner."
		}),
		Options: run.Options{Registry: registry(), Kinds: kinds}, Stops: 3,
	})
}

func result(t *testing.T, m *run.Manifest, scorer, metric, arm, control string) float64 {
	t.Helper()
	i := slices.IndexFunc(m.Results, func(r eval.Result) bool {
		return r.Scorer == scorer && r.Metric == metric && r.Arm == arm && r.Control == control
	})
	if i < 0 || m.Results[i].Value == nil {
		t.Fatalf("no value of %s %s of %s (%s)", scorer, metric, arm, control)
	}
	return *m.Results[i].Value
}

// expectedIoU is the mean IoU of an answer that keeps each of n items with probability 1-drop and has
// one false item more for each with probability invent.
func expectedIoU(n int, drop, invent float64) float64 {
	sum, p := 0.0, math.Pow(1-invent, float64(n))
	for y := range n + 1 {
		sum += p * float64(n) * (1 - drop) / float64(n+y)
		p *= invent / (1 - invent) * float64(n-y) / float64(y+1)
	}
	return sum
}

func TestCompare(t *testing.T) {
	value := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf("%.3g", *v)
	}
	for _, c := range []struct {
		reason, answer, truth string
		none                  bool
		want                  string // IoU, precision, recall, exact
	}{
		{"equal", "a b", "b a", false, "1 1 1 1"},
		{"half", "a c", "a b", false, "0.333 0.5 0.5 0"},
		{"apart", "c", "a b", false, "0 0 0 0"},
		{"empty answer", "", "a b", true, "0 - 0 0"},
		{"empty truth", "a", "", false, "0 0 - 0"},
		{"both empty, said so", "", "", true, "1 1 1 1"},
		{"both empty, by accident", "", "", false, "0 0 0 0"},
	} {
		o := planning.Compare(strings.Fields(c.answer), strings.Fields(c.truth), c.none)
		if have := strings.Join([]string{value(o.IoU), value(o.Precision), value(o.Recall), value(o.Exact)}, " "); have != c.want {
			t.Errorf("%s: %s, want %s", c.reason, have, c.want)
		}
	}
}

func TestPlanMeasures(t *testing.T) {
	w, err := planning.Problem{ID: "two", Rules: `(define (domain blocksworld) (:predicates (clear ?x) (ontable ?x) (handempty) (holding ?x) (on ?x ?y))
 (:action pick-up :parameters (?x) :precondition (and (clear ?x) (ontable ?x) (handempty)) :effect (and (holding ?x) (not (clear ?x)) (not (ontable ?x)) (not (handempty))))
 (:action put-down :parameters (?x) :precondition (holding ?x) :effect (and (clear ?x) (ontable ?x) (handempty) (not (holding ?x))))
 (:action stack :parameters (?x ?y) :precondition (and (holding ?x) (clear ?y)) :effect (and (on ?x ?y) (clear ?x) (handempty) (not (holding ?x)) (not (clear ?y))))
 (:action unstack :parameters (?x ?y) :precondition (and (on ?x ?y) (clear ?x) (handempty)) :effect (and (holding ?x) (clear ?y) (not (on ?x ?y)) (not (clear ?x)) (not (handempty)))))`,
		PDDL: `(define (problem two) (:domain blocksworld) (:objects a b c) (:init (handempty) (ontable a) (ontable b) (ontable c) (clear a) (clear b) (clear c)) (:goal (and (on a b))))`}.Open()
	if err != nil {
		t.Fatal(err)
	}
	cost := 2
	w.Cost, w.Plan = &cost, []string{"(pick-up a)", "(stack a b)"}
	for _, c := range []struct {
		reason, plan           string
		action, causal, states float64
		valid, goal            bool
		ratio, prefix          string
	}{
		{"the plan itself", "(pick-up a) (stack a b)", 0, 0, 0, true, true, "1", "1"},
		{"a detour", "(pick-up a) (put-down a) (pick-up a) (stack a b)", 1.0 / 3, 1 - 6.0/10, (0 + 1 - 5.0/8 + 1 + 1) / 4, true, true, "2", "1"},
		{"a step that does not apply", "(stack a b) (pick-up a)", 0, 1 - 3.0/8, 1, false, false, "-", "0"},
		{"the goal is missed", "(pick-up a)", 0.5, 1 - 3.0/6, 0.5, false, false, "-", "1"},
		{"nothing", "", 1, 1, 1, false, false, "-", "-"},
	} {
		s := w.ScorePlan(splitPlan(c.plan), nil)
		ratio, prefix := "-", "-"
		if s.Ratio != nil {
			ratio = fmt.Sprint(*s.Ratio)
		}
		if s.Prefix != nil {
			prefix = fmt.Sprint(*s.Prefix)
		}
		if math.Abs(s.Action-c.action) > 1e-9 || s.Valid != c.valid || s.Goal != c.goal || ratio != c.ratio || prefix != c.prefix {
			t.Errorf("%s: %+v, ratio %s, prefix %s", c.reason, s, ratio, prefix)
		}
		if math.Abs(s.Causal-c.causal) > 1e-9 || math.Abs(s.States-c.states) > 1e-9 {
			t.Errorf("%s: causal %.4f, want %.4f; states %.4f, want %.4f", c.reason, s.Causal, c.causal, s.States, c.states)
		}
	}
}

func splitPlan(s string) []string {
	if s == "" {
		return nil
	}
	return strings.SplitAfter(strings.ReplaceAll(s, ") (", ")("), ")")[:strings.Count(s, ")")]
}

func TestConfigurationsThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(*planning.Config)
		want   string
	}{
		{"no model", func(c *planning.Config) { c.Model = nil }, "no model"},
		{"task", func(c *planning.Config) { c.Tasks = []planning.Task{"plans"} }, `"plans" is not one of`},
		{"rate", func(c *planning.Config) { c.Model = []string{"reference:planning?drop=2"} }, "drop is a probability"},
		{"setting", func(c *planning.Config) { c.Model = []string{"reference:planning?lose=1"} }, `no setting "lose"`},
		{"domain", func(c *planning.Config) { c.Domain = []string{"logistics"} }, "no generator"},
		{"form", func(c *planning.Config) { c.Form = "prose" }, "form is words or pddl"},
	} {
		config := planning.Default()
		config.Model = []string{"reference:planning"}
		c.change(config)
		if err := config.Complete(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}
