// Package openai is the port to servers that speak OpenAI's chat completions: OpenAI itself, Azure,
// vLLM, llama.cpp, LM Studio, routers, and Ollama's /v1.
//
// It sends every sampling option that a server takes, temperature 0 included, and reports those that
// it does not take; it tells apart what such servers do when they fail. It does not retry a failure
// that asking again might mend, and knows no environment variable: key and names are given to it.
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	kit "github.com/sashabaranov/go-openai"

	"parley/sim/llm"
	"parley/sim/llm/internal/wire"
)

// DefaultBaseURL is where a model is asked for when its spec names no base URL.
const DefaultBaseURL = "https://api.openai.com/v1"

// Options is what a model needs besides its spec. The zero value asks api.openai.com without a key.
type Options struct {
	Key         string // sent as a bearer token, or as Azure's api-key; never part of an error
	KeyVariable string // where the key is read from, for the hint of an error; empty: OPENAI_API_KEY for OpenAI's own host, else none

	AzureEndpoint string // base URL for azure=1 where the spec has none
	AzureVersion  string // api-version for azure=1 where the spec has none; empty: 2024-10-21

	HTTP     *http.Client     // nil: http.DefaultClient
	Timeout  time.Duration    // for a whole reply, loading the model included; 0: 10 minutes
	MaxReply int              // bytes of text after which a reply is cut; 0: 4 MiB
	Now      func() time.Time // for dates in Retry-After and for times; nil: both are left out
}

// Adapter opens openai: models. Where a spec names no key_env, only OpenAI's own host and Azure get a
// key: from OPENAI_API_KEY and AZURE_OPENAI_API_KEY.
func Adapter() llm.Adapter {
	return llm.Adapter{
		Scheme: "openai", Usage: "openai:NAME[@URL]  a model of a server with OpenAI's chat completions",
		Defaults: llm.Defaults{Server: true, Hosted: true, Jobs: 8, KeyVariable: openAIKey},
		Open: func(ctx context.Context, spec llm.Spec, env llm.Env) (llm.Model, error) {
			o := Options{HTTP: env.HTTP, Now: env.Now, AzureEndpoint: env.Get("AZURE_OPENAI_ENDPOINT")}
			switch base, err := url.Parse(cmp.Or(spec.BaseURL, DefaultBaseURL)); {
			case spec.Options.Get("key_env") != "":
				o.KeyVariable = spec.Options.Get("key_env")
			case spec.Options.Get("azure") != "":
				o.KeyVariable = "AZURE_OPENAI_API_KEY"
			case err == nil && base.Hostname() == openAIHost:
				o.KeyVariable = openAIKey
			}
			o.Key = env.Key(o.KeyVariable)
			return Open(ctx, spec, o)
		},
	}
}

const openAIHost, openAIKey = "api.openai.com", "OPENAI_API_KEY"

// Model is a model behind one server. It also embeds texts and says what it is.
type Model struct {
	name, text string // for the server, and as the user wrote it
	base       *url.URL
	o          Options
	config     kit.ClientConfig
	stream     bool
	strict     string
	maxField   string

	mu    sync.Mutex
	found found
}

var (
	_ llm.Model      = (*Model)(nil)
	_ llm.Embedder   = (*Model)(nil)
	_ llm.Identifier = (*Model)(nil)
)

