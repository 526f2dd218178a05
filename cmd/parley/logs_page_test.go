package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/eval/ieg"
	"parley/eval/planning"
	"parley/eval/run"
	"parley/eval/script"
	"parley/eval/session"
	"parley/eval/survey"
	"parley/eval/utility"
)

// logs/README.md has every table of every kind of run with its columns in order, and the examples of a
// table are a row of it.
func TestPageOfTables(t *testing.T) {
	tables := map[string][]run.Table{
		"Every kind of run": {run.Calls, run.Messages, run.Scores},
		session.Kind:        (&session.Plan{}).Tables(),
		script.Kind:         (&script.Plan{}).Tables(),
		survey.Kind:         (&survey.Plan{}).Tables(),
		utility.Kind:        {utility.Criteria, utility.Labels, utility.Steps},
		planning.Kind:       (&planning.Evaluation{}).Tables(),
		ieg.Kind:            (&ieg.Plan{}).Tables(),
	}
	if want := len(kinds) + 1; len(tables) != want {
		t.Errorf("the test knows %d kinds of runs, and there are %d", len(tables), want)
	}
	page := pageOfTables(t)
	for kind, list := range tables {
		for _, table := range list {
			v := reflect.ValueOf(table)
			name, row := v.FieldByName("Name").String(), v.FieldByName("Compare").Type().In(0).Elem()
			columns := page[kind+"/"+name]
			delete(page, kind+"/"+name)
			var want, got []string
			for i := range row.NumField() {
				if column, _, _ := strings.Cut(row.Field(i).Tag.Get("json"), ","); column != "-" {
					want = append(want, column)
				}
			}
			object := map[string]json.RawMessage{}
			for _, c := range columns {
				got = append(got, c[0])
				object[c[0]] = json.RawMessage(c[1])
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, table %s: the page has the columns\n%v, want\n%v", kind, name, got, want)
				continue
			}
			sameRow(t, kind+"/"+name, object, row)
		}
	}
	if len(page) > 0 {
		t.Errorf("the page has tables that there are not: %v", slices.Sorted(maps.Keys(page)))
	}
}

// sameRow fails where the examples are no row of a type, or the row does not say the same.
func sameRow(t *testing.T, name string, object map[string]json.RawMessage, row reflect.Type) {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Errorf("%s: an example is no JSON: %v", name, err)
		return
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	value := reflect.New(row)
	if err := dec.Decode(value.Interface()); err != nil {
		t.Errorf("%s: the examples are no row: %v", name, err)
		return
	}
	again, err := json.Marshal(value.Interface())
	if err != nil {
		t.Fatal(err)
	}
	var a, b map[string]any
	if json.Unmarshal(data, &a) != nil || json.Unmarshal(again, &b) != nil {
		t.Fatalf("%s: %s", name, again)
	}
	for column := range a {
		if list, ok := a[column].([]any); ok && len(list) == 0 && b[column] == nil {
			continue // an empty list
		}
		if !reflect.DeepEqual(a[column], b[column]) {
			t.Errorf("%s: column %s: the example %v is read as %v", name, column, a[column], b[column])
		}
	}
}

// pageOfTables returns columns with their examples, by kind of run and table.
func pageOfTables(t *testing.T) map[string][][2]string {
	t.Helper()
	data, err := os.ReadFile("../../logs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	page := map[string][][2]string{}
	kind, table := "", ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "## "); ok {
			name, _, _ := strings.Cut(strings.TrimPrefix(title, "`"), "`")
			kind = name
		}
		if title, ok := strings.CutPrefix(line, "### "); ok {
			table = kind + "/" + title
		}
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
		if len(cells) != 6 || !strings.HasPrefix(strings.TrimSpace(cells[4]), "`") {
			continue
		}
		example := strings.ReplaceAll(strings.Trim(strings.TrimSpace(cells[4]), "`"), "\x00", "|")
		page[table] = append(page[table], [2]string{strings.TrimSpace(cells[1]), example})
	}
	return page
}
