// Package annotate lets people judge: it writes sheets for them to fill in, and reads them back as verdicts in the
// shape of a judge's.
package annotate

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/judge"
)

// Item is one thing to be judged by people.
type Item struct {
	ID      string          `json:"id"`
	Subject string          `json:"subject"`
	Text    string          `json:"text"`
	Offered json.RawMessage `json:"offered"` // JSON schema of the verdict
}

// Human is a person's verdict, in the shape of a judge's.
type Human struct {
	ID        string          `json:"id"`
	Subject   string          `json:"subject"`
	Annotator string          `json:"annotator"`
	Status    eval.Status     `json:"status"`
	Value     json.RawMessage `json:"value"` // null unless scored
	Reason    string          `json:"reason"`
	Method    string          `json:"method"` // human
	Note      string          `json:"note,omitempty"`
}

// columns of a sheet. A row is one value that one person is asked for: an object of three labels
// takes three rows a person.
var columns = []string{"id", "subject", "annotator", "text", "key", "answers", "value", "note", "offered"}

// Sheet writes items as a CSV sheet for several people to fill in.
type Sheet struct {
	out        *csv.Writer
	annotators []string
	seen       map[string]bool
}

// NewSheet returns a sheet that asks each of the people named for every item.
func NewSheet(w io.Writer, annotators ...string) *Sheet {
	return &Sheet{out: csv.NewWriter(w), annotators: annotators, seen: map[string]bool{}}
}

// Add writes the rows of one item.
func (s *Sheet) Add(item Item) error {
	if item.ID == "" {
		return errors.New("an item has no id")
	}
	if s.seen[item.ID] {
		return fmt.Errorf("two items have the id %s; give each its own", item.ID)
	}
	offered, err := judge.ParseSchema(item.Offered)
	if err != nil {
		return fmt.Errorf("item %s: %w", item.ID, err)
	}
	var rows [][]string
	if len(s.seen) == 0 {
		rows = append(rows, columns)
	}
	s.seen[item.ID] = true
	var compact bytes.Buffer
	if err := json.Compact(&compact, item.Offered); err != nil {
		return fmt.Errorf("item %s: %w", item.ID, err)
	}
	for _, who := range s.annotators {
		for _, cell := range offered.Cells() {
			rows = append(rows, []string{item.ID, item.Subject, who, guard(item.Text), cell.Key, cell.Answers, "", "", compact.String()})
		}
	}
	if err := s.out.WriteAll(rows); err != nil {
		return fmt.Errorf("write the sheet: %w", err)
	}
	return nil
}

// guard keeps a spreadsheet from running a text as a formula.
func guard(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

// filled are the rows of one item and person.
type filled struct {
	human   Human
	offered *judge.Schema
	values  map[string]string
}

// ReadSheet reads a filled-in sheet and yields the verdicts in the order of their first rows; rows may come in
// any order. An empty cell is a value that was not given. An error names the sheet and the line.
func ReadSheet(r io.Reader, name string, yield func(Human) error) error {
	in := csv.NewReader(r)
	in.FieldsPerRecord = -1
	in.LazyQuotes = true
	head, err := in.Read()
	if err == io.EOF {
		return fmt.Errorf("%s: the sheet is empty", name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	place := map[string]int{}
	for i, column := range head {
		place[strings.ToLower(strings.TrimSpace(strings.TrimPrefix(column, "\ufeff")))] = i
	}
	for _, column := range []string{"id", "annotator", "key", "value", "offered"} {
		if _, ok := place[column]; !ok {
			return fmt.Errorf("%s:1: there is no column %q; keep the columns that parley eval annotate wrote, separated by commas", name, column)
		}
	}
	verdicts := map[[2]string]*filled{}
	var first []*filled
	for {
		row, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		field := func(column string) string {
			if i, ok := place[column]; ok && i < len(row) {
				return row[i]
			}
			return ""
		}
		if strings.TrimSpace(strings.Join(row, "")) == "" {
			continue
		}
		pair := [2]string{field("id"), strings.TrimSpace(field("annotator"))}
		f, known := verdicts[pair]
		if !known {
			f = &filled{values: map[string]string{}}
			verdicts[pair], first = f, append(first, f)
		}
		if err := f.add(pair, field); err != nil {
			line, _ := in.FieldPos(0)
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
	for _, f := range first {
		r := f.offered.Fill(f.values)
		f.human.Status, f.human.Value, f.human.Reason = r.Status, r.Value, r.Reason
		if err := yield(f.human); err != nil {
			return err
		}
	}
	return nil
}

// add takes in one row of the sheet.
func (f *filled) add(pair [2]string, field func(column string) string) (err error) {
	id, who, key := pair[0], pair[1], field("key")
	if id == "" || who == "" {
		return errors.New("a row needs an id and an annotator")
	}
	if f.offered == nil {
		if f.offered, err = judge.ParseSchema(json.RawMessage(field("offered"))); err != nil {
			return fmt.Errorf("%w; keep the column \"offered\" as it was", err)
		}
		f.human = Human{ID: id, Subject: field("subject"), Annotator: who, Method: "human"}
	}
	var keys []string
	for _, cell := range f.offered.Cells() {
		keys = append(keys, cell.Key)
	}
	if !slices.Contains(keys, key) {
		return fmt.Errorf("key %q is not among %s", key, strings.Join(keys, ", "))
	}
	if _, twice := f.values[key]; twice {
		return fmt.Errorf("item %s of %s: key %q is given twice", id, who, key)
	}
	f.values[key] = field("value")
	f.human.Note = strings.TrimSpace(f.human.Note + " " + strings.TrimSpace(field("note")))
	return nil
}

// ReadItems reads items from JSON lines, one at a time. Its errors name the file and the line.
func ReadItems(r io.Reader, name string, yield func(Item) error) error {
	return eval.EachLine(r, name, func(line []byte) error {
		var item Item
		if err := eval.Strict(line, &item); err != nil {
			return fmt.Errorf(`%w; a line is {"id":..., "subject":..., "text":..., "offered":{...}}`, err)
		}
		return yield(item)
	})
}
