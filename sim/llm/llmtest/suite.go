package llmtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/sim/llm"
)

// request is one that asks for little.
func request() llm.Request {
	return llm.Request{Messages: []llm.Message{
		{Role: llm.System, Content: "You are Ysolde, a ferryman."},
		{Role: llm.User, Content: "Who are you?"},
	}}
}

// TestModel holds an adapter against what package llm promises of every model.
func TestModel(t *testing.T, p Protocol) {
	s := suite{p}
	s.requests(t)
	s.replies(t)
	s.failures(t)
	s.interruptions(t)
	s.manyAtOnce(t)
}

// suite tests one adapter.
type suite struct{ Protocol }

// ask puts a request to a server that gives one answer, and returns also what it was asked.
func (s suite) ask(t *testing.T, ctx context.Context, req llm.Request, a Answer) (Asked, *llm.Response, error) {
	t.Helper()
	var mu sync.Mutex
	var asked Asked
	server := httptest.NewServer(s.Serve(func(got Asked) Answer {
		mu.Lock()
		defer mu.Unlock()
		asked = got
		return a
	}))
	defer server.Close()
	resp, err := s.Open(t, server.URL, "m").Generate(ctx, req)
	mu.Lock()
	defer mu.Unlock()
	return asked, resp, err
}

// reply is ask for an answer that has to come back as a response.
func (s suite) reply(t *testing.T, req llm.Request, a Answer) (Asked, *llm.Response) {
	t.Helper()
	asked, resp, err := s.ask(t, t.Context(), req, a)
	if err != nil {
		t.Fatal(err)
	}
	return asked, resp
}

// requests tests what reaches the server.
func (s suite) requests(t *testing.T) {
	t.Run("sampling is on the wire", func(t *testing.T) {
		req := request()
		req.Sampling = llm.Sampling{Temperature: new(0.0), TopP: new(0.5), Seed: new(int64(0)), MaxTokens: 7, Stop: []string{"END"}}
		asked, _ := s.reply(t, req, Answer{Text: "a"})
		want := Asked{Model: "m", Messages: req.Messages, Temperature: new(0.0), TopP: new(0.5), Seed: new(int64(0)), MaxTokens: new(7), Stop: []string{"END"}, HasStop: true}
		if diff := cmp.Diff(want, asked, cmp.Comparer(sameMessage)); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
	t.Run("nothing is left to the server", func(t *testing.T) {
		asked, _ := s.reply(t, request(), Answer{Text: "a"})
		if asked.Temperature == nil || asked.TopP == nil || asked.MaxTokens == nil {
			t.Errorf("sent without temperature, top_p or a limit: %+v", asked)
		}
		if asked.HasStop {
			t.Error("an empty list of stops was sent, which takes away the model's own")
		}
		if asked.Seed != nil {
			t.Error("a seed was sent that nobody gave")
		}
	})
	t.Run("seeds that servers read wrongly", func(t *testing.T) {
		for _, seed := range []int64{-1, 1<<32 - 1, 1<<53 + 1, -1 << 63, 1<<63 - 1} {
			req := request()
			req.Sampling.Seed = &seed
			first, _ := s.reply(t, req, Answer{Text: "a"})
			again, _ := s.reply(t, req, Answer{Text: "a"})
			if first.Seed == nil || *first.Seed < 0 || *first.Seed >= 1<<31-1 || *first.Seed != *again.Seed {
				t.Errorf("seed %d was sent as %v and %v", seed, first.Seed, again.Seed)
			}
		}
	})
	t.Run("neighbours of one role are joined, empty messages left out", func(t *testing.T) {
		req := llm.Request{Messages: []llm.Message{
			{Role: llm.System, Content: "Rules."}, {Role: llm.System, Content: "Scene."},
			{Role: llm.User, Content: "one"}, {Role: llm.Assistant, Content: " \n"}, {Role: llm.User, Content: "two"},
		}}
		asked, _ := s.reply(t, req, Answer{Text: "a"})
		want := []llm.Message{{Role: llm.System, Content: "Rules.\nScene."}, {Role: llm.User, Content: "one\ntwo"}}
		if diff := cmp.Diff(want, asked.Messages, cmp.Comparer(sameMessage)); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		if len(req.Messages) != 5 || req.Messages[1].Content != "Scene." {
			t.Error("the caller's messages were written to")
		}
	})
	t.Run("empty prompt", func(t *testing.T) {
		_, _, err := s.ask(t, t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User}}}, Answer{Text: "a"})
		wantFault(t, err, llm.BadRequest)
	})
	t.Run("schema", func(t *testing.T) {
		req := request()
		req.Schema = []byte(`{"type":"object","properties":{"speech":{"type":"string"}},"required":["speech"],"additionalProperties":false}`)
		asked, resp := s.reply(t, req, Answer{Text: `{"speech":"Aye"}`})
		if string(asked.Schema) != string(req.Schema) || resp.Text != `{"speech":"Aye"}` {
			t.Errorf("sent %s, got %q", asked.Schema, resp.Text)
		}
	})
	t.Run("schema refused", func(t *testing.T) {
		req := request()
		req.Schema = []byte(`{"type":"object"}`)
		_, _, err := s.ask(t, t.Context(), req, Answer{Fault: llm.Unsupported})
		wantFault(t, err, llm.Unsupported)
	})
}

