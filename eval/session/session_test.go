package session_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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
			c.Player = []session.Arm{{Name: "talk", Model: "script:talk.yaml"}, {Model: "reference:diligent"}}
			c.Judge = "script:judge.yaml"
		}),
		Options: run.Options{Kinds: kinds, Registry: registry(map[string]string{"talk.yaml": talk, "judge.yaml": judge})},
	})
}

// Scoring again that is stopped at any call, and once more before any call is made, asks no judge twice.
func TestScoreAgainKeepsWhatWasPaid(t *testing.T) {
	dir := t.TempDir()
	plain := registry(map[string]string{"talk.yaml": "- purpose: debrief\n  reply: I learned that it is old.\n- reply: 'SAY: What is it?'\n", "judge.yaml": "- reply: '{}'\n"})
	played := filepath.Join(dir, "played")
	o := run.Options{Kinds: kinds, Registry: plain, Now: time.Now}
	if _, err := run.Run(t.Context(), played, plan(t, func(c *session.Config) {
		c.Sessions, c.Turns, c.Form = 2, 6, "lines"
		c.Player = []session.Arm{{Model: "script:talk.yaml"}}
	})(), o); err != nil {
		t.Fatal(err)
	}
	// score scores a copy with a judge whose calls are counted; at call number stop it is stopped (0: before any).
	score := func(to string, stop int64) (calls int64, err error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		counting := o
		counting.Jobs = 1
		script := plain[0]
		counting.Registry = llm.Registry{script}
		open := script.Open
		counting.Registry[0].Open = func(ctx context.Context, spec llm.Spec, env llm.Env) (llm.Model, error) {
			if stop == 0 {
				cancel()
			}
			m, err := open(context.WithoutCancel(ctx), spec, env)
			if err != nil {
				return nil, err
			}
			return llm.Func(func(ctx context.Context, req llm.Request) (*llm.Response, error) {
				if n := atomic.AddInt64(&calls, 1); n == stop {
					defer cancel()
				}
				return m.Generate(context.WithoutCancel(ctx), req)
			}), nil
		}
		_, err = session.Score(ctx, to, nil, "script:judge.yaml", counting)
		return calls, err
	}
	fresh := func(name string) string {
		to := filepath.Join(dir, name)
		if err := os.CopyFS(to, os.DirFS(played)); err != nil {
			t.Fatal(err)
		}
		return to
	}
	calm, err := score(fresh("calm"), -1)
	if err != nil || calm < 4 {
		t.Fatal(calm, err)
	}
	for _, stop := range []int64{1, 2, calm / 2, calm - 1} {
		to, total := fresh(fmt.Sprint("stopped", stop)), int64(0)
		for _, at := range []int64{stop, 0, -1} {
			calls, err := score(to, at)
			if total += calls; (err == nil) != (at < 0) {
				t.Fatalf("stopped at %d: %v", at, err)
			}
		}
		if total > calm+1 {
			t.Errorf("stopped at call %d: the judge was asked %d times, undisturbed %d", stop, total, calm)
		}
		f, err := run.Verify(to, kinds)
		if err != nil || f.Found > 0 {
			t.Errorf("stopped at call %d: %v, %v", stop, f.Findings, err)
		}
	}
}
