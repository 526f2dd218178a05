package logs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/logs"
)

// disk is a set of files in memory that notes what is done to them.
type disk struct {
	mu    sync.Mutex
	files map[string]*bytes.Buffer
	did   []string
	room  int           // bytes that still fit
	slow  time.Duration // that a sync takes
}

func (d *disk) create(path string) (logs.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files == nil {
		d.files = map[string]*bytes.Buffer{}
	}
	name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	d.files[name] = &bytes.Buffer{}
	return &diskFile{d, name}, nil
}

type diskFile struct {
	*disk
	name string
}

func (f *diskFile) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.did = append(f.did, "write "+f.name)
	n := min(len(p), f.room)
	f.room -= n
	f.files[f.name].Write(p[:n])
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func (f *diskFile) Sync() error {
	time.Sleep(f.slow)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.did = append(f.did, "sync "+f.name)
	return nil
}

func (f *diskFile) Close() error { return nil }

// turn is a batch of a call and two events.
func turn(j *logs.Journal, session string, n int) *logs.Batch {
	b := j.Batch()
	logs.Add(b, "events", anEvent(session, 2*n), anEvent(session, 2*n+1))
	logs.Add(b, "calls", aCall(session, n))
	return b
}

func TestJournalKeepsRows(t *testing.T) {
	dir := t.TempDir()
	for part := range 2 { // the second goes on behind the first
		left := filepath.Join(dir, ".events.parquet.0123abcd.parley.tmp")
		if err := os.WriteFile(left, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		j, err := logs.Open(dir, []string{"calls", "events", "scores"}, logs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
			t.Error("the temporary file of a killed writer is still there:", err)
		}
		for n := range 20 {
			if err := j.Append(turn(j, "s", 20*part+n)); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := len(all(t, logs.Read[event](filepath.Join(dir, "events.jsonl")))); n != 40*(part+1) {
			t.Errorf("%d events after the flush of part %d", n, part)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var want []event
	for n := range 80 {
		want = append(want, anEvent("s", n))
	}
	if diff := cmp.Diff(want, all(t, logs.Read[event](filepath.Join(dir, "events.jsonl")))); diff != "" {
		t.Error(diff)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "scores.jsonl")); len(data) > 0 || err != nil {
		t.Error("a stream without rows is an empty file:", data, err)
	}
}

func TestJournalOrderAndGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{room: 1 << 30, slow: time.Second}
		j, err := logs.Open(t.TempDir(), []string{"calls", "events"}, logs.Options{Create: d.create})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 100 {
			if err := j.Append(turn(j, "s", n)); err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				synctest.Wait() // the first is on its way to the disk, the others wait for it together
			}
		}
		begun := time.Now()
		short, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if err := j.Flush(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if err := j.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took != 4*time.Second {
			t.Errorf("100 turns took %v of 1 s a sync, not the four syncs of two groups", took)
		}
		group := []string{"write calls", "sync calls", "write events", "sync events"}
		if diff := cmp.Diff(append(group, group...), d.did); diff != "" {
			t.Error(diff)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestJournalBackPressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{room: 1 << 30, slow: time.Second}
		j, err := logs.Open(t.TempDir(), []string{"calls", "events"}, logs.Options{Create: d.create, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		for n := range 3 { // each is more than the limit, and goes alone
			if err := j.Append(turn(j, "s", n)); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(begun); took != 4*time.Second {
			t.Errorf("the third batch waited %v, want two batches of two syncs", took)
		}
		if err := j.Close(); err != nil || time.Since(begun) != 6*time.Second {
			t.Error(err, time.Since(begun))
		}
	})
}

func TestJournalConcurrentAppenders(t *testing.T) {
	dir := t.TempDir()
	j, err := logs.Open(dir, []string{"calls", "events"}, logs.Options{Limit: 4 << 10})
	if err != nil {
		t.Fatal(err)
	}
	const writers, turns = 16, 50
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := range turns {
				if err := j.Append(turn(j, fmt.Sprint(w), n)); err != nil {
					t.Error(err)
				}
				if n%10 == 0 {
					if err := j.Flush(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	next := map[string]int{}
	for _, e := range all(t, logs.Read[event](filepath.Join(dir, "events.jsonl"))) {
		if diff := cmp.Diff(anEvent(e.Session, next[e.Session]), e); diff != "" {
			t.Fatalf("event %d of session %s: %s", next[e.Session], e.Session, diff)
		}
		next[e.Session]++
	}
	for w := range writers {
		if next[fmt.Sprint(w)] != 2*turns {
			t.Errorf("session %d has %d events", w, next[fmt.Sprint(w)])
		}
	}
}

func TestJournalFullDisk(t *testing.T) {
	d := &disk{room: 10_000}
	dir := t.TempDir()
	j, err := logs.Open(dir, []string{"calls", "events"}, logs.Options{Create: d.create})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; n < 1000; n++ {
		if err = j.Append(turn(j, "s", n)); err != nil {
			break
		}
		if err = j.Flush(t.Context()); err != nil {
			break
		}
	}
	if !errors.Is(err, syscall.ENOSPC) || n == 0 {
		t.Fatalf("turn %d: %v", n, err)
	}
	if err := j.Append(turn(j, "s", 0)); !errors.Is(err, syscall.ENOSPC) {
		t.Error("the error was forgotten by Append:", err)
	}
	if err := j.Flush(t.Context()); !errors.Is(err, syscall.ENOSPC) {
		t.Error("the error was forgotten by Flush:", err)
	}
	did := len(d.did)
	if err := j.Close(); !errors.Is(err, syscall.ENOSPC) || len(d.did) != did {
		t.Error("Close:", err, d.did[did:])
	}
	path := filepath.Join(dir, "copy.jsonl")
	if err := os.WriteFile(path, d.files["events"].Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	events, err := read[event](path)
	if err != nil && !logs.IsTorn(err) || len(events)/2 != n {
		t.Errorf("%d events are readable of %d turns that were flushed: %v", len(events), n, err)
	}
}

func TestJournalRefuses(t *testing.T) {
	dir := t.TempDir()
	j, err := logs.Open(dir, []string{"events"}, logs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	type raw struct{ S string }
	for _, test := range []struct {
		add  func(*logs.Batch)
		want string
	}{
		{func(b *logs.Batch) { logs.Add(b, "other", event{}) }, `no stream "other"`},
		{func(b *logs.Batch) { logs.Add(b, "events", event{}, event{Time: time.Unix(1<<40, 0)}) }, `marshal from Go time.Time within "/time"`},
		{func(b *logs.Batch) { logs.Add(b, "events", raw{strings.Repeat("x", logs.MaxLine)}) }, "longer than 16 MiB"},
	} {
		b := j.Batch()
		test.add(b)
		logs.Add(b, "events", event{})
		if err := j.Append(b); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
	b := j.Batch() // maybe one of those again, and then empty
	logs.Add(b, "events", event{Session: "good"})
	if err := j.Append(b); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Close(), j.Close()); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(j.Batch()); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	rows := all(t, logs.Read[event](filepath.Join(dir, "events.jsonl")))
	if diff := cmp.Diff([]event{{Session: "good"}}, rows); diff != "" {
		t.Error("of a refused batch something was kept:", diff)
	}
	if _, err := logs.Open(filepath.Join(dir, "none"), []string{"a"}, logs.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
