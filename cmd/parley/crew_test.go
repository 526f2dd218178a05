package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/eval/survey/form"
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
	pieces := make([]scenarios.Piece, 300) // of which a short run plays only a few
	for i := range pieces {
		pieces[i] = &scenarios.Knowledge{ID: "k", Title: "the Moth", Hook: "Nobody speaks of it.", Text: "It flies.", Facts: []scenarios.Fact{{Text: "The Moth flies."}}}
	}
	pieces[222].(*scenarios.Knowledge).Text = long
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
	if got := settle(nil, &stage{pieces: pieces}, builtin); got < usual+2048 {
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
		2048:                              func(_ *Experiment, n *servedNote) { n.Identity = &llm.Identity{Context: 2048} }, // all that the model takes
		12345:                             func(_ *Experiment, n *servedNote) { n.NumCtx = 12345 },                          // as the run began
		registry().Defaults(spec).Context: func(e *Experiment, _ *servedNote) { e.Judge = spec },
	} {
		if got := settle(change, &stage{}, builtin); got != want {
			t.Errorf("context %d, want %d", got, want)
		}
	}
}

// Evaluations hire models behind a server as a play does. What this one says is of no use to anybody.
func TestEvaluationsHireServedModels(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprint(w, `{"data":[{"id":"dull"},{"id":"judge"}]}`)
			return
		}
		fmt.Fprint(w, `{"choices":[{"message":{"content":"Nothing."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`)
	}))
	defer s.Close()
	dull, other := "openai:dull@"+s.URL+"/v1", "openai:judge@"+s.URL+"/v1"
	forms := filepath.Join(t.TempDir(), "forms")
	if err := os.Mkdir(forms, 0o777); err != nil {
		t.Fatal(err)
	}
	e := form.Library()[0]
	writeFile(t, filepath.Join(forms, "one.md"), fmt.Appendf(nil, "---\nprompt: %s\n---\n%s", e.Prompt, e.Form.Text()))
	for name, args := range map[string][]string{
		"survey": {"eval", "survey", "run", forms, "--evaluator", dull, "--sage", other},
		"script": {"eval", "script", "run", "--model", dull, "--judge", other, "--first", "1"},
	} {
		dir := filepath.Join(t.TempDir(), name)
		runParley(t, exitPartial, append(args, "--out", dir)...)
		if v, err := verify(dir); err != nil || len(v.Findings) > 0 {
			t.Errorf("%s: %v %+v", name, err, v)
		}
		if calls := collect[llm.Call](t, dir, streamCalls); len(calls) == 0 || calls[0].Reply != "Nothing." {
			t.Errorf("%s: %d calls", name, len(calls))
		}
	}
}
