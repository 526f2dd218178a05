package logs

import (
	"io"
	"iter"
	"os"
)

// Span is a stretch of a file: numbers of rows in Parquet, bytes in JSON lines. To is not part of it.
type Span struct{ From, To int64 }

// Join returns the shortest span that holds both; an empty one holds nothing.
func (s Span) Join(o Span) Span {
	if s.From == s.To {
		return o
	}
	return Span{min(s.From, o.From), max(s.To, o.To)}
}

// Placed is a row with its place in its file.
type Placed[T any] struct {
	Row T
	At  Span
}

// Scan reads the rows of a file of JSON lines from an offset on, where a line begins, with their places. A
// line without a line end may still be under way: it is not read, and is no error.
func Scan[T any](path string, from int64) iter.Seq2[Placed[T], error] {
	return func(yield func(Placed[T], error) bool) {
		for line, err := range lines(path, from) {
			if IsTorn(err) {
				return
			}
			var p Placed[T]
			if err == nil {
				p.At = Span{line.Offset, line.Offset + line.Size}
				p.Row, err = decode[T](path, line)
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// ReadSpan reads the rows of a file of JSON lines within spans, one after the other.
func ReadSpan[T any](path string, spans ...Span) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, s := range spans {
			if s.From >= s.To {
				continue
			}
			for p, err := range Scan[T](path, s.From) {
				if err == nil && p.At.From >= s.To {
					break
				}
				if !yield(p.Row, err) || err != nil {
					return
				}
			}
		}
	}
}

// openAt opens a file to be read from an offset on.
func openAt(path string, offset int64) (*os.File, error) {
	f, err := os.Open(path)
	if err == nil && offset > 0 {
		if _, err = f.Seek(offset, io.SeekStart); err != nil {
			f.Close()
		}
	}
	return f, err
}
