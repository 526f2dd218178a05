package logs_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/logs"
)

func TestSort(t *testing.T) {
	for _, test := range []struct {
		rows, limit int
		reason      string
	}{
		{0, 0, ""},
		{1, 1, ""},
		{500, 0, "in memory"},
		{500, 100_000, "a few files"},
		{1000, 1, "a file a row: more than are merged at once"},
	} {
		dir := t.TempDir()
		rows := shuffled(all(t, many(test.rows, anEvent)), 5)
		// Compared by session alone, so that the order among equal ones shows.
		bySession := func(a, b *event) int { return strings.Compare(a.Session, b.Session) }
		want := slices.Clone(rows)
		slices.SortStableFunc(want, func(a, b event) int { return bySession(&a, &b) })
		got := all(t, logs.Sort(of(rows...), bySession, test.limit, dir))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d rows, limit %d (%s): %s", test.rows, test.limit, test.reason, diff)
		}
		for range logs.Sort(of(rows...), bySession, test.limit, dir) {
			break // and leave early
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestSortErrors(t *testing.T) {
	broken := errors.New("the source broke")
	dir := t.TempDir()
	for _, limit := range []int{0, 1} {
		_, err := count(logs.Sort(func(yield func(event, error) bool) {
			_ = yield(anEvent("s", 1), nil) && yield(anEvent("s", 0), nil) && yield(event{}, broken)
		}, bySeq, limit, dir))
		if err != broken {
			t.Error(err)
		}
	}
	if _, err := count(logs.Sort(many(3, anEvent), bySeq, 1, filepath.Join(dir, "none"))); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCompact(t *testing.T) {
	rows := shuffled(all(t, many(300, anEvent)), 9)
	first, second := anEvent("s000", 7), anEvent("s000", 7)
	second.Speech = "another"
	i := slices.IndexFunc(rows, func(e event) bool { return e.Session == "s000" && e.Seq == 7 })
	rows[i] = first
	rows = append(rows, second, second)
	sorted := all(t, many(300, anEvent))
	with := func(at ...event) []event { return slices.Concat(sorted[:7], at, sorted[8:]) }
	for _, test := range []struct {
		compaction logs.Compaction[event]
		want       []event
		doubles    int64
	}{
		{logs.Compaction[event]{}, rows, 0},
		{logs.Compaction[event]{Compare: bySeq}, with(first, second, second), 0},
		{logs.Compaction[event]{Compare: bySeq, Keep: logs.KeepFirst}, with(first), 2},
		{logs.Compaction[event]{Compare: bySeq, Keep: logs.KeepLast}, with(second), 2},
		{logs.Compaction[event]{Compare: bySeq, Keep: logs.KeepLast, Memory: 10_000}, with(second), 2},
	} {
		dir := t.TempDir()
		keep(t, dir, "events", rows...)
		journal, table := filepath.Join(dir, "events.jsonl"), filepath.Join(dir, "events.parquet")
		done, err := logs.Compact(journal, table, test.compaction)
		if err != nil {
			t.Fatal(err)
		}
		digest, _, err := logs.Digest(of(test.want...), nil)
		if want := (logs.Compacted{Rows: int64(len(test.want)), Doubles: test.doubles, Digest: digest}); done != want || err != nil {
			t.Errorf("%+v, want %+v", done, want)
		}
		if diff := cmp.Diff(test.want, all(t, logs.ReadParquet[event](table))); diff != "" {
			t.Error(diff)
		}
		if left, _ := os.ReadDir(dir); len(left) != 3 { // with the running digests
			t.Error("left behind:", left)
		}
		if err := logs.Expand[event](table, journal); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, all(t, logs.Read[event](journal))); diff != "" {
			t.Error("expanded:", diff)
		}
	}
}

func TestCompactOfBadJournals(t *testing.T) {
	dir := t.TempDir()
	keep(t, dir, "events", anEvent("s", 0), anEvent("s", 1))
	journal, table := filepath.Join(dir, "events.jsonl"), filepath.Join(dir, "events.parquet")
	data, _ := os.ReadFile(journal)
	if err := os.WriteFile(journal, data[:len(data)-9], 0o644); err != nil {
		t.Fatal(err)
	}
	if done, err := logs.Compact(journal, table, logs.Compaction[event]{Compare: bySeq}); err != nil || !done.Torn || done.Rows != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	os.Remove(table)
	if err := os.WriteFile(journal, append(data[:9:9], data...), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := logs.Compact(journal, table, logs.Compaction[event]{Compare: bySeq}); err == nil || !strings.Contains(err.Error(), "events.jsonl:1") {
		t.Error(err)
	}
	if _, err := os.Stat(table); !errors.Is(err, os.ErrNotExist) {
		t.Error("a table was made of a broken journal")
	}
}

// What a journal holds must not show in the memory that its compaction takes.
func TestCompactInBoundedMemory(t *testing.T) {
	dir := t.TempDir()
	j, err := logs.Open(dir, []string{"calls"}, logs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reply := strings.Repeat(words, 100)
	for n := range 8000 { // 104 MB
		b := j.Batch()
		logs.Add(b, "calls", call{ID: fmt.Sprintf("%05d", n*7919%8000), Reply: reply})
		if err := j.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	stop := peak()
	done, err := logs.Compact(filepath.Join(dir, "calls.jsonl"), filepath.Join(dir, "calls.parquet"), logs.Compaction[call]{
		Compare: func(a, b *call) int { return strings.Compare(a.ID, b.ID) }, Memory: 4 << 20,
	})
	if top := stop(); err != nil || done.Rows != 8000 || top > 180 {
		t.Errorf("%+v, %v, at most %.0f MiB", done, err, top)
	}
}

func Example() {
	dir, _ := os.MkdirTemp("", "run")
	defer os.RemoveAll(dir)
	release, err := logs.Lock(dir)
	if err != nil {
		panic(err)
	}
	defer release()

	journal, err := logs.Open(dir, []string{"calls", "events"}, logs.Options{})
	if err != nil {
		panic(err)
	}
	turn := journal.Batch() // rows that belong together, whatever the order in which they are added
	logs.Add(turn, "events", event{Session: "b"}, event{Session: "a", Calls: []string{"a/1"}})
	logs.Add(turn, "calls", call{Session: "a", ID: "a/1"})
	if err := errors.Join(journal.Append(turn), journal.Close()); err != nil {
		panic(err)
	}

	table := filepath.Join(dir, "events.parquet")
	done, err := logs.Compact(filepath.Join(dir, "events.jsonl"), table, logs.Compaction[event]{Compare: bySeq})
	fmt.Println(done.Rows, err)
	for e, err := range logs.ReadParquet[event](table) {
		fmt.Println(e.Session, e.Calls, err)
	}
	// Output:
	// 2 <nil>
	// a [a/1] <nil>
	// b [] <nil>
}
