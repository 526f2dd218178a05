package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/sim"
	"parley/sim/llm"

	"parley/eval/run"

	"parley/eval/session"
)

// liveModel is a real model on a real Ollama server, or a skip. One thread: ggml's threads spin.
func liveModel(t *testing.T, variable string) (spec, name, address string) {
	t.Helper()
	address, name = os.Getenv("PARLEY_TEST_OLLAMA"), os.Getenv(variable)
	if address == "" || name == "" {
		t.Skipf("PARLEY_TEST_OLLAMA and %s name no server and model; .ci/ollama starts one", variable)
	}
	return "ollama:" + name + "?num_thread=1@" + address, name, address
}

// liveRun plays an experiment and returns its directory.
func liveRun(t *testing.T, experiment string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	file, out := filepath.Join(dir, "exp.yaml"), filepath.Join(dir, "run")
	if err := os.WriteFile(file, []byte(experiment), 0o666); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	status := Main(context.Background(), append([]string{"parley", "run", file, "--out", out}, args...), &stdout, &stderr)
	if status != exitOK && status != exitPartial { // a small model's malformed debrief is unscored
		t.Fatalf("status %d\n%s%s", status, stdout.String(), stderr.String())
	}
	v, err := verifyRun(out)
	if err != nil || len(v.Findings) > 0 {
		t.Fatalf("%v %v", err, v)
	}
	return out
}

func collect[T any](t *testing.T, dir, stream string) []T {
	t.Helper()
	var list []T
	for row, err := range rows[T](dir, stream) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	return list
}

const liveExchange = `
sessions: %d
turns: %d
players: 3
player: ["%s"]
npc: "%[3]s"
form: %[4]s
seed: 3
jobs: 1
sampling:
  player: {temperature: 0, max_tokens: 40, stop: ["\n"]} # a debrief has room for many lines
  npc: {temperature: 0, max_tokens: 40}
`

// Two sessions (one with -short) of three players and an NPC, all on a real small model: everything is kept, the token
// counts are the server's, no prompt was cut, and the same seed at temperature 0 says the same again.
func TestLiveRun(t *testing.T) {
	spec, name, address := liveModel(t, "PARLEY_TEST_MODEL")
	n := 2
	if testing.Short() {
		n = 1
	}
	dir := liveRun(t, fmt.Sprintf(liveExchange, n, 12, spec, "json"))
	calls := collect[llm.Call](t, dir, "calls")
	events := collect[sim.Event](t, dir, "events")
	sessions := collect[session.Row](t, dir, "sessions")
	if len(sessions) != n {
		t.Fatalf("sessions: %+v", sessions)
	}
	for _, s := range sessions {
		if s.State != run.Complete {
			t.Fatalf("session: %+v", s)
		}
	}
	m, err := run.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	note := m.Models[spec]
	if note == nil || note.Identity == nil || note.Identity.Digest == "" || note.NumCtx == 0 {
		t.Errorf("the manifest does not say who played: %+v", note)
	}
	acts := 0
	for _, c := range calls {
		if c.Purpose == "act" {
			acts++
		}
		if c.Tokens == nil || *c.Tokens == 0 || c.Output == nil || c.Fault != "" || c.Dropped != 0 {
			t.Errorf("%s: tokens %v and %v, fault %q, %d lines left out", c.ID, c.Tokens, c.Output, c.Fault, c.Dropped)
		}
		if c.Tokens != nil && *c.Tokens >= note.NumCtx {
			t.Errorf("%s: a prompt of %d tokens in a context of %d", c.ID, *c.Tokens, note.NumCtx)
		}
	}
	moves := 0
	for _, e := range events {
		if e.Kind == sim.KindAct || e.Kind == sim.KindPass {
			moves++
		}
	}
	if acts != moves || acts < 4*n {
		t.Errorf("%d calls for %d moves", acts, moves)
	}
	checkTokens(t, dir, name, address, note.NumCtx, calls[0])

	t.Log("once more with the same seed")
	again := liveRun(t, fmt.Sprintf(liveExchange, 1, 12, spec, "json"))
	for i, e := range collect[sim.Event](t, again, "events") {
		if e.Speech != events[i].Speech || e.Deed != events[i].Deed || e.Text != events[i].Text {
			t.Errorf("event %d differs the second time: %q %q", i, events[i].Speech+events[i].Deed, e.Speech+e.Deed)
		}
	}

	// A run plays again from its own calls, with no server.
	replay := "replay:" + dir
	replayed := liveRun(t, fmt.Sprintf(liveExchange, n, 12, replay, "json"))
	for i, e := range collect[sim.Event](t, replayed, "events") {
		if e.Speech != events[i].Speech || e.Deed != events[i].Deed || e.Text != events[i].Text {
			t.Errorf("event %d differs when it is replayed: %q %q", i, events[i].Speech+events[i].Deed, e.Speech+e.Deed)
		}
	}

	valid, all := 0, 0
	for _, e := range events {
		if e.Kind == sim.KindAct || e.Kind == sim.KindPass {
			if all++; e.Fault == "" {
				valid++
			}
		}
	}
	t.Logf("in the form json %d of %d moves are valid", valid, all)
	lines := liveRun(t, fmt.Sprintf(liveExchange, 1, 12, spec, "lines"))
	valid, all = 0, 0
	for _, e := range collect[sim.Event](t, lines, "events") {
		if e.Kind == sim.KindAct || e.Kind == sim.KindPass {
			if all++; e.Fault == "" {
				valid++
			}
		}
	}
	t.Logf("in the form lines %d of %d moves are valid", valid, all)
}

