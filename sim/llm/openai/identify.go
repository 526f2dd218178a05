package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	kit "github.com/sashabaranov/go-openai"

	"parley/sim/llm"
	"parley/sim/llm/wire"
)

// probe finds out once which dialect the server speaks. Where it cannot be told now, the next
// request tries again; a server that is silent twice is taken for none of Ollama's.
func (m *Model) probe(ctx context.Context) error {
	if m.knows().dialect != "" {
		return nil
	}
	short, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var has struct {
		Version string `json:"version"`
	}
	status, err := m.get(short, "/api/version", &has)
	switch {
	case ctx.Err() != nil:
		return m.lost(ctx, ctx.Err())
	case status == 0:
		if lost := m.lost(ctx, err); llm.FaultOf(lost) == llm.Unreachable {
			return lost
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.found.silent++; m.found.silent > 1 {
			m.found.dialect = extended
		}
		return nil
	case status >= http.StatusInternalServerError:
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.found.dialect = extended
	if err == nil && has.Version != "" {
		m.found.dialect, m.found.version = ollama, has.Version
	}
	return nil
}

// get reads one of Ollama's own answers, beside /v1. It sends no key.
func (m *Model) get(ctx context.Context, path string, into any) (status int, err error) {
	address := strings.TrimSuffix(m.base.String(), "/v1") + path
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	resp, err := m.o.HTTP.Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return resp.StatusCode, errors.New(resp.Status)
	}
	return resp.StatusCode, json.NewDecoder(io.LimitReader(resp.Body, 4<<20)).Decode(into)
}

// entry is a model in a server's list, with what vLLM and llama.cpp add.
type entry struct {
	ID     string `json:"id"`
	MaxLen int    `json:"max_model_len"`
	Meta   struct {
		Context    int     `json:"n_ctx_train"`
		Parameters float64 `json:"n_params"`
	} `json:"meta"`
}

// entries lists the server's models.
func (m *Model) entries(ctx context.Context) (entries []entry, status int, err error) {
	x := &exchange{client: m.o.HTTP, keys: &m.keys, bounds: wire.Bounds{Frame: 16 << 20}}
	_, err = m.client(x).ListModels(ctx)
	if x.status >= http.StatusBadRequest {
		// Not refusedError, which asks for this list.
		r := wire.ReadRefusal(x.status, x.failed, &m.keys)
		return nil, x.status, m.fail(r.Fault(), errors.New(r.Message), "")
	}
	if err != nil && x.raw == nil {
		return nil, x.status, m.lost(ctx, err)
	}
	var list struct {
		Data []entry `json:"data"`
	}
	if err := json.Unmarshal(x.raw, &list); err != nil {
		return nil, x.status, m.fail(llm.BadResponse, errors.New("the list of models does not parse"), "")
	}
	return list.Data, x.status, nil
}

// Identify says what the server tells of the model: its entry in the list of models, and for an
// Ollama server the digest of its weights. A server without a list, or that refuses it, is noted; one
// that is not there, that asks for a key, or that is Ollama's and has no such model, is an error.
func (m *Model) Identify(ctx context.Context) (llm.Identity, error) {
	server := *m.base
	server.User = nil
	id := llm.Identity{Name: m.name, Server: server.String()}
	if err := m.needsKey(); err != nil {
		return id, err
	}
	limited, cancel := context.WithTimeout(ctx, min(m.o.Timeout, time.Minute))
	defer cancel()
	if err := m.probe(limited); err != nil {
		return id, err
	}
	entries, status, err := m.entries(limited)
	switch {
	case err == nil:
	case ctx.Err() != nil || llm.FaultOf(err) == llm.Unreachable:
		return id, err
	case status == http.StatusUnauthorized:
		return id, m.refusedError(limited, wire.Refusal{Status: status, Message: "the list of models is refused"}, nil, false)
	default:
		id.Note = "the server did not list its models: " + err.Error()
		return id, nil
	}
	known := m.knows()
	id.Version = known.version
	listed := false
	for _, e := range entries {
		if e.ID == m.name || known.dialect == ollama && e.ID == m.name+":latest" {
			listed = true
			id.Name, id.Context = e.ID, max(e.MaxLen, e.Meta.Context)
		}
	}
	if known.dialect != ollama {
		return id, nil // many servers take models that they do not list
	}
	if !listed {
		return id, m.fail(llm.NotFound, errors.New("the server has no such model"), "ollama pull "+m.name)
	}
	m.weights(limited, &id)
	return id, nil
}

// weights adds what an Ollama server tells of a model's weights.
func (m *Model) weights(ctx context.Context, id *llm.Identity) {
	var tags struct {
		Models []struct {
			Name, Digest string
			Details      struct {
				Family       string `json:"family"`
				Parameters   string `json:"parameter_size"`
				Quantization string `json:"quantization_level"`
			}
		}
	}
	if _, err := m.get(ctx, "/api/tags", &tags); err != nil {
		id.Note = "the server did not list its weights: " + err.Error()
	}
	for _, t := range tags.Models {
		if t.Name == id.Name {
			id.Digest, id.Family = t.Digest, t.Details.Family
			id.Parameters, id.Quantization = t.Details.Parameters, t.Details.Quantization
		}
	}
}

// Embed turns texts into vectors, in one request.
func (m *Model) Embed(ctx context.Context, texts []string) (*llm.Response, error) {
	if err := m.needsKey(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	input := make([]string, len(texts))
	for i, t := range texts {
		if input[i] = t; strings.TrimSpace(t) == "" {
			input[i] = "." // nothing is not taken as input
		}
	}
	x := &exchange{client: m.o.HTTP, keys: &m.keys, bounds: wire.Bounds{Frame: 16 << 20}}
	got, err := m.client(x).CreateEmbeddings(ctx, kit.EmbeddingRequestStrings{Input: input, Model: kit.EmbeddingModel(m.name)})
	if x.status >= http.StatusBadRequest {
		return nil, m.refusedError(ctx, wire.ReadRefusal(x.status, x.failed, &m.keys), x.header, false)
	}
	if err != nil && x.raw != nil {
		return nil, m.fail(llm.BadResponse, errors.New("the vectors do not parse"), "")
	}
	if err != nil {
		return nil, m.lost(ctx, err)
	}
	vectors := make([][]float32, len(texts))
	for _, e := range got.Data {
		if e.Index < 0 || e.Index >= len(vectors) || vectors[e.Index] != nil {
			return nil, m.fail(llm.BadResponse, errors.New("the vectors do not match the texts"), "")
		}
		vectors[e.Index] = e.Embedding
	}
	if len(got.Data) != len(texts) {
		return nil, m.fail(llm.BadResponse, errors.New("the vectors do not match the texts"), "")
	}
	resp := &llm.Response{Vectors: vectors, ServedBy: string(got.Model)}
	if n := got.Usage.PromptTokens; n > 0 {
		resp.Usage.Prompt = &n
	}
	return resp, nil
}
