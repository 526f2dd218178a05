package logs

import (
	"fmt"
	"io"
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
	Compare func(a, b *T) int // the order of the rows; nil: as in the journal
	Keep    Keep              // of rows that compare as equal
	Memory  int               // bytes of rows held while sorting; 0: 64 MiB
	Meta    Meta
}

// Compacted describes the result of Compact.
type Compacted struct {
	Rows    int64  // in the Parquet file
	Doubles int64  // equal rows that were left out
	Torn    bool   // the journal's last line was torn, and left out
	Digest  string // of the rows, with all their fields
}

// Compact writes the rows of a journal as Parquet, sorted and without equal ones, reads them back and
// compares the digests before the file gets its name. The journal stays; the caller deletes it.
// Temporary files are made beside the Parquet file.
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

// Digest returns what Compact would of a journal, without writing Parquet.
func (c Compaction[T]) Digest(journal string) (done Compacted, err error) {
	done.Digest, done.Rows, err = Digest(c.rows(journal, "", &done), nil)
	return done, err
}

// rows yields the rows of a journal that stay, in order. Temporary files are made in dir, or in the
// system's own directory for them where dir is empty.
func (c Compaction[T]) rows(journal, dir string, done *Compacted) iter.Seq2[T, error] {
	rows := ahead(whole(Read[T](journal), &done.Torn))
	if c.Compare != nil {
		rows = Sort(rows, c.Compare, c.Memory, dir)
		if c.Keep != KeepAll {
			rows = distinct(rows, c.Compare, c.Keep, &done.Doubles)
		}
	}
	return rows
}

// Expand writes the rows of a Parquet file as a journal, whole or not at all, so that rows can be
// appended to it. The Parquet file stays.
func Expand[T any](path, journal string) error {
	return Replace(journal, func(w io.Writer) error {
		var line []byte
		for row, err := range ahead(ReadParquet[T](path)) {
			if err == nil {
				line, err = AppendJSON(line[:0], &row)
			}
			if err == nil {
				_, err = w.Write(append(line, '\n'))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// tee yields the same rows and adds them to the digest.
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

// whole yields the same rows, and sets torn instead of yielding the error of a torn last line.
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

// distinct yields one row of each run of equal ones and counts the others in left.
func distinct[T any](rows iter.Seq2[T, error], compare func(a, b *T) int, keep Keep, left *int64) iter.Seq2[T, error] {
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
