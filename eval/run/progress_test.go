package run_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/eval"
	"parley/eval/run"
)

// The line says from the first second what is waited for, and then how far each arm came.
func TestProgressLine(t *testing.T) {
	at := time.Unix(0, 0)
	p := run.NewProgress(nil, 0, "sessions", "turns", nil, func() time.Time { return at })
	defer p.Close()
	want := func(line string) {
		t.Helper()
		if got := p.Line(); got != line {
			t.Errorf("got  %s\nwant %s", got, line)
		}
	}
	want("") // what is asked before the jobs are known, such as the form of replies
	probe, probed := p.Ask(t.Context(), "ollama:judge")
	p.Sent(probe)
	at = at.Add(3 * time.Second)
	want("waiting 3s for ollama:judge to load or answer")
	probed()
	p.Begin(map[string]int{"llama": 4, "smol": 4})
	want("0 of 8 sessions, 0 turns: llama 0 of 4; smol 0 of 4")
	ctx, done := p.Ask(t.Context(), "ollama:llama")
	_, late := p.Ask(t.Context(), "ollama:smol")
	at = at.Add(12 * time.Second)
	want("0 of 8 sessions, 0 turns, 2 calls wait at limits: llama 0 of 4; smol 0 of 4")
	p.Sent(ctx)
	want("0 of 8 sessions, 0 turns, waiting 12s for ollama:llama to load or answer, 1 calls wait at limits: llama 0 of 4; smol 0 of 4")
	done()
	late()
	for range 6 {
		p.Step("llama")
	}
	p.Job("llama", false, 1)
	want("1 of 8 sessions, 6 turns (0.5 a second), 1 unscored, about 1m24s to go: llama 1 of 4 (0.5 a second), about 36s to go; smol 0 of 4")
	for range 3 {
		p.Job("llama", true, 0)
	}
	want("4 of 8 sessions, 6 turns (0.5 a second), 3 failed, 1 unscored, about 12s to go: smol 0 of 4")
	again, _ := p.Ask(t.Context(), "ollama:llama")
	p.Sent(again) // it has answered before
	for range 4 {
		p.Job("smol", false, 0)
	}
	want("8 of 8 sessions, 6 turns (0.5 a second), 3 failed, 1 unscored")
}

// Without a terminal there is a line at the end, and none where nothing is known; failed and unscored jobs are counted.
func TestProgressOfARun(t *testing.T) {
	var b strings.Builder
	run.NewProgress(&b, 0, "sessions", "turns", nil, time.Now).Close()
	if b.String() != "" {
		t.Errorf("%q is said of nothing", b.String())
	}
	w := &world{}
	plan := func() *small {
		return &small{arms: []string{"a"}, of: 4, do: func(_ context.Context, _ *run.Env, w *run.Writer, job run.Job) (*float64, error) {
			w.Step()
			w.Step()
			w.Done(run.Complete)
			w.Done(run.Complete, eval.Score{Status: eval.NotApplicable}, eval.Score{Status: eval.Unparsed})
			if job.ID == "s00" {
				return nil, nil
			}
			return new(float64), nil
		}}
	}
	o := w.options(plan)
	o.Log = &b
	p := plan()
	p.of = 1
	if _, err := run.Run(t.Context(), filepath.Join(t.TempDir(), "run"), p, o); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "3 of 1 jobs, 2 replies") || strings.HasSuffix(b.String(), "\n\n") || !strings.Contains(b.String(), "1 failed, 2 unscored") {
		t.Errorf("%s", b.String())
	}
	at := run.NewProgress(nil, 0, "examples", "tokens", map[string]int{"": 10}, func() time.Time { return time.Unix(0, 0) })
	at.At(3, 7)
	if line := at.Line(); line != "3 of 10 examples, 7 tokens, about 0s to go" {
		t.Errorf("%s", line)
	}
}
