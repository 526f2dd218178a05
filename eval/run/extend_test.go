package run_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/eval"
	"parley/eval/run"
	"parley/logs"
	"parley/sim/llm"
)

// again scores each session of a run anew by a call, with values that the method and a factor tell apart.
func again(p *small, method string, factor float64, stop func(job string) error) run.Extension {
	var env *run.Env
	jobs := func(yield func(run.Job, error) bool) {
		for i := range p.of {
			id := fmt.Sprintf("s%02d", i)
			if !yield(run.Job{ID: id, Do: func(ctx context.Context, w *run.Writer) error {
				if err := stop(id); err != nil {
					return err
				}
				if _, err := ask(ctx, env, "served:p", run.Job{ID: id}, "judge", 1); err != nil {
					return err
				}
				v := factor * float64(i)
				s := eval.Score{Session: id, Item: id, Arm: "a", Scorer: "length", Metric: "words", Value: &v, Status: eval.Scored, Method: method}
				run.Scores.Add(w, s)
				w.Show([]eval.Score{s})
				return nil
			}}, nil) {
				return
			}
		}
	}
	return run.Extension{Plan: p, Jobs: iter.Seq2[run.Job, error](jobs), Prepare: func(_ context.Context, e *run.Env) error { env = e; return nil }}
}

// A finished run is scored again: the new scores are shown, the earlier ones stay, those of the same method are replaced,
// and a pass that was stopped asks nothing twice.
func TestExtend(t *testing.T) {
	w := &world{}
	plan := func() *small { return &small{uses: tested("served:p"), arms: []string{"a"}, of: 4} }
	o := w.options(plan)
	dir, m := done(t, plan(), o)
	if r := m.Result("words", "a", ""); r == nil || *r.Value != 5 || m.Passes != 1 {
		t.Fatalf("%+v", m.Results)
	}
	never := func(string) error { return nil }
	extend := func(method string, factor float64, stop func(string) error) (*run.Manifest, error) {
		return run.Extend(t.Context(), dir, again(plan(), method, factor, stop), o)
	}
	for pass, test := range []struct {
		method string
		factor float64
		mean   float64
		scores int // in the table
	}{{"by twos", 2, 3, 8}, {"by threes", 3, 4.5, 12}, {"by twos", 4, 6, 12}} {
		before := files(t, dir)
		w.calls.Store(0)
		if pass == 1 { // a stop leaves the run as it was
			_, err := extend(test.method, test.factor, func(job string) error {
				if job == "s02" {
					return errors.New("stopped")
				}
				return nil
			})
			if stopped := (*run.StoppedError)(nil); !errors.As(err, &stopped) || !strings.Contains(err.Error(), "stopped") {
				t.Fatal(err)
			}
			after := files(t, dir)
			for name := range before {
				if before[name] != after[name] {
					t.Errorf("a stop changed %s", name)
				}
			}
			if f, err := run.Verify(dir, o.Kinds); err != nil || f.Found == 0 {
				t.Logf("%v, %v", f, err)
			}
		}
		m, err := extend(test.method, test.factor, never)
		if err != nil {
			t.Fatal(err)
		}
		if n := w.calls.Load(); n != 4 {
			t.Errorf("pass %d made %d calls, want one for each session", pass, n)
		}
		if r := m.Result("words", "a", ""); r == nil || *r.Value != test.mean || r.N != 4 || m.Passes != pass+2 || m.Shown["length/words"] != test.method {
			t.Errorf("pass %d: %+v, %v", pass, r, m.Shown)
		}
		scores, err := run.Scores.All(dir)
		if err != nil || len(scores) != test.scores {
			t.Errorf("pass %d: %d scores, want %d, %v", pass, len(scores), test.scores, err)
		}
		calls, err := run.Calls.All(dir)
		if err != nil || len(calls) != 4*(pass+2) || m.Usage.Total().Calls != len(calls) {
			t.Errorf("pass %d: %d calls, %v", pass, len(calls), err)
		}
		ids := map[string]bool{}
		for _, c := range calls {
			ids[c.ID] = true
		}
		if want := fmt.Sprintf("s03/1/p/judge+%d/0", pass+2); !ids[want] || len(ids) != len(calls) {
			t.Errorf("pass %d: %s is not among %v", pass, want, ids)
		}
		if f, err := run.Verify(dir, o.Kinds); err != nil || f.Found != 0 {
			t.Errorf("pass %d: %+v, %v", pass, f, err)
		}
		for name := range files(t, dir) {
			if filepath.Ext(name) == ".jsonl" {
				t.Errorf("pass %d leaves %s", pass, name)
			}
		}
	}
	rewrite(t, dir, func(m *run.Manifest) { m.State = run.Interrupted })
	if _, err := extend("by twos", 1, never); err == nil || !strings.Contains(err.Error(), "finish it first") {
		t.Errorf("a run that is not finished: %v", err)
	}
}

