package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/eval/run"
)

// tampered changes a file of a run, has the run verified, and puts the file back.
func tampered(t *testing.T, dir, name string, change func(string) string) []string {
	t.Helper()
	path := filepath.Join(dir, name)
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	now := change(string(was))
	if now == string(was) {
		t.Fatalf("%s: nothing was changed", name)
	}
	if err := os.WriteFile(path, []byte(now), 0o666); err != nil {
		t.Fatal(err)
	}
	defer os.WriteFile(path, was, 0o666)
	v, err := verifyRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	return v.Findings
}

// inManifest changes the manifest as JSON.
func inManifest(t *testing.T, change func(m map[string]any)) func(string) string {
	return func(text string) string {
		var m map[string]any
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		change(m)
		out, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
}

// What the manifest says is held against the rows.
func TestVerifyFindsAnotherManifest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	script := filepath.Join(t.TempDir(), "talk.yaml")
	if err := os.WriteFile(script, []byte("- reply: 'SAY: Well then?'\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	runParley(t, exitOK, "run", "--sessions", "2", "--turns", "8", "--form", "lines", "--player", "script:"+script, "--player", "reference:diligent", "--out", dir)
	holds(t, dir)
	object := func(m map[string]any, keys ...string) map[string]any {
		for _, key := range keys {
			m = m[key].(map[string]any)
		}
		return m
	}
	tests := map[string]struct {
		want   string
		change func(m map[string]any)
	}{
		"a result":       {"results[0] is", func(m map[string]any) { m["results"].([]any)[0].(map[string]any)["value"] = 99.9 }},
		"no results":     {"0 results", func(m map[string]any) { m["results"] = []any{} }},
		"usage":          {"usage.rows[0] is", func(m map[string]any) { object(m, "usage")["rows"].([]any)[0].(map[string]any)["calls"] = 1 }},
		"no digests":     {"has no digest of it", func(m map[string]any) { m["tables"] = map[string]any{} }},
		"states":         {"jobs are failed", func(m map[string]any) { object(m, "jobs")["failed"] = 1 }},
		"turns":          {"turns of 9", func(m map[string]any) { object(m, "config")["turns"] = 9 }},
		"players":        {"has the seats", func(m map[string]any) { object(m, "config")["players"] = 2 }},
		"sessions":       {"has no row", func(m map[string]any) { object(m, "config")["sessions"] = 3 }},
		"fewer sessions": {"the configuration does not have", func(m map[string]any) { object(m, "config")["sessions"] = 1 }},
		"arms":           {"of arm", func(m map[string]any) { object(m, "config")["player"].([]any)[1].(map[string]any)["name"] = "x" }},
		"models":         {"has the seats", func(m map[string]any) { object(m, "config")["npc"] = "reference:silent" }},
		"seed":           {"with seed", func(m map[string]any) { object(m, "config")["seed"] = 2 }},
	}
	for name, tt := range tests {
		if found := tampered(t, dir, run.ManifestName, inManifest(t, tt.change)); !strings.Contains(strings.Join(found, "\n"), tt.want) {
			t.Errorf("%s: found %q, want %q", name, found, tt.want)
		}
	}
}

// A failed run has its journal beside the Parquet, and is resumed from it.
func TestVerifyReadsTheJournalOfAFailedRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	script := filepath.Join(t.TempDir(), "flaky.yaml")
	if err := os.WriteFile(script, []byte("- turn: 5\n  fault: bad request\n- reply: 'SAY: Well then?'\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	runParley(t, exitPartial, "run", "--sessions", "2", "--turns", "8", "--form", "lines", "--player", "script:"+script, "--out", dir)
	holds(t, dir)
	for _, change := range []func(string) string{
		func(text string) string { return strings.Replace(text, "Well then?", "Oh well.", 1) },
		func(text string) string { _, rest, _ := strings.Cut(text, "\n"); return rest },
	} {
		if found := tampered(t, dir, "events"+".jsonl", change); len(found) != 1 || !strings.Contains(found[0], "events.jsonl holds") {
			t.Errorf("found %q", found)
		}
	}
}

// A failed run whose journal was damaged is resumed from its Parquet; where that is no good either,
// nothing is touched.
func TestResumeOfADamagedFailedRun(t *testing.T) {
	dir, scripts := filepath.Join(t.TempDir(), "run"), t.TempDir()
	script := filepath.Join(scripts, "flaky.yaml")
	if err := os.WriteFile(script, []byte("- turn: 5\n  fault: bad request\n- reply: 'SAY: Well then?'\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	runParley(t, exitPartial, "run", "--sessions", "2", "--turns", "8", "--form", "lines", "--player", "script:"+script, "--player", "reference:silent", "--out", dir)
	want := holds(t, dir)
	read := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, stream := range []string{"messages", "events", "sessions"} {
		journal, parquet := journalPath(dir, stream), parquetPath(dir, stream)
		word := map[string]string{"messages": `"content":"`, "events": "Well then?", "sessions": `"title":"`}[stream]
		for name, change := range map[string]func(string) string{
			"a deleted line":  func(text string) string { return strings.ReplaceAll(text, strings.SplitAfter(text, "\n")[1], "") }, // messages may stand twice
			"an altered word": func(text string) string { return strings.Replace(text, word, word+"Mallory", 1) },
			"no JSON":         func(text string) string { return "{" + text },
			"an empty file":   func(string) string { return "" },
		} {
			text := read(journal)
			damaged := change(text)
			if damaged == text {
				t.Fatalf("%s, %s: nothing was changed", stream, name)
			}
			if err := os.WriteFile(journal, []byte(damaged), 0o666); err != nil {
				t.Fatal(err)
			}
			// With Parquet that is another, or none.
			good := read(parquet)
			for _, bad := range []string{"PAR1", ""} {
				if name != "an altered word" {
					break // one damage is enough to see that it is refused
				}
				os.Remove(parquet)
				if bad != "" {
					if err := os.WriteFile(parquet, []byte(bad), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				if _, talk := runParley(t, exitFailed, "resume", dir); !strings.Contains(talk, journal) || !strings.Contains(talk, "put either back") {
					t.Errorf("%s, %s: %s", stream, name, talk)
				}
				if read(journal) != damaged || !exists(parquetPath(dir, "calls")) {
					t.Errorf("%s, %s: a refused resume changed the run", stream, name)
				}
			}
			if err := os.WriteFile(parquet, []byte(good), 0o666); err != nil {
				t.Fatal(err)
			}
			if _, talk := runParley(t, exitPartial, "resume", dir); !strings.Contains(talk, journal+" is not what the run wrote") {
				t.Errorf("%s, %s: %s", stream, name, talk)
			}
			got := holds(t, dir)
			for _, s := range tableNames {
				if got.Tables[s].Untimed != want.Tables[s].Untimed || got.Tables[s].Rows != want.Tables[s].Rows {
					t.Errorf("%s, %s: %s is not what it was: %+v, %+v", stream, name, s, got.Tables[s], want.Tables[s])
				}
			}
			if strings.Contains(read(journal), "Mallory") {
				t.Errorf("%s, %s: the damage is still there", stream, name)
			}
		}
	}
}
