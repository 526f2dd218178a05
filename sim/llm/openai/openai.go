// Package openai is the port to servers that speak OpenAI's chat completions: OpenAI itself, Azure,
// vLLM, llama.cpp, LM Studio, routers, and Ollama's /v1.
//
// It sends every sampling option that a server takes, temperature 0 included, and reports those that
// it does not take; it tells apart what such servers do when they fail. It does not retry a failure
// that asking again might repair, and reads no environment variable: key and names are given to it.
//
// go-openai makes addresses, headers and requests, and reads lines and vectors. The body of a chat
// request is put in place of the one that it would send (exchange.Do): as of v1.43.0 it has no extra
// fields for chat requests, drops a temperature of 0, and refuses by the model's name what a server may
// well take. Replies are read from its raw lines, since its types fail on null, on parts and on numbers
// in other shapes, which users' servers send.
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	kit "github.com/sashabaranov/go-openai"

	"parley/sim/llm"
	"parley/sim/llm/wire"
)

// DefaultBaseURL is where a model is asked for when its spec names no base URL.
const DefaultBaseURL = "https://api.openai.com/v1"

// Options is what a model needs besides its spec. The zero value asks api.openai.com without a key.
type Options struct {
	Key         string // sent as a bearer token, or as Azure's api-key; never part of an error
	KeyVariable string // where the key is read from, for the hint of an error

	AzureEndpoint string // base URL for azure=1 where the spec has none
	AzureVersion  string // api-version for azure=1 where the spec has none; empty: 2024-10-21

	HTTP     *http.Client     // nil: http.DefaultClient
	Timeout  time.Duration    // for a whole reply, loading the model included; 0: 10 minutes
	MaxReply int              // bytes of text after which a reply is cut; 0: 4 MiB; long before that by max_tokens
	Now      func() time.Time // for dates in Retry-After and for times; nil: both are left out
}

// Scheme begins the specs of models of servers with OpenAI's protocol, before a colon.
const Scheme = "openai"

// Adapter opens openai: models. Where a spec names no key_env, only OpenAI's own host and Azure's get a
// key: from OPENAI_API_KEY and AZURE_OPENAI_API_KEY.
func Adapter() llm.Adapter {
	return llm.Adapter{
		Scheme: Scheme, Usage: "openai:NAME[@URL]  a model of a server with OpenAI's chat completions",
		Defaults: llm.Defaults{Server: true, Hosted: true, Jobs: 8, KeyVariable: openAIKey},
		Open: func(ctx context.Context, spec llm.Spec, env llm.Env) (llm.Model, error) {
			o := Options{HTTP: env.HTTP, Now: env.Now, AzureEndpoint: env.Get("AZURE_OPENAI_ENDPOINT")}
			azure := spec.Options.Get("azure") != ""
			base, err := url.Parse(cmp.Or(spec.BaseURL, DefaultBaseURL))
			switch {
			case err != nil:
			case spec.Options.Get("key_env") != "":
				o.KeyVariable = spec.Options.Get("key_env")
			case azure && (spec.BaseURL == "" || spec.BaseURL == strings.TrimRight(o.AzureEndpoint, "/") || azureHost(base.Hostname())):
				o.KeyVariable = "AZURE_OPENAI_API_KEY"
			case !azure && base.Hostname() == openAIHost:
				o.KeyVariable = openAIKey
			}
			o.Key = env.Key(o.KeyVariable)
			return Open(ctx, spec, o)
		},
	}
}

const openAIHost, openAIKey = "api.openai.com", "OPENAI_API_KEY"

// azureHost reports whether a host is one that only Azure gives to its customers' resources.
func azureHost(host string) bool {
	return slices.ContainsFunc([]string{".openai.azure.com", ".openai.azure.us", ".openai.azure.cn",
		".cognitiveservices.azure.com", ".services.ai.azure.com"}, func(domain string) bool {
		return strings.HasSuffix(strings.ToLower(host), domain)
	})
}

// Model is a model behind one server. It also embeds texts and says what it is.
type Model struct {
	name, text string // for the server, and as the user wrote it
	base       *url.URL
	o          Options
	keys       llm.Keys // the one key, for redaction
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
//	key_env=NAME            the environment variable that holds the key; read by Adapter
//	plain_key=true          the key may be sent over http:// to another machine
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
	m.o.HTTP = wire.Client(o.HTTP)
	m.o.MaxReply = cmp.Or(max(o.MaxReply, 0), 4<<20)
	m.o.AzureVersion = cmp.Or(o.AzureVersion, "2024-10-21")
	azure, plainKey, keyEnv, speaks, deployment := false, false, "", "auto", spec.Name
	read := wire.NewOptions(spec)
	read.Text("key_env", &keyEnv)
	read.Bool("plain_key", &plainKey)
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
	m.o.Timeout = cmp.Or(max(m.o.Timeout, 0), 10*time.Minute)
	m.keys.Add(o.Key)
	if err := m.locate(spec, azure, plainKey); err != nil {
		return nil, err
	}
	m.o.KeyVariable = cmp.Or(keyEnv, o.KeyVariable)
	if m.o.KeyVariable == "" && m.base.Hostname() == openAIHost {
		m.o.KeyVariable = openAIKey
	}
	if azure {
		m.config = kit.DefaultAzureConfig(o.Key, m.base.String())
		m.config.APIVersion = m.o.AzureVersion
		m.config.AzureModelMapperFunc = func(string) string { return deployment }
	} else {
		m.config = kit.DefaultConfig(o.Key)
		m.config.BaseURL = m.base.String()
	}
	m.found = m.assume(speaks, azure)
	return m, nil
}

