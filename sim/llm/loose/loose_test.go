package loose_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/sim/llm/loose"
)

// ones are texts with a single value.
var ones = []struct {
	name, text, want string
	loose            bool
	reason           string
}{
	{"JSON", `{"score": 4, "why": ["a", null, true, -1.5e2]}`, `{"score":4,"why":["a",null,true,-1.5e2]}`, false, ""},
	{"fence and prose", "Here it is:\n```json\n{\"a\": 1}\n```\nDone.", `{"a":1}`, false, ""},
	{"prose in braces", `{smiles} {"a": 1} {done}`, `{"a":1}`, false, "an opening brace without a key is prose"},
	{"prose in brackets", `As noted [sic], {"a": 1}`, `{"a":1}`, false, "words in brackets are prose"},
	{"object in a remark", `[see {"a": 1}]`, `{"a":1}`, false, ""},
	{"trailing comma", `{"a": [1, 2,],}`, `{"a":[1,2]}`, true, ""},
	{"comments", "{ \"a\": 1.0 // fully\n, /* and */ \"b\": 2}", `{"a":1.0,"b":2}`, true, ""},
	{"Python", `{'a': True, 'b': None, 'c': 'it\'s'}`, `{"a":true,"b":null,"c":"it's"}`, true, ""},
	{"apostrophe", `{'a': 'it's'}`, `{"a":"it's"}`, true, ""},
	{"typographic", `{“a”: “b”}`, `{"a":"b"}`, true, ""},
	{"typographic inside", `{"a": "He said “no”, and left."}`, `{"a":"He said “no”, and left."}`, false, "marks within a string are text"},
	{"bare keys", `{a: 1, b_c: "x"}`, `{"a":1,"b_c":"x"}`, true, ""},
	{"line break", "{\"a\": \"x\ny\"}", `{"a":"x\ny"}`, true, ""},
	{"unknown escape", `{"a": "area \( x \)"}`, `{"a":"area \\( x \\)"}`, true, ""},
	{"unescaped", `{"a": "He said "no" and left"}`, `{"a":"He said \"no\" and left"}`, true, ""},
	{"missing comma", "{\"a\": \"x\"\n\"b\": 1\n \"c\": 2}", `{"a":"x","b":1,"c":2}`, true, "as in the example of the ABSEval paper"},
	{"surrogates", `{"a": "\ud83d\ude00 \ud83d"}`, `{"a":"😀 �"}`, false, ""},
	{"mark before a comma", `{"a": "x", "b": "y"}`, `{"a":"x","b":"y"}`, false, ""},
	{"repeated alike", `{"a": 1, "a": 1}`, `{"a":1}`, false, "the same value twice is one value"},
	{"empty", `{}`, `{}`, false, ""},
}

func TestFind(t *testing.T) {
	for _, tt := range ones {
		t.Run(tt.name, func(t *testing.T) {
			found := loose.Find(tt.text)
			if len(found) != 1 || found[0].State != loose.Whole {
				t.Fatalf("found %+v, want one whole value; %s", found, tt.reason)
			}
			got, err := found[0].Any()
			if err != nil {
				t.Fatal(err)
			}
			var want any
			d := json.NewDecoder(strings.NewReader(tt.want))
			d.UseNumber()
			if err := d.Decode(&want); err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("got %v, want %v; %s", got, want, tt.reason)
			}
			if found[0].Loose != tt.loose {
				t.Errorf("loose is %v, want %v", found[0].Loose, tt.loose)
			}
		})
	}
}

func TestUnfinished(t *testing.T) {
	tests := []struct {
		name, text string
		states     string // of the values found
		reason     string
	}{
		{"cut in a string", `{"a": 1, "b": "x`, "[2]", ""},
		{"cut behind a key", `{"a":`, "[2]", ""},
		{"cut in a nested object", `[{"a": 1}, {"b`, "[2]", "the list as a whole is not complete"},
		{"broken", `{"a": 1 "b": 2}`, "[1]", "a comma is missing"},
		{"within a broken one", `{"a": 1 "b": {"c": 1}} {"c": 2}`, "[1 0]", "what a broken object holds is no value of its own"},
		{"broken without an end", "{\"a\": 1 and so on\n{\"a\": 2}", "[1]", ""},
		{"closing alone", "} ] text", "[]", ""},
		{"a word in a list", "[one, two]", "[]", ""},
		{"cut list", `["x", "y`, "[2]", ""},
		{"too deep", `{"a":` + strings.Repeat("[", 100), "[1]", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			states := []loose.State{}
			for _, v := range loose.Find(tt.text) {
				states = append(states, v.State)
			}
			if got := fmt.Sprint(states); got != tt.states {
				t.Errorf("states %s, want %s; %s", got, tt.states, tt.reason)
			}
		})
	}
}

func TestPartial(t *testing.T) {
	v := loose.Find(`{"speech": "I go", "deed": "walks o`)[0]
	if got := v.Get("deed"); got == nil || got.Text != "walks o" || got.State != loose.Cut {
		t.Errorf("the unfinished member is %+v", got)
	}
	if _, err := v.Any(); err == nil {
		t.Error("a value that was cut off became a Go value")
	}
}

func TestAnyRefuses(t *testing.T) {
	for _, text := range []string{`{"a": 1, "a": 2}`, `{"a": NaN}`, `{"a": 4/5}`, `{"a": 1e999}`, `{"a": yes}`} {
		v := loose.Find(text)[0]
		if got, err := v.Any(); err == nil {
			t.Errorf("%s became %v", text, got)
		}
	}
}

// TestPlaces checks that every value's place holds it.
func TestPlaces(t *testing.T) {
	text := "x {\"score\": 4, \"why\": \"a\" } y"
	v := loose.Find(text)[0]
	for key, want := range map[string]string{"score": "4", "why": `"a"`} {
		one := v.Get(key)
		if got := text[one.Start:one.End]; got != want {
			t.Errorf("%s stands at %q, want %q", key, got, want)
		}
	}
	if got := text[v.Start:v.End]; got != `{"score": 4, "why": "a" }` {
		t.Errorf("the object is %q", got)
	}
}

func FuzzFind(f *testing.F) {
	for _, tt := range ones {
		f.Add(tt.text)
	}
	f.Add(strings.Repeat(`["`, 2000))
	f.Add(strings.Repeat(`{"a":[`, 200))
	f.Add(strings.Repeat("[/*", 2000))
	f.Add(`{"}": "a {brace} within “a key”"}`)
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, v := range loose.Find(text) {
			if v.Start < end || v.End < v.Start || v.End > len(text) {
				t.Fatalf("value at %d to %d, behind %d of %d", v.Start, v.End, end, len(text))
			}
			end = v.End
			if v.Kind == loose.Object && len(v.Keys) < len(v.Items) {
				t.Fatalf("%d keys for %d values", len(v.Keys), len(v.Items))
			}
			if got, err := v.Any(); err == nil {
				if _, err := json.Marshal(got); err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(text) > 120 || !json.Valid([]byte(text)) { // no key has more bytes
			return
		}
		if trimmed := strings.TrimSpace(text); trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') && strings.Count(trimmed, "[")+strings.Count(trimmed, "{") < 60 {
			if found := loose.Find(text); len(found) != 1 || found[0].State != loose.Whole {
				t.Fatalf("JSON was not read as one value: %q", text)
			}
		}
	})
}
