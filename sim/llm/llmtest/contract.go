package llmtest

import (
	"encoding/json"
	"net/http"
	"testing"

	"parley/sim/llm"
)

// Asked is a request as it was on the wire, read by a fake server of the adapter's protocol. What
// was not there is nil or empty.
type Asked struct {
	Model       string
	Messages    []llm.Message
	Temperature *float64
	TopP        *float64
	Seed        *int64
	MaxTokens   *int
	Stop        []string
	HasStop     bool // also where the list is empty
	Schema      json.RawMessage
	TopLogprobs int
}

// Answer is what a fake server answers, in whatever its protocol writes it.
type Answer struct {
	Text      string
	Reasoning string // in the field that the protocol has for it
	Finish    llm.Finish
	Usage     llm.Usage
	Logprobs  []llm.TokenLogprob
	Model     string // that the server says answered; empty: the one asked for

	Bytewise bool       // the body goes out a byte at a time
	Hang     bool       // nothing comes after the text, until the client leaves
	Break    bool       // the connection breaks after the text
	Fault    llm.Fault  // the server fails so instead, in its own words
	Retry    string     // Retry-After, with a fault
	Left     chan<- any // told when the client of an answer that hangs has left
}

// Protocol is an adapter with a fake server of its own wire protocol.
type Protocol struct {
	// Serve returns a server that answers each request for a reply by the function. A request for a
	// model called "missing" is its own affair: it fails as the real server does.
	Serve func(answer func(Asked) Answer) http.Handler
	// Open opens a model of the server at the address.
	// Its replies are cut at MaxReply bytes of text, or at as many as max_tokens allows.
	Open     func(t *testing.T, address, model string) llm.Model
	MaxReply int
}
