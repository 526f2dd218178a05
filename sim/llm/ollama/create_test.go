package ollama_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/sim/llm"
	"parley/sim/llm/ollama"
)

// keeper is a server that keeps blobs and the models made of them.
type keeper struct {
	*httptest.Server
	mu      sync.Mutex
	blobs   map[string][]byte
	created map[string]map[string]any
	asked   []string
	stream  string // what /api/create answers
}

func newKeeper(t *testing.T) *keeper {
	k := &keeper{blobs: map[string][]byte{}, created: map[string]map[string]any{}, stream: "{\"status\":\"parsing GGUF\"}\n{\"status\":\"success\"}\n"}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/blobs/{digest}", func(w http.ResponseWriter, r *http.Request) {
		digest := r.PathValue("digest")
		k.mu.Lock()
		defer k.mu.Unlock()
		k.asked = append(k.asked, r.Method)
		if _, ok := k.blobs[digest]; r.Method == http.MethodHead {
			if !ok {
				w.WriteHeader(404)
			}
			return
		}
		raw, _ := io.ReadAll(r.Body)
		sum := sha256.Sum256(raw)
		if "sha256:"+hex.EncodeToString(sum[:]) != digest {
			failWith(w, 400, "digest mismatch")
			return
		}
		k.blobs[digest] = raw
		w.WriteHeader(201)
	})
	mux.HandleFunc("POST /api/create", func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		json.NewDecoder(r.Body).Decode(&body)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.created[fmt.Sprint(body["model"])] = body
		io.WriteString(w, k.stream)
	})
	mux.HandleFunc("DELETE /api/delete", func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		json.NewDecoder(r.Body).Decode(&body)
		name := fmt.Sprint(body["model"])
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.created[name] == nil {
			failWith(w, 404, "model '"+name+"' not found")
			return
		}
		delete(k.created, name)
	})
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, r *http.Request) {
		k.mu.Lock()
		defer k.mu.Unlock()
		models := []map[string]any{}
		for name := range k.created {
			models = append(models, map[string]any{"name": name + ":latest"})
		}
		json.NewEncoder(w).Encode(map[string]any{"models": models})
	})
	k.Server = httptest.NewServer(mux)
	t.Cleanup(k.Close)
	return k
}

