package gguf

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxHeader is the longest header that safetensors allows.
const maxHeader = 100_000_000

// dtypes are the types of safetensors and their bytes. Three of them are weights here.
var dtypes = map[string]int64{
	"BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2,
	"I32": 4, "U32": 4, "F32": 4, "F64": 8, "I64": 8, "U64": 8,
}

// Stored is a tensor in a safetensors file.
type Stored struct {
	Name  string
	DType string   // such as F32, F16 or BF16
	Shape []uint64 // rows first: the other way round than a GGUF's
	at    int64    // of its first byte within the file
	size  int64
	r     io.ReaderAt
	file  string
}

// count is how many numbers it has.
func (s *Stored) count() int64 { return s.size / dtypes[s.DType] }

// weights are the types of safetensors whose numbers are read as weights.
var weights = map[string]Type{"F32": F32, "F16": F16, "BF16": BF16}

// check says whether its numbers can be read as weights.
func (s *Stored) check() error {
	if _, ok := weights[s.DType]; !ok {
		return fmt.Errorf("%s: tensor %q is of type %s, where F32, F16 or BF16 is wanted: save the model unquantised", s.file, s.Name, s.DType)
	}
	return nil
}

// read reads len(to) numbers from the given one on, over a buffer that it returns for the next time.
func (s *Stored) read(to []float32, from int64, buf []byte) ([]byte, error) {
	if err := s.check(); err != nil {
		return buf, err
	}
	w := dtypes[s.DType]
	buf = slices.Grow(buf[:0], int(w)*len(to))[:int(w)*len(to)]
	if _, err := s.r.ReadAt(buf, s.at+from*w); err != nil {
		return buf, fmt.Errorf("read %s: %w", s.file, err)
	}
	readNumbers(to, buf, weights[s.DType])
	return buf, nil
}

// ReadSafetensors reads the header of a safetensors file of size bytes: its tensors in the order of
// their data. It compares the header with the file as the format demands: places that fit the shapes,
// follow each other without a gap and end with the file.
func ReadSafetensors(r io.ReaderAt, size int64, name string) ([]Stored, error) {
	bad := func(format string, args ...any) ([]Stored, error) {
		return nil, fmt.Errorf("%s: %w", name, fmt.Errorf(format, args...))
	}
	var raw [8]byte
	if size < 8 {
		return bad("is no safetensors file: it has %d bytes", size)
	}
	if _, err := r.ReadAt(raw[:], 0); err != nil {
		return bad("read: %w", err)
	}
	n := binary.LittleEndian.Uint64(raw[:])
	if n > maxHeader || n > uint64(size-8) {
		return bad("is no safetensors file, or was cut short: its header would have %d bytes", n)
	}
	header := make([]byte, n)
	if _, err := r.ReadAt(header, 8); err != nil {
		return bad("read: %w", err)
	}
	list, err := parseHeader(header)
	if err != nil {
		return bad("the header of the safetensors file: %w", err)
	}
	slices.SortFunc(list, func(a, b Stored) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.size, b.size)) })
	end := int64(0)
	for i := range list {
		s := &list[i]
		if s.at != end {
			return bad("tensor %q begins at %d, where %d is due", s.Name, s.at, end)
		}
		if s.size > size-8-int64(n)-end {
			return bad("tensor %q goes beyond the end of the file: it was cut short", s.Name)
		}
		end += s.size
		s.at += 8 + int64(n)
		s.r, s.file = r, name
	}
	if end != size-8-int64(n) {
		return bad("has %d bytes that belong to no tensor", size-8-int64(n)-end)
	}
	return list, nil
}