// An error of the jobs, or before them, leaves the run as it was.
func TestExtendErrors(t *testing.T) {
	w := &world{}
	plan := func() *small { return &small{uses: tested("served:p"), of: 2} }
	o := w.options(plan)
	dir, _ := done(t, plan(), o)
	x := again(plan(), "m", 1, func(string) error { return nil })
	x.Jobs = func(yield func(run.Job, error) bool) { yield(run.Job{}, errors.New("no jobs")) }
	if _, err := run.Extend(t.Context(), dir, x, o); err == nil || !strings.Contains(err.Error(), "no jobs") {
		t.Errorf("%v", err)
	}
	x.Prepare = func(context.Context, *run.Env) error { return errors.New("not prepared") }
	if _, err := run.Extend(t.Context(), dir, x, o); err == nil || errors.As(err, new(*run.StoppedError)) || err.Error() != "not prepared" {
		t.Errorf("%v", err)
	}
	judged := again(&small{uses: append(tested("served:p"), run.Use{Model: "served:p", Judges: true}), of: 2}, "m", 1, func(string) error { return nil })
	if _, err := run.Extend(t.Context(), dir, judged, o); err == nil || !strings.Contains(err.Error(), "is the model under test") {
		t.Errorf("%v", err)
	}
	if f, err := run.Verify(dir, o.Kinds); err != nil || f.Found != 0 {
		t.Errorf("%+v, %v", f, err)
	}
}

// A job whose model fails is tried once more at the end of the run and again on resume, and counts as failed until then:
// its score is in the denominator.
func TestFailedJobs(t *testing.T) {
	for _, test := range []struct {
		reason   string
		fails    int // requests for item s02 that fail
		state    run.State
		n, calls int
	}{
		{"none fails", 0, run.Complete, 6, 6},
		{"one fails once", 1, run.Complete, 6, 7},
		{"one fails twice", 2, run.Failed, 5, 7},
	} {
		w := &world{}
		failed := 0
		w.answer = func(_ string, req llm.Request) (*llm.Response, error) {
			if strings.HasSuffix(req.Messages[0].Content, "s02") && failed < test.fails {
				failed++
				return nil, &llm.Error{Fault: llm.BadRequest, Err: errors.New("not now")}
			}
			return nil, nil
		}
		plan := func() *small { return &small{uses: tested("served:p"), arms: []string{"a"}, of: 6} }
		o := w.options(plan)
		var log strings.Builder
		o.Log = &log
		dir, m := done(t, plan(), o)
		r := m.Result("words", "a", "")
		if m.State != test.state || int(w.calls.Load()) != test.calls || r.N != test.n || r.Of != 6 || m.Jobs[run.Complete] != test.n || m.Jobs[run.Failed] != 6-test.n || m.Of != 6 {
			t.Errorf("%s: %s after %d calls, %d of %d, %v", test.reason, m.State, w.calls.Load(), r.N, r.Of, m.Jobs)
		}
		if (m.Finished == nil) != (test.state == run.Failed) || r.Least == nil != (test.n == 6) {
			t.Errorf("%s: finished %v, bounds %v", test.reason, m.Finished, r.Least)
		}
		if f, err := run.Verify(dir, o.Kinds); err != nil || f.Found != 0 {
			t.Errorf("%s: %+v, %v", test.reason, f, err)
		}
		for _, table := range []string{"calls", "scores", "jobs"} {
			if _, err := os.Stat(filepath.Join(dir, table+".jsonl")); (err == nil) != (test.state == run.Failed) {
				t.Errorf("%s: the journal of %s: %v", test.reason, table, err)
			}
		}
		m, err := run.Resume(t.Context(), dir, o)
		if err != nil || m.State != run.Complete || m.Result("words", "a", "").N != 6 || int(w.calls.Load()) != 6+test.fails {
			t.Errorf("%s: resumed, %s after %d calls: %v", test.reason, m.State, w.calls.Load(), err)
		}
		if test.state == run.Failed && !strings.Contains(log.String(), "5 jobs are complete, 1 are under way") {
			t.Errorf("%s: %s", test.reason, log.String())
		}
		rows, err := stagedRows.All(dir)
		if err != nil || len(rows) != 6 || !slices.IsSortedFunc(rows, func(a, b stagedRow) int { return strings.Compare(a.ID, b.ID) }) {
			t.Errorf("%s: %+v, %v", test.reason, rows, err)
		}
	}
}

