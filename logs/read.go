package logs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// Torn says that a file ends in the middle of a line, as a writer leaves it that was killed. All
// lines before it are complete.
type Torn struct {
	Path   string
	Line   int   // 1, 2 ...: of the torn line
	Offset int64 // where it begins
	Size   int64 // bytes that there are of it
}

func (e *Torn) Error() string {
	return fmt.Sprintf("%s:%d: the last line is torn after %d bytes, as its writer was stopped", e.Path, e.Line, e.Size)
}

// IsTorn reports whether an error means no more than a torn last line.
func IsTorn(err error) bool {
	var torn *Torn
	return errors.As(err, &torn)
}

// Line is one line of a file.
type Line struct {
	Number int    // 1, 2 ...
	Offset int64  // where it begins
	Size   int64  // bytes, its line end included
	Data   []byte // without its line end; valid until the next line is read
}

// Lines reads the lines of a file that are not blank. A last line without a line end comes as a *Torn
// after the others, even if it looks complete; a line longer than MaxLine is an error.
func Lines(path string) iter.Seq2[Line, error] { return lines(path, 0) }

// lines reads the lines from an offset on. They are counted from there.
func lines(path string, offset int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		f, err := openAt(path, offset)
		if err != nil {
			yield(Line{}, fmt.Errorf("read the journal: %w", err))
			return
		}
		defer f.Close()
		scan(path, f, offset, yield)
	}
}

func scan(path string, from io.Reader, offset int64, yield func(Line, error) bool) {
	r := bufio.NewReaderSize(from, 256<<10)
	var long []byte // a line that is longer than r's buffer
	for number := 1; ; number++ {
		data, err := r.ReadSlice('\n')
		size := int64(len(data))
		if err == bufio.ErrBufferFull {
			long = append(long[:0], data...)
			for err == bufio.ErrBufferFull {
				data, err = r.ReadSlice('\n')
				size += int64(len(data))
				if size <= MaxLine {
					long = append(long, data...)
				}
			}
			data = long
		}
		switch {
		case err == io.EOF && size == 0:
			return
		case err == io.EOF:
			yield(Line{}, &Torn{path, number, offset, size})
			return
		case err != nil:
			yield(Line{}, fmt.Errorf("%s:%d: %w", path, number, err))
			return
		case size > MaxLine:
			yield(Line{}, fmt.Errorf("%s:%d: the line is longer than %d MiB", path, number, MaxLine>>20))
			return
		}
		if data = bytes.TrimRight(data, "\r\n"); len(bytes.TrimSpace(data)) > 0 {
			if !yield(Line{number, offset, size, data}, nil) {
				return
			}
		}
		offset += size
	}
}

// Read reads the rows of a file of JSON lines. A line that does not hold a row is an error that names
// it, and ends the reading; a torn last line comes as a *Torn after the rows. Fields that the type
// does not know are passed over.
func Read[T any](path string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		for line, err := range Lines(path) {
			if err != nil {
				yield(none, err)
				return
			}
			row, err := decode[T](path, line)
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

func decode[T any](path string, line Line) (row T, err error) {
	if err := parseJSON(line.Data, &row); err != nil {
		var none T
		return none, fmt.Errorf("%s:%d: the line holds no whole row: %w", path, line.Number, err)
	}
	normalize(&row, inMicroseconds)
	return row, nil
}

// Repair cuts a torn last line off a file and returns how many bytes went.
func Repair(path string) (cut int64, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, fmt.Errorf("repair the journal: %w", err)
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	end := size
	block := make([]byte, 64<<10)
	for err == nil && end > 0 {
		b := block[:min(int64(len(block)), end)]
		if _, err = f.ReadAt(b, end-int64(len(b))); err != nil {
			break
		}
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			end -= int64(len(b) - i - 1)
			break
		}
		end -= int64(len(b))
	}
	if err == nil && end < size {
		if err = f.Truncate(end); err == nil {
			err = f.Sync()
		}
	}
	if err != nil {
		return 0, fmt.Errorf("repair the journal: %w", err)
	}
	return size - end, nil
}

// Filter rewrites a file of JSON lines without the rows that are not to be kept, and without a torn
// last line, which counts as dropped. The lines that stay keep their bytes. The file is replaced whole
// or not at all, and left alone when all is kept. Nothing else may write it meanwhile.
func Filter[T any](path string, keep func(*T) bool) (kept, dropped int, err error) {
	type span struct{ from, to int64 }
	var stay []span
	for line, err := range Lines(path) {
		if IsTorn(err) {
			dropped++
			break
		}
		if err != nil {
			return 0, 0, err
		}
		row, err := decode[T](path, line)
		if err != nil {
			return 0, 0, err
		}
		if !keep(&row) {
			dropped++
			continue
		}
		kept++
		if n := len(stay); n > 0 && stay[n-1].to == line.Offset {
			stay[n-1].to += line.Size
		} else {
			stay = append(stay, span{line.Offset, line.Offset + line.Size})
		}
	}
	if dropped == 0 {
		return kept, 0, nil
	}
	err = replace(path, func(f *os.File) error {
		old, err := os.Open(path)
		if err != nil {
			return err
		}
		defer old.Close()
		for _, s := range stay {
			if _, err := io.Copy(f, io.NewSectionReader(old, s.from, s.to-s.from)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	return kept, dropped, nil
}
