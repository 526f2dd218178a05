// Package sqlite reads the rows of plain tables out of SQLite files, without SQLite: what it takes to
// import a data set that comes as one.
//
// It follows the published file format (sqlite.org/fileformat2.html). It reads whole tables with a
// rowid, in the order of the rowid, and knows no query, no index, no write-ahead log and no table
// without rowid. A file that is damaged is an error, never a wrong row that could have been noticed.
package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
	"unicode/utf16"
)

// MaxRow is the size of the largest row that is read.
const MaxRow = 64 << 20

// File is a database file.
type File struct {
	r      io.ReaderAt
	page   int // bytes of a page
	usable int // of these, before what extensions reserve
	pages  uint32
	utf16  binary.ByteOrder // nil: UTF-8
}

// Row is one row: the names of its columns, and nil, int64, float64, string or []byte for each.
type Row map[string]any

// Text returns a column as text; empty where it is null or not there.
func (r Row) Text(column string) string {
	switch v := r[column].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case nil:
		return ""
	default:
		return fmt.Sprint(v)
	}
}

// Open reads a file's head.
func Open(r io.ReaderAt) (*File, error) {
	head := make([]byte, 100)
	if _, err := r.ReadAt(head, 0); err != nil {
		return nil, fmt.Errorf("it is no SQLite file: %w", err)
	}
	if string(head[:16]) != "SQLite format 3\x00" {
		return nil, errors.New("it is no SQLite file")
	}
	f := &File{r: r, page: int(binary.BigEndian.Uint16(head[16:])), pages: math.MaxUint32}
	if f.page == 1 {
		f.page = 1 << 16
	}
	if f.page < 512 || f.page&(f.page-1) != 0 {
		return nil, fmt.Errorf("its pages have %d bytes", f.page)
	}
	if f.usable = f.page - int(head[20]); f.usable < 480 {
		return nil, fmt.Errorf("its pages have %d usable bytes", f.usable)
	}
	switch encoding := binary.BigEndian.Uint32(head[56:]); encoding {
	case 0, 1:
	case 2:
		f.utf16 = binary.LittleEndian
	case 3:
		f.utf16 = binary.BigEndian
	default:
		return nil, fmt.Errorf("its text encoding is number %d", encoding)
	}
	return f, nil
}

// table is an entry of the schema.
type table struct {
	root    uint32
	columns []string
	rowid   int          // the column that stands for the rowid, or -1
	real    map[int]bool // columns whose whole numbers are kept as integers, to save room
}

// Tables returns the names of the tables.
func (f *File) Tables() ([]string, error) {
	var names []string
	for r, err := range f.rows(table{root: 1, columns: schemaColumns, rowid: -1}) {
		if err != nil {
			return nil, err
		}
		if r.Text("type") == "table" {
			names = append(names, r.Text("name"))
		}
	}
	return names, nil
}

var schemaColumns = []string{"type", "name", "tbl_name", "rootpage", "sql"}

// Rows reads a table.
func (f *File) Rows(name string) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for r, err := range f.rows(table{root: 1, columns: schemaColumns, rowid: -1}) {
			if err != nil {
				yield(nil, err)
				return
			}
			if r.Text("type") != "table" || !strings.EqualFold(r.Text("name"), name) {
				continue
			}
			root, ok := r["rootpage"].(int64)
			if !ok || root < 1 || root > math.MaxUint32 {
				yield(nil, fmt.Errorf("table %s has no pages: it is virtual", name))
				return
			}
			t, err := parseTable(r.Text("sql"))
			if err != nil {
				yield(nil, fmt.Errorf("table %s: %w", name, err))
				return
			}
			t.root = uint32(root)
			for row, err := range f.rows(t) {
				if err != nil {
					err = fmt.Errorf("table %s: %w", name, err)
				}
				if !yield(row, err) || err != nil {
					return
				}
			}
			return
		}
		yield(nil, fmt.Errorf("there is no table %s", name))
	}
}

// rows walks a table's tree.
func (f *File) rows(t table) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		w := walker{f: f, t: t, seen: map[uint32]bool{}, yield: yield}
		if err := w.walk(t.root, 0); err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

var errStop = errors.New("stop")

// walker goes through a tree, and no page twice.
type walker struct {
	f     *File
	t     table
	seen  map[uint32]bool
	yield func(Row, error) bool
}

func (w *walker) read(n uint32) ([]byte, error) {
	if n == 0 || w.seen[n] {
		return nil, fmt.Errorf("page %d is referred to twice or does not exist", n)
	}
	w.seen[n] = true
	p := make([]byte, w.f.page)
	if _, err := w.f.r.ReadAt(p, int64(n-1)*int64(w.f.page)); err != nil {
		return nil, fmt.Errorf("page %d: %w", n, err)
	}
	return p, nil
}