func connect(t *testing.T, address string) *ollama.Server {
	t.Helper()
	s, err := ollama.Connect(address, ollama.Options{Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestUploadAndCreate(t *testing.T) {
	k := newKeeper(t)
	s := connect(t, k.URL)
	raw := bytes.Repeat([]byte("weights "), 50_000)
	var last int64
	digest, err := s.Upload(t.Context(), bytes.NewReader(raw), func(n int64) { last = n })
	if err != nil || !bytes.Equal(k.blobs[digest], raw) || last != int64(len(raw)) {
		t.Fatalf("got %s, %v, %d bytes told", digest, err, last)
	}
	if again, err := s.Upload(t.Context(), bytes.NewReader(raw), nil); err != nil || again != digest || strings.Join(k.asked, " ") != "HEAD POST HEAD" {
		t.Errorf("what is there was sent again: %s, %v, %v", again, err, k.asked)
	}
	var told []string
	err = s.Create(t.Context(), ollama.Creation{
		Name: "tuned", From: "smollm2", Adapters: map[string]string{"adapter.gguf": digest}, Template: "{{ .Prompt }}!", System: "Rules.",
		Parameters: map[string]any{"stop": []string{",", "\n"}, "temperature": 0.0, "repeat_penalty": 1.0},
	}, func(status string) { told = append(told, status) })
	if err != nil || strings.Join(told, ", ") != "parsing GGUF, success" {
		t.Errorf("got %v, told %q", err, told)
	}
	want := map[string]any{
		"model": "tuned", "name": "", "from": "smollm2", "adapters": map[string]any{"adapter.gguf": digest}, "template": "{{ .Prompt }}!", "system": "Rules.",
		"parameters": map[string]any{"stop": []any{",", "\n"}, "temperature": 0.0, "repeat_penalty": 1.0},
	}
	if diff := cmp.Diff(want, k.created["tuned"]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for name, want := range map[string]bool{"tuned": true, "Tuned:latest": true, "tuned:v2": false} {
		if got, err := s.Has(t.Context(), name); err != nil || got != want {
			t.Errorf("has %s: %t, %v", name, got, err)
		}
	}
	if err := s.Delete(t.Context(), "tuned"); err != nil || len(k.created) != 0 {
		t.Errorf("got %v, left %v", err, k.created)
	}
	if err := s.Delete(t.Context(), "tuned"); llm.FaultOf(err) != llm.NotFound {
		t.Errorf("got %v", err)
	}
}

func TestCreateFaults(t *testing.T) {
	tests := []struct {
		stream string
		fault  llm.Fault
		want   string
		reason string
	}{
		{`{"error":"only one adapter is currently supported","status":400}` + "\n", llm.BadRequest, "only one adapter", ""},
		{`{"status":"parsing GGUF"}` + "\n" + `{"error":"unsupported architecture"}` + "\n", llm.BadRequest, "unsupported architecture", "said within the stream of a 200"},
		{`{"status":"parsing GGUF"}` + "\n", llm.BadResponse, "and not with success", "a stream that ends early made no model"},
		{"", llm.BadResponse, "and not with success", ""},
		{"<html>", llm.BadResponse, "", "not an Ollama server"},
	}
	for _, tt := range tests {
		k := newKeeper(t)
		k.stream = tt.stream
		err := connect(t, k.URL).Create(t.Context(), ollama.Creation{Name: "x", From: "y"}, nil)
		if llm.FaultOf(err) != tt.fault || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %s with %q (%s)", tt.stream, err, tt.fault, tt.want, tt.reason)
		}
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	s := connect(t, gone.URL)
	if _, err := s.Version(t.Context()); llm.FaultOf(err) != llm.Unreachable {
		t.Errorf("got %v", err)
	}
	if _, err := s.Upload(t.Context(), strings.NewReader("x"), nil); llm.FaultOf(err) != llm.Unreachable {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	k := newKeeper(t)
	if _, err := connect(t, k.URL).Upload(ctx, strings.NewReader("x"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := connect(t, k.URL).Create(ctx, ollama.Creation{Name: "x", From: "y"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := ollama.Connect("ftp://x", ollama.Options{}); err == nil {
		t.Error("an address of another kind was taken")
	}
}

func TestShow(t *testing.T) {
	h := newHost(t, func(w http.ResponseWriter, _ string, body map[string]any) {
		if body["model"] != "smollm2" {
			failWith(w, 404, "model 'nope' not found")
			return
		}
		json.NewEncoder(w).Encode(map[string]any{
			"modelfile": "# Modelfile generated\n\nFROM /models/blobs/sha256-ab\nADAPTER \"/models/blobs/sha256-cd\"\nTEMPLATE \"\"\"a\nADAPTER /not/one\n\"\"\"\n",
			"template":  "a\nADAPTER /not/one\n", "system": "Rules.", "license": "L",
			"parameters": "stop                           \"<|im_end|>\"\nstop                           \"a \\\"b\\\"\\n\"\ntemperature                    0.25\nnum_ctx                        1e+06\nuse_mmap                       true",
			"details":    map[string]any{"family": "llama", "quantization_level": "Q4_1"},
			"model_info": map[string]any{"general.architecture": "llama", "llama.block_count": 30, "tokenizer.ggml.tokens": nil},
			"tensors":    []map[string]any{{"name": "token_embd.weight", "type": "Q8_0", "shape": []int{576, 49152}}},
		})
	})
	s := connect(t, h.URL)
	got, err := s.Show(t.Context(), "smollm2")
	want := &ollama.Shown{
		Name: "smollm2", Arch: "llama", Info: map[string]any{"general.architecture": "llama", "llama.block_count": 30.0, "tokenizer.ggml.tokens": nil},
		Tensors:  []ollama.Tensor{{Name: "token_embd.weight", Type: "Q8_0", Shape: []uint64{576, 49152}}},
		Template: "a\nADAPTER /not/one\n", System: "Rules.", License: "L", Weights: "/models/blobs/sha256-ab", Adapters: []string{"/models/blobs/sha256-cd"},
		Parameters: map[string]any{"stop": []string{"<|im_end|>", "a \"b\"\n"}, "temperature": 0.25, "num_ctx": 1e6, "use_mmap": true}, Quantised: "Q4_1",
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v; -want +got\n%s", err, diff)
	}
	if _, err := s.Show(t.Context(), "nope"); llm.FaultOf(err) != llm.NotFound || !strings.Contains(err.Error(), "ollama pull nope") {
		t.Errorf("got %v", err)
	}
	if !ollama.TakesAdapters("llama") || ollama.TakesAdapters("qwen3") || ollama.TakesAdapters("gemma3") {
		t.Error("llama takes adapters, and what runs on the new engine does not")
	}
}