// checkTokens asks the server for one of the calls by hand and compares its count of prompt tokens.
func checkTokens(t *testing.T, dir, name, address string, ctx int, call llm.Call) {
	t.Helper()
	content := map[string]run.Message{}
	for _, m := range collect[run.Message](t, dir, "messages") {
		content[m.Hash] = m
	}
	var prompt []llm.Message
	for _, hash := range call.Prompt {
		prompt = append(prompt, llm.Message{Role: content[hash].Role, Content: content[hash].Content})
	}
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	var messages []message
	for _, m := range llm.Join(prompt) {
		messages = append(messages, message{string(m.Role), m.Content})
	}
	body, err := json.Marshal(map[string]any{"model": name, "messages": messages, "stream": false,
		"options": map[string]any{"num_predict": 1, "num_ctx": ctx, "num_thread": 1, "temperature": 0}})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(address+"/api/chat", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var reply struct {
		Count int `json:"prompt_eval_count"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
		t.Fatal(err)
	}
	if call.Tokens == nil || reply.Count != *call.Tokens {
		t.Errorf("%s says %v prompt tokens, the server %d", call.ID, call.Tokens, reply.Count)
	}
}

// The layout decides how much of a prompt the server has read before: over 12 turns of 4 agents the
// shared prefix has to cost less prompt time than each agent's own.
func TestLiveLayouts(t *testing.T) {
	spec, _, _ := liveModel(t, "PARLEY_TEST_MODEL")
	spent := map[string]float64{}
	for _, layout := range []string{"shared-prefix", "persona-first"} {
		dir := liveRun(t, fmt.Sprintf(`
scenario: intention
sessions: 1
turns: 12
player: ["%s"]
npc: "%[1]s"
form: lines
layout: %s
endings: {all_pass: false}
jobs: 1
sampling:
  player: {temperature: 0, max_tokens: 24}
  npc: {temperature: 0, max_tokens: 24}
`, spec, layout))
		tokens := 0
		for _, c := range collect[llm.Call](t, dir, "calls") {
			spent[layout] += float64(c.Read) / 1e6
			tokens += *c.Tokens
		}
		t.Logf("%s: %.1f s of prompt time for %d prompt tokens over 12 turns", layout, spent[layout], tokens)
	}
	if spent["shared-prefix"] >= spent["persona-first"] {
		t.Errorf("prompt time %v", spent)
	}
}

// The same server through its OpenAI-shaped door.
func TestLiveOpenAI(t *testing.T) {
	_, name, address := liveModel(t, "PARLEY_TEST_MODEL")
	spec := "openai:" + name + "@" + address + "/v1"
	dir := liveRun(t, fmt.Sprintf(`
sessions: 1
turns: 4
player: ["%s"]
form: lines
jobs: 1
sampling: {player: {temperature: 0, max_tokens: 24, stop: ["\n"]}}
`, spec))
	calls := collect[llm.Call](t, dir, "calls")
	for _, c := range calls {
		if c.Served == "" || c.Tokens == nil {
			t.Errorf("%s: served by %q, tokens %v", c.ID, c.Served, c.Tokens)
		}
	}
	m, err := run.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if ignored := strings.Join(m.Models[spec].Ignored, " "); len(calls) == 0 || !strings.Contains(ignored, "repeat_penalty") {
		t.Errorf("%d calls; the manifest does not say that /v1 takes no repeat_penalty: %q", len(calls), ignored)
	}
}

// An embedding model judges.
func TestLiveEmbedding(t *testing.T) {
	spec, _, _ := liveModel(t, "PARLEY_TEST_EMBED")
	dir := liveRun(t, fmt.Sprintf(`
sessions: 2
player: [reference:diligent, reference:silent]
judge: "embed:%s"
control: [told]
`, spec))
	m, err := run.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range m.Results {
		if r.Metric != "iep" {
			continue
		}
		low := r.Arm == "reference:silent" && r.Control == ""
		if r.Value == nil || low && *r.Value > 5 || !low && *r.Value < 90 {
			t.Errorf("%s %s: %v (%s)", r.Arm, r.Control, r.Value, r.Reason)
		}
	}
}
