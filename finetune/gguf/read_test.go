package gguf_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"parley/finetune/gguf"
)

func small(t testing.TB) []byte {
	return file(t, []gguf.KV{
		gguf.Text("general.architecture", "llama"), gguf.Uint32("general.alignment", 64), gguf.Float32("x", 1.5),
		gguf.Bool("yes", true), gguf.Texts("list", "a", "", "ü"), gguf.Int32s("numbers", -1, 7),
	}, []gguf.Source{zeros("a", gguf.F32, 3), zeros("b", gguf.Q8_0, 32, 2), zeros("c", 12, 256)})
}

// What is read and written again is the same, byte for byte.
func TestRoundTrip(t *testing.T) {
	raw := small(t)
	f := read(t, raw)
	if got := f.Texts("list"); !slices.Equal(got, []string{"a", "", "ü"}) || f.Text("general.architecture") != "llama" || f.Version != 3 || f.Data%64 != 0 {
		t.Errorf("got %q, version %d, data at %d", got, f.Version, f.Data)
	}
	for key, want := range map[string]any{"x": 1.5, "yes": true, "list": 3, "numbers": 2, "general.alignment": uint64(64)} {
		if v, ok := f.Entry(key); !ok || v.Value() != want {
			t.Errorf("%s: got %v, want %v", key, v.Value(), want)
		}
	}
	var again []gguf.Source
	for i := range f.Tensors {
		x := &f.Tensors[i]
		again = append(again, gguf.Source{Tensor: *x, Fill: func(_ context.Context, w io.Writer) error {
			_, err := w.Write(data(t, f, x.Name))
			return err
		}})
	}
	if got := file(t, f.KV, again); !bytes.Equal(got, raw) {
		t.Errorf("%d bytes became %d others", len(raw), len(got))
	}
	raw[4] = 2 // version 2 has the same layout
	if f := read(t, raw); f.Version != 2 || len(f.Tensors) != 3 {
		t.Errorf("version 2 was read as %d with %d tensors", f.Version, len(f.Tensors))
	}
}

