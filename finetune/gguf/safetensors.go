package gguf

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// weights says whether its numbers can be read as weights.
func (s *Stored) weights() error {
	switch s.DType {
	case "F32", "F16", "BF16":
		return nil
	}
	return fmt.Errorf("%s: tensor %q is of type %s, where F32, F16 or BF16 is wanted: save the model unquantised", s.file, s.Name, s.DType)
}

// read reads len(to) numbers from the given one on, over a buffer that it returns for the next time.
func (s *Stored) read(to []float32, from int64, buf []byte) ([]byte, error) {
	if err := s.weights(); err != nil {
		return buf, err
	}
	w := dtypes[s.DType]
	n := int(w) * len(to)
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	if _, err := s.r.ReadAt(buf, s.at+from*w); err != nil {
		return buf, fmt.Errorf("read %s: %w", s.file, err)
	}
	le := binary.LittleEndian
	switch s.DType {
	case "F32":
		for i := range to {
			to[i] = math.Float32frombits(le.Uint32(buf[4*i:]))
		}
	case "F16":
		for i := range to {
			to[i] = half(le.Uint16(buf[2*i:]))
		}
	case "BF16":
		for i := range to {
			to[i] = math.Float32frombits(uint32(le.Uint16(buf[2*i:])) << 16)
		}
	}
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
	slices.SortStableFunc(list, func(a, b Stored) int { return cmp.Compare(a.at, b.at) })
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
	dec := json.NewDecoder(bytes.NewReader(header))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("is no JSON object")
	}
	var list []Stored
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		switch {
		case !ok || seen[name]:
			return nil, fmt.Errorf("%v is there twice", key)
		case name == "__metadata__":
			var about map[string]string
			if err := dec.Decode(&about); err != nil {
				return nil, fmt.Errorf("__metadata__: %w", err)
			}
			continue
		}
		seen[name] = true
		var t struct {
			DType   string    `json:"dtype"`
			Shape   []uint64  `json:"shape"`
			Offsets *[2]int64 `json:"data_offsets"`
		}
		if err := dec.Decode(&t); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		width := dtypes[t.DType]
		if width == 0 {
			return nil, fmt.Errorf("tensor %q is of type %q, which is none", name, t.DType)
		}
		bytes, left := width, int64(math.MaxInt64)/width
		for _, d := range t.Shape {
			if d > uint64(left) {
				return nil, fmt.Errorf("tensor %q has the impossible shape %v", name, t.Shape)
			}
			bytes *= int64(d)
			left /= int64(max(d, 1))
		}
		if t.Offsets == nil || t.Offsets[0] < 0 || t.Offsets[1]-t.Offsets[0] != bytes || t.Offsets[1] < t.Offsets[0] {
			return nil, fmt.Errorf("tensor %q: the place %v does not fit %d bytes", name, t.Offsets, bytes)
		}
		list = append(list, Stored{Name: name, DType: t.DType, Shape: t.Shape, at: t.Offsets[0], size: bytes})
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if rest := bytes.TrimSpace(header[dec.InputOffset():]); len(rest) > 0 {
		return nil, errors.New("goes on after its object")
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
func openWeights(dir, name string) (*Weights, error) {
	w := &Weights{tensors: map[string]*Stored{}}
	one := filepath.Join(dir, name+".safetensors")
	if _, err := os.Stat(one); err == nil {
		if err := w.add(one, nil); err != nil {
			w.Close()
			return nil, err
		}
		return w, nil
	}
	path := one + ".index.json"
	raw, err := readSmall(path, maxHeader)
	if errors.Is(err, os.ErrNotExist) {
		for _, pickled := range []string{"adapter_model.bin", "pytorch_model.bin", "pytorch_model.bin.index.json"} {
			if _, err := os.Stat(filepath.Join(dir, pickled)); err == nil {
				return nil, fmt.Errorf("%s holds %s, a pickle that can run code and is not read here: save it with safe_serialization=True", dir, pickled)
			}
		}
		return nil, fmt.Errorf("there is no %s.safetensors in %s, nor its index", name, dir)
	}
	if err != nil {
		return nil, err
	}
	var index struct {
		Map map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(raw, &index); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	shards := map[string]map[string]bool{}
	for tensor, shard := range index.Map {
		if shard != filepath.Base(shard) || !strings.HasSuffix(shard, ".safetensors") {
			return nil, fmt.Errorf("%s: %q is no file of the directory", path, shard)
		}
		if shards[shard] == nil {
			shards[shard] = map[string]bool{}
		}
		shards[shard][tensor] = true
	}
	if len(shards) == 0 {
		return nil, fmt.Errorf("%s lists not one tensor", path)
	}
	for _, shard := range slices.Sorted(maps.Keys(shards)) {
		if err := w.add(filepath.Join(dir, shard), shards[shard]); err != nil {
			w.Close()
			return nil, err
		}
	}
	return w, nil
}

// add reads a file, which has to hold what the index says where there is one.
func (w *Weights) add(path string, listed map[string]bool) error {
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
	if err != nil {
		return err
	}
	for i := range list {
		s := &list[i]
		if listed != nil && !listed[s.Name] || w.tensors[s.Name] != nil {
			return fmt.Errorf("%s holds the tensor %q, which the index does not list there", path, s.Name)
		}
		delete(listed, s.Name)
		w.tensors[s.Name] = s
	}
	for name := range listed {
		return fmt.Errorf("%s lacks the tensor %q that the index lists there", path, name)
	}
	return nil
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

// readSmall reads a file that is no longer than the limit.
func readSmall(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if int64(len(raw)) > limit {
		return nil, fmt.Errorf("%s is longer than %d bytes, which none of its kind is", path, limit)
	}
	return raw, nil
}
