// Package llm is the port to language models: what is asked of one, what comes back, what can go
// wrong, and the wrappers (retry, limit, meter, replay, cache) that add one concern each.
//
// It knows no vendor and no game. Adapters stand in the packages below it.
package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Model answers one request. An adapter's Generate is safe for concurrent use. Its error is an
// *Error wherever the cause is known. Nobody changes a response that came from another.
type Model interface {
	Generate(ctx context.Context, req Request) (*Response, error)
}

// Identifier is implemented by models that can say what really serves them.
type Identifier interface {
	Identify(ctx context.Context) (Identity, error)
}

// Identity is a served model as its server describes it, for a run's manifest. Unknown is empty or 0.
type Identity struct {
	Name         string `json:"name"`
	Digest       string `json:"digest,omitempty"`
	Family       string `json:"family,omitempty"`
	Parameters   string `json:"parameters,omitempty"`   // such as 134.52M
	Quantization string `json:"quantization,omitempty"` // such as Q4_1
	Context      int    `json:"context,omitempty"`      // tokens that the model itself can take
	Server       string `json:"server,omitempty"`       // address, without credentials
	Version      string `json:"version,omitempty"`      // of the server
	Note         string `json:"note,omitempty"`         // why the server told no more
}

// Role says who speaks in a prompt.
type Role string

const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one piece of a prompt. Neighbours of one role are one message to a server: an adapter
// joins them with a newline, so that a transcript can be sent line by line and stored once a line.
type Message struct {
	Role    Role
	Content string
	hash    string
}

// NewMessage returns a message that knows its hash, for prompts that are sent many times.
func NewMessage(role Role, content string) Message {
	m := Message{Role: role, Content: content}
	m.hash = m.Hash()
	return m
}

// Hash identifies the message: the first 16 bytes of SHA-256 over role, newline, content, in hex.
func (m Message) Hash() string {
	if m.hash != "" {
		return m.hash
	}
	var sum [sha256.Size]byte
	if len(m.Content) < 240 { // a line of a transcript
		var stack [256]byte
		sum = sha256.Sum256(m.appendTo(stack[:0]))
	} else {
		var stack [2048]byte
		sum = sha256.Sum256(m.appendTo(stack[:0]))
	}
	var text [32]byte
	hex.Encode(text[:], sum[:16])
	return string(text[:])
}

// appendTo appends what is hashed.
func (m *Message) appendTo(b []byte) []byte {
	b = append(append(b, m.Role...), '\n')
	return append(b, m.Content...)
}

// Join merges neighbours of one role, which servers with strict templates insist on.
func Join(messages []Message) []Message {
	var joined []Message
	for _, m := range messages {
		if n := len(joined); n > 0 && joined[n-1].Role == m.Role {
			joined[n-1] = Message{Role: m.Role, Content: joined[n-1].Content + "\n" + m.Content}
			continue
		}
		joined = append(joined, m)
	}
	return joined
}

// Sampling says how a reply is drawn. Nothing in it is left to a server's own defaults: Complete
// fills in what was not set, and every adapter sends all that its server takes.
type Sampling struct {
	Temperature      *float64 `yaml:"temperature,omitempty" json:"temperature,omitempty"`
	TopP             *float64 `yaml:"top_p,omitempty" json:"top_p,omitempty"`
	TopK             *int     `yaml:"top_k,omitempty" json:"top_k,omitempty"` // 0: off
	MinP             *float64 `yaml:"min_p,omitempty" json:"min_p,omitempty"` // 0: off
	RepeatPenalty    *float64 `yaml:"repeat_penalty,omitempty" json:"repeat_penalty,omitempty"`
	RepeatLastN      *int     `yaml:"repeat_last_n,omitempty" json:"repeat_last_n,omitempty"`
	PresencePenalty  *float64 `yaml:"presence_penalty,omitempty" json:"presence_penalty,omitempty"`
	FrequencyPenalty *float64 `yaml:"frequency_penalty,omitempty" json:"frequency_penalty,omitempty"`
	MaxTokens        int      `yaml:"max_tokens,omitempty" json:"max_tokens,omitempty"` // of the reply
	Seed             *int64   `yaml:"seed,omitempty" json:"seed,omitempty"`             // unset: one is drawn for every call from the run's seed
	Stop             []string `yaml:"stop,omitempty" json:"stop,omitempty"`

	// What only a local server takes.
	NumCtx    int    `yaml:"num_ctx,omitempty" json:"num_ctx,omitempty"`       // tokens of context; 0: from the real prompt, once a run
	NumThread int    `yaml:"num_thread,omitempty" json:"num_thread,omitempty"` // 0: the server's choice
	KeepAlive string `yaml:"keep_alive,omitempty" json:"keep_alive,omitempty"` // such as 10m or -1
	Think     string `yaml:"think,omitempty" json:"think,omitempty"`           // on, off, low, medium, high; empty: not sent
}

// Complete returns the sampling with everything set that a server would otherwise choose itself:
// temperature 0.8, top_p 1, no top_k, no min_p, no penalties, 400 tokens.
func (s Sampling) Complete() Sampling {
	def := func(p **float64, v float64) {
		if *p == nil {
			*p = &v
		}
	}
	def(&s.Temperature, 0.8)
	def(&s.TopP, 1)
	def(&s.MinP, 0)
	def(&s.RepeatPenalty, 1)
	def(&s.PresencePenalty, 0)
	def(&s.FrequencyPenalty, 0)
	if s.TopK == nil {
		s.TopK = new(int)
	}
	if s.RepeatLastN == nil {
		n := 64
		s.RepeatLastN = &n
	}
	if s.MaxTokens == 0 {
		s.MaxTokens = 400
	}
	switch s.Think { // as YAML has them
	case "true":
		s.Think = "on"
	case "false":
		s.Think = "off"
	}
	return s
}

