package ollama_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/sim/llm"
	"parley/sim/llm/ollama"
)

// host is a server that writes what it is told and keeps what it was sent.
type host struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []map[string]any
}

func newHost(t *testing.T, answer func(w http.ResponseWriter, path string, body map[string]any)) *host {
	h := &host{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		json.NewDecoder(r.Body).Decode(&body)
		h.mu.Lock()
		h.bodies = append(h.bodies, body)
		h.mu.Unlock()
		answer(w, r.URL.Path, body)
	}))
	t.Cleanup(h.Close)
	return h
}

const done = `{"model":"m","created_at":"2026-03-01T12:00:00Z","message":{"role":"assistant","content":"a"},"done":true,"done_reason":"stop"}` + "\n"

func ask() llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.System, Content: "Rules."}, {Role: llm.User, Content: "Who are you?"}}}
}

func TestBody(t *testing.T) {
	type object = map[string]any
	neutral := object{
		"temperature": 0.8, "top_p": 1.0, "top_k": 0.0, "min_p": 0.0, "repeat_penalty": 1.0, "repeat_last_n": 64.0,
		"presence_penalty": 0.0, "frequency_penalty": 0.0, "num_predict": 400.0,
	}
	full := llm.Sampling{
		Temperature: new(0.0), TopP: new(0.9), TopK: new(40), MinP: new(0.05), RepeatPenalty: new(1.1), RepeatLastN: new(32),
		PresencePenalty: new(0.5), FrequencyPenalty: new(0.25), MaxTokens: 50, Seed: new(int64(0)), Stop: []string{"\n\n"},
		NumCtx: 4096, NumThread: 2, KeepAlive: "10m", Think: "off",
	}
	fullOptions := func(more object) object {
		o := object{
			"temperature": 0.0, "top_p": 0.9, "top_k": 40.0, "min_p": 0.05, "repeat_penalty": 1.1, "repeat_last_n": 32.0,
			"presence_penalty": 0.5, "frequency_penalty": 0.25, "num_predict": 50.0, "seed": 0.0, "stop": []any{"\n\n"},
			"num_ctx": 4096.0, "num_thread": 2.0,
		}
		for k, v := range more {
			o[k] = v
		}
		return o
	}
	tests := []struct {
		spec     string
		sampling llm.Sampling
		want     object
		reason   string
	}{
		{"m", llm.Sampling{}, object{"options": neutral}, "nothing is left to Ollama's defaults, of which repeat_penalty 1.1 changes even greedy text"},
		{"m", full, object{"options": fullOptions(nil), "keep_alive": "10m0s", "think": false}, ""},
		{"m?num_ctx=8192&num_thread=1&num_gpu=0&keep_alive=-1&think=high", full,
			object{"options": fullOptions(object{"num_ctx": 8192.0, "num_thread": 1.0, "num_gpu": 0.0}), "keep_alive": -1.0, "think": "high"}, "the spec holds for all requests"},
		{"m", llm.Sampling{KeepAlive: "0", Think: "on", Temperature: new(1e-45)},
			object{"options": func() object { o := fullOptions(neutral); return o }(), "keep_alive": 0.0, "think": true}, "the smallest float aborts the runner"},
	}
	for _, yes := range []string{"on", "true"} {
		tests = append(tests, tests[0])
		last := &tests[len(tests)-1]
		last.sampling, last.reason = llm.Sampling{Think: yes}, "true is how YAML writes on"
		last.want = object{"options": neutral, "think": true}
	}
	last := tests[3].want["options"].(object)
	last["temperature"] = 0.0
	for _, name := range []string{"seed", "stop", "num_ctx", "num_thread"} {
		delete(last, name)
	}
	for _, tt := range tests {
		h := newHost(t, func(w http.ResponseWriter, _ string, _ map[string]any) { io.WriteString(w, done) })
		req := ask()
		req.Sampling = tt.sampling
		if _, err := open(t, "ollama:"+tt.spec, ollama.Options{Host: h.URL}).Generate(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		tt.want["model"], tt.want["truncate"], tt.want["shift"] = "m", false, false
		tt.want["messages"] = []any{object{"role": "system", "content": "Rules."}, object{"role": "user", "content": "Who are you?"}}
		got := h.bodies[0]
		if s, ok := got["keep_alive"].(string); ok && strings.HasPrefix(s, "-") {
			got["keep_alive"] = -1.0
		} else if s == "0s" {
			got["keep_alive"] = 0.0
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s; -want +got\n%s", tt.spec, tt.reason, diff)
		}
	}
}

func TestTimingAndUsage(t *testing.T) {
	h := newHost(t, func(w http.ResponseWriter, _ string, _ map[string]any) {
		io.WriteString(w, `{"model":"m","message":{"content":"a"},"done":true,"done_reason":"stop","total_duration":9000,"load_duration":1000,"prompt_eval_count":21,"prompt_eval_duration":2000,"eval_duration":3000}`)
	})
	m := open(t, "ollama:m", ollama.Options{Host: h.URL})
	got, err := m.Generate(t.Context(), ask())
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Response{
		Text: "a", Finish: llm.Stop, FinishRaw: "stop", ServedBy: "m", Usage: llm.Usage{Prompt: new(21), Completion: new(0)},
		Timing: llm.Timing{Load: 1000, Prompt: 2000, Generate: 3000, Total: 9000},
	}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	clock := time.Unix(0, 0)
	m = open(t, "ollama:m", ollama.Options{Host: h.URL, Now: func() time.Time { clock = clock.Add(time.Second); return clock }})
	if got, err = m.Generate(t.Context(), ask()); err != nil || got.Timing.Total != 2*time.Second || got.Timing.First != time.Second {
		t.Errorf("by the clock it took %v, %v to the first piece, %v, want 2s and 1s", got.Timing.Total, got.Timing.First, err)
	}
}

// TestTruncated holds what an older server shows of a prompt that it cut, unasked.
func TestTruncated(t *testing.T) {
	tests := []struct {
		bytes, tokens, numCtx int
		want                  bool
		reason                string
	}{
		{100, 30, 512, false, ""},
		{9000, 512, 512, true, "as many tokens as fit"},
		{9000, 2200, 4096, false, ""},
	}
	for _, tt := range tests {
		h := newHost(t, func(w http.ResponseWriter, _ string, _ map[string]any) {
			fmt.Fprintf(w, `{"model":"m","message":{"content":"a"},"done":true,"prompt_eval_count":%d}`, tt.tokens)
		})
		req := ask()
		req.Messages[1].Content = strings.Repeat("a", tt.bytes)
		req.Sampling.NumCtx = tt.numCtx
		got, err := open(t, "ollama:m", ollama.Options{Host: h.URL}).Generate(t.Context(), req)
		if err != nil || got.Truncated != tt.want {
			t.Errorf("%d bytes as %d tokens of %d: truncated %v, %v, want %v; %s", tt.bytes, tt.tokens, tt.numCtx, got.Truncated, err, tt.want, tt.reason)
		}
	}
}

func TestFaults(t *testing.T) {
	tests := []struct {
		status int
		body   string
		schema bool
		want   llm.Fault
		hint   string
		reason string
	}{
		{200, `{"model":"m","message":{"content":""},"done":true,"done_reason":"load"}`, false, llm.BadRequest, "", "asking again would load it again"},
		{200, ``, false, llm.BadResponse, "", ""},
		{200, `<html>`, false, llm.BadResponse, "is it an Ollama server?", ""},
		{200, `{"error":"model runner has unexpectedly stopped"}`, false, llm.Overloaded, "", "within a stream"},
		{200, `{"model":7}`, false, llm.BadResponse, "", ""},
		{404, `{"error":"model 'm' not found"}`, false, llm.NotFound, "ollama pull m", ""},
		{404, `404 page not found`, false, llm.NotFound, "an Ollama server?", "another server"},
		{401, `{"error":"unauthorized"}`, false, llm.Denied, "ollama signin", "a model that runs elsewhere"},
		{500, `{"error":"invalid format: \"yaml\""}`, true, llm.Unsupported, "", ""},
		{500, `{"error":"template: :3:5: executing \"\" at <.Foo>"}`, false, llm.BadRequest, "", "a template that fails fails again"},
		{500, `{"error":"llama runner process has terminated"}`, false, llm.Overloaded, "", ""},
		{400, `{"error":"\"m\" does not support chat"}`, false, llm.BadRequest, "", ""},
	}
	for _, tt := range tests {
		h := newHost(t, func(w http.ResponseWriter, _ string, _ map[string]any) {
			w.WriteHeader(tt.status)
			io.WriteString(w, tt.body)
		})
		req := ask()
		if tt.schema {
			req.Schema = []byte(`"yaml"`)
		}
		_, err := open(t, "ollama:m", ollama.Options{Host: h.URL}).Generate(t.Context(), req)
		if e, ok := err.(*llm.Error); !ok || e.Fault != tt.want || !strings.Contains(e.Hint, tt.hint) {
			t.Errorf("%d %s: got %v, want fault %q with a hint of %q; %s", tt.status, tt.body, err, tt.want, tt.hint, tt.reason)
		}
	}
}

func TestThinkNotSupported(t *testing.T) {
	h := newHost(t, func(w http.ResponseWriter, _ string, body map[string]any) {
		if body["think"] == true {
			failWith(w, 400, `"m" does not support thinking`)
			return
		}
		io.WriteString(w, done)
	})
	m := open(t, "ollama:m", ollama.Options{Host: h.URL})
	req := ask()
	req.Sampling.Think = "on"
	for range 2 {
		resp, err := m.Generate(t.Context(), req)
		if err != nil || !slices.Equal(resp.Ignored, []string{"think"}) {
			t.Errorf("got %+v, %v", resp, err)
		}
	}
	req.Sampling.Think = "off"
	if resp, err := m.Generate(t.Context(), req); err != nil || resp.Ignored != nil {
		t.Errorf("got %+v, %v: not to think is not refused", resp, err)
	}
	if len(h.bodies) != 4 {
		t.Errorf("%d requests, want 4: the refusal is remembered", len(h.bodies))
	}
}

func TestOtherRefusalsOfThinkersStand(t *testing.T) {
	h := newHost(t, func(w http.ResponseWriter, _ string, _ map[string]any) {
		failWith(w, 400, `"thinker" does not support chat`)
	})
	_, err := open(t, "ollama:thinker?think=on", ollama.Options{Host: h.URL}).Generate(t.Context(), ask())
	if llm.FaultOf(err) != llm.BadRequest || len(h.bodies) != 1 {
		t.Errorf("got %v after %d requests", err, len(h.bodies))
	}
}

func TestBadKeepAlive(t *testing.T) {
	req := ask()
	req.Sampling.KeepAlive = "soon"
	_, err := open(t, "ollama:m", ollama.Options{}).Generate(t.Context(), req)
	if llm.FaultOf(err) != llm.BadRequest {
		t.Errorf("got %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct{ spec, host, want string }{
		{"ollama:m?numctx=5", "", "unknown option numctx; did you mean num_ctx? ollama: knows keep_alive, num_ctx, num_gpu, num_thread, think, timeout"},
		{"ollama:m?num_ctx=0", "", "from 1"},
		{"ollama:m?keep_alive=soon", "", "such as 10m"},
		{"ollama:m?think=a-bit", "", "on, off, low, medium, high"},
		{"ollama:m", "ftp://x", "write host"},
		{"ollama:m", "host:70000", "65535"},
	}
	for _, tt := range tests {
		spec, err := llm.ParseSpec(tt.spec)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = ollama.Open(t.Context(), spec, ollama.Options{Host: tt.host}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s at %q: got %v, want %q in it", tt.spec, tt.host, err, tt.want)
		}
	}
}

// TestHosts holds that addresses are read as Ollama reads them.
func TestHosts(t *testing.T) {
	tests := []struct{ spec, host, want string }{
		{"ollama:m", "", "http://127.0.0.1:11434"},
		{"ollama:m", "box", "http://box:11434"},
		{"ollama:m", "box:1", "http://box:1"},
		{"ollama:m", ":1", "http://127.0.0.1:1"},
		{"ollama:m", "0.0.0.0:1", "http://127.0.0.1:1"},
		{"ollama:m", "[::1]:1", "http://[::1]:1"},
		{"ollama:m", "https://box", "https://box"},
		{"ollama:m", "http://ann:secret@box:1/", "http://box:1"},
		{"ollama:m@http://other:1/v1", "box", "http://other:1"},
		{"ollama:m@http://other/ollama", "box", "http://other/ollama"},
	}
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		return nil, fmt.Errorf("no network")
	})}
	for _, tt := range tests {
		m := open(t, tt.spec, ollama.Options{Host: tt.host, HTTP: client})
		id, err := m.(llm.Identifier).Identify(t.Context())
		if id.Server != tt.want || strings.Contains(fmt.Sprint(id.Note, err), "secret") {
			t.Errorf("%s at %q: server %q, error %v, want %q", tt.spec, tt.host, id.Server, err, tt.want)
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
		_, err := open(t, "ollama:m?timeout=3m", ollama.Options{HTTP: client}).Generate(t.Context(), ask())
		if llm.FaultOf(err) != llm.TimedOut || time.Since(start) != 3*time.Minute {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
}

// FuzzReply holds that no reply of a server breaks the adapter.
func FuzzReply(f *testing.F) {
	f.Add(200, done)
	f.Add(200, `{"error":"x"}`)
	f.Add(200, `{"model":"m","message":{"content":"<think>a","thinking":"b"},"done":false,"logprobs":[{"token":"a","top_logprobs":[{}]}]}`)
	f.Add(503, `{"error":7}`)
	f.Add(401, ``)
	spec, err := llm.ParseSpec("ollama:m@http://host")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		status = 200 + (status%400+400)%400
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		})}
		m, err := ollama.Open(t.Context(), spec, ollama.Options{HTTP: client, MaxReply: 1000})
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
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"model":"llama3.2:1b","message":{"content":"Mind the rope."},"done":true,"done_reason":"stop"}`)
	}))
	defer server.Close()
	ctx := context.Background()
	spec, _ := llm.ParseSpec("ollama:llama3.2:1b?num_thread=1")
	model, err := ollama.Open(ctx, spec, ollama.Options{Host: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := model.Generate(ctx, llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "May I come aboard?"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Text, resp.Finish)
	// Output: Mind the rope. stop
}

func TestDoneReasons(t *testing.T) {
	tests := []struct {
		reason string
		want   llm.Finish
		fault  llm.Fault
	}{
		{"stop", llm.Stop, ""}, {"", llm.Stop, ""}, {"length", llm.Length, ""}, {"some_new_word", llm.Stop, ""},
		{"error", "", llm.Overloaded}, {"load", "", llm.BadRequest},
	}
	for _, tt := range tests {
		h := newHost(t, func(w http.ResponseWriter, _ string, _ map[string]any) {
			fmt.Fprintf(w, `{"model":"m","message":{"content":"a"},"done":true,"done_reason":%q}`, tt.reason)
		})
		got, err := open(t, "ollama:m", ollama.Options{Host: h.URL}).Generate(t.Context(), ask())
		if llm.FaultOf(err) != tt.fault || err == nil && (got.Finish != tt.want || got.FinishRaw != tt.reason) {
			t.Errorf("%q: got %+v, %v, want %q or fault %q", tt.reason, got, err, tt.want, tt.fault)
		}
	}
}

// A prompt is not for another host than the one that the user named.
func TestNoRedirectElsewhere(t *testing.T) {
	stranger := newHost(t, func(w http.ResponseWriter, _ string, _ map[string]any) {
		io.WriteString(w, `{"model":"m","message":{"content":"a"},"done":true}`)
	})
	h := newHost(t, func(w http.ResponseWriter, path string, _ map[string]any) {
		w.Header().Set("Location", stranger.URL+path)
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	m := open(t, "ollama:m", ollama.Options{Host: h.URL})
	if _, err := m.Generate(t.Context(), ask()); err == nil || !strings.Contains(err.Error(), stranger.URL) {
		t.Errorf("got %v, want where the server redirects to", err)
	}
	if id, err := m.(llm.Identifier).Identify(t.Context()); err == nil && id.Note == "" {
		t.Errorf("identified %+v", id)
	}
	if len(stranger.bodies) != 0 {
		t.Errorf("another host was sent %v", stranger.bodies)
	}
}

func TestToolCall(t *testing.T) {
	h := newHost(t, func(w http.ResponseWriter, _ string, _ map[string]any) {
		io.WriteString(w, `{"model":"m","message":{"content":"","tool_calls":[{"function":{"name":"roll","arguments":{"die":20}}}]},"done":true,"done_reason":"stop"}`)
	})
	got, err := open(t, "ollama:m", ollama.Options{Host: h.URL}).Generate(t.Context(), ask())
	if err != nil || !strings.HasPrefix(got.Text, `{"tool_calls":[`) || !strings.Contains(got.Text, `"roll"`) {
		t.Errorf("got %+v, %v; no tool was offered, and the reply is not empty", got, err)
	}
}
