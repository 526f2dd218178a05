package run_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/run"
	"parley/sim/llm"
)

// rewrite changes the manifest of a run so that it looks as if parley had written it.
func rewrite(t *testing.T, dir string, change func(*run.Manifest)) {
	t.Helper()
	m, err := run.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	change(m)
	m.SHA256 = ""
	bare, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	m.SHA256 = fmt.Sprintf("%x", sha256.Sum256(bare))
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir, run.ManifestName, string(text))
}

// A manifest that says other than the rows is found, each number of it, though its own digest fits.
func TestVerifyComparesTheManifestWithTheRows(t *testing.T) {
	w := &world{}
	price := writeFile(t, t.TempDir(), "prices.yaml", prices)
	plan := func() *small {
		return &small{settings: run.Settings{Prices: price}, uses: tested("served:p"), arms: []string{"a", "b"}, of: 6}
	}
	o := w.options(plan)
	whole, _ := done(t, plan(), o)
	if f, err := run.Verify(whole, o.Kinds); err != nil || f.Found != 0 || f.State != run.Complete || f.Kind != "small" || len(f.Notes) != 0 {
		t.Fatalf("%+v, %v", f, err)
	}
	for _, test := range []struct {
		reason string
		change func(*run.Manifest)
		want   string // empty: nothing is found
	}{
		{"nothing", func(*run.Manifest) {}, ""},
		{"jobs", func(m *run.Manifest) { m.Jobs[run.Complete] = 5 }, "it says that 5 jobs are complete, and the rows have 6"},
		{"failed jobs", func(m *run.Manifest) { m.Jobs[run.Failed] = 1 }, "it says that 1 jobs are failed, and the rows have 0"},
		{"arms", func(m *run.Manifest) { m.Arms = []string{"a"} }, `the arms are ["a"], and the configuration has ["a" "b"]`},
		{"a value", func(m *run.Manifest) { *m.Results[0].Value++ }, "results[0] is"},
		{"a result", func(m *run.Manifest) { m.Results = m.Results[1:] }, "results, and the rows give"},
		{"the cost", func(m *run.Manifest) { *m.Usage.Rows[0].Cost.Amount *= 2 }, "usage.rows[0] is"},
		{"no usage", func(m *run.Manifest) { m.Usage = nil }, "it has 0 usage.rows, and the rows give 1"},
		{"the number of rows", func(m *run.Manifest) { s := m.Tables["scores"]; s.Rows++; m.Tables["scores"] = s }, "scores: 6 rows with digest"},
		{"the digest of rows", func(m *run.Manifest) { s := m.Tables["scores"]; s.Digest = "0"; m.Tables["scores"] = s }, "scores: 6 rows with digest"},
		{"the digest of a file", func(m *run.Manifest) { s := m.Tables["scores"]; s.SHA256 = "0"; m.Tables["scores"] = s }, "the Parquet file is not the one that was written"},
		{"a table", func(m *run.Manifest) { delete(m.Tables, "scores") }, "run.json has no digest of it"},
		{"the digest of the configuration", func(m *run.Manifest) { m.Digest = "0" }, "its configuration is not the one that was kept"},
		{"no digest of the configuration", func(m *run.Manifest) { m.Digest = "" }, ""},
		{"the configuration", func(m *run.Manifest) { m.Config = json.RawMessage(`{"seed":1,"jobs":0,"x":1}`) }, "its configuration reads back as another one"},
		{"a copy of a file", func(m *run.Manifest) { m.Inputs[price] = run.Input{Copy: "../x", SHA256: "0"} }, "which is not in its folder"},
		{"another digest of a copy", func(m *run.Manifest) {
			in := m.Inputs[price]
			in.SHA256 = strings.Repeat("0", 64)
			m.Inputs[price] = in
		}, "is not what the run began with"},
		{"the state", func(m *run.Manifest) { m.State = run.Interrupted }, "the run is interrupted: finish it with: parley resume"},
		{"no digests", func(m *run.Manifest) { m.State = run.Interrupted }, "digests.jsonl is not there: what was changed"},
		{"names of a model", func(m *run.Manifest) { m.Models["served:p"].Names = []string{"p-1", "p-2"} }, "note: served:p answered under several names: p-1, p-2."},
		{"one name", func(m *run.Manifest) { m.Models["served:p"].Names = []string{"p-1"} }, ""},
		{"weights of a model", func(m *run.Manifest) { m.Models["served:p"].Before = []string{"d1"} }, "note: served:p was another model when the run began: digest d1"},
		{"no model", func(m *run.Manifest) { m.Models["served:p"] = nil }, ""},
	} {
		dir := filepath.Join(t.TempDir(), "changed")
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		rewrite(t, dir, test.change)
		f, err := run.Verify(dir, o.Kinds)
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		var b strings.Builder
		if err := f.Print(&b); err != nil {
			t.Error(err)
		}
		text := b.String()
		if clean := test.want == "" || strings.HasPrefix(test.want, "note:"); !strings.Contains(text, test.want) || strings.Contains(text, "every invariant holds") != clean || (f.Found == 0) != clean || f.Found != len(f.Findings) {
			t.Errorf("%s: want %q of\n%s", test.reason, test.want, text)
		}
		if strings.Contains(text, "more") || !strings.Contains(text, "scores    6     parquet") {
			t.Errorf("%s: %s", test.reason, text)
		}
	}
}

