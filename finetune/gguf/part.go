package gguf

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// part is a tensor of a safetensors file on its way into a GGUF.
type part struct {
	from  *Stored
	heads int     // more than 0: the rows of each head are interleaved
	scale float32 // 0: as it is
	shift float32 // added to each number
}

// shape is the tensor's as a GGUF has it.
func (p part) shape() []uint64 {
	s := slices.Clone(p.from.Shape)
	slices.Reverse(s)
	return s
}

// check says whether the rows can be put in order.
func (p part) check() error {
	if p.heads == 0 {
		return nil
	}
	if rows := p.from.Shape[0]; rows%uint64(2*p.heads) != 0 {
		return fmt.Errorf("%s has %d rows, which %d heads cannot share in pairs", p.from.Name, rows, p.heads)
	}
	return nil
}

// pieceNumbers is how many numbers are worked on at a time. It is a multiple of a block of any type.
const pieceNumbers = 128 << 10

// scratch is memory that parts use one after the other.
type scratch struct {
	numbers, row []float32
	raw, out     []byte
}

// fill returns what writes the tensor in the type.
func (p part) fill(t Type, m *scratch) func(context.Context, io.Writer) error {
	return func(ctx context.Context, w io.Writer) error {
		piece := int64(pieceNumbers)
		columns := int64(0)
		if p.heads > 0 { // the rows of a head at a time
			columns = p.from.count() / int64(p.from.Shape[0])
			piece = int64(p.from.Shape[0]) / int64(p.heads) * columns
		}
		for at, n := int64(0), p.from.count(); at < n; at += piece {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := p.piece(at, min(piece, n-at), columns, m); err != nil {
				return err
			}
			var err error
			if m.out, err = appendNumbers(m.out[:0], m.numbers, t); err != nil {
				return err
			}
			if _, err := w.Write(m.out); err != nil {
				return err
			}
		}
		return nil
	}
}

// piece reads n numbers into the scratch and works on them.
func (p part) piece(at, n, columns int64, m *scratch) error {
	m.numbers = slices.Grow(m.numbers[:0], int(n))[:n]
	var err error
	if m.raw, err = p.from.read(m.numbers, at, m.raw); err != nil {
		return err
	}
	if p.heads > 0 {
		m.row = slices.Grow(m.row[:0], int(n))[:n]
		interleave(m.row, m.numbers, int(columns))
		m.numbers, m.row = m.row, m.numbers
	}
	if p.scale != 0 {
		for i := range m.numbers {
			m.numbers[i] *= p.scale
		}
	}
	if p.shift != 0 {
		for i := range m.numbers {
			m.numbers[i] += p.shift
		}
	}
	return nil
}

// interleave puts the rows of one head in llama.cpp's order: what Hugging Face rotates together, row i
// of the first half and row i of the second, become neighbours, as rows 2i and 2i+1.
func interleave(to, from []float32, columns int) {
	half := len(from) / columns / 2
	for i := range half {
		copy(to[2*i*columns:(2*i+1)*columns], from[i*columns:])
		copy(to[(2*i+1)*columns:(2*i+2)*columns], from[(half+i)*columns:])
	}
}
