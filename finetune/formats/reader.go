package formats

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

const (
	longest = 64 << 20 // bytes of a row that are read
	chunk   = 1 << 20  // bytes that are read at once
)

// reader cuts a file into rows: lines, or the values of a JSON text when values is set, where a list
// around them all counts for nothing. It holds one row at a time.
type reader struct {
	in     *bufio.Reader
	values bool
	most   int
	buf    []byte
	at     int64 // line of the next byte, from 1
	bytes  int64 // read so far
	opened bool  // the list around all values has begun
	closed bool  // and ended
}

func newReader(in io.Reader, most int) *reader {
	return &reader{in: bufio.NewReaderSize(in, chunk), most: most, at: 1}
}

var mark = []byte("\xEF\xBB\xBF") // byte order mark

// bom passes a byte order mark and says whether there is one.
func (r *reader) bom() bool {
	head, _ := r.in.Peek(len(mark))
	if !bytes.Equal(head, mark) {
		return false
	}
	r.in.Discard(len(mark))
	r.bytes += int64(len(mark))
	return true
}

// starts says whether a byte is the first that is no white space.
func (r *reader) starts(c byte) bool {
	head, _ := r.in.Peek(chunk)
	head = bytes.TrimLeft(head, " \t\r\n")
	return len(head) > 0 && head[0] == c
}

// next returns a row and its line. It is valid until the next call. Of a row that is longer than most
// there is nothing but its length. The error is io.EOF at the end.
func (r *reader) next() (row []byte, line, length int64, err error) {
	if r.values {
		return r.nextValue()
	}
	line = r.at
	r.buf = r.buf[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		length += int64(len(part))
		r.bytes += int64(len(part))
		if errors.Is(err, bufio.ErrBufferFull) {
			if length <= int64(r.most) {
				r.buf = append(r.buf, part...)
			}
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, line, length, err
		}
		if length == 0 {
			return nil, line, 0, io.EOF
		}
		r.at++
		switch {
		case length > int64(r.most):
			row = nil
		case len(r.buf) > 0:
			r.buf = append(r.buf, part...)
			row = r.buf
		default:
			row = part
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(row, []byte("\n")), []byte("\r")), line, length, nil
	}
}

// nextValue returns the next value of a JSON text, whose inner lines do not matter.
func (r *reader) nextValue() (row []byte, line, length int64, err error) {
	c, err := r.gap()
	if err != nil {
		return nil, r.at, 0, err
	}
	line = r.at
	r.buf = r.buf[:0]
	depth, quoted, escaped := 0, false, false
	for {
		if length++; length <= int64(r.most) {
			r.buf = append(r.buf, c)
		}
		ends := false
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped = c == '\\'
			if quoted = c != '"'; !quoted {
				ends = depth == 0
			}
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
			ends = depth <= 0
		}
		if ends {
			break
		}
		if depth == 0 && !quoted { // a number or word ends where something else begins
			if after, _ := r.in.Peek(1); len(after) == 0 || bytes.IndexByte([]byte(" \t\r\n,]}[{\""), after[0]) >= 0 {
				break
			}
		}
		if c, err = r.byte(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, line, length, err
		}
	}
	if length > int64(r.most) {
		return nil, line, length, nil
	}
	return r.buf, line, length, nil
}

// gap passes what stands between two values, and returns the first byte of the next.
func (r *reader) gap() (byte, error) {
	for {
		c, err := r.byte()
		if err != nil {
			return 0, err
		}
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',':
		case c == '[' && !r.opened:
			r.opened = true
		case c == ']' && r.opened && !r.closed:
			r.closed = true
		default:
			r.opened = true
			return c, nil
		}
	}
}

func (r *reader) byte() (byte, error) {
	c, err := r.in.ReadByte()
	if err == nil {
		r.bytes++
		if c == '\n' {
			r.at++
		}
	}
	return c, err
}
