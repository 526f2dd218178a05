package hosted_test

import (
	"strings"
	"testing"

	"parley/finetune"
	"parley/finetune/hosted"
	"parley/sim/llm"
)

// words counts words, so that sums can be made by hand: a message is 4 and its words, an example 3 more.
var words = finetune.Counter{Name: "words", Exact: true, Count: func(text string) int { return len(strings.Fields(text)) }, PerMessage: 4, PerReply: 3}

func TestCountTokens(t *testing.T) {
	const chat = `{"messages":[{"role":"system","content":"You are it."},{"role":"user","content":"a b"},{"role":"assistant","content":"c","weight":1}]}`
	tests := []struct {
		text                    string
		limit                   int
		examples, longest, cut  int
		sum                     int64
		approximate, err, title string
	}{
		{chat + "\n\n" + chat, 0, 2, 21, 0, 42, "", "", "chat"},
		{"\ufeff" + chat + "\r\n", 20, 1, 21, 1, 20, "", "", "cut at the limit, with a byte order mark"},
		{`{"messages":[{"role":"user","name":"Ann B","content":null}]}`, 0, 1, 10, 0, 10, "", "", "a name is one more"},
		{`{"messages":[{"role":"assistant","tool_calls":[{"id": "x"}]}],"tools":[{"a": 1}]}`, 0, 1, 11, 0, 11, "not published", "", "tools"},
		{`{"input":{"messages":[{"role":"user","content":"a"}],"tools":[]},"preferred_output":[{"role":"assistant","content":"b c"}],"non_preferred_output":[{"role":"assistant","content":"d"}]}`,
			0, 1, 19, 0, 19, "not published", "", "preferences"},
		{chat + "\n{\"messages\":", 0, 1, 21, 0, 21, "", "f.jsonl:2: not a JSON object", "torn"},
		{`{"prompt":"a"}`, 0, 0, 0, 0, 0, "", "f.jsonl:1: neither", "another form"},
		{`{"messages":["a"]}`, 0, 0, 0, 0, 0, "", "f.jsonl:1: a message is no object", "a message is no object"},
	}
	for _, tt := range tests {
		got, err := hosted.CountTokens(t.Context(), strings.NewReader(tt.text), "f.jsonl", words, tt.limit)
		if (err != nil) != (tt.err != "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
			t.Errorf("%s: error %v, want %q", tt.title, err, tt.err)
		}
		if got.Examples != tt.examples || got.Sum != tt.sum || got.Longest != tt.longest || got.Cut != tt.cut || !strings.Contains(got.Inexact, tt.approximate) || (got.Inexact == "") != (tt.approximate == "") {
			t.Errorf("%s: got %+v", tt.title, got)
		}
	}
}

func TestDefaultEpochs(t *testing.T) {
	for n, want := range map[int]int{0: 3, 1: 25, 4: 25, 5: 20, 10: 10, 33: 3, 34: 3, 50: 3, 8333: 3, 8334: 2, 12500: 2, 12501: 1, 1000000: 1} {
		if got := hosted.DefaultEpochs(n); got != want {
			t.Errorf("%d examples: %d epochs, want %d", n, got, want)
		}
	}
}

func TestEstimate(t *testing.T) {
	prices, err := llm.ReadPrices(strings.NewReader("currency: USD\nmodels:\n  m: {input: 1, output: 2, training: 25}\n  n: {input: 1, output: 2}\n"), "prices.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tokens := hosted.Tokens{Examples: 50, Sum: 100_000}
	e := hosted.NewEstimate(tokens, words, "4", prices, "openai:m", "m")
	if e.Epochs != 4 || e.Assumed || e.Billed != 400_000 || e.Cost == nil || *e.Cost != 10 || e.Currency != "USD" || e.Unknown != "" {
		t.Errorf("got %+v", e)
	}
	e = hosted.NewEstimate(tokens, words, hosted.Auto, prices, "n")
	if e.Epochs != 3 || !e.Assumed || e.Billed != 300_000 || e.Cost != nil || !strings.Contains(e.Unknown, "no price for training n") {
		t.Errorf("got %+v", e)
	}
	if e = hosted.NewEstimate(tokens, words, "", nil, "n"); e.Cost != nil || e.Unknown != "no price file" {
		t.Errorf("got %+v", e)
	}
}
