package gguf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/x448/float16"
)

// readNumbers reads numbers of the types F32, F16, BF16 or, in whole blocks, Q8_0.
func readNumbers(to []float32, raw []byte, t Type) {
	le := binary.LittleEndian
	for i := range to {
		switch t {
		case F32:
			to[i] = math.Float32frombits(le.Uint32(raw[4*i:]))
		case F16:
			to[i] = float16.Frombits(le.Uint16(raw[2*i:])).Float32()
		case BF16:
			to[i] = math.Float32frombits(uint32(le.Uint16(raw[2*i:])) << 16)
		case Q8_0:
			block := raw[i/blockNumbers*(2+blockNumbers):]
			to[i] = float16.Frombits(le.Uint16(block)).Float32() * float32(int8(block[2+i%blockNumbers]))
		}
	}
}

// magnitude is the largest of some numbers, without their signs.
func magnitude(x []float32) (largest float32) {
	for _, v := range x {
		largest = max(largest, v, -v)
	}
	return largest
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
		d := magnitude(block[:]) / 127
		inverse := float32(0)
		if d > 1e-38 { // below, its inverse is infinite, and the scale of 16 bits 0 anyway
			inverse = 1 / d
		}
		binary.LittleEndian.PutUint16(q[:], float16.Fromfloat32(d).Bits())
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
			h := float16.Fromfloat32(v).Bits()
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
