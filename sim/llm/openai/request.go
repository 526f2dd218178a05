package openai

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"parley/sim/llm"
	"parley/sim/llm/wire"
)

// dialect is which sampling options a server is sent.
type dialect string

const (
	plain    dialect = "openai"   // OpenAI's own
	ollama   dialect = "ollama"   // OpenAI's own; its defaults for the others act unseen
	extended dialect = "extended" // also top_k, min_p, repetition penalties, template options
)

// found is what has been found out about a server and its model.
type found struct {
	dialect  dialect // empty: not yet
	maxField string
	swapped  bool     // it was the other one first
	system   bool     // a request with a system message was answered
	noSystem bool     // the model takes no system message
	failed   int      // how often it answered 500 to a system message, before it took one
	silent   int      // how often it did not say which dialect it speaks
	noBounds bool     // strict schemas may not limit lengths
	refused  []string // fields that it does not take
	version  string
}

// knows returns what has been found out so far.
func (m *Model) knows() found {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.found
	f.refused = slices.Clone(f.refused)
	return f
}

// body is a request as the server gets it, and the sampling options that it leaves out.
type body struct {
	fields   map[string]any
	optional []string // fields that can be left out
	ignored  []string
}

func (b *body) ignore(option string) {
	if !slices.Contains(b.ignored, option) {
		b.ignored = append(b.ignored, option)
	}
}

// put adds a field that can be left out, and is where the server is known not to take it.
func (b *body) put(known *found, option, field string, value any) {
	b.optional = append(b.optional, field)
	if !slices.Contains(known.refused, field) {
		b.fields[field] = value
	} else if option != "" {
		b.ignore(option)
	}
}

// body writes a request for what is known of the server.
func (m *Model) body(req llm.Request, known found) body {
	b := body{fields: map[string]any{"model": m.name, "messages": messages(req.Messages, known.noSystem)}}
	if m.stream && !slices.Contains(known.refused, "stream") {
		b.optional = append(b.optional, "stream")
		b.fields["stream"] = true
		b.put(&known, "", "stream_options", map[string]any{"include_usage": true})
	}
	b.sampling(&known, req.Sampling)
	b.think(&known, req.Sampling.Think)
	if req.TopLogprobs > 0 {
		b.put(&known, "top_logprobs", "logprobs", true)
		if b.fields["logprobs"] != nil {
			b.put(&known, "top_logprobs", "top_logprobs", req.TopLogprobs)
		}
	}
	if len(req.Schema) > 0 {
		shape := req.Schema
		if known.noBounds {
			shape = unbounded(shape)
		}
		schema := map[string]any{"name": "reply", "schema": shape}
		if m.strict == "true" || m.strict == "auto" && strict(req.Schema) {
			schema["strict"] = true
		}
		b.fields["response_format"] = map[string]any{"type": "json_schema", "json_schema": schema}
	}
	slices.Sort(b.ignored)
	return b
}

// sampling adds the sampling options that the server takes.
func (b *body) sampling(known *found, s llm.Sampling) {
	put := func(option, field string, value any) { b.put(known, option, field, value) }
	temperature := *s.Temperature
	if temperature < 1e-6 { // as good as 0, which no sampler divides by
		temperature = 0
	}
	b.fields[known.maxField] = s.MaxTokens
	put("temperature", "temperature", temperature)
	put("top_p", "top_p", *s.TopP)
	put("presence_penalty", "presence_penalty", *s.PresencePenalty)
	put("frequency_penalty", "frequency_penalty", *s.FrequencyPenalty)
	if s.Seed != nil {
		put("seed", "seed", wire.Seed(*s.Seed))
	}
	if len(s.Stop) > 0 {
		put("stop", "stop", s.Stop)
	}
	if known.dialect == extended {
		topK := *s.TopK
		if topK == 0 {
			topK = -1 // how vLLM, SGLang and llama.cpp all write "off"
		}
		put("top_k", "top_k", topK)
		put("min_p", "min_p", *s.MinP)
		put("", "repetition_penalty", *s.RepeatPenalty) // vLLM, SGLang, routers
		put("", "repeat_penalty", *s.RepeatPenalty)     // llama.cpp, LM Studio
		put("", "repeat_last_n", *s.RepeatLastN)
		if slices.Contains(known.refused, "repetition_penalty") && slices.Contains(known.refused, "repeat_penalty") {
			b.ignore("repeat_penalty")
		}
	}
	// A server without an option does as if it were off. Ollama has the options, on by default, and
	// lets nobody set them here.
	for option, on := range map[string]bool{"top_k": *s.TopK != 0, "min_p": *s.MinP != 0, "repeat_penalty": *s.RepeatPenalty != 1} {
		if known.dialect == ollama || known.dialect == plain && on {
			b.ignore(option)
		}
	}
	if s.NumCtx != 0 {
		b.ignore("num_ctx")
	}
	if s.NumThread != 0 {
		b.ignore("num_thread")
	}
	if s.KeepAlive != "" {
		b.ignore("keep_alive")
	}
}

