package ollama

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"parley/sim/llm"
	"parley/sim/llm/wire"
)

// Generate asks the server for one reply.
func (m *Model) Generate(ctx context.Context, req llm.Request) (*llm.Response, error) {
	limited, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	req.Sampling = req.Sampling.Complete()
	if err := req.Sampling.Validate(); err != nil {
		return nil, m.fail(llm.BadRequest, err, "")
	}
	chat, err := m.chat(req)
	if err != nil {
		return nil, err
	}
	ignored := m.think(chat, req.Sampling.Think)
	resp, err := m.ask(limited, chat)
	if e, ok := err.(*llm.Error); ok && chat.Think != nil && e.Fault == llm.BadRequest && refusesThink.MatchString(e.Err.Error()) {
		m.mu.Lock()
		m.noThink[m.wants(req.Sampling.Think)] = true
		m.mu.Unlock()
		ignored = m.think(chat, req.Sampling.Think)
		resp, err = m.ask(limited, chat)
	}
	if err != nil {
		return nil, err
	}
	resp.Ignored = ignored
	numCtx, _ := chat.Options["num_ctx"].(int)
	// Servers that do not know truncate=false show it only so.
	resp.Truncated = numCtx > 0 && resp.Usage.Prompt != nil && *resp.Usage.Prompt >= numCtx
	return resp, nil
}

// refusesThink matches how a server says that a model does not think, or not so.
var refusesThink = regexp.MustCompile(`not support thinking|think value`)

// chat writes a request with a sampling that is complete and valid, all but its thinking.
func (m *Model) chat(req llm.Request) (*api.ChatRequest, error) {
	prompt := wire.Messages(req.Messages)
	if len(prompt) == 0 {
		return nil, m.fail(llm.BadRequest, errors.New("the prompt is empty"), "")
	}
	s := req.Sampling
	if m.set.KeepAlive != "" {
		s.KeepAlive = m.set.KeepAlive
	}
	chat := &api.ChatRequest{
		Model:    m.name,
		Format:   req.Schema,
		Options:  m.options(s.NumCtx, s.NumThread),
		Truncate: new(false), // a prompt that does not fit is an error, and not cut
		Shift:    new(false), // nor is it while the reply is written
	}
	for _, p := range prompt {
		chat.Messages = append(chat.Messages, api.Message{Role: string(p.Role), Content: p.Content})
	}
	temperature := *s.Temperature
	if temperature < 1e-6 { // the runner aborts on the smallest floats
		temperature = 0
	}
	for name, value := range map[string]any{
		"temperature": temperature, "top_p": *s.TopP, "top_k": *s.TopK, "min_p": *s.MinP,
		"repeat_penalty": *s.RepeatPenalty, "repeat_last_n": *s.RepeatLastN,
		"presence_penalty": *s.PresencePenalty, "frequency_penalty": *s.FrequencyPenalty,
		"num_predict": s.MaxTokens,
	} {
		chat.Options[name] = value
	}
	if s.Seed != nil {
		chat.Options["seed"] = wire.Seed(*s.Seed)
	}
	if len(s.Stop) > 0 { // an empty list would take away the model's own
		chat.Options["stop"] = s.Stop
	}
	if s.KeepAlive != "" {
		d, _ := llm.KeepAlive(s.KeepAlive) // it is valid
		chat.KeepAlive = &api.Duration{Duration: d}
	}
	if req.TopLogprobs > 0 {
		chat.Logprobs, chat.TopLogprobs = true, req.TopLogprobs
	}
	return chat, nil
}

// options are those that the model is loaded with: the same in every request, or it is loaded anew.
func (m *Model) options(numCtx, numThread int) map[string]any {
	o := map[string]any{}
	if m.set.NumCtx > 0 {
		numCtx = m.set.NumCtx
	}
	if m.set.NumThread > 0 {
		numThread = m.set.NumThread
	}
	if numCtx > 0 {
		o["num_ctx"] = numCtx
	}
	if numThread > 0 {
		o["num_thread"] = numThread
	}
	if m.gpu >= 0 {
		o["num_gpu"] = m.gpu
	}
	return o
}

// wants is how the model is to think: as the spec says, or else the request.
func (m *Model) wants(think string) string {
	if m.set.Think != "" {
		return m.set.Think
	}
	return think
}

// think sets the request's thinking, and returns it as ignored where the model is known not to take it.
func (m *Model) think(chat *api.ChatRequest, think string) (ignored []string) {
	think = m.wants(think)
	chat.Think = nil
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case think == "":
	case m.noThink[think]:
		return []string{"think"}
	case think == "on", think == "off":
		chat.Think = &api.ThinkValue{Value: think == "on"}
	default:
		chat.Think = &api.ThinkValue{Value: think}
	}
	return nil
}

// stream gathers the pieces of one reply.
type stream struct {
	content, thought strings.Builder
	probs            bool           // probabilities of tokens were asked for
	tools            []api.ToolCall // the first ones
	logprobs         []llm.TokenLogprob
	last             api.ChatResponse
	seen             bool // a piece came
}

func (s *stream) add(r api.ChatResponse) {
	s.content.WriteString(r.Message.Content)
	s.thought.WriteString(r.Message.Thinking)
	if len(s.tools) < 10 {
		s.tools = append(s.tools, r.Message.ToolCalls...)
	}
	for _, p := range r.Logprobs {
		if s.probs {
			s.logprobs = append(s.logprobs, logprob(p))
		}
	}
	r.Message.ToolCalls, r.Logprobs = nil, nil
	s.seen = s.seen || r.Model != "" || !r.CreatedAt.IsZero() || s.content.Len()+s.thought.Len() > 0
	s.last = r
}

