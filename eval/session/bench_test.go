package session_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"parley/eval/run"
	"parley/eval/session"
	"parley/sim/llm"
)

// BenchmarkEngineShare plays sessions on a model that takes 200 ms a call, 8 at once, and reports how much of the wall
// time is the engine's own: all that is more than the calls need at that concurrency.
func BenchmarkEngineShare(b *testing.B) {
	const latency, jobs, sessions = 200 * time.Millisecond, 8, 16
	slow := llm.Adapter{Scheme: "slow", Usage: "slow:NAME", Defaults: llm.Defaults{Server: true, Jobs: jobs},
		Open: func(context.Context, llm.Spec, llm.Env) (llm.Model, error) {
			return llm.Func(func(ctx context.Context, _ llm.Request) (*llm.Response, error) {
				time.Sleep(latency)
				return &llm.Response{Text: `{"speech":"Then tell me who rang it last, and why the others left.","deed":"leans closer","to":[]}`, Finish: llm.Stop}, nil
			}), nil
		}}
	c := session.Default()
	c.Scenario, c.Sessions, c.Form, c.Player, c.NPC = "intention", sessions, "json", []session.Arm{{Model: "slow:m"}}, "slow:m"
	if err := c.Complete(); err != nil {
		b.Fatal(err)
	}
	o := run.Options{Registry: llm.Registry{slow}, Env: llm.Env{Now: time.Now}, Now: time.Now}
	var calls int
	for n := 0; b.Loop(); n++ {
		m, err := run.Run(b.Context(), filepath.Join(b.TempDir(), "run"), session.New(c), o)
		if err != nil {
			b.Fatal(err)
		}
		calls += m.Usage.Total().Calls
	}
	ideal := time.Duration(calls) * latency / jobs
	b.ReportMetric(100*float64(b.Elapsed()-ideal)/float64(b.Elapsed()), "%-engine")
}
