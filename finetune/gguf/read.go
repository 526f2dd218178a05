package gguf

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// What a file may have at most. Real ones stay far below: a vocabulary of 256,000 takes 10 MB.
const (
	maxHead = 512 << 20 // bytes before the data
	maxName = 65535     // of a key or a tensor
)

// File is a GGUF file that was read: all but the tensors' data, which stays where it is.
type File struct {
	Version uint32
	KV      []KV
	Tensors []Tensor
	Data    int64 // where the tensors' data begins
	Size    int64 // of the whole file

	r      io.ReaderAt
	closer io.Closer
	key    map[string]int
	tensor map[string]int
}

// Open opens a file. Close it when its tensors' data is no longer wanted.
func Open(path string) (*File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := in.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("is not a regular file")
	}
	var f *File
	if err == nil {
		f, err = Read(in, info.Size())
	}
	if err != nil {
		in.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f.closer = in
	return f, nil
}

// Close closes the file that Open opened.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Read reads a file's head from r, which has size bytes. Nothing that the file claims makes it read
// or keep more than there is.
func Read(r io.ReaderAt, size int64) (*File, error) {
	d := newDecoder(r, min(size, maxHead))
	f := &File{r: r, Size: size, key: map[string]int{}, tensor: map[string]int{}}
	if magic := d.text(4); magic != "GGUF" {
		return nil, errors.New("is no GGUF file: it does not begin with GGUF")
	}
	f.Version = number[uint32](d)
	tensors, entries := number[uint64](d), number[uint64](d)
	switch {
	case d.err != nil:
		return nil, d.err
	case f.Version&0xffff == 0:
		return nil, errors.New("is a GGUF file of a big-endian machine, which is not read here")
	case f.Version != 2 && f.Version != 3:
		return nil, fmt.Errorf("is of GGUF's version %d, and 2 and 3 are read", f.Version)
	case entries > uint64(size)/13 || tensors > uint64(size)/24: // the least that each takes
		return nil, fmt.Errorf("claims %d entries and %d tensors, more than its %d bytes can hold", entries, tensors, size)
	}
	for i := range entries {
		v, err := d.entry()
		if err != nil {
			return nil, fmt.Errorf("metadata entry %d: %w", i+1, err)
		}
		if _, twice := f.key[v.Key]; twice {
			return nil, fmt.Errorf("has the metadata %q twice", v.Key)
		}
		f.key[v.Key] = len(f.KV)
		f.KV = append(f.KV, v)
	}
	for i := range tensors {
		t, err := d.tensor()
		if err != nil {
			return nil, fmt.Errorf("tensor %d: %w", i+1, err)
		}
		if _, twice := f.tensor[t.Name]; twice {
			return nil, fmt.Errorf("has the tensor %q twice", t.Name)
		}
		f.tensor[t.Name] = len(f.Tensors)
		f.Tensors = append(f.Tensors, t)
	}
	align, err := alignment(f.KV)
	if err != nil {
		return nil, err
	}
	f.Data = padded(d.at, align)
	return f, f.checkPlaces(align)
}

// checkPlaces compares the places of the tensors with the file: aligned, whole, none in another.
func (f *File) checkPlaces(align int64) error {
	order := make([]*Tensor, len(f.Tensors))
	for i := range f.Tensors {
		order[i] = &f.Tensors[i]
	}
	slices.SortStableFunc(order, func(a, b *Tensor) int { return cmp.Compare(a.Offset, b.Offset) })
	end := int64(0)
	for _, t := range order {
		size, _ := t.Size() // at least where it begins is known of every type
		switch {
		case t.Offset%align != 0:
			return fmt.Errorf("tensor %q begins at %d, which is no multiple of %d", t.Name, t.Offset, align)
		case t.Offset < end:
			return fmt.Errorf("tensor %q is within another", t.Name)
		case t.Offset > f.Size-f.Data || size > f.Size-f.Data-t.Offset:
			return fmt.Errorf("tensor %q goes beyond the end of the file: it was cut short", t.Name)
		}
		end = t.Offset + size
	}
	return nil
}

// alignment returns the bytes that the data and each tensor are aligned to.
func alignment(entries []KV) (int64, error) {
	for _, v := range entries {
		if v.Key == "general.alignment" {
			n, ok := v.Value().(uint64)
			if !ok || v.Type != typeUint32 || n == 0 || n%8 != 0 || n > 1<<20 {
				return 0, fmt.Errorf("general.alignment is %v, and has to be a multiple of 8", v.Value())
			}
			return int64(n), nil
		}
	}
	return 32, nil
}

func padded(n, align int64) int64 { return (n + align - 1) / align * align }

// decoder reads little-endian values from the first end bytes of a file, and keeps the first error.
type decoder struct {
	in      io.ReaderAt
	r       *bufio.Reader
	at, end int64
	err     error
}