// text is the reply as it came. A call of a tool, which was not offered, is its raw JSON.
func (s *stream) text(limit int) string {
	text := s.content.String()
	if len(s.tools) > 0 && strings.TrimSpace(text) == "" {
		calls, _ := json.Marshal(map[string]any{"tool_calls": s.tools})
		text = string(calls)
	}
	return strings.ToValidUTF8(text[:min(len(text), limit)], "")
}

// ask puts the request to the server and gathers the stream.
func (m *Model) ask(ctx context.Context, chat *api.ChatRequest) (*llm.Response, error) {
	got := stream{probs: chat.Logprobs}
	tokens, _ := chat.Options["num_predict"].(int)
	bounds := wire.ReplyBounds(tokens, chat.TopLogprobs, m.o.MaxReply)
	start, first := m.now(), time.Duration(0)
	header, err := m.post(ctx, chat, bounds, func(r api.ChatResponse) error {
		if got.add(r); first == 0 && got.content.Len()+got.thought.Len() > 0 && !start.IsZero() {
			first = m.now().Sub(start)
		}
		if got.content.Len()+got.thought.Len() > bounds.Text {
			return wire.ErrFlood
		}
		return nil
	})
	flood := errors.Is(err, wire.ErrFlood)
	last := &got.last
	switch {
	case flood && got.seen, last.Done && err == nil:
	case ctx.Err() != nil:
		return nil, m.lost(ctx, ctx.Err())
	case err != nil:
		return nil, m.refused(err, header, len(chat.Format) > 0)
	case !got.seen:
		return nil, m.fail(llm.BadResponse, errors.New("the server answered nothing"), "is it an Ollama server?")
	}
	if last.DoneReason == "load" || last.DoneReason == "unload" {
		return nil, m.fail(llm.BadRequest, errors.New("the server loaded the model and wrote nothing: it saw no message to answer"), "")
	}
	finish, note := wire.Finish(last.DoneReason)
	if finish == "" {
		return nil, m.fail(llm.Overloaded, errors.New("the server did not finish the reply: "+llm.Excerpt(last.DoneReason, 100)), "")
	}
	resp := &llm.Response{
		Text: got.text(bounds.Text), Reasoning: got.thought.String(), Finish: finish, FinishRaw: llm.Excerpt(last.DoneReason, 100),
		ServedBy: last.Model, Logprobs: got.logprobs,
		Timing: llm.Timing{Load: last.LoadDuration, First: first, Prompt: last.PromptEvalDuration, Generate: last.EvalDuration, Total: last.TotalDuration},
	}
	switch {
	case flood:
		resp.Finish = llm.Length
	case !last.Done: // such as after 30 equal tokens, where the server stops without a word
		resp.Finish = llm.Cut
	case note != "":
		resp.Notes = []string{note}
	}
	if last.PromptEvalCount > 0 && last.EvalCount >= 0 { // how many came from its cache, the server does not say
		resp.Usage = llm.Usage{Prompt: &last.PromptEvalCount, Completion: &last.EvalCount}
	}
	if !start.IsZero() {
		resp.Timing.Total = m.now().Sub(start)
	}
	return resp, nil
}

// post sends a request for a reply and gives on its pieces. The kit's client takes 8 MiB for each request, too
// much for many at once.
func (m *Model) post(ctx context.Context, chat *api.ChatRequest, bounds wire.Bounds, each func(api.ChatResponse) error) (http.Header, error) {
	body, err := json.Marshal(chat)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.base.JoinPath("api", "chat").String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/x-ndjson")
	resp, err := m.o.HTTP.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	src := bufio.NewReader(&wire.Body{ReadCloser: resp.Body, Left: bounds.Stream})
	for end := error(nil); end == nil; {
		var line []byte
		if line, end = wire.Line(src, bounds.Frame); end != nil && end != io.EOF {
			return resp.Header, &brokenError{end}
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := failure(resp.StatusCode, line); err != nil {
			return resp.Header, err
		}
		var piece api.ChatResponse
		if err := json.Unmarshal(line, &piece); err != nil {
			return resp.Header, err
		}
		if err := each(piece); err != nil {
			return resp.Header, err
		}
	}
	return resp.Header, failure(resp.StatusCode, nil)
}

// failure returns what a line of an answer says went wrong, as the kit's client does.
func failure(status int, line []byte) error {
	var said struct {
		Error string `json:"error"`
	}
	text := string(line)
	err := json.Unmarshal(line, &said)
	if err == nil {
		text = said.Error
	}
	switch {
	case status == http.StatusUnauthorized:
		return api.AuthorizationError{StatusCode: status}
	case status >= http.StatusBadRequest:
		return api.StatusError{StatusCode: status, ErrorMessage: cmp.Or(text, http.StatusText(status))}
	case len(line) > 0 && text != "":
		return errors.New(text)
	}
	return nil
}

func logprob(p api.Logprob) llm.TokenLogprob {
	t := llm.TokenLogprob{Logprob: llm.Logprob{Token: p.Token, Value: p.Logprob}}
	for _, alt := range p.TopLogprobs {
		t.Top = append(t.Top, llm.Logprob{Token: alt.Token, Value: alt.Logprob})
	}
	return t
}
