package formats

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
)

// memory remembers rows by 128 bits of their hash, up to a bound, and where they stood.
type memory struct {
	slots  []slot // a power of two, at most three quarters full
	n      int
	most   int
	full   bool
	files  []source
	buffer []byte
}

// remembered is how many rows are remembered unless it is said, in up to 200 MiB.
const remembered = 4 << 20

type slot struct {
	high, low uint64
	file      uint32 // from 1; 0: nothing stands here
	line      uint32
}

func newMemory(most int) *memory { return &memory{slots: make([]slot, 1024), most: most} }

func (m *memory) file(s source) { m.files = append(m.files, s) }

// meet remembers a row of the current file. If it was met before, it returns where.
func (m *memory) meet(row value, line int64) (source, int64, bool) {
	m.buffer = appendCanonical(m.buffer[:0], row)
	return m.see(m.buffer, line)
}

// see remembers what a row of the current file holds. If it was seen before, it returns where.
func (m *memory) see(content []byte, line int64) (source, int64, bool) {
	sum := sha256.Sum256(content)
	s := slot{binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:]), uint32(len(m.files)), uint32(line)}
	at := m.find(s)
	if at.file != 0 {
		return m.files[at.file-1], int64(at.line), true
	}
	if m.n >= m.most {
		m.full = true
		return source{}, 0, false
	}
	*at = s
	if m.n++; m.n*4 > len(m.slots)*3 {
		old := m.slots
		m.slots = make([]slot, 2*len(old))
		for _, s := range old {
			if s.file != 0 {
				*m.find(s) = s
			}
		}
	}
	return source{}, 0, false
}

// find returns the slot of a hash, or the free one where it belongs.
func (m *memory) find(s slot) *slot {
	for i := s.high; ; i++ {
		at := &m.slots[i&uint64(len(m.slots)-1)]
		if at.file == 0 || at.high == s.high && at.low == s.low {
			return at
		}
	}
}

// appendCanonical appends what a value holds, however it is written.
func appendCanonical(b []byte, v value) []byte {
	b = append(b, byte(v.kind()))
	switch v.kind() {
	case text, number, boolean:
		b = binary.AppendUvarint(b, uint64(len(v.bytes())))
		b = append(b, v.bytes()...)
	case list:
		b = binary.AppendUvarint(b, uint64(v.len()))
		for _, item := range v.items() {
			b = appendCanonical(b, item)
		}
	case object:
		b = binary.AppendUvarint(b, uint64(v.len()))
		for key, m := range v.members() {
			b = binary.AppendUvarint(b, uint64(len(key)))
			b = append(b, key...)
			b = appendCanonical(b, m)
		}
	}
	return b
}

// same says whether two values hold the same, however they are written.
func same(a, b value) bool {
	if a.kind() != b.kind() || a.len() != b.len() || !bytes.Equal(a.bytes(), b.bytes()) {
		return false
	}
	if a.kind() != list && a.kind() != object {
		return true
	}
	i, j := a.d.nodes[a.i].first, b.d.nodes[b.i].first
	for ; i != 0 && j != 0; i, j = a.d.nodes[i].next, b.d.nodes[j].next {
		if !bytes.Equal(a.d.nodes[i].key, b.d.nodes[j].key) || !same(value{a.d, i}, value{b.d, j}) {
			return false
		}
	}
	return true
}
