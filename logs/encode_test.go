package logs_test

import (
	"bytes"
	"encoding/json"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/logs"
)

// plain is a row whose JSON is what encoding/json makes of it.
type plain struct {
	Text   string             `json:"<te&xt>"`
	Int    int8               `json:"int,omitempty"`
	Uint   uint64             `json:",omitempty"`
	Float  float64            `json:"float"`
	Small  float32            `json:"small"`
	Bool   bool               `json:"bool"`
	List   []string           `json:"list,omitempty"`
	Bytes  []byte             `json:"bytes"`
	Map    map[string]float64 `json:"map"`
	Any    any                `json:"any"`
	Raw    json.RawMessage    `json:"raw,omitempty"`
	Addr   netip.Addr         `json:"addr"`
	When   time.Time          `json:"when,omitzero"`
	Inner  *plain             `json:"inner"`
	Odd    odd                `json:"odd"`
	Hidden string             `json:"-"`
	Dash   string             `json:"-,"`
	Number json.Number        `json:"number,omitempty"`
	Array  [2]bool            `json:"array"`
	hidden int
}

// odd needs more than tags: an embedded struct and the option string.
type odd struct {
	base
	N int `json:"n,string"`
}

type base struct{ Deep string }

func std(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestAppendJSONIsEncodingJSON(t *testing.T) {
	row := plain{
		Text: "<a&b> \"\\\b\f\n\r\t\x00\x1f\x7f é \u2028\u2029 \xff\xfe \xe2\x80 \U0001F3B2", Int: -8, Uint: math.MaxUint64,
		Float: 1e-7, Small: 1e21, Bytes: []byte("bytes"), Map: map[string]float64{"b": 1, "a": 2}, Any: []any{1, "<"},
		Raw: json.RawMessage(`{"a": 1}`), Addr: netip.MustParseAddr("::1"), When: start, Odd: odd{base{"deep"}, 5},
		Dash: "dash", Number: "12", hidden: 1, Hidden: "hidden",
		Inner: &plain{Float: math.MaxFloat64, Small: 1e-7, List: []string{"x", ""}, Bool: true},
	}
	got, err := logs.AppendJSON(nil, &row)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(std(t, row), `\ufffd`, "\ufffd"), string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestAppendJSONIsCanonical(t *testing.T) {
	for _, test := range []struct {
		row    any
		want   string
		reason string
	}{
		{&score{}, `{"session":"","value":null,"status":"","evidence":[],"calls":[]}`, "a table has empty lists, no missing ones"},
		{&struct{ T time.Time }{start.Add(1999).In(time.FixedZone("", 3600))}, `{"T":"2026-03-04T05:06:07.891001Z"}`, "two machines agree"},
		{&struct{ T time.Time }{}, `{"T":"0001-01-01T00:00:00Z"}`, "zero is a time"},
		{&struct{ S string }{"a\u0085b"}, `{"S":"a\u0085b"}`, "Python's splitlines ends a line there"},
		{&struct{ S json.RawMessage }{json.RawMessage("\"a\u0085b\"")}, `{"S":"a\u0085b"}`, "also in what others encode"},
		{&struct{ S string }{"a\xff\xffb"}, "{\"S\":\"a\ufffd\ufffdb\"}", "one mark a bad byte"},
	} {
		var got []byte
		var err error
		switch row := test.row.(type) {
		case *score:
			got, err = logs.AppendJSON(nil, row)
		case *struct{ T time.Time }:
			got, err = logs.AppendJSON(nil, row)
		case *struct{ S string }:
			got, err = logs.AppendJSON(nil, row)
		case *struct{ S json.RawMessage }:
			got, err = logs.AppendJSON(nil, row)
		}
		if err != nil || string(got) != test.want {
			t.Errorf("got %s, %v; want %s: %s", got, err, test.want, test.reason)
		}
	}
}

func TestAppendJSONRefuses(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		s := score{Evidence: []evidence{{}, {Weight: v}}}
		if _, err := logs.AppendJSON(nil, &s); err == nil || err.Error() != "evidence: element 1: weight: not a finite number" {
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

func FuzzAppendJSON(f *testing.F) {
	f.Add("text", 0.1, int64(1))
	f.Add("\xff\u2028<", 1e-9, int64(-1<<62))
	f.Fuzz(func(t *testing.T, text string, number float64, nanos int64) {
		if math.IsNaN(number) || math.IsInf(number, 0) || strings.Contains(text, "\u0085") {
			t.Skip()
		}
		row := struct {
			Text  string
			Float float64
			Small float32
			Int   int64
			Time  *time.Time
			List  []string
		}{text, number, float32(math.Mod(number, 1e30)), nanos, ptr(time.UnixMicro(nanos / 1000).UTC()), []string{text, text}}
		got, err := logs.AppendJSON(nil, &row)
		if err != nil {
			t.Skip() // a year beyond 9999
		}
		row.Text = string([]rune(text)) // which marks bad bytes
		row.List = []string{row.Text, row.Text}
		if want := std(t, row); string(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}
