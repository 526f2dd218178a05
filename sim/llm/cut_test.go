package llm_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley/sim/llm"
)

// counting is a model that counts as many prompt tokens as it is told.
type counting int

func (n *counting) Generate(context.Context, llm.Request) (*llm.Response, error) {
	tokens := int(*n)
	return &llm.Response{Text: "yes", Finish: llm.Stop, Usage: llm.Usage{Prompt: &tokens}}, nil
}

// open opens a model of a server whose adapter is the model itself.
func open(t *testing.T, m llm.Model) llm.Model {
	t.Helper()
	models := llm.Models{Env: llm.Env{Now: time.Now}, Registry: llm.Registry{{Scheme: "a", Defaults: llm.Defaults{Server: true}, Open: func(context.Context, llm.Spec, llm.Env) (llm.Model, error) { return m, nil }}}}
	o, err := models.Open(t.Context(), "a:m")
	if err != nil {
		t.Fatal(err)
	}
	return o.Model
}

func TestPromptCut(t *testing.T) {
	tests := []struct {
		letters string
		n       int // letters in the prompt
		tokens  int
		want    bool
		reason  string
	}{
		{"ab c", 26000, 6000, false, ""},
		{"ab c", 26000, 2000, true, "13 letters a token"},
		{"ab c", 26000, 0, false, "unknown"},
		{"ab c", 26000, 4096, true, "all that a usual context takes"},
		{"ab c", 26000, 4098, true, "half of 8,192 and two, as newer Ollama versions keep"},
		{"ab c", 26000, 4100, false, ""},
		{"ab c", 8000, 2048, false, "fewer than 4 letters a token: by chance"},
		{"ab c", 900, 30, false, "too short to tell"},
		{"это ", 20000, 4000, false, "a large vocabulary takes Russian words whole"},
		{"这", 20000, 13000, false, ""},
	}
	for _, tt := range tests {
		n := counting(tt.tokens)
		text := string([]rune(strings.Repeat(tt.letters, tt.n))[:tt.n])
		resp, err := open(t, &n).Generate(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Content: text}}})
		if err != nil || resp.Truncated != tt.want {
			t.Errorf("%d of %q as %d tokens: got %v, %v; %s", tt.n, tt.letters, tt.tokens, resp.Truncated, err, tt.reason)
		}
	}
}

// A server that cuts counts the same for every turn from the first that is too long.
func TestPromptCutByGrowth(t *testing.T) {
	n := counting(0)
	m := open(t, &n)
	ask := func(session string, words, tokens int) bool {
		n = counting(tokens)
		resp, err := m.Generate(t.Context(), llm.Request{Tag: llm.Tag{Session: session, Actor: "orla", Purpose: "act"},
			Messages: []llm.Message{{Role: llm.User, Content: strings.Repeat("river ", words)}}})
		if err != nil {
			t.Fatal(err)
		}
		return resp.Truncated
	}
	tests := []struct {
		session       string
		words, tokens int
		want          bool
		reason        string
	}{
		{"a", 600, 700, false, "the first"},
		{"a", 800, 900, false, "it grew"},
		{"a", 820, 900, false, "too little more to tell"},
		{"a", 1000, 899, true, "a quarter more words, no more tokens"},
		{"a", 700, 800, false, "the agent itself left something out"},
		{"b", 1100, 890, false, "another session may be in another language"},
	}
	for _, tt := range tests {
		if got := ask(tt.session, tt.words, tt.tokens); got != tt.want {
			t.Errorf("%d words as %d tokens: got %v; %s", tt.words, tt.tokens, got, tt.reason)
		}
	}
}