// think adds how the model is to think.
func (b *body) think(known *found, think string) {
	switch {
	case think == "":
	case think == "low", think == "medium", think == "high":
		b.put(known, "think", "reasoning_effort", think)
	case known.dialect == extended:
		b.put(known, "think", "chat_template_kwargs", map[string]any{"enable_thinking": think == "on"})
	case think == "off":
		b.put(known, "think", "reasoning_effort", "none")
	default:
		b.ignore("think")
	}
}

type message struct {
	Role    llm.Role `json:"role"`
	Content string   `json:"content"`
}

// messages writes the prompt. Where the model takes no system message, its text opens the user's
// first one.
func messages(prompt []llm.Message, noSystem bool) []message {
	if noSystem {
		prompt = slices.Clone(prompt)
		for i := range prompt {
			if prompt[i].Role == llm.System {
				prompt[i] = llm.Message{Role: llm.User, Content: prompt[i].Content}
			}
		}
		prompt = llm.Join(prompt)
	}
	out := make([]message, len(prompt))
	for i, p := range prompt {
		out[i] = message{p.Role, p.Content}
	}
	return out
}

// strict reports whether a schema meets what OpenAI asks of a strict one: every object lists all its
// properties as required and allows no others.
func strict(schema json.RawMessage) bool {
	var root any
	if json.Unmarshal(schema, &root) != nil {
		return false
	}
	return strictNode(root)
}

func strictNode(node any) bool {
	switch n := node.(type) {
	case []any:
		return !slices.ContainsFunc(n, func(v any) bool { return !strictNode(v) })
	case map[string]any:
		if properties, ok := n["properties"].(map[string]any); ok || n["type"] == "object" {
			if more, ok := n["additionalProperties"].(bool); !ok || more {
				return false
			}
			required, _ := n["required"].([]any)
			if len(required) != len(properties) {
				return false
			}
			for _, p := range properties {
				if !strictNode(p) {
					return false
				}
			}
		}
		for key, v := range n {
			if key != "properties" && !strictNode(v) {
				return false
			}
		}
	}
	return true
}

// boundWords are the keywords of a schema that bound a reply and that not every server takes: OpenAI
// refuses uniqueItems and maxLength in a strict schema.
var boundWords = regexp.MustCompile(`\b(?:uniqueItems|maxLength|maxItems)\b`)

// unbounded returns a schema without these keywords.
func unbounded(schema json.RawMessage) json.RawMessage {
	var root any
	if json.Unmarshal(schema, &root) != nil {
		return schema
	}
	var strip func(node any)
	strip = func(node any) {
		switch n := node.(type) {
		case []any:
			for _, v := range n {
				strip(v)
			}
		case map[string]any:
			for key, v := range n {
				if strip(v); boundWords.MatchString(key) {
					delete(n, key)
				}
			}
		}
	}
	strip(root)
	bare, err := json.Marshal(root)
	if err != nil {
		return schema
	}
	return bare
}

// learn takes in why a server did not take a body, and reports whether another one is worth sending:
// whether it refused, by name, something that can be left out or written otherwise.
func (m *Model) learn(r *wire.Refusal, sent body, known found) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.Status != 400 && r.Status != 422 || r.Fault() != llm.BadRequest {
		return false
	}
	said := r.All()
	if m.maxField == "auto" && !known.swapped && strings.Contains(said, "max_completion_tokens") && declines.MatchString(said) {
		m.found.swapped = true
		m.found.maxField = "max_completion_tokens"
		if known.maxField == "max_completion_tokens" {
			m.found.maxField = "max_tokens"
		}
		return true
	}
	if !known.noBounds && sent.fields["response_format"] != nil && boundWords.MatchString(said) {
		m.found.noBounds = true
		return true
	}
	again := false
	for _, name := range refuses(r, sent.optional) {
		if _, was := sent.fields[name]; was {
			again = true
			if !slices.Contains(m.found.refused, name) {
				m.found.refused = append(m.found.refused, name)
			}
		}
	}
	return again
}

// mayRefuseSystem reports whether a refusal may be one of the system message, which servers word in
// many ways and send with 400, 422 or 500. It is worth a second request with the system message folded
// into the user's first one, as long as no request with a system message was ever answered. A 500 that does
// not speak of roles is tried so each third time.
func (m *Model) mayRefuseSystem(r *wire.Refusal, prompt []llm.Message, known found) bool {
	if known.system || known.noSystem || !slices.ContainsFunc(prompt, func(p llm.Message) bool { return p.Role == llm.System }) {
		return false
	}
	if r.Status == 500 { // without a word it may also be a server that is broken for the moment
		m.mu.Lock()
		defer m.mu.Unlock()
		m.found.failed++
		return roleWords.MatchString(r.Message) || m.found.failed%3 == 0
	}
	named := slices.ContainsFunc(r.Params, func(field string) bool { return field != "messages" && !roleWords.MatchString(field) })
	return (r.Status == 400 || r.Status == 422) && r.Fault() == llm.BadRequest && !named && !schemaWords.MatchString(r.All())
}

// roleWords are in what a server writes when its chat template fails over a role.
var roleWords = regexp.MustCompile(`(?i)system|\broles?\b|jinja|template|raise_exception`)
