package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/scenarios"
	"parley/sim/agent"
	"parley/sim/llm"
)

// The context of a local model holds the longest prompt of every role that it has.
func TestContextOfALocalModel(t *testing.T) {
	const spec = "ollama:m"
	long := strings.Repeat("a long word ", 1500) // 18,000 bytes, at least 3,000 tokens
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "rules.tmpl"), []byte(long), 0o666); err != nil {
		t.Fatal(err)
	}
	rules, err := agent.LoadPrompts(dir)
	if err != nil {
		t.Fatal(err)
	}
	pieces := make([]scenarios.Knowledge, 300) // of which a short run plays only a few
	for i := range pieces {
		pieces[i] = scenarios.Knowledge{ID: "k", Title: "the Moth", Hook: "Nobody speaks of it.", Text: "It flies.", Facts: []scenarios.Fact{{Text: "The Moth flies."}}}
	}
	pieces[222].Text = long
	settle := func(change func(e *Experiment, note *servedNote), st *stage, prompts *agent.Prompts) int {
		t.Helper()
		e := defaultExperiment()
		e.Sessions, e.Player, e.NPC = 3, []Arm{{Model: spec}}, spec
		note := &servedNote{}
		if change != nil {
			change(e, note)
		}
		if err := e.complete(); err != nil {
			t.Fatal(err)
		}
		c := &crew{exp: e, manifest: &manifest{Models: map[string]*servedNote{spec: note}}, open: map[string]llm.Model{spec: nil}}
		if err := c.settleContexts(func() ([]*scenarios.Scenario, error) { return e.sample(st) }, prompts); err != nil {
			t.Fatal(err)
		}
		return note.NumCtx
	}
	builtin := agent.BuiltinPrompts()
	usual := settle(nil, &stage{}, builtin)
	if usual < 4096 || usual > 8192 {
		t.Errorf("the usual context is %d", usual)
	}
	if got := settle(nil, &stage{}, rules); got < usual+2048 {
		t.Errorf("with long rules: %d, and %d without", got, usual)
	}
	if got := settle(nil, &stage{knowledge: pieces}, builtin); got < usual+2048 {
		t.Errorf("with a long piece of knowledge: %d, and %d without", got, usual)
	}
	for _, role := range []string{"player", "npc", "referee"} {
		got := settle(func(e *Experiment, _ *servedNote) {
			e.Referee = spec
			e.Sampling = map[string]llm.Sampling{role: {MaxTokens: 2448}}
		}, &stage{}, builtin)
		if got != usual+2048 {
			t.Errorf("with replies of 2,448 tokens of the %s: %d, want %d", role, got, usual+2048)
		}
	}
	for want, change := range map[int]func(*Experiment, *servedNote){
		2048:         func(_ *Experiment, n *servedNote) { n.Identity = &llm.Identity{Context: 2048} }, // all that the model takes
		12345:        func(_ *Experiment, n *servedNote) { n.NumCtx = 12345 },                          // as the run began
		judgeContext: func(e *Experiment, _ *servedNote) { e.Judge = spec },
	} {
		if got := settle(change, &stage{}, builtin); got != want {
			t.Errorf("context %d, want %d", got, want)
		}
	}
}