func (w *walker) walk(n uint32, depth int) error {
	if depth > 20 {
		return errors.New("the tree of pages is too deep")
	}
	p, err := w.read(n)
	if err != nil {
		return err
	}
	at := 0
	if n == 1 {
		at = 100
	}
	kind, cells := p[at], int(binary.BigEndian.Uint16(p[at+3:]))
	head := 8
	if kind == 5 {
		head = 12
	} else if kind != 13 {
		return fmt.Errorf("page %d is of kind %d, not of a table with rowids", n, kind)
	}
	if at+head+2*cells > w.f.usable {
		return fmt.Errorf("page %d has %d cells, which do not fit", n, cells)
	}
	for i := range cells {
		cell := int(binary.BigEndian.Uint16(p[at+head+2*i:]))
		if cell+4 > w.f.usable || cell < at+head {
			return fmt.Errorf("page %d: cell %d lies outside of it", n, i)
		}
		if kind == 5 {
			err = w.walk(binary.BigEndian.Uint32(p[cell:]), depth+1)
		} else {
			err = w.leaf(p[:w.f.usable], cell)
		}
		if err != nil {
			return err
		}
	}
	if kind == 5 {
		return w.walk(binary.BigEndian.Uint32(p[at+8:]), depth+1)
	}
	return nil
}

// leaf yields the row of one cell.
func (w *walker) leaf(p []byte, at int) error {
	size, n := varint(p[at:])
	at += n
	id, m := varint(p[at:])
	at += m
	if n == 0 || m == 0 || size < 0 || size > MaxRow {
		return fmt.Errorf("a row of %d bytes does not hold", size)
	}
	payload, err := w.payload(p, at, int(size))
	if err != nil {
		return err
	}
	row, err := w.record(payload, id)
	if err != nil {
		return err
	}
	if !w.yield(row, nil) {
		return errStop
	}
	return nil
}

// payload joins what stands in the page with the overflow pages.
func (w *walker) payload(p []byte, at, size int) ([]byte, error) {
	u := w.f.usable
	local := size
	if size > u-35 {
		least := (u-12)*32/255 - 23
		if local = least + (size-least)%(u-4); local > u-35 {
			local = least
		}
	}
	if at+local > len(p) || local < size && at+local+4 > len(p) {
		return nil, errors.New("a row runs out of its page")
	}
	if local == size {
		return p[at : at+size], nil
	}
	out := append([]byte(nil), p[at:at+local]...)
	next := binary.BigEndian.Uint32(p[at+local:])
	for len(out) < size {
		over, err := w.read(next)
		if err != nil {
			return nil, err
		}
		next = binary.BigEndian.Uint32(over)
		out = append(out, over[4:min(u, 4+size-len(out))]...)
	}
	return out, nil
}

// record takes a row apart.
func (w *walker) record(p []byte, id int64) (Row, error) {
	bad := errors.New("a row does not hold")
	size, n := varint(p)
	if n == 0 || size < int64(n) || size > int64(len(p)) {
		return nil, bad
	}
	types, body := p[n:size], p[size:]
	row := Row{}
	for i := 0; len(types) > 0; i++ {
		kind, n := varint(types)
		if n == 0 || kind < 0 {
			return nil, bad
		}
		types = types[n:]
		value, length, err := w.f.value(kind, body)
		if err != nil {
			return nil, err
		}
		body = body[length:]
		if i < len(w.t.columns) {
			if i == w.t.rowid && value == nil {
				value = id
			}
			if n, whole := value.(int64); whole && w.t.real[i] {
				value = float64(n)
			}
			row[w.t.columns[i]] = value
		}
	}
	return row, nil
}

// value reads one value of a serial type.
func (f *File) value(kind int64, p []byte) (any, int, error) {
	sizes := []int{0, 1, 2, 3, 4, 6, 8, 8, 0, 0}
	size := int64(0)
	switch {
	case kind < 10:
		size = int64(sizes[kind])
	case kind < 12:
		return nil, 0, fmt.Errorf("a value is of the unknown kind %d", kind)
	default:
		size = (kind - 12) / 2
	}
	if size > int64(len(p)) {
		return nil, 0, errors.New("a value runs out of its row")
	}
	raw := p[:size]
	switch {
	case kind == 0:
		return nil, 0, nil
	case kind == 7:
		return math.Float64frombits(binary.BigEndian.Uint64(raw)), 8, nil
	case kind == 8:
		return int64(0), 0, nil
	case kind == 9:
		return int64(1), 0, nil
	case kind < 7:
		v := int64(int8(raw[0]))
		for _, b := range raw[1:] {
			v = v<<8 | int64(b)
		}
		return v, int(size), nil
	case kind%2 == 0:
		return append([]byte(nil), raw...), int(size), nil
	}
	if f.utf16 == nil {
		return strings.ToValidUTF8(string(raw), "\uFFFD"), int(size), nil
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = f.utf16.Uint16(raw[2*i:])
	}
	return string(utf16.Decode(units)), int(size), nil
}

// varint reads a number of one to nine bytes; a length of 0 says that there is none.
func varint(p []byte) (int64, int) {
	v := uint64(0)
	for i := range 9 {
		if i >= len(p) {
			return 0, 0
		}
		if i == 8 {
			return int64(v<<8 | uint64(p[i])), 9
		}
		v = v<<7 | uint64(p[i]&0x7F)
		if p[i] < 0x80 {
			return int64(v), i + 1
		}
	}
	return 0, 0
}
