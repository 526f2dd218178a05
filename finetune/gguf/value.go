package gguf

import (
	"encoding/binary"
	"fmt"
	"math"
)

// ValueType is the type of a metadata value, by GGUF's own numbers.
type ValueType uint32

const (
	typeUint8 ValueType = iota
	typeInt8
	typeUint16
	typeInt16
	typeUint32
	typeInt32
	typeFloat32
	typeBool
	typeText
	typeArray
	typeUint64
	typeInt64
	typeFloat64
)

// width is the bytes of a value of the type; 0: it differs.
func (t ValueType) width() int64 {
	switch t {
	case typeUint8, typeInt8, typeBool:
		return 1
	case typeUint16, typeInt16:
		return 2
	case typeUint32, typeInt32, typeFloat32:
		return 4
	case typeUint64, typeInt64, typeFloat64:
		return 8
	}
	return 0
}

// KV is one entry of the metadata. Its value is kept byte for byte as in the file, so that
// what is read can be written again without a loss.
type KV struct {
	Key  string
	Type ValueType
	raw  []byte
}

// Text makes an entry of a text.
func Text(key, value string) KV {
	raw := binary.LittleEndian.AppendUint64(nil, uint64(len(value)))
	return KV{key, typeText, append(raw, value...)}
}

// Uint32 makes an entry of a whole number.
func Uint32(key string, value uint32) KV {
	return KV{key, typeUint32, binary.LittleEndian.AppendUint32(nil, value)}
}

// Float32 makes an entry of a number.
func Float32(key string, value float32) KV {
	return KV{key, typeFloat32, binary.LittleEndian.AppendUint32(nil, math.Float32bits(value))}
}

// Value returns the entry's value: a string, a bool, an int64, a uint64, a float64, or for a list its
// length as an int.
func (v KV) Value() any {
	le := binary.LittleEndian
	switch v.Type {
	case typeUint8:
		return uint64(v.raw[0])
	case typeInt8:
		return int64(int8(v.raw[0]))
	case typeUint16:
		return uint64(le.Uint16(v.raw))
	case typeInt16:
		return int64(int16(le.Uint16(v.raw)))
	case typeUint32:
		return uint64(le.Uint32(v.raw))
	case typeInt32:
		return int64(int32(le.Uint32(v.raw)))
	case typeFloat32:
		return float64(math.Float32frombits(le.Uint32(v.raw)))
	case typeBool:
		return v.raw[0] != 0
	case typeText:
		return string(v.raw[8:])
	case typeArray:
		return int(le.Uint64(v.raw[4:]))
	case typeUint64:
		return le.Uint64(v.raw)
	case typeInt64:
		return int64(le.Uint64(v.raw))
	case typeFloat64:
		return math.Float64frombits(le.Uint64(v.raw))
	}
	panic(fmt.Sprintf("a value of type %d was read", v.Type)) // readers refuse others
}

// texts is the list of texts, or nil where it is none.
func (v KV) texts() []string {
	if v.Type != typeArray || ValueType(binary.LittleEndian.Uint32(v.raw)) != typeText {
		return nil
	}
	list := make([]string, 0, v.Value().(int))
	for rest := v.raw[12:]; len(rest) > 0; {
		n := binary.LittleEndian.Uint64(rest)
		list = append(list, string(rest[8:8+n]))
		rest = rest[8+n:]
	}
	return list
}
