package script_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"parley/characters"
	"parley/eval/run"
	"parley/eval/run/runtest"
	"parley/eval/script"
	"parley/sim/llm"
)

// players are authors and judges of which each answers in its own way; the critic never answers of use.
const players = `
- {purpose: write, reply: "1. Begin.\n2. Go on.\n3. End."}
- {purpose: gold, reply: "1. Begin.\n2. Go on with it.\n3. End."}
- {purpose: perturb, reply: "1. Begin.\n2. End."}
- {purpose: judge:script-critic, reply: "I cannot say."}
- {purpose: judge:script-execute, reply: '{"condition_1": true, "condition_2": true, "condition_3": true, "meet_constraints": true, "fails_at": 0, "complete_goal": true, "misplaced": [], "step_order_correct": true}'}
- {purpose: judge:script-commonsense, reply: '{"senseless": [], "executable": true}'}
- {purpose: judge:script-single, reply: '{"missing_steps": false, "redundant_steps": false, "duplicate_steps": false, "executable": true, "meet_constraints": true, "complete_goal": true, "step_order_correct": true}'}
`

func planOf(t *testing.T, change func(*script.Config)) func() run.Plan {
	return func() run.Plan {
		c := script.Default()
		c.First, c.Trusting, c.AllowSelfJudge, c.Judge = 2, true, true, "script:judge.yaml"
		change(c)
		if err := c.Complete(func(string) ([]*characters.Sheet, error) { return nil, fmt.Errorf("there are no characters") }); err != nil {
			t.Fatal(err)
		}
		return script.New(c)
	}
}

func options() run.Options {
	return run.Options{Kinds: run.Kinds{script.Kind: script.Decode}, Registry: llm.Registry{
		llm.ScriptAdapter(scriptOf(players)),
	}}
}

// scriptOf opens the same script for every file.
func scriptOf(text string) func(string) (io.ReadCloser, error) {
	return func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

func TestPlanContract(t *testing.T) {
	for name, change := range map[string]func(*script.Config){
		"leave-one-out": func(c *script.Config) {
			c.Model, c.Gold, c.Baseline = []string{"script:a.yaml", "reference:missing"}, "leave-one-out", []string{"single", "rouge"}
		},
		"perturb": func(c *script.Config) {
			c.Perturb, c.By, c.Kind, c.First = true, "script:by.yaml", []string{"missing"}, 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			runtest.TestPlan(t, runtest.Case{New: planOf(t, change), Options: options(), Stops: 3})
		})
	}
}