// replies tests what comes back in good order.
func (s suite) replies(t *testing.T) {
	t.Run("reply", func(t *testing.T) {
		_, resp := s.reply(t, request(), Answer{Text: "I row.", Model: "m-2026", Usage: llm.Usage{Prompt: new(21), Completion: new(4)}})
		if resp.Text != "I row." || resp.Finish != llm.Stop || resp.ServedBy != "m-2026" || resp.Truncated {
			t.Errorf("got %+v", resp)
		}
		if resp.Usage.Prompt == nil || *resp.Usage.Prompt != 21 || resp.Usage.Completion == nil || *resp.Usage.Completion != 4 {
			t.Errorf("usage %+v, want 21 and 4", resp.Usage)
		}
	})
	t.Run("logprobs", func(t *testing.T) {
		probs := []llm.TokenLogprob{{Logprob: llm.Logprob{Token: "A", Value: -0.25}, Top: []llm.Logprob{{Token: "A", Value: -0.25}, {Token: "B", Value: -1.5}}}}
		req := request()
		req.TopLogprobs = 2
		asked, resp := s.reply(t, req, Answer{Text: "A", Logprobs: probs})
		if asked.TopLogprobs != 2 {
			t.Errorf("asked for %d", asked.TopLogprobs)
		}
		if diff := cmp.Diff(probs, resp.Logprobs); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
	t.Run("outcomes", func(t *testing.T) {
		tests := []struct {
			name      string
			answer    Answer
			text      string
			reasoning string
			finish    llm.Finish
			reason    string
		}{
			{"empty", Answer{}, "", "", llm.Stop, "an empty reply is a normal outcome"},
			{"length", Answer{Text: "I row and", Finish: llm.Length}, "I row and", "", llm.Length, ""},
			{"cut", Answer{Text: "I row", Finish: llm.Cut}, "I row", "", llm.Cut, "the stream ends without a reason"},
			{"reasoning field", Answer{Text: "Aye.", Reasoning: "say aye"}, "Aye.", "say aye", llm.Stop, ""},
			{"only reasoning", Answer{Reasoning: "let me see", Finish: llm.Length}, "", "let me see", llm.Length, "the limit was reached while it thought"},
			{"marks", Answer{Text: "<think>say aye</think>\n\nAye."}, "<think>say aye</think>\n\nAye.", "", llm.Stop, "the text is raw; llm.Ask splits it"},
			{"bytewise", Answer{Text: "你好🦀 Élodie", Bytewise: true}, "你好🦀 Élodie", "", llm.Stop, "characters split between packets stay whole"},
			{"quotes", Answer{Text: "\"No\\n\"\n\t<b>\u2028"}, "\"No\\n\"\n\t<b>\u2028", "", llm.Stop, ""},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				_, resp := s.reply(t, request(), tt.answer)
				if resp.Text != tt.text || resp.Reasoning != tt.reasoning || resp.Finish != tt.finish {
					t.Errorf("got text %q, reasoning %q, finish %q, want %q, %q, %q; %s",
						resp.Text, resp.Reasoning, resp.Finish, tt.text, tt.reasoning, tt.finish, tt.reason)
				}
				if resp.Usage != (llm.Usage{}) {
					t.Errorf("usage %+v, want none: the server gave none", resp.Usage)
				}
			})
		}
	})
	t.Run("flood", func(t *testing.T) {
		for tokens, most := range map[int]int{s.MaxReply: s.MaxReply, 100: 64*100 + 16<<10} {
			req := request()
			req.Sampling.MaxTokens = tokens
			_, resp := s.reply(t, req, Answer{Text: strings.Repeat("oh no ", s.MaxReply)})
			if resp.Finish != llm.Length || len(resp.Text) > most || len(resp.Text) < most/2 {
				t.Errorf("far too much for %d tokens came back as %d bytes with finish %q, want at most %d", tokens, len(resp.Text), resp.Finish, most)
			}
		}
	})
}