// Open makes a model of a spec, without calling its server. The spec's options are
//
//	key_env=NAME            the environment variable that holds the key; read by the command
//	stream=false            ask for the reply in one piece
//	strict=true|false|auto  strict JSON schemas; auto: where the schema meets OpenAI's rules for them
//	max_tokens_field=max_tokens|max_completion_tokens|auto
//	dialect=openai|ollama|extended|auto
//	                        which sampling options are sent: OpenAI's own, what Ollama's /v1 takes (the
//	                        same), or also top_k, min_p and repetition penalties; auto: by the address,
//	                        then by asking the server once, and without what it refuses by name
//	timeout=10m             for a whole reply
//	azure=1, api_version=2024-10-21, deployment=NAME
//	                        Azure's addresses; the deployment is called as the model where not said
func Open(ctx context.Context, spec llm.Spec, o Options) (llm.Model, error) {
	m := &Model{name: spec.Name, text: spec.String(), o: o, stream: true, strict: "auto", maxField: "auto"}
	if m.o.HTTP == nil {
		m.o.HTTP = http.DefaultClient
	}
	if m.o.Timeout <= 0 {
		m.o.Timeout = 10 * time.Minute
	}
	if m.o.MaxReply <= 0 {
		m.o.MaxReply = wire.MaxReply
	}
	if m.o.AzureVersion == "" {
		m.o.AzureVersion = "2024-10-21"
	}
	azure, keyEnv, speaks, deployment := false, "", "auto", spec.Name
	read := wire.NewOptions(spec)
	read.Text("key_env", &keyEnv)
	read.Bool("stream", &m.stream)
	read.Text("strict", &m.strict, "true", "false", "auto")
	read.Text("max_tokens_field", &m.maxField, "max_tokens", "max_completion_tokens", "auto")
	read.Text("dialect", &speaks, string(plain), string(ollama), string(extended), "auto")
	read.Duration("timeout", &m.o.Timeout)
	read.Bool("azure", &azure)
	read.Text("api_version", &m.o.AzureVersion)
	read.Text("deployment", &deployment)
	if err := read.Err(); err != nil {
		return nil, err
	}
	if keyEnv != "" {
		m.o.KeyVariable = keyEnv
	}

	address := spec.BaseURL
	if azure && address == "" {
		if address = o.AzureEndpoint; address == "" {
			return nil, fmt.Errorf("model %q: azure=1 needs the resource's address; write it after the model, such as openai:%s?azure=1@https://NAME.openai.azure.com", spec, spec.Name)
		}
	}
	if address == "" {
		address = DefaultBaseURL
	}
	base, err := url.Parse(strings.TrimRight(address, "/"))
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("model %q: the base URL does not parse", spec)
	}
	m.base = base
	if m.o.KeyVariable == "" && base.Hostname() == openAIHost {
		m.o.KeyVariable = openAIKey
	}
	if azure {
		m.config = kit.DefaultAzureConfig(o.Key, base.String())
		m.config.APIVersion = m.o.AzureVersion
		m.config.AzureModelMapperFunc = func(string) string { return deployment }
	} else {
		m.config = kit.DefaultConfig(o.Key)
		m.config.BaseURL = base.String()
	}

	host := base.Hostname()
	if speaks != "auto" {
		m.found.dialect = dialect(speaks)
	} else if azure || host == openAIHost || strings.HasSuffix(host, ".openai.azure.com") {
		m.found.dialect = plain
	}
	m.found.maxField = m.maxField
	if m.maxField == "auto" {
		m.found.maxField = "max_tokens"
		if m.found.dialect == plain && reasons.MatchString(spec.Name) {
			m.found.maxField = "max_completion_tokens"
		}
	}
	return m, nil
}

// reasons matches the names of OpenAI's models that take max_completion_tokens only.
var reasons = regexp.MustCompile(`^(ft:)?(o\d|gpt-[5-9])`)

// Generate asks the server for one reply. What the server refuses by name (an option, a role) is
// left out from then on; all else that fails is the caller's to handle.
func (m *Model) Generate(ctx context.Context, req llm.Request) (*llm.Response, error) {
	if m.o.Key == "" && m.base.Hostname() == openAIHost {
		return nil, m.fail(llm.Denied, errors.New("no key is set"), m.keyHint())
	}
	limited, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	if err := m.probe(limited); err != nil {
		return nil, err
	}
	req.Sampling = req.Sampling.Complete()
	if err := req.Sampling.Validate(); err != nil {
		return nil, m.fail(llm.BadRequest, err, "")
	}
	req.Messages = wire.Messages(req.Messages)
	if len(req.Messages) == 0 {
		return nil, m.fail(llm.BadRequest, errors.New("the prompt is empty"), "")
	}
	for {
		known := m.knows()
		sent := m.body(req, known)
		resp, refused, err := m.chat(limited, req, sent)
		if refused != nil && m.learn(refused, sent, known) {
			continue
		}
		if err != nil {
			return nil, err
		}
		resp.Ignored = sent.ignored
		resp.Truncated = known.dialect == ollama && resp.Usage.Prompt != nil && wire.Cut(req.Messages, *resp.Usage.Prompt)
		return resp, nil
	}
}

// chat puts one body to the server. A refusal is what the server answered where it did not take it.
func (m *Model) chat(ctx context.Context, req llm.Request, sent body) (*llm.Response, *refusal, error) {
	x, err := m.exchange(sent)
	if err != nil {
		return nil, nil, err
	}
	start := m.now()
	// The kit makes the address, the headers and the lines; the body it would send is replaced, since
	// it drops a temperature of 0 and refuses by the model's name what the server may well take.
	stream, err := m.client(x).CreateChatCompletionStream(ctx, kit.ChatCompletionRequest{Model: m.name})
	if x.status >= http.StatusBadRequest {
		r := parseRefusal(x.status, x.failed)
		return nil, &r, m.refusedError(ctx, r, x.header, len(req.Schema) > 0)
	}
	if err != nil {
		return nil, nil, m.lost(ctx, err)
	}
	defer stream.Close()
	var got reply
	for err == nil && got.size() <= m.o.MaxReply {
		var line []byte
		if line, err = stream.RecvRaw(); err == nil {
			err = got.add(line)
		}
	}
	resp, err := m.response(ctx, &got, err)
	if err != nil {
		return nil, nil, err
	}
	if !start.IsZero() {
		resp.Timing.Total = m.now().Sub(start)
	}
	return resp, nil, nil
}

func (m *Model) now() time.Time {
	if m.o.Now == nil {
		return time.Time{}
	}
	return m.o.Now()
}
