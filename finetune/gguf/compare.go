package gguf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Compare compares the weights of a Hugging Face directory with the base's file, tensor by tensor: is
// it the model that the adapter was trained from? Of a quantised base only what it kept well can be
// compared: F32 to the bit, such as all norms of any file, F16, BF16 and Q8_0 within their rounding.
func (b *Base) Compare(ctx context.Context, dir string) (Check, error) {
	const name = "base weights"
	l, arch := checkArchitecture(b)
	if l == nil {
		return arch, nil
	}
	if b.file == nil {
		return failed(name, "the base's GGUF cannot be read here: give it with --base-gguf FILE"), nil
	}
	w, err := openWeights(dir, "model")
	if err != nil {
		return failed(name, "%v", err), nil
	}
	defer w.Close()
	compared, skipped := 0, 0
	var differ []string
	for i := range b.file.Tensors {
		t := &b.file.Tensors[i]
		theirs, kind, ok := l.huggingFace(t.Name)
		if !ok || t.Name == "output.weight" && w.tensors[theirs] == nil {
			continue
		}
		s := w.tensors[theirs]
		if s == nil {
			return failed(name, "%s has no tensor %s, which the base has: it is another model", dir, theirs), nil
		}
		switch t.Type {
		case F32, F16, BF16, Q8_0:
		default:
			skipped++
			continue
		}
		same, err := b.file.equals(ctx, t, l.part(s, kind, b))
		if err != nil {
			return Check{}, fmt.Errorf("compare %s with %s: %w", theirs, t.Name, err)
		}
		compared++
		if !same {
			differ = append(differ, theirs)
		}
	}
	of := fmt.Sprintf("%d tensors", compared)
	if skipped > 0 {
		of += fmt.Sprintf(" (%d more are quantised too far to compare)", skipped)
	}
	switch {
	case len(differ) > 0:
		return failed(name, "%d of %s differ from %s, such as %s: the adapter was trained from another model", len(differ), of, dir, listed(differ)), nil
	case compared == 0:
		return unknown(name, "the base is quantised too far to compare one tensor"), nil
	}
	return passed(name, "%s are those of %s", of, dir), nil
}

var errDiffers = errors.New("the weights differ")

// equals compares a tensor's data with what would be written for a part.
func (f *File) equals(ctx context.Context, t *Tensor, p part) (bool, error) {
	if s := p.shape(); len(s) != len(t.Shape) || p.from.count() != t.Count() || s[0] != t.Shape[0] {
		return false, nil
	}
	if err := p.check(); err != nil {
		return false, err
	}
	r, err := f.Bytes(t)
	if err != nil {
		return false, err
	}
	k := kinds[t.Type]
	err = p.pieces(ctx, func(want []float32) error { // a piece is whole rows or whole blocks
		raw, got := make([]byte, int64(len(want))/k.block*k.bytes), make([]float32, len(want))
		if _, err := io.ReadFull(r, raw); err != nil {
			return err
		}
		readNumbers(got, raw, t.Type)
		for block := range slices.Chunk(want, blockNumbers) {
			largest := magnitude(block)
			for i, x := range block {
				if !rounded(x, got[i], largest, t.Type) {
					return errDiffers
				}
			}
			got = got[len(block):]
		}
		return nil
	})
	if errors.Is(err, errDiffers) {
		return false, nil
	}
	return err == nil, err
}

// rounded reports whether a type may keep x, of a block up to the largest, as y.
func rounded(x, y, largest float32, t Type) bool {
	slack := float32(0)
	switch t {
	case F16:
		slack = max(x, -x)*0x1p-11 + 0x1p-25
	case BF16:
		slack = max(x, -x) * 0x1p-8
	case Q8_0:
		slack = largest / 127 * 0.6
	}
	return max(x-y, y-x) <= slack
}
