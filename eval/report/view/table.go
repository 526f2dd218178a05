package view

import (
	"slices"
	"unicode/utf8"
)

// Table is rows under heads. The first cell of a row names it.
type Table struct {
	Caption string
	Head    []Column
	Rows    [][]Cell
}

// Column is the head of a column.
type Column struct {
	Name   string
	Number bool // to the right, in figures of one width
}

// Cell is one field of a table.
type Cell struct {
	Text string
	Note string // small, below
	To   string // the anchor on the page that the text is a link to; empty: no link
	URL  string // of another page that the text is a link to
	Grey bool   // says that something is missing
	Tone string // good, bad or doubtful: coloured so; another cell of the row should say it in words
}

// Columns makes heads of names; a name that begins with # is of a column of numbers.
func Columns(names ...string) []Column {
	head := make([]Column, len(names))
	for i, name := range names {
		head[i] = Column{Name: name}
		if name != "" && name[0] == '#' {
			head[i] = Column{Name: name[1:], Number: true}
		}
	}
	return head
}

// Add appends a row of plain texts.
func (t *Table) Add(texts ...string) {
	row := make([]Cell, len(texts))
	for i, text := range texts {
		row[i].Text = text
	}
	t.Rows = append(t.Rows, row)
}

// DropEmpty removes those of the named columns in which no row says more than a dash or a 0.
func (t *Table) DropEmpty(names ...string) {
	for i := len(t.Head) - 1; i >= 0; i-- {
		says := func(row []Cell) bool { return !slices.Contains([]string{"", "–", "-", "0"}, row[i].Text) }
		if !slices.Contains(names, t.Head[i].Name) || slices.ContainsFunc(t.Rows, says) {
			continue
		}
		t.Head = slices.Delete(t.Head, i, i+1)
		for k, row := range t.Rows {
			t.Rows[k] = slices.Delete(row, i, i+1)
		}
	}
}

// Number reports whether a column holds numbers; columns without a head do not.
func (t *Table) Number(column int) bool { return column < len(t.Head) && t.Head[column].Number }

// Short reports whether a text is better left on one line.
func (c Cell) Short() bool { return utf8.RuneCountInString(c.Text) <= 22 }
