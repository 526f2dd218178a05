package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/eval/ieg"
	"parley/sim"

	"parley/eval/session"

	"parley/finetune"
)

// succeed runs a command and wants it to succeed.
func succeed(t *testing.T, args ...string) {
	t.Helper()
	var stderr strings.Builder
	if status := Main(context.Background(), append([]string{"parley"}, args...), io.Discard, &stderr); status != exitOK {
		t.Fatalf("parley %s: status %d: %s", strings.Join(args, " "), status, stderr.String())
	}
}

// journal puts a stream's journal in place of its Parquet file, in another order.
func journal[T any](t *testing.T, dir, stream string, order func(a, b *T) int) {
	t.Helper()
	var all []T
	for row, err := range rows[T](dir, stream) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	slices.SortStableFunc(all, func(a, b T) int { return order(&a, &b) })
	f, err := os.Create(journalPath(dir, stream))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	for i := range all {
		if err := enc.Encode(&all[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(parquetPath(dir, stream)); err != nil {
		t.Fatal(err)
	}
}

// A run's games become windows, the same from Parquet as from the journal.
func TestInteractions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "R")
	succeed(t, "run", "--scenario", "intention", "--sessions", "4", "--turns", "30", "--player", "reference:vivid", "--out", dir)
	read := func(n int) (all []ieg.Interaction) {
		for x, err := range finetune.Interactions(dir, n) {
			if err != nil {
				t.Fatal(err)
			}
			if err := x.Validate(); err != nil {
				t.Error(err)
			}
			all = append(all, x)
		}
		return all
	}
	whole := read(0)
	if len(whole) != 4 {
		t.Fatalf("%d windows of 4 games of 30 turns", len(whole))
	}
	x := whole[0]
	if x.ID != "game:R/a01-0000001:1" || x.Group != "R/a01-0000001" || x.Source != "reference:vivid" || x.Split != "" {
		t.Errorf("the first window: %s of %s, source %s, split %q", x.ID, x.Group, x.Source, x.Split)
	}
	if !slices.ContainsFunc(whole, func(x ieg.Interaction) bool { return len(x.Intentions) > 0 }) {
		t.Error("nobody tries anything in any game")
	}
	if n := len(read(10)); n != 12 {
		t.Errorf("%d windows of 10 turns, want 12", n)
	}
	for range finetune.Interactions(dir, 10) {
		break
	}
	// As a journal has them: the events of several sessions in turns.
	journal[session.Row](t, dir, "sessions", func(a, b *session.Row) int { return 0 })
	journal[sim.Event](t, dir, "events", func(a, b *sim.Event) int { return a.Turn - b.Turn })
	if diff := cmp.Diff(whole, read(0)); diff != "" {
		t.Errorf("the journal gives other windows: %s", diff)
	}
}

func TestInteractionsOfOtherRuns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "R")
	succeed(t, "run", "--sessions", "1", "--out", dir)
	for path, want := range map[string]string{dir: "no complete game of intention expression", dir + "x": ""} {
		for _, err := range finetune.Interactions(path, 0) {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v", path, err)
			}
		}
	}
}
