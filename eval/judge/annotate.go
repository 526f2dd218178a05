package judge

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"parley/eval"
	"parley/sim/llm/loose"
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
	begun      bool
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
		return fmt.Errorf("item %s stands there twice; give each its own id", item.ID)
	}
	s.seen[item.ID] = true
	offered, err := ParseSchema(item.Offered)
	if err != nil {
		return fmt.Errorf("item %s: %w", item.ID, err)
	}
	if !s.begun {
		s.begun = true
		if err := s.out.Write(columns); err != nil {
			return fmt.Errorf("write the sheet: %w", err)
		}
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, item.Offered); err != nil {
		return fmt.Errorf("item %s: %w", item.ID, err)
	}
	for _, who := range s.annotators {
		for _, key := range offered.cells() {
			answers := describe(offered.cell(key), offered.raw, 0)
			row := []string{item.ID, item.Subject, who, guard(item.Text), key, answers, "", "", compact.String()}
			if err := s.out.Write(row); err != nil {
				return fmt.Errorf("write the sheet: %w", err)
			}
		}
	}
	return nil
}

// Flush writes what is buffered.
func (s *Sheet) Flush() error {
	s.out.Flush()
	if err := s.out.Error(); err != nil {
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

// cells are the keys that a sheet has a row for; one without a name for a verdict that is no object.
func (s *Schema) cells() []string {
	p := s.part()
	if len(p.properties()) == 0 {
		return []string{""}
	}
	return order(p, s.raw)
}

func (s *Schema) cell(key string) any {
	if key == "" {
		return s.root
	}
	return s.part().properties()[key]
}

// filled collects the rows of one item and person until all are there.
type filled struct {
	human   Human
	offered *Schema
	values  map[string]string
	at      string // where it began
}

// ReadSheet reads a filled-in sheet and yields each verdict as soon as it is whole; rows may stand in
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
	open := map[[2]string]*filled{}
	var queue [][2]string
	done := map[[2]string]bool{}
	schemas := map[string]*Schema{}
	for {
		row, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		line, _ := in.FieldPos(0)
		at := fmt.Sprintf("%s:%d", name, line)
		field := func(column string) string {
			if i, ok := place[column]; ok && i < len(row) {
				return row[i]
			}
			return ""
		}
		id, who, key := field("id"), strings.TrimSpace(field("annotator")), field("key")
		if id == "" && who == "" && strings.TrimSpace(strings.Join(row, "")) == "" {
			continue
		}
		if id == "" || who == "" {
			return fmt.Errorf("%s: a row needs an id and an annotator", at)
		}
		pair := [2]string{id, who}
		if done[pair] {
			return fmt.Errorf("%s: item %s of %s has more rows than values", at, id, who)
		}
		f := open[pair]
		if f == nil {
			text := field("offered")
			schema := schemas[text]
			if schema == nil {
				if schema, err = ParseSchema(json.RawMessage(text)); err != nil {
					return fmt.Errorf("%s: %w; keep the column \"offered\" as it was", at, err)
				}
				schemas[text] = schema
			}
			f = &filled{human: Human{ID: id, Subject: field("subject"), Annotator: who, Method: "human"}, offered: schema, values: map[string]string{}, at: at}
			open[pair] = f
			queue = append(queue, pair)
		}
		if !slices.Contains(f.offered.cells(), key) {
			return fmt.Errorf("%s: key %q is not among %s", at, key, strings.Join(f.offered.cells(), ", "))
		}
		if _, twice := f.values[key]; twice {
			return fmt.Errorf("%s: key %q of item %s is given twice by %s", at, key, id, who)
		}
		f.values[key] = strings.TrimSpace(field("value"))
		if note := strings.TrimSpace(field("note")); note != "" {
			f.human.Note = strings.TrimSpace(f.human.Note + " " + note)
		}
		if len(f.values) == len(f.offered.cells()) {
			delete(open, pair)
			done[pair] = true
			if err := yield(f.verdict()); err != nil {
				return err
			}
		}
	}
	for _, pair := range queue {
		if f := open[pair]; f != nil {
			if err := yield(f.verdict()); err != nil {
				return err
			}
		}
	}
	return nil
}

// verdict reads the cells by the same rules as a judge's reply.
func (f *filled) verdict() Human {
	h := f.human
	h.Status = eval.Failed
	object := map[string]any{}
	p := f.offered.part()
	var value any = object
	given := false
	for _, key := range f.offered.cells() {
		text := f.values[key]
		if text == "" {
			if key == "" || slices.Contains(p.required(), key) {
				h.Reason = strings.TrimSpace("left empty " + key)
			}
			continue
		}
		given = true
		v, err := coerce(cell(text), f.offered.cell(key))
		if err != nil {
			h.Status, h.Reason = eval.Unparsed, strings.TrimPrefix(fmt.Sprintf("%s: %v", key, err), ": ")
			return h
		}
		if key == "" {
			value = v
		} else {
			object[key] = v
		}
	}
	if !given && h.Reason == "" {
		h.Reason = "left empty"
	}
	if h.Reason != "" {
		return h
	}
	if err := f.offered.valid(value); err != nil {
		h.Status, h.Reason = eval.Unparsed, err.Error()
		return h
	}
	r := said(value, "human")
	h.Status, h.Value, h.Reason = r.Status, r.Value, r.Reason
	return h
}

// cell makes a value of what a person wrote.
func cell(text string) *loose.Value {
	if v, ok := scalar(text); ok {
		return v
	}
	return &loose.Value{Kind: loose.String, Text: text}
}

// ReadItems reads items from JSON lines, one at a time. An error names the file and the line.
func ReadItems(r io.Reader, name string, yield func(Item) error) error {
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			var item Item
			if bad := json.Unmarshal(text, &item); bad != nil {
				return fmt.Errorf("%s:%d: %w; a line is {\"id\":..., \"subject\":..., \"text\":..., \"offered\":{...}}", name, n, bad)
			}
			if bad := yield(item); bad != nil {
				return fmt.Errorf("%s:%d: %w", name, n, bad)
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}