// failures tests what comes back as an error.
func (s suite) failures(t *testing.T) {
	t.Run("faults", func(t *testing.T) {
		for _, fault := range []llm.Fault{llm.TooLong, llm.Overloaded, llm.BadRequest, llm.BadResponse} {
			t.Run(string(fault), func(t *testing.T) {
				_, _, err := s.ask(t, t.Context(), request(), Answer{Fault: fault})
				e := wantFault(t, err, fault)
				if e.Model == "" || e.Err == nil {
					t.Errorf("the error says too little: %#v", e)
				}
			})
		}
	})
	t.Run("overload with Retry-After", func(t *testing.T) {
		_, _, err := s.ask(t, t.Context(), request(), Answer{Fault: llm.Overloaded, Retry: "3"})
		if e := wantFault(t, err, llm.Overloaded); e.RetryAfter != 3*time.Second {
			t.Errorf("retry after %v, want 3s", e.RetryAfter)
		}
	})
	t.Run("connection breaks", func(t *testing.T) {
		_, _, err := s.ask(t, t.Context(), request(), Answer{Text: "I r", Break: true})
		wantFault(t, err, llm.BadResponse)
	})
	t.Run("unknown model", func(t *testing.T) {
		server := httptest.NewServer(s.Serve(func(Asked) Answer { return Answer{Text: "a"} }))
		defer server.Close()
		_, err := s.Open(t, server.URL, "missing").Generate(t.Context(), request())
		if e := wantFault(t, err, llm.NotFound); e.Hint == "" {
			t.Errorf("no hint in %q", e)
		}
	})
	t.Run("nobody there", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := "http://" + l.Addr().String()
		l.Close()
		_, err = s.Open(t, address, "m").Generate(t.Context(), request())
		if e := wantFault(t, err, llm.Unreachable); e.Hint == "" {
			t.Errorf("no hint in %q", e)
		}
	})
}

// interruptions tests calls that are given up before and within the reply.
func (s suite) interruptions(t *testing.T) {
	for _, begun := range []string{"", "I row"} {
		t.Run(fmt.Sprintf("cancel after %q", begun), func(t *testing.T) {
			left := make(chan any, 1)
			server := httptest.NewServer(s.Serve(func(Asked) Answer { return Answer{Text: begun, Hang: true, Left: left} }))
			defer server.Close()
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(50*time.Millisecond, cancel)
			resp, err := s.Open(t, server.URL, "m").Generate(ctx, request())
			if !errors.Is(err, context.Canceled) || llm.FaultOf(err) != "" {
				t.Fatalf("got %v, %v, want the context's error and no fault", resp, err)
			}
			<-left // or the server would go on for nobody
		})
		t.Run(fmt.Sprintf("deadline after %q", begun), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, _, err := s.ask(t, ctx, request(), Answer{Text: begun, Hang: true})
			wantFault(t, err, llm.TimedOut)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v hides the deadline", err)
			}
		})
	}
}

// manyAtOnce tests that a model is safe for concurrent use.
func (s suite) manyAtOnce(t *testing.T) {
	t.Run("many at once", func(t *testing.T) {
		server := httptest.NewServer(s.Serve(func(a Asked) Answer { return Answer{Text: a.Messages[len(a.Messages)-1].Content} }))
		defer server.Close()
		m := s.Open(t, server.URL, "m")
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				req := request()
				req.Messages = slices.Clone(req.Messages)
				req.Messages[1].Content = fmt.Sprint("call ", i)
				resp, err := m.Generate(t.Context(), req)
				if err != nil {
					t.Error(err)
				} else if resp.Text != fmt.Sprint("call ", i) {
					t.Errorf("call %d got %q", i, resp.Text)
				}
			})
		}
		wg.Wait()
	})
}

func sameMessage(a, b llm.Message) bool { return a.Role == b.Role && a.Content == b.Content }

func wantFault(t *testing.T, err error, fault llm.Fault) *llm.Error {
	t.Helper()
	e, ok := err.(*llm.Error)
	if !ok || e.Fault != fault {
		t.Fatalf("got error %v (%T), want an *llm.Error of kind %q", err, err, fault)
	}
	return e
}
