package logs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/logs"
)

func TestAppendJSONIsCanonical(t *testing.T) {
	type one[T any] struct{ V T }
	form := func(data []byte, err error) string {
		if err != nil {
			return err.Error()
		}
		return string(data)
	}
	for _, test := range []struct{ got, want, reason string }{
		{form(logs.AppendJSON([]byte("before "), &one[int]{1})), `before {"V":1}`, "it appends"},
		{form(logs.AppendJSON(nil, &score{})), `{"session":"","value":null,"status":"","evidence":[],"calls":[]}`, "a table has empty lists, no missing ones"},
		{form(logs.AppendJSON(nil, &one[time.Time]{start.Add(1999).In(time.FixedZone("", 3600))})), `{"V":"2026-03-04T05:06:07.891001Z"}`, "two machines agree"},
		{form(logs.AppendJSON(nil, &one[*time.Time]{ptr(start.Add(999))})), `{"V":"2026-03-04T05:06:07.891Z"}`, "behind a pointer too"},
		{form(logs.AppendJSON(nil, &one[time.Time]{})), `{"V":"0001-01-01T00:00:00Z"}`, "zero is a time"},
		{form(logs.AppendJSON(nil, &one[string]{"<a> & \"b\"\\\n\x00é\U0001F3B2"})), `{"V":"<a> & \"b\"\\\n\u0000é` + "\U0001F3B2" + `"}`, "nothing is escaped for HTML"},
		{form(logs.AppendJSON(nil, &one[string]{"a\u2028b\u2029c\u0085d"})), `{"V":"a\u2028b\u2029c\u0085d"}`, "some readers end a line there"},
		{form(logs.AppendJSON([]byte("\u0085"), &one[json.RawMessage]{json.RawMessage("\"a\u0085b\"")})), "\u0085" + `{"V":"a\u0085b"}`, "also in what others encode, not in what was there"},
		{form(logs.AppendJSON(nil, &one[string]{"a\xff\xffb"})), "{\"V\":\"a\ufffd\ufffdb\"}", "one mark for each bad byte"},
		{form(logs.AppendJSON(nil, &one[map[string]int]{map[string]int{"b": 1, "a": 2}})), `{"V":{"a":2,"b":1}}`, "maps are sorted"},
		{form(logs.AppendJSON(nil, &one[[]float64]{[]float64{1e-7, 1e21, 0.1, 0, 3}})), `{"V":[1e-7,1e+21,0.1,0,3]}`, "numbers as in JavaScript"},
		{form(logs.AppendJSON(nil, &one[float32]{1e-7})), `{"V":1e-7}`, "of 32 bits"},
	} {
		if test.got != test.want {
			t.Errorf("got %s, want %s: %s", test.got, test.want, test.reason)
		}
	}
}

func TestAppendJSONRefuses(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		s := score{Evidence: []evidence{{}, {Weight: v}}}
		if _, err := logs.AppendJSON(nil, &s); err == nil || !strings.Contains(err.Error(), `"/evidence/1/weight"`) {
			t.Error(err)
		}
	}
	if _, err := logs.AppendJSON(nil, &event{Time: time.Unix(1<<40, 0)}); err == nil {
		t.Error("the year 36812 has no RFC 3339 form")
	}
	if _, err := logs.AppendJSON(nil, &struct{ C chan int }{}); err == nil {
		t.Error("a channel was encoded")
	}
}

// A row's line does not depend on which of the two encoders wrote it: a map beside it brings the slower one.
func TestAppendJSONByBothEncoders(t *testing.T) {
	type times struct {
		At   time.Time
		When []*time.Time
	}
	type inner struct {
		Texts []string
		Times times
		Bytes []byte
		Pair  [2]byte
		Small float32
	}
	type fields struct {
		Text   string `json:"text"`
		Number float64
		Nil    []string
		Lists  [][]int
		Inner  *inner
		Many   []inner
		Hidden []int `json:"-"`
	}
	texts := []string{"", "plain", "\"quoted\" \\ / <b>&amp;</b>", "\x00\b\f\n\r\t\x1f\x7f", "é\U0001F3B2\u2028\u2029\u0085\ufffd", "\xff\xfe", `\ufffd`}
	whens := []time.Time{{}, start, start.Add(1), start.In(time.FixedZone("", 3600)), time.Unix(1<<40, 0).UTC()}
	for i := range 2000 {
		text, when := texts[i%len(texts)], whens[i/7%len(whens)]
		f := fields{Text: text, Number: math.Pow(-10, float64(i%60-30)), Hidden: []int{i}}
		if i%3 > 0 {
			f.Inner = &inner{Times: times{At: when}, Small: float32(i) / 3}
		}
		if i%5 > 0 {
			f.Lists, f.Nil = [][]int{{i}, {}, {1, 2}}[:i%4], []string{}
		}
		if i%2 > 0 && f.Inner != nil {
			f.Inner.Texts, f.Inner.Bytes, f.Inner.Times.When = []string{text, "x"}, []byte(text), []*time.Time{nil, &when}
			f.Many = []inner{*f.Inner, *f.Inner}
		}
		fullEvent := anEvent(text, i)
		fullEvent.Audience, fullEvent.Facts, fullEvent.Time = []kind{"a"}, []int{i}, when
		sameLine(t, fullEvent)
		sameLine(t, anEvent(text, i))
		sameLine(t, aCall(text, i))
		sameLine(t, f)
	}
}

func sameLine[T any](t *testing.T, row T) {
	t.Helper()
	before := fmt.Sprintf("%#v", row)
	type beside struct {
		Row T
		Map map[string]int
	}
	fast, err := logs.AppendJSON(nil, &row)
	slow, slowErr := logs.AppendJSON(nil, &beside{Row: row})
	if want := `{"Row":` + string(fast) + `,"Map":{}}`; (err == nil) != (slowErr == nil) || err == nil && string(slow) != want {
		t.Fatalf("%v, %v\n%s\n%s", err, slowErr, want, slow)
	}
	if fmt.Sprintf("%#v", row) != before {
		t.Fatalf("the row was changed: %s", before)
	}
}

// Whatever a row holds, its line is JSON that every reader takes for one line, and it reads back to a row
// with the same line.
func FuzzAppendJSON(f *testing.F) {
	f.Add("text", 0.1, int64(1))
	f.Add("\xff\u2028<\u0085", 1e-9, int64(-1<<62))
	path := filepath.Join(f.TempDir(), "rows.jsonl")
	f.Fuzz(func(t *testing.T, text string, number float64, nanos int64) {
		type row struct {
			Text  string
			Float float64
			Small float32
			Int   int64
			Time  *time.Time
			List  []string
		}
		r := row{text, number, float32(math.Mod(number, 1e30)), nanos, ptr(time.Unix(0, nanos)), []string{text, text}}
		line, err := logs.AppendJSON(nil, &r)
		if err != nil {
			if math.IsNaN(number) || math.IsInf(number, 0) {
				return
			}
			t.Fatal(err)
		}
		if !json.Valid(line) || bytes.ContainsAny(line, "\n\r\v\f\u0085\u2028\u2029") {
			t.Fatalf("%s", line)
		}
		if err := os.WriteFile(path, append(line, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
		rows := all(t, logs.Read[row](path))
		again, err := logs.AppendJSON(nil, &rows[0])
		if string(again) != string(line) || err != nil {
			t.Errorf("%s became %s, %v", line, again, err)
		}
	})
}
