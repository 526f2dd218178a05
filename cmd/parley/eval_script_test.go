package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/eval"
	"parley/eval/script"
	"parley/sim/llm"

	"parley/eval/run"
)

// slowJudges answer after a moment, so that a run can be killed on the way.
const slowJudges = `
- {purpose: write, reply: "1. Begin.\n2. Go on.\n3. End.", delay: 2ms}
- {purpose: gold, reply: "1. Begin.\n2. Go on with it.\n3. End.", delay: 2ms}
- {purpose: judge:script-critic, delay: 2ms, reply: '{"missing": [], "missing_steps": false, "redundant": [], "redundant_steps": false, "duplicate": [], "duplicate_steps": false}'}
- {purpose: judge:script-execute, delay: 2ms, reply: '{"condition_1": true, "condition_2": true, "condition_3": true, "meet_constraints": true, "fails_at": 0, "complete_goal": true, "misplaced": [], "step_order_correct": true}'}
- {purpose: judge:script-commonsense, delay: 2ms, reply: "I cannot say."}
`

// parleyCommand runs the test's own program as the command that users run.
func parleyCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Args[0] = "parley"
	return c
}

// An evaluation of scripts that is killed at random moments and resumed each time ends with the same
// rows and results as one that nobody disturbed.
func TestKilledScriptsEndAsIfUndisturbed(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "model.yaml")
	if err := os.WriteFile(model, []byte(slowJudges), 0o666); err != nil {
		t.Fatal(err)
	}
	want, got := filepath.Join(dir, "want"), filepath.Join(dir, "got")
	args := []string{"eval", "script", "run", "--model", "script:" + model, "--model", "reference:missing", "--judge", "script:" + model,
		"--trusting", "--allow-self-judge", "--gold-from", "leave-one-out", "--baseline", "rouge", "--jobs", "3", "--json", "--out"}
	start := time.Now()
	undisturbed, err := parleyCommand(t, append(args, want)...).Output()
	if len(undisturbed) == 0 {
		t.Fatal(err)
	}
	whole := time.Since(start)
	r := rand.New(rand.NewPCG(uint64(start.UnixNano()), 1))
	next := append(args, got)
	killed := 0
	for range 4 {
		command := parleyCommand(t, next...)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.Float64() * 0.6 * float64(whole))) // somewhere on the way
		if command.Process.Kill() == nil {
			killed++
		}
		_ = command.Wait() // it was killed, or it was done
		if exists(filepath.Join(got, run.ManifestName)) {
			next = []string{"resume", got, "--json"}
		}
	}
	t.Logf("killed %d times", killed)
	resumed, err := parleyCommand(t, next...).Output()
	if len(resumed) == 0 {
		t.Fatal(err)
	}
	a, err := verifyRun(want)
	if err != nil {
		t.Fatal(err)
	}
	b, err := verifyRun(got)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Findings)+len(b.Findings) > 0 || len(a.Tables) != 6 {
		t.Errorf("findings: %v %v", a.Findings, b.Findings)
	}
	for name, s := range a.Tables {
		if s.Rows == 0 || b.Tables[name].Rows != s.Rows || b.Tables[name].Untimed != s.Untimed {
			t.Errorf("%s: %d rows, undisturbed %d", name, b.Tables[name].Rows, s.Rows)
		}
	}
	if x, y := strings.ReplaceAll(string(undisturbed), want, "DIR"), strings.ReplaceAll(string(resumed), got, "DIR"); x != y {
		t.Errorf("results differ:\n%s\n%s", x, y)
	}
}

// The authors' own file, as SQLite writes it, becomes tasks and a ranking.
func TestScriptsFromDatabase(t *testing.T) {
	const file = "../../eval/script/sqlite/testdata/plain.db"
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{[]string{"tasks", "import", file}, []string{`"specific":"Do task 0 with online, in May"`}},
		{[]string{"tasks", "list", file}, []string{"Travel"}},
		{[]string{"rank", file}, []string{" 1  x      1.0000", " 2  y      0.7143", "8 of 9"}},
	} {
		var stdout, stderr bytes.Buffer
		if status := Main(t.Context(), append([]string{"parley", "eval", "script"}, tt.args...), &stdout, &stderr); status != exitOK {
			t.Fatalf("%v: status %d: %s", tt.args, status, stderr.String())
		}
		for _, want := range tt.want {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("%v: no %q in\n%s", tt.args, want, stdout.String())
			}
		}
	}
}

// One small real model under two settings writes scripts and judges them. Whatever it says is kept,
// counted and shown.
func TestLiveScripts(t *testing.T) {
	spec, name, _ := liveModel(t, "PARLEY_TEST_MODEL")
	scheme, address, _ := strings.Cut(spec, "?")
	dir := filepath.Join(t.TempDir(), "run")
	var stdout, stderr bytes.Buffer
	status := Main(context.Background(), []string{"parley", "eval", "script", "run", "--model", scheme + "?temperature=0&" + address,
		"--model", scheme + "?temperature=0.9&" + address, "--judge", spec, "--allow-self-judge", "--first", "1", "--reply-tokens", "160", "--jobs", "1", "--baseline", "rouge",
		"--json", "--out", dir}, &stdout, &stderr)
	if status != exitOK && status != exitPartial { // a small model's verdicts may contradict themselves
		t.Fatalf("status %d\n%s%s", status, stdout.String(), stderr.String())
	}
	var got answer
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	v, err := verifyRun(dir)
	if err != nil || len(v.Findings) > 0 {
		t.Fatal(v, err)
	}
	calls := collect[llm.Call](t, dir, "calls")
	for _, c := range calls {
		if c.Error != "" || c.Tokens == nil || c.Output == nil || !strings.Contains(c.Served, name) {
			t.Errorf("call %s: error %q, tokens %v and %v, served by %q", c.ID, c.Error, c.Tokens, c.Output, c.Served)
		}
	}
	judged := 0
	for _, f := range collect[script.Finding](t, dir, "verdicts") {
		if f.Status == eval.Scored {
			judged++
		}
		t.Log(f.Arm, f.Metric, f.Status, f.Method, f.Reason)
	}
	for _, s := range collect[script.Written](t, dir, "scripts") {
		t.Log(s.Arm, s.Gold, s.Source, s.Status, s.Reason, fmt.Sprintf("%.60q", s.Steps))
	}
	t.Logf("%d calls, %d of 14 verdicts scored, %d results", len(calls), judged, len(got.Results))
	if len(calls) < 4 || v.Tables["verdicts"].Rows != 14 {
		t.Errorf("%d calls, %d verdicts", len(calls), v.Tables["verdicts"].Rows)
	}
}
