package wire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"parley/sim/llm"
	"parley/sim/llm/wire"
)

func TestFault(t *testing.T) {
	tests := []struct {
		status int
		said   string
		want   llm.Fault
		reason string
	}{
		{400, "context_length_exceeded invalid_request_error too long", llm.TooLong, ""},
		{500, "Context size has been exceeded.", llm.TooLong, "llama.cpp says it with a 500"},
		{400, "the request exceeds the available context size, try increasing it", llm.TooLong, ""},
		{429, "Request too large for gpt-4 on tokens per min (TPM): Limit 30000, Requested 50000.", llm.TooLong, "waiting never helps"},
		{429, "Rate limit reached for gpt-4 on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000. Please try again in 8s.", llm.RateLimited, ""},
		{429, "insufficient_quota You exceeded your current quota", llm.Denied, ""},
		{429, "RESOURCE_EXHAUSTED You exceeded your current quota, retry in 30s", llm.RateLimited, "Google means requests a minute"},
		{400, "content_filter ResponsibleAIPolicyViolation", llm.Blocked, ""},
		{403, "Your input was flagged", llm.Blocked, ""},
		{500, "Jinja Exception: Conversation roles must alternate", llm.BadRequest, "a 500 that comes again"},
		{500, "llama runner process no longer running", llm.Overloaded, ""},
		{0, "something went wrong", llm.Overloaded, ""},
		{400, "API key not valid. Please pass a valid API key.", llm.Denied, ""},
		{400, "max_tokens must be positive", llm.BadRequest, ""},
		{402, "", llm.Denied, ""}, {401, "", llm.Denied, ""}, {403, "", llm.Denied, ""},
		{404, "", llm.NotFound, ""}, {408, "", llm.TimedOut, ""}, {504, "", llm.TimedOut, ""},
		{413, "", llm.TooLong, ""}, {422, "", llm.BadRequest, ""}, {501, "", llm.Unsupported, ""},
		{502, "", llm.Overloaded, ""}, {529, "", llm.Overloaded, ""},
	}
	for _, tt := range tests {
		if got := wire.Fault(tt.status, tt.said); got != tt.want {
			t.Errorf("Fault(%d, %q) = %q, want %q; %s", tt.status, tt.said, got, tt.want, tt.reason)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "3", 3 * time.Second},
		{"Retry-After", "0.5", 500 * time.Millisecond},
		{"Retry-After", "Sun, 01 Mar 2026 12:01:30 GMT", 90 * time.Second},
		{"Retry-After", "Sun, 01 Mar 2026 11:00:00 GMT", 0},
		{"Retry-After", "-4", 0},
		{"Retry-After", "soon", 0},
		{"Retry-After", "1e300", 24 * time.Hour},
		{"Retry-After", "NaN", 0},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
		{"Date", "x", 0},
	}
	for _, tt := range tests {
		h := http.Header{}
		h.Set(tt.name, tt.value)
		if got := wire.RetryAfter(h, now); got != tt.want {
			t.Errorf("%s: %s gives %v, want %v", tt.name, tt.value, got, tt.want)
		}
	}
	if got := wire.RetryAfter(nil, now); got != 0 {
		t.Errorf("no header gives %v", got)
	}
}

func TestLost(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := wire.Lost(cancelled, "m", io.EOF, "h"); !errors.Is(err, context.Canceled) || llm.FaultOf(err) != "" {
		t.Errorf("given up: %v", err)
	}
	if err := wire.Lost(t.Context(), "m", io.ErrUnexpectedEOF, "h"); llm.FaultOf(err) != llm.BadResponse || strings.Contains(err.Error(), "(h)") {
		t.Errorf("broken off: %v", err)
	}
	err := wire.Lost(t.Context(), "m", &net.DNSError{Err: "no such host", Name: "x"}, "is it there?")
	if llm.FaultOf(err) != llm.Unreachable || !strings.Contains(err.Error(), "is it there?") {
		t.Errorf("no such host: %v", err)
	}
}

func TestOptions(t *testing.T) {
	read := func(query string) error {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		var b bool
		var n int
		var d time.Duration
		var s string
		o := wire.NewOptions(llm.Spec{Scheme: "x", Name: "m", Options: values})
		o.Bool("flag", &b)
		o.Int("n", 1, &n)
		o.Duration("time", &d)
		o.Text("word", &s, "a", "b")
		return o.Err()
	}
	if err := read("flag=1&n=3&time=90s&word=b"); err != nil {
		t.Error(err)
	}
	tests := []struct{ query, want string }{
		{"flag=maybe", "true or false"}, {"n=0", "from 1"}, {"n=x", "whole number"}, {"time=-1s", "such as 90s"},
		{"word=c", "one of a, b"}, {"n=1&n=2", "2 times"}, {"num=1", "unknown option num; did you mean n? x: knows flag, n, time, word"},
	}
	for _, tt := range tests {
		if err := read(tt.query); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q in it", tt.query, err, tt.want)
		}
	}
}