// Files that are not those of the manifest are found.
func TestVerifyComparesFiles(t *testing.T) {
	w := &world{}
	plan := func() *small { return &small{uses: tested("served:p"), of: 6} }
	o := w.options(plan)
	whole, m := done(t, plan(), o)
	if sum := fmt.Sprintf("%x", sha256.Sum256(m.Config)); m.ID == "" || m.Digest != sum {
		t.Errorf("run %q of configuration %s, want %s", m.ID, m.Digest, sum)
	}
	for _, test := range []struct {
		reason string
		spoil  func(dir string) error
		want   string
	}{
		{"another version", func(dir string) error {
			text, err := os.ReadFile(filepath.Join(dir, run.ManifestName))
			return errors.Join(err, writeText(filepath.Join(dir, run.ManifestName), strings.Replace(string(text), `"v1"`, `"v2"`, 1)))
		}, "it was changed after it was written"},
		{"no file", func(dir string) error { return os.Remove(filepath.Join(dir, "scores.parquet")) }, "scores.parquet is missing"},
		{"another journal", func(dir string) error {
			return writeText(filepath.Join(dir, "jobs.jsonl"), strings.Repeat("{\"id\":\"s00\",\"state\":\"complete\"}\n", 6))
		}, "jobs.jsonl holds 6 rows with digest"},
	} {
		dir := filepath.Join(t.TempDir(), "changed")
		if err := errors.Join(os.CopyFS(dir, os.DirFS(whole)), test.spoil(dir)); err != nil {
			t.Fatal(err)
		}
		if f, err := run.Verify(dir, o.Kinds); err != nil || !strings.Contains(strings.Join(f.Findings, "\n"), test.want) {
			t.Errorf("%s: %v %+v, want %s", test.reason, err, f, test.want)
		}
	}
	if rec, err := run.Recorded(whole); err != nil || rec == nil {
		t.Errorf("%v %v", rec, err)
	}
	if _, err := run.Recorded(t.TempDir()); err == nil {
		t.Error("an empty directory is a recording")
	}
}

