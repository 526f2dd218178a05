package judge_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/eval"
	"parley/eval/judge"
	"parley/sim/llm"
)

// within holds a value against a schema without this package.
func within(t testing.TB, schema string, value []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("urn:x", doc); err != nil {
		t.Fatal(err)
	}
	check, err := c.Compile("urn:x")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return err
	}
	return check.Validate(v)
}

var offers = []string{"", scored, graded, truth, scale, clarity, executes, matching, accuracy, hundred, pointList, ranking,
	`{"type":"object","additionalProperties":{"enum":["good","bad"]}}`,
	`{"oneOf":[{"type":"object","properties":{"s":{"type":"integer"}},"required":["s"]},{"type":"string","enum":["none"]}]}`,
	`{"$defs":{"n":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]},"v":{"type":"integer"}}}},"$ref":"#/$defs/n"}`}

func FuzzRead(f *testing.F) {
	for i, tt := range readings {
		f.Add(tt.raw, uint8(i))
	}
	for i, offer := range offers {
		f.Add(offer, uint8(i))
	}
	schemas := make([]*judge.Schema, len(offers))
	for i, offer := range offers {
		schemas[i] = schemaOf(f, offer)
	}
	f.Fuzz(func(t *testing.T, raw string, which uint8) {
		i := int(which) % len(offers)
		got := judge.Read(raw, schemas[i])
		switch got.Status {
		case eval.Scored:
			if !json.Valid(got.Value) || got.Reason != "" || got.Method == "" {
				t.Fatalf("%+v", got)
			}
			if offers[i] != "" {
				if err := within(t, offers[i], got.Value); err != nil {
					t.Fatalf("%s is not in %s: %v", got.Value, offers[i], err)
				}
			}
		case eval.Unparsed:
			if got.Value != nil || got.Reason == "" {
				t.Fatalf("%+v", got)
			}
		default:
			t.Fatalf("status %q", got.Status)
		}
	})
}

func FuzzSchema(f *testing.F) {
	for _, offer := range offers {
		f.Add(offer, `{"score": 4}`)
	}
	f.Fuzz(func(t *testing.T, schema, raw string) {
		s, err := judge.ParseSchema(json.RawMessage(schema))
		if err != nil {
			return
		}
		if got := judge.Read(raw, s); got.Status == eval.Scored {
			if err := within(t, schema, got.Value); err != nil {
				t.Fatalf("%s is not in %s: %v", got.Value, schema, err)
			}
		}
	})
}

func FuzzWeigh(f *testing.F) {
	f.Add("1", -0.5, "0", -0.1, 1, 10)
	f.Add(" 4", 0.0, "}", -200.0, 1, 5)
	f.Fuzz(func(t *testing.T, a string, x float64, b string, y float64, low, high int) {
		tokens := []llm.TokenLogprob{
			{Logprob: llm.Logprob{Token: a, Value: x}, Top: []llm.Logprob{{Token: b, Value: y}}},
			{Logprob: llm.Logprob{Token: b, Value: y}, Top: []llm.Logprob{{Token: a, Value: x}}},
		}
		w, err := judge.Weigh(tokens, 0, judge.Scale{Min: low, Max: high})
		if err == nil && (math.IsNaN(w.Score) || w.Score < float64(low)-1e-9 || w.Score > float64(high)+1e-9 || w.Mass <= 0 || w.Mass > 1) {
			t.Fatalf("%+v", w)
		}
	})
}

// BenchmarkBraces reads a megabyte of opening braces.
func BenchmarkBraces(b *testing.B) {
	text := strings.Repeat("{", 1<<20)
	s := schemaOf(b, scored)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		judge.Read(text, s)
	}
}
