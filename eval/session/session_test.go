package session_test

import (
	"io"
	"strings"
	"testing"

	"parley/eval/run"
	"parley/eval/run/runtest"
	"parley/eval/session"
	"parley/sim/llm"
)

// registry knows scripts by their content: script:NAME answers as the rules of that name say.
func registry(scripts map[string]string) llm.Registry {
	return llm.Registry{
		llm.ScriptAdapter(func(file string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(scripts[file])), nil }),
		llm.ReplayAdapter(run.Recorded),
	}
}

var kinds = run.Kinds{session.Kind: session.Decode}

func plan(t *testing.T, change func(*session.Config)) func() run.Plan {
	return func() run.Plan {
		c := session.Default()
		change(c)
		if err := c.Complete(); err != nil {
			t.Fatal(err)
		}
		return session.New(c)
	}
}

func TestPlanOfReferenceActors(t *testing.T) {
	runtest.TestPlan(t, runtest.Case{
		New: plan(t, func(c *session.Config) {
			c.Sessions, c.Turns = 3, 10
			c.Player = []session.Arm{{Model: "reference:diligent"}, {Model: "reference:silent"}}
		}),
		Options: run.Options{Kinds: kinds, Registry: registry(nil)},
	})
}

func TestPlanOfModels(t *testing.T) {
	talk := `
- purpose: debrief
  reply: "I learned nothing."
- replies:
    - "SAY: What is it, really?"
    - ""
    - "SAY: Where is it?\nDO: leans closer"
`
	judge := `
- reply: "I would say about half of it."
`
	runtest.TestPlan(t, runtest.Case{
		New: plan(t, func(c *session.Config) {
			c.Sessions, c.Turns, c.Form, c.Referee = 2, 8, "lines", "dice"
			c.Player = []session.Arm{{Name: "talk", Model: "script:talk"}, {Model: "reference:diligent"}}
			c.Judge = "script:judge"
		}),
		Options: run.Options{Kinds: kinds, Registry: registry(map[string]string{"talk": talk, "judge": judge})},
	})
}
