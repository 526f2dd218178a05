package ollama_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"parley/sim/llm"
	"parley/sim/llm/ollama"
)

// live opens the model of a real server, or skips the test.
func live(t *testing.T) (m llm.Model, address, name string) {
	t.Helper()
	address, name = os.Getenv("PARLEY_TEST_OLLAMA"), os.Getenv("PARLEY_TEST_MODEL")
	if address == "" || name == "" {
		t.Skip("PARLEY_TEST_OLLAMA and PARLEY_TEST_MODEL do not name a server's address and a model there")
	}
	return open(t, "ollama:"+name+"?num_thread=1&num_ctx=1024", ollama.Options{Host: address, Now: time.Now}), address, name
}

func liveRequest() llm.Request {
	return llm.Request{
		Messages: []llm.Message{
			{Role: llm.System, Content: "You are Ysolde, a ferryman. Answer in one sentence."},
			{Role: llm.User, Content: "What lies"}, {Role: llm.User, Content: "across the river?"},
		},
		Sampling: llm.Sampling{Temperature: new(0.0), Seed: new(int64(7)), MaxTokens: 24},
	}
}

func TestLiveSameText(t *testing.T) {
	m, _, _ := live(t)
	for _, temperature := range []float64{0, 1} {
		req := liveRequest()
		req.Sampling.Temperature = &temperature
		first, err := m.Generate(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		again, err := m.Generate(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if first.Text == "" || first.Text != again.Text {
			t.Errorf("temperature %v: the same seed says %q, then %q", temperature, first.Text, again.Text)
		}
		if first.Truncated || first.Ignored != nil || first.Timing.Prompt <= 0 || first.Timing.Generate <= 0 || first.Timing.Total <= 0 {
			t.Errorf("got %+v", first)
		}
	}
}

// TestLiveUsage holds the counts against those of a request made by hand.
func TestLiveUsage(t *testing.T) {
	m, address, name := live(t)
	resp, err := m.Generate(t.Context(), liveRequest())
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{
		"model": name, "stream": false,
		"messages": []map[string]string{
			{"role": "system", "content": "You are Ysolde, a ferryman. Answer in one sentence."},
			{"role": "user", "content": "What lies\nacross the river?"},
		},
		"options": map[string]any{"num_ctx": 1024, "num_thread": 1, "temperature": 0, "top_p": 1, "top_k": 0, "min_p": 0, "repeat_penalty": 1, "seed": 7, "num_predict": 24},
	})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := http.Post(address+"/api/chat", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Body.Close()
	var want struct {
		Message    struct{ Content string }
		Prompt     int    `json:"prompt_eval_count"`
		Completion int    `json:"eval_count"`
		Reason     string `json:"done_reason"`
	}
	if err := json.NewDecoder(raw.Body).Decode(&want); err != nil {
		t.Fatal(err)
	}
	if want.Prompt == 0 || *resp.Usage.Prompt != want.Prompt || *resp.Usage.Completion != want.Completion || resp.Text != want.Message.Content || string(resp.Finish) != want.Reason {
		t.Errorf("got %q, %d and %d tokens, %s; by hand %+v", resp.Text, *resp.Usage.Prompt, *resp.Usage.Completion, resp.Finish, want)
	}
}

func TestLiveSchema(t *testing.T) {
	m, _, _ := live(t)
	req := liveRequest()
	req.Schema = []byte(`{"type":"object","properties":{"speech":{"type":"string","maxLength":60},"mood":{"enum":["calm","angry"]}},"required":["speech","mood"],"additionalProperties":false}`)
	req.Sampling.MaxTokens = 150
	resp, err := m.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Speech, Mood string }
	if err := json.Unmarshal([]byte(resp.Text), &got); err != nil || got.Mood != "calm" && got.Mood != "angry" {
		t.Errorf("got %q, %v", resp.Text, err)
	}
}

func TestLiveStopAndLength(t *testing.T) {
	m, _, _ := live(t)
	req := liveRequest()
	req.Sampling.MaxTokens = 3
	if resp, err := m.Generate(t.Context(), req); err != nil || resp.Finish != llm.Length || *resp.Usage.Completion != 3 {
		t.Errorf("got %+v, %v", resp, err)
	}
	req = liveRequest()
	req.Sampling.Stop = []string{" "}
	if resp, err := m.Generate(t.Context(), req); err != nil || resp.Finish != llm.Stop || strings.Contains(resp.Text, " ") {
		t.Errorf("got %+v, %v", resp, err)
	}
}

func TestLiveLogprobs(t *testing.T) {
	m, _, _ := live(t)
	req := liveRequest()
	req.Sampling.MaxTokens, req.TopLogprobs = 4, 3
	resp, err := m.Generate(t.Context(), req)
	if err != nil || len(resp.Logprobs) != 4 {
		t.Fatalf("got %+v, %v", resp, err)
	}
	for _, p := range resp.Logprobs {
		if len(p.Top) != 3 || p.Value > 0 || p.Top[0].Value < p.Top[2].Value {
			t.Errorf("got %+v", p)
		}
	}
}

func TestLiveTooLong(t *testing.T) {
	m, _, _ := live(t)
	req := liveRequest()
	req.Messages[0].Content = strings.Repeat("The mill is north of the old road. ", 400)
	_, err := m.Generate(t.Context(), req)
	if llm.FaultOf(err) != llm.TooLong {
		t.Errorf("3,200 words in 1,024 tokens: got %v", err)
	}
}

func TestLiveMissing(t *testing.T) {
	_, address, _ := live(t)
	_, err := open(t, "ollama:nobody-has-this", ollama.Options{Host: address}).Generate(t.Context(), liveRequest())
	if e, ok := err.(*llm.Error); !ok || e.Fault != llm.NotFound || e.Hint != "ollama pull nobody-has-this" {
		t.Errorf("got %v", err)
	}
}

func TestLiveThink(t *testing.T) {
	m, _, _ := live(t)
	req := liveRequest()
	req.Sampling.Think, req.Sampling.MaxTokens = "high", 4
	resp, err := m.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("ignored %q, reasoning %q", resp.Ignored, resp.Reasoning)
}

func TestLiveCancel(t *testing.T) {
	m, _, _ := live(t)
	req := liveRequest()
	req.Sampling.MaxTokens = 900
	req.Schema = []byte(`{"type":"array","minItems":500,"items":{"type":"string"}}`) // or it would be done too soon
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	if resp, err := m.Generate(ctx, req); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %+v, %v", resp, err)
	}
	// The server's one slot is free again.
	if _, err := m.Generate(t.Context(), liveRequest()); err != nil {
		t.Error(err)
	}
}

func TestLiveIdentify(t *testing.T) {
	m, address, name := live(t)
	id, err := m.(llm.Identifier).Identify(t.Context())
	if err != nil || len(id.Digest) != 64 || id.Family == "" || id.Parameters == "" || id.Quantization == "" || id.Context == 0 || id.Version == "" {
		t.Errorf("got %+v, %v", id, err)
	}
	if !strings.HasPrefix(id.Name, name) || id.Server != address {
		t.Errorf("got %+v for %s at %s", id, name, address)
	}
}

func TestLiveEmbed(t *testing.T) {
	m, _, _ := live(t)
	got, err := m.(llm.Embedder).Embed(t.Context(), []string{"the mill", "a ferry", "the mill"})
	if f := llm.FaultOf(err); f == llm.BadRequest || f == llm.Unsupported {
		t.Skip("the model does not embed: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	vectors := got.Vectors
	if len(vectors) != 3 || vectors[0][0] != vectors[2][0] || vectors[0][0] == vectors[1][0] {
		t.Errorf("the same text has other vectors, or another the same: %d of them", len(vectors))
	}
}
