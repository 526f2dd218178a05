package gguf

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
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
	memory := &scratch{}
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
		same, err := b.file.equals(ctx, t, l.part(s, kind, b), memory)
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

// equals compares a tensor's data with what would be written for a part.
func (f *File) equals(ctx context.Context, t *Tensor, p part, m *scratch) (bool, error) {
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
	c := &comparer{r: r, t: t.Type, same: true}
	err = p.fill(F32, m)(ctx, c)
	return c.same, err
}

// comparer takes numbers as F32 and compares them with those of a tensor in a file.
type comparer struct {
	r    io.Reader
	t    Type
	same bool
	buf  []byte
	left []byte // numbers that came and make no whole block yet
}

func (c *comparer) Write(p []byte) (int, error) {
	if !c.same {
		return len(p), nil
	}
	c.left = append(c.left, p...)
	k := kinds[c.t]
	blocks := int64(len(c.left)) / 4 / k.block
	need := int(blocks * k.bytes)
	if cap(c.buf) < need {
		c.buf = make([]byte, need)
	}
	if _, err := io.ReadFull(c.r, c.buf[:need]); err != nil {
		return 0, err
	}
	le := binary.LittleEndian
	for i := range int(blocks * k.block) {
		x := math.Float32frombits(le.Uint32(c.left[4*i:]))
		var y, slack float32
		switch c.t {
		case F32:
			y = math.Float32frombits(le.Uint32(c.buf[4*i:]))
		case F16:
			y, slack = half(le.Uint16(c.buf[2*i:])), max(x, -x)*0x1p-11+0x1p-25
		case BF16:
			y, slack = math.Float32frombits(uint32(le.Uint16(c.buf[2*i:]))<<16), max(x, -x)*0x1p-8
		case Q8_0:
			block := c.buf[i/blockNumbers*34:]
			d := half(le.Uint16(block))
			y, slack = d*float32(int8(block[2+i%blockNumbers])), d*0.6
		}
		if d := x - y; d > slack || -d > slack {
			c.same = false
			return len(p), nil
		}
	}
	c.left = c.left[:copy(c.left, c.left[int(blocks*k.block)*4:])]
	return len(p), nil
}
