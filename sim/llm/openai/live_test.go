package openai_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/sim/llm"
	"parley/sim/llm/openai"
)

// live opens the model of a real Ollama server by its /v1, or skips the test.
func live(t *testing.T, options string) llm.Model {
	t.Helper()
	address, name := os.Getenv("PARLEY_TEST_OLLAMA"), os.Getenv("PARLEY_TEST_MODEL")
	if address == "" || name == "" {
		t.Skip("PARLEY_TEST_OLLAMA and PARLEY_TEST_MODEL do not name a server's address and a model there")
	}
	return open(t, "openai:"+name+options+"@"+address+"/v1", openai.Options{Now: time.Now})
}

func liveRequest() llm.Request {
	return llm.Request{
		Messages: []llm.Message{
			{Role: llm.System, Content: "You are Ysolde, a ferryman. Answer in one sentence."},
			{Role: llm.User, Content: "What lies across the river?"},
		},
		Sampling: llm.Sampling{Temperature: new(0.0), Seed: new(int64(7)), MaxTokens: 24},
	}
}

func TestLiveSameText(t *testing.T) {
	var texts []string
	for _, options := range []string{"", "", "?stream=false"} {
		resp, err := live(t, options).Generate(t.Context(), liveRequest())
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, resp.Text)
		if resp.Usage.Prompt == nil || *resp.Usage.Prompt < 20 || *resp.Usage.Completion < 2 || resp.Truncated || resp.ServedBy == "" || resp.Timing.Total <= 0 {
			t.Errorf("got %+v", resp)
		}
		if !slices.Equal(resp.Ignored, []string{"min_p", "repeat_penalty", "top_k"}) {
			t.Errorf("ignored %q", resp.Ignored)
		}
	}
	if texts[0] == "" || texts[0] != texts[1] || texts[0] != texts[2] {
		t.Errorf("temperature 0 with one seed says %q", texts)
	}
}

func TestLiveSchemaAndLogprobs(t *testing.T) {
	req := liveRequest()
	req.Schema = []byte(`{"type":"object","properties":{"speech":{"type":"string","maxLength":60},"mood":{"enum":["calm","angry"]}},"required":["speech","mood"],"additionalProperties":false}`)
	req.Sampling.MaxTokens = 150
	req.TopLogprobs = 2
	resp, err := live(t, "").Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Speech, Mood string }
	if err := json.Unmarshal([]byte(resp.Text), &got); err != nil || got.Mood != "calm" && got.Mood != "angry" {
		t.Errorf("got %q, %v", resp.Text, err)
	}
	if len(resp.Logprobs) == 0 || len(resp.Logprobs[0].Top) != 2 {
		t.Errorf("got %d logprobs", len(resp.Logprobs))
	}
}

func TestLiveStopAndLength(t *testing.T) {
	m := live(t, "")
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

func TestLiveMissing(t *testing.T) {
	live(t, "")
	m := open(t, "openai:nobody-has-this@"+os.Getenv("PARLEY_TEST_OLLAMA")+"/v1", openai.Options{})
	_, err := m.Generate(t.Context(), liveRequest())
	if e, ok := err.(*llm.Error); !ok || e.Fault != llm.NotFound || e.Hint != "ollama pull nobody-has-this" {
		t.Errorf("got %v", err)
	}
}

func TestLiveIdentify(t *testing.T) {
	id, err := live(t, "").(llm.Identifier).Identify(t.Context())
	if err != nil || len(id.Digest) != 64 || id.Version == "" || id.Family == "" {
		t.Errorf("got %+v, %v", id, err)
	}
}

func TestLiveEmbed(t *testing.T) {
	got, err := live(t, "").(llm.Embedder).Embed(t.Context(), []string{"the mill", "a ferry"})
	if f := llm.FaultOf(err); f == llm.BadRequest || f == llm.Unsupported {
		t.Skip("the model does not embed: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	vectors := got.Vectors
	if len(vectors) != 2 || vectors[0][0] == vectors[1][0] {
		t.Errorf("got %d vectors", len(vectors))
	}
}
