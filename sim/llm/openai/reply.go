package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"parley/sim/llm"
	"parley/sim/llm/wire"
)

// chunk is a piece of a stream, or a whole reply: they differ in whether a choice has a delta or a
// message. Fields that servers write in shapes of their own are read by types that take every shape.
type chunk struct {
	Model   text            `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   optional[usage] `json:"usage"`
	Timings optional[struct {
		Prompt   float64 `json:"prompt_ms"` // llama.cpp's, as all of them
		Generate float64 `json:"predicted_ms"`
		Cached   count   `json:"cache_n"`
	}] `json:"timings"`
}

type choice struct {
	Index    int             `json:"index"`
	Delta    *said           `json:"delta"`
	Message  *said           `json:"message"`
	Text     text            `json:"text"`
	Finish   text            `json:"finish_reason"`
	Error    json.RawMessage `json:"error"`
	Logprobs optional[struct {
		Content []logprob `json:"content"`
	}] `json:"logprobs"`
}

type said struct {
	Content          json.RawMessage `json:"content"`
	Refusal          text            `json:"refusal"`
	ReasoningContent text            `json:"reasoning_content"`
	Reasoning        text            `json:"reasoning"`
	ToolCalls        json.RawMessage `json:"tool_calls"`
	FunctionCall     json.RawMessage `json:"function_call"` // the name before tool_calls
}

type usage struct {
	Prompt     count `json:"prompt_tokens"`
	Completion count `json:"completion_tokens"`
	Hit        count `json:"prompt_cache_hit_tokens"` // DeepSeek's name
	Details    optional[struct {
		Cached count `json:"cached_tokens"`
	}] `json:"prompt_tokens_details"`
}

type logprob struct {
	Token string    `json:"token"`
	Value float64   `json:"logprob"`
	Top   []logprob `json:"top_logprobs"`
}

// optional reads a value that is left out where it has another shape.
type optional[T any] struct{ value *T }

func (o *optional[T]) UnmarshalJSON(raw []byte) error {
	var v *T
	if json.Unmarshal(raw, &v) == nil && v != nil {
		o.value = v
	}
	return nil
}

// count reads a number of tokens, also as 31.0 and "31". What cannot be one is unknown.
type count struct{ n *int }

func (c *count) UnmarshalJSON(raw []byte) error {
	var f float64
	raw = []byte(strings.Trim(string(raw), `"`))
	if json.Unmarshal(raw, &f) == nil && f >= 0 && f <= 1e8 && f == float64(int(f)) {
		n := int(f)
		c.n = &n
	}
	return nil
}

// reply gathers the chunks of one reply.
type reply struct {
	keys                      *llm.Keys
	probs                     bool // probabilities of tokens were asked for
	model, finish             string
	content, thought, refused strings.Builder
	notes                     []string
	logprobs                  []llm.TokenLogprob
	usage                     *usage
	timing                    llm.Timing
	cached                    *int // prompt tokens that llama.cpp had in its cache
	chosen                    bool // a choice was among the chunks
	finished                  bool // one had a reason for the end
}

func (r *reply) size() int { return r.content.Len() + r.thought.Len() + r.refused.Len() }

