// Package runtest is the contract of plans: what holds for every kind of run.
package runtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/eval/run"
	"parley/logs"
	"parley/sim/llm"
)

// Case is a plan with what it is run with. Its models have to answer the same request in the same way each
// time.
type Case struct {
	// New makes the plan, the same each time.
	New func() run.Plan
	// Options are used for every run; Now may be nil.
	Options run.Options
	// Stops is at how many points a run is stopped and resumed; 0: 6.
	Stops int
	// Editable names a file of the run that people may change; empty: there is none.
	Editable string
}

// TestPlan runs the contract: two runs are the same but for times, whatever the number of jobs at once; a run
// that was stopped at any point and resumed is the same as one that was not; Verify finds nothing wrong with it
// and everything that is damaged; a complete run is left alone; a run of another user is not opened.
func TestPlan(t *testing.T, c Case) {
	if c.Options.Now == nil {
		c.Options.Now = time.Now
	}
	if c.Stops == 0 {
		c.Stops = 6
	}
	whole := filepath.Join(t.TempDir(), "whole")
	m, err := run.Run(t.Context(), whole, c.New(), c.Options)
	if err != nil {
		t.Fatal(err)
	}
	if m.Of == 0 || m.Jobs[run.Complete]+m.Jobs[run.Failed] != m.Of {
		t.Errorf("%d jobs, of which %v ended", m.Of, m.Jobs)
	}
	want := c.digests(t, whole)
	t.Run("again", func(t *testing.T) {
		t.Parallel()
		dir, o := filepath.Join(t.TempDir(), "again"), c.Options
		o.Jobs = 1
		if _, err := run.Run(t.Context(), dir, c.New(), o); err != nil {
			t.Fatal(err)
		}
		c.same(t, dir, want)
	})
	t.Run("complete", func(t *testing.T) {
		t.Parallel()
		if m.State != run.Complete {
			t.Skip("the run has failed jobs")
		}
		before := files(t, whole)
		if _, err := run.Resume(t.Context(), whole, c.Options); err != nil {
			t.Error(err)
		}
		if after := files(t, whole); !maps.Equal(before, after) {
			t.Error("resuming a complete run changed it")
		}
		if _, err := run.Run(t.Context(), whole, c.New(), c.Options); err == nil || !strings.Contains(err.Error(), "holds a run already") {
			t.Errorf("a second run in the directory: %v", err)
		}
	})
	for stop := range c.Stops {
		t.Run(fmt.Sprintf("stopped%d", stop), func(t *testing.T) { t.Parallel(); c.stopped(t, stop, want) })
	}
	t.Run("changed", func(t *testing.T) { t.Parallel(); c.changed(t, want) })
	t.Run("damaged", func(t *testing.T) { t.Parallel(); c.damaged(t, whole) })
	t.Run("untrusted", func(t *testing.T) { t.Parallel(); c.untrusted(t) })
}

// errStop is why the runs of the suite stop.
var errStop = errors.New("stopped by the test")

// stopped stops a run after so many journal writes or model calls, then after twice as many, until it ends, and
// compares it with an undisturbed one. A torn line is left at each stop, as a kill may leave it.
func (c Case) stopped(t *testing.T, stop int, want map[string]string) {
	dir := filepath.Join(t.TempDir(), "run")
	for try := 0; ; try++ {
		ctx, cancel := context.WithCancelCause(t.Context())
		o := c.Options
		left := int64(1+stop*stop) << min(try, 40)
		o.Now = countdown(c.Options.Now, &left, func() { cancel(errStop) })
		o.Registry = counted(o.Registry, &left, func() { cancel(errStop) })
		var err error
		if _, statErr := os.Stat(filepath.Join(dir, run.ManifestName)); statErr != nil {
			_, err = run.Run(ctx, dir, c.New(), o)
		} else {
			_, err = run.Resume(ctx, dir, o)
		}
		cancel(nil)
		if err == nil {
			break
		}
		if !errors.Is(err, errStop) && !errors.Is(err, context.Canceled) {
			t.Fatalf("try %d: %v", try, err)
		}
		if try > 40 {
			t.Fatal("the run does not end")
		}
		tear(t, dir)
	}
	c.same(t, dir, want)
}

// countdown is a clock that calls stop when it was read so often.
func countdown(now func() time.Time, left *int64, stop func()) func() time.Time {
	return func() time.Time {
		if atomic.AddInt64(left, -1) == 0 {
			stop()
		}
		return now()
	}
}

// counted wraps all adapters so that their calls count, too.
func counted(r llm.Registry, left *int64, stop func()) llm.Registry {
	var wrapped llm.Registry
	for _, a := range r {
		open := a.Open
		a.Open = func(ctx context.Context, spec llm.Spec, env llm.Env) (llm.Model, error) {
			m, err := open(ctx, spec, env)
			if err != nil {
				return nil, err
			}
			return llm.Wrap(m, func(next llm.Model) llm.Model {
				return llm.Func(func(ctx context.Context, req llm.Request) (*llm.Response, error) {
					resp, err := next.Generate(ctx, req)
					if atomic.AddInt64(left, -1) == 0 {
						stop()
					}
					return resp, err
				})
			}), nil
		}
		wrapped = append(wrapped, a)
	}
	return wrapped
}

