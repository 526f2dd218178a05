package run

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"parley/logs"
)

// State says how far a run or a job came.
type State string

const (
	Running     State = "running"
	Interrupted State = "interrupted"
	Complete    State = "complete"
	Failed      State = "failed" // finished, with jobs that can be tried again
)

// Table is one kind of record of a run. Rows makes one.
type Table interface {
	name() string
	path(dir, extension string) string
	filter(dir string, done func(job string) bool) error
	compact(dir string, meta logs.Meta) (logs.Compacted, error)
	restorable(dir string, m *Manifest) (bool, error)
	expand(dir string) error
	jobs(dir string, each func(job string, s State)) error
	verify(v *verification, dir string) error
}

// Rows is a table with rows of type T: a struct with json and parquet tags of the same names.
type Rows[T any] struct {
	Name    string
	Job     func(*T) string    // the job that a row belongs to; nil: rows are shared by jobs
	Compare func(a, b *T) int  // order in Parquet, nil: by job; rows that compare equal keep the order in which they came
	Keep    logs.Keep          // of rows that compare equal
	Untimed func(*T)           // clears times and durations, for the digest that two equal runs have in common
	State   func(*T) State     // how far the job came; set for the last table of a plan alone
	Calls   func(*T) []string  // ids of the calls that a row rests on
	Check   func() CheckRow[T] // returns what holds each row against the others; nil: nothing to check
}

// CheckRow reports what is wrong with a row by calling finding, each time with a format as for fmt. At
// the end of the table it is called once with nil.
type CheckRow[T any] func(row *T, finding func(format string, args ...any))

func (t Rows[T]) name() string { return t.Name }

func (t Rows[T]) path(dir, extension string) string { return filepath.Join(dir, t.Name+extension) }

// Each makes the check of a table of which every row is checked alone.
func Each[T any](check func(row *T, finding func(format string, args ...any))) func() CheckRow[T] {
	return func() CheckRow[T] {
		return func(row *T, finding func(string, ...any)) {
			if row != nil {
				check(row, finding)
			}
		}
	}
}

// Add adds rows to what a job writes.
func (t Rows[T]) Add(w *Writer, rows ...T) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.batch == nil {
		w.batch = w.run.journal.Batch()
	}
	logs.Add(w.batch, t.Name, rows...)
}

// Read yields the rows of a run: of Parquet where it is there, else of the journal, whose torn last line
// is no row. A table without a file has no rows.
func (t Rows[T]) Read(dir string) iter.Seq2[T, error] {
	if path := t.path(dir, ".parquet"); exists(path) {
		return logs.ReadParquet[T](path)
	}
	return t.journal(dir)
}

// Sorted yields the rows of a run in the order of the table's Parquet file, and of those that compare equal the
// ones that the file keeps. A journal is held in memory.
func (t Rows[T]) Sorted(dir string) iter.Seq2[T, error] {
	if exists(t.path(dir, ".parquet")) {
		return t.Read(dir)
	}
	return func(yield func(T, error) bool) {
		var list []T
		for row, err := range t.journal(dir) {
			if err != nil {
				yield(row, err)
				return
			}
			list = append(list, row)
		}
		slices.SortStableFunc(list, func(a, b T) int { return t.compare(&a, &b) })
		equal := func(i int) bool {
			return i >= 0 && i+1 < len(list) && t.compare(&list[i], &list[i+1]) == 0
		}
		for i := range list {
			if t.Keep == logs.KeepLast && equal(i) || t.Keep == logs.KeepFirst && equal(i-1) {
				continue
			}
			if !yield(list[i], nil) {
				return
			}
		}
	}
}

// All returns the rows that Sorted yields.
func (t Rows[T]) All(dir string) (list []T, err error) {
	for row, err := range t.Sorted(dir) {
		if err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, nil
}

// journal yields the rows of the journal.
func (t Rows[T]) journal(dir string) iter.Seq2[T, error] {
	path := t.path(dir, ".jsonl")
	return func(yield func(T, error) bool) {
		if !exists(path) {
			return
		}
		for row, err := range logs.Read[T](path) {
			if logs.IsTorn(err) || !yield(row, err) {
				return
			}
		}
	}
}

// filter leaves only the rows of jobs that are done in the journal.
func (t Rows[T]) filter(dir string, done func(job string) bool) error {
	if t.Job == nil || !exists(t.path(dir, ".jsonl")) {
		return nil
	}
	if _, _, err := logs.Filter(t.path(dir, ".jsonl"), func(row *T) bool { return done(t.Job(row)) }); err != nil {
		return fmt.Errorf("leave finished jobs in %s: %w", t.path(dir, ".jsonl"), err)
	}
	return nil
}

func (t Rows[T]) compare(a, b *T) int {
	if t.Compare != nil {
		return t.Compare(a, b)
	}
	return cmp.Compare(t.Job(a), t.Job(b))
}

func (t Rows[T]) compaction(meta logs.Meta) logs.Compaction[T] {
	return logs.Compaction[T]{Compare: t.compare, Keep: t.Keep, Meta: meta}
}

func (t Rows[T]) compact(dir string, meta logs.Meta) (logs.Compacted, error) {
	return logs.Compact(t.path(dir, ".jsonl"), t.path(dir, ".parquet"), t.compaction(meta))
}

// restorable reports whether the journal of a run that finished with failed jobs has to be made anew of the Parquet
// before the run can go on: it is gone or differs from what the manifest says. The Parquet has to be what the manifest
// says then.
func (t Rows[T]) restorable(dir string, m *Manifest) (bool, error) {
	parquet, journal := t.path(dir, ".parquet"), t.path(dir, ".jsonl")
	if m.State != Failed {
		return false, nil
	}
	is := func(digest string, rows int64, err error) bool {
		return err == nil && rows == m.Tables[t.Name].Rows && digest == m.Tables[t.Name].Digest
	}
	if exists(journal) {
		if was, err := t.compaction(logs.Meta{}).Digest(journal); is(was.Digest, was.Rows, err) {
			return false, nil
		}
	}
	if exists(parquet) && is(logs.Digest(logs.ReadParquet[T](parquet), nil)) {
		return true, nil
	}
	return false, fmt.Errorf("%s is gone or not what the run wrote (%s has its digest), and so is %s: put either back from a copy",
		journal, filepath.Join(dir, ManifestName), parquet)
}

func (t Rows[T]) expand(dir string) error {
	return logs.Expand[T](t.path(dir, ".parquet"), t.path(dir, ".jsonl"))
}

// jobs calls a function with the job and state of each row of the journal, where the table has states.
func (t Rows[T]) jobs(dir string, each func(job string, s State)) error {
	if t.State == nil {
		return nil
	}
	for row, err := range t.Read(dir) {
		if err != nil {
			return err
		}
		each(t.Job(&row), t.State(&row))
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// removeAll removes one file of each table.
func removeAll(dir string, tables []Table, extension string) error {
	for _, t := range tables {
		if err := os.Remove(t.path(dir, extension)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// names returns the names of tables in their order.
func names(tables []Table) []string {
	var list []string
	for _, t := range tables {
		list = append(list, t.name())
	}
	return list
}
