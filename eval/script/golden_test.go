package script_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/eval/run"
	"parley/eval/run/runtest"
	"parley/eval/script"
	"parley/sim/llm"
)

// varied are an author and judges that find fault with some scripts, do not answer for others and fail for a third kind.
const varied = `
- {purpose: write, when: "(?i)cake", reply: "1. Begin.\n2. Go on.\n2. Go on.\n3. End."}
- {purpose: write, when: "balcony", reply: "1. Begin.\n2. End."}
- {purpose: write, reply: "I would rather not."}
- {purpose: gold, reply: "1. Begin.\n2. Carry on with it.\n3. End."}
- {purpose: perturb, reply: "1. Begin.\n2. End."}
- {purpose: judge:script-critic, when: "Go on", reply: '{"missing": ["a step"], "missing_steps": true, "redundant": [2], "redundant_steps": true, "duplicate": [2, 3], "duplicate_steps": true}'}
- {purpose: judge:script-critic, when: "Stir milk|Serve the courses", reply: '{"missing": [], "missing_steps": false, "redundant": [], "redundant_steps": false, "duplicate": [], "duplicate_steps": false}'}
- {purpose: judge:script-critic, when: "six people", reply: '{"missing": [], "missing_steps": false, "redundant": [], "redundant_steps": false, "duplicate": [], "duplicate_steps": true}'}
- {purpose: judge:script-critic, reply: '{"missing": ["a step"], "missing_steps": true, "redundant": [], "redundant_steps": false, "duplicate": [], "duplicate_steps": false}'}
- {purpose: judge:script-execute, when: "Go on", reply: '{"condition_1": true, "condition_2": false, "condition_3": true, "meet_constraints": false, "fails_at": 2, "complete_goal": false, "misplaced": [1], "step_order_correct": false}'}
- {purpose: judge:script-execute, reply: '{"condition_1": true, "condition_2": true, "condition_3": true, "meet_constraints": true, "fails_at": 0, "complete_goal": true, "misplaced": [], "step_order_correct": true}'}
- {purpose: judge:script-commonsense, when: "six people", fault: bad request}
- {purpose: judge:script-commonsense, when: "Go on", reply: '{"senseless": [2], "executable": false}'}
- {purpose: judge:script-commonsense, reply: '{"senseless": [], "executable": true}'}
- {purpose: judge:script-single, reply: '{"missing_steps": false, "redundant_steps": true, "duplicate_steps": false, "executable": true, "meet_constraints": true, "complete_goal": true, "step_order_correct": true}'}
`

// What a run shows and its page say, to the number.
func TestGoldenRuns(t *testing.T) {
	for name, change := range map[string]func(*script.Config){
		"authors": func(c *script.Config) {
			c.Model, c.Baseline, c.First = []string{"script:a.yaml", "reference:missing", "reference:intact"}, []string{"single", "rouge", "embed"}, 6
			c.Embed = "lengths:v"
		},
		"perturbed": func(c *script.Config) {
			c.Perturb, c.By, c.Kind, c.First = true, "script:by.yaml", []string{"missing", "duplicate"}, 4
		},
	} {
		o := options()
		o.Registry = llm.Registry{llm.ScriptAdapter(scriptOf(varied)), lengths}
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		o.Now, o.ID, o.Version, o.Jobs = func() time.Time { return at }, "golden", "v1", 1
		dir := filepath.Join(t.TempDir(), "run")
		m, err := run.Run(t.Context(), dir, planOf(t, change)(), o)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := script.Show(&b, dir, m, true); err != nil {
			t.Fatal(err)
		}
		missing, err := script.Missing(dir)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n%d scores are missing\n\n== human\n", missing)
		if err := script.WriteHuman(&b, dir); err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(filepath.Join(dir, run.ReportName))
		if err != nil {
			t.Fatal(err)
		}
		runtest.Golden(t, name+".txt", strings.ReplaceAll(b.String(), dir, "DIR")+"== page\n"+runtest.PageText(strings.ReplaceAll(string(page), dir, "DIR")))
	}
}

// lengths embeds texts by how long they are.
var lengths = llm.Adapter{Scheme: "lengths", Open: func(context.Context, llm.Spec, llm.Env) (llm.Model, error) {
	return byLength{}, nil
}}

type byLength struct{ llm.Model }

func (byLength) Embed(_ context.Context, texts []string) (*llm.Response, error) {
	var out [][]float32
	for _, t := range texts {
		out = append(out, []float32{float32(len(t)), float32(strings.Count(t, " ") - 5)})
	}
	return &llm.Response{Vectors: out}, nil
}

// Where gold answers come from, by what is asked for and what the authors wrote.
func TestGoldAnswers(t *testing.T) {
	var b strings.Builder
	bare := filepath.Join(t.TempDir(), "tasks.jsonl") // a task without reference steps
	if err := os.WriteFile(bare, []byte(`{"id":"t","topic":"Food","abstract":"Make tea","constraints":["fast"],"specific":"Make tea fast"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, gold := range []string{"pool", "leave-one-out", "direct", "reference", "none"} {
		for _, models := range [][]string{{"script:a.yaml", "reference:intact"}, {"script:refuses.yaml"}, {"script:b.yaml"}} {
			o := options()
			o.Registry = llm.Registry{llm.ScriptAdapter(func(file string) (io.ReadCloser, error) {
				text := players
				if file == "refuses.yaml" {
					text = "- {purpose: write, reply: No.}\n- reply: ''\n"
				}
				return io.NopCloser(strings.NewReader(text)), nil
			})}
			o.Now = time.Now
			dir := filepath.Join(t.TempDir(), "run")
			if _, err := run.Run(t.Context(), dir, planOf(t, func(c *script.Config) {
				if c.Model, c.Gold, c.First = models, gold, 1; models[0] == "script:b.yaml" {
					c.Tasks = bare
				}
			})(), o); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "# %s of %v\n", gold, models)
			for row, err := range script.Scripts.Read(dir) {
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "%q, gold %t, %s: %d steps, %s %s\n", row.Arm, row.Gold, row.Source, len(row.Steps), row.Status, row.Reason)
			}
			asked := map[string]int{}
			for c, err := range run.Calls.Read(dir) {
				if err != nil {
					t.Fatal(err)
				}
				asked[c.Purpose+" "+c.Actor]++
			}
			fmt.Fprintln(&b, "asked", asked)
			for f, err := range script.Findings.Read(dir) {
				if err != nil {
					t.Fatal(err)
				}
				if f.Metric == script.NoMissing || f.Metric == script.Executable {
					fmt.Fprintf(&b, "%s of %s: %s %s %s\n", f.Metric, f.Arm, f.Status, f.Method, f.Reason)
				}
			}
		}
	}
	runtest.Golden(t, "gold.txt", b.String())
}
