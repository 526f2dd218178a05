package annotate_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/annotate"
)

const scored = `{"type":"object","properties":{"score":{"type":"integer","minimum":1,"maximum":5},"reason":{"type":"string"}},"required":["score"]}`

func TestSheet(t *testing.T) {
	var out bytes.Buffer
	sheet := annotate.NewSheet(&out, "anna", "ben")
	items := []annotate.Item{
		{ID: "1", Subject: "orla", Text: "=1+1 is said,\n\"twice\"", Offered: json.RawMessage(scored)},
		{ID: "2", Subject: "tam", Text: "x", Offered: json.RawMessage(`{"enum": ["good", "bad"]}`)},
	}
	for _, item := range items {
		if err := sheet.Add(item); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := csv.NewReader(bytes.NewReader(out.Bytes())).ReadAll()
	if err != nil || len(rows) != 1+2*2+2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if rows[1][3][0] == '=' {
		t.Error("a spreadsheet would run the text")
	}
	value := map[[3]string]string{
		{"1", "anna", "score"}: "4/5", {"1", "anna", "reason"}: "fine", {"1", "ben", "score"}: "9",
		{"2", "anna", ""}: " Good ",
	}
	for i := range rows[1:] {
		row := rows[i+1]
		row[6] = value[[3]string{row[0], row[2], row[4]}]
	}
	rows[1], rows[6] = rows[6], rows[1] // people sort their sheets
	var filled bytes.Buffer
	if err := csv.NewWriter(&filled).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	got := map[string]annotate.Human{}
	if err := annotate.ReadSheet(&filled, "sheet.csv", func(h annotate.Human) error { got[h.ID+h.Annotator] = h; return nil }); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		who    string
		status eval.Status
		value  string
		reason string
	}{
		{"1anna", eval.Scored, `{"reason":"fine","score":4}`, ""},
		{"1ben", eval.Unparsed, "", "maximum: got 9, want 5"},
		{"2anna", eval.Scored, `"good"`, ""},
		{"2ben", eval.Failed, "", "left empty"},
	} {
		h := got[tt.who]
		if h.Status != tt.status || string(h.Value) != tt.value || !strings.Contains(h.Reason, tt.reason) || h.Method != "human" {
			t.Errorf("%s: %+v %s", tt.who, h, h.Value)
		}
	}
}

func TestSheetErrors(t *testing.T) {
	const head = "id,subject,annotator,text,key,answers,value,note,offered\n"
	for _, tt := range []struct{ sheet, want string }{
		{"", "empty"},
		{"id,value\n1,2\n", `s.csv:1: there is no column "annotator"`},
		{head + "1,,anna,t,,a,x,,not json\n", "s.csv:2:"},
		{head + "1,,anna,t,colour,a,x,,\"{\"\"enum\"\":[\"\"x\"\"]}\"\n", `s.csv:2: key "colour"`},
		{head + "1,,anna,t,,a,x,,\"{\"\"enum\"\":[\"\"x\"\"]}\"\n1,,anna,t,,a,x,,\"{\"\"enum\"\":[\"\"x\"\"]}\"\n", "s.csv:3: item 1 of anna"},
		{head + ",,anna,t,,a,x,,{}\n", "s.csv:2: a row needs an id"},
	} {
		err := annotate.ReadSheet(strings.NewReader(tt.sheet), "s.csv", func(annotate.Human) error { return nil })
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %s", tt.sheet, err, tt.want)
		}
	}
	stop := errors.New("stop")
	err := annotate.ReadItems(strings.NewReader("{\"id\":\"1\"}\n\n{\"id\":\"2\"}\n"), "i.jsonl", func(i annotate.Item) error {
		if i.ID == "2" {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || !strings.HasPrefix(err.Error(), "i.jsonl:3:") {
		t.Error(err)
	}
	if err := annotate.ReadItems(strings.NewReader("{\"id\":1}"), "i.jsonl", func(annotate.Item) error { return nil }); err == nil || !strings.HasPrefix(err.Error(), "i.jsonl:1:") {
		t.Error(err)
	}
}

func FuzzReadSheet(f *testing.F) {
	f.Add("id,subject,annotator,text,key,answers,value,note,offered\n1,,anna,t,,a,x,,\"{\"\"enum\"\":[\"\"x\"\"]}\"\n")
	f.Fuzz(func(t *testing.T, sheet string) {
		_ = annotate.ReadSheet(strings.NewReader(sheet), "s.csv", func(h annotate.Human) error {
			if (h.Status == eval.Scored) != (h.Reason == "") {
				t.Errorf("%+v", h)
			}
			return nil
		})
	})
}
