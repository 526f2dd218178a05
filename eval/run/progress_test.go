package run_test

import (
	"testing"
	"time"

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
}