// Rows that do not fit each other are found, though every digest fits: they were written so.
func TestVerifyComparesRowsWithEachOther(t *testing.T) {
	call := func(change func(*llm.Call)) llm.Call {
		c := llm.Call{Session: "s00", ID: "s00/1/p/act/0", Model: "served:p", Attempt: 1, Finish: llm.Stop, Seed: 1}
		change(&c)
		return c
	}
	one := 1.0
	score := func(change func(*eval.Score)) eval.Score {
		s := eval.Score{Session: "s00", Scorer: "length", Metric: "words", Subject: "p", Value: &one, Status: eval.Scored, Method: "count"}
		change(&s)
		return s
	}
	hash := (llm.Message{Role: llm.User, Content: "?"}).Hash()
	for _, test := range []struct {
		reason string
		add    func(w *run.Writer)
		want   string // empty: nothing is wrong
	}{
		{"nothing", func(*run.Writer) {}, ""},
		{"a call that is whole", func(w *run.Writer) { run.Calls.Add(w, call(func(*llm.Call) {})) }, ""},
		{"a call that failed", func(w *run.Writer) {
			run.Calls.Add(w, call(func(c *llm.Call) { c.Finish, c.Fault, c.Error = "", llm.TooLong, "too long" }))
		}, ""},
		{"an error without a kind", func(w *run.Writer) { run.Calls.Add(w, call(func(c *llm.Call) { c.Finish, c.Error = "", "why" })) }, ""},
		{"the same call twice", func(w *run.Writer) { run.Calls.Add(w, call(func(*llm.Call) {}), call(func(*llm.Call) {})) }, "calls: s00/1/p/act/0 is there twice"},
		{"a call that was not made", func(w *run.Writer) { run.Calls.Add(w, call(func(c *llm.Call) { c.Attempt = 0 })) }, "has neither a reply's finish nor an error"},
		{"a call without an end", func(w *run.Writer) { run.Calls.Add(w, call(func(c *llm.Call) { c.Finish = "" })) }, "has neither a reply's finish nor an error"},
		{"a call with both", func(w *run.Writer) { run.Calls.Add(w, call(func(c *llm.Call) { c.Fault = llm.TooLong })) }, "has neither a reply's finish nor an error"},
		{"a message that is not there", func(w *run.Writer) { run.Calls.Add(w, call(func(c *llm.Call) { c.Prompt = []string{hash} })) }, "refers to message " + hash},
		{"a message that is there", func(w *run.Writer) {
			run.Messages.Add(w, run.Message{Hash: hash, Role: llm.User, Content: "?"})
			run.Calls.Add(w, call(func(c *llm.Call) { c.Prompt = []string{hash} }))
		}, ""},
		{"a message with another's hash", func(w *run.Writer) { run.Messages.Add(w, run.Message{Hash: hash, Role: llm.User, Content: "!"}) }, "has the content of"},
		{"a row of no job", func(w *run.Writer) { run.Scores.Add(w, score(func(s *eval.Score) { s.Session = "s77" })) }, "a row is of s77, which the configuration does not have"},
		{"a row of no session", func(w *run.Writer) { run.Scores.Add(w, score(func(s *eval.Score) { s.Session = "" })) }, ""},
		{"a job twice", func(w *run.Writer) { stagedRows.Add(w, stagedRow{ID: "s00", State: run.Complete}) }, "jobs: s00 is there twice"},
		{"a score with a reason for no value", func(w *run.Writer) {
			run.Scores.Add(w, score(func(s *eval.Score) { s.Value, s.Status, s.Reason = nil, eval.Unparsed, "why" }))
		}, ""},
		{"a score without a value or a reason", func(w *run.Writer) {
			run.Scores.Add(w, score(func(s *eval.Score) { s.Value, s.Status = nil, eval.Unparsed }))
		}, `words of p in s00: status "unparsed" with reason ""`},
		{"a value that is unscored", func(w *run.Writer) {
			run.Scores.Add(w, score(func(s *eval.Score) { s.Status, s.Reason = eval.Unparsed, "why" }))
		}, `status "unparsed" with reason "why"`},
		{"a score of a call that is not there", func(w *run.Writer) { run.Scores.Add(w, score(func(s *eval.Score) { s.Calls = []string{"c"} })) }, "a row of s00 refers to call c, which is not there"},
		{"a score of a call", func(w *run.Writer) {
			run.Calls.Add(w, call(func(*llm.Call) {}))
			run.Scores.Add(w, score(func(s *eval.Score) { s.Calls = []string{"s00/1/p/act/0"} }))
		}, ""},
	} {
		w := &world{}
		plan := func() *small {
			return &small{of: 1, do: writes(test.add)}
		}
		o := w.options(plan)
		dir, _ := done(t, plan(), o)
		f, err := run.Verify(dir, o.Kinds)
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		var found []string
		for _, finding := range f.Findings {
			if !strings.HasPrefix(finding, "run.json: it says that") { // of a job that is there twice
				found = append(found, finding)
			}
		}
		if text := strings.Join(found, "\n"); (text == "") != (test.want == "") || !strings.Contains(text, test.want) || len(found) > 1 {
			t.Errorf("%s: %q, want %q", test.reason, text, test.want)
		}
	}
}

// Of very many findings the first hundred are kept, and all are counted.
func TestVerifyCountsAllFindings(t *testing.T) {
	w := &world{}
	plan := func() *small {
		return &small{of: 1, do: writes(func(w *run.Writer) {
			for i := range 103 {
				run.Scores.Add(w, eval.Score{Session: fmt.Sprint("x", i)})
			}
		})}
	}
	o := w.options(plan)
	dir, _ := done(t, plan(), o)
	f, err := run.Verify(dir, o.Kinds)
	if err != nil || f.Found != 206 || len(f.Findings) != 100 {
		t.Fatalf("%d of %d, %v", len(f.Findings), f.Found, err)
	}
	var b strings.Builder
	if err := f.Print(&b); err != nil || !strings.HasSuffix(b.String(), "\nand 106 more\n") {
		t.Errorf("%s, %v", b.String(), err)
	}
}

// A run of another kind, or of none that is known, is not read.
func TestKinds(t *testing.T) {
	w := &world{}
	plan := func() *small { return &small{uses: tested("served:p"), of: 1} }
	o := w.options(plan)
	dir, _ := done(t, plan(), o)
	if m, p, err := o.Kinds.Read(dir, "small"); err != nil || m.Kind != "small" || p.Kind() != "small" {
		t.Errorf("%v", err)
	}
	if _, _, err := o.Kinds.Read(dir, "large"); err == nil || !strings.Contains(err.Error(), `is a run of kind "small", and one of kind "large" is needed`) {
		t.Errorf("%v", err)
	}
	if _, err := run.Verify(dir, run.Kinds{}); err == nil || !strings.Contains(err.Error(), "which this program does not know") {
		t.Errorf("%v", err)
	}
	wrong := run.Kinds{"small": func(json.RawMessage) (run.Plan, error) { return nil, errors.New("odd") }}
	if _, err := run.Verify(dir, wrong); err == nil || !strings.Contains(err.Error(), "run.json: its configuration: odd") {
		t.Errorf("%v", err)
	}
	rewrite(t, dir, func(m *run.Manifest) { m.State = run.Interrupted })
	if _, err := run.Resume(t.Context(), dir, run.Options{Now: w.now, Kinds: wrong}); err == nil || !strings.Contains(err.Error(), "odd") {
		t.Errorf("%v", err)
	}
}
