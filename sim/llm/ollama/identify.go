package ollama

import (
	"context"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"parley/sim/llm"
)

// Identify says which weights the server has under the model's name, and what the server is. What it
// does not tell is noted; a server that is not there, or that has no such model, is an error.
func (m *Model) Identify(ctx context.Context) (llm.Identity, error) {
	limited, cancel := context.WithTimeout(ctx, min(m.o.Timeout, time.Minute))
	defer cancel()
	id := llm.Identity{Name: m.name, Server: m.address()}
	client, x := m.client(64 << 20)
	// settle makes a failure of an error that stops a run, and notes all others.
	settle := func(err error) error {
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return m.lost(ctx, ctx.Err())
		case limited.Err() != nil:
			err = limited.Err()
		default:
			err = m.refused(x.cause(err), x.header, false)
			if fault := llm.FaultOf(err); fault == llm.Unreachable || fault == llm.NotFound && id.Version != "" || fault == llm.Denied {
				return err
			}
		}
		id.Note = "the server did not identify the model: " + err.Error()
		return nil
	}
	version, err := client.Version(limited)
	if err := settle(err); err != nil {
		return id, err
	}
	id.Version = version
	list, err := client.List(limited)
	if err := settle(err); err != nil {
		return id, err
	}
	if list != nil {
		for _, e := range list.Models {
			if same(e.Name, m.name) {
				id.Name, id.Digest = e.Name, e.Digest
			}
		}
	}
	show, err := client.Show(limited, &api.ShowRequest{Model: m.name})
	if err != nil {
		return id, settle(err)
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
		return nil, m.refused(x.cause(err), x.header, false)
	}
	resp := &llm.Response{Vectors: got.Embeddings, ServedBy: got.Model, Timing: llm.Timing{Load: got.LoadDuration, Total: got.TotalDuration}}
	if n := got.PromptEvalCount; n > 0 {
		resp.Usage.Prompt = &n
	}
	return resp, nil
}
