package openai_test

import (
	gocmp "cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"parley/sim/llm"
	"parley/sim/llm/openai"
)

// TestBody holds what each kind of server is sent.
func TestBody(t *testing.T) {
	all := llm.Sampling{
		Temperature: new(0.0), TopP: new(0.9), TopK: new(40), MinP: new(0.05), RepeatPenalty: new(1.1), RepeatLastN: new(32),
		PresencePenalty: new(0.5), FrequencyPenalty: new(0.25), MaxTokens: 50, Seed: new(int64(0)), Stop: []string{"\n\n"},
		NumCtx: 4096, NumThread: 1, KeepAlive: "10m", Think: "off",
	}
	standard := map[string]any{
		"model": "m", "stream": true, "stream_options": map[string]any{"include_usage": true},
		"messages":    []any{map[string]any{"role": "system", "content": "Rules."}, map[string]any{"role": "user", "content": "Who are you?"}},
		"temperature": 0.0, "top_p": 0.9, "presence_penalty": 0.5, "frequency_penalty": 0.25, "max_tokens": 50.0, "seed": 0.0,
		"stop": []any{"\n\n"},
	}
	with := func(more map[string]any) map[string]any {
		m := map[string]any{}
		for k, v := range standard {
			m[k] = v
		}
		for k, v := range more {
			m[k] = v
		}
		return m
	}
	extended := map[string]any{
		"top_k": 40.0, "min_p": 0.05, "repetition_penalty": 1.1, "repeat_penalty": 1.1, "repeat_last_n": 32.0,
		"chat_template_kwargs": map[string]any{"enable_thinking": false},
	}
	tests := []struct {
		spec     string
		sampling llm.Sampling
		want     map[string]any
		ignored  []string
		reason   string
	}{
		{"m?dialect=openai", all, with(map[string]any{"reasoning_effort": "none"}), []string{"keep_alive", "min_p", "num_ctx", "num_thread", "repeat_penalty", "top_k"}, ""},
		{"m", all, with(extended), []string{"keep_alive", "num_ctx", "num_thread"}, "a server that is no Ollama"},
		{"m?dialect=openai", llm.Sampling{}, map[string]any{"temperature": 0.8, "top_p": 1.0, "presence_penalty": 0.0, "frequency_penalty": 0.0, "max_tokens": 400.0}, nil,
			"a server without an option does as if it were off, so nothing is ignored"},
		{"m?dialect=ollama", llm.Sampling{}, map[string]any{"temperature": 0.8, "max_tokens": 400.0}, []string{"min_p", "repeat_penalty", "top_k"}, "Ollama's own defaults act unseen"},
		{"m?dialect=extended", llm.Sampling{}, map[string]any{"top_k": -1.0, "min_p": 0.0, "repetition_penalty": 1.0}, nil, "a model's own generation settings must not act"},
		{"o3-mini?dialect=openai", llm.Sampling{MaxTokens: 9}, map[string]any{"max_completion_tokens": 9.0}, nil, "known by name"},
		{"gpt-35-turbo?dialect=openai", llm.Sampling{MaxTokens: 9}, map[string]any{"max_tokens": 9.0}, nil, "Azure's name for 3.5"},
		{"o3-mini?dialect=ollama", llm.Sampling{MaxTokens: 9}, map[string]any{"max_tokens": 9.0}, []string{"min_p", "repeat_penalty", "top_k"}, "Ollama ignores the other"},
		{"m?dialect=openai&stream=false&max_tokens_field=max_completion_tokens", llm.Sampling{MaxTokens: 9}, map[string]any{"stream": nil, "stream_options": nil, "max_tokens": nil, "max_completion_tokens": 9.0}, nil, ""},
		{"m?dialect=openai", llm.Sampling{Temperature: new(1e-45), Think: "high"}, map[string]any{"temperature": 0.0, "reasoning_effort": "high"}, nil, "the smallest float aborts Ollama's runner"},
		{"m?dialect=extended", llm.Sampling{Think: "true"}, map[string]any{"chat_template_kwargs": map[string]any{"enable_thinking": true}}, nil, "as YAML writes on"},
	}
	for _, tt := range tests {
		h := newHost(t, func(w http.ResponseWriter, _ int, _ map[string]any) { say(w, "a") })
		req := ask()
		req.Sampling = tt.sampling
		resp, err := open(t, "openai:"+tt.spec+"@"+h.URL, openai.Options{}).Generate(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(resp.Ignored, tt.ignored) {
			t.Errorf("%s: ignored %q, want %q; %s", tt.spec, resp.Ignored, tt.ignored, tt.reason)
		}
		if tt.want["messages"] != nil {
			if diff := cmp.Diff(tt.want, h.bodies[0]); diff != "" {
				t.Errorf("%s: -want +got\n%s", tt.spec, diff)
			}
			continue
		}
		for field, want := range tt.want {
			if diff := cmp.Diff(want, h.bodies[0][field]); diff != "" {
				t.Errorf("%s: %s -want +got\n%s%s", tt.spec, field, diff, tt.reason)
			}
		}
	}
}

func TestStrictSchemas(t *testing.T) {
	tests := []struct {
		options, schema string
		want            any
		reason          string
	}{
		{"", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, true, ""},
		{"", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, nil, "a is not required"},
		{"", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, nil, "more is allowed"},
		{"", `{"type":"array","items":{"type":"object","properties":{}}}`, nil, "an object within"},
		{"", `{"type":"object","properties":{"properties":{"type":"string"}},"required":["properties"],"additionalProperties":false}`, true, "a property of that name"},
		{"&strict=true", `{"type":"object"}`, true, ""},
		{"&strict=false", `{"type":"string"}`, nil, ""},
	}
	for _, tt := range tests {
		h := newHost(t, func(w http.ResponseWriter, _ int, _ map[string]any) { say(w, "{}") })
		req := ask()
		req.Schema = json.RawMessage(tt.schema)
		if _, err := open(t, "openai:m?dialect=openai"+tt.options+"@"+h.URL, openai.Options{}).Generate(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		format := h.bodies[0]["response_format"].(map[string]any)
		if got := format["json_schema"].(map[string]any)["strict"]; format["type"] != "json_schema" || got != tt.want {
			t.Errorf("%s %s: strict is %v, want %v; %s", tt.options, tt.schema, got, tt.want, tt.reason)
		}
	}
}

func TestAzure(t *testing.T) {
	h := newHost(t, func(w http.ResponseWriter, _ int, _ map[string]any) { say(w, "a") })
	m := open(t, "openai:gpt-4o?azure=1&api_version=2025-01-01&deployment=inn", openai.Options{Key: "k", AzureEndpoint: h.URL})
	if _, err := m.Generate(t.Context(), ask()); err != nil {
		t.Fatal(err)
	}
	if want := "/openai/deployments/inn/chat/completions?api-version=2025-01-01"; h.paths[0] != want {
		t.Errorf("asked %s, want %s", h.paths[0], want)
	}
	if h.header.Get("Api-Key") != "k" || h.header.Get("Authorization") != "" {
		t.Errorf("headers %v", h.header)
	}
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct{ spec, want string }{
		{"openai:m?temprature=1", "unknown option temprature; openai: knows api_version, azure,"},
		{"openai:m?azure=1", "needs the resource's address"},
		{"openai:m?max_tokens_field=n", "one of max_tokens, max_completion_tokens, auto"},
		{"openai:m?timeout=5", "such as 90s"},
	}
	for _, tt := range tests {
		spec, err := llm.ParseSpec(tt.spec)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = openai.Open(t.Context(), spec, openai.Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q in it", tt.spec, err, tt.want)
		}
	}
}

func TestKeyMissing(t *testing.T) {
	_, err := open(t, "openai:gpt-4.1-mini", openai.Options{}).Generate(t.Context(), ask())
	if llm.FaultOf(err) != llm.Denied || !strings.Contains(err.Error(), "OPENAI_API_KEY") {
		t.Errorf("got %v; without a key there is nothing to ask the network", err)
	}
}

// Another host than OpenAI's gets only a key that was named for it, so the hint must not say OpenAI's.
func TestKeyMissingElsewhere(t *testing.T) {
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, `{"error":{"message":"who is it?"}}`, http.StatusUnauthorized)
	}))
	defer h.Close()
	for key, want := range map[string]string{"openai:m@": "key_env=VARIABLE@" + h.URL, "openai:m?key_env=MINE@": "environment variable MINE"} {
		_, err := open(t, key+h.URL, openai.Options{}).Generate(t.Context(), ask())
		if llm.FaultOf(err) != llm.Denied || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "OPENAI_API_KEY") {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

func TestMissingModelNamesOthers(t *testing.T) {
	server := httptest.NewServer(serve(nil))
	defer server.Close()
	_, err := open(t, "openai:missing@"+server.URL+"/v1", openai.Options{}).Generate(t.Context(), ask())
	if e, ok := err.(*llm.Error); !ok || e.Hint != "the server has m, n" {
		t.Errorf("got %v", err)
	}
	h := newHost(t, func(w http.ResponseWriter, _ int, _ map[string]any) {
		failWith(w, 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`)
	})
	_, err = open(t, "openai:m?azure=1@"+h.URL, openai.Options{Key: "k"}).Generate(t.Context(), ask())
	if e, ok := err.(*llm.Error); !ok || e.Fault != llm.NotFound || !strings.Contains(e.Hint, "deployment=NAME") {
		t.Errorf("got %v", err)
	}
}

func TestKeyStaysAtHome(t *testing.T) {
	stranger := newHost(t, func(w http.ResponseWriter, _ int, _ map[string]any) { say(w, "a") })
	h := newHost(t, func(w http.ResponseWriter, _ int, _ map[string]any) {
		w.Header().Set("Location", stranger.URL+"/v1/chat/completions")
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	_, err := open(t, "openai:m?azure=1@"+h.URL, openai.Options{Key: "sekret-7"}).Generate(t.Context(), ask())
	if err == nil || !strings.Contains(err.Error(), stranger.URL) {
		t.Errorf("got %v, want where the server sends on to", err)
	}
	if len(stranger.bodies) != 0 {
		t.Errorf("another host was sent %v", stranger.header)
	}
}

func TestIdentify(t *testing.T) {
	server := httptest.NewServer(serve(nil))
	defer server.Close()
	got, err := open(t, "openai:m@"+server.URL+"/v1", openai.Options{Key: "k"}).(llm.Identifier).Identify(t.Context())
	want := llm.Identity{Name: "m", Context: 4096, Server: server.URL + "/v1"}
	if err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

// ollamaV1 is Ollama's /v1, as far as it differs.
func ollamaV1(t *testing.T, reply string) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("the key went to an address of which nothing is known")
		}
		io.WriteString(w, `{"version":"0.17.4"}`)
	})
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"models":[{"name":"smollm2:latest","digest":"ab12","details":{"family":"llama","parameter_size":"134.52M","quantization_level":"Q4_1"}}]}`)
	})
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"object":"list","data":[{"id":"smollm2:latest"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Model string }
		json.NewDecoder(r.Body).Decode(&body)
		if body.Model != "smollm2" {
			failWith(w, 404, `{"error":{"message":"model '%s' not found","type":"not_found_error","param":null,"code":null}}`, body.Model)
			return
		}
		io.WriteString(w, reply)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestOllamaV1(t *testing.T) {
	server := ollamaV1(t, `{"model":"smollm2","choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":4096,"completion_tokens":1}}`)
	m := open(t, "openai:smollm2@"+server.URL+"/v1", openai.Options{Key: "k"})
	req := ask()
	resp, err := m.Generate(t.Context(), req)
	if err != nil || resp.Truncated || !slices.Equal(resp.Ignored, []string{"min_p", "repeat_penalty", "top_k"}) {
		t.Errorf("got %+v, %v", resp, err)
	}
	req.Messages[1].Content = strings.Repeat("the road goes on ", 4000)
	if resp, err = m.Generate(t.Context(), req); err != nil || *resp.Usage.Prompt != 4096 {
		t.Errorf("got %+v, %v; llm.Models tells by the count that the prompt was cut", resp, err)
	}

	id, err := m.(llm.Identifier).Identify(t.Context())
	want := llm.Identity{Name: "smollm2:latest", Digest: "ab12", Family: "llama", Parameters: "134.52M", Quantization: "Q4_1", Server: server.URL + "/v1", Version: "0.17.4"}
	if err != nil || id != want {
		t.Errorf("got %+v, %v, want %+v", id, err, want)
	}

	missing := open(t, "openai:nope@"+server.URL+"/v1", openai.Options{})
	_, err = missing.Generate(t.Context(), req)
	if e, ok := err.(*llm.Error); !ok || e.Fault != llm.NotFound || e.Hint != "ollama pull nope" {
		t.Errorf("got %v", err)
	}
	_, err = missing.(llm.Identifier).Identify(t.Context())
	if llm.FaultOf(err) != llm.NotFound {
		t.Errorf("got %v", err)
	}
}

func TestEmbed(t *testing.T) {
	h := newHost(t, func(w http.ResponseWriter, n int, body map[string]any) {
		input := body["input"].([]any)
		var data []string
		for i := range input { // in another order than asked
			i = len(input) - 1 - i
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[%d,%d]}`, i, len(input[i].(string)), n))
		}
		fmt.Fprintf(w, `{"object":"list","model":"m-1","data":[%s],"usage":{"prompt_tokens":5,"total_tokens":5}}`, strings.Join(data, ","))
	})
	e := open(t, "openai:m@"+h.URL, openai.Options{}).(llm.Embedder)
	got, err := e.Embed(t.Context(), []string{"", "xxx"})
	if err != nil || len(got.Vectors) != 2 || got.Vectors[1][0] != 3 || got.Vectors[0][0] == 0 || got.ServedBy != "m-1" || got.Usage.Prompt == nil || *got.Usage.Prompt != 5 {
		t.Fatalf("got %+v, %v", got, err)
	}
}

func TestEmbedFaults(t *testing.T) {
	tests := []struct {
		status int
		body   string
		want   llm.Fault
	}{
		{200, `{"data":[{"index":0,"embedding":[1]}]}`, llm.BadResponse},
		{200, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`, llm.BadResponse},
		{200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`, llm.BadResponse},
		{200, `{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`, llm.BadResponse},
		{200, `<html>`, llm.BadResponse},
		{429, `{"error":{"message":"slow down"}}`, llm.RateLimited},
		{400, `{"error":{"message":"the input length exceeds the context length"}}`, llm.TooLong},
	}
	for _, tt := range tests {
		h := newHost(t, func(w http.ResponseWriter, _ int, _ map[string]any) {
			w.WriteHeader(tt.status)
			io.WriteString(w, tt.body)
		})
		m := llm.Embedding(open(t, "openai:m@"+h.URL, openai.Options{}).(llm.Embedder), "m")
		_, _, err := llm.Embed(t.Context(), m, "m", []string{"a", "b"}, llm.Tag{}, time.Now)
		if llm.FaultOf(err) != tt.want {
			t.Errorf("%d %s: got %v, want %q", tt.status, tt.body, err, tt.want)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestTimeout holds that a server that takes a request and says nothing is given up in the end.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})}
		start := time.Now()
		_, err := open(t, "openai:m?dialect=openai&timeout=3m@http://host/v1", openai.Options{HTTP: client}).Generate(t.Context(), ask())
		if llm.FaultOf(err) != llm.TimedOut || time.Since(start) != 3*time.Minute {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
}

// A server that drops what it does not know is not asked for its dialect again and again.
func TestSilentAboutDialect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/api/version") {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			body := io.NopCloser(strings.NewReader(`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`))
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body, Request: r}, nil
		})}
		start := time.Now()
		m := open(t, "openai:m@http://host/v1", openai.Options{HTTP: client})
		for range 10 {
			if _, err := m.Generate(t.Context(), ask()); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took != 20*time.Second {
			t.Errorf("10 replies took %s, want two waits of 10s", took)
		}
	})
}

// FuzzReply holds that no reply of a server breaks the adapter, and that what it makes of one is fit
// to be kept.
func FuzzReply(f *testing.F) {
	f.Add(200, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n")
	f.Add(200, `{"choices":[{"message":{"content":[{"type":"text","text":"a"}],"refusal":"b"},"finish_reason":null}],"usage":{"prompt_tokens":1}}`)
	f.Add(200, "event: error\ndata: {\"message\":[1]}\n")
	f.Add(200, "data: {\"error\":null,\"choices\":[{\"delta\":{\"content\":\"\xe4<think>\"}}]}")
	f.Add(200, "\xef\xbb\xbf<html>")
	f.Add(422, `{"detail":[{"loc":["body"],"msg":"x"},{"loc":[]}]}`)
	f.Add(500, `[[[{"error":"x"}]]]`)
	f.Add(400, `{"error":{"message":"temperature is not supported","param":7,"code":{"a":1}}}`)
	spec, err := llm.ParseSpec("openai:m?dialect=extended@http://host/v1")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		status = 200 + (status%400+400)%400
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		})}
		m, err := openai.Open(t.Context(), spec, openai.Options{HTTP: client, MaxReply: 1000})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := m.Generate(t.Context(), ask())
		switch {
		case err != nil:
			if llm.FaultOf(err) == "" {
				t.Errorf("an error of unknown kind: %v", err)
			}
		case resp.Finish == "" || len(resp.Text) > 1000 || resp.Text != strings.ToValidUTF8(resp.Text, ""):
			t.Errorf("got %+v", resp)
		}
	})
}

func ExampleOpen() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { say(w, "Three silver, and mind the rope.") }))
	defer server.Close()
	ctx := context.Background()
	spec, _ := llm.ParseSpec("openai:gpt-4.1-mini?dialect=openai@" + server.URL + "/v1")
	model, err := openai.Open(ctx, spec, openai.Options{Key: "from the environment"})
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := model.Generate(ctx, llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "What does the ferry cost?"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Text, resp.Finish)
	// Output: Three silver, and mind the rope. stop
}

// Keys go to nobody but whom they are for.
func TestKeysStay(t *testing.T) {
	env := map[string]string{"OPENAI_API_KEY": "sk-openai-1", "AZURE_OPENAI_API_KEY": "sk-azure-1", "MINE": "sk-mine-111", "AZURE_OPENAI_ENDPOINT": "https://proxy.example/"}
	tests := []struct {
		spec   string
		want   string // the key, or part of the error with which it does not open
		reason string
	}{
		{"openai:gpt-4.1", "sk-openai-1", ""},
		{"openai:m@https://host.example/v1", "", "another host gets no key that was not named for it"},
		{"openai:m@https://api.openai.com.evil.example/v1", "", "a host that begins like OpenAI's"},
		{"openai:m?key_env=MINE@https://host.example/v1", "sk-mine-111", ""},
		{"openai:m?key_env=MINE@http://host.example/v1", "unencrypted", ""},
		{"openai:m?key_env=MINE@http://192.168.1.9:8000/v1", "unencrypted", "another machine"},
		{"openai:m?key_env=MINE&plain_key=true@http://192.168.1.9:8000/v1", "sk-mine-111", "allowed"},
		{"openai:m?key_env=MINE@http://127.0.0.1:8000/v1", "sk-mine-111", "this machine"},
		{"openai:m?azure=1@https://me.openai.azure.com", "sk-azure-1", ""},
		{"openai:m?azure=1", "sk-azure-1", "the address in the user's own environment"},
		{"openai:m?azure=1@https://evil.example", "", "azure=1 makes no host Azure's"},
		{"openai:m?azure=1@https://openai.azure.com.evil.example", "", ""},
		{"openai:m?azure=1&key_env=MINE@https://gateway.example", "sk-mine-111", "named for it"},
	}
	for _, tt := range tests {
		sent := ""
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			sent = gocmp.Or(sent, r.Header.Get("Api-Key"), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
			return &http.Response{StatusCode: 200, Header: http.Header{}, Request: r, Body: io.NopCloser(strings.NewReader(
				`{"model":"m of ` + sent + `","choices":[{"message":{"content":[{"type":"of nobody that is known to ` + sent + `"},{"type":"text","text":"your key is ` + sent + `"}]},"finish_reason":"stop with ` + sent + `"}]}`))}, nil
		})}
		var keys llm.Keys
		models := llm.Models{Registry: llm.Registry{openai.Adapter()}, Env: llm.Env{Getenv: func(name string) string { return env[name] }, HTTP: client, Now: time.Now, Keys: &keys}}
		o, err := models.Open(t.Context(), tt.spec)
		if err != nil {
			if tt.want == "" || !strings.Contains(err.Error(), tt.want) || sent != "" {
				t.Errorf("%s: %v; %s", tt.spec, err, tt.reason)
			}
			continue
		}
		resp, err := o.Model.Generate(t.Context(), ask())
		if err != nil || sent != tt.want {
			t.Errorf("%s: sent %q, want %q; %v; %s", tt.spec, sent, tt.want, err, tt.reason)
		} else if all := fmt.Sprintf("%+v", *resp); sent != "" && (strings.Contains(all, sent[:6]) || !strings.HasSuffix(resp.Text, "[key]")) {
			t.Errorf("%s: the reply that echoes the key came back as %s", tt.spec, all)
		}
	}
}

// What a server tells of itself reaches no terminal with control characters, and no file with keys.
func TestModelListsAreClean(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			io.WriteString(w, `{"data":[{"id":"a\u001b[2J\u0000b"},{"id":"sekret-key-7"}]}`)
			return
		}
		failWith(w, 404, `{"error":{"message":"model not found \u001b]0;x\u0007 sekret-key-7"}}`)
	}))
	defer server.Close()
	_, err := open(t, "openai:m@"+server.URL, openai.Options{Key: "sekret-key-7"}).Generate(t.Context(), ask())
	if err == nil || strings.ContainsFunc(err.Error(), unicode.IsControl) || strings.Contains(err.Error(), "sekret") || !strings.Contains(err.Error(), "the server has a b, [key]") {
		t.Errorf("got %q", err)
	}
}

// A list of models is no condition for asking one of them.
func TestIdentifyWithoutList(t *testing.T) {
	for status, fault := range map[int]llm.Fault{404: "", 403: "", 405: "", 503: "", 500: "", 200: "", 401: llm.Denied} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, "<html>")
		}))
		id, err := open(t, "openai:m?dialect=openai@"+server.URL, openai.Options{}).(llm.Identifier).Identify(t.Context())
		if llm.FaultOf(err) != fault || fault == "" && (id.Note == "" || id.Name != "m") {
			t.Errorf("%d: got %+v, %v", status, id, err)
		}
		if fault == llm.Denied && !strings.Contains(err.Error(), "no key was sent") {
			t.Errorf("got %v, want the hint about keys", err)
		}
		server.Close()
	}
}