// parseHeader reads the JSON of a header.
func parseHeader(header []byte) ([]Stored, error) {
	var entries map[string]jsontext.Value
	if err := json.Unmarshal(header, &entries); err != nil {
		return nil, fmt.Errorf("is no JSON object of tensors, each there once: %w", err)
	}
	delete(entries, "__metadata__")
	var list []Stored
	for name, entry := range entries {
		var t struct {
			DType   string    `json:"dtype"`
			Shape   []uint64  `json:"shape"`
			Offsets *[2]int64 `json:"data_offsets"`
		}
		if err := json.Unmarshal(entry, &t); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		size := uint64(dtypes[t.DType])
		if size == 0 {
			return nil, fmt.Errorf("tensor %q is of type %q, which is none", name, t.DType)
		}
		for _, d := range t.Shape {
			var over uint64
			if over, size = bits.Mul64(size, d); over > 0 {
				return nil, fmt.Errorf("tensor %q has the impossible shape %v", name, t.Shape)
			}
		}
		if t.Offsets == nil || t.Offsets[0] < 0 || t.Offsets[1] < t.Offsets[0] || uint64(t.Offsets[1]-t.Offsets[0]) != size {
			return nil, fmt.Errorf("tensor %q: the place %v does not fit %d bytes", name, t.Offsets, size)
		}
		list = append(list, Stored{Name: name, DType: t.DType, Shape: t.Shape, at: t.Offsets[0], size: int64(size)})
	}
	return list, nil
}

// Weights are the tensors of a directory, in one file or in several.
type Weights struct {
	tensors map[string]*Stored
	files   []*os.File
}

// openWeights opens the safetensors files NAME.safetensors, or those that NAME.safetensors.index.json
// lists, in a directory.
func openWeights(dir, name string) (w *Weights, err error) {
	w = &Weights{tensors: map[string]*Stored{}}
	defer func() {
		if err != nil {
			w.Close()
		}
	}()
	one := filepath.Join(dir, name+".safetensors")
	if _, err := os.Stat(one); err == nil {
		return w, w.add(one)
	}
	path := one + ".index.json"
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		if pickled, _ := filepath.Glob(filepath.Join(dir, "*_model.bin*")); len(pickled) > 0 {
			return w, fmt.Errorf("%s is a pickle that can run code and is not read here: save it with safe_serialization=True", pickled[0])
		}
		return w, fmt.Errorf("there is no %s.safetensors in %s, nor its index", name, dir)
	}
	if err != nil {
		return w, err
	}
	var index struct {
		Map map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(raw, &index); err != nil || len(index.Map) == 0 {
		return w, fmt.Errorf("%s lists not one tensor (%v)", path, err)
	}
	for _, shard := range slices.Compact(slices.Sorted(maps.Values(index.Map))) {
		if shard != filepath.Base(shard) || !strings.HasSuffix(shard, ".safetensors") {
			return w, fmt.Errorf("%s: %q is no file of the directory", path, shard)
		}
		if err := w.add(filepath.Join(dir, shard)); err != nil {
			return w, err
		}
	}
	for _, name := range w.names() {
		if s := w.tensors[name]; index.Map[name] != filepath.Base(s.file) {
			return w, fmt.Errorf("%s holds the tensor %q, which the index does not list there", s.file, name)
		}
	}
	for name, shard := range index.Map {
		if w.tensors[name] == nil {
			return w, fmt.Errorf("%s lacks the tensor %q that the index lists there", shard, name)
		}
	}
	return w, nil
}

// add reads a file.
func (w *Weights) add(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	w.files = append(w.files, f)
	info, err := f.Stat()
	if err != nil {
		return err
	}
	list, err := ReadSafetensors(f, info.Size(), path)
	for i := range list {
		if w.tensors[list[i].Name] != nil {
			return fmt.Errorf("%s holds the tensor %q, which another file holds too", path, list[i].Name)
		}
		w.tensors[list[i].Name] = &list[i]
	}
	return err
}

// Close closes the files.
func (w *Weights) Close() error {
	var err error
	for _, f := range w.files {
		err = errors.Join(err, f.Close())
	}
	return err
}

// names returns those of the tensors, sorted.
func (w *Weights) names() []string { return slices.Sorted(maps.Keys(w.tensors)) }
