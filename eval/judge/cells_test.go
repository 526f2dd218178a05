package judge_test

import (
	"context"
	"embed"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/judge"
	"parley/sim/llm"
)

// What people write into cells is read as a judge's reply is.
func TestFill(t *testing.T) {
	const free = `{"type":"object","properties":{"score":{"type":"integer","minimum":1,"maximum":5},"note":{"type":"string"}}}`
	for _, test := range []struct {
		schema, keys string
		written      map[string]string
		status       eval.Status
		want         string // value, or part of the reason
	}{
		{scored, "score reason", map[string]string{"score": " 4 ", "reason": "fine"}, eval.Scored, `{"reason":"fine","score":4}`},
		{scored, "score reason", map[string]string{"score": "4"}, eval.Scored, `{"score":4}`},
		{scored, "score reason", map[string]string{"score": " ", "reason": "fine"}, eval.Failed, "left empty score"},
		{scored, "score reason", map[string]string{"score": "6"}, eval.Unparsed, "maximum: got 6, want 5"},
		{scored, "score reason", map[string]string{"score": "four and a half"}, eval.Unparsed, "score: "},
		{free, "score note", map[string]string{"note": ""}, eval.Failed, "left empty"},
		{scored, "score reason", map[string]string{"score": strings.Repeat("x", 60)}, eval.Unparsed, strings.Repeat("x", 60) + `"`},
		{scored, "score reason", map[string]string{"score": strings.Repeat("x", 61)}, eval.Unparsed, `"` + strings.Repeat("x", 60) + `..."`},
		{free, "score note", map[string]string{"note": "x"}, eval.Scored, `{"note":"x"}`},
		{`{"enum":["good","bad"]}`, "", map[string]string{"": "BAD"}, eval.Scored, `"bad"`},
		{`{"enum":["good","bad"]}`, "", map[string]string{"": ""}, eval.Failed, "left empty"},
		{`{"enum":["good","bad"]}`, "", map[string]string{"": "fair"}, eval.Unparsed, "fair"},
	} {
		s := judge.MustSchema(test.schema)
		var keys []string
		for _, c := range s.Cells() {
			keys = append(keys, c.Key)
			if c.Answers == "" {
				t.Errorf("%s: nothing is said of what %q may be", test.schema, c.Key)
			}
		}
		got := s.Fill(test.written)
		said := string(got.Value)
		if got.Status != eval.Scored {
			said = got.Reason
		}
		if strings.Join(keys, " ") != test.keys || got.Status != test.status || got.Status == eval.Scored && said != test.want || !strings.Contains(said, test.want) {
			t.Errorf("%v: cells %q, %s %s, want %s %s", test.written, keys, got.Status, said, test.status, test.want)
		}
	}
}

// Characters that take no room are spelt out, and their neighbours stay.
func TestQuoteSpellsOutTheInvisible(t *testing.T) {
	for _, part := range []struct{ first, last rune }{
		{0x00, 0x08}, {0x0E, 0x1F}, {0x7F, 0x7F}, {0xAD, 0xAD}, {0x034F, 0x034F}, {0x061C, 0x061C}, {0x115F, 0x1160}, {0x17B4, 0x17B5},
		{0x180B, 0x180F}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x206F}, {0x2800, 0x2800}, {0x3164, 0x3164}, {0xFEFF, 0xFEFF},
		{0xFFA0, 0xFFA0}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF},
	} {
		for _, r := range []rune{part.first, part.last} {
			if got := judge.Quote("a"+string(r)+"b", 1); !strings.Contains(got, fmt.Sprintf("a(U+%04X)b", r)) {
				t.Errorf("%U is not spelt out: %q", r, got)
			}
		}
	}
	for _, r := range []rune{0xFE00, 0xFE0F, 0xFE10, 0xFDFF, ' ', '~', 0x80, 0xAC, 0xAE, 0x034E, 0x0350, 0x115E, 0x1161, 0x17B6, 0x180A, 0x1810, 0x200A, 0x2010, 0x202F, 0x205F, 0x2070, 0x2801, 0xFFFC, 0xE1000} {
		if got := judge.Quote("a"+string(r)+"b", 1); !strings.Contains(got, "a"+string(r)+"b") {
			t.Errorf("%U is spelt out: %q", r, got)
		}
	}
	if got := judge.Quote("a\tb\nc", 1); !regexp.MustCompile("^=== text ([0-9a-f]{8}) begins ===\n\\| a\tb\n\\| c\n=== text ([0-9a-f]{8}) ends ===$").MatchString(got) {
		t.Errorf("quoted: %q", got)
	}
	if got := judge.Quote("<|a|> [b]", 1); !strings.Contains(got, "‹|a|› ⟦b⟧") {
		t.Errorf("the brackets of chat templates stay: %q", got)
	}
	for _, r := range "\r\v\f\u0085\u2028\u2029" {
		if got := judge.Quote("a"+string(r)+"b", 1); !strings.Contains(got, "| a\n| b\n") {
			t.Errorf("%U is no end of a line: %q", r, got)
		}
	}
}

