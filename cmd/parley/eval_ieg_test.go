package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/ieg"

	"parley/finetune"
)

// mustRun runs parley and returns what it printed.
func mustRun(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, talk bytes.Buffer
	if got := Main(t.Context(), append([]string{"parley"}, args...), &out, &talk); got != want {
		t.Fatalf("parley %s: status %d, want %d\n%s", strings.Join(args, " "), got, want, talk.String())
	}
	return out.String(), talk.String()
}

// Vivid play stands for real people's: play of the same kind has a small gap to it, small talk a large
// one.
func TestEvalIEG(t *testing.T) {
	dir := t.TempDir()
	run := func(name, player string, sessions, seed int) string {
		path := filepath.Join(dir, name)
		mustRun(t, exitOK, "run", "--scenario", "intention", "--player", player, "--sessions", fmt.Sprint(sessions), "--seed", fmt.Sprint(seed), "--out", path)
		return path
	}
	windows := func(name, player string, sessions, seed int) string {
		path := filepath.Join(dir, name+".jsonl")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for game, err := range finetune.Interactions(run(name, player, sessions, seed), 1000) {
			if err != nil {
				t.Fatal(err)
			}
			// What this actor says word for word in other games would be a copy of the test.
			game.Lines = slices.DeleteFunc(game.Lines, func(l ieg.Line) bool { return strings.Contains(l.Text, "the time it snowed") })
			for _, x := range ieg.AtMoves(&game, nil, 0) {
				if err := ieg.Write(f, &x); err != nil {
					t.Fatal(err)
				}
			}
		}
		return path
	}
	args := []string{
		"eval", "ieg", "--seeds", "2",
		"--real-train", windows("train", "reference:vivid", 16, 1), "--real-test", windows("test", "reference:vivid", 6, 2),
		"--generated", "like=" + run("vivid", "reference:vivid", 8, 3), "--generated", run("idle", "reference:small-talk", 8, 4),
	}
	stdout, stderr := mustRun(t, exitOK, append(args, "--json", "--out", filepath.Join(dir, "study"))...)
	var got struct{ Results []eval.Result }
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	find := func(metric, arm, control string) eval.Result {
		for _, r := range got.Results {
			if r.Metric == metric && r.Arm == arm && r.Control == control {
				return r
			}
		}
		t.Fatalf("there is no %s of %s (%s)", metric, arm, control)
		return eval.Result{}
	}
	like, idle := find("G_o", "like", ""), find("G_o", "idle", "")
	if *like.Value >= *idle.Value || like.Low == nil {
		t.Errorf("G_o of the same play %v, of small talk %v", *like.Value, *idle.Value)
	}
	if d := find("G_o_difference", "idle - like", ""); d.Value == nil || *d.Value <= 0 || d.Low == nil || *d.Low >= *d.Value { // of six groups, the interval is wide
		t.Errorf("%+v", d)
	}
	for _, control := range []string{ieg.NoiseFloor, ieg.Shuffled} {
		find("G_c", "real", control)
		find("G_o", "real", control)
	}
	find("f_o", "last-speaker", ieg.Baseline)
	for _, want := range []string{"2 seeds are few", "20 of 20 trainings"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q is not said: %s", want, stderr)
		}
	}
	if table, _ := mustRun(t, exitOK, append(args, "--table", "--out", filepath.Join(dir, "table"))...); !strings.Contains(table, "real (noise-floor)") {
		t.Error(table)
	}
	again, _ := mustRun(t, exitOK, append(args, "--json", "--workers", "3", "--out", filepath.Join(dir, "again"))...)
	if strings.ReplaceAll(again, filepath.Join(dir, "again"), filepath.Join(dir, "study")) != stdout {
		t.Error("three workers print other results than one")
	}
}
