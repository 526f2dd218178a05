// Package llmtest holds what tests of models and with models need: small models that do as told, and
// the contract that every adapter passes. Shipped code does not import it.
package llmtest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"parley/sim/llm"
)

// Reply returns a model that gives the texts in turn, and from then on fails with a fault that is
// not worth trying again.
func Reply(texts ...string) llm.Model {
	var mu sync.Mutex
	return llm.Func(func(ctx context.Context, req llm.Request) (*llm.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(texts) == 0 {
			return nil, &llm.Error{Model: "test", Fault: llm.BadRequest, Err: errors.New("no reply is left")}
		}
		text := texts[0]
		texts = texts[1:]
		return answer(req, text), nil
	})
}

// Func returns a model that answers with what a function makes of the request.
func Func(f func(req llm.Request) string) llm.Model {
	return llm.Func(func(ctx context.Context, req llm.Request) (*llm.Response, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return answer(req, f(req)), nil
	})
}

// Echo returns a model that says what was said last.
func Echo() llm.Model {
	return Func(func(req llm.Request) string {
		if len(req.Messages) == 0 {
			return ""
		}
		return req.Messages[len(req.Messages)-1].Content
	})
}

// Fail returns a model that fails always so.
func Fail(err error) llm.Model {
	return llm.Func(func(context.Context, llm.Request) (*llm.Response, error) { return nil, err })
}

// Instant returns a model that gives one and the same response without looking at the request, for
// measuring what is around it. Nobody may write to the response.
func Instant(text string) llm.Model {
	n := 0
	resp := &llm.Response{Text: text, Finish: llm.Stop, ServedBy: "instant", Usage: llm.Usage{Prompt: &n, Completion: &n}}
	return llm.Func(func(context.Context, llm.Request) (*llm.Response, error) { return resp, nil })
}

// answer makes a response of a text; words stand for tokens.
func answer(req llm.Request, text string) *llm.Response {
	prompt, words := 0, len(strings.Fields(text))
	for _, m := range req.Messages {
		prompt += len(strings.Fields(m.Content))
	}
	return &llm.Response{Text: text, Finish: llm.Stop, ServedBy: "test", Usage: llm.Usage{Prompt: &prompt, Completion: &words}}
}

// Tape is a model that keeps what it is asked.
type Tape struct {
	llm.Model
	mu       sync.Mutex
	requests []llm.Request
}

// NewTape wraps a model.
func NewTape(m llm.Model) *Tape { return &Tape{Model: m} }

// Generate keeps the request and asks the model.
func (t *Tape) Generate(ctx context.Context, req llm.Request) (*llm.Response, error) {
	kept := req
	kept.Messages = slices.Clone(req.Messages)
	t.mu.Lock()
	t.requests = append(t.requests, kept)
	t.mu.Unlock()
	return t.Model.Generate(ctx, req)
}

// Requests returns what was asked so far, in order.
func (t *Tape) Requests() []llm.Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.requests)
}
