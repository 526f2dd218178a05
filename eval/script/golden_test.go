package script_test

import (
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
- {purpose: write, when: "(?i)tea|cake", reply: "1. Begin.\n2. Go on.\n2. Go on.\n3. End."}
- {purpose: write, reply: "I would rather not."}
- {purpose: gold, reply: "1. Begin.\n2. Go on with it.\n3. End."}
- {purpose: perturb, reply: "1. Begin.\n2. End."}
- {purpose: judge:script-critic, when: "Go on", reply: '{"missing": ["a step"], "missing_steps": true, "redundant": [2], "redundant_steps": true, "duplicate": [2, 3], "duplicate_steps": true}'}
- {purpose: judge:script-critic, reply: '{"missing": [], "missing_steps": false, "redundant": [], "redundant_steps": false, "duplicate": [], "duplicate_steps": true}'}
- {purpose: judge:script-execute, when: "Go on", reply: '{"condition_1": true, "condition_2": false, "condition_3": true, "meet_constraints": false, "fails_at": 2, "complete_goal": false, "misplaced": [1], "step_order_correct": false}'}
- {purpose: judge:script-execute, reply: '{"condition_1": true, "condition_2": true, "condition_3": true, "meet_constraints": true, "fails_at": 0, "complete_goal": true, "misplaced": [], "step_order_correct": true}'}
- {purpose: judge:script-commonsense, fault: bad request}
- {purpose: judge:script-single, reply: '{"missing_steps": false, "redundant_steps": true, "duplicate_steps": false, "executable": true, "meet_constraints": true, "complete_goal": true, "step_order_correct": true}'}
`

// What a run shows and its page say, to the number.
func TestGoldenRuns(t *testing.T) {
	for name, change := range map[string]func(*script.Config){
		"authors": func(c *script.Config) {
			c.Model, c.Baseline, c.First = []string{"script:a.yaml", "reference:missing", "reference:intact"}, []string{"single", "rouge"}, 6
		},
		"perturbed": func(c *script.Config) {
			c.Perturb, c.By, c.Kind, c.First = true, "script:by.yaml", []string{"missing", "duplicate"}, 4
		},
	} {
		o := options()
		o.Registry = llm.Registry{llm.ScriptAdapter(scriptOf(varied))}
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
		b.WriteString("\n== human\n")
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
