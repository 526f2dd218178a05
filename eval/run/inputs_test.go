package run_test

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/eval/run"
	"parley/sim/llm"
)

// A run reads a file that its configuration names once and keeps a copy; whoever goes on with it reads the copy, and of a
// run that another user began nothing else.
func TestInputs(t *testing.T) {
	outside := t.TempDir()
	file := writeFile(t, outside, "piece.yaml", "first")
	for _, name := range []string{"a.yaml", "b.yaml"} {
		writeFile(t, outside, name, "text of "+name)
	}
	w := &world{}
	stop := true
	var got, listed string
	plan := func() *small {
		return &small{uses: tested("served:p"), of: 2, prepare: func(_ context.Context, env *run.Env) error {
			data, err := env.Read(file)
			if err != nil {
				return err
			}
			again, err := env.Read(file)
			if err != nil || string(again) != string(data) {
				t.Errorf("read again: %q, %v", again, err)
			}
			dir := env.Files(outside)
			if _, err := dir.Open("a.yaml"); err == nil {
				t.Error("a file is opened")
			}
			entries, err := fs.ReadDir(dir, ".")
			listed = ""
			for _, e := range entries {
				listed += e.Name() + " "
			}
			a, err2 := fs.ReadFile(dir, "a.yaml")
			if err := errors.Join(err, err2); err != nil {
				return err
			}
			got = string(data) + ", " + string(a)
			if _, err := fs.ReadFile(dir, "b.yaml"); stop != (err == nil) || !stop && !errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "no copy") {
				t.Errorf("another file of the directory: %v", err)
			}
			return env.Prompts(map[string]string{"act": "1"})
		}, do: func(ctx context.Context, env *run.Env, wr *run.Writer, job run.Job) (*float64, error) {
			if stop {
				return nil, errors.New("stopped")
			}
			return askOnce(ctx, env, wr, job)
		}}
	}
	o := w.options(plan)
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := run.Run(t.Context(), dir, plan(), o); err == nil || err.Error() != "stopped" {
		t.Fatal(err)
	}
	if got != "first, text of a.yaml" || listed != "a.yaml b.yaml piece.yaml " {
		t.Errorf("%q of %q", got, listed)
	}
	m, err := run.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := m.ReadInput(dir, file); err != nil || string(data) != "first" || len(m.Inputs) != 3 {
		t.Errorf("%q, %v, %v", data, err, m.Inputs)
	}
	if _, err := m.ReadInput(dir, "other"); err == nil || !strings.Contains(err.Error(), "has no copy") {
		t.Errorf("a file that was not read: %v", err)
	}
	// From now on b.yaml has no copy, and the originals say other things.
	rewrite(t, dir, func(m *run.Manifest) { delete(m.Inputs, filepath.Join(outside, "b.yaml")) })
	for _, name := range []string{"piece.yaml", "a.yaml", "b.yaml"} {
		writeFile(t, outside, name, "changed")
	}
	stop = false
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Resume(t.Context(), dir, o); err != nil || got != "first, text of a.yaml" || listed != "" {
		t.Errorf("%q of %q, %v", got, listed, err)
	}
	os.Remove(filepath.Join(copied, ".lock"))
	writeFile(t, copied, m.Inputs[file].Copy, "changed")
	if _, err := run.Resume(t.Context(), copied, o); err == nil || !strings.Contains(err.Error(), "is not what the run began with") {
		t.Errorf("a copy was changed: %v", err)
	}
	rewrite(t, copied, func(m *run.Manifest) { m.Inputs = nil })
	if _, err := run.Resume(t.Context(), copied, o); err == nil || !strings.Contains(err.Error(), "the run has no copy of it") {
		t.Errorf("there is no copy: %v", err)
	}
	for _, copy := range []string{"run.json", "inputs/../run.json", "/etc/passwd", "inputs/x/y"} {
		rewrite(t, copied, func(m *run.Manifest) { m.Inputs[file] = run.Input{Copy: copy} })
		if _, err := run.Resume(t.Context(), copied, o); err == nil || !strings.Contains(err.Error(), "is not in its folder") {
			t.Errorf("a copy in %s: %v", copy, err)
		}
	}
}

