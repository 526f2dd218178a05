package llmtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/sim/llm"
	"parley/sim/llm/llmtest"
	"parley/sim/llm/wire"
)

// lines is the least that an adapter needs: the client of a protocol in which the request is one JSON object and the
// reply is one for each piece, the last of which has a finish reason.
type lines struct {
	model, url string
	client     *http.Client
	now        func() time.Time
}

// linesAdapter is the line of a registry: it opens lines:NAME@http://host.
var linesAdapter = llm.Adapter{
	Scheme: "lines", Usage: "lines:NAME@URL  a model of a server that speaks lines", Defaults: llm.Defaults{Server: true, Jobs: 4},
	Open: func(_ context.Context, spec llm.Spec, env llm.Env) (llm.Model, error) {
		return &lines{spec.Name, spec.BaseURL, wire.Client(env.HTTP), env.Now}, wire.NewOptions(spec).Err()
	},
}

const maxReply = 64 << 10

// piece is a part of a reply on the wire.
type piece struct {
	Text, Reasoning, Finish, Model string
	Usage                          llm.Usage
	Logprobs                       []llm.TokenLogprob
}

func (m *lines) fail(f llm.Fault, err error, hint string) error {
	return &llm.Error{Model: "lines:" + m.model, Fault: f, Err: err, Hint: hint}
}

// Generate asks the server for one reply.
func (m *lines) Generate(ctx context.Context, req llm.Request) (*llm.Response, error) {
	s, prompt := req.Sampling.Complete(), wire.Messages(req.Messages)
	if len(prompt) == 0 {
		return nil, m.fail(llm.BadRequest, errors.New("the prompt is empty"), "")
	}
	asked := llmtest.Asked{Model: m.model, Messages: prompt, Temperature: s.Temperature, TopP: s.TopP, MaxTokens: &s.MaxTokens,
		Stop: s.Stop, HasStop: len(s.Stop) > 0, Schema: req.Schema, TopLogprobs: req.TopLogprobs}
	if s.Seed != nil {
		asked.Seed = new(wire.Seed(*s.Seed))
	}
	body, err := json.Marshal(asked)
	if err != nil {
		return nil, m.fail(llm.BadRequest, err, "")
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(body))
	if err != nil {
		return nil, m.fail(llm.BadRequest, err, "")
	}
	got, err := m.client.Do(post)
	if err != nil {
		return nil, wire.Lost(ctx, "lines:"+m.model, err, "is the server running?")
	}
	defer got.Body.Close()
	bounds := wire.ReplyBounds(s.MaxTokens, req.TopLogprobs, maxReply)
	limited := &wire.Body{ReadCloser: got.Body, Left: bounds.Stream}
	if got.StatusCode != http.StatusOK {
		return nil, m.refused(got, limited)
	}
	return m.read(ctx, limited, bounds)
}

// refused is the error of a server that said no.
func (m *lines) refused(got *http.Response, body io.Reader) error {
	raw, _ := io.ReadAll(body) // what came of it
	said := wire.ReadRefusal(got.StatusCode, raw, nil)
	e := &llm.Error{Model: "lines:" + m.model, Fault: said.Fault(), Err: errors.New(said.All())}
	if e.Fault == llm.NotFound {
		e.Hint = "does the server have the model?"
	}
	if m.now != nil {
		e.RetryAfter = wire.RetryAfter(got.Header, m.now())
	}
	return e
}

// read gathers the pieces of a reply. One that is too long is cut, and one without a finish reason was cut by the server.
func (m *lines) read(ctx context.Context, body *wire.Body, bounds wire.Bounds) (*llm.Response, error) {
	resp := &llm.Response{Finish: llm.Cut}
	var text, thought strings.Builder
	for in, done := json.NewDecoder(body), false; !done; {
		var p piece
		err := in.Decode(&p)
		if err != nil && err != io.EOF && body.Err != wire.ErrFlood {
			return nil, wire.Lost(ctx, "lines:"+m.model, err, "")
		}
		text.WriteString(p.Text)
		thought.WriteString(p.Reasoning)
		resp.Logprobs = append(resp.Logprobs, p.Logprobs...)
		switch {
		case text.Len() > bounds.Text || body.Err == wire.ErrFlood:
			resp.Finish, done = llm.Length, true
		case p.Finish != "":
			resp.Finish, _ = wire.Finish(p.Finish)
			resp.Usage, resp.ServedBy, done = p.Usage, p.Model, true
		default:
			done = err == io.EOF
		}
	}
	resp.Text, resp.Reasoning = strings.ToValidUTF8(text.String()[:min(text.Len(), bounds.Text)], ""), thought.String()
	return resp, nil
}

// serveLines is a server of the protocol.
func serveLines(answer func(llmtest.Asked) llmtest.Answer) http.Handler {
	status := map[llm.Fault]int{llm.TooLong: 413, llm.Overloaded: 503, llm.BadRequest: 400, llm.Unsupported: 501}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked llmtest.Asked
		if json.NewDecoder(r.Body).Decode(&asked) != nil || asked.Model == "missing" {
			http.Error(w, `{"error":"no such model"}`, http.StatusNotFound)
			return
		}
		if string(asked.Schema) == "null" {
			asked.Schema = nil
		}
		a := answer(asked)
		switch {
		case a.Fault == llm.BadResponse:
			io.WriteString(w, "<!doctype html>")
			return
		case a.Fault != "":
			w.Header().Set("Retry-After", a.Retry)
			http.Error(w, `{"error":"no"}`, status[a.Fault])
			return
		}
		out := json.NewEncoder(w)
		out.Encode(piece{Text: a.Text, Reasoning: a.Reasoning, Logprobs: a.Logprobs})
		w.(http.Flusher).Flush()
		switch {
		case a.Break:
			panic(http.ErrAbortHandler)
		case a.Hang:
			<-r.Context().Done()
			if a.Left != nil {
				a.Left <- nil
			}
		case a.Finish == "":
			out.Encode(piece{Finish: string(llm.Stop), Usage: a.Usage, Model: a.Model})
		case a.Finish != llm.Cut:
			out.Encode(piece{Finish: string(a.Finish), Usage: a.Usage, Model: a.Model})
		}
	})
}

// A new adapter is held against the promises of package llm by a server of its own protocol.
func TestNewAdapter(t *testing.T) {
	llmtest.TestModel(t, llmtest.Protocol{Serve: serveLines, MaxReply: maxReply, Open: func(t *testing.T, address, model string) llm.Model {
		m, err := llm.Registry{linesAdapter}.Open(t.Context(), "lines:"+model+"@"+address, llm.Env{Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}})
}
