// Package gguf reads and writes GGUF files, the format of llama.cpp and Ollama, and makes them of what
// trainers write: a LoRA adapter as PEFT keeps it, or a merged model as Hugging Face does.
//
// Servers and chat templates are elsewhere. Ollama's own fs/ggml and fs/gguf do not serve here: they allocate
// what a file claims before they look whether it is there, write no 8- and 16-bit metadata and no key of an
// unknown prefix, so that a base's metadata cannot be kept, and write to an *os.File only.
package gguf

import (
	"fmt"
	"math"
	"strings"
)

// Type is how the numbers of a tensor are kept, by GGUF's own numbers.
type Type uint32

// The types that are written here. Others are only read, and copied.
const (
	F32  Type = 0
	F16  Type = 1
	Q8_0 Type = 8 // blocks of 32 whole numbers of 8 bits, and a scale of 16
	BF16 Type = 30
)

// kinds are the types that there are: their names, the numbers of a block and its bytes.
var kinds = map[Type]struct {
	name         string
	block, bytes int64
}{
	F32: {"F32", 1, 4}, F16: {"F16", 1, 2}, 2: {"Q4_0", 32, 18}, 3: {"Q4_1", 32, 20},
	6: {"Q5_0", 32, 22}, 7: {"Q5_1", 32, 24}, Q8_0: {"Q8_0", 32, 34}, 9: {"Q8_1", 32, 40},
	10: {"Q2_K", 256, 84}, 11: {"Q3_K", 256, 110}, 12: {"Q4_K", 256, 144}, 13: {"Q5_K", 256, 176},
	14: {"Q6_K", 256, 210}, 15: {"Q8_K", 256, 292}, 16: {"IQ2_XXS", 256, 66}, 17: {"IQ2_XS", 256, 74},
	18: {"IQ3_XXS", 256, 98}, 19: {"IQ1_S", 256, 50}, 20: {"IQ4_NL", 32, 18}, 21: {"IQ3_S", 256, 110},
	22: {"IQ2_S", 256, 82}, 23: {"IQ4_XS", 256, 136}, 24: {"I8", 1, 1}, 25: {"I16", 1, 2}, 26: {"I32", 1, 4},
	27: {"I64", 1, 8}, 28: {"F64", 1, 8}, 29: {"IQ1_M", 256, 56}, BF16: {"BF16", 1, 2},
	34: {"TQ1_0", 256, 54}, 35: {"TQ2_0", 256, 66}, 39: {"MXFP4", 32, 17},
}

// String is the type's name in llama.cpp, such as Q4_1.
func (t Type) String() string {
	if k, ok := kinds[t]; ok {
		return k.name
	}
	return fmt.Sprintf("type %d", uint32(t))
}

// ParseType reads the name of a type that can be written: f32, f16 or q8_0.
func ParseType(name string) (Type, error) {
	for _, t := range []Type{F32, F16, Q8_0} {
		if strings.EqualFold(name, t.String()) {
			return t, nil
		}
	}
	return 0, fmt.Errorf("there is no type %q to write; take f32, f16 or q8_0", name)
}

// fileType returns general.file_type of a file whose matrices are of the type.
func (t Type) fileType() uint32 {
	return map[Type]uint32{F32: 0, F16: 1, Q8_0: 7}[t]
}

// Tensor is one entry of a file's table.
type Tensor struct {
	Name string
	Type Type
	// Shape goes from the fastest dimension to the slowest, the other way round than in Python: a
	// matrix of R rows and C columns is [C, R].
	Shape  []uint64
	Offset int64 // of its first byte within the data
}

// Count is how many numbers the tensor has. What is read or written here never overflows it.
func (t *Tensor) Count() int64 {
	n := int64(1)
	for _, d := range t.Shape {
		n *= int64(d)
	}
	return n
}

// Size is how many bytes the tensor has, or false where its type is not known.
func (t *Tensor) Size() (int64, bool) {
	k, ok := kinds[t.Type]
	if !ok {
		return 0, false
	}
	return t.Count() / k.block * k.bytes, true
}

// check says what is wrong with a tensor's shape and type.
func (t *Tensor) check() error {
	if len(t.Shape) == 0 || len(t.Shape) > 4 {
		return fmt.Errorf("tensor %q has %d dimensions, where 1 to 4 are possible", t.Name, len(t.Shape))
	}
	left := uint64(math.MaxInt64 / 16) // bytes fit as well, whatever the type
	for _, d := range t.Shape {
		if d == 0 || d > left {
			return fmt.Errorf("tensor %q has the impossible shape %v", t.Name, t.Shape)
		}
		left /= d
	}
	if k, ok := kinds[t.Type]; ok && int64(t.Shape[0])%k.block != 0 {
		return fmt.Errorf("tensor %q has rows of %d numbers, which %s cannot keep in blocks of %d", t.Name, t.Shape[0], t.Type, k.block)
	}
	return nil
}