// add takes in one chunk.
func (r *reply) add(line []byte) error {
	var c chunk
	if err := json.Unmarshal(line, &c); err != nil {
		return &protocolError{"a piece of the reply does not parse: " + llm.Excerpt(r.keys.Redact(string(line)), 300), ""}
	}
	if c.Model != "" {
		r.model = r.keys.Redact(string(c.Model))
	}
	if c.Usage.value != nil {
		r.usage = c.Usage.value
	}
	if t := c.Timings.value; t != nil {
		r.timing.Prompt = time.Duration(t.Prompt * float64(time.Millisecond))
		r.timing.Generate = time.Duration(t.Generate * float64(time.Millisecond))
		r.cached = t.Cached.n
	}
	for i := range c.Choices {
		if c.Choices[i].Index != 0 {
			continue
		}
		if err := r.choose(&c.Choices[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *reply) choose(ch *choice) error {
	if len(ch.Error) > 0 && string(ch.Error) != "null" {
		return &saidError{wire.ReadRefusal(0, ch.Error, r.keys)}
	}
	r.chosen = true
	if ch.Finish != "" {
		r.finish, r.finished = r.keys.Redact(string(ch.Finish)), true
	}
	r.content.WriteString(string(ch.Text))
	for _, s := range []*said{ch.Delta, ch.Message} {
		if s == nil {
			continue
		}
		r.part(s.Content, &r.content)
		r.refused.WriteString(string(s.Refusal))
		if s.ReasoningContent != "" { // some servers send it under both names
			r.thought.WriteString(string(s.ReasoningContent))
		} else {
			r.thought.WriteString(string(s.Reasoning))
		}
		for _, calls := range []json.RawMessage{s.ToolCalls, s.FunctionCall} {
			if text := string(calls); text != "" && text != "null" && text != "[]" {
				r.toolCall(text)
			}
		}
	}
	if p := ch.Logprobs.value; p != nil && r.probs {
		for _, p := range p.Content {
			t := llm.TokenLogprob{Logprob: llm.Logprob{Token: p.Token, Value: p.Value}}
			for _, alt := range p.Top {
				t.Top = append(t.Top, llm.Logprob{Token: alt.Token, Value: alt.Value})
			}
			r.logprobs = append(r.logprobs, t)
		}
	}
	return nil
}

// toolCall keeps the first call of a tool, which was not offered, as the text of a reply without one:
// the raw JSON, which no reader takes for play.
func (r *reply) toolCall(calls string) {
	if strings.TrimSpace(r.content.String()) == "" {
		r.content.WriteString(`{"tool_calls":` + calls + `}`)
	}
}

// part reads what is in the place of a text: a string, null, a part, or a list of parts, nested as
// the server likes. Thoughts and refusals are kept apart; parts that hold no text are left out with a note.
func (r *reply) part(raw json.RawMessage, into *strings.Builder) {
	if len(raw) == 0 {
		return
	}
	switch raw[0] {
	case '"':
		s, _ := unquote(raw) // it parsed as part of the chunk
		into.WriteString(s)
	case '[':
		var parts []json.RawMessage
		json.Unmarshal(raw, &parts)
		for _, p := range parts {
			r.part(p, into)
		}
	case '{':
		var fields map[string]json.RawMessage
		json.Unmarshal(raw, &fields)
		var kind text
		json.Unmarshal(fields["type"], &kind)
		if string(fields["thought"]) == "true" { // Google's mark of a thought
			into = &r.thought
		}
		for word, other := range map[string]*strings.Builder{"think": &r.thought, "reason": &r.thought, "summary": &r.thought, "refus": &r.refused} {
			if strings.Contains(strings.ToLower(string(kind)), word) {
				into = other
			}
		}
		for _, name := range []string{"text", "thinking", "reasoning", "refusal", "content", "parts", "value", "summary"} {
			if inner, ok := fields[name]; ok {
				if name == "thinking" || name == "reasoning" {
					into = &r.thought
				}
				r.part(inner, into)
				return
			}
		}
		if note := "a part of the reply of type " + llm.Excerpt(r.keys.Redact(string(kind)), 40) + " was left out"; !slices.Contains(r.notes, note) && len(r.notes) < 20 {
			r.notes = append(r.notes, note)
		}
	}
}

// response makes of the chunks what came back; err is what ended them, io.EOF in the good case and
// nil where there was too much. A stream that ends without a reason and without [DONE] was cut.
func (m *Model) response(ctx context.Context, r *reply, x *exchange, maxText int, err error) (*llm.Response, error) {
	flood := err == nil || errors.Is(err, wire.ErrFlood)
	var said *saidError
	switch {
	case errors.As(err, &said): // an error beside text: the text is no reply
		return nil, m.lost(ctx, err)
	case flood && r.chosen, errors.Is(err, io.EOF) && r.chosen, r.finished: // what breaks after the end breaks nothing
	case flood, errors.Is(err, io.EOF):
		return nil, m.fail(llm.BadResponse, errors.New("the reply has no choices"), "")
	default:
		return nil, m.lost(ctx, err)
	}
	finish, note := wire.Finish(r.finish)
	if finish == "" {
		return nil, m.fail(llm.Overloaded, errors.New("the server did not finish the reply: "+llm.Excerpt(r.finish, 100)), "")
	}
	valid := func(b *strings.Builder) string { return m.keys.Redact(strings.ToValidUTF8(b.String(), "\uFFFD")) }
	resp := &llm.Response{
		Text: valid(&r.content), Reasoning: valid(&r.thought), Finish: finish, FinishRaw: llm.Excerpt(r.finish, 100),
		ServedBy: r.model, Logprobs: r.logprobs, Timing: r.timing, Notes: r.notes,
	}
	if over := len(resp.Text) - maxText; over > 0 {
		flood = true
		resp.Text = strings.ToValidUTF8(resp.Text[:maxText], "")
	}
	switch {
	case flood:
		resp.Finish = llm.Length
	case !r.finished && !x.done:
		resp.Finish = llm.Cut
	case r.refused.Len() > 0:
		resp.Finish = llm.Refused
		if resp.Text == "" {
			resp.Text = valid(&r.refused)
		}
	case note != "":
		resp.Notes = append(resp.Notes, note)
	}
	resp.Usage = r.tokens()
	return resp, nil
}

// tokens returns what the server counted. No prompt has 0 tokens: such a count is none.
func (r *reply) tokens() llm.Usage {
	u := r.usage
	if u == nil || u.Prompt.n == nil || *u.Prompt.n == 0 {
		return llm.Usage{}
	}
	cached := u.Hit.n
	if d := u.Details.value; d != nil {
		cached = cmp.Or(d.Cached.n, cached)
	}
	return llm.Usage{Prompt: u.Prompt.n, Completion: u.Completion.n, Cached: cmp.Or(cached, r.cached)}
}
