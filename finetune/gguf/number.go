package gguf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// halfBits rounds to the nearest number of 16 bits, to even at a tie; what is too large is infinite.
func halfBits(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b>>16) & 0x8000
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000:
		return sign | 0x7e00 | uint16(b>>13)&0x1ff
	case b >= 0x477ff000: // 65520 and more
		return sign | 0x7c00
	case b < 0x33000001: // no more than half of the smallest one
		return sign
	case b < 0x38800000: // below the smallest normal one: in steps of 2^-24
		shift := 126 - b>>23
		m := b&0x7fffff | 0x800000
		half := m >> shift
		rest := m & (1<<shift - 1)
		tie := uint32(1) << (shift - 1)
		if rest > tie || rest == tie && half&1 == 1 {
			half++
		}
		return sign | uint16(half)
	}
	b += 0xfff + b>>13&1
	return sign | uint16((b-0x38000000)>>13)
}

// half reads a number of 16 bits.
func half(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exp, m := uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch {
	case exp == 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | m<<13)
	case exp == 0:
		f := float32(m) * 0x1p-24
		return math.Float32frombits(sign | math.Float32bits(f))
	}
	return math.Float32frombits(sign | (exp+112)<<23 | m<<13)
}

// blockNumbers is how many numbers of a row share a scale in Q8_0.
const blockNumbers = 32

// appendQ8 quantises whole blocks to Q8_0: in each the scale is the largest magnitude over 127, as a
// number of 16 bits, and then each number over the scale, rounded half away from zero. Bit for bit
// what ggml's reference quantize_row_q8_0_ref does.
func appendQ8(to []byte, x []float32) []byte {
	const bytes = 2 + blockNumbers
	start := len(to)
	to = slices.Grow(to, len(x)/blockNumbers*bytes)[:start+len(x)/blockNumbers*bytes]
	for out := to[start:]; len(x) >= blockNumbers; x, out = x[blockNumbers:], out[bytes:] {
		block, q := (*[blockNumbers]float32)(x), (*[bytes]byte)(out)
		largest := float32(0)
		for _, v := range block {
			largest = max(largest, v, -v)
		}
		d := largest / 127
		inverse := float32(0)
		if d > 1e-38 { // below, its inverse is infinite, and the scale of 16 bits 0 anyway
			inverse = 1 / d
		}
		binary.LittleEndian.PutUint16(q[:], halfBits(d))
		for i, v := range block {
			// In 64 bits the half is added without rounding.
			r := float64(v * inverse)
			q[2+i] = byte(int32(r + math.Copysign(0.5, r)))
		}
	}
	return to
}

// appendNumbers appends numbers in a type. Numbers that are none, or that the type cannot hold, are
// an error.
func appendNumbers(to []byte, x []float32, t Type) ([]byte, error) {
	for _, v := range x {
		if math.Float32bits(v)&0x7f800000 == 0x7f800000 {
			return to, fmt.Errorf("it holds %v, which is no weight: the training went astray", v)
		}
	}
	start := len(to)
	switch t {
	case F32:
		to = slices.Grow(to, 4*len(x))[:start+4*len(x)]
		for i, v := range x {
			binary.LittleEndian.PutUint32(to[start+4*i:], math.Float32bits(v))
		}
	case F16:
		to = slices.Grow(to, 2*len(x))[:start+2*len(x)]
		for i, v := range x {
			h := halfBits(v)
			if h&0x7c00 == 0x7c00 {
				return to, fmt.Errorf("it holds %v, which f16 cannot: write it as f32", v)
			}
			binary.LittleEndian.PutUint16(to[start+2*i:], h)
		}
	case Q8_0:
		to = appendQ8(to, x)
		for at := start; at < len(to); at += 2 + blockNumbers {
			if h := binary.LittleEndian.Uint16(to[at:]); h&0x7c00 == 0x7c00 {
				return to, errors.New("it holds numbers that q8_0 cannot scale: write it as f32")
			}
		}
	default:
		return to, fmt.Errorf("%s cannot be written", t)
	}
	return to, nil
}
