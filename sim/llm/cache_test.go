package llm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/sim/llm"
)

// fresh answers every request with another text.
func fresh() (llm.Model, *int) {
	n := new(int)
	return llm.Func(func(context.Context, llm.Request) (*llm.Response, error) {
		*n++
		return &llm.Response{Text: fmt.Sprint("reply ", *n), Reasoning: "because", Finish: llm.Stop, ServedBy: "x",
			Usage:    llm.Usage{Prompt: count(*n)},
			Timing:   llm.Timing{Total: 1},
			Logprobs: []llm.TokenLogprob{{Logprob: llm.Logprob{Token: "a", Value: -0.5}, Top: []llm.Logprob{{Token: "b", Value: -1}}}},
			Ignored:  []string{"top_k"}}, nil
	}), n
}

func TestCache(t *testing.T) {
	model, asked := fresh()
	cached := llm.Cache(&memory{}, "m", llm.Identity{Digest: "1"})(model)
	first, err := cached.Generate(t.Context(), request("s1", 3))
	if err != nil {
		t.Fatal(err)
	}
	second, err := cached.Generate(t.Context(), request("s2", 3))
	if err != nil {
		t.Fatal(err)
	}
	want := *first
	want.FromCache, want.Timing = true, llm.Timing{}
	if diff := cmp.Diff(&want, second); diff != "" || first.FromCache || *asked != 1 {
		t.Errorf("asked %d times; second response (-want +got):\n%s", *asked, diff)
	}
}