// locate sets the base URL, and refuses to send a key over a network in plain text.
func (m *Model) locate(spec llm.Spec, azure, plainKey bool) error {
	address := spec.BaseURL
	if azure && address == "" {
		if address = m.o.AzureEndpoint; address == "" {
			return fmt.Errorf("model %q: azure=1 needs the resource's address; write it after the model, such as openai:%s?azure=1@https://NAME.openai.azure.com", spec, spec.Name)
		}
	}
	base, err := url.Parse(strings.TrimRight(cmp.Or(address, DefaultBaseURL), "/"))
	if err != nil || base.Host == "" {
		return fmt.Errorf("model %q: the base URL does not parse", spec)
	}
	if m.o.Key != "" && base.Scheme != "https" && !wire.ThisMachine(base.Hostname()) && !plainKey {
		return fmt.Errorf("model %q: the key would go to %s unencrypted; write https://, or plain_key=true where the network is trusted", spec, base.Host)
	}
	m.base = base
	return nil
}

// assume returns what is known of a server by its address alone.
func (m *Model) assume(speaks string, azure bool) found {
	f := found{maxField: m.maxField}
	if host := m.base.Hostname(); speaks != "auto" {
		f.dialect = dialect(speaks)
	} else if azure || host == openAIHost || azureHost(host) {
		f.dialect = plain
	}
	if m.maxField == "auto" {
		f.maxField = "max_tokens"
		if f.dialect == plain && reasons.MatchString(m.name) {
			f.maxField = "max_completion_tokens"
		}
	}
	return f
}

// reasons matches the names of OpenAI's models that take max_completion_tokens only.
var reasons = regexp.MustCompile(`^(ft:)?(o\d|gpt-[5-9])`)

// needsKey fails before any network call where a key is needed and unset.
func (m *Model) needsKey() error {
	if m.o.Key == "" && m.o.KeyVariable != "" {
		return m.fail(llm.Denied, errors.New("no key is set"), m.keyHint())
	}
	return nil
}

// Generate asks the server for one reply. What the server refuses by name (an option), and a system
// message where it refuses that, is left out or written otherwise from then on; all else that fails is
// the caller's to handle.
func (m *Model) Generate(ctx context.Context, req llm.Request) (*llm.Response, error) {
	if err := m.needsKey(); err != nil {
		return nil, err
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
	folding := false // the system message, on trial
	for {
		known := m.knows()
		known.noSystem = known.noSystem || folding
		sent := m.body(req, known)
		resp, refused, err := m.chat(limited, req, sent)
		switch {
		case refused != nil && m.learn(refused, sent, known):
			continue
		case refused != nil && !folding && m.mayRefuseSystem(refused, req.Messages, known):
			folding = true
			continue
		case err != nil:
			return nil, err
		}
		m.mu.Lock()
		m.found.noSystem, m.found.system = m.found.noSystem || folding, m.found.system || !known.noSystem
		m.mu.Unlock()
		resp.Ignored = sent.ignored
		return resp, nil
	}
}

// chat puts one body to the server. A refusal is what the server answered where it did not take it.
func (m *Model) chat(ctx context.Context, req llm.Request, sent body) (*llm.Response, *wire.Refusal, error) {
	bounds := wire.ReplyBounds(req.Sampling.MaxTokens, req.TopLogprobs, m.o.MaxReply)
	x, err := m.exchange(sent, bounds)
	if err != nil {
		return nil, nil, err
	}
	start := m.now()
	stream, err := m.client(x).CreateChatCompletionStream(ctx, kit.ChatCompletionRequest{Model: m.name})
	if x.status >= http.StatusBadRequest {
		r := wire.ReadRefusal(x.status, x.failed, &m.keys)
		return nil, &r, m.refusedError(ctx, r, x.header, len(req.Schema) > 0)
	}
	if err != nil {
		return nil, nil, m.lost(ctx, err)
	}
	defer stream.Close()
	got := reply{keys: &m.keys, probs: req.TopLogprobs > 0}
	for err == nil && got.size() <= bounds.Text {
		var line []byte
		if line, err = stream.RecvRaw(); err == nil {
			err = got.add(line)
		}
		if got.timing.First == 0 && got.size() > 0 && m.stream && !start.IsZero() {
			got.timing.First = m.now().Sub(start)
		}
	}
	resp, err := m.response(ctx, &got, x, bounds.Text, err)
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