// tear leaves the beginning of a line at the end of every journal.
func tear(t *testing.T, dir string) {
	t.Helper()
	journals, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range journals {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(`{"id":"torn`); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// digests verifies a run and returns the digest of each table without times.
func (c Case) digests(t *testing.T, dir string) map[string]string {
	t.Helper()
	f, err := run.Verify(dir, c.Options.Kinds)
	if err != nil {
		t.Fatal(err)
	}
	for _, finding := range f.Findings {
		t.Error(finding)
	}
	digests := map[string]string{}
	for table, check := range f.Tables {
		digests[table] = fmt.Sprintf("%d rows %.16s", check.Rows, check.Untimed)
	}
	return digests
}

func (c Case) same(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := c.digests(t, dir)
	for table := range want {
		if got[table] != want[table] {
			t.Errorf("%s: %s, want %s", table, got[table], want[table])
		}
	}
}

// files returns the content of every file of a directory by its path.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	content := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		content[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// damaged changes one file of a complete run after the other, and expects Verify to notice.
func (c Case) damaged(t *testing.T, whole string) {
	for path, content := range files(t, whole) {
		name, err := filepath.Rel(whole, path)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case name == run.ReportName, name == c.Editable, name == ".lock", content == "":
			continue
		case name == run.ManifestName:
			content = strings.Replace(content, `"seed": `, `"seed": 1`, 1)
		default:
			middle := len(content) / 2
			content = content[:middle] + string(content[middle]^0x20) + content[middle+1:]
		}
		dir := filepath.Join(t.TempDir(), "damaged")
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if f, err := run.Verify(dir, c.Options.Kinds); err == nil && f.Found == 0 {
			t.Errorf("%s was changed, and nothing is found", name)
		}
	}
}

// changed stops a run in its middle, changes one of its journals, and expects Verify to find it and Resume to end
// as if nothing had happened, or to say why not; also where the running digests are gone with what was changed.
func (c Case) changed(t *testing.T, want map[string]string) {
	stopped := filepath.Join(t.TempDir(), "stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	o, left := c.Options, int64(30)
	o.Now = countdown(c.Options.Now, &left, func() { cancel(errStop) })
	o.Registry = counted(o.Registry, &left, func() { cancel(errStop) })
	if _, err := run.Run(ctx, stopped, c.New(), o); !errors.Is(err, errStop) {
		t.Skipf("the run did not stop: %v", err)
	}
	changes := []func(text string) string{
		func(text string) string { middle := len(text) / 2; return text[:middle] + "~" + text[middle+1:] },
		func(text string) string {
			lines := strings.SplitAfter(text, "\n")
			return strings.Join(lines[:len(lines)-2], "")
		},
		func(string) string { return "" },
	}
	without := func(dir, name string) {
		if err := os.Remove(filepath.Join(dir, logs.DigestsName)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if f, err := run.Verify(dir, c.Options.Kinds); err == nil && f.Found == 0 {
			t.Errorf("%s is empty and there are no digests, and nothing is found", name)
		}
		if _, err := run.Resume(t.Context(), dir, c.Options); err != nil {
			t.Errorf("%s is empty and there are no digests: %v", name, err)
			return
		}
		c.same(t, dir, want)
	}
	n := 0
	for path, content := range files(t, stopped) {
		name := filepath.Base(path)
		if filepath.Ext(name) != ".jsonl" || name == logs.DigestsName || content == "" {
			continue
		}
		dir, bare := filepath.Join(t.TempDir(), "changed"), filepath.Join(t.TempDir(), "bare")
		if err := errors.Join(os.CopyFS(dir, os.DirFS(stopped)), os.CopyFS(bare, os.DirFS(stopped))); err != nil {
			t.Fatal(err)
		}
		without(bare, name)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(changes[n%len(changes)](content)), 0o600); err != nil {
			t.Fatal(err)
		}
		n++
		if f, err := run.Verify(dir, c.Options.Kinds); err == nil && !strings.Contains(strings.Join(f.Findings, "\n"), "not what the run wrote") {
			t.Errorf("%s was changed, and Verify finds %q", name, f.Findings)
		}
		if _, err := run.Resume(t.Context(), dir, c.Options); err != nil {
			if !strings.Contains(err.Error(), "put it back") {
				t.Errorf("%s was changed: %v", name, err)
			}
			continue
		}
		c.same(t, dir, want)
	}
}

// untrusted stops a signed run and resumes it as another user.
func (c Case) untrusted(t *testing.T) {
	if len(c.New().Models()) == 0 {
		t.Skip("the plan opens no model")
	}
	dir := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancelCause(t.Context())
	o := c.Options
	left := int64(25)
	o.Secret, o.Registry = []byte("this user"), counted(o.Registry, &left, func() { cancel(errStop) })
	if _, err := run.Run(ctx, dir, c.New(), o); !errors.Is(err, errStop) {
		t.Skipf("the run did not stop: %v", err)
	}
	o.Registry, o.Secret = c.Options.Registry, []byte("another user")
	if _, err := run.Resume(t.Context(), dir, o); err == nil || !strings.Contains(err.Error(), "--trust") {
		t.Errorf("the run of another user is resumed: %v", err)
	}
	o.Trust = true
	if _, err := run.Resume(t.Context(), dir, o); err != nil {
		t.Errorf("with trust: %v", err)
	}
}