// Validate says what no server could make sense of.
func (s Sampling) Validate() error {
	var errs []error
	number := func(name string, v *float64, low, high float64) {
		if v != nil && !(low <= *v && *v <= high) {
			errs = append(errs, fmt.Errorf("%s is %v: say %v to %v", name, *v, low, high))
		}
	}
	number("temperature", s.Temperature, 0, 100)
	number("top_p", s.TopP, 0, 1)
	number("min_p", s.MinP, 0, 1)
	number("repeat_penalty", s.RepeatPenalty, 0.01, 100)
	number("presence_penalty", s.PresencePenalty, -2, 2)
	number("frequency_penalty", s.FrequencyPenalty, -2, 2)
	least := func(name string, v *int, low int) {
		if v != nil && *v < low {
			errs = append(errs, fmt.Errorf("%s is %d: say %d or more", name, *v, low))
		}
	}
	least("top_k", s.TopK, 0)
	least("repeat_last_n", s.RepeatLastN, -1)
	least("max_tokens", &s.MaxTokens, 0)
	least("num_ctx", &s.NumCtx, 0)
	least("num_thread", &s.NumThread, 0)
	if s.KeepAlive != "" {
		_, err := KeepAlive(s.KeepAlive)
		errs = append(errs, err)
	}
	switch s.Think {
	case "", "on", "off", "true", "false", "low", "medium", "high":
	default:
		errs = append(errs, fmt.Errorf("think is %q: say on, off, low, medium or high", s.Think))
	}
	return errors.Join(errs...)
}

// KeepAlive reads how long a server keeps a model loaded: seconds, or a time such as 10m. Less than
// nothing is for ever.
func KeepAlive(text string) (time.Duration, error) {
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		return time.Duration(n) * time.Second, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("keep_alive %q is not seconds nor a time such as 10m", text)
	}
	return d, nil
}

// Request is one question to a model.
type Request struct {
	Messages []Message
	Sampling Sampling
	// Schema is a JSON schema that the reply has to satisfy, for servers that can enforce it.
	Schema json.RawMessage
	// TopLogprobs asks for the log-probabilities of that many alternatives a token, 0 to 20. With
	// 0, none are asked for.
	TopLogprobs int
	// Tag says what the request is for. It is never sent.
	Tag Tag
}

// Tag places a call within a run.
type Tag struct {
	Session string // empty outside of sessions
	Actor   string
	Purpose string // act, debrief, judge:<scorer>, generate ...
	Turn    int
	Try     int // 0 for the first time of asking; 1 and more after a reply that was of no use
	Repeat  int // of one question asked several times on purpose: 0, 1, 2 ...
	Dropped int // oldest events left out of the prompt to fit the context; for the record
}

// Finish says why a reply ended.
type Finish string

const (
	Stop     Finish = "stop"     // the model was done
	Length   Finish = "length"   // it ran into the limit
	Filtered Finish = "filtered" // a content filter stepped in
	Refused  Finish = "refused"  // the server says that the model refused
	Cut      Finish = "cut"      // the stream ended without a reason
	Embedded Finish = "embedded" // there are vectors instead of a text
)

// Usage counts tokens; nil is unknown.
type Usage struct {
	Prompt     *int // all prompt tokens, cached or not
	Cached     *int // of these, read from a cache
	Completion *int
}

// Timing is where a call's time went; 0 is unknown.
type Timing struct {
	Queue    time.Duration // waiting for parley's own limits
	Load     time.Duration // loading the model
	First    time.Duration // until the first piece of a streamed reply, as the adapter saw it
	Prompt   time.Duration // reading the prompt
	Generate time.Duration // writing the reply
	Total    time.Duration // all of it, as the caller saw it
}

// Logprob is a token with its log-probability.
type Logprob struct {
	Token string
	Value float64
}

// TokenLogprob is one token of the reply and its alternatives, the token itself among them where the
// server says so.
type TokenLogprob struct {
	Logprob
	Top []Logprob
}

// Response is what came back. An empty Text is a normal outcome.
type Response struct {
	Text      string // as it came, with the reasoning that the server left in it; see Ask
	Reasoning string // kept apart; never shown to another agent
	Finish    Finish
	FinishRaw string // the server's own word for it
	Unclear   bool   // Ask could not tell where the reasoning ends; Text is then empty
	Usage     Usage
	Logprobs  []TokenLogprob
	Vectors   [][]float32 // of the messages, from a model that Embedding made
	Timing    Timing
	ServedBy  string   // the model that the server says answered
	Truncated bool     // the server is known to have cut the prompt
	Ignored   []string // sampling options that this server does not take
	Notes     []string // what else was left out or unusual, such as unknown parts of the reply
	Attempts  int      // times asked until this came; 0 and 1 mean once
	FromCache bool     // a kept reply: no server was asked, Usage is what it cost then
}

// Middleware wraps a model to add one concern.
type Middleware func(Model) Model

// Wrap applies middleware so that the first one listed is the outermost.
func Wrap(m Model, mw ...Middleware) Model {
	for i := len(mw) - 1; i >= 0; i-- {
		m = mw[i](m)
	}
	return m
}

// Func makes a model of a function.
type Func func(ctx context.Context, req Request) (*Response, error)

// Generate calls the function.
func (f Func) Generate(ctx context.Context, req Request) (*Response, error) { return f(ctx, req) }
