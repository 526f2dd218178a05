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

// fill returns what writes the tensor in the type.
func (p part) fill(t Type) func(context.Context, io.Writer) error {
	return func(ctx context.Context, w io.Writer) error {
		var out []byte
		return p.pieces(ctx, func(numbers []float32) (err error) {
			if out, err = appendNumbers(out[:0], numbers, t); err == nil {
				_, err = w.Write(out)
			}
			return err
		})
	}
}

// pieces reads the tensor as it is to be written, one piece after the other into the same memory.
func (p part) pieces(ctx context.Context, use func(numbers []float32) error) error {
	piece, columns := int64(pieceNumbers), int64(0)
	if p.heads > 0 { // the rows of a head at a time
		columns = p.from.count() / int64(p.from.Shape[0])
		piece = int64(p.from.Shape[0]) / int64(p.heads) * columns
	}
	total := p.from.count()
	piece = min(piece, total)
	numbers, row, raw := make([]float32, piece), make([]float32, piece), []byte(nil)
	for at := int64(0); at < total; at += piece {
		if err := ctx.Err(); err != nil {
			return err
		}
		numbers = numbers[:min(piece, total-at)]
		var err error
		if raw, err = p.from.read(numbers, at, raw); err != nil {
			return err
		}
		if p.heads > 0 {
			interleave(row, numbers, int(columns))
			numbers, row = row, numbers
		}
		for i := range numbers {
			if p.scale != 0 {
				numbers[i] *= p.scale
			}
			if p.shift != 0 {
				numbers[i] += p.shift
			}
		}
		if err := use(numbers); err != nil {
			return err
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
