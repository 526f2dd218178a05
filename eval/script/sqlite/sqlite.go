// Package sqlite reads the rows of plain tables out of SQLite files as text, without SQLite: what it takes to
// import a data set that comes as one.
//
// It follows the published file format (sqlite.org/fileformat2.html). It reads whole tables with a
// rowid, in the order of the rowid, and no query, no index, no write-ahead log and no table
// without rowid. A file that is damaged is an error, never a wrong row that could have been noticed.
package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// File is a database file.
type File struct {
	Tables map[string]Table // by name

	data   []byte
	page   int              // bytes of a page
	usable int              // of these, before what extensions reserve
	utf16  binary.ByteOrder // nil: UTF-8
}

// Table is an entry of the schema.
type Table struct {
	root    uint64
	columns []string
	rowid   int // the column that stands for the rowid, or -1
}

// Row is the columns of a row by name, as text: numbers in decimal, null as the empty text.
type Row map[string]string

const magic = "SQLite format 3\x00"

// Is reports whether data are an SQLite file.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }

// Open reads a file's head and schema.
func Open(data []byte) (*File, error) {
	if !Is(data) || len(data) < 100 {
		return nil, errors.New("it is no SQLite file")
	}
	f := &File{data: data, page: int(binary.BigEndian.Uint16(data[16:])), Tables: map[string]Table{}}
	if f.page == 1 {
		f.page = 1 << 16
	}
	if f.usable = f.page - int(data[20]); f.page < 512 || f.page&(f.page-1) != 0 || f.usable < 480 {
		return nil, fmt.Errorf("its pages have %d bytes, of which %d are used", f.page, f.usable)
	}
	switch encoding := binary.BigEndian.Uint32(data[56:]); encoding {
	case 0, 1:
	case 2:
		f.utf16 = binary.LittleEndian
	case 3:
		f.utf16 = binary.BigEndian
	default:
		return nil, fmt.Errorf("its text encoding is number %d", encoding)
	}
	for r, err := range f.rows(Table{root: 1, columns: []string{"type", "name", "tbl_name", "rootpage", "sql"}, rowid: -1}) {
		if err != nil {
			return nil, err
		}
		if root, err := strconv.ParseUint(r["rootpage"], 10, 32); r["type"] == "table" && err == nil && root > 0 {
			t := Table{root: root, rowid: -1}
			t.read(r["sql"])
			f.Tables[r["name"]] = t
		}
	}
	return f, nil
}

var (
	column     = regexp.MustCompile("(?s)^\\s*(?:\"([^\"]*)\"|`([^`]*)`|\\[([^\\]]*)\\]|([^\\s(]+))(.*)$")
	constraint = regexp.MustCompile(`(?i)^\s*(PRIMARY|UNIQUE|CHECK|FOREIGN|CONSTRAINT)\b`)
	isRowid    = regexp.MustCompile(`(?i)^\s*INTEGER\s+PRIMARY\s+KEY\b`)
)

// read takes the columns from a CREATE TABLE statement: what stands between the commas that are in no brackets and no
// quotation marks, up to the closing bracket.
func (t *Table) read(sql string) {
	at := strings.IndexByte(sql, '(') + 1
	depth, from, quote := 1, at, byte(0)
	for ; at > 0 && at < len(sql) && depth > 0; at++ {
		c := sql[at]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '[':
			quote = ']'
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
		if quote != 0 || !(c == ',' && depth == 1 || depth == 0) {
			continue
		}
		if m := column.FindStringSubmatch(sql[from:at]); m != nil && !constraint.MatchString(sql[from:at]) {
			if isRowid.MatchString(m[5]) {
				t.rowid = len(t.columns)
			}
			t.columns = append(t.columns, m[1]+m[2]+m[3]+m[4])
		}
		from = at + 1
	}
}

// Rows reads a table.
func (f *File) Rows(name string) iter.Seq2[Row, error] {
	t, ok := f.Tables[name]
	if !ok {
		return func(yield func(Row, error) bool) { yield(nil, fmt.Errorf("there is no table %s", name)) }
	}
	return f.rows(t)
}

var errStop = errors.New("stop")

// rows walks a table's tree.
func (f *File) rows(t Table) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		w := walker{File: f, t: t, seen: map[uint64]bool{}, yield: yield}
		if err := w.walk(t.root); err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

// walker goes through a tree, and no page twice.
type walker struct {
	*File
	t     Table
	seen  map[uint64]bool
	yield func(Row, error) bool
}

func (w *walker) read(n uint64) ([]byte, error) {
	end := n * uint64(w.page)
	if n == 0 || w.seen[n] || end > uint64(len(w.data)) {
		return nil, fmt.Errorf("page %d is referred to twice or is not there", n)
	}
	w.seen[n] = true
	return w.data[end-uint64(w.page) : end][:w.usable], nil
}

