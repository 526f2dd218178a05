// Package ollama is the port to an Ollama server by its native protocol, which, unlike its /v1, lets
// every sampling option and the size of the context be set.
//
// It never lets the server cut a prompt: one that does not fit is a failure of kind llm.TooLong. It
// does not choose the context's size, does not retry, and reads no environment variable.
package ollama

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/api"

	"parley/sim/llm"
	"parley/sim/llm/wire"
)

// DefaultHost is where a server is looked for when nothing says otherwise.
const DefaultHost = "http://127.0.0.1:11434"

// Options is what a model needs besides its spec. The zero value asks the server at DefaultHost.
type Options struct {
	// Host is the server's address where the spec has no base URL, in any form that OLLAMA_HOST
	// takes: host, host:port or a URL. Empty: DefaultHost.
	Host     string
	HTTP     *http.Client     // nil: http.DefaultClient
	Timeout  time.Duration    // for a whole reply, loading the model included; 0: 10 minutes
	MaxReply int              // bytes of text after which a reply is cut; 0: 4 MiB; long before that by max_tokens
	Now      func() time.Time // for dates in Retry-After and for times; nil: both are left out
}

// Scheme begins the specs of models of Ollama servers, before a colon.
const Scheme = "ollama"

// Adapter opens ollama: models. Where a spec has no address, OLLAMA_HOST has it.
func Adapter() llm.Adapter {
	return llm.Adapter{
		Scheme: Scheme, Usage: "ollama:NAME[@URL]  a model of an Ollama server",
		Defaults: llm.Defaults{Server: true, Jobs: 2, Context: 8192},
		Open: func(ctx context.Context, spec llm.Spec, env llm.Env) (llm.Model, error) {
			return Open(ctx, spec, Options{Host: env.Get("OLLAMA_HOST"), HTTP: env.HTTP, Now: env.Now})
		},
	}
}

// Model is a model on an Ollama server. It also embeds texts and says what it is.
type Model struct {
	name, text string // for the server, and as the user wrote it
	base       *url.URL
	o          Options
	set        llm.Sampling // what the spec sets for all requests
	gpu        int

	mu      sync.Mutex
	noThink map[string]bool // ways of thinking that the model does not take
}

var (
	_ llm.Model      = (*Model)(nil)
	_ llm.Embedder   = (*Model)(nil)
	_ llm.Identifier = (*Model)(nil)
)

// Open makes a model of a spec, without calling its server. The spec's options hold for all
// requests, whatever their sampling says:
//
//	num_ctx=8192     tokens of context; a change makes the server load the model anew
//	num_thread=1     threads
//	num_gpu=0        layers on the GPU
//	keep_alive=10m   how long the server keeps the model loaded; -1: for ever
//	think=on|off|low|medium|high
//	timeout=10m      for a whole reply, loading the model included
func Open(ctx context.Context, spec llm.Spec, o Options) (llm.Model, error) {
	m := &Model{name: spec.Name, text: spec.String(), o: o, gpu: -1, noThink: map[string]bool{}}
	m.o.HTTP = wire.Client(o.HTTP)
	m.o.Timeout = cmp.Or(max(o.Timeout, 0), 10*time.Minute)
	m.o.MaxReply = cmp.Or(max(o.MaxReply, 0), 4<<20)
	read := wire.NewOptions(spec)
	read.Int("num_ctx", 1, &m.set.NumCtx)
	read.Int("num_thread", 1, &m.set.NumThread)
	read.Int("num_gpu", 0, &m.gpu)
	read.Func("keep_alive", "seconds or a time such as 10m", func(s string) error {
		m.set.KeepAlive = s
		_, err := llm.KeepAlive(s)
		return err
	})
	read.Text("think", &m.set.Think, "on", "off", "low", "medium", "high")
	read.Duration("timeout", &m.o.Timeout)
	if err := read.Err(); err != nil {
		return nil, err
	}
	base, err := parseHost(cmp.Or(spec.BaseURL, o.Host))
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", spec, err)
	}
	m.base = base
	return m, nil
}

// parseHost reads an address as Ollama's own client does: without a scheme the port is 11434 where
// none is given, and "all interfaces", which only a server can mean, is this machine.
func parseHost(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		text = DefaultHost
	}
	port := ""
	if !strings.Contains(text, "://") {
		text, port = "http://"+text, "11434"
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		// What does not parse may hold a password, and is not repeated.
		return nil, errors.New("the server's address does not parse; write host, host:port or http://host:port")
	}
	host := u.Hostname()
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n > 65535 {
			return nil, fmt.Errorf("the server's address has port %s; ports end at 65535", p)
		}
		port = p
	}
	switch {
	case port != "":
		u.Host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		u.Host = "[" + host + "]"
	default:
		u.Host = host
	}
	// An address copied from a client of /v1 is meant all the same.
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1")
	return u, nil
}

// address is the server's, without credentials.
func (m *Model) address() string {
	u := *m.base
	u.User = nil
	return u.String()
}

func (m *Model) now() time.Time {
	if m.o.Now == nil {
		return time.Time{}
	}
	return m.o.Now()
}

// exchange is the transport of one call. The kit hides headers and loses what goes wrong within a
// stream; both are kept here.
type exchange struct {
	next   http.RoundTripper
	limit  int64
	header http.Header
	body   *wire.Body
}

func (x *exchange) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := x.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	x.header = resp.Header
	x.body = &wire.Body{ReadCloser: resp.Body, Left: x.limit}
	resp.Body = x.body
	return resp, nil
}

// cause returns what broke a reply off, where an error comes of that, as not all of the kit's say it.
func (x *exchange) cause(err error) error {
	if x.body != nil && x.body.Err != nil {
		return &brokenError{x.body.Err}
	}
	return err
}

// client returns a client for one call, whose reply may have so many bytes.
func (m *Model) client(limit int64) (*api.Client, *exchange) {
	c := *m.o.HTTP
	x := &exchange{next: c.Transport, limit: limit}
	if x.next == nil {
		x.next = http.DefaultTransport
	}
	c.Transport = x
	return api.NewClient(m.base, &c), x
}
