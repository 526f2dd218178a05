package ollama_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"parley/sim/llm"
	"parley/sim/llm/llmtest"
	"parley/sim/llm/ollama"
)

// open opens a model of the spec, which may lack the base URL.
func open(t *testing.T, spec string, o ollama.Options) llm.Model {
	t.Helper()
	s, err := llm.ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ollama.Open(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// wireRequest is a chat request of Ollama's own protocol.
type wireRequest struct {
	Model       string
	Messages    []struct{ Role, Content string }
	Stream      *bool
	Format      json.RawMessage
	KeepAlive   json.RawMessage `json:"keep_alive"`
	Think       json.RawMessage
	Truncate    *bool
	Shift       *bool
	Logprobs    bool
	TopLogprobs int `json:"top_logprobs"`
	Options     struct {
		Temperature *float64
		TopP        *float64 `json:"top_p"`
		Seed        *int64
		NumPredict  *int `json:"num_predict"`
		Stop        json.RawMessage
	}
}

// serve is an Ollama server with any model but "missing".
func serve(answer func(llmtest.Asked) llmtest.Answer) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, r *http.Request) {
		var q wireRequest
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			failWith(w, 400, err.Error())
			return
		}
		if q.Model == "missing" {
			failWith(w, 404, "model 'missing' not found")
			return
		}
		asked := llmtest.Asked{
			Model: q.Model, Temperature: q.Options.Temperature, TopP: q.Options.TopP, Seed: q.Options.Seed,
			MaxTokens: q.Options.NumPredict, HasStop: q.Options.Stop != nil, Schema: q.Format,
		}
		json.Unmarshal(q.Options.Stop, &asked.Stop)
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

func failWith(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": message})
}

func write(w http.ResponseWriter, r *http.Request, q wireRequest, a llmtest.Answer) {
	if a.Retry != "" {
		w.Header().Set("Retry-After", a.Retry)
	}
	switch a.Fault {
	case llm.TooLong:
		failWith(w, 400, "the input length exceeds the context length")
		return
	case llm.Overloaded:
		failWith(w, 503, "server busy, please try again.  maximum pending requests exceeded")
		return
	case llm.BadRequest:
		failWith(w, 500, `option "num_predict" must be of type integer`)
		return
	case llm.BadResponse:
		io.WriteString(w, "{\"model\":\"m\",\"messa\n")
		return
	case llm.Unsupported:
		failWith(w, 500, `invalid format: "yaml"; expected "json" or a valid JSON Schema`)
		return
	}
	model := q.Model
	if a.Model != "" {
		model = a.Model
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := io.Writer(w)
	if a.Bytewise {
		out = bytewise{w}
	}
	type object = map[string]any
	line := func(fields object) {
		fields["model"], fields["created_at"] = model, time.Unix(1, 0)
		raw, _ := json.Marshal(fields)
		fmt.Fprintf(out, "%s\n", raw)
	}
	if a.Reasoning != "" {
		line(object{"message": object{"role": "assistant", "content": "", "thinking": a.Reasoning}, "done": false})
	}
	var probs []object
	for _, p := range a.Logprobs {
		var top []object
		for _, alt := range p.Top {
			top = append(top, object{"token": alt.Token, "logprob": alt.Value})
		}
		probs = append(probs, object{"token": p.Token, "logprob": p.Value, "bytes": []int{65}, "top_logprobs": top})
	}
	for runes := []rune(a.Text); len(runes) > 0; probs = nil {
		n := min(max(40, len(runes)/1000), len(runes))
		line(object{"message": object{"role": "assistant", "content": string(runes[:n])}, "done": false, "logprobs": probs})
		runes = runes[n:]
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
		if a.Text == "" {
			line(object{"message": object{"role": "assistant", "content": ""}, "done": false})
		}
		return
	case a.Finish == "":
		a.Finish = llm.Stop
	}
	last := object{"message": object{"role": "assistant", "content": ""}, "done": true, "done_reason": a.Finish}
	if u := a.Usage; u.Prompt != nil {
		last["prompt_eval_count"], last["eval_count"] = *u.Prompt, *u.Completion
		last["load_duration"], last["prompt_eval_duration"], last["eval_duration"], last["total_duration"] = 1e6, 2e6, 3e6, 7e6
	}
	line(last)
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
	llmtest.TestModel(t, llmtest.Protocol{
		Serve: serve,
		Open: func(t *testing.T, address, model string) llm.Model {
			return open(t, "ollama:"+model, ollama.Options{Host: address, MaxReply: 100_000})
		},
		MaxReply: 100_000,
	})
}
