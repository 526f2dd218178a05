package logs

import (
	"bufio"
	"fmt"
	"iter"
	"os"
	"path/filepath"
)

// Keep says which of equal rows stay.
type Keep int

const (
	KeepAll   Keep = iota
	KeepFirst      // in the journal
	KeepLast
)

// Compaction says how a journal becomes a Parquet file.
type Compaction[T any] struct {
	Compare func(a, b *T) int // the order of the rows; nil: as they stand
	Keep    Keep              // of rows that compare as equal
	Memory  int               // bytes of rows held while sorting; 0: 64 MiB
	Meta    Meta
}

// Compacted is what came of it.
type Compacted struct {
	Rows    int64  // in the Parquet file
	Doubles int64  // equal rows that were left out
	Torn    bool   // the journal's last line was torn, and left out
	Digest  string // of the rows, nothing blanked
}

// Compact writes the rows of a journal as Parquet: sorted, equal ones thinned out, read back and
// compared by digest before the file gets its name. The journal stays; it is the caller's to delete.
// Temporary files lie beside the Parquet file.
func Compact[T any](journal, path string, c Compaction[T]) (Compacted, error) {
	var done Compacted
	rows := c.rows(journal, filepath.Dir(path), &done)
	want := newDigester[T]()
	err := replace(path, func(f *os.File) (err error) {
		if done.Rows, err = writeParquet(f, ahead(want.tee(rows)), c.Meta); err != nil {
			return err
		}
		done.Digest = want.sum()
		got, n, err := Digest(ahead(ReadParquet[T](f.Name())), nil)
		if err == nil && (got != done.Digest || n != done.Rows) {
			err = fmt.Errorf("what was written reads back differently (%d rows for %d)", n, done.Rows)
		}
		return err
	})
	if err != nil {
		return Compacted{}, fmt.Errorf("compact %s: %w", journal, err)
	}
	return done, nil
}

// Digest says what Compact would make of a journal, without writing it.
func (c Compaction[T]) Digest(journal string) (done Compacted, err error) {
	done.Digest, done.Rows, err = Digest(c.rows(journal, "", &done), nil)
	return done, err
}

// rows yields what is left of a journal, in order. Temporary files lie in a directory; empty: the
// system's own.
func (c Compaction[T]) rows(journal, dir string, done *Compacted) iter.Seq2[T, error] {
	rows := ahead(whole(Read[T](journal), &done.Torn))
	if c.Compare != nil {
		rows = Sort(rows, c.Compare, c.Memory, dir)
		if c.Keep != KeepAll {
			rows = thin(rows, c.Compare, c.Keep, &done.Doubles)
		}
	}
	return rows
}

// Expand writes a journal of the rows of a Parquet file, whole or not at all, so that it can be gone
// on with. The Parquet file stays.
func Expand[T any](path, journal string) error {
	return replace(journal, func(f *os.File) error {
		w := bufio.NewWriterSize(f, 1<<16)
		var line []byte
		for row, err := range ahead(ReadParquet[T](path)) {
			if err == nil {
				line, err = AppendJSON(line[:0], &row)
			}
			if err != nil {
				return err
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		return w.Flush()
	})
}

// tee takes the digest of rows that pass.
func (d *digester[T]) tee(rows iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			if err == nil {
				err = d.add(&row)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// whole passes rows on and notes a torn last line instead of yielding it.
func whole[T any](rows iter.Seq2[T, error], torn *bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			if IsTorn(err) {
				*torn = true
				return
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// thin passes on one row of each run of equal ones and counts the others.
func thin[T any](rows iter.Seq2[T, error], compare func(a, b *T) int, keep Keep, left *int64) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var held T
		have := false
		for row, err := range rows {
			if err != nil {
				yield(row, err)
				return
			}
			if have && compare(&held, &row) == 0 {
				*left++
				if keep == KeepLast {
					held = row
				}
				continue
			}
			if have && !yield(held, nil) {
				return
			}
			held, have = row, true
		}
		if have {
			yield(held, nil)
		}
	}
}
