package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"parley/sim/llm"
	"parley/sim/llm/internal/wire"
)

// chunk is a piece of a stream, or a whole reply: they differ in whether a choice has a delta or a
// message.
type chunk struct {
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage"`
	Timings *timings `json:"timings"`
}

type choice struct {
	Index    int   `json:"index"`
	Delta    *said `json:"delta"`
	Message  *said `json:"message"`
	Finish   text  `json:"finish_reason"`
	Logprobs *struct {
		Content []logprob `json:"content"`
	} `json:"logprobs"`
}

type said struct {
	Content          text `json:"content"`
	Refusal          text `json:"refusal"`
	ReasoningContent text `json:"reasoning_content"`
	Reasoning        text `json:"reasoning"`
}

type usage struct {
	Prompt     int  `json:"prompt_tokens"`
	Completion int  `json:"completion_tokens"`
	Hit        *int `json:"prompt_cache_hit_tokens"` // DeepSeek's name
	Details    *struct {
		Cached *int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// timings is what llama.cpp adds, in milliseconds.
type timings struct {
	Prompt   float64 `json:"prompt_ms"`
	Generate float64 `json:"predicted_ms"`
}

type logprob struct {
	Token string    `json:"token"`
	Value float64   `json:"logprob"`
	Top   []logprob `json:"top_logprobs"`
}

// text takes what servers put where a text is due: a string, null, or a list of parts, of which the
// texts count. Bytes of a character that was split between two chunks are kept as they are.
type text string

func (t *text) UnmarshalJSON(raw []byte) error {
	switch {
	case len(raw) > 0 && raw[0] == '"':
		s, err := unquote(raw)
		*t = text(s)
		return err
	case len(raw) > 0 && raw[0] == '[':
		var parts []struct {
			Type string `json:"type"`
			Text text   `json:"text"`
		}
		if json.Unmarshal(raw, &parts) != nil {
			return nil
		}
		for _, p := range parts {
			if p.Type == "text" {
				*t += p.Text
			}
		}
	}
	return nil
}

// unquote reads a JSON string as encoding/json does, except that invalid UTF-8 is not replaced: on
// the way through, such bytes stand as the last characters of a private plane.
func unquote(raw []byte) (string, error) {
	const stand = 0x10FE00
	if utf8.Valid(raw) {
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	}
	var valid bytes.Buffer
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		if r == utf8.RuneError && n == 1 {
			r = stand + rune(raw[0])
		}
		valid.WriteRune(r)
		raw = raw[n:]
	}
	var s string
	if err := json.Unmarshal(valid.Bytes(), &s); err != nil {
		return "", err
	}
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r >= stand && r <= stand+0xFF {
			out = append(out, byte(r-stand))
			continue
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out), nil
}

// reply gathers the chunks of one reply.
type reply struct {
	model, finish             string
	content, thought, refused strings.Builder
	logprobs                  []llm.TokenLogprob
	usage                     *usage
	timings                   *timings
	chosen                    bool // a choice was among the chunks
}

func (r *reply) size() int { return r.content.Len() + r.thought.Len() + r.refused.Len() }

// add takes in one chunk.
func (r *reply) add(line []byte) error {
	var c chunk
	if err := json.Unmarshal(line, &c); err != nil {
		return &protocolError{"a piece of the reply does not parse: " + wire.Excerpt(string(line)), ""}
	}
	if c.Model != "" {
		r.model = c.Model
	}
	if c.Usage != nil {
		r.usage = c.Usage
	}
	if c.Timings != nil {
		r.timings = c.Timings
	}
	for _, ch := range c.Choices {
		if ch.Index != 0 {
			continue
		}
		r.chosen = true
		if ch.Finish != "" {
			r.finish = string(ch.Finish)
		}
		for _, s := range []*said{ch.Delta, ch.Message} {
			if s == nil {
				continue
			}
			r.content.WriteString(string(s.Content))
			r.refused.WriteString(string(s.Refusal))
			if s.ReasoningContent != "" { // some servers send it under both names
				r.thought.WriteString(string(s.ReasoningContent))
			} else {
				r.thought.WriteString(string(s.Reasoning))
			}
		}
		if ch.Logprobs != nil {
			for _, p := range ch.Logprobs.Content {
				t := llm.TokenLogprob{Logprob: llm.Logprob{Token: p.Token, Value: p.Value}}
				for _, alt := range p.Top {
					t.Top = append(t.Top, llm.Logprob{Token: alt.Token, Value: alt.Value})
				}
				r.logprobs = append(r.logprobs, t)
			}
		}
	}
	return nil
}

// response makes of the chunks what came back; err is what ended them, io.EOF in the good case and
// nil where there was too much.
func (m *Model) response(ctx context.Context, r *reply, err error) (*llm.Response, error) {
	flood := err == nil || errors.Is(err, wire.ErrFlood)
	complete := r.finish != "" // what breaks after that breaks nothing
	switch {
	case flood && r.chosen, errors.Is(err, io.EOF) && r.chosen, complete:
	case flood, errors.Is(err, io.EOF):
		return nil, m.fail(llm.BadResponse, errors.New("the reply has no choices"), "")
	default:
		return nil, m.lost(ctx, err)
	}
	if r.finish == "error" {
		return nil, m.fail(llm.Overloaded, errors.New("the server gave up in the middle of the reply"), "")
	}
	resp := &llm.Response{ServedBy: r.model, Logprobs: r.logprobs, Finish: finishes[strings.ToLower(r.finish)]}
	resp.Text, resp.Reasoning = wire.Reasoning(strings.ToValidUTF8(r.content.String(), "\uFFFD"))
	if r.thought.Len() > 0 {
		resp.Reasoning = strings.TrimSpace(strings.ToValidUTF8(r.thought.String(), "\uFFFD") + "\n" + resp.Reasoning)
	}
	if over := len(resp.Text) - m.o.MaxReply; over > 0 {
		flood = true
		resp.Text = strings.ToValidUTF8(resp.Text[:m.o.MaxReply], "")
	}
	switch {
	case flood:
		resp.Finish = llm.Length
	case r.finish == "":
		resp.Finish = llm.Cut
	case resp.Finish == "":
		resp.Finish = llm.Stop // a reason of the server's own
	}
	if r.refused.Len() > 0 {
		resp.Finish = llm.Refused
		if resp.Text == "" {
			resp.Text = strings.ToValidUTF8(r.refused.String(), "\uFFFD")
		}
	}
	if u := r.usage; u != nil && u.Prompt > 0 { // no prompt has 0 tokens: such a count is none
		resp.Usage = llm.Usage{Prompt: &u.Prompt, Completion: &u.Completion, Cached: u.Hit}
		if u.Details != nil && u.Details.Cached != nil {
			resp.Usage.Cached = u.Details.Cached
		}
	}
	if t := r.timings; t != nil {
		resp.Timing.Prompt = time.Duration(t.Prompt * float64(time.Millisecond))
		resp.Timing.Generate = time.Duration(t.Generate * float64(time.Millisecond))
	}
	return resp, nil
}

var finishes = map[string]llm.Finish{
	"stop": llm.Stop, "eos": llm.Stop, "stop_sequence": llm.Stop, "end_turn": llm.Stop,
	"length": llm.Length, "max_tokens": llm.Length, "model_length": llm.Length,
	"content_filter": llm.Filtered, "content-filter": llm.Filtered, "safety": llm.Filtered, "prohibited_content": llm.Filtered,
	"refusal": llm.Refused,
	"abort":   llm.Cut, "cancelled": llm.Cut,
}
