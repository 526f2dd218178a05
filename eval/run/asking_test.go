package run_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/eval"
	"parley/eval/run"
	"parley/eval/run/runtest"
	"parley/sim/llm"
)

// asking is a plan of two arms whose jobs each ask a model twice and score how many x its replies have.
type asking struct{ settings run.Settings }

var words = eval.Metric{Scorer: "length", Name: "words", Title: "words", Unit: "replies", High: 100, Higher: true, Paired: true}

func (p *asking) Kind() string            { return "asking" }
func (p *asking) Config() any             { return p.settings }
func (p *asking) Settings() *run.Settings { return &p.settings }
func (p *asking) Models() []run.Use {
	return []run.Use{{Model: "script:a", Role: "player", Tested: true}, {Model: "script:b", Role: "player", Tested: true}}
}
func (p *asking) Tables() []run.Table                     { return []run.Table{stagedRows} }
func (p *asking) Arms() []string                          { return []string{"a", "b"} }
func (p *asking) Metrics() []eval.Metric                  { return []eval.Metric{words} }
func (p *asking) Prepare(context.Context, *run.Env) error { return nil }

func (p *asking) Jobs(env *run.Env) iter.Seq2[run.Job, error] {
	return func(yield func(run.Job, error) bool) {
		for i := range 8 {
			job := run.Job{ID: fmt.Sprintf("%02d", i), Arm: p.Arms()[i%2]}
			job.Do = func(ctx context.Context, w *run.Writer) error {
				n := 0
				for turn := range 2 {
					resp, err := env.Model("script:"+job.Arm).Generate(ctx, llm.Request{
						Messages: []llm.Message{{Role: "user", Content: fmt.Sprint("item ", i/2, " turn ", turn)}},
						Tag:      llm.Tag{Session: job.ID, Turn: turn + 1, Actor: "p", Purpose: "move"},
					})
					if err != nil {
						return err
					}
					n += strings.Count(resp.Text, "x") // a script may put its reply into a form
				}
				v := float64(n + i/2)
				s := eval.Score{Session: job.ID, Item: fmt.Sprint(i / 2), Arm: job.Arm, Scorer: "length", Metric: "words", Value: &v, Status: eval.Scored, Method: "count"}
				run.Scores.Add(w, s)
				stagedRows.Add(w, stagedRow{ID: job.ID, Found: w.Calls(), State: w.Done(run.Complete, s)})
				return nil
			}
			if !yield(job, nil) {
				return
			}
		}
	}
}

// Calls and scores of a plan are kept, added up by arm, and the same after any stop.
func TestAskingPlan(t *testing.T) {
	scripts := map[string]string{"a": "- reply: x x x\n", "b": "- reply: x\n"}
	o := run.Options{
		Now:   time.Now,
		Kinds: run.Kinds{"asking": func(json.RawMessage) (run.Plan, error) { return newAsking(), nil }},
		Registry: llm.Registry{
			llm.ScriptAdapter(func(file string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(scripts[file])), nil }),
			llm.ReplayAdapter(run.Recorded),
		},
	}
	dir := filepath.Join(t.TempDir(), "run")
	m, err := run.Run(t.Context(), dir, newAsking(), o)
	if err != nil {
		t.Fatal(err)
	}
	calls, err := run.Calls.All(dir)
	if err != nil || len(calls) != 16 || m.Of != 8 || m.Jobs[run.Complete] != 8 || m.State != run.Complete {
		t.Errorf("%d calls, %d jobs, %v, %v", len(calls), m.Of, m.Jobs, err)
	}
	rows, err := stagedRows.All(dir)
	if err != nil || len(rows) != 8 || rows[0].Found != 2 {
		t.Errorf("%+v, %v", rows, err)
	}
	got := map[string]float64{}
	for _, r := range m.Results {
		if r.Value != nil {
			got[r.Metric+" "+r.Arm] = *r.Value
		}
	}
	// Items add 0 to 3; a says six x, b two.
	for name, want := range map[string]float64{"words a": 7.5, "words b": 3.5, "words_difference b - a": -4} {
		if v, ok := got[name]; !ok || math.Abs(v-want) > 1e-9 {
			t.Errorf("%s is %v, want %v: %v", name, v, want, got)
		}
	}
	if f, err := run.Verify(dir, o.Kinds); err != nil || f.Found > 0 {
		t.Errorf("%v, %v", f, err)
	}
	runtest.TestPlan(t, runtest.Case{New: newAsking, Options: o})
}

func newAsking() run.Plan { return &asking{settings: run.Settings{Seed: 1, Jobs: 4}} }
