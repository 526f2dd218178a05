package logs_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/logs"
)

// TestCheckRunning changes an open journal behind its writer's back, in every way, and looks for it.
func TestCheckRunning(t *testing.T) {
	streams := []string{"calls", "events"}
	tests := map[string]struct {
		change  func(text string) string // of events.jsonl
		from    int                      // lines that are as they were; -1: nothing was changed
		refused bool                     // not even the beginning is
	}{
		"nothing":          {func(text string) string { return text }, -1, false},
		"a torn line more": {func(text string) string { return text + `{"session":` }, -1, false},
		"a letter":         {func(text string) string { return strings.Replace(text, `"seq":3`, `"seq":8`, 1) }, 3, false},
		"the first line":   {func(text string) string { return strings.Replace(text, `"seq":0`, `"seq":8`, 1) }, 0, true},
		"a line is lost": {func(text string) string {
			a, b, _ := strings.Cut(text, "\n")
			_, c, _ := strings.Cut(b, "\n")
			return a + "\n" + c
		}, 1, false},
		"the end is lost": {func(text string) string { return strings.Join(strings.SplitAfter(text, "\n")[:4], "") }, 4, false},
		"garbage":         {func(text string) string { b := []byte(text); copy(b[len(b)-40:], make([]byte, 39)); return string(b) }, 5, false},
		"a doubled line": {func(text string) string {
			l := strings.SplitAfter(text, "\n")
			return l[0] + l[0] + strings.Join(l[1:], "")
		}, 1, false},
		"everything": {func(string) string { return "" }, 0, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "events.jsonl")
			write := func(from, to int) {
				j, err := logs.Open(dir, streams, logs.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for n := from; n < to; n++ {
					b := j.Batch()
					logs.Add(b, "calls", call{ID: "c"})
					logs.Add(b, "events", event{Seq: n})
					if err := errors.Join(j.Append(b), j.Flush(t.Context())); err != nil {
						t.Fatal(err)
					}
				}
				if err := j.Close(); err != nil {
					t.Fatal(err)
				}
			}
			write(0, 1)
			write(1, 6) // the digests begin anew with what is there
			was, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(tt.change(string(was))), 0o600); err != nil {
				t.Fatal(err)
			}
			changed, good, known, err := logs.CheckRunning(dir, streams)
			if err != nil || !known {
				t.Fatal(known, err)
			}
			if tt.from < 0 {
				if len(changed) > 0 {
					t.Errorf("found %v", changed)
				}
				return
			}
			size := int64(len(bytes.Join(bytes.SplitAfter(was, []byte("\n"))[:tt.from], nil)))
			if len(changed) != 1 || changed[0].Stream != "events" || changed[0].From != size {
				t.Fatalf("found %v, want events from byte %d on", changed, size)
			}
			if (good == nil) != tt.refused || good != nil && good["events"] != size {
				t.Errorf("good until %v", good)
			}
		})
	}
	if _, _, known, err := logs.CheckRunning(t.TempDir(), streams); known || err != nil {
		t.Error("no digests:", known, err)
	}
}

// TestCheckRunningOlder compares journals with marks that have no checksum this version knows.
func TestCheckRunningOlder(t *testing.T) {
	for text, whole := range map[string]bool{"{\"n\":1}\n": true, "{\"n\":1}": false} {
		dir := t.TempDir()
		for name, content := range map[string]string{"calls.jsonl": text, logs.DigestsName: `{"calls":{"size":8,"sha256":"00"}}` + "\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if changed, _, known, err := logs.CheckRunning(dir, []string{"calls"}); err != nil || !known || whole != (len(changed) == 0) {
			t.Errorf("%q: found %v, %v, %v", text, changed, known, err)
		}
	}
}
