//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"parley/eval/run"
)

// foreign makes two runs of somebody else: one that is complete, and one that stopped. Both name a server, a
// variable of a key, and files. It returns how many requests the server got.
func foreign(t *testing.T) (complete, stopped string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		if r.Method != http.MethodPost {
			fmt.Fprint(w, `{"data":[{"id":"m"}]}`)
			return
		}
		if strings.Contains(r.URL.Path, "bad") && n > 30 {
			http.Error(w, `{"error":{"message":"no"}}`, http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, `{"choices":[{"message":{"content":"SAY: Well then?"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "them"))
	t.Setenv("THEIR_KEY", "their-secret-key")
	complete, stopped = filepath.Join(dir, "complete"), filepath.Join(dir, "stopped")
	args := func(path, out string) []string {
		model := "openai:m?dialect=openai&stream=false&key_env=THEIR_KEY@" + server.URL + path
		return []string{"run", "--sessions", "1", "--turns", "4", "--form", "lines", "--player", model, "--allow-self-judge", "--judge", model, "--out", out}
	}
	var out, talk bytes.Buffer
	Main(t.Context(), append([]string{"parley"}, args("/v1", complete)...), &out, &talk)
	Main(t.Context(), append([]string{"parley"}, args("/bad/v1", stopped)...), &out, &talk)
	if m, err := run.ReadManifest(stopped); err != nil || m.State == run.Complete {
		t.Fatalf("the second run should have stopped: %v %v\n%s", m, err, &talk)
	}
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "me"))
	asked.Store(0)
	return complete, stopped, asked
}

// What somebody else's run names is opened only where the user says so, after it was printed.
func TestForeignRunsContactNobody(t *testing.T) {
	complete, stopped, asked := foreign(t)
	attempt := func(args ...string) string {
		var out, talk bytes.Buffer
		Main(t.Context(), append([]string{"parley"}, args...), &out, &talk)
		return out.String() + talk.String()
	}
	for _, args := range [][]string{
		{"verify", complete}, {"report", complete}, {"show", complete}, {"show", complete, "--session", "1", "--calls"},
		{"run", "--sessions", "1", "--turns", "4", "--form", "lines", "--player", "replay:" + complete, "--out", complete + "-again"},
		{"resume", complete}, {"resume", stopped}, {"score", complete}, {"score", complete, "--judge", "lexical"},
	} {
		said := attempt(args...)
		if n := asked.Load(); n > 0 {
			t.Fatalf("parley %v asked a server that the run names %d times", args, n)
		}
		if strings.Contains(said, "their-secret-key") {
			t.Errorf("parley %v prints a key: %s", args, said)
		}
		if args[0] == "resume" && args[1] == stopped && (!strings.Contains(said, "--trust") || !strings.Contains(said, "key_env=THEIR_KEY@http://127.0.0.1")) {
			t.Errorf("resume does not say what it would open: %s", said)
		}
	}
	if attempt("resume", stopped, "--trust"); asked.Load() == 0 {
		t.Error("with --trust, nothing is asked")
	}
}

// Nothing of a run directory leads out of it: no link, no pipe, no path in the manifest.
func TestForeignRunsLeadNowhere(t *testing.T) {
	complete, stopped, asked := foreign(t)
	victim := filepath.Join(t.TempDir(), "victim.yaml")
	const secret = "- {title: Mallory's secret, text: secret}\n"
	if err := os.WriteFile(victim, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	prompts := filepath.Join(filepath.Dir(victim), "prompts")
	if err := errors.Join(os.Mkdir(prompts, 0o700), os.WriteFile(filepath.Join(prompts, "Mallory.tmpl"), []byte("no prompt has this name"), 0o600)); err != nil {
		t.Fatal(err)
	}
	link := func(name string) func(dir string) error {
		return func(dir string) error {
			path := filepath.Join(dir, name)
			if err := os.RemoveAll(path); err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return err
			}
			return os.Symlink(victim, path)
		}
	}
	edit := func(change func(m map[string]any)) func(dir string) error {
		return func(dir string) error {
			path := filepath.Join(dir, run.ManifestName)
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, []byte(inManifest(t, change)(string(text))), 0o600)
		}
	}
	tests := map[string]struct {
		from   string
		attack func(dir string) error
		says   string // what resume, verify and report say; empty: they need not say anything
	}{
		"a linked manifest": {stopped, link(run.ManifestName), "symbolic link"},
		"a linked lock":     {stopped, link(".lock"), "symbolic link"},
		"a linked journal":  {stopped, link("events.jsonl"), "symbolic link"},
		"a linked table":    {complete, link("events.parquet"), "symbolic link"},
		"a linked page":     {complete, link("report.html"), "symbolic link"},
		"a linked input":    {stopped, link("inputs/a.yaml"), "symbolic link"},
		"a pipe":            {stopped, func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "scores.parquet"), 0o600) }, "no plain file"},
		"a copy outside": {stopped, edit(func(m map[string]any) {
			m["inputs"] = map[string]any{"x.yaml": map[string]any{"copy": "../../victim.yaml", "sha256": "0"}}
		}), ""},
		"a file to be copied": {stopped, edit(func(m map[string]any) {
			config := m["config"].(map[string]any)
			config["knowledge"], config["judge"], config["npc"] = []any{victim}, "lexical", "reference:npc"
			config["player"] = []any{map[string]any{"model": "reference:diligent"}}
			m["of"], m["inputs"] = 0, map[string]any{}
		}), ""},
		"a folder of prompts": {stopped, edit(func(m map[string]any) {
			config := m["config"].(map[string]any)
			config["prompts"], config["judge"], config["npc"] = prompts, "lexical", "reference:npc"
			config["player"] = []any{map[string]any{"model": "reference:diligent"}}
			delete(m, "prompts")
		}), ""},
		"a complete run of nothing": {stopped, edit(func(m map[string]any) {
			for _, key := range []string{"tables", "models", "inputs", "jobs", "usage", "results", "metrics", "shown", "prompts"} {
				delete(m, key)
			}
			config := m["config"].(map[string]any)
			config["judge"], config["npc"], m["state"] = "lexical", "reference:npc", run.Complete
			config["player"] = []any{map[string]any{"model": "reference:diligent"}}
		}), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			if err := os.CopyFS(dir, os.DirFS(tt.from)); err != nil {
				t.Fatal(err)
			}
			if err := tt.attack(dir); err != nil {
				t.Fatal(err)
			}
			for _, command := range []string{"verify", "report", "show", "resume", "score"} {
				var out, talk bytes.Buffer
				Main(t.Context(), []string{"parley", command, dir}, &out, &talk)
				if said := out.String() + talk.String(); tt.says != "" && !strings.Contains(said, tt.says) || strings.Contains(said, "Mallory") {
					t.Errorf("parley %s: %s", command, said)
				}
			}
			if now, err := os.ReadFile(victim); err != nil || string(now) != secret {
				t.Errorf("the file outside was changed: %q, %v", now, err)
			}
			err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() {
					return err
				}
				if text, err := os.ReadFile(path); err != nil || bytes.Contains(text, []byte("Mallory")) {
					t.Errorf("%s holds what is outside, or: %v", path, err)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the run's server was asked %d times", n)
	}
}

// Names in somebody else's run do not reach the terminal as they are.
func TestForeignNamesAreClean(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runParley(t, exitOK, "run", "--sessions", "2", "--turns", "4", "--player", "a=reference:diligent", "--player", "reference:silent", "--out", dir)
	path := filepath.Join(dir, run.ManifestName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	evil, _ := json.Marshal("a\x1b[2J\x1b]0;owned\x07\u202e")
	if err := os.WriteFile(path, bytes.ReplaceAll(text, []byte(`"a"`), evil), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"verify", dir}, {"show", dir}, {"report", dir}, {"resume", dir}, {"compare", dir, dir}} {
		var out, talk bytes.Buffer
		Main(t.Context(), append([]string{"parley"}, args...), &out, &talk)
		if said := out.String() + talk.String(); strings.ContainsAny(said, "\x1b\x07\u202e") {
			t.Errorf("parley %v: %q", args, said)
		}
	}
}

// A file of brackets is refused before it takes memory, and a number of players that makes no sense is an error.
func TestHostileExperiments(t *testing.T) {
	for name, tt := range map[string]struct{ text, says string }{
		"brackets":        {"player: " + strings.Repeat("[", 100_000), "nested more than 32 levels deep"},
		"braces":          {strings.Repeat("{a: ", 30_000), "nested more than 32 levels deep"},
		"sequences":       {strings.Repeat("- ", 50_000), "nested more than 32 levels deep"},
		"players":         {"players: -3\n", "players is -3"},
		"sessions":        {"sessions: -1\n", "sessions is -1"},
		"escape in a key": {"\"\\e[2Jplayers\": 3\n", "unknown field"},
	} {
		path := filepath.Join(t.TempDir(), "exp.yaml")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, talk := runParley(t, exitUsage, "run", path, "--out", filepath.Join(t.TempDir(), "run"))
		runtime.ReadMemStats(&after)
		if !strings.Contains(talk, tt.says) || strings.Contains(talk, "\x1b") {
			t.Errorf("%s: %q", name, talk)
		}
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 100 {
			t.Errorf("%s: %d MB were used", name, used)
		}
	}
}

// Files have the permissions that the umask leaves, and none is left behind under a temporary name.
func TestUmaskAndTemporaryFiles(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	dir := filepath.Join(t.TempDir(), "run")
	runParley(t, exitOK, "run", "--sessions", "2", "--turns", "4", "--out", dir)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 || strings.HasSuffix(path, ".tmp") {
			t.Errorf("%s is left with %v", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
