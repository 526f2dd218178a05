package finetune

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// spool is a temporary file of records, each with its length before it. Its name is gone as soon as
// it is open, where the system can do that, so that nothing is left behind even by a killed process.
type spool struct {
	file *os.File
	w    *bufio.Writer
	size int64
	name string // to remove at the end; empty if it is gone
}

const spoolBuffer = 1 << 20

func newSpool(dir string) (*spool, error) {
	f, err := os.CreateTemp(dir, ".parley-build-*")
	if err != nil {
		return nil, fmt.Errorf("create a temporary file for the examples: %w", err)
	}
	s := &spool{file: f, w: bufio.NewWriterSize(f, spoolBuffer)}
	if os.Remove(f.Name()) != nil {
		s.name = f.Name()
	}
	return s, nil
}

// append writes a record and returns where it lies.
func (s *spool) append(record []byte) (at int64, err error) {
	var head [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(head[:], uint64(len(record)))
	at = s.size
	if _, err = s.w.Write(head[:n]); err == nil {
		_, err = s.w.Write(record)
	}
	if err != nil {
		return 0, fmt.Errorf("write the temporary file of examples: %w", err)
	}
	s.size += int64(n + len(record))
	return at, nil
}

// raw writes bytes without a head.
func (s *spool) raw(data []byte) error {
	if _, err := s.w.Write(data); err != nil {
		return fmt.Errorf("write the temporary file of examples: %w", err)
	}
	s.size += int64(len(data))
	return nil
}

// flush has to be called between the last append and the first read.
func (s *spool) flush() error {
	if err := s.w.Flush(); err != nil {
		return fmt.Errorf("write the temporary file of examples: %w", err)
	}
	return nil
}

func (s *spool) close() error {
	err := s.file.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	if s.name != "" {
		err = errors.Join(err, os.Remove(s.name))
	}
	return err
}

// reader reads records at rising places.
type reader struct {
	r  *bufio.Reader
	at int64
}

// reader may be called by several goroutines, a reader used by one.
func (s *spool) reader() *reader {
	return &reader{r: bufio.NewReaderSize(io.NewSectionReader(s.file, 0, s.size), spoolBuffer)}
}

// record reads the record that lies at a place, not before where the last one ended.
func (r *reader) record(at int64) ([]byte, error) {
	for r.at < at {
		n, err := r.r.Discard(int(min(at-r.at, math.MaxInt32)))
		r.at += int64(n)
		if err != nil {
			return nil, broken(err)
		}
	}
	size, err := binary.ReadUvarint(r.r)
	if err != nil {
		return nil, broken(err)
	}
	if size > math.MaxInt32 {
		return nil, broken(errors.New("a record is too large"))
	}
	record := make([]byte, size)
	if _, err := io.ReadFull(r.r, record); err != nil {
		return nil, broken(err)
	}
	var head [binary.MaxVarintLen64]byte
	r.at = at + int64(binary.PutUvarint(head[:], size)) + int64(size)
	return record, nil
}

// one reads a single record, wherever it lies.
func (s *spool) one(at int64) ([]byte, error) {
	r := &reader{r: bufio.NewReader(io.NewSectionReader(s.file, at, s.size-at)), at: at}
	return r.record(at)
}

func broken(err error) error {
	return fmt.Errorf("read the temporary file of examples: %w", err)
}

// encode appends an example to a record.
func encode(dst []byte, x *Example) []byte {
	str := func(s string) {
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		dst = append(dst, s...)
	}
	for _, s := range []string{x.ID, string(x.Task), x.Group, x.Scenario, string(x.Split), x.Source, x.Model, x.Rejected, x.Body} {
		str(s)
	}
	for _, list := range [][]Message{x.Prompt, x.Completion} {
		dst = binary.AppendUvarint(dst, uint64(len(list)))
		for i := range list {
			str(string(list[i].Role))
			str(list[i].Content)
		}
	}
	dst = binary.AppendUvarint(dst, uint64(len(x.Labels)))
	for _, l := range x.Labels {
		str(l)
	}
	if x.Score == nil {
		return append(dst, 0)
	}
	return binary.LittleEndian.AppendUint64(append(dst, 1), math.Float64bits(*x.Score))
}

var errRecord = errors.New("read the temporary file of examples: a record is damaged")

// decode reads an example's record. The example's strings share the record's memory.
func decode(record []byte) (x Example, err error) {
	rest := string(record)
	number := func() int {
		for shift, n := 0, uint64(0); shift < 63 && shift/7 < len(rest); shift += 7 {
			c := rest[shift/7]
			if n |= uint64(c&0x7f) << shift; c < 0x80 {
				rest = rest[shift/7+1:]
				if n > uint64(len(rest)) { // a length, or a number of things of a byte or more
					break
				}
				return int(n)
			}
		}
		err, rest = errRecord, ""
		return 0
	}
	str := func() string {
		n := number()
		s := rest[:n]
		rest = rest[n:]
		return s
	}
	messages := func() []Message {
		n := number()
		if n == 0 {
			return nil
		}
		list := make([]Message, 0, min(n, 1<<10))
		for range n {
			if err != nil {
				return nil
			}
			role := Role(str())
			list = append(list, Message{Role: role, Content: str()})
		}
		return list
	}
	x.ID, x.Task, x.Group, x.Scenario = str(), Task(str()), str(), str()
	x.Split, x.Source, x.Model, x.Rejected, x.Body = Split(str()), str(), str(), str(), str()
	x.Prompt, x.Completion = messages(), messages()
	for n := number(); n > 0 && err == nil; n-- {
		x.Labels = append(x.Labels, str())
	}
	switch {
	case err != nil:
		return Example{}, err
	case rest == "\x00":
	case len(rest) == 9 && rest[0] == 1:
		score := math.Float64frombits(binary.LittleEndian.Uint64([]byte(rest[1:])))
		x.Score = &score
	default:
		return Example{}, errRecord
	}
	return x, nil
}
