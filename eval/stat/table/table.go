// Package table computes a statistic, by its name, from the columns of a user's table, so that it can be compared
// with that of another program.
package table

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Table is a header and rows of cells.
type Table struct {
	name   string
	header []string
	rows   []record
}

type record struct {
	line  int
	cells []string
}

// Read reads comma-separated rows under a header; a name that ends in tsv or tab, or a header
// that has them and no comma, means tabs, and likewise semicolons.
func Read(name string, r io.Reader) (*Table, error) {
	buffered := bufio.NewReader(r)
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" {
		_, _ = buffered.Discard(3)
	}
	cells := csv.NewReader(buffered)
	cells.Comma = separatorOf(name, buffered)
	cells.LazyQuotes = cells.Comma == '\t' // tables with tabs rarely quote
	header, err := cells.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s is empty: give it a first line with the names of the columns", name)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the header of %s: %w", name, err)
	}
	t := &Table{name: name}
	named := false
	for _, title := range header {
		title = strings.TrimSpace(title)
		if title != "" && slices.Contains(t.header, title) {
			return nil, fmt.Errorf("%s:1: two columns are called %q: rename one", name, title)
		}
		if _, err := strconv.ParseFloat(title, 64); err != nil {
			named = true
		}
		t.header = append(t.header, title)
	}
	if !named {
		return nil, fmt.Errorf("%s:1: the first line holds only numbers: put the names of the columns there", name)
	}
	for {
		row, err := cells.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		line, _ := cells.FieldPos(0)
		t.rows = append(t.rows, record{line: line, cells: row})
	}
}

func separatorOf(name string, r *bufio.Reader) rune {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".tsv", ".tab":
		return '\t'
	}
	head, _ := r.Peek(r.Size())
	line, _, _ := strings.Cut(string(head), "\n")
	for _, c := range []rune{',', '\t', ';'} {
		if strings.ContainsRune(line, c) {
			return c
		}
	}
	return ','
}

// column finds a column by name, letter case aside where only one fits.
func (t *Table) column(flag, name string) (int, error) {
	if i := slices.Index(t.header, name); i >= 0 {
		return i, nil
	}
	found := -1
	for i, title := range t.header {
		if strings.EqualFold(title, name) {
			if found >= 0 {
				found = -1
				break
			}
			found = i
		}
	}
	if found < 0 {
		return 0, usage("%s has no column %q for --%s; it has %s", t.name, name, flag, strings.Join(t.header, ", "))
	}
	return found, nil
}

// noValue reports whether a cell says that there is no value.
func noValue(cell string) bool {
	switch strings.ToLower(strings.TrimSpace(cell)) {
	case "", "na", "nan", "null":
		return true
	}
	return false
}

// number reads a cell that must hold one.
func (t *Table) number(row record, at int, flag string) (float64, error) {
	text := strings.TrimSpace(row.cells[at])
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("%s:%d: column %q: %q is not a finite number; correct it, leave the cell empty if the value is missing, or name another column with --%s",
			t.name, row.line, t.header[at], text, flag)
	}
	return v, nil
}

// yes reads a cell that must hold yes or no.
func (t *Table) yes(row record, at int, flag string) (float64, error) {
	text := strings.TrimSpace(row.cells[at])
	switch strings.ToLower(text) {
	case "1", "1.0", "true", "yes", "pass":
		return 1, nil
	case "0", "0.0", "false", "no", "fail":
		return 0, nil
	}
	return 0, fmt.Errorf("%s:%d: column %q: %q is neither yes nor no; write 1 or 0 (true, yes, pass; false, no, fail), leave the cell empty if the value is missing, or name another column with --%s",
		t.name, row.line, t.header[at], text, flag)
}

// labelOf reads a cell as a label. Labels that are numbers are the same label however they are written.
func labelOf(cell string) string {
	text := strings.TrimSpace(cell)
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return text
}
