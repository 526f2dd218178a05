package logs

import (
	"bufio"
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
)

// Sort yields rows in order; equal ones keep theirs. It holds about limit bytes of rows in memory (0:
// 64 MiB), however many there are: more than that it sorts part by part into temporary files in a
// directory, as JSON lines, and merges them. Rows that went through a file are in the form in which
// Read yields them. The first error of the rows ends it.
func Sort[T any](rows iter.Seq2[T, error], compare func(a, b *T) int, limit int, dir string) iter.Seq2[T, error] {
	if limit <= 0 {
		limit = 64 << 20
	}
	return func(yield func(T, error) bool) {
		s := &sorter[T]{compare: compare, dir: cmp.Or(dir, os.TempDir())}
		defer func() { removeAll(s.files) }()
		if err := s.take(rows, limit); err != nil {
			var none T
			yield(none, err)
			return
		}
		if len(s.files) == 0 {
			for _, row := range s.rows {
				if !yield(*row, nil) {
					return
				}
			}
			return
		}
		for row, err := range s.merge(s.files) {
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

type sorter[T any] struct {
	compare func(a, b *T) int
	dir     string
	rows    []*T
	files   []string // sorted runs, in the order of the rows that are in them
	line    []byte
}

// take sorts all rows into memory or, where they do not fit, into files.
func (s *sorter[T]) take(rows iter.Seq2[T, error], limit int) error {
	size := 0
	for row, err := range rows {
		if err != nil {
			return err
		}
		s.rows = append(s.rows, &row)
		bytes, _ := measure(&row)
		if size += bytes + 16; size > limit {
			if err := s.flush(); err != nil {
				return err
			}
			size = 0
		}
	}
	if len(s.files) > 0 && len(s.rows) > 0 {
		return s.flush()
	}
	slices.SortStableFunc(s.rows, s.compare)
	return nil
}

// maxRuns limits how many files are open at once. Where there are more runs, they are merged into one.
const maxRuns = 200

// flush writes the rows in memory to a file as one more sorted run.
func (s *sorter[T]) flush() error {
	slices.SortStableFunc(s.rows, s.compare)
	err := s.write(func(yield func(*T, error) bool) {
		for _, row := range s.rows {
			if !yield(row, nil) {
				return
			}
		}
	})
	clear(s.rows)
	s.rows = s.rows[:0]
	if err == nil && len(s.files) == maxRuns {
		all := s.files
		s.files = nil
		err = s.write(func(yield func(*T, error) bool) {
			for row, err := range s.merge(all) {
				if !yield(&row, err) {
					return
				}
			}
		})
		removeAll(all)
	}
	return err
}

func (s *sorter[T]) write(rows iter.Seq2[*T, error]) error {
	f, err := createTemp(s.dir, "sort")
	if err != nil {
		return fmt.Errorf("sort: %w", err)
	}
	s.files = append(s.files, f.Name())
	w := bufio.NewWriterSize(f, 256<<10)
	for row, rowErr := range rows {
		if err = rowErr; err != nil {
			break
		}
		if s.line, err = AppendJSON(s.line[:0], row); err != nil {
			break
		}
		s.line = append(s.line, '\n')
		if _, err = w.Write(s.line); err != nil {
			break
		}
	}
	if err = errors.Join(err, w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("sort: %w", err)
	}
	return nil
}

func removeAll(files []string) {
	for _, f := range files {
		os.Remove(f)
	}
}

// merge yields the rows of sorted runs in order.
func (s *sorter[T]) merge(files []string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		h := runs[T]{compare: s.compare}
		var none T
		for i, path := range files {
			next, stop := iter.Pull2(Read[T](path))
			defer stop()
			row, err, ok := next()
			if err != nil {
				yield(none, err)
				return
			}
			if ok {
				h.heads = append(h.heads, head[T]{row, i, next})
			}
		}
		heap.Init(&h)
		for len(h.heads) > 0 {
			first := &h.heads[0]
			if !yield(first.row, nil) {
				return
			}
			row, err, ok := first.next()
			switch {
			case err != nil:
				yield(none, err)
				return
			case ok:
				first.row = row
				heap.Fix(&h, 0)
			default:
				heap.Pop(&h)
			}
		}
	}
}

// head is the first row of a run that was not yielded yet.
type head[T any] struct {
	row  T
	run  int
	next func() (T, error, bool)
}

// runs is a heap of them.
type runs[T any] struct {
	compare func(a, b *T) int
	heads   []head[T]
}

func (h *runs[T]) Len() int      { return len(h.heads) }
func (h *runs[T]) Swap(i, j int) { h.heads[i], h.heads[j] = h.heads[j], h.heads[i] }
func (h *runs[T]) Push(any)      { panic("a run is never added") }
func (h *runs[T]) Less(i, j int) bool {
	a, b := &h.heads[i], &h.heads[j]
	return cmp.Or(h.compare(&a.row, &b.row), a.run-b.run) < 0
}
func (h *runs[T]) Pop() any {
	last := len(h.heads) - 1
	h.heads = h.heads[:last]
	return nil
}
