package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"parley/eval"
	"parley/eval/planning"
	"parley/eval/run"
	"parley/eval/utility"
	"parley/sim/llm"
)

// liveStops runs a command on a real server, stops it after some time, and resumes it until it is complete. It returns
// the calls that the run holds.
func liveStops(t *testing.T, out string, after time.Duration, args ...string) []llm.Call {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), after)
	defer stop()
	var stdout, stderr bytes.Buffer
	status := Main(ctx, append([]string{"parley"}, args...), &stdout, &stderr)
	if m, err := run.ReadManifest(out); err != nil || m.State != run.Complete {
		t.Logf("stopped with status %d: %s", status, stderr.String())
		before := len(collect[llm.Call](t, out, "calls"))
		status = Main(t.Context(), []string{"parley", "resume", out}, &stdout, &stderr)
		if calls := collect[llm.Call](t, out, "calls"); len(calls) < before {
			t.Errorf("%d calls before it was stopped, %d after it was resumed", before, len(calls))
		}
	}
	if status != exitOK && status != exitPartial {
		t.Fatalf("status %d\n%s%s", status, stdout.String(), stderr.String())
	}
	v, err := verifyRun(out)
	if err != nil || len(v.Findings) > 0 {
		t.Fatalf("%v %+v", err, v)
	}
	t.Log(stdout.String())
	return collect[llm.Call](t, out, "calls")
}

// Six sessions of reference players are labelled by a real small model, as they are and disturbed. The run is stopped and
// resumed, and every label is an accepted value or has a reason.
func TestLiveUtility(t *testing.T) {
	spec, _, _ := liveModel(t, "PARLEY_TEST_MODEL")
	dir := t.TempDir()
	played, out := filepath.Join(dir, "played"), filepath.Join(dir, "run")
	var stdout, stderr bytes.Buffer
	if status := Main(t.Context(), []string{"parley", "run", "--player", "reference:diligent", "--player", "reference:small-talk", "--sessions", "3",
		"--turns", "12", "--out", played}, &stdout, &stderr); status != exitOK {
		t.Fatalf("status %d\n%s", status, stderr.String())
	}
	seeds := 2
	if testing.Short() {
		seeds = 1
	}
	calls := liveStops(t, out, 20*time.Second, "eval", "utility", "verify", "--criteria", "roleplay", "--samples", played, "--model", spec, "--seeds", strconv.Itoa(seeds), "--out", out)
	labels, scored := collect[utility.LabelRow](t, out, "labels"), 0
	for _, l := range labels {
		if (l.Status == eval.Scored) != (l.Level != nil) || l.Level == nil && l.Reason == "" {
			t.Errorf("%+v", l)
		}
		if l.Level != nil {
			scored++
		}
	}
	t.Logf("%d calls, %d of %d labels scored", len(calls), scored, len(labels))
	if want := 6 * 2 * seeds; len(labels) != want*len(utility.RolePlay()) || len(calls) < want {
		t.Errorf("%d labels of %d calls, want labels of %d calls", len(labels), len(calls), want)
	}
}

// The six tasks over 20 problems (3 with -short) are answered by a real small model; the run is stopped and resumed, and
// every answer has a status and every item of it a class.
func TestLivePlanning(t *testing.T) {
	spec, _, _ := liveModel(t, "PARLEY_TEST_MODEL")
	out, n := filepath.Join(t.TempDir(), "run"), 20
	if testing.Short() {
		n = 3
	}
	liveStops(t, out, 20*time.Second, "eval", "planning", "run", "--model", spec, "--domain", "blocksworld", "--n", strconv.Itoa(n), "--reply-tokens", "96", "--out", out)
	answers, statuses := collect[planning.Row](t, out, "answers"), map[planning.Status]int{}
	for _, a := range answers {
		if statuses[a.Status]++; a.Status == "" || a.State != run.Complete {
			t.Errorf("%s: state %s, status %q, error %q", a.ID, a.State, a.Status, a.Error)
		}
		for _, item := range a.Items {
			if item.Class == "" || item.Item == "" {
				t.Errorf("%s: %+v", a.ID, item)
			}
		}
	}
	t.Log(statuses)
	if len(answers) != 6*n {
		t.Errorf("%d answers, want %d", len(answers), 6*n)
	}
}
