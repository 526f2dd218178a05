package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	v, err := verify(dir)
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
		"no digests":     {"has no digest of it", func(m map[string]any) { m["streams"] = map[string]any{} }},
		"states":         {"are failed", func(m map[string]any) { object(m, "sessions")["failed"] = 1 }},
		"turns":          {"turns of 9", func(m map[string]any) { object(m, "experiment")["turns"] = 9 }},
		"players":        {"has the seats", func(m map[string]any) { object(m, "experiment")["players"] = 2 }},
		"sessions":       {"are complete of 6", func(m map[string]any) { object(m, "experiment")["sessions"] = 3 }},
		"fewer sessions": {"the experiment has no", func(m map[string]any) { object(m, "experiment")["sessions"] = 1 }},
		"arms":           {"of arm", func(m map[string]any) { object(m, "experiment")["player"].([]any)[1].(map[string]any)["name"] = "x" }},
		"models":         {"has the seats", func(m map[string]any) { object(m, "experiment")["npc"] = "reference:silent" }},
		"seed":           {"with seed", func(m map[string]any) { object(m, "experiment")["seed"] = 2 }},
	}
	for name, tt := range tests {
		if found := tampered(t, dir, manifestName, inManifest(t, tt.change)); !strings.Contains(strings.Join(found, "\n"), tt.want) {
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
		if found := tampered(t, dir, streamEvents+".jsonl", change); len(found) != 1 || !strings.Contains(found[0], "events.jsonl holds") {
			t.Errorf("found %q", found)
		}
	}
}

// A cast has nobody twice, and one NPC.
func TestVerifyHoldsTheCast(t *testing.T) {
	e := defaultExperiment()
	if err := e.complete(); err != nil {
		t.Fatal(err)
	}
	row := sessionRow{ID: sessionID(0, 0), Arm: e.Player[0].Name, Kind: "exchange", Seed: "0", Ended: "turns", Turns: 30}
	for _, name := range []string{"orla", "bren", "bren", "bren"} {
		row.Cast = append(row.Cast, seatRow{ID: name, Role: "player", Model: "reference:diligent"})
	}
	row.Cast[2].Role, row.Cast[2].Model = "npc", "reference:npc"
	row.Cast[3].Role, row.Cast[3].Model = "npc", "reference:npc"
	v := &verification{}
	v.cast(e, &row)
	if found := strings.Join(v.Findings, "\n"); !strings.Contains(found, "has bren in its cast twice") || !strings.Contains(found, "has the seats") {
		t.Errorf("found %q", found)
	}
}