// What is wrong with a journal of a run that finished with failed jobs is made good of the Parquet beside it.
func TestJournalOfAFailedRunIsRestored(t *testing.T) {
	w := &world{}
	broken := true
	w.answer = func(_ string, req llm.Request) (*llm.Response, error) {
		if broken && strings.HasSuffix(req.Messages[0].Content, "s02") {
			return nil, &llm.Error{Fault: llm.BadRequest, Err: errors.New("not now")}
		}
		return nil, nil
	}
	plan := func() *small { return &small{uses: tested("served:p"), arms: []string{"a"}, of: 4} }
	o := w.options(plan)
	var log strings.Builder
	o.Log = &log
	whole, _ := done(t, plan(), o)
	broken = false
	for _, test := range []struct {
		reason string
		spoil  func(path string) // of the journal, without extension
		says   string
		err    string
	}{
		{"the journal is gone", func(path string) { os.Remove(path + ".jsonl") }, "", ""},
		{"the journal was changed", func(path string) { appendText(t, path+".jsonl", "{}\n") }, "is not what the run wrote: it is made anew of", ""},
		{"the Parquet is gone", func(path string) { os.Remove(path + ".parquet") }, "", ""},
		{"both are gone", func(path string) { os.Remove(path + ".jsonl"); os.Remove(path + ".parquet") }, "", "put either back from a copy"},
		{"both were changed", func(path string) {
			appendText(t, path+".jsonl", "{}\n")
			os.Remove(path + ".parquet")
		}, "", "put either back from a copy"},
	} {
		dir := filepath.Join(t.TempDir(), "failed")
		if err := errors.Join(os.CopyFS(dir, os.DirFS(whole)), os.Remove(filepath.Join(dir, ".lock"))); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		log.Reset()
		test.spoil(filepath.Join(dir, "scores"))
		m, err := run.Resume(t.Context(), dir, o)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: %v", test.reason, err)
			}
			continue
		}
		if err != nil || m.State != run.Complete || m.Result("words", "a", "").N != 4 || !strings.Contains(log.String(), test.says) || test.says == "" && strings.Contains(log.String(), "made anew") {
			t.Errorf("%s: %v\n%s", test.reason, err, log.String())
		}
		if f, err := run.Verify(dir, o.Kinds); err != nil || f.Found != 0 {
			t.Errorf("%s: %+v, %v", test.reason, f, err)
		}
	}
}

// A run whose journal was changed while it was stopped goes on from before the change, and asks nothing again.
func TestChangedJournal(t *testing.T) {
	replace := func(job string) func(string) error {
		return func(path string) error {
			text, err := os.ReadFile(path)
			return errors.Join(err, writeText(path, strings.Replace(string(text), job, "s09", 1)))
		}
	}
	for _, test := range []struct {
		reason string
		spoil  func(path string) error // of the table jobs
		says   []string
	}{
		{"nothing", func(string) error { return nil }, []string{": 3 jobs are complete, 0 are under way"}},
		{"a line that was not written whole", func(path string) error { appendText(t, path, "{\"id\""); return nil }, []string{": 3 jobs are complete"}},
		{"another last line", replace("s02"), []string{"jobs.jsonl is not what the run wrote, from byte ", "jobs.jsonl: its last "}},
		{"another first line", replace("s00"), []string{"jobs.jsonl is not what the run wrote, from byte 0 on", ": 0 jobs are complete, 3 are under way"}},
		{"no digests", func(path string) error { return os.Remove(filepath.Join(filepath.Dir(path), logs.DigestsName)) }, []string{"it is not known whether all rows are: 3 jobs are made again", ": 0 jobs are complete, 3 are under way"}},
	} {
		w := &world{}
		plan := func() *small {
			return &small{settings: run.Settings{Limits: run.Limits{Budget: run.Budget{Tokens: 4500}}}, uses: tested("served:p"), of: 6}
		}
		o := w.options(plan)
		var log strings.Builder
		o.Log, o.Budget = &log, func(b *run.Budget) { b.Tokens = 0 }
		dir := filepath.Join(t.TempDir(), "run")
		if _, err := run.Run(t.Context(), dir, plan(), o); !errors.As(err, new(*run.BudgetError)) {
			t.Fatal(err)
		}
		if err := test.spoil(filepath.Join(dir, "jobs.jsonl")); err != nil {
			t.Fatal(err)
		}
		log.Reset()
		if m, err := run.Resume(t.Context(), dir, o); err != nil || m.State != run.Complete || w.calls.Load() != 6 {
			t.Errorf("%s: %v after %d calls", test.reason, err, w.calls.Load())
		}
		for _, says := range test.says {
			if !strings.Contains(log.String(), says) {
				t.Errorf("%s: %q is not said in\n%s", test.reason, says, log.String())
			}
		}
		if f, err := run.Verify(dir, o.Kinds); err != nil || f.Found != 0 {
			t.Errorf("%s: %+v, %v", test.reason, f, err)
		}
	}
}

