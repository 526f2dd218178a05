package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/sim/llm"
	"parley/sim/llm/openai"
)

// host is a server that writes what it is told and keeps what it was sent.
type host struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []map[string]any
	paths  []string
	header http.Header
}

// newHost starts a server: answer writes the n-th reply, from 0, to a request for one.
func newHost(t *testing.T, answer func(w http.ResponseWriter, n int, body map[string]any)) *host {
	h := &host{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		var body map[string]any
		json.NewDecoder(r.Body).Decode(&body)
		h.mu.Lock()
		n := len(h.bodies)
		h.bodies = append(h.bodies, body)
		h.paths = append(h.paths, r.URL.RequestURI())
		h.header = r.Header
		h.mu.Unlock()
		answer(w, n, body)
	}))
	t.Cleanup(h.Close)
	return h
}

func say(w http.ResponseWriter, text string) {
	fmt.Fprintf(w, `{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}]}`, text)
}

func ask() llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.System, Content: "Rules."}, {Role: llm.User, Content: "Who are you?"}}}
}

// TestReplies reads what servers really send.
func TestReplies(t *testing.T) {
	const stream, whole = "text/event-stream", "application/json"
	const unreasoned = "a reply ended without a reason and was taken as whole"
	n := func(n int) *int { return &n }
	tests := []struct {
		name, kind, body string
		want             llm.Response
		fault            llm.Fault
		reason           string
	}{
		{name: "null content", kind: whole, body: `{"choices":[{"message":{"content":null},"finish_reason":"stop"}]}`, want: llm.Response{Finish: llm.Stop}},
		{name: "pretty printed", kind: whole, body: "{\n \"choices\": [\n {\"message\": {\"content\": \"a\"}, \"finish_reason\": \"stop\"}]\n}\n", want: llm.Response{Text: "a", Finish: llm.Stop},
			reason: "a server that does not stream answers in one piece"},
		{name: "parts", kind: whole, body: `{"choices":[{"message":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]},{"type":"text","text":"a"},{"type":"text","text":"b"}]},"finish_reason":"stop"}]}`, want: llm.Response{Text: "ab", Reasoning: "t", Finish: llm.Stop}},
		{name: "no choices", kind: whole, body: `{"model":"m"}`, fault: llm.BadResponse},
		{name: "empty choices", kind: whole, body: `{"choices":[]}`, fault: llm.BadResponse},
		{name: "empty body", kind: whole, body: ``, fault: llm.BadResponse},
		{name: "only done", kind: stream, body: "data: [DONE]\n\n", fault: llm.BadResponse},
		{name: "web page", kind: "text/html", body: "<!doctype html><title>Welcome</title>", fault: llm.BadResponse},
		{name: "content filter in one piece", kind: whole, body: `{"choices":[{"message":{"content":null},"finish_reason":"content_filter"}]}`, want: llm.Response{Finish: llm.Filtered}},
		{name: "refusal", kind: whole, body: `{"choices":[{"message":{"content":null,"refusal":"I can't."},"finish_reason":"stop"}]}`, want: llm.Response{Text: "I can't.", Finish: llm.Refused}},
		{name: "refusal streamed", kind: stream, body: `data: {"choices":[{"delta":{"refusal":"I "}}]}
data: {"choices":[{"delta":{"refusal":"can't."},"finish_reason":"stop"}]}
`, want: llm.Response{Text: "I can't.", Finish: llm.Refused}},
		{name: "azure", kind: stream, body: `data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}]}

data: {"choices":[{"index":0,"delta":{"content":"a"}}]}

data: {"choices":[{"index":0,"content_filter_results":{}}]}

data: {"choices":[{"index":0,"finish_reason":"stop"}]}

data: [DONE]
`, want: llm.Response{Text: "a", Finish: llm.Stop}, reason: "a first chunk without choices, a choice without delta"},
		{name: "last line not ended", kind: stream, body: "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"length\"}]}", want: llm.Response{Text: "ab", Finish: llm.Length}},
		{name: "comments", kind: stream, body: strings.Repeat(": PROCESSING\n\n", 400) + "event: message\nid: 1\ndata:{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\r\n\r\n", want: llm.Response{Text: "a", Finish: llm.Stop}},
		{name: "no finish", kind: stream, body: "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":null}]}\n\ndata: [DONE]\n", want: llm.Response{Text: "a", Finish: llm.Stop, Notes: []string{unreasoned}}, reason: "the stream says that it is done"},
		{name: "cut between frames", kind: stream, body: "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":null}]}\n\n", want: llm.Response{Text: "a", Finish: llm.Cut}},
		{name: "null finish in one piece", kind: whole, body: `{"choices":[{"message":{"content":"a"},"finish_reason":null}]}`, want: llm.Response{Text: "a", Finish: llm.Stop, Notes: []string{unreasoned}}},
		{name: "thoughts among parts", kind: whole, body: `{"choices":[{"message":{"content":{"parts":[{"text":"t","thought":true},{"text":"a","thought":false}]}},"finish_reason":"stop"}]}`, want: llm.Response{Text: "a", Reasoning: "t", Finish: llm.Stop}, reason: "Google's own form behind a proxy"},
		{name: "parts without end", kind: stream, body: strings.Repeat("data: {\"choices\":[{\"delta\":{\"content\":[{\"type\":\"x\"}]}}]}\n", 500) + "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n",
			want: llm.Response{Text: "a", Finish: llm.Stop, Notes: []string{"a part of the reply of type x was left out"}}, reason: "noted once"},
		{name: "probabilities that were not asked for", kind: whole, body: `{"choices":[{"message":{"content":"a"},"finish_reason":"stop","logprobs":{"content":[{"token":"a","logprob":-1}]}}]}`, want: llm.Response{Text: "a", Finish: llm.Stop}, reason: "they take memory"},
		{name: "error in the choice", kind: stream, body: "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\",\"error\":{\"code\":502,\"message\":\"upstream died\"}}]}\n\n", fault: llm.Overloaded,
			reason: "half a reply beside an error is no reply"},
		{name: "parts as strings", kind: whole, body: `{"choices":[{"message":{"content":["a",{"type":"output_text","text":{"value":"b"}}]},"finish_reason":"stop"}]}`, want: llm.Response{Text: "ab", Finish: llm.Stop}},
		{name: "one part", kind: whole, body: `{"choices":[{"message":{"content":{"type":"text","text":"a"}},"finish_reason":"stop"}]}`, want: llm.Response{Text: "a", Finish: llm.Stop}},
		{name: "parts streamed", kind: stream, body: `data: {"choices":[{"delta":{"content":[{"type":"reasoning","reasoning":"t"}]}}]}
data: {"choices":[{"delta":{"content":[{"type":"text","text":"a"}]},"finish_reason":"stop"}]}
`, want: llm.Response{Text: "a", Reasoning: "t", Finish: llm.Stop}},
		{name: "part refused", kind: whole, body: `{"choices":[{"message":{"content":[{"type":"refusal","refusal":"I can't."}]},"finish_reason":"stop"}]}`, want: llm.Response{Text: "I can't.", Finish: llm.Refused}},
		{name: "part unknown", kind: whole, body: `{"choices":[{"message":{"content":[{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"a"}]},"finish_reason":"stop"}]}`, want: llm.Response{Text: "a", Finish: llm.Stop, Notes: []string{"a part of the reply of type image_url was left out"}}},
		{name: "function call", kind: whole, body: `{"choices":[{"message":{"content":null,"function_call":{"name":"roll","arguments":"{}"}},"finish_reason":"function_call"}]}`,
			want: llm.Response{Text: `{"tool_calls":{"name":"roll","arguments":"{}"}}`, Finish: llm.Stop}, reason: "as servers wrote it before there were tools"},
		{name: "tool call", kind: whole, body: `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"1","function":{"name":"roll","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
			want: llm.Response{Text: `{"tool_calls":[{"id":"1","function":{"name":"roll","arguments":"{}"}}]}`, Finish: llm.Stop}, reason: "no tool was offered; the reply is not empty"},
		{name: "usage as floats and texts", kind: whole, body: `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":31.0,"completion_tokens":"7","prompt_tokens_details":0}}`, want: llm.Response{Text: "a", Finish: llm.Stop, Usage: llm.Usage{Prompt: n(31), Completion: n(7)}}},
		{name: "usage negative", kind: whole, body: `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":-1,"completion_tokens":7}}`, want: llm.Response{Text: "a", Finish: llm.Stop}},
		{name: "usage huge", kind: whole, body: `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":31,"completion_tokens":1e300}}`, want: llm.Response{Text: "a", Finish: llm.Stop, Usage: llm.Usage{Prompt: n(31)}}},
		{name: "usage of another shape", kind: whole, body: `{"model":7,"choices":[{"message":{"content":"a"},"finish_reason":"stop","logprobs":"none"}],"usage":[1],"timings":"fast"}`, want: llm.Response{Text: "a", Finish: llm.Stop}},
		{name: "a part and half", kind: whole, body: `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":30.5,"completion_tokens":null}}`, want: llm.Response{Text: "a", Finish: llm.Stop}},
		{name: "error object", kind: stream, body: "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"error\": {\"message\":\"slow down\",\"code\":429}}\n\n", fault: llm.RateLimited},
		{name: "error beside empty choices", kind: stream, body: "data: {\"id\":\"x\",\"choices\":[],\"error\":{\"message\":\"upstream died\",\"code\":502}}\n\n", fault: llm.Overloaded},
		{name: "error string", kind: stream, body: "data: {\"error\":\"model crashed\"}\n\n", fault: llm.Overloaded},
		{name: "error event", kind: stream, body: "event: error\ndata: {\"message\":\"context_length_exceeded\"}\n\n", fault: llm.TooLong},
		{name: "error in one piece", kind: whole, body: `{"error":{"message":"upstream died","code":502}}`, fault: llm.Overloaded},
		{name: "error null", kind: stream, body: "data: {\"error\":null,\"choices\":[{\"delta\":{\"content\":\"\\\"error\\\"\"},\"finish_reason\":\"stop\"}]}\n", want: llm.Response{Text: `"error"`, Finish: llm.Stop}},
		{name: "finish error", kind: stream, body: "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"error\"}]}\n", fault: llm.Overloaded},
		{name: "reasoning", kind: stream, body: `data: {"choices":[{"delta":{"reasoning":"t","content":""}}]}
data: {"choices":[{"delta":{"reasoning":"u","reasoning_content":"u"}}]}
data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}
`, want: llm.Response{Text: "a", Reasoning: "tu", Finish: llm.Stop}, reason: "under either name, and once where under both"},
		{name: "thought to the limit", kind: whole, body: `{"choices":[{"message":{"content":null,"reasoning_content":"t"},"finish_reason":"length"}],"usage":{"prompt_tokens":5,"completion_tokens":9}}`,
			want: llm.Response{Reasoning: "t", Finish: llm.Length, Usage: llm.Usage{Prompt: n(5), Completion: n(9)}}},
		{name: "marks across chunks", kind: stream, body: `data: {"choices":[{"delta":{"content":"\u003cthi"}}]}
data: {"choices":[{"delta":{"content":"nk>t</th"}}]}
data: {"choices":[{"delta":{"content":"ink>a"},"finish_reason":"stop"}]}
`, want: llm.Response{Text: "<think>t</think>a", Finish: llm.Stop}, reason: "the text is raw; llm.Ask splits it"},
		{name: "character across chunks", kind: stream, body: "data: {\"choices\":[{\"delta\":{\"content\":\"\xe4\xbd\"}}]}\ndata: {\"choices\":[{\"delta\":{\"content\":\"\xa0\\n!\"},\"finish_reason\":\"stop\"}]}\n", want: llm.Response{Text: "你\n!", Finish: llm.Stop}},
		{name: "half a character", kind: stream, body: "data: {\"choices\":[{\"delta\":{\"content\":\"a\xe4\"},\"finish_reason\":\"length\"}]}\n", want: llm.Response{Text: "a\uFFFD", Finish: llm.Length}},
		{name: "cached tokens", kind: stream, body: `data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}],"usage":null}
data: {"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":0,"prompt_tokens_details":{"cached_tokens":64}}}
`, want: llm.Response{Text: "a", Finish: llm.Stop, Usage: llm.Usage{Prompt: n(100), Cached: n(64), Completion: n(0)}}},
		{name: "usage of zeros", kind: whole, body: `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":0,"completion_tokens":0}}`, want: llm.Response{Text: "a", Finish: llm.Stop},
			reason: "no prompt has no tokens"},
		{name: "other choices", kind: stream, body: `data: {"choices":[{"index":1,"delta":{"content":"b"}},{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}
`, want: llm.Response{Text: "a", Finish: llm.Stop}},
		{name: "llama.cpp", kind: whole, body: `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"timings":{"prompt_ms":12.5,"predicted_ms":40}}`,
			want: llm.Response{Text: "a", Finish: llm.Stop, Timing: llm.Timing{Prompt: 12500 * time.Microsecond, Generate: 40 * time.Millisecond}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t, func(w http.ResponseWriter, _ int, _ map[string]any) {
				w.Header().Set("Content-Type", tt.kind)
				io.WriteString(w, tt.body)
			})
			got, err := open(t, "openai:m?dialect=openai@"+h.URL+"/v1", openai.Options{}).Generate(t.Context(), ask())
			if llm.FaultOf(err) != tt.fault {
				t.Fatalf("got %+v, %v, want fault %q; %s", got, err, tt.fault, tt.reason)
			}
			if err != nil {
				return
			}
			if diff := cmp.Diff(tt.want, *got, cmpopts.IgnoreFields(llm.Response{}, "FinishRaw")); diff != "" {
				t.Errorf("%s; -want +got\n%s", tt.reason, diff)
			}
		})
	}
}

