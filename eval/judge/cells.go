package judge

import (
	"fmt"
	"slices"
	"strings"

	"parley/eval"
	"parley/sim/llm/loose"
)

// Cell is one value that a person is asked for.
type Cell struct {
	Key     string // property of the verdict; empty: the verdict itself
	Answers string // what may be answered, in words
}

// Cells returns the values that make up a verdict: its properties, in the order of the schema, or the verdict
// itself where it is no object.
func (s *Schema) Cells() []Cell {
	if len(s.part().properties()) == 0 {
		return []Cell{{Answers: describe(s.root, s.raw)}}
	}
	var cells []Cell
	for _, key := range order(s.part(), s.raw) {
		cells = append(cells, Cell{key, describe(s.part().properties()[key], s.raw)})
	}
	return cells
}

// Fill makes a verdict of what a person wrote for each cell, by the rules of a judge's reply. It is failed where
// a value that is required is empty, and unparsed where one is not in the schema.
func (s *Schema) Fill(written map[string]string) Reading {
	object := map[string]any{}
	missing := "left empty"
	for _, cell := range s.Cells() {
		schema, text := s.root, strings.TrimSpace(written[cell.Key])
		if cell.Key != "" {
			schema = s.part().properties()[cell.Key]
		}
		if text == "" {
			if cell.Key == "" || slices.Contains(s.part().required(), cell.Key) {
				return Reading{Status: eval.Failed, Reason: strings.TrimSpace("left empty " + cell.Key)}
			}
			continue
		}
		v, ok := scalar(text)
		if !ok {
			v = &loose.Value{Kind: loose.String, Text: text}
		}
		got, err := coerce(v, schema)
		if err != nil {
			return unread("%s", strings.TrimPrefix(fmt.Sprintf("%s: %v", cell.Key, err), ": "))
		}
		object[cell.Key], missing = got, ""
	}
	if missing != "" {
		return Reading{Status: eval.Failed, Reason: missing}
	}
	value, alone := object[""]
	if !alone {
		value = object
	}
	if err := s.valid(value); err != nil {
		return unread("%v", err)
	}
	return said(value, "human")
}