func TestFinish(t *testing.T) {
	tests := []struct {
		raw    string
		want   llm.Finish // empty: the server failed
		noted  bool
		reason string
	}{
		{"stop", llm.Stop, false, ""}, {"eos", llm.Stop, false, "Together"}, {"end_turn", llm.Stop, false, "xAI"},
		{"", llm.Stop, true, "sglang: the text is there"}, {"stop_sequence", llm.Stop, false, ""}, {"COMPLETE", llm.Stop, false, ""},
		{"new_word_of_2027", llm.Stop, true, "an unknown reason stops nothing"},
		{"length", llm.Length, false, ""}, {"MAX_TOKENS", llm.Length, false, "Google"}, {"model_length", llm.Length, false, "Mistral"},
		{"max_output_tokens", llm.Length, false, ""}, {"model_context_window_exceeded", llm.Length, false, "z.ai"},
		{"context-length-exceeded", llm.Length, false, ""},
		{"content_filter", llm.Filtered, false, ""}, {"sensitive", llm.Filtered, false, "z.ai"}, {"RECITATION", llm.Filtered, false, "Google"},
		{"guardrail_intervened", llm.Filtered, false, "Bedrock"}, {"SAFETY", llm.Filtered, false, ""}, {"PROHIBITED_CONTENT", llm.Filtered, false, ""},
		{"refusal", llm.Refused, false, "Anthropic"}, {"abort", llm.Cut, false, "vLLM"}, {"cancelled", llm.Cut, false, ""},
		{"network_error", "", false, "z.ai"}, {"insufficient_system_resource", "", false, "DeepSeek"}, {"server_error", "", false, ""},
		{"error", "", false, "OpenRouter, Ollama"}, {"resource_exhausted", "", false, ""}, {"upstream timeout", "", false, ""},
		{"RESPONSE_FAILED", "", false, ""}, {"rate_limited", "", false, "no limit of length"}, {"no_capacity", "", false, ""}, {"internal", "", false, ""},
		{"FINISH_REASON_UNSPECIFIED", llm.Stop, false, ""}, {"LANGUAGE", llm.Stop, true, "Google"}, {"\x1b[31mred", llm.Stop, true, "noted without control characters"},
	}
	for _, tt := range tests {
		if got, note := wire.Finish(tt.raw); got != tt.want || (note != "") != tt.noted {
			t.Errorf("%q is %q, note %q, want %q, %v; %s", tt.raw, got, note, tt.want, tt.noted, tt.reason)
		}
	}
}

func TestReadRefusal(t *testing.T) {
	var keys llm.Keys
	keys.Add("sk-0123456789abcdef")
	tests := []struct {
		raw, message string
		fault        llm.Fault
		reason       string
	}{
		{`{"error":{"message":"no","code":"invalid_api_key"}}`, "no", llm.Denied, "OpenAI's object"},
		{`{"error":"no"}`, "no", llm.BadRequest, "a string"},
		{`{"message":"no","type":"x"}`, "no", llm.BadRequest, "fields at the top"},
		{`[{"error":{"message":"no"}}]`, "no", llm.BadRequest, "Google's list"},
		{`{"detail":[{"loc":["body","seed"],"msg":"no","type":"extra"}]}`, "seed: no", llm.BadRequest, "FastAPI's list"},
		{`<html><body>x`, "a web page; is the base URL right? it usually ends in /v1", llm.BadRequest, ""},
		{"\x1b[31mno\x1b[0m\x00\r\n\x1b]0;title\x07", "no", llm.BadRequest, "a terminal would act on it"},
		{`{"error":{"message":"\u001b[2Jno \u202e"}}`, "no", llm.BadRequest, "the same, escaped"},
		{`{"error":{"message":"` + strings.Repeat("x", 290) + `sk-0123456789abcdef"}}`, strings.Repeat("x", 290) + "[key]", llm.BadRequest, "redacted before it is cut"},
		{strings.Repeat("[", 50000), strings.Repeat("[", 300) + " ...", llm.BadRequest, "deeply nested"},
	}
	for _, tt := range tests {
		got := wire.ReadRefusal(400, []byte(tt.raw), &keys)
		if got.Message != tt.message || got.Fault() != tt.fault {
			t.Errorf("%.80q: got %q, %q, want %q, %q; %s", tt.raw, got.Message, got.Fault(), tt.message, tt.fault, tt.reason)
		}
	}
}

func TestSameHost(t *testing.T) {
	tests := []struct {
		from, to string
		want     bool
	}{
		{"http://a/v1", "http://a/v2", true}, {"http://a/v1", "https://a/v1", true},
		{"https://a/v1", "http://a/v1", false}, {"http://a/v1", "http://b/v1", false}, {"http://a/v1", "http://a:99/v1", false},
	}
	for _, tt := range tests {
		from, _ := http.NewRequest(http.MethodGet, tt.from, nil)
		to, _ := http.NewRequest(http.MethodGet, tt.to, nil)
		if err := wire.SameHost(to, []*http.Request{from}); (err == nil) != tt.want {
			t.Errorf("%s to %s: %v", tt.from, tt.to, err)
		}
	}
}
