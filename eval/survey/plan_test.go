package survey_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/eval/run"
	"parley/eval/run/runtest"
	"parley/eval/survey"
	"parley/sim/llm"
)

// judges are an evaluator and a critic, of whom the critic never says anything of use on relevancy.
const judges = `
- {purpose: judge:survey-criteria, reply: '{"changes": [], "new": [{"name": "Creativity", "reason": "missed", "definition": "It surprises."}]}'}
- {purpose: judge:survey-checklist, reply: '{"q1": "yes", "q2": "no", "q3": "yes", "q4": "no"}'}
- {purpose: judge:survey-sage, actor: relevancy, reply: "I cannot say."}
- {actor: sentiment, reply: '{"reason": "plain words", "label": "neutral"}'}
- {reply: '{"reason": "all of it fits", "score": 4}'}
`

func TestPlanContract(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for i, text := range []string{"# Tea\n1. Which tea do you drink? (text)\n", "", "# Water\n1. How much water do you drink? (number)\n"} {
		files = append(files, filepath.Join(dir, fmt.Sprintf("%d.md", i)))
		if err := os.WriteFile(files[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runtest.TestPlan(t, runtest.Case{
		New: func() run.Plan {
			c := survey.DefaultConfig()
			c.Files, c.Evaluator, c.Sage, c.Trusting, c.AllowSelfJudge = files, "script:a.yaml", "script:b.yaml", true, true
			c.Baselines, c.Aspects, c.Variant = []survey.Agent{survey.Checklist}, []string{"relevancy", "sentiment"}, survey.Reflect
			if err := c.Complete(); err != nil {
				t.Fatal(err)
			}
			return survey.New(c)
		},
		Options: run.Options{Kinds: run.Kinds{survey.Kind: survey.Decode}, Registry: llm.Registry{
			llm.ScriptAdapter(func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(judges)), nil }),
		}},
		Stops: 3,
	})
}
