package run_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"parley/eval"
	"parley/eval/run"
	"parley/sim/llm"
)

// small is a plan whose jobs, sessions s00, s01 and so on, are done by a function; without one, each asks model p once.
type small struct {
	settings run.Settings
	uses     []run.Use
	arms     []string
	of       int
	stage    int // jobs of a stage; 0: all
	prepare  func(ctx context.Context, env *run.Env) error
	do       func(ctx context.Context, env *run.Env, w *run.Writer, job run.Job) (*float64, error)
}

func (p *small) Kind() string            { return "small" }
func (p *small) Config() any             { return p.settings }
func (p *small) Settings() *run.Settings { return &p.settings }
func (p *small) Models() []run.Use       { return p.uses }
func (p *small) Tables() []run.Table     { return []run.Table{stagedRows} }
func (p *small) Arms() []string          { return p.arms }
func (p *small) Metrics() []eval.Metric  { return []eval.Metric{words} }
func (p *small) Steps() string           { return "replies" }
func (p *small) Prepare(ctx context.Context, env *run.Env) error {
	if p.prepare == nil {
		return nil
	}
	return p.prepare(ctx, env)
}

func (p *small) Jobs(env *run.Env) iter.Seq2[run.Job, error] {
	return func(yield func(run.Job, error) bool) {
		for i := range p.of {
			job := run.Job{ID: fmt.Sprintf("s%02d", i), Stage: i / cmp.Or(p.stage, p.of)}
			if len(p.arms) > 0 {
				job.Arm = p.arms[i%len(p.arms)]
			}
			job.Do = func(ctx context.Context, w *run.Writer) error {
				do := p.do
				if do == nil {
					do = askOnce
				}
				value, err := do(ctx, env, w, job)
				if err != nil {
					return err
				}
				s := eval.Score{Session: job.ID, Item: fmt.Sprint(i / max(1, len(p.arms))), Arm: job.Arm, Scorer: "length", Metric: "words", Value: value, Status: eval.Scored, Method: "count"}
				if value == nil {
					s.Status, s.Reason = eval.Failed, "the model failed"
				}
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

// ask asks a model about an item for a job.
func ask(ctx context.Context, env *run.Env, spec string, job run.Job, purpose string, turn int) (*llm.Response, error) {
	return env.Model(spec).Generate(ctx, llm.Request{
		Messages: []llm.Message{{Role: llm.User, Content: "item " + job.ID}},
		Tag:      llm.Tag{Session: job.ID, Turn: turn, Actor: "p", Purpose: purpose},
	})
}

func askOnce(ctx context.Context, env *run.Env, _ *run.Writer, job run.Job) (*float64, error) {
	resp, err := ask(ctx, env, "served:p", job, "act", 1)
	if errors.Is(err, context.Canceled) || errors.As(err, new(*run.BudgetError)) {
		return nil, err
	}
	if err != nil {
		return nil, nil // the job is failed
	}
	v := float64(len(resp.Text))
	return &v, nil
}

// world is what runs of a test share: a clock that a call moves by a second, and models that are all answered by one
// function. Scheme served is a local server, hosted somebody else's, and local none at all.
type world struct {
	calls  atomic.Int64
	at     atomic.Int64 // seconds
	answer func(spec string, req llm.Request) (*llm.Response, error)
	digest string // of the models
}

func (w *world) now() time.Time { return time.Unix(w.at.Load(), 0).UTC() }

func (w *world) registry() llm.Registry {
	var r llm.Registry
	for scheme, d := range map[string]llm.Defaults{"served": {Server: true}, "hosted": {Server: true, Hosted: true, Jobs: 4}, "local": {}, "kept": {Recorded: true}} {
		r = append(r, llm.Adapter{Scheme: scheme, Defaults: d, Open: func(_ context.Context, spec llm.Spec, _ llm.Env) (llm.Model, error) {
			return &worldly{w, spec.String()}, nil
		}})
	}
	return r
}

// worldly is a model of a world.
type worldly struct {
	*world
	spec string
}

// Identify names the model with the world's digest.
func (m *worldly) Identify(context.Context) (llm.Identity, error) {
	return llm.Identity{Name: m.spec, Digest: m.digest}, nil
}

// Generate answers in a second with 1,000 tokens of prompt and 500 of the reply, where nothing else is said.
func (m *worldly) Generate(_ context.Context, req llm.Request) (*llm.Response, error) {
	m.calls.Add(1)
	m.at.Add(1)
	if m.answer != nil {
		if resp, err := m.answer(m.spec, req); resp != nil || err != nil {
			return resp, err
		}
	}
	prompt, reply := 1000, 500
	return &llm.Response{Text: "x x x", Finish: llm.Stop, Usage: llm.Usage{Prompt: &prompt, Completion: &reply}}, nil
}

// options runs plans of a world one job at a time; make is how a plan is made again but for its settings.
func (w *world) options(make func() *small) run.Options {
	return run.Options{
		Now: w.now, Registry: w.registry(), Env: llm.Env{Now: w.now}, Jobs: 1, Version: "v1",
		Kinds: run.Kinds{"small": func(config json.RawMessage) (run.Plan, error) {
			p := make()
			p.settings = run.Settings{}
			return p, json.Unmarshal(config, &p.settings)
		}},
	}
}

func tested(specs ...string) (uses []run.Use) {
	for _, s := range specs {
		uses = append(uses, run.Use{Model: s, Role: "player", Tested: true})
	}
	return uses
}

// done runs a plan to its end in a new directory.
func done(t *testing.T, p *small, o run.Options) (string, *run.Manifest) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	m, err := run.Run(t.Context(), dir, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return dir, m
}

// writeFile writes a file of a test and returns its path.
func writeFile(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := writeText(path, text); err != nil {
		t.Fatal(err)
	}
	return path
}

func writeText(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }

// writes does a job by adding rows.
func writes(add func(w *run.Writer)) func(context.Context, *run.Env, *run.Writer, run.Job) (*float64, error) {
	return func(_ context.Context, _ *run.Env, w *run.Writer, _ run.Job) (*float64, error) {
		add(w)
		return new(float64), nil
	}
}