// A reply that was cut off, filtered or refused gives its reason, unless it states the verdict whole.
func TestAskOfReplies(t *testing.T) {
	for _, test := range []struct {
		finish llm.Finish
		text   string
		status eval.Status
		reason string
	}{
		{llm.Stop, `{"nonce":"NONCE","score":2}`, eval.Scored, ""},
		{llm.Length, `{"nonce":"NONCE","score":2} and so`, eval.Scored, ""},
		{llm.Length, `{"nonce":"NONCE","sco`, eval.Unparsed, "(the reply was cut off)"},
		{llm.Cut, `{"nonce":"NONCE","sco`, eval.Unparsed, "(the reply was cut off)"},
		{llm.Filtered, "I cannot.", eval.Unparsed, "the judge did not answer"},
		{llm.Refused, "I cannot.", eval.Unparsed, "the judge did not answer"},
		{llm.Stop, "I cannot.", eval.Unparsed, "nonce"},
	} {
		m := llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
			return &llm.Response{Text: strings.ReplaceAll(test.text, "NONCE", nonce(req)), Finish: test.finish}, nil
		})
		v, err := judge.Ask(t.Context(), &judge.Judge{Model: m, Name: "m", Now: clock}, question("x"))
		if err != nil || v.Status != test.status || !strings.Contains(v.Reason, test.reason) {
			t.Errorf("%s %q: %s %q, %v", test.finish, test.text, v.Status, v.Reason, err)
		}
	}
}

// A line that was cut off may have gone on; a line that was not is a verdict.
func TestAskOfALine(t *testing.T) {
	for finish, want := range map[llm.Finish]eval.Status{llm.Stop: eval.Scored, llm.Length: eval.Unparsed, llm.Cut: eval.Unparsed} {
		m := llm.Func(func(context.Context, llm.Request) (*llm.Response, error) {
			return &llm.Response{Text: "VERDICT: C", Finish: finish}, nil
		})
		v, err := judge.Ask(t.Context(), &judge.Judge{Model: m, Name: "m", Now: clock, Trusting: true}, judge.Question[string]{Scorer: "x", Prompt: rubric, Data: "x", Schema: judge.MustSchema(graded)})
		if err != nil || v.Status != want || (want == eval.Scored) != (v.Value == "C") {
			t.Errorf("%s: %s %q %s %v", finish, v.Status, v.Value, v.Reason, err)
		}
	}
}

// What may be answered is said in words, of which a person and a model make a value.
func TestCellsSay(t *testing.T) {
	for schema, want := range map[string]string{
		scale:                                   `a whole number from 1 to 5`,
		`{"type":"number","minimum":0.5}`:       `a number of at least 0.5`,
		`{"type":"number","maximum":9}`:         `a number of at most 9`,
		`{"type":["boolean","null"]}`:           `true or false or null`,
		`{"description":"why","type":"string"}`: `text: why`,
		`{}`:                                    `anything`,
		`{"type":"array","items":{"type":"object","properties":{"b":{"type":"string"},"a":{}}}}`: `a list, each item an object with the keys b (text), a (anything)`,
		`{"enum":[1,2,3,4,5,6,7,8,9,10,11,12]}`:                                                  `one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12`,
		`{"enum":[1,2,3,4,5,6,7,8,9,10,11,12,13]}`:                                               `one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, ... (13 in all)`,
	} {
		if cells := judge.MustSchema(schema).Cells(); len(cells) != 1 || cells[0] != (judge.Cell{Answers: want}) {
			t.Errorf("%s: %+v, want %q", schema, cells, want)
		}
	}
}

// Replies of a file are read by the schema of their line; an error names the file and the line.
func TestReadReplies(t *testing.T) {
	const file = `{"id": 1, "raw": "VERDICT: C", "offered": {"enum": ["C", "I"]}}
{"id": "b", "raw": "VERDICT: D", "offered": {"enum": ["C", "I"]}}

{"raw": "{'a': 1}", "offered": null, "note": "x"}
{"raw": "7"}
{"raw": "{\"meet_constraint\": \"maybe\"}", "offered": ` + executes + `}
{"id": 4, "raw": "{\"score\": 9, \"reason\": \"x\"}", "offered": ` + scored + `}
`
	var got []string
	err := judge.ReadReplies(strings.NewReader(file), "f", func(l judge.Line) error {
		got = append(got, fmt.Sprintf("%s %s %s %s %d", l.ID, l.Status, l.Value, l.Method, len(l.Keys)))
		if len(l.Keys) > 1 && (l.Keys["reason"].Status != eval.Scored || l.Keys["score"].Status != eval.Unparsed || string(l.Keys["score"].ID) != `"score"`) {
			t.Errorf("single labels: %+v", l.Keys)
		}
		return nil
	})
	want := []string{`1 scored "C" line 0`, `"b" unparsed   0`, `null scored {"a":1} loose json 0`, `null scored 7 json 0`, `null unparsed   1`, `4 unparsed   2`}
	if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	for text, want := range map[string]string{
		"{}\n":                                 `f:1: there is no "raw"`,
		"\n{\"raw\": 1}":                       "f:2: json",
		`{"raw": "x", "offered": {"type": 5}}`: "f:1: the schema",
	} {
		if err := judge.ReadReplies(strings.NewReader(text), "f", func(judge.Line) error { return nil }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

//go:embed prompts
var folder embed.FS

// A folder's prompts are parsed by their names, and every file of it has its hash.
func TestFolder(t *testing.T) {
	prompts, hashes := judge.Prompts(folder), judge.Hashes(folder, "judge/")
	if prompts["guard"] == nil || prompts["judged.txt"] == nil || len(hashes) != len(prompts) || len(hashes["judge/guard.tmpl"]) != 64 {
		t.Errorf("%v %v", prompts, hashes)
	}
}
