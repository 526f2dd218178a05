package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"parley/sim/llm"
	"parley/sim/llm/ollama"
	"parley/sim/llm/openai"
)

// registry knows how to open every scheme. Keys are read from the environment here and nowhere else.
func registry() llm.Registry {
	return llm.Registry{
		"openai": openOpenAI,
		"ollama": func(ctx context.Context, spec llm.Spec) (llm.Model, error) {
			return ollama.Open(ctx, spec, ollama.Options{Host: os.Getenv("OLLAMA_HOST"), HTTP: httpClient, Now: time.Now})
		},
		"script": func(_ context.Context, spec llm.Spec) (llm.Model, error) {
			f, err := os.Open(spec.Name)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			return llm.OpenScript(f, spec.Name)
		},
		"replay": openReplay,
	}
}

// httpClient has no time limit of its own: a reply's is the adapter's.
var httpClient = &http.Client{Transport: func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 64
	return t
}()}

// openOpenAI opens a model behind an OpenAI-shaped server. The key's variable is OPENAI_API_KEY, for
// Azure AZURE_OPENAI_API_KEY, or the one that key_env names. Only OpenAI's own host and Azure get a
// key that was not named for them.
func openOpenAI(ctx context.Context, spec llm.Spec) (llm.Model, error) {
	variable := spec.Options.Get("key_env")
	if variable == "" {
		switch {
		case spec.Options.Get("azure") != "":
			variable = "AZURE_OPENAI_API_KEY"
		case spec.BaseURL == "" || strings.HasPrefix(spec.BaseURL, openai.DefaultBaseURL):
			variable = "OPENAI_API_KEY"
		}
	}
	o := openai.Options{KeyVariable: variable, HTTP: httpClient, Now: time.Now, AzureEndpoint: os.Getenv("AZURE_OPENAI_ENDPOINT")}
	if variable != "" {
		o.Key = os.Getenv(variable)
		keys.add(o.Key)
	}
	return openai.Open(ctx, spec, o)
}

// openReplay answers from the calls of an earlier run.
func openReplay(_ context.Context, spec llm.Spec) (llm.Model, error) {
	if _, err := readManifest(spec.Name); err != nil {
		return nil, err
	}
	calls, err := llm.Collect(rows[llm.Call](spec.Name, streamCalls))
	if err != nil {
		return nil, err
	}
	return llm.NewReplay(spec.String(), calls)
}

// openModel opens a model that the user names, with retries, for commands that ask now and then.
func openModel(ctx context.Context, text string) (llm.Model, error) {
	m, err := registry().Open(ctx, text)
	if err != nil {
		return nil, usageError{err}
	}
	return llm.Wrap(m, llm.Retry(llm.Retrier{Now: time.Now})), nil
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

// keyring remembers the keys in use, so that nothing that parley writes holds one.
type keyring struct {
	mu   sync.Mutex
	keys []string
}

var keys keyring

func (k *keyring) add(key string) {
	if len(key) < 8 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys = append(k.keys, key)
}

func secretsInUse() []string {
	keys.mu.Lock()
	defer keys.mu.Unlock()
	return keys.keys[:len(keys.keys):len(keys.keys)]
}
