package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"parley/sim/llm"
	"parley/sim/llm/llmtest"
	"parley/sim/llm/openai"
)

// open opens a model of the spec, which may lack the base URL.
func open(t *testing.T, spec string, o openai.Options) llm.Model {
	t.Helper()
	s, err := llm.ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	m, err := openai.Open(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// wireRequest is a request as OpenAI documents it.
type wireRequest struct {
	Model               string
	Messages            []struct{ Role, Content string }
	Stream              bool
	Temperature         *float64
	TopP                *float64 `json:"top_p"`
	Seed                *int64
	MaxTokens           *int `json:"max_tokens"`
	MaxCompletionTokens *int `json:"max_completion_tokens"`
	Stop                json.RawMessage
	Logprobs            bool
	TopLogprobs         int `json:"top_logprobs"`
	ResponseFormat      struct {
		JSONSchema struct {
			Schema json.RawMessage
		} `json:"json_schema"`
	} `json:"response_format"`
}

// serve is a server of chat completions, such as vLLM is one.
func serve(answer func(llmtest.Asked) llmtest.Answer) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"object":"list","data":[{"id":"m","object":"model","max_model_len":4096},{"id":"n","object":"model"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var q wireRequest
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			failWith(w, 400, `{"error":{"message":%q,"type":"invalid_request_error"}}`, err.Error())
			return
		}
		if q.Model == "missing" {
			failWith(w, 404, `{"error":{"message":"The model 'missing' does not exist","type":"NotFoundError","code":404}}`)
			return
		}
		asked := llmtest.Asked{
			Model: q.Model, Temperature: q.Temperature, TopP: q.TopP, Seed: q.Seed, MaxTokens: q.MaxTokens,
			HasStop: q.Stop != nil, Schema: q.ResponseFormat.JSONSchema.Schema,
		}
		json.Unmarshal(q.Stop, &asked.Stop)
		if q.MaxTokens == nil {
			asked.MaxTokens = q.MaxCompletionTokens
		}
		if q.Logprobs {
			asked.TopLogprobs = q.TopLogprobs
		}
		for _, m := range q.Messages {
			asked.Messages = append(asked.Messages, llm.Message{Role: llm.Role(m.Role), Content: m.Content})
		}
		write(w, r, q, answer(asked))
	})
	return mux
}

func failWith(w http.ResponseWriter, status int, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, format, args...)
}

func write(w http.ResponseWriter, r *http.Request, q wireRequest, a llmtest.Answer) {
	if a.Retry != "" {
		w.Header().Set("Retry-After", a.Retry)
	}
	switch a.Fault {
	case llm.TooLong:
		failWith(w, 400, `{"error":{"message":"This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`)
		return
	case llm.Overloaded:
		failWith(w, 503, `{"error":{"message":"The engine is currently overloaded","type":"server_error"}}`)
		return
	case llm.BadRequest:
		failWith(w, 400, `{"error":{"message":"Conversation roles must alternate user/assistant/user/assistant/...","type":"BadRequestError","code":400}}`)
		return
	case llm.BadResponse:
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"cont\n\n")
		return
	case llm.Unsupported:
		failWith(w, 400, `{"error":{"message":"'response_format.type' must be 'text'","type":"invalid_request_error","param":"response_format"}}`)
		return
	}
	model := q.Model
	if a.Model != "" {
		model = a.Model
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := io.Writer(w)
	if a.Bytewise {
		out = bytewise{w}
	}
	event := func(v any) {
		raw, _ := json.Marshal(v)
		fmt.Fprintf(out, "data: %s\n\n", raw)
	}
	type object = map[string]any
	chunk := func(choices ...any) object {
		return object{"id": "c", "object": "chat.completion.chunk", "model": model, "choices": choices}
	}
	event(chunk(object{"index": 0, "delta": object{"role": "assistant", "content": nil}, "finish_reason": nil}))
	if a.Reasoning != "" {
		event(chunk(object{"index": 0, "delta": object{"reasoning_content": a.Reasoning}}))
	}
	var probs any
	if a.Logprobs != nil {
		var content []object
		for _, p := range a.Logprobs {
			var top []object
			for _, alt := range p.Top {
				top = append(top, object{"token": alt.Token, "logprob": alt.Value, "bytes": []byte(alt.Token)})
			}
			content = append(content, object{"token": p.Token, "logprob": p.Value, "bytes": nil, "top_logprobs": top})
		}
		probs = object{"content": content}
	}
	for piece := range pieces(a.Text) {
		event(chunk(object{"index": 0, "delta": object{"content": piece}, "logprobs": probs}))
		probs = nil
	}
	w.(http.Flusher).Flush()
	switch {
	case a.Hang:
		<-r.Context().Done()
		if a.Left != nil {
			a.Left <- true
		}
		return
	case a.Break:
		panic(http.ErrAbortHandler)
	case a.Finish == llm.Cut:
		return
	case a.Finish == "":
		a.Finish = llm.Stop
	}
	event(chunk(object{"index": 0, "delta": object{}, "finish_reason": a.Finish}))
	if u := a.Usage; u.Prompt != nil {
		last := chunk()
		last["choices"] = []any{}
		last["usage"] = object{"prompt_tokens": *u.Prompt, "completion_tokens": *u.Completion, "total_tokens": *u.Prompt + *u.Completion}
		event(last)
	}
	io.WriteString(out, "data: [DONE]\n\n")
}

// pieces cuts a text into chunks of 40 characters, as good as tokens, or larger ones for a flood.
func pieces(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for runes := []rune(text); len(runes) > 0; {
			n := min(max(40, len(runes)/1000), len(runes))
			if !yield(string(runes[:n])) {
				return
			}
			runes = runes[n:]
		}
	}
}

type bytewise struct{ http.ResponseWriter }

func (b bytewise) Write(p []byte) (int, error) {
	for i := range p {
		b.ResponseWriter.Write(p[i : i+1])
		b.ResponseWriter.(http.Flusher).Flush()
	}
	return len(p), nil
}

func TestContract(t *testing.T) {
	for _, options := range []string{"", "?dialect=openai"} {
		t.Run("spec m"+options, func(t *testing.T) {
			llmtest.TestModel(t, llmtest.Protocol{
				Serve: serve,
				Open: func(t *testing.T, address, model string) llm.Model {
					return open(t, "openai:"+model+options+"@"+address+"/v1", openai.Options{Key: "k", MaxReply: 100_000})
				},
				MaxReply: 100_000,
			})
		})
	}
}