// A run is not gone on with by other prompts.
func TestPrompts(t *testing.T) {
	w := &world{}
	hash := "1"
	stop := errors.New("stopped")
	plan := func() *small {
		return &small{uses: tested("served:p"), of: 1, prepare: func(_ context.Context, env *run.Env) error {
			return env.Prompts(map[string]string{"act": hash})
		}, do: func(context.Context, *run.Env, *run.Writer, run.Job) (*float64, error) { return new(float64), stop }}
	}
	o := w.options(plan)
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := run.Run(t.Context(), dir, plan(), o); err == nil {
		t.Fatal("it does not stop")
	}
	hash = "2"
	if m, err := run.Resume(t.Context(), dir, o); m != nil || err == nil || errors.As(err, new(*run.StoppedError)) || !strings.Contains(err.Error(), "the prompts are not those") {
		t.Errorf("%v", err)
	}
	hash, stop = "1", nil
	if _, err := run.Resume(t.Context(), dir, o); err != nil {
		t.Error(err)
	}
}

// Another model under the same name is refused, or noted.
func TestChangedModel(t *testing.T) {
	stop := errors.New("stopped")
	plan := func() *small {
		return &small{uses: tested("served:p", "served:p", "hosted:q", "hosted:r@http://localhost:1/v1"), of: 2, do: func(ctx context.Context, env *run.Env, w *run.Writer, job run.Job) (*float64, error) {
			if stop != nil {
				return nil, stop
			}
			return askOnce(ctx, env, w, job)
		}}
	}
	w := &world{digest: "d1"}
	o := w.options(plan)
	var log strings.Builder
	o.Log = &log
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := run.Run(t.Context(), dir, plan(), o); err == nil {
		t.Fatal("it does not stop")
	}
	w.digest, stop = "d2", nil
	if _, err := run.Resume(t.Context(), dir, o); err == nil || !strings.Contains(err.Error(), "(digest d2, was d1)") || !strings.Contains(err.Error(), "--accept-changed-model") {
		t.Errorf("%v", err)
	}
	o.AcceptChangedModel = true
	m, err := run.Resume(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	s := m.Models["served:p"]
	if !slices.Equal(s.Before, []string{"d1"}) || s.Identity.Digest != "d2" || s.Hosted || !m.Models["hosted:q"].Hosted || m.Models["hosted:r@http://localhost:1/v1"].Hosted {
		t.Errorf("%+v", m.Models)
	}
	if want := "note: served:p is another model than the run began with (digest d2, was d1)\n"; strings.Count(log.String(), want) != 1 {
		t.Errorf("%s", log.String())
	}
	if changes := m.Changes(); len(changes) != 3 || changes[2] != "served:p was another model when the run began: digest d1, now d2." {
		t.Errorf("%q", changes)
	}
}

// Another digest is no reason to refuse where one of the two is not known.
func TestUnknownDigests(t *testing.T) {
	for _, digests := range [][2]string{{"", "d1"}, {"d1", ""}, {"d1", "d1"}} {
		stop := errors.New("stopped")
		plan := func() *small {
			return &small{uses: tested("served:p"), of: 1, do: func(context.Context, *run.Env, *run.Writer, run.Job) (*float64, error) { return new(float64), stop }}
		}
		w := &world{digest: digests[0]}
		o := w.options(plan)
		dir := filepath.Join(t.TempDir(), "run")
		if _, err := run.Run(t.Context(), dir, plan(), o); err == nil {
			t.Fatal("it does not stop")
		}
		w.digest, stop = digests[1], nil
		if m, err := run.Resume(t.Context(), dir, o); err != nil || len(m.Models["served:p"].Before) > 0 {
			t.Errorf("%v: %v", digests, err)
		}
	}
}

// A judge is none of the models under test, wherever and under whatever name it is served, unless that is asked for.
func TestSelfJudging(t *testing.T) {
	for _, test := range []struct {
		judge  string
		allow  bool
		refuse bool
	}{
		{"served:p", false, true}, {"served:p", true, false}, {"served:q", false, false}, {"hosted:p", false, true},
		{"served:p?temperature=0@http://h/v1", false, true},
	} {
		plan := func() *small {
			return &small{settings: run.Settings{AllowSelfJudge: test.allow}, uses: append(tested("served:x", "served:p"), run.Use{Model: test.judge, Judges: true}, run.Use{Model: "served:x", Role: "npc"}), of: 1}
		}
		w := &world{}
		_, err := run.Run(t.Context(), filepath.Join(t.TempDir(), "run"), plan(), w.options(plan))
		if refused := errors.As(err, new(run.UsageError)) && strings.Contains(err.Error(), "--allow-self-judge"); refused != test.refuse || !refused && err != nil {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// The same weights under another name are the model under test, too.
func TestSelfJudgingByDigest(t *testing.T) {
	w := &world{digest: "d1"}
	plan := func() *small {
		return &small{uses: append(tested("served:p"), run.Use{Model: "served:copy", Judges: true}), of: 1}
	}
	if _, err := run.Run(t.Context(), filepath.Join(t.TempDir(), "run"), plan(), w.options(plan)); err == nil || !strings.Contains(err.Error(), "is the model under test") {
		t.Errorf("%v", err)
	}
}

// A judge's replies, and those of no other model, come from the cache the second time.
func TestJudgesCache(t *testing.T) {
	store := t.TempDir()
	for n, want := range []int64{4, 2} {
		w := &world{}
		plan := func() *small {
			return &small{uses: append(tested("served:p"), run.Use{Model: "served:j", Judges: true}), of: 2, do: func(ctx context.Context, env *run.Env, _ *run.Writer, job run.Job) (*float64, error) {
				_, err := ask(ctx, env, "served:p", job, "act", 1)
				_, err2 := ask(ctx, env, "served:j", job, "judge", 1)
				return new(float64), errors.Join(err, err2)
			}}
		}
		o := w.options(plan)
		o.Cache = run.FileCache(store)
		_, m := done(t, plan(), o)
		if w.calls.Load() != want || m.Usage.Total().FromCache != 2*n || m.Usage.Total().Calls != 4 {
			t.Errorf("run %d: %d calls, %+v", n, w.calls.Load(), m.Usage.Total())
		}
	}
	cache := run.FileCache(store)
	if err := cache.Put("abcd", []byte("text")); err != nil {
		t.Fatal(err)
	}
	if data, found, err := cache.Get("abcd"); err != nil || !found || string(data) != "text" {
		t.Errorf("%q, %t, %v", data, found, err)
	}
	if data, err := os.ReadFile(filepath.Join(store, "ab", "abcd")); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
	if _, found, err := cache.Get("abce"); err != nil || found {
		t.Errorf("what was not put is found: %v", err)
	}
	if err := os.Mkdir(filepath.Join(store, "ab", "abcf"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, found, err := cache.Get("abcf"); err == nil || found {
		t.Error("a directory is read")
	}
}

// Models can be opened outside of a run; what they are asked is kept nowhere.
func TestOpen(t *testing.T) {
	w := &world{}
	o := w.options(nil)
	env, err := run.Open(t.Context(), tested("served:p"), &run.Settings{}, o)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := ask(t.Context(), env, "served:p", run.Job{ID: "x"}, "act", 1); err != nil || resp.Text != "x x x" {
		t.Errorf("%+v, %v", resp, err)
	}
	if env.Model("served:q") != nil || env.Opened("served:q") != nil || env.Opened("served:p").Spec.Name != "p" || env.Embedder("served:p") != nil {
		t.Error("it has models that were not opened")
	}
	file := writeFile(t, t.TempDir(), "f", "text")
	if data, err := env.Read(file); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
	if env.Context("served:p") != 0 {
		t.Errorf("a context of %d", env.Context("served:p"))
	}
	if _, err := run.Open(t.Context(), tested("nothing:p"), &run.Settings{}, o); err == nil {
		t.Error("a model of no scheme is opened")
	}
}

// A run belongs to who began it: another user has to trust it, where it opens a model, and a change of its budget by
// that user leaves it without a signature.
func TestSignatures(t *testing.T) {
	mine, other := []byte("mine"), []byte("other")
	for _, test := range []struct {
		reason string
		uses   []run.Use
		secret []byte
		trust  bool
		raise  bool
		err    string
		signed bool // as mine afterwards
	}{
		{"one's own", tested("served:p"), mine, false, false, "", true}, {"one's own with another budget", tested("served:p"), mine, false, true, "", true},
		{"another's", tested("served:p", "served:p", "local:q"), other, false, false, "would open what it names: served:p, local:q;", true},
		{"another's without a model", nil, other, false, false, "", true}, {"trusted", tested("served:p"), other, true, false, "", true},
		{"trusted with another budget", tested("served:p"), other, true, true, "", false}, {"unsigned", tested("served:p"), nil, false, false, "", true},
	} {
		stop := errors.New("stopped")
		plan := func() *small {
			return &small{uses: test.uses, of: 1, do: func(context.Context, *run.Env, *run.Writer, run.Job) (*float64, error) { return new(float64), stop }}
		}
		w := &world{}
		o := w.options(plan)
		o.Secret = mine
		dir := filepath.Join(t.TempDir(), "run")
		if _, err := run.Run(t.Context(), dir, plan(), o); err == nil {
			t.Fatal("it does not stop")
		}
		again := o
		again.Secret, again.Trust = test.secret, test.trust
		if test.raise {
			again.Budget = func(b *run.Budget) { b.Tokens++ }
		}
		if _, err := run.Resume(t.Context(), dir, again); err == nil || !strings.Contains(err.Error(), cmp.Or(test.err, "stopped")) {
			t.Errorf("%s: %v", test.reason, err)
		}
		stop = nil
		if _, err := run.Resume(t.Context(), dir, o); (err == nil) != test.signed {
			t.Errorf("%s: afterwards %v", test.reason, err)
		}
	}
}

// What a server says of itself is kept: the names that it answers under, each once, and what it was asked for.
func TestServed(t *testing.T) {
	w := &world{}
	names := []string{"p-2", "p-1", "", "p-2", "p-3"}
	w.answer = func(_ string, req llm.Request) (*llm.Response, error) {
		return &llm.Response{Text: "x", Finish: llm.Stop, ServedBy: names[w.calls.Load()-1], Ignored: []string{"top_k"}, Notes: []string{"odd"}}, nil
	}
	plan := func() *small {
		return &small{uses: tested("served:p"), of: len(names), prepare: func(_ context.Context, env *run.Env) error {
			if n := env.Context("served:p"); n != 0 {
				t.Errorf("a context of %d", n)
			}
			env.Served("served:p").NumCtx = 512
			if n := env.Context("served:p"); n != 512 {
				t.Errorf("a context of %d, want the one that was set", n)
			}
			env.Note("this is %s", "so")
			return nil
		}}
	}
	o := w.options(plan)
	var log strings.Builder
	o.Log = &log
	_, m := done(t, plan(), o)
	if s := m.Models["served:p"]; strings.Join(s.Names, " ") != "p-1 p-2 p-3" || strings.Join(s.Ignored, " ") != "top_k" || strings.Join(s.Notes, " ") != "odd" || s.NumCtx != 512 {
		t.Errorf("%+v", s)
	}
	if !strings.Contains(log.String(), "note: this is so\n") {
		t.Errorf("%s", log.String())
	}
}