func (w *walker) walk(n uint64) error {
	p, err := w.read(n)
	if err != nil {
		return err
	}
	at := 0
	if n == 1 {
		at = 100
	}
	kind, cells, head := p[at], int(binary.BigEndian.Uint16(p[at+3:])), at+8
	switch kind {
	case 5: // inner
		head += 4
	case 13: // leaf
	default:
		return fmt.Errorf("page %d is of kind %d, not of a table with rowids", n, kind)
	}
	if head+2*cells > len(p) {
		return fmt.Errorf("page %d has %d cells, which do not fit", n, cells)
	}
	for i := range cells {
		cell := int(binary.BigEndian.Uint16(p[head+2*i:]))
		if cell+4 > len(p) || cell < head {
			return fmt.Errorf("page %d: cell %d is outside of it", n, i)
		}
		if kind == 5 {
			err = w.walk(uint64(binary.BigEndian.Uint32(p[cell:])))
		} else {
			err = w.leaf(p, cell)
		}
		if err != nil {
			return err
		}
	}
	if kind == 5 {
		return w.walk(uint64(binary.BigEndian.Uint32(p[at+8:])))
	}
	return nil
}

// leaf yields the row of one cell, whose end may stand in overflow pages.
func (w *walker) leaf(p []byte, at int) error {
	size, n := varint(p[at:])
	at += n
	id, m := varint(p[at:])
	at += m
	if n == 0 || m == 0 || size < 0 || size > int64(len(w.data)) {
		return fmt.Errorf("a row of %d bytes does not hold", size)
	}
	local := int(size)
	if local > w.usable-35 {
		least := (w.usable-12)*32/255 - 23
		if local = least + (int(size)-least)%(w.usable-4); local > w.usable-35 {
			local = least
		}
	}
	whole := local == int(size)
	if at+local > len(p) || !whole && at+local+4 > len(p) {
		return errors.New("a row runs out of its page")
	}
	payload := p[at : at+local : at+local]
	for next := p[at+local:]; len(payload) < int(size); {
		over, err := w.read(uint64(binary.BigEndian.Uint32(next)))
		if err != nil {
			return err
		}
		next = over
		payload = append(payload, over[4:min(len(over), 4+int(size)-len(payload))]...)
	}
	row, err := w.record(payload, id)
	if err == nil && !w.yield(row, nil) {
		err = errStop
	}
	return err
}

// record takes a row apart.
func (w *walker) record(p []byte, id int64) (Row, error) {
	bad := errors.New("a row does not hold")
	size, n := varint(p)
	if n == 0 || size < int64(n) || size > int64(len(p)) {
		return nil, bad
	}
	kinds, body := p[n:size], p[size:]
	row := Row{}
	for i := 0; len(kinds) > 0; i++ {
		kind, n := varint(kinds)
		if n == 0 || kind < 0 {
			return nil, bad
		}
		kinds = kinds[n:]
		length := []int64{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0}[min(kind, 11)]
		if kind >= 12 {
			length = (kind - 12) / 2
		}
		if length > int64(len(body)) || kind == 10 || kind == 11 {
			return nil, bad
		}
		if i < len(w.t.columns) {
			row[w.t.columns[i]] = w.text(kind, body[:length])
			if i == w.t.rowid && kind == 0 {
				row[w.t.columns[i]] = fmt.Sprint(id)
			}
		}
		body = body[length:]
	}
	return row, nil
}

// text returns a value of a serial type as text.
func (f *File) text(kind int64, raw []byte) string {
	switch {
	case kind == 0:
		return ""
	case kind == 7:
		return fmt.Sprint(math.Float64frombits(binary.BigEndian.Uint64(raw)))
	case kind == 8 || kind == 9:
		return fmt.Sprint(kind - 8)
	case kind < 7:
		v := int64(int8(raw[0]))
		for _, b := range raw[1:] {
			v = v<<8 | int64(b)
		}
		return fmt.Sprint(v)
	case kind%2 == 0 || f.utf16 == nil:
		return strings.ToValidUTF8(string(raw), "\uFFFD")
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = f.utf16.Uint16(raw[2*i:])
	}
	return string(utf16.Decode(units))
}

// varint reads a number of one to nine bytes; a length of 0 says that there is none.
func varint(p []byte) (int64, int) {
	v := uint64(0)
	for i, b := range p[:min(9, len(p))] {
		if i == 8 {
			return int64(v<<8 | uint64(b)), 9
		}
		if v = v<<7 | uint64(b&0x7F); b < 0x80 {
			return int64(v), i + 1
		}
	}
	return 0, 0
}