func TestHostileFiles(t *testing.T) {
	le := binary.LittleEndian
	head := func(version uint32, tensors, entries uint64, rest ...byte) []byte {
		b := le.AppendUint32([]byte("GGUF"), version)
		b = le.AppendUint64(b, tensors)
		return append(le.AppendUint64(b, entries), rest...)
	}
	text := func(s string) []byte { return append(le.AppendUint64(nil, uint64(len(s))), s...) }
	entry := func(key string, kind uint32, raw ...byte) []byte {
		return slices.Concat(text(key), le.AppendUint32(nil, kind), raw)
	}
	tensor := func(name string, kind uint32, offset uint64, shape ...uint64) []byte {
		b := le.AppendUint32(text(name), uint32(len(shape)))
		for _, d := range shape {
			b = le.AppendUint64(b, d)
		}
		return le.AppendUint64(le.AppendUint32(b, kind), offset)
	}
	list := func(of uint32, n uint64) []byte { return le.AppendUint64(le.AppendUint32(nil, of), n) }
	pad := make([]byte, 256)
	tests := []struct {
		name string
		raw  []byte
		want string
	}{
		{"nothing", nil, "is no GGUF file"},
		{"another format", []byte("PK\x03\x04 and more"), "is no GGUF file"},
		{"head only", []byte("GGUF\x03\x00"), "cut short"},
		{"big-endian", []byte("GGUF\x00\x00\x00\x03" + string(pad)), "big-endian"},
		{"version 1", head(1, 0, 0, pad...), "version 1"},
		{"a trillion entries", head(3, 0, 1<<40, pad...), "more than its"},
		{"a trillion tensors", head(3, 1<<40, 0, pad...), "more than its"},
		{"a text longer than the file", head(3, 0, 1, slices.Concat(text("k"), le.AppendUint32(nil, 8), le.AppendUint64(nil, 1<<60), pad)...), "cut short"},
		{"a key longer than the file", head(3, 0, 1, append(le.AppendUint64(nil, 1<<62), pad...)...), "a name of"},
		{"an endless list", head(3, 0, 1, append(entry("k", 9, list(4, 1<<61)...), pad...)...), "cut short"},
		{"an endless list of texts", head(3, 0, 1, append(entry("k", 9, list(8, 1<<61)...), pad...)...), "cut short"},
		{"a list of lists", head(3, 0, 1, append(entry("k", 9, list(9, 1)...), pad...)...), "list of lists"},
		{"a value of no type", head(3, 0, 1, append(entry("k", 99), pad...)...), "type 99"},
		{"a list of no type", head(3, 0, 1, append(entry("k", 9, list(77, 0)...), pad...)...), "list of type 77"},
		{"a key twice", head(3, 0, 2, slices.Concat(entry("k", 7, 1), entry("k", 7, 0), pad)...), `"k" twice`},
		{"a tensor twice", head(3, 2, 0, slices.Concat(tensor("a", 0, 0, 1), tensor("a", 0, 32, 1), pad)...), `"a" twice`},
		{"five dimensions", head(3, 1, 0, append(tensor("a", 0, 0, 1, 1, 1, 1, 1), pad...)...), "dimensions"},
		{"no dimension", head(3, 1, 0, append(tensor("a", 0, 0), pad...)...), "dimensions"},
		{"an empty dimension", head(3, 1, 0, append(tensor("a", 0, 0, 4, 0), pad...)...), "impossible shape"},
		{"a shape that overflows", head(3, 1, 0, append(tensor("a", 0, 0, 1<<32, 1<<32), pad...)...), "impossible shape"},
		{"a row that is no block", head(3, 1, 0, append(tensor("a", 8, 0, 33), pad...)...), "blocks of 32"},
		{"beyond the end", head(3, 1, 0, append(tensor("a", 0, 0, 1<<20), pad...)...), "cut short"},
		{"an offset beyond the end", head(3, 1, 0, append(tensor("a", 0, 1<<40, 1), pad...)...), "cut short"},
		{"an offset beyond any end", head(3, 1, 0, append(tensor("a", 0, 1<<63, 1), pad...)...), "beyond the end"},
		{"an offset between", head(3, 1, 0, append(tensor("a", 0, 4, 1), pad...)...), "multiple of 32"},
		{"one within another", head(3, 2, 0, slices.Concat(tensor("a", 0, 0, 16), tensor("b", 0, 32, 1), pad)...), "within another"},
		{"an odd alignment", head(3, 0, 1, append(entry("general.alignment", 4, 3, 0, 0, 0), pad...)...), "multiple of 8"},
		{"an alignment of nothing", head(3, 0, 1, append(entry("general.alignment", 4, 0, 0, 0, 0), pad...)...), "multiple of 8"},
	}
	for _, tt := range tests {
		if _, err := gguf.Read(bytes.NewReader(tt.raw), int64(len(tt.raw))); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
	whole := small(t)
	for n := range whole[:len(whole)-144] { // the last tensor's data is the last 144 bytes
		if _, err := gguf.Read(bytes.NewReader(whole), int64(n)); err == nil {
			t.Fatalf("a file cut to %d of %d bytes was read", n, len(whole))
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	tests := []struct {
		entries []gguf.KV
		tensors []gguf.Source
		want    string
	}{
		{[]gguf.KV{gguf.Text("a", "x"), gguf.Text("a", "y")}, nil, "twice"},
		{nil, []gguf.Source{zeros("a", gguf.F32, 1), zeros("a", gguf.F32, 1)}, "twice"},
		{nil, []gguf.Source{zeros(strings.Repeat("n", 64), gguf.F32, 1)}, "63 bytes"},
		{nil, []gguf.Source{{Tensor: gguf.Tensor{Name: "a", Type: 200, Shape: []uint64{1}}}}, "not known"},
		{nil, []gguf.Source{{Tensor: gguf.Tensor{Name: "a", Shape: []uint64{2}}, Fill: zeros("", gguf.F32, 1).Fill}}, "4 bytes of its data are missing"},
		{nil, []gguf.Source{{Tensor: gguf.Tensor{Name: "a", Shape: []uint64{1}}, Fill: zeros("", gguf.F32, 2).Fill}}, "4 bytes longer"},
	}
	for _, tt := range tests {
		if err := gguf.Write(t.Context(), io.Discard, tt.entries, tt.tensors, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
}

func TestHostileSafetensors(t *testing.T) {
	st := func(header string, bytes int) []byte {
		return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), []byte(header), make([]byte, bytes))
	}
	tests := []struct {
		name string
		raw  []byte
		want string
	}{
		{"nothing", nil, "is no safetensors file"},
		{"a header longer than the file", binary.LittleEndian.AppendUint64(nil, 1<<50), "its header would have"},
		{"no JSON", st("hello", 0), "no JSON object"},
		{"a list", st("[]", 0), "no JSON object"},
		{"half a header", st(`{"a":`, 0), "tensor"},
		{"more than a header", st(`{} {}`, 0), "after top-level value"},
		{"a type of its own", st(`{"a":{"dtype":"F12","shape":[1],"data_offsets":[0,4]}}`, 4), "F12"},
		{"no place", st(`{"a":{"dtype":"F32","shape":[1]}}`, 4), "does not fit 4 bytes"},
		{"a place too long", st(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}}`, 8), "does not fit 4 bytes"},
		{"a place turned round", st(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[8,4]}}`, 8), "does not fit"},
		{"a negative place", st(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}}`, 8), "does not fit"},
		{"a shape that overflows", st(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, 0), "impossible shape"},
		{"a negative shape", st(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, 4), "tensor"},
		{"beyond the end", st(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 4), "cut short"},
		{"a gap", st(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8), "begins at 4"},
		{"one in another", st(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8), "begins at 4"},
		{"bytes of nobody", st(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 8), "belong to no tensor"},
		{"one twice", st(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8), "duplicate"},
	}
	for _, tt := range tests {
		if _, err := gguf.ReadSafetensors(bytes.NewReader(tt.raw), int64(len(tt.raw)), "x"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
	raw := safetensors(map[string]array{"a": noise(1, 2, 3), "b": noise(2, 4), "empty": noise(3, 0, 7)})
	got, err := gguf.ReadSafetensors(bytes.NewReader(raw), int64(len(raw)), "x")
	if err != nil || len(got) != 3 || fmt.Sprint(got[0].Name, got[0].Shape) != "a[2 3]" {
		t.Errorf("got %v, %v", got, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(small(f))
	f.Add([]byte("GGUF\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		x, err := gguf.Read(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			return
		}
		for i := range x.Tensors {
			if r, err := x.Bytes(&x.Tensors[i]); err == nil {
				if n, err := io.Copy(io.Discard, r); err != nil || n != r.Size() {
					t.Errorf("tensor %q has %d of %d bytes: %v", x.Tensors[i].Name, n, r.Size(), err)
				}
			}
		}
		for _, v := range x.KV {
			v.Value()
			x.Texts(v.Key)
		}
		x.Base()
	})
}

func FuzzSafetensors(f *testing.F) {
	f.Add(safetensors(map[string]array{"a": noise(1, 2, 3)}))
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, err := gguf.ReadSafetensors(bytes.NewReader(raw), int64(len(raw)), "x")
		if err != nil {
			return
		}
		for _, s := range list {
			if s.Name == "__metadata__" {
				t.Errorf("the metadata is no tensor")
			}
		}
	})
}
