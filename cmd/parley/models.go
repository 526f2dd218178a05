package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"parley/eval/run"
	"parley/sim/llm"
	"parley/sim/llm/ollama"
	"parley/sim/llm/openai"
)

// registry lists the adapters of models.
func registry() llm.Registry {
	return llm.Registry{
		ollama.Adapter(),
		openai.Adapter(),
		llm.ScriptAdapter(func(file string) (io.ReadCloser, error) { return os.Open(file) }),
		llm.ReplayAdapter(run.Recorded),
	}
}

// keys are those in use, so that nothing that parley writes holds one.
var keys llm.Keys

// environment is what adapters may use of this process. Keys are read here and nowhere else.
func environment() llm.Env {
	return llm.Env{Getenv: os.Getenv, HTTP: httpClient, Now: time.Now, Keys: &keys}
}

// httpClient has no time limit of its own: a reply's is the adapter's.
var httpClient = &http.Client{Transport: func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 64
	return t
}()}

// openModel opens a model that the user names, with retries, for commands that ask now and then.
func openModel(ctx context.Context, text string) (llm.Model, error) {
	m, err := registry().Open(ctx, text, environment())
	if err != nil {
		return nil, usageError{err}
	}
	return llm.Wrap(m, llm.Retry(llm.Retrier{})), nil
}

// writer makes the function that characters and scenarios are written with. A reply that is not
// whole is an error.
func writer(m llm.Model, spec string, seed int64) func(ctx context.Context, prompt string, schema []byte) (string, error) {
	n := 0
	return func(ctx context.Context, prompt string, schema []byte) (string, error) {
		s := llm.Sampling{MaxTokens: 1200}.Complete()
		drawn := seed + int64(n)
		s.Seed = &drawn
		req := llm.Request{Messages: []llm.Message{llm.NewMessage(llm.User, prompt)}, Sampling: s, Schema: schema, Tag: llm.Tag{Purpose: "generate", Try: n}}
		n++
		resp, err := m.Generate(ctx, req)
		if llm.FaultOf(err) == llm.Unsupported {
			req.Schema = nil
			resp, err = m.Generate(ctx, req)
		}
		switch {
		case err != nil:
			return "", err
		case resp.Finish != llm.Stop:
			return "", fmt.Errorf("%s: the reply ended with %q", spec, resp.Finish)
		}
		return resp.Text, nil
	}
}
