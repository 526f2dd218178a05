package run

import (
	"errors"
	"io/fs"
	"iter"
	"math"
	"os"

	"parley/logs"
)

// File is the file that holds a table now: Parquet where it is there, else the journal.
type File struct {
	Path    string // empty: there is none yet
	Parquet bool
	Info    fs.FileInfo // nil: there is none yet
}

// Grew reports whether a file is an earlier state of f, so that what was read of it stays as it is.
func (f File) Grew(before File) bool {
	switch {
	case before.Info == nil:
		return true
	case f.Path != before.Path || !os.SameFile(f.Info, before.Info):
		return false
	case f.Parquet:
		return f.Info.Size() == before.Info.Size() && f.Info.ModTime().Equal(before.Info.ModTime())
	}
	return f.Info.Size() >= before.Info.Size()
}

// File returns the file that holds the table.
func (t Rows[T]) File(dir string) (File, error) {
	for _, extension := range []string{".parquet", ".jsonl"} {
		path := t.path(dir, extension)
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = refuseOther(path, info.Mode())
		}
		return File{path, extension == ".parquet", info}, err
	}
	return File{}, nil
}

// Scan yields rows with their places from a place on: 0, or where the last row that was read ends. Rows that
// come later are found by scanning again from there.
func (t Rows[T]) Scan(f File, from int64) iter.Seq2[logs.Placed[T], error] {
	if f.Info == nil {
		return func(func(logs.Placed[T], error) bool) {}
	}
	if !f.Parquet {
		return logs.Scan[T](f.Path, from)
	}
	return func(yield func(logs.Placed[T], error) bool) {
		n := from
		for row, err := range logs.ReadParquetSpan[T](f.Path, logs.Span{From: from, To: math.MaxInt64}) {
			if !yield(logs.Placed[T]{Row: row, At: logs.Span{From: n, To: n + 1}}, err) {
				return
			}
			n++
		}
	}
}

// Within yields the rows within spans of the table's file, one after the other.
func (t Rows[T]) Within(f File, spans ...logs.Span) iter.Seq2[T, error] {
	switch {
	case f.Info == nil:
		return func(func(T, error) bool) {}
	case f.Parquet:
		return logs.ReadParquetSpan[T](f.Path, spans...)
	}
	return logs.ReadSpan[T](f.Path, spans...)
}
