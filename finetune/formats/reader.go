package formats

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

const (
	longest = 64 << 20 // bytes of a row that are read
	chunk   = 1 << 20  // bytes that are read at once
)

// row is a row as it is in a file.
type row struct {
	raw  []byte // valid until the next row is read; nil if it is longer than the most that is read
	line int64  // where it begins
	size int64  // bytes
}

// reader reads a file row by row. It holds one row at a time.
type reader struct {
	in    *bufio.Reader
	most  int // bytes of a row
	bytes int64
	buf   []byte
	line  int64 // that is read next

	values *json.Decoder // of a file of values; nil: rows are lines
	list   bool          // the values are one list
	lines  *lineFinder
}

func newReader(in io.Reader, most int) *reader {
	return &reader{in: bufio.NewReaderSize(in, chunk), most: most, line: 1}
}

var mark = []byte("\xEF\xBB\xBF") // byte order mark

// bom passes a byte order mark and says whether there is one.
func (r *reader) bom() bool {
	head, _ := r.in.Peek(len(mark))
	there := bytes.Equal(head, mark)
	if there {
		r.in.Discard(len(mark))
		r.bytes += int64(len(mark))
	}
	return there
}

// isList says whether the file is one JSON list: it begins with a bracket, and its first line is not a
// whole row with others after it.
func (r *reader) isList() bool {
	head, _ := r.in.Peek(chunk)
	head = bytes.TrimLeft(head, " \t\r\n")
	first, rest, _ := bytes.Cut(head, []byte("\n"))
	return bytes.HasPrefix(head, []byte("[")) && !(json.Valid(first) && len(bytes.TrimSpace(rest)) > 0)
}

// asValues makes the reader read JSON values instead of lines.
func (r *reader) asValues(list bool) {
	r.lines = &lineFinder{in: r.in, most: int64(r.most) + 2*chunk, line: 1}
	r.values = json.NewDecoder(r.lines)
	if r.list = list; list {
		r.values.Token()
	}
}

// next returns the next row. The error is io.EOF at the end, and errRest if what follows cannot be read.
func (r *reader) next() (row, error) {
	if r.values != nil {
		return r.nextValue()
	}
	out := row{line: r.line}
	r.buf = r.buf[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		out.size += int64(len(part))
		if out.size <= int64(r.most) {
			r.buf = append(r.buf, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && (!errors.Is(err, io.EOF) || out.size == 0) {
			return out, err
		}
		break
	}
	r.line++
	r.bytes += out.size
	if out.size <= int64(r.most) {
		out.raw = bytes.TrimSuffix(bytes.TrimSuffix(r.buf, []byte("\n")), []byte("\r"))
	}
	return out, nil
}

// errRest says that a value cannot be read, and so nothing after it.
var errRest = errors.New("the rest of the file cannot be read")

// nextValue returns the next value of a file of JSON values. A broken one is returned with errRest.
func (r *reader) nextValue() (row, error) {
	var raw json.RawMessage
	before := r.values.InputOffset()
	if r.list && !r.values.More() {
		if _, err := r.values.Token(); err == nil {
			return r.rest(true)
		}
		return r.rest(false)
	}
	err := r.values.Decode(&raw)
	r.bytes = r.values.InputOffset()
	switch {
	case err == nil:
		return row{raw: raw, line: r.lines.at(r.bytes - int64(len(raw))), size: int64(len(raw))}, nil
	case errors.Is(err, io.EOF) && !r.list:
		return row{}, io.EOF
	case errors.Is(err, errLong):
		return row{line: r.lines.at(before), size: r.lines.read - before}, errRest
	}
	return r.rest(false)
}

// rest returns what cannot be read as a row, with errRest. After the end of a list there may be
// nothing.
func (r *reader) rest(ended bool) (row, error) {
	r.bytes = r.values.InputOffset()
	rest, err := io.ReadAll(io.LimitReader(io.MultiReader(r.values.Buffered(), r.lines), chunk))
	if err != nil && !errors.Is(err, errLong) {
		return row{line: r.lines.line}, err
	}
	broken := bytes.TrimLeft(rest, ", \t\r\n")
	line := r.lines.at(r.bytes + int64(len(rest)-len(broken)))
	switch {
	case len(broken) == 0 && ended:
		return row{}, io.EOF
	case len(broken) == 0:
		broken = []byte("[") // which has no end
	}
	return row{raw: broken, line: line, size: int64(len(broken))}, errRest
}

var errLong = errors.New("a value is too long")

// lineFinder counts the lines of what is read through it.
type lineFinder struct {
	in   io.Reader
	most int64   // bytes that are read after the last offset asked for
	read int64   // bytes
	ends []int64 // offsets of line ends that were read and not yet counted
	last int64   // offset asked for
	line int64   // of it
}

func (l *lineFinder) Read(b []byte) (int, error) {
	if l.read-l.last > l.most {
		return 0, errLong
	}
	n, err := l.in.Read(b)
	for i, c := range b[:n] {
		if c == '\n' {
			l.ends = append(l.ends, l.read+int64(i))
		}
	}
	l.read += int64(n)
	return n, err
}

// at returns the line of an offset, which must not be before the last one asked for.
func (l *lineFinder) at(offset int64) int64 {
	n := 0
	for n < len(l.ends) && l.ends[n] < offset {
		n++
	}
	l.ends, l.last, l.line = l.ends[n:], offset, l.line+int64(n)
	return l.line
}
