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
	head := min(size, maxHead)
	d := &decoder{r: bufio.NewReaderSize(io.NewSectionReader(r, 0, head), 64<<10), left: head, capped: head < size}
	f := &File{r: r, Size: size, key: map[string]int{}, tensor: map[string]int{}}
	if magic := d.bytes(nil, 4); d.err != nil || string(magic) != "GGUF" {
		return nil, errors.New("is no GGUF file: it does not begin with GGUF")
	}
	f.Version = d.uint32()
	tensors, entries := d.uint64(), d.uint64()
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
	f.Data = padded(head-d.left, align)
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

// decoder reads little-endian values and keeps the first error.
type decoder struct {
	r      *bufio.Reader
	left   int64
	capped bool // what is left is less than the file has
	err    error
	small  [8]byte
}

func (d *decoder) fail() {
	if d.err == nil {
		d.err = errors.New("the file ends within its head: it was cut short")
		if d.capped {
			d.err = fmt.Errorf("the metadata takes more than %d MiB", maxHead>>20)
		}
	}
}

// bytes reads n bytes and appends them.
func (d *decoder) bytes(to []byte, n uint64) []byte {
	if d.err != nil || n > uint64(d.left) {
		d.fail()
		return to
	}
	d.left -= int64(n)
	for n > 0 { // in pieces: a size that the file claims is not trusted with memory
		piece := min(n, 1<<20)
		start := len(to)
		to = append(to, make([]byte, piece)...)
		if _, err := io.ReadFull(d.r, to[start:]); err != nil {
			d.err = fmt.Errorf("read: %w", err)
			return to
		}
		n -= piece
	}
	return to
}

func (d *decoder) uint32() uint32 {
	b := d.bytes(d.small[:0], 4)
	if d.err != nil {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

func (d *decoder) uint64() uint64 {
	b := d.bytes(d.small[:0], 8)
	if d.err != nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

func (d *decoder) name() string {
	n := d.uint64()
	if d.err == nil && n > maxName {
		d.err = fmt.Errorf("a name of %d bytes", n)
	}
	return string(d.bytes(nil, n))
}

func (d *decoder) entry() (KV, error) {
	v := KV{Key: d.name(), Type: ValueType(d.uint32())}
	if d.err == nil {
		v.raw = d.value(v.raw, v.Type, true)
	}
	if d.err != nil && v.Key != "" {
		return v, fmt.Errorf("%q: %w", v.Key, d.err)
	}
	return v, d.err
}

// value appends a value's bytes.
func (d *decoder) value(to []byte, t ValueType, list bool) []byte {
	if w := t.width(); w > 0 {
		return d.bytes(to, uint64(w))
	}
	switch {
	case t == typeText:
		n := d.uint64()
		return d.bytes(binary.LittleEndian.AppendUint64(to, n), n)
	case t != typeArray || !list:
		if d.err == nil {
			d.err = fmt.Errorf("a value of type %d, which is none", t)
			if t == typeArray {
				d.err = errors.New("a list of lists, which no reader takes")
			}
		}
		return to
	}
	of, n := ValueType(d.uint32()), d.uint64()
	to = binary.LittleEndian.AppendUint32(to, uint32(of))
	to = binary.LittleEndian.AppendUint64(to, n)
	if d.err == nil && n > uint64(d.left) { // of one byte each at least
		d.fail()
	}
	if w := of.width(); w > 0 && d.err == nil {
		if n > uint64(d.left)/uint64(w) {
			d.fail()
			return to
		}
		return d.bytes(to, n*uint64(w))
	}
	for i := uint64(0); i < n && d.err == nil; i++ {
		to = d.value(to, of, false)
	}
	if n == 0 && of != typeText && of.width() == 0 && d.err == nil {
		d.err = fmt.Errorf("a list of type %d, which is none", of)
	}
	return to
}

func (d *decoder) tensor() (Tensor, error) {
	t := Tensor{Name: d.name()}
	n := d.uint32()
	if d.err == nil && n > 4 {
		return t, fmt.Errorf("%q: %d dimensions, where 1 to 4 are possible", t.Name, n)
	}
	for range n {
		t.Shape = append(t.Shape, d.uint64())
	}
	t.Type = Type(d.uint32())
	offset := d.uint64()
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
