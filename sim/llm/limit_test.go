package llm_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/sim/llm"
)

// slow answers after a time with a usage, and notes the start of every request.
type slow struct {
	took   time.Duration
	usage  llm.Usage
	mu     sync.Mutex
	begun  time.Time
	starts map[string]time.Duration // by the actor who asks
	order  []string
	active int
	most   int
}

func (s *slow) Generate(ctx context.Context, req llm.Request) (*llm.Response, error) {
	s.mu.Lock()
	if s.starts == nil {
		s.starts = map[string]time.Duration{}
	}
	s.starts[req.Tag.Actor] = time.Since(s.begun)
	s.order = append(s.order, req.Tag.Actor)
	s.active++
	s.most = max(s.most, s.active)
	s.mu.Unlock()
	time.Sleep(s.took)
	s.mu.Lock()
	s.active--
	s.mu.Unlock()
	return &llm.Response{Text: "yes", Finish: llm.Stop, Usage: s.usage, Timing: llm.Timing{Total: s.took}}, nil
}

func count(n int) *int { return &n }

// long is a request whose prompt and longest reply are about so many tokens.
func long(tokens int) llm.Request {
	const reply = 10
	text := strings.Repeat("abc", tokens-reply-llm.EstimatePrompt([]llm.Message{{Role: llm.User}}))
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Content: text}}, Sampling: llm.Sampling{MaxTokens: reply}}
}

func TestLimit(t *testing.T) {
	s, m := time.Second, time.Minute
	for _, test := range []struct {
		name   string
		reason string
		limits llm.Limits
		took   time.Duration
		usage  llm.Usage
		sizes  []int // of the requests in tokens, sent in this order at the same time
		starts []time.Duration
		most   int
	}{
		{name: "none", took: s, sizes: []int{100, 100, 100}, starts: []time.Duration{0, 0, 0}, most: 3},
		{name: "concurrent", limits: llm.Limits{Concurrent: 2}, took: s, sizes: []int{100, 100, 100, 100, 100},
			starts: []time.Duration{0, 0, s, s, 2 * s}, most: 2},
		{name: "requests", limits: llm.Limits{Requests: 2}, took: s, sizes: []int{100, 100, 100, 100, 100},
			starts: []time.Duration{0, 0, m, m, 2 * m}, most: 2},
		{name: "tokens, never counted", reason: "the estimate of the prompt stands, and the reply is one token",
			limits: llm.Limits{Tokens: 200}, took: s, sizes: []int{100, 100, 100}, starts: []time.Duration{0, 0, m}, most: 2},
		{name: "tokens, fewer than thought", limits: llm.Limits{Tokens: 200}, took: s,
			usage: llm.Usage{Prompt: count(20), Completion: count(5)},
			sizes: []int{100, 100, 100, 100}, starts: []time.Duration{0, 0, s, 2 * s}, most: 2},
		{name: "tokens, more than thought", limits: llm.Limits{Tokens: 250}, took: s,
			usage: llm.Usage{Prompt: count(120), Completion: count(10)},
			sizes: []int{100, 100, 100}, starts: []time.Duration{0, 0, m}, most: 2},
		{name: "larger than a minute", reason: "it could never go otherwise", limits: llm.Limits{Tokens: 200}, took: s,
			sizes: []int{100, 500, 100}, starts: []time.Duration{0, m, 2 * m}, most: 1},
		{name: "all at once", limits: llm.Limits{Concurrent: 1, Requests: 3, Tokens: 1000}, took: 10 * s,
			sizes: []int{100, 100, 100, 100}, starts: []time.Duration{0, 10 * s, 20 * s, m}, most: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := &slow{took: test.took, usage: test.usage, begun: time.Now()}
				model := llm.NewLimiter(test.limits, time.Now).Limit(base)
				want := map[string]time.Duration{}
				var wg sync.WaitGroup
				for i, size := range test.sizes {
					req := long(size)
					req.Tag.Actor = string(rune('a' + i))
					want[req.Tag.Actor] = test.starts[i]
					wg.Go(func() {
						resp, err := model.Generate(t.Context(), req)
						if err != nil {
							t.Error(err)
							return
						}
						if resp.Timing.Total != resp.Timing.Queue+test.took {
							t.Errorf("total time is %s, want the wait of %s more than %s", resp.Timing.Total, resp.Timing.Queue, test.took)
						}
					})
					synctest.Wait() // it stands in the queue before the next one comes
				}
				wg.Wait()
				if diff := cmp.Diff(want, base.starts); diff != "" {
					t.Errorf("starts (-want +got):\n%s", diff)
				}
				if base.most != test.most {
					t.Errorf("%d at once, want %d", base.most, test.most)
				}
			})
		})
	}
}

