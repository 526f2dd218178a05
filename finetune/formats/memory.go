package formats

import "crypto/sha256"

// memory remembers rows by 128 bits of their hash, up to a bound, and where they were.
type memory struct {
	rows   map[[16]byte]place
	most   int
	full   bool
	files  []source
	buffer []byte
}

type place struct{ file, line uint32 }

// remembered is how many rows are remembered by default, in about 200 MiB.
const remembered = 4 << 20

func newMemory(most int) *memory { return &memory{rows: map[[16]byte]place{}, most: most} }

// file says that the rows from now on are those of a file.
func (m *memory) file(s source) { m.files = append(m.files, s) }

// meet remembers a row of the current file. If it was met before, it returns where.
func (m *memory) meet(row *value, line int64) (source, int64, bool) {
	m.buffer = appendCanonical(m.buffer[:0], row)
	return m.see(m.buffer, line)
}

// see remembers the content of a row of the current file. If it was seen before, it returns where.
func (m *memory) see(content []byte, line int64) (source, int64, bool) {
	sum := sha256.Sum256(content)
	key := [16]byte(sum[:16])
	if at, seen := m.rows[key]; seen {
		return m.files[at.file], int64(at.line), true
	}
	if m.full = len(m.rows) >= m.most; !m.full {
		m.rows[key] = place{uint32(len(m.files) - 1), uint32(line)}
	}
	return source{}, 0, false
}
