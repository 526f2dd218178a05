package planning_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/eval/planning"
	"parley/eval/planning/pddl"
)

// data returns the path of shared data, or skips the test.
func data(t testing.TB, elem ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{"../../../shared/data/planning"}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the reference data is not here: %v", err)
	}
	return path
}

func generate(t testing.TB, g planning.Generator, n int, seed uint64) []*planning.World {
	t.Helper()
	list, err := g.Generate(context.Background(), n, seed, pddl.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// There are 13 states of three blocks and 73 of four; chi-squared is compared with its 99.9 % quantile.
func TestBlocksworldStatesAreUniform(t *testing.T) {
	for _, c := range []struct {
		blocks, states int
		quantile       float64
	}{{3, 13, 32.9}, {4, 73, 119.3}} {
		const n = 30000
		counts := planning.CountStates(c.blocks, n, 3)
		chi, expected := 0.0, float64(n)/float64(c.states)
		for _, k := range counts {
			chi += (float64(k) - expected) * (float64(k) - expected) / expected
		}
		if len(counts) != c.states || chi > c.quantile {
			t.Errorf("%d blocks: %d states, chi-squared %.1f, want %d states and at most %.1f", c.blocks, len(counts), chi, c.states, c.quantile)
		}
	}
}

func TestGeneratorRefusesWhatCannotBe(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(*planning.Generator)
		want   string
	}{
		{"domain", func(g *planning.Generator) { g.Domain = "logistics" }, `no generator for domain "logistics"`},
		{"one block", func(g *planning.Generator) { g.Blocks[0] = 1 }, "blocks from 1"},
		{"no hoist", func(g *planning.Generator) { g.Domain = "depots"; g.Depots[4] = 3 }, "for each place a pallet and a hoist"},
		{"too few problems", func(g *planning.Generator) { g.Blocks = [2]int{2, 2} }, "ask for fewer"},
	} {
		g := planning.DefaultGenerator("blocksworld")
		c.change(&g)
		if _, err := g.Generate(context.Background(), 50, 1, pddl.Options{}, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}

func TestReadProblems(t *testing.T) {
	for _, c := range []struct {
		path        []string
		n, size     int
		first, name string
	}{
		{[]string{"bw12", "domain.pddl"}, 20, 12, "p01", "blocksworld-4ops"},
		{[]string{"planbench_depots", "domain.pddl"}, 501, 18, "instances/instance-1", "depots"},
		{[]string{"acpbench_hard", "nexta.bw_depots.json"}, 15, 5, "8562182200835891088", "blocksworld-4ops"},
	} {
		list, err := planning.ReadProblems(data(t, c.path...))
		if err != nil {
			t.Fatal(err)
		}
		if w := list[0]; len(list) != c.n || w.ID != c.first || w.Size != c.size || w.Domain != c.name {
			t.Errorf("%v: %d problems, first %s of %s with %d objects", c.path, len(list), w.ID, w.Domain, w.Size)
		}
	}
	dir := t.TempDir()
	for _, c := range []struct{ reason, name, src, want string }{
		{"no problems", "a.jsonl", "\n", "no problems"},
		{"not JSON", "b.jsonl", "{\n", "b.jsonl:1: want a problem"},
		{"not PDDL", "c.jsonl", `{"id":"x","domain_pddl":"(define","problem":""}`, `c.jsonl, problem 1: x (domain):1:1: "(" is never closed`},
		{"no rows", "d.json", `[1]`, "want rows of ACPBench-Hard"},
		{"a domain alone", "e.pddl", `(define (domain e))`, "no problems"},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(c.src), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := planning.ReadProblems(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}

// The truths are compared with an evaluation of the lifted actions, which shares no code with the
// grounded one.
func TestTruthsAgreeWithLiftedActions(t *testing.T) {
	for _, domain := range []string{"blocksworld", "depots"} {
		for _, w := range generate(t, planning.DefaultGenerator(domain), 6, 2) {
			for _, task := range planning.Tasks {
				q, err := w.Ask(task, planning.Asking{Seed: 4, Steps: 3})
				if err != nil {
					t.Fatal(err)
				}
				p := w.Task.Problem
				world := p.Start()
				switch task {
				case planning.Applicable:
					var want []string
					for _, op := range w.Task.Operators {
						if s, err := p.Instance(op.Atom); err == nil && world.Missing(s.Pre) == nil {
							want = append(want, op.Atom.String())
						}
					}
					if !slices.Equal(q.Truth, want) {
						t.Errorf("%s: %v, want %v", q.ID, q.Truth, want)
					}
				case planning.Plan:
					steps, _ := pddl.ParsePlan("", strings.Join(q.Truth, " "))
					if !p.Validate(steps).Valid {
						t.Errorf("%s: the reference plan is not valid", q.ID)
					}
				default:
					steps, _ := pddl.ParsePlan("", strings.Join(q.Done, " "))
					for _, a := range steps {
						s, err := p.Instance(a)
						if err != nil || world.Missing(s.Pre) != nil {
							t.Fatalf("%s: %s does not apply", q.ID, a)
						}
						world.Apply(s)
					}
					want := []string{}
					start := p.Start()
					for _, a := range world.Atoms() {
						if task != planning.Positive && task != planning.Negative || task == planning.Positive && !start[a.String()] {
							want = append(want, a.String())
						}
					}
					if task == planning.Negative {
						for _, a := range start.Atoms() {
							if !world[a.String()] {
								want = append(want, a.String())
							}
						}
					}
					if !slices.Equal(q.Truth, want) {
						t.Errorf("%s after %v: %v, want %v", q.ID, q.Done, q.Truth, want)
					}
				}
			}
		}
	}
}

func TestQuestionsAreSeededAndKeepTheTruthToThemselves(t *testing.T) {
	w := generate(t, planning.DefaultGenerator("depots"), 1, 9)[0]
	prompts := map[string]bool{}
	for seed := range uint64(10) {
		q, err := w.Ask(planning.Applicable, planning.Asking{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		again, err := w.Ask(planning.Applicable, planning.Asking{Seed: seed})
		if err != nil || q.Prompt() != again.Prompt() {
			t.Error("the same seed gave another question")
		}
		prompts[q.Prompt()] = true
		if strings.Contains(q.Prompt(), "(") || strings.Contains(q.Prompt(), "{") {
			t.Errorf("a question in words has PDDL or a place that was not filled in:\n%s", q.Prompt())
		}
	}
	if len(prompts) < 5 {
		t.Errorf("ten seeds gave %d wordings", len(prompts))
	}
	q, err := w.Ask(planning.State, planning.Asking{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(q.Context, "is clear\n") || strings.Contains(q.Context, "hoist0 is available") {
		t.Error("the context tells what follows from the rules")
	}
	if len(q.Static) != 8 {
		t.Errorf("static facts %v, want the places of 4 pallets and 4 hoists", q.Static)
	}
}