func TestLimitWindow(t *testing.T) {
	// However requests come, no minute holds more than it may.
	synctest.Test(t, func(t *testing.T) {
		base := &slow{took: 700 * time.Millisecond, begun: time.Now()}
		model := llm.NewLimiter(llm.Limits{Concurrent: 5, Requests: 7}, time.Now).Limit(base)
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() {
				time.Sleep(time.Duration(i*i%97) * time.Second)
				req := llm.Request{Tag: llm.Tag{Actor: strconv.Itoa(i)}}
				if _, err := model.Generate(t.Context(), req); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		starts := slices.Sorted(maps.Values(base.starts))
		if len(starts) != 100 {
			t.Fatalf("%d requests of 100 went", len(starts))
		}
		for i := range len(starts) - 7 {
			if gap := starts[i+7] - starts[i]; gap < time.Minute {
				t.Errorf("requests %d to %d started within %s", i, i+7, gap)
			}
		}
		if base.most > 5 {
			t.Errorf("%d at once, want at most 5", base.most)
		}
	})
}

func TestLimitCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := &slow{took: time.Hour, begun: time.Now()}
		model := llm.NewLimiter(llm.Limits{Concurrent: 1}, time.Now).Limit(base)
		var wg sync.WaitGroup
		wg.Go(func() { model.Generate(t.Context(), llm.Request{Tag: llm.Tag{Actor: "first"}}) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := model.Generate(ctx, llm.Request{Tag: llm.Tag{Actor: "impatient"}})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v, want the context's", err)
		}
		if got := time.Since(base.begun); got != time.Second {
			t.Errorf("it waited %s, want a second", got)
		}
		if _, err := model.Generate(t.Context(), llm.Request{Tag: llm.Tag{Actor: "third"}}); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if diff := cmp.Diff([]string{"first", "third"}, base.order); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
		gone, cancelled := context.WithCancel(t.Context())
		cancelled()
		if _, err := model.Generate(gone, llm.Request{}); !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v, want the context's", err)
		}
	})
}

func TestLimitPause(t *testing.T) {
	// One request is told to wait: nobody else asks before that, or a minute, has passed.
	for asked, want := range map[time.Duration]time.Duration{20 * time.Second: 20 * time.Second, time.Hour: time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			f := &failing{errs: []error{&llm.Error{Fault: llm.RateLimited, RetryAfter: asked}}}
			model := llm.NewLimiter(llm.Limits{}, time.Now).Limit(f)
			if _, err := model.Generate(t.Context(), llm.Request{}); llm.FaultOf(err) != llm.RateLimited {
				t.Fatalf("error is %v", err)
			}
			resp, err := model.Generate(t.Context(), llm.Request{})
			if err != nil {
				t.Fatal(err)
			}
			if got := f.gaps()[0]; got != want || resp.Timing.Queue != want {
				t.Errorf("waited %s and says %s, want %s", got, resp.Timing.Queue, want)
			}
		})
	}
}

func TestLimitsValidate(t *testing.T) {
	for _, bad := range []llm.Limits{{Concurrent: -1}, {Requests: -1}, {Tokens: -1}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is valid", bad)
		}
	}
}

func BenchmarkLimit(b *testing.B) {
	resp := &llm.Response{Text: "yes", Finish: llm.Stop, Usage: llm.Usage{Prompt: count(100), Completion: count(10)}}
	base := llm.Func(func(context.Context, llm.Request) (*llm.Response, error) { return resp, nil })
	model := llm.NewLimiter(llm.Limits{Concurrent: 64}, time.Now).Limit(base)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := model.Generate(b.Context(), llm.Request{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
