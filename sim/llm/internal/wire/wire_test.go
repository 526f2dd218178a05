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
	"parley/sim/llm/internal/wire"
)

func TestReasoning(t *testing.T) {
	tests := []struct{ in, said, thought, reason string }{
		{"Aye.", "Aye.", "", ""},
		{" Aye. ", " Aye. ", "", "a text without marks is not touched"},
		{"<think>a</think>Aye.", "Aye.", "a", ""},
		{"<think>\n\n</think>\n\nAye.", "Aye.", "", "thinking switched off leaves an empty pair"},
		{"a</think>Aye.", "Aye.", "a", "opener lost"},
		{"<think>a", "", "a", "cut while thinking"},
		{"Aye. <think>a</think> No.", "Aye.  No.", "a", ""},
		{"<think>a</think>Aye.<think>b</think>", "Aye.", "a\nb", ""},
		{"<think>a</think>Aye.</think>", "Aye.", "a", "a mark too many takes nothing away"},
		{"<THINKING>a</Thinking>Aye.", "Aye.", "a", ""},
		{"[THINK]a[/THINK]Aye.", "Aye.", "a", "Magistral's marks"},
		{"<think>a <think>b</think> Aye.", "Aye.", "a\nb", "an opener within"},
		{`{"speech":"Aye</think>"}`, `{"speech":"Aye"}`, "", "what is before a lone mark in an object is not thought"},
		{"I thinking <b>of</b> it", "I thinking <b>of</b> it", "", "other marks are none"},
	}
	for _, tt := range tests {
		said, thought := wire.Reasoning(tt.in)
		if said != tt.said || thought != tt.thought {
			t.Errorf("Reasoning(%q) = %q, %q, want %q, %q; %s", tt.in, said, thought, tt.said, tt.thought, tt.reason)
		}
	}
}

func FuzzReasoning(f *testing.F) {
	for _, s := range []string{"", "a", "<think>a</think>b", "a</think>b", "<think>a", "[THINK]x[/think]", "{</think>}", "<think><think></think>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		said, thought := wire.Reasoning(text)
		if len(said)+len(thought) > len(text) {
			t.Fatalf("%q grew to %q and %q", text, said, thought)
		}
		if strings.Contains(strings.ToLower(text), "think") {
			return
		}
		if !strings.Contains(strings.ToLower(text), "thought") && said != text {
			t.Fatalf("%q has no marks and became %q", text, said)
		}
	})
}

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
		{"word=c", "one of a, b"}, {"n=1&n=2", "2 times"}, {"num=1", "unknown option num; x: knows flag, n, time, word"},
	}
	for _, tt := range tests {
		if err := read(tt.query); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q in it", tt.query, err, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	tests := []struct {
		bytes, tokens int
		want          bool
		reason        string
	}{
		{26000, 6000, false, ""},
		{26000, 2000, true, "13 bytes a token"},
		{26000, 0, false, "unknown"},
		{26000, 4096, true, "all that a usual context takes"},
		{26000, 4100, false, ""},
		{8000, 2048, false, "fewer than 4 bytes a token: by chance"},
		{900, 30, false, "too short to tell"},
	}
	for _, tt := range tests {
		prompt := []llm.Message{{Content: strings.Repeat("a", tt.bytes/2)}, {Content: strings.Repeat("b", tt.bytes/2)}}
		if got := wire.Cut(prompt, tt.tokens); got != tt.want {
			t.Errorf("%d bytes as %d tokens: got %v; %s", tt.bytes, tt.tokens, got, tt.reason)
		}
	}
}

func TestExcerpt(t *testing.T) {
	if got := wire.Excerpt(strings.Repeat("é", 400)); len(got) > 310 || !strings.HasSuffix(got, "é ...") {
		t.Errorf("got %q", got)
	}
}
