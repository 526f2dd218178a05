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
	"parley/sim/llm"
)

// Evaluations open models behind a server as a play does. The replies of this one are of no use.
func TestEvaluationsOfServedModels(t *testing.T) {
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
		if v, err := verifyRun(dir); err != nil || len(v.Findings) > 0 {
			t.Errorf("%s: %v %+v", name, err, v)
		}
		if calls := collect[llm.Call](t, dir, "calls"); len(calls) == 0 || calls[0].Reply != "Nothing." {
			t.Errorf("%s: %d calls", name, len(calls))
		}
	}
}
