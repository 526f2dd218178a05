package logs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"parley/logs"
)

// The libraries that people read tables with must see what the journal says, value by value.
func TestPythonReaders(t *testing.T) {
	python := os.Getenv("PARLEY_TEST_PYTHON")
	if python == "" {
		t.Skip("PARLEY_TEST_PYTHON names no python that has pyarrow, duckdb, polars and pandas")
	}
	odd := anEvent("odd", 0)
	odd.Speech, odd.Calls = "a\u0085b\u2028c\u2029d\x00e\xff \"\\ \U0001F3B2", []string{"", "\xffx"}
	odd.Time = time.Date(1969, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	// More than one row group, and columns in which all is null or empty.
	events := append(all(t, many(95_000, anEvent)), odd, event{Roll: &roll{}, Time: time.Unix(0, 0)})
	calls := all(t, many(1000, aCall))
	for i := range calls {
		if calls[i].Started.IsZero() {
			calls[i].Started = start // Python's year 1 ends where some time zones begin
		}
	}
	t.Run("events", func(t *testing.T) { compare(t, python, events) })
	t.Run("calls", func(t *testing.T) { compare(t, python, calls) })
	t.Run("scores", func(t *testing.T) { compare(t, python, all(t, many(1000, aScore))) })
	t.Run("nothing scored", func(t *testing.T) { compare(t, python, []score{{}, {Status: "failed"}}) })
	t.Run("no scores", func(t *testing.T) { compare(t, python, []score{}) })
}

func compare[T any](t *testing.T, python string, rows []T) {
	dir := t.TempDir()
	keep(t, dir, "rows", rows...)
	journal, table := filepath.Join(dir, "rows.jsonl"), filepath.Join(dir, "rows.parquet")
	if _, err := logs.Compact(journal, table, logs.Compaction[T]{}); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), python, "testdata/readers.py", journal, table).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := ""
	for _, name := range []string{"pyarrow", "duckdb", "polars", "pandas"} {
		want += fmt.Sprintln(name, len(rows))
	}
	if string(out) != want {
		t.Errorf("got %s, want %s", out, want)
	}
}
