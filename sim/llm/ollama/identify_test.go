package ollama_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/sim/llm"
	"parley/sim/llm/ollama"
)

func TestIdentify(t *testing.T) {
	h := newHost(t, func(w http.ResponseWriter, path string, body map[string]any) {
		switch {
		case path == "/api/version":
			io.WriteString(w, `{"version":"0.17.4"}`)
		case path == "/api/tags":
			io.WriteString(w, `{"models":[{"name":"other:latest","digest":"00"},{"name":"SmolLM2:latest","digest":"ab12"}]}`)
		case path == "/api/show" && body["model"] == "smollm2":
			io.WriteString(w, `{"details":{"family":"llama","parameter_size":"134.52M","quantization_level":"Q4_1"},"model_info":{"general.architecture":"llama","llama.context_length":8192}}`)
		default:
			failWith(w, 404, "model 'nope' not found")
		}
	})
	got, err := open(t, "ollama:smollm2", ollama.Options{Host: h.URL}).(llm.Identifier).Identify(t.Context())
	want := llm.Identity{Name: "SmolLM2:latest", Digest: "ab12", Family: "llama", Parameters: "134.52M", Quantization: "Q4_1", Context: 8192, Server: h.URL, Version: "0.17.4"}
	if err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	_, err = open(t, "ollama:nope", ollama.Options{Host: h.URL}).(llm.Identifier).Identify(t.Context())
	if e, ok := err.(*llm.Error); !ok || e.Fault != llm.NotFound || e.Hint != "ollama pull nope" {
		t.Errorf("got %v", err)
	}
}

func TestEmbed(t *testing.T) {
	h := newHost(t, func(w http.ResponseWriter, _ string, body map[string]any) {
		var vectors [][]int
		for _, text := range body["input"].([]any) {
			vectors = append(vectors, []int{len(text.(string)), 1})
		}
		json.NewEncoder(w).Encode(map[string]any{"model": "m", "embeddings": vectors, "prompt_eval_count": 5})
	})
	e := open(t, "ollama:m?num_thread=1&num_ctx=512", ollama.Options{Host: h.URL}).(llm.Embedder)
	got, err := e.Embed(t.Context(), []string{"", "xxx"})
	if err != nil || len(got.Vectors) != 2 || got.Vectors[1][0] != 3 || got.ServedBy != "m" || got.Usage.Prompt == nil || *got.Usage.Prompt != 5 {
		t.Fatalf("got %+v, %v", got, err)
	}
	want := map[string]any{"num_thread": 1.0, "num_ctx": 512.0}
	if diff := cmp.Diff(want, h.bodies[0]["options"]); diff != "" || h.bodies[0]["truncate"] != false {
		t.Errorf("sent %v", h.bodies[0])
	}
}

func TestEmbedFaults(t *testing.T) {
	tests := []struct {
		status int
		body   string
		want   llm.Fault
	}{
		{200, `{"embeddings":[[1]]}`, llm.BadResponse},
		{200, `{"embeddings":[[1],[1,2]]}`, llm.BadResponse},
		{200, `{"embeddings":[[],[]]}`, llm.BadResponse},
		{200, `<html>`, llm.BadResponse},
		{400, `{"error":"the input length exceeds the context length"}`, llm.TooLong},
		{404, `{"error":"model 'm' not found"}`, llm.NotFound},
	}
	for _, tt := range tests {
		h := newHost(t, func(w http.ResponseWriter, _ string, _ map[string]any) {
			w.WriteHeader(tt.status)
			io.WriteString(w, tt.body)
		})
		m := llm.Embedding(open(t, "ollama:m", ollama.Options{Host: h.URL}).(llm.Embedder), "m")
		_, _, err := llm.Embed(t.Context(), m, "m", []string{"a", "b"}, llm.Tag{}, time.Now)
		if llm.FaultOf(err) != tt.want {
			t.Errorf("%d %s: got %v, want %q", tt.status, tt.body, err, tt.want)
		}
	}
}
