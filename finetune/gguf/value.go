package gguf

import (
	"encoding/binary"
	"math"
	"reflect"
)

// ValueType is the type of a metadata value, by GGUF's own numbers.
type ValueType uint32

const (
	typeUint32  ValueType = 4
	typeInt32   ValueType = 5
	typeFloat32 ValueType = 6
	typeBool    ValueType = 7
	typeText    ValueType = 8
	typeArray   ValueType = 9
)

// scalars holds a zero of each type but texts and lists.
var scalars = map[ValueType]any{
	0: uint8(0), 1: int8(0), 2: uint16(0), 3: int16(0), typeUint32: uint32(0), typeInt32: int32(0),
	typeFloat32: float32(0), typeBool: false, 10: uint64(0), 11: int64(0), 12: float64(0),
}

// width is the bytes of a value of the type; 0: it differs, or there is no such type.
func (t ValueType) width() int64 {
	if zero, ok := scalars[t]; ok {
		return int64(binary.Size(zero))
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
	return KV{key, typeText, appendText(nil, value)}
}

func appendText(to []byte, text string) []byte {
	return append(binary.LittleEndian.AppendUint64(to, uint64(len(text))), text...)
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
	switch v.Type {
	case typeText:
		return string(v.raw[8:])
	case typeArray:
		return int(binary.LittleEndian.Uint64(v.raw[4:]))
	}
	x := reflect.New(reflect.TypeOf(scalars[v.Type]))
	if _, err := binary.Decode(v.raw, binary.LittleEndian, x.Interface()); err != nil {
		panic(err) // what was read has the type's width
	}
	switch x = x.Elem(); {
	case x.CanUint():
		return x.Uint()
	case x.CanInt():
		return x.Int()
	case x.CanFloat():
		return x.Float()
	}
	return x.Bool()
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