func TestCacheKey(t *testing.T) {
	store := &memory{}
	model, asked := fresh()
	half := 0.5
	id := llm.Identity{Name: "x", Digest: "1"}
	keys := 0
	for name, f := range map[string]func(r *llm.Request, model *string, id *llm.Identity){
		"nothing":      func(*llm.Request, *string, *llm.Identity) {},
		"model":        func(_ *llm.Request, m *string, _ *llm.Identity) { *m = "n" },
		"digest":       func(_ *llm.Request, _ *string, id *llm.Identity) { id.Digest = "2" },
		"served":       func(_ *llm.Request, _ *string, id *llm.Identity) { id.Name = "y" },
		"quantization": func(_ *llm.Request, _ *string, id *llm.Identity) { id.Quantization = "Q4_1" },
		"server":       func(_ *llm.Request, _ *string, id *llm.Identity) { id.Server = "http://a" },
		"message":      func(r *llm.Request, _ *string, _ *llm.Identity) { r.Messages[0] = llm.NewMessage(llm.User, "x") },
		"role": func(r *llm.Request, _ *string, _ *llm.Identity) {
			r.Messages[0] = llm.NewMessage(llm.System, r.Messages[0].Content)
		},
		"order": func(r *llm.Request, _ *string, _ *llm.Identity) {
			r.Messages[0], r.Messages[1] = r.Messages[1], r.Messages[0]
		},
		"fewer":       func(r *llm.Request, _ *string, _ *llm.Identity) { r.Messages = r.Messages[:2] },
		"temperature": func(r *llm.Request, _ *string, _ *llm.Identity) { r.Sampling.Temperature = &half },
		"top_p":       func(r *llm.Request, _ *string, _ *llm.Identity) { r.Sampling.TopP = &half },
		"top_k":       func(r *llm.Request, _ *string, _ *llm.Identity) { r.Sampling.TopK = count(3) },
		"min_p":       func(r *llm.Request, _ *string, _ *llm.Identity) { r.Sampling.MinP = &half },
		"max":         func(r *llm.Request, _ *string, _ *llm.Identity) { r.Sampling.MaxTokens = 7 },
		"seed":        func(r *llm.Request, _ *string, _ *llm.Identity) { r.Sampling.Seed = new(int64) },
		"no seed":     func(r *llm.Request, _ *string, _ *llm.Identity) { r.Sampling.Seed = nil },
		"stop":        func(r *llm.Request, _ *string, _ *llm.Identity) { r.Sampling.Stop = []string{"x"} },
		"penalty":     func(r *llm.Request, _ *string, _ *llm.Identity) { r.Sampling.RepeatPenalty = &half },
		"presence":    func(r *llm.Request, _ *string, _ *llm.Identity) { r.Sampling.PresencePenalty = &half },
		"frequency":   func(r *llm.Request, _ *string, _ *llm.Identity) { r.Sampling.FrequencyPenalty = &half },
		"num_ctx":     func(r *llm.Request, _ *string, _ *llm.Identity) { r.Sampling.NumCtx = 4096 },
		"think":       func(r *llm.Request, _ *string, _ *llm.Identity) { r.Sampling.Think = "on" },
		"schema":      func(r *llm.Request, _ *string, _ *llm.Identity) { r.Schema = []byte("{}") },
		"logprobs":    func(r *llm.Request, _ *string, _ *llm.Identity) { r.TopLogprobs = 2 },
		"try":         func(r *llm.Request, _ *string, _ *llm.Identity) { r.Tag.Try = 1 },
		"repeat":      func(r *llm.Request, _ *string, _ *llm.Identity) { r.Tag.Repeat = 1 },
	} {
		keys++
		for again := range 2 {
			req, m, i := request("s1", 3), "m", id
			f(&req, &m, &i)
			resp, err := llm.Cache(store, m, i)(model).Generate(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if resp.FromCache != (again == 1) {
				t.Errorf("another %s, asked %d times before: from the cache is %t", name, again, resp.FromCache)
			}
		}
	}
	if *asked != keys || store.Len() != keys {
		t.Errorf("%d questions were asked %d times and kept under %d keys", keys, *asked, store.Len())
	}
	// What makes no difference.
	req := request("other", 3)
	req.Tag.Actor, req.Tag.Purpose, req.Tag.Turn = "b", "c", 99
	req.Sampling.KeepAlive = "1h"
	req.Sampling = req.Sampling.Complete()
	if resp, _ := llm.Cache(store, "m", id)(model).Generate(t.Context(), req); !resp.FromCache {
		t.Error("the same question from elsewhere was asked again")
	}
}

func TestCacheKeepsOnlyWholeReplies(t *testing.T) {
	for name, resp := range map[string]*llm.Response{
		"empty":           {Text: " \n", Finish: llm.Stop},
		"refused":         {Text: "I cannot.", Finish: llm.Refused},
		"filtered":        {Text: "So", Finish: llm.Filtered},
		"at the limit":    {Text: "So", Finish: llm.Length},
		"cut":             {Text: "So", Finish: llm.Cut},
		"cut prompt":      {Text: "So", Finish: llm.Stop, Truncated: true},
		"a failure":       nil,
		"of another kind": {Text: "So"},
	} {
		t.Run(name, func(t *testing.T) {
			store := &memory{}
			asked := 0
			model := llm.Func(func(context.Context, llm.Request) (*llm.Response, error) {
				asked++
				if resp == nil {
					return nil, fault(llm.Overloaded)
				}
				return resp, nil
			})
			for range 2 {
				llm.Cache(store, "m", llm.Identity{})(model).Generate(t.Context(), request("s1", 1))
			}
			if asked != 2 || store.Len() != 0 {
				t.Errorf("asked %d times and kept %d, want 2 and 0", asked, store.Len())
			}
		})
	}
}

// store fails on demand, or holds what nobody can read.
type store struct {
	data     []byte
	get, put error
}

func (s *store) Get(string) ([]byte, bool, error) { return s.data, s.data != nil, s.get }
func (s *store) Put(_ string, data []byte) error  { s.data = data; return s.put }

func TestCacheStore(t *testing.T) {
	full := errors.New("disk full")
	for _, s := range []*store{{get: full}, {put: full}} {
		model, _ := fresh()
		if _, err := llm.Cache(s, "m", llm.Identity{})(model).Generate(t.Context(), request("s1", 1)); !errors.Is(err, full) {
			t.Errorf("error is %v, want the store's", err)
		}
	}
	for _, data := range []string{"", "{", "{}", "null", "[1]"} {
		s := &store{data: []byte(data)}
		model, asked := fresh()
		cached := llm.Cache(s, "m", llm.Identity{})(model)
		for range 2 {
			if resp, err := cached.Generate(t.Context(), request("s1", 1)); err != nil || resp.Text != "reply 1" {
				t.Errorf("%q: response %+v, error %v", data, resp, err)
			}
		}
		if *asked != 1 {
			t.Errorf("%q: asked %d times, want once", data, *asked)
		}
	}
}

func BenchmarkRequestKey(b *testing.B) {
	req := request("s1", 30)
	b.ReportAllocs()
	for b.Loop() {
		llm.RequestKey(req)
	}
}

func BenchmarkCache(b *testing.B) {
	model, _ := fresh()
	cached := llm.Cache(&memory{}, "m", llm.Identity{})(model)
	req := request("s1", 30)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := cached.Generate(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
}

// memory is a store that lasts as long as the test.
type memory struct {
	mu   sync.RWMutex
	data map[string][]byte
}

// Get returns what was put under the key.
func (m *memory) Get(key string) (data []byte, found bool, err error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	data, found = m.data[key]
	return slices.Clone(data), found, nil
}

// Put keeps the data.
func (m *memory) Put(key string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.data == nil {
		m.data = map[string][]byte{}
	}
	m.data[key] = slices.Clone(data)
	return nil
}

// Len returns the number of keys.
func (m *memory) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.data)
}