// appendText adds a text to a file.
func appendText(t *testing.T, path, text string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeText(path, string(data)+text); err != nil {
		t.Fatal(err)
	}
}

// files returns the content of every file of a directory by its path in it.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	content := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		content[strings.TrimPrefix(path, dir)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// What a call of a stopped pass answered is not asked again, but for failures that may have passed; vectors are not kept.
func TestResumeAsksNothingTwice(t *testing.T) {
	for _, test := range []struct {
		reason string
		first  error // of the first call of s01
		again  int   // calls of s01 in all, of two
	}{
		{"it was answered", nil, 2},
		{"the prompt was too long", &llm.Error{Fault: llm.TooLong, Err: errors.New("too long")}, 2},
		{"a failure of no kind", errors.New("odd"), 3},
		{"a failure", &llm.Error{Fault: llm.BadRequest, Err: errors.New("bad")}, 3},
	} {
		w := &world{}
		of := map[string]int{}
		w.answer = func(_ string, req llm.Request) (*llm.Response, error) {
			if req.Tag.Session == "s01" {
				of[req.Tag.Purpose]++
				if req.Tag.Purpose == "one" && of["one"] == 1 && test.first != nil {
					return nil, test.first
				}
			}
			return nil, nil
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		plan := func() *small {
			return &small{uses: tested("served:p"), of: 3, do: func(ctx context.Context, env *run.Env, w *run.Writer, job run.Job) (*float64, error) {
				if _, err := ask(ctx, env, "served:p", job, "one", 1); err != nil && ctx.Err() != nil {
					return nil, err
				}
				if job.ID == "s01" {
					cancel(errors.New("stopped"))
				}
				if _, err := ask(ctx, env, "served:p", job, "two", 2); err != nil {
					return nil, err
				}
				if w.Calls() != 2 {
					t.Errorf("%s: a job counts %d calls", test.reason, w.Calls())
				}
				return new(float64), nil
			}}
		}
		o := w.options(plan)
		dir := filepath.Join(t.TempDir(), "run")
		if _, err := run.Run(ctx, dir, plan(), o); !errors.As(err, new(*run.StoppedError)) {
			t.Fatal(err)
		}
		cancel = func(error) {}
		early := w.options(func() *small { // a resume that does not get far keeps what was answered
			p := plan()
			p.prepare = func(context.Context, *run.Env) error { return errors.New("not yet") }
			return p
		})
		if _, err := run.Resume(t.Context(), dir, early); err == nil || !strings.Contains(err.Error(), "not yet") {
			t.Fatal(err)
		}
		if _, err := run.Resume(t.Context(), dir, o); err != nil {
			t.Fatal(err)
		}
		if n := of["one"] + of["two"]; n != test.again {
			t.Errorf("%s: s01 made %d calls, want %d", test.reason, n, test.again)
		}
		calls, err := run.Calls.All(dir)
		var ids []string
		for _, c := range calls {
			ids = append(ids, c.ID)
		}
		if want := []string{"s00/1/p/one/0", "s00/2/p/two/0", "s01/1/p/one/0", "s01/2/p/two/0", "s02/1/p/one/0", "s02/2/p/two/0"}; err != nil || cmp.Diff(want, ids) != "" {
			t.Errorf("%s: %v, %v", test.reason, ids, err)
		}
	}
}