// TestFallbacks holds how a server that refuses a field by name is asked again without it, and only
// once.
func TestFallbacks(t *testing.T) {
	tests := []struct {
		name, spec string
		status     int
		error      string // for as long as the field is there
		field      string
		ignored    []string
		then       string // a field that is there instead
	}{
		{name: "temperature", field: "temperature", status: 400, ignored: []string{"temperature"},
			error: `{"error":{"message":"Unsupported value: 'temperature' does not support 0.8 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`},
		{name: "max_tokens", field: "max_tokens", then: "max_completion_tokens", status: 400,
			error: `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`},
		{name: "stream_options", field: "stream_options", then: "stream", status: 400,
			error: `{"error":{"message":"Unknown field: stream_options","type":"invalid_request_error"}}`},
		{name: "stream", field: "stream", status: 400,
			error: `{"error":{"message":"Your organization must be verified to stream this model.","type":"invalid_request_error","param":"stream","code":"unsupported_value"}}`},
		{name: "FastAPI", field: "top_k", status: 422, spec: "?dialect=extended", ignored: []string{"top_k"},
			error: `{"detail":[{"type":"extra_forbidden","loc":["body","top_k"],"msg":"Extra inputs are not permitted","input":-1}]}`},
		{name: "Groq", field: "min_p", status: 400, spec: "?dialect=extended", ignored: []string{"min_p"},
			error: `{"error":{"message":"property 'min_p' is unsupported","type":"invalid_request_error"}}`},
		{name: "Google", field: "seed", status: 400, ignored: []string{"seed"},
			error: `[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"seed\": Cannot find field.","status":"INVALID_ARGUMENT"}}]`},
		{name: "logprobs", field: "logprobs", status: 400, ignored: []string{"top_logprobs"},
			error: `{"error":{"message":"logprobs is not supported with this model"}}`},
		{name: "reasoning", field: "reasoning_effort", status: 400, ignored: []string{"think"},
			error: `{"error":{"message":"Unrecognized request argument supplied: reasoning_effort"}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t, func(w http.ResponseWriter, _ int, body map[string]any) {
				if _, ok := body[tt.field]; ok {
					w.WriteHeader(tt.status)
					io.WriteString(w, tt.error)
					return
				}
				say(w, "a")
			})
			spec := "openai:m?dialect=openai"
			if tt.spec != "" {
				spec = "openai:m" + tt.spec
			}
			m := open(t, spec+"@"+h.URL, openai.Options{})
			req := ask()
			req.Sampling = llm.Sampling{Seed: new(int64(5)), Think: "low"}
			req.TopLogprobs = 3
			for range 2 {
				resp, err := m.Generate(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(resp.Ignored, tt.ignored) {
					t.Errorf("ignored %q, want %q", resp.Ignored, tt.ignored)
				}
			}
			if len(h.bodies) != 3 {
				t.Errorf("%d requests for two replies, want 3: the refusal is remembered", len(h.bodies))
			}
			if _, ok := h.bodies[2][tt.then]; tt.then != "" && !ok {
				t.Errorf("no %s in %v", tt.then, h.bodies[2])
			}
		})
	}
}

func TestSystemRoleNotSupported(t *testing.T) {
	h := newHost(t, func(w http.ResponseWriter, _ int, body map[string]any) {
		if body["messages"].([]any)[0].(map[string]any)["role"] == "system" {
			w.WriteHeader(400)
			io.WriteString(w, `{"object":"error","message":"System role not supported","type":"BadRequestError","code":400}`)
			return
		}
		say(w, "a")
	})
	if _, err := open(t, "openai:gemma-2?dialect=openai@"+h.URL, openai.Options{}).Generate(t.Context(), ask()); err != nil {
		t.Fatal(err)
	}
	want := []any{map[string]any{"role": "user", "content": "Rules.\nWho are you?"}}
	if diff := cmp.Diff(want, h.bodies[1]["messages"]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestRefusalsStand holds what is not tried again.
func TestRefusalsStand(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		want   llm.Fault
		hint   string
	}{
		{"out of bounds", 400, `{"error":{"message":"temperature must be between 0 and 1","param":"temperature"}}`, llm.BadRequest, ""},
		{"jinja, with either way of writing the rules", 500, `{"error":{"code":500,"message":"Jinja Exception: Conversation roles must alternate","type":"server_error"}}`, llm.BadRequest, ""},
		{"azure filter", 400, `{"error":{"message":"The response was filtered due to the prompt","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"violence":{"filtered":true,"severity":"high"}}}}}`, llm.Blocked, ""},
		{"quota", 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, llm.Denied, "no credit left"},
		{"too large", 429, `{"error":{"message":"Request too large for gpt-4","type":"tokens","code":"rate_limit_exceeded"}}`, llm.TooLong, ""},
		{"wrong key", 401, `{"error":{"message":"Incorrect API key provided: sekret-7","code":"invalid_api_key"}}`, llm.Denied, "environment variable MY_KEY"},
		{"string error", 404, `{"error":"model not found"}`, llm.NotFound, "base URL"},
		{"no JSON", 404, `404 page not found`, llm.NotFound, "usually ends in /v1"},
		{"both fields", 400, `{"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 500. This model's maximum context length is 400 tokens"}}`, llm.TooLong, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t, func(w http.ResponseWriter, _ int, _ map[string]any) {
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			})
			_, err := open(t, "openai:m?dialect=extended@"+h.URL, openai.Options{Key: "sekret-7", KeyVariable: "MY_KEY"}).Generate(t.Context(), ask())
			e, ok := err.(*llm.Error)
			if !ok || e.Fault != tt.want || !strings.Contains(e.Hint, tt.hint) {
				t.Fatalf("got %v, want fault %q with a hint of %q", err, tt.want, tt.hint)
			}
			if strings.Contains(err.Error(), "sekret-7") {
				t.Errorf("the key stands in %q", err)
			}
			if n := len(h.bodies); n != 1 && (n != 2 || !strings.HasPrefix(tt.name, "jinja")) {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

func TestRetryAfterDate(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	h := newHost(t, func(w http.ResponseWriter, _ int, _ map[string]any) {
		w.Header()["Date"] = nil
		w.Header().Set("Retry-After", now.Add(30*time.Second).Format(http.TimeFormat))
		w.WriteHeader(429)
		io.WriteString(w, `{"error":{"message":"Rate limit reached"}}`)
	})
	_, err := open(t, "openai:m?dialect=openai@"+h.URL, openai.Options{Now: func() time.Time { return now }}).Generate(t.Context(), ask())
	if e, ok := err.(*llm.Error); !ok || e.Fault != llm.RateLimited || e.RetryAfter != 30*time.Second {
		t.Errorf("got %#v", err)
	}
}

// A server that refuses the system message, in whatever words, gets the rules in the user's first
// message, from the first request that shows it.
func TestSystemRefused(t *testing.T) {
	tests := []struct {
		status int
		body   string
		asked  int // requests for two replies
		reason string
	}{
		{400, `{"error":{"message":"System role not supported"}}`, 3, "Gemma"},
		{400, `{"error":{"message":"Only user and assistant roles are supported!"}}`, 3, ""},
		{500, `{"error":{"message":"Jinja Exception: raise_exception"}}`, 3, "llama.cpp"},
		{422, `{"detail":[{"loc":["body","messages",0,"role"],"msg":"unexpected value; permitted: 'user', 'assistant'","type":"value_error"}]}`, 3, ""},
		{400, `{"error":{"message":"Developer instruction is not enabled for models/gemma"}}`, 3, "Google, which names no role"},
		{400, `{"error":{"message":"le premier message doit être celui de l'utilisateur"}}`, 3, "any words"},
	}
	for _, tt := range tests {
		h := newHost(t, func(w http.ResponseWriter, _ int, body map[string]any) {
			first := body["messages"].([]any)[0].(map[string]any)
			if first["role"] == "system" {
				failWith(w, tt.status, "%s", tt.body)
				return
			}
			say(w, fmt.Sprint(first["content"]))
		})
		m := open(t, "openai:m?dialect=openai@"+h.URL, openai.Options{})
		for range 2 {
			resp, err := m.Generate(t.Context(), ask())
			if err != nil || resp.Text != "Rules.\nWho are you?" {
				t.Errorf("%s: got %+v, %v; %s", tt.body, resp, err, tt.reason)
			}
		}
		if len(h.bodies) != tt.asked {
			t.Errorf("%s: %d requests, want %d", tt.body, len(h.bodies), tt.asked)
		}
	}
}

// A server that fails without a word over a system message is asked without one each third time; one that is
// broken for the moment keeps it.
func TestSystemRefusedWithoutWords(t *testing.T) {
	tests := []struct {
		broken int // requests that fail, whatever is in them
		takes  bool
		tries  int // until a reply
		role   string
		reason string
	}{
		{0, false, 3, "user", "it never takes a system message"},
		{2, true, 3, "system", "it was broken for two requests"},
		{9, true, 8, "system", "the request without a system message failed too"},
	}
	for _, tt := range tests {
		role := ""
		h := newHost(t, func(w http.ResponseWriter, n int, body map[string]any) {
			first := body["messages"].([]any)[0].(map[string]any)
			if role = fmt.Sprint(first["role"]); n < tt.broken || role == "system" && !tt.takes {
				failWith(w, 500, "Internal Server Error")
				return
			}
			say(w, "a")
		})
		m := open(t, "openai:m?dialect=openai@"+h.URL, openai.Options{})
		tries := 1
		for _, err := m.Generate(t.Context(), ask()); err != nil && tries < 20; tries++ {
			_, err = m.Generate(t.Context(), ask())
		}
		if tries != tt.tries || role != tt.role {
			t.Errorf("a reply to the role %q after %d tries, want %q after %d; %s", role, tries, tt.role, tt.tries, tt.reason)
		}
	}
}

// A refusal that has nothing to do with the system message leaves it where it is.
func TestSystemKept(t *testing.T) {
	h := newHost(t, func(w http.ResponseWriter, n int, body map[string]any) {
		if n == 1 {
			failWith(w, 400, `{"error":{"message":"no"}}`)
			return
		}
		say(w, "a")
	})
	m := open(t, "openai:m?dialect=openai@"+h.URL, openai.Options{})
	for i, want := range []llm.Fault{"", llm.BadRequest, ""} {
		if _, err := m.Generate(t.Context(), ask()); llm.FaultOf(err) != want {
			t.Errorf("reply %d: %v, want fault %q", i, err, want)
		}
	}
	if len(h.bodies) != 3 {
		t.Errorf("%d requests; a server that took the system message once is not asked without it", len(h.bodies))
	}
}

// TestCases reads the bodies of ../shared/data/cases.
func TestCases(t *testing.T) {
	const dir = "../../../../shared/data/cases/"
	lines, err := os.ReadFile(dir + "finish_reasons.jsonl")
	if err != nil {
		t.Skip("no shared data: ", err)
	}
	reply := func(body string) (*llm.Response, error) {
		h := newHost(t, func(w http.ResponseWriter, _ int, _ map[string]any) { io.WriteString(w, body) })
		return open(t, "openai:m?dialect=openai@"+h.URL, openai.Options{}).Generate(t.Context(), ask())
	}
	for line := range strings.Lines(string(lines)) {
		var c struct {
			ID   string
			Body json.RawMessage
			OK   []string `json:"ok_finish"`
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		resp, err := reply(string(c.Body))
		got := "error"
		if err == nil {
			got = string(resp.Finish)
		} else if !llm.FaultOf(err).Temporary() {
			t.Errorf("%s: %v is not tried again", c.ID, err)
		}
		if !slices.Contains(c.OK, got) {
			t.Errorf("%s: taken for %s, want one of %v", c.ID, got, c.OK)
		}
	}
	parts, err := os.ReadFile(dir + "content_parts.http")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(strings.ReplaceAll(string(parts), "\r\n", "\n"), "\n\n")
	resp, err := reply(body)
	if err != nil || resp.Text != "A fine spear, captain." || resp.Reasoning != "The guard knows about the tunnel, so I must flatter him." ||
		len(resp.Notes) != 1 || *resp.Usage.Prompt != 88 || *resp.Usage.Completion != 31 {
		t.Errorf("got %+v, %v", resp, err)
	}
}

// The server's own word for the end is kept.
func TestFinishRaw(t *testing.T) {
	h := newHost(t, func(w http.ResponseWriter, _ int, _ map[string]any) {
		io.WriteString(w, `{"choices":[{"message":{"content":"a"},"finish_reason":"New\u001b[31mWord"}]}`)
	})
	resp, err := open(t, "openai:m?dialect=openai@"+h.URL, openai.Options{}).Generate(t.Context(), ask())
	if err != nil || resp.Finish != llm.Stop || resp.FinishRaw != "NewWord" {
		t.Errorf("got %+v, %v", resp, err)
	}
}

// A server that takes no bounds in a strict schema gets the schema without them, from then on.
func TestSchemaWithoutBounds(t *testing.T) {
	h := newHost(t, func(w http.ResponseWriter, _ int, body map[string]any) {
		if raw, _ := json.Marshal(body["response_format"]); strings.Contains(string(raw), "uniqueItems") || strings.Contains(string(raw), "maxLength") {
			w.WriteHeader(400)
			io.WriteString(w, `{"error":{"message":"Invalid schema for response_format 'reply': In context=('properties', 'to'), 'uniqueItems' is not permitted.","type":"invalid_request_error","param":"response_format","code":null}}`)
			return
		}
		say(w, "a")
	})
	m := open(t, "openai:m@"+h.URL, openai.Options{})
	req := ask()
	req.Schema = json.RawMessage(`{"type":"object","properties":{"to":{"type":"array","items":{"type":"string","maxLength":9},"uniqueItems":true}},"required":["to"],"additionalProperties":false}`)
	for range 2 {
		if _, err := m.Generate(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	raw, _ := json.Marshal(h.bodies[len(h.bodies)-1]["response_format"])
	if len(h.bodies) != 3 || !strings.Contains(string(raw), `"strict":true`) || !strings.Contains(string(raw), `"items":{"type":"string"}`) {
		t.Errorf("%d requests, the last with %s", len(h.bodies), raw)
	}
}
