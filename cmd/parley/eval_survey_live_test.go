package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/survey"
	"parley/eval/survey/form"
	"parley/sim/llm"

	"parley/eval/run"
)

// Five forms (two with -short), judged by a real small model with weighted scores and reviewed by it as the critic: all
// calls are kept, every verdict is a score on the scale or has a reason, and the run can be resumed.
func TestLiveSurvey(t *testing.T) {
	spec, _, _ := liveModel(t, "PARLEY_TEST_MODEL")
	dir := t.TempDir()
	forms, out := filepath.Join(dir, "forms"), filepath.Join(dir, "run")
	if err := os.Mkdir(forms, 0o777); err != nil {
		t.Fatal(err)
	}
	documents := 5
	if testing.Short() {
		documents = 2
	}
	for _, e := range form.Library()[:documents] {
		e.Form.Sections = e.Form.Sections[:1]
		e.Form.Sections[0].Questions = e.Form.Sections[0].Questions[:2]
		text := fmt.Sprintf("---\nprompt: %s\n---\n%s", e.Prompt, e.Form.Text())
		if err := os.WriteFile(filepath.Join(forms, e.Theme+".md"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(want run.State, args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if status := Main(context.Background(), append([]string{"parley"}, args...), &stdout, &stderr); status != exitOK && status != exitPartial {
			t.Fatalf("status %d\n%s%s", status, stdout.String(), stderr.String())
		}
		m, err := run.ReadManifest(out)
		if err != nil || m.State != want {
			t.Fatalf("%v: the run is %s", err, m.State)
		}
		t.Log(stdout.String())
	}
	ask(run.Complete, "eval", "survey", "run", forms, "--evaluator", spec, "--sage", spec, "--scores", "logprob", "--aspect", "relevancy",
		"--reply-tokens", "120", "--jobs", "1", "--seed", "3", "--out", out)
	v, err := verifyRun(out)
	if err != nil || len(v.Findings) > 0 {
		t.Fatalf("%v %+v", err, v)
	}
	verdicts, calls, proposals := collect[survey.Verdict](t, out, "verdicts"), collect[llm.Call](t, out, "calls"), collect[survey.Proposal](t, out, "proposals")
	if len(verdicts) != 2*documents || len(calls) < 3*documents {
		t.Errorf("%d verdicts of %d calls", len(verdicts), len(calls))
	}
	for _, c := range calls {
		if c.Tokens == nil || c.Output == nil || !c.Schema || !strings.HasPrefix(c.Purpose, "judge:survey-") {
			t.Errorf("call %s: %+v", c.ID, c)
		}
	}
	scored, whole := 0, 0
	for _, v := range verdicts {
		switch {
		case v.Scored():
			scored++
			if *v.Value < 1 || *v.Value > 5 || v.Mass < 0.5 || v.Method != "logprob" || v.Why == "" {
				t.Errorf("verdict %+v", v)
			}
			if *v.Value == float64(int(*v.Value)) {
				whole++
			}
		case v.Reason == "" || v.Value != nil:
			t.Errorf("verdict %+v", v)
		}
	}
	if scored == 0 || whole == scored {
		t.Errorf("%d of %d verdicts are scored, %d of them with whole numbers", scored, len(verdicts), whole)
	}
	asked := 0
	for _, p := range proposals {
		if p.Kind == survey.Asked {
			asked++
			if p.Status != eval.Scored && p.Reason == "" {
				t.Errorf("proposal %+v", p)
			}
		}
	}
	if asked != documents {
		t.Errorf("proposals were asked for on %d documents", asked)
	}
	ask(run.Complete, "resume", out)
}
