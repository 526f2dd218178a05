package gguf

import "encoding/binary"

// Texts makes an entry of a list of texts.
func Texts(key string, values ...string) KV {
	raw := binary.LittleEndian.AppendUint32(nil, uint32(typeText))
	raw = binary.LittleEndian.AppendUint64(raw, uint64(len(values)))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(len(v)))
		raw = append(raw, v...)
	}
	return KV{key, typeArray, raw}
}

// Int32s makes an entry of a list of whole numbers.
func Int32s(key string, values ...int32) KV {
	raw := binary.LittleEndian.AppendUint32(nil, uint32(typeInt32))
	raw = binary.LittleEndian.AppendUint64(raw, uint64(len(values)))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(v))
	}
	return KV{key, typeArray, raw}
}

// Bool makes an entry of a yes or no.
func Bool(key string, value bool) KV {
	if value {
		return KV{key, typeBool, []byte{1}}
	}
	return KV{key, typeBool, []byte{0}}
}
