package script_test

import (
	"flag"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/eval/run"
	"parley/eval/script"
	"parley/sim/llm"
)

var update = flag.Bool("update", false, "write the goldens anew")

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
		golden(t, name+".txt", strings.ReplaceAll(b.String(), dir, "DIR")+"== page\n"+pageText(strings.ReplaceAll(string(page), dir, "DIR")))
	}
}

// pageText is the text of a page, a line for each of its blocks, without what changes with the program.
func pageText(page string) string {
	page = regexp.MustCompile(`(?s)<(style|script)>.*?</`).ReplaceAllString(page, "<")
	page = regexp.MustCompile(`</?(p|tr|li|h\d|dt|dd|section|table|caption|div|details|summary|text|desc|line)\b[^>]*>`).ReplaceAllString(page, "\n")
	page = html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " | "))
	page = regexp.MustCompile(`\b[0-9a-f]{12,}\b`).ReplaceAllString(strings.ReplaceAll(page, runtime.Version(), "GO"), "DIGEST")
	var lines []string
	for line := range strings.Lines(page) {
		line = strings.Trim(strings.Join(strings.Fields(strings.ReplaceAll(line, " |  | ", " | ")), " "), " |")
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// golden compares a text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got; go test -update accepts it):\n%s", path, diff)
	}
}
