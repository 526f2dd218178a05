package gguf

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// CheckAdapter says whether a GGUF that is there already is an adapter for the base.
func (f *File) CheckAdapter(b *Base) []Check {
	if kind, of := f.Text("general.type"), f.Text("adapter.type"); kind != "adapter" || of != "lora" {
		return []Check{failed("adapter", "the file is a GGUF of the type %q and adapter type %q, and no LoRA adapter", kind, of)}
	}
	checks := []Check{passed("adapter", "a GGUF that is written as it is: that its queries and keys are in llama.cpp's order cannot be told")}
	checks[0].Verdict = Unknown
	if arch := f.Text("general.architecture"); arch != b.Arch {
		return append(checks, failed("architecture", "the adapter is for the architecture %s, and the base of %s", arch, b.Arch))
	}
	checks = append(checks, passed("architecture", "%s", b.Arch))
	if v, ok := f.Entry("adapter.lora.alpha"); !ok || v.Type != typeFloat32 {
		checks = append(checks, failed("lora_alpha", "the adapter has no adapter.lora.alpha of type float32"))
	} else {
		checks = append(checks, passed("lora_alpha", "%g", v.Value()))
	}
	n, wrong := len(f.Tensors), f.misfits(b)
	if wrong != nil || n == 0 {
		return append(checks, failed("shapes", "%d tensors; %s: is it the base that the adapter was trained from?", n, listed(wrong)))
	}
	return append(checks, passed("shapes", "%d pairs fit the base", n/2))
}

// misfits says which tensors of an adapter do not fit the base.
func (f *File) misfits(b *Base) (wrong []string) {
	for i := range f.Tensors {
		t := &f.Tensors[i]
		stem, half := t.Name, ""
		for _, end := range []string{".lora_a", ".lora_b"} {
			if before, ok := strings.CutSuffix(stem, end); ok && before != "" {
				stem, half = before, end
			}
		}
		want, other := b.shapes[stem], map[string]string{".lora_a": ".lora_b", ".lora_b": ".lora_a"}[half]
		mate, paired := f.Tensor(stem + other)
		switch {
		case half == "":
			wrong = append(wrong, fmt.Sprintf("%s is no lora_a or lora_b", t.Name))
		case want == nil:
			wrong = append(wrong, fmt.Sprintf("the base has no %s", stem))
		case !paired:
			wrong = append(wrong, fmt.Sprintf("%s has no %s", stem, other))
		case len(t.Shape) != 2 || len(want) != 2 || len(mate.Shape) != 2,
			half == ".lora_a" && (t.Shape[0] != want[0] || t.Shape[1] != mate.Shape[0]),
			half == ".lora_b" && t.Shape[1] != want[1]:
			wrong = append(wrong, fmt.Sprintf("%s of the shape %v does not fit the base's %v", t.Name, t.Shape, want))
		}
	}
	return wrong
}

// CheckModel says whether a GGUF that is there already is a model like the base, which may be nil.
func (f *File) CheckModel(b *Base) []Check {
	own, err := f.Base()
	if err != nil {
		return []Check{failed("model", "the file %v", err)}
	}
	if b == nil {
		return []Check{passed("model", "a GGUF of the architecture %s, which is served as it is", own.Arch)}
	}
	if own.Arch != b.Arch || own.Layers != b.Layers || own.Width != b.Width || own.Vocabulary != b.Vocabulary {
		return []Check{failed("model", "the file is a %s of %d layers, width %d and %d tokens, and the base a %s of %d, %d and %d: its template would be the wrong one",
			own.Arch, own.Layers, own.Width, own.Vocabulary, b.Arch, b.Layers, b.Width, b.Vocabulary)}
	}
	return []Check{passed("model", "a %s of %d layers, width %d and %d tokens, as the base", own.Arch, own.Layers, own.Width, own.Vocabulary)}
}

// exponents are the places of the two highest bytes of a number, or of a block's scale, and the exponent's bits in them.
var exponents = map[Type]struct {
	at   int
	bits uint16
}{F32: {2, 0x7f80}, BF16: {0, 0x7f80}, F16: {0, 0x7c00}, Q8_0: {0, 0x7c00}}

// CheckWeights reads all weights of the types F32, F16 and BF16 and the scales of Q8_0, and returns an error at the
// first that is infinite or not a number: its exponent has all bits set.
func (f *File) CheckWeights(ctx context.Context) error {
	for i := range f.Tensors {
		t := &f.Tensors[i]
		e, known := exponents[t.Type]
		if !known {
			continue
		}
		data, err := f.Bytes(t)
		if err != nil {
			return err
		}
		r, block := bufio.NewReaderSize(data, 1<<20), make([]byte, kinds[t.Type].bytes)
		for err = ctx.Err(); err == nil; _, err = io.ReadFull(r, block) {
			if binary.LittleEndian.Uint16(block[e.at:])&e.bits == e.bits {
				return fmt.Errorf("tensor %q holds a number that is infinite or NaN, which is no weight: the training went astray", t.Name)
			}
		}
		if err != io.EOF {
			return fmt.Errorf("read tensor %q: %w", t.Name, err)
		}
	}
	return nil
}
