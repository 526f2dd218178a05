package ollama

import (
	"context"
	"strings"

	"github.com/ollama/ollama/api"

	"parley/sim/llm"
)

// Identify says which weights the server has under the model's name, and what the server is.
func (m *Model) Identify(ctx context.Context) (llm.Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	id := llm.Identity{Name: m.name, Server: m.address()}
	client, x := m.client(64 << 20)
	failed := func(err error) (llm.Identity, error) {
		if ctx.Err() != nil {
			return id, m.lost(ctx, ctx.Err())
		}
		return id, m.refused(err, x, false)
	}
	version, err := client.Version(ctx)
	if err != nil {
		return failed(err)
	}
	id.Version = version
	list, err := client.List(ctx)
	if err != nil {
		return failed(err)
	}
	for _, e := range list.Models {
		if same(e.Name, m.name) {
			id.Name, id.Digest = e.Name, e.Digest
		}
	}
	show, err := client.Show(ctx, &api.ShowRequest{Model: m.name})
	if err != nil {
		return failed(err)
	}
	id.Family, id.Parameters, id.Quantization = show.Details.Family, show.Details.ParameterSize, show.Details.QuantizationLevel
	if arch, ok := show.ModelInfo["general.architecture"].(string); ok {
		if n, ok := show.ModelInfo[arch+".context_length"].(float64); ok {
			id.Context = int(n)
		}
	}
	return id, nil
}

// same reports whether a listed model is the one meant: names compare without case, and a name
// without a tag means the tag latest.
func same(listed, name string) bool {
	if !strings.Contains(name[strings.LastIndex(name, "/")+1:], ":") {
		name += ":latest"
	}
	return strings.EqualFold(listed, name)
}

// Embed turns texts into vectors, in one request. A text that does not fit the model's context is a
// failure, and not cut.
func (m *Model) Embed(ctx context.Context, texts []string) (*llm.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	req := &api.EmbedRequest{
		Model: m.name, Input: texts, Truncate: new(false),
		Options: m.options(0, 0), // as in a chat: other ones would load the model anew
	}
	if m.set.KeepAlive != "" {
		d, _ := llm.KeepAlive(m.set.KeepAlive) // read by Open
		req.KeepAlive = &api.Duration{Duration: d}
	}
	client, x := m.client(64 << 20)
	got, err := client.Embed(ctx, req)
	if ctx.Err() != nil {
		return nil, m.lost(ctx, ctx.Err())
	}
	if err != nil {
		return nil, m.refused(err, x, false)
	}
	resp := &llm.Response{Vectors: got.Embeddings, ServedBy: got.Model, Timing: llm.Timing{Load: got.LoadDuration, Total: got.TotalDuration}}
	if n := got.PromptEvalCount; n > 0 {
		resp.Usage.Prompt = &n
	}
	return resp, nil
}