func newDecoder(in io.ReaderAt, end int64) *decoder {
	return &decoder{in: in, r: bufio.NewReaderSize(io.NewSectionReader(in, 0, end), 64<<10), end: end}
}

// take reports whether n values of a width can follow, and counts their bytes.
func (d *decoder) take(n uint64, width int64) bool {
	if d.err == nil && n > uint64(d.end-d.at)/uint64(width) {
		d.err = fmt.Errorf("the head goes beyond the end of the file, or beyond %d MiB: it was cut short", maxHead>>20)
	}
	if d.err != nil {
		return false
	}
	d.at += int64(n) * width
	return true
}

// number reads a whole number.
func number[T uint32 | uint64](d *decoder) (v T) {
	if d.take(1, int64(binary.Size(v))) {
		d.err = binary.Read(d.r, binary.LittleEndian, &v)
	}
	return v
}

// text reads n bytes.
func (d *decoder) text(n uint64) string {
	if !d.take(n, 1) {
		return ""
	}
	raw := make([]byte, n)
	_, d.err = io.ReadFull(d.r, raw)
	return string(raw)
}

// skip passes over n values of a width.
func (d *decoder) skip(n uint64, width int64) {
	if d.take(n, width) {
		_, d.err = d.r.Discard(int(n) * int(width))
	}
}

func (d *decoder) name() string {
	n := number[uint64](d)
	if d.err == nil && n > maxName {
		d.err = fmt.Errorf("a name of %d bytes", n)
	}
	return d.text(n)
}

func (d *decoder) entry() (KV, error) {
	v := KV{Key: d.name(), Type: ValueType(number[uint32](d))}
	from := d.at
	d.value(v.Type, true)
	if d.err == nil {
		v.raw = make([]byte, d.at-from)
		_, d.err = d.in.ReadAt(v.raw, from)
	}
	if d.err != nil && v.Key != "" {
		return v, fmt.Errorf("%q: %w", v.Key, d.err)
	}
	return v, d.err
}

// value passes over a value.
func (d *decoder) value(t ValueType, list bool) {
	width := t.width()
	switch {
	case d.err != nil:
	case width > 0:
		d.skip(1, width)
	case t == typeText:
		d.skip(number[uint64](d), 1)
	case t == typeArray && !list:
		d.err = errors.New("a list of lists, which no reader takes")
	case t != typeArray:
		d.err = fmt.Errorf("a value of type %d, which is none", t)
	default:
		of, n := ValueType(number[uint32](d)), number[uint64](d)
		if width := of.width(); width > 0 {
			d.skip(n, width)
			return
		}
		if of != typeText && n == 0 && d.err == nil {
			d.err = fmt.Errorf("a list of type %d, which is none", of)
		}
		for i := uint64(0); i < n && d.err == nil; i++ {
			d.value(of, false)
		}
	}
}

func (d *decoder) tensor() (Tensor, error) {
	t := Tensor{Name: d.name()}
	n := number[uint32](d)
	if d.err == nil && n > 4 {
		return t, fmt.Errorf("%q: %d dimensions, where 1 to 4 are possible", t.Name, n)
	}
	for range n {
		t.Shape = append(t.Shape, number[uint64](d))
	}
	t.Type = Type(number[uint32](d))
	offset := number[uint64](d)
	if d.err != nil {
		return t, d.err
	}
	if offset > 1<<62 {
		return t, fmt.Errorf("%q: begins at %d, beyond the end of any file", t.Name, offset)
	}
	t.Offset = int64(offset)
	return t, t.check()
}

// Entry returns the metadata of a key.
func (f *File) Entry(key string) (KV, bool) {
	i, ok := f.key[key]
	if !ok {
		return KV{}, false
	}
	return f.KV[i], true
}

// Text returns the text of a key, empty where there is none.
func (f *File) Text(key string) string {
	if v, ok := f.Entry(key); ok && v.Type == typeText {
		return v.Value().(string)
	}
	return ""
}

// Texts returns the list of texts of a key, nil where there is none.
func (f *File) Texts(key string) []string {
	v, _ := f.Entry(key)
	return v.texts()
}

// Tensor returns the tensor of a name.
func (f *File) Tensor(name string) (*Tensor, bool) {
	i, ok := f.tensor[name]
	if !ok {
		return nil, false
	}
	return &f.Tensors[i], true
}

// Bytes returns a reader of a tensor's data.
func (f *File) Bytes(t *Tensor) (*io.SectionReader, error) {
	n, ok := t.Size()
	if !ok {
		return nil, fmt.Errorf("tensor %q is of %s, whose size is not known", t.Name, t.Type)
	}
	return io.NewSectionReader(f.r, f.Data+t.Offset, n), nil
}
