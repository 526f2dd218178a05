package llm_test

import (
	"strings"
	"testing"

	"parley/sim/llm"
)

func TestEstimateTokens(t *testing.T) {
	for _, test := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"a", 1},
		{"abc", 1},
		{"abcd", 2},
		{"The bell tolls at midnight.", 9},
		{"Zéphyrine", 4},
		{"привет", 6},
		{"你好", 4},
		{"🦀", 3},
		{"1234", 4},
		{"\xff\xfe", 2},
		{"�", 2},
	} {
		if got := llm.EstimateTokens(test.text); got != test.want {
			t.Errorf("%q is about %d tokens, want %d", test.text, got, test.want)
		}
	}
}

func TestEstimatePrompt(t *testing.T) {
	one := []llm.Message{{Role: llm.User, Content: strings.Repeat("a", 300)}}
	alternating := []llm.Message{{Role: llm.System, Content: "abc"}, {Role: llm.User, Content: "abc"}, {Role: llm.User, Content: "abc"}}
	if got := llm.EstimatePrompt(one); got < 100 || got > 120 {
		t.Errorf("100 tokens of text are a prompt of %d", got)
	}
	joined := append(alternating[:1:1], llm.Message{Role: llm.User, Content: "abc\nabc"})
	if a, b := llm.EstimatePrompt(alternating), llm.EstimatePrompt(joined); a-b > 1 || b-a > 1 {
		t.Errorf("a prompt is %d tokens line by line and %d joined", a, b)
	}
}

func FuzzEstimateTokens(f *testing.F) {
	f.Add("Good evening, Zéphyrine. 你好\xff")
	f.Fuzz(func(t *testing.T, text string) {
		n := llm.EstimateTokens(text)
		if n < 0 || n > len(text) || n == 0 && text != "" {
			t.Errorf("%d tokens for %d bytes", n, len(text))
		}
	})
}

func BenchmarkEstimatePrompt(b *testing.B) {
	messages := request("s1", 30).Messages
	b.ReportAllocs()
	for b.Loop() {
		llm.EstimatePrompt(messages)
	}
}
