package llm_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/sim/llm"
)

// failing fails as the errors say, one after the other, and then answers. It notes when it was asked.
type failing struct {
	errs  []error
	mu    sync.Mutex
	asked []time.Time
}

func (f *failing) Generate(ctx context.Context, req llm.Request) (*llm.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, time.Now())
	if n := len(f.asked); n <= len(f.errs) {
		return nil, f.errs[n-1]
	}
	return &llm.Response{Text: "yes", Finish: llm.Stop}, nil
}

// gaps returns the times between the askings.
func (f *failing) gaps() []time.Duration {
	var gaps []time.Duration
	for i := 1; i < len(f.asked); i++ {
		gaps = append(gaps, f.asked[i].Sub(f.asked[i-1]))
	}
	return gaps
}

func fault(f llm.Fault) error { return &llm.Error{Model: "m", Fault: f, Err: errors.New("so it says")} }

func times(n int, err error) []error {
	errs := make([]error, n)
	for i := range errs {
		errs[i] = err
	}
	return errs
}

func TestRetry(t *testing.T) {
	later := func(f llm.Fault, d time.Duration) error { return &llm.Error{Model: "m", Fault: f, RetryAfter: d} }
	s, ms := time.Second, time.Millisecond
	for _, test := range []struct {
		name   string
		reason string
		policy llm.Retrier
		errs   []error
		gaps   []time.Duration
		want   llm.Fault // empty: answered
		says   string    // part of the error
	}{
		{name: "no failure"},
		{name: "doubling", errs: times(4, fault(llm.Overloaded)), gaps: []time.Duration{500 * ms, s, 2 * s, 4 * s}},
		{name: "ceiling", policy: llm.Retrier{Max: s}, errs: times(4, fault(llm.Unreachable)), gaps: []time.Duration{500 * ms, s, s, s}},
		{name: "attempts", errs: times(9, fault(llm.Overloaded)), gaps: []time.Duration{500 * ms, s, 2 * s, 4 * s}, want: llm.Overloaded},
		{name: "one attempt", policy: llm.Retrier{Attempts: 1}, errs: times(9, fault(llm.Overloaded)), want: llm.Overloaded},
		{name: "bad response", reason: "resets and web pages share the budget with the rest",
			errs: times(9, fault(llm.BadResponse)), gaps: []time.Duration{500 * ms, s, 2 * s, 4 * s}, want: llm.BadResponse},
		{name: "two kinds", errs: []error{fault(llm.BadResponse), fault(llm.Overloaded)}, gaps: []time.Duration{500 * ms, s}},
		{name: "never early", reason: "the jitter comes on top of what the server asked for",
			errs: []error{later(llm.RateLimited, 30*s)}, gaps: []time.Duration{30*s + 500*ms}},
		{name: "long but bearable", errs: []error{later(llm.RateLimited, 2*time.Minute)}, gaps: []time.Duration{2*time.Minute + 500*ms}},
		{name: "too long a wait", reason: "asking early would be refused again",
			errs: []error{later(llm.RateLimited, time.Hour)}, want: llm.RateLimited, says: "the server asks to wait 1h0m0s"},
		{name: "away", reason: "attempts at a server that is away do not count", policy: llm.Retrier{Base: 10 * s},
			errs: times(8, fault(llm.Unreachable)), gaps: []time.Duration{10 * s, 15 * s, 15 * s, 15 * s, 15 * s, 15 * s, 15 * s, 15 * s}},
		{name: "away for too long", policy: llm.Retrier{Base: 10 * s, Wait: 30 * s}, errs: times(99, fault(llm.Unreachable)),
			gaps: []time.Duration{10 * s, 15 * s, 5 * s}, want: llm.Unreachable, says: "waited 30s for it"},
		{name: "a proxy whose server is away", policy: llm.Retrier{Base: 10 * s, Wait: 30 * s},
			errs: times(99, &llm.Error{Model: "m", Fault: llm.Overloaded, Away: true}),
			gaps: []time.Duration{10 * s, 15 * s, 5 * s}, want: llm.Overloaded, says: "waited 30s for it"},
		{name: "final", errs: times(9, &llm.Error{Model: "m", Fault: llm.Overloaded, Final: true}), want: llm.Overloaded},
		{name: "reserve", policy: llm.Retrier{Reserve: 2}, errs: times(9, fault(llm.Overloaded)),
			gaps: []time.Duration{500 * ms, s}, want: llm.OverBudget, says: "so it says"},
		{name: "time-outs are dear", policy: llm.Retrier{Reserve: 9}, errs: times(9, fault(llm.TimedOut)),
			gaps: []time.Duration{500 * ms}, want: llm.OverBudget},
		{name: "an adapter's own time-out", errs: []error{context.DeadlineExceeded}, gaps: []time.Duration{500 * ms}},
		{name: "too long", errs: times(9, fault(llm.TooLong)), want: llm.TooLong},
		{name: "denied", errs: times(9, fault(llm.Denied)), want: llm.Denied},
		{name: "blocked", errs: times(9, fault(llm.Blocked)), want: llm.Blocked},
		{name: "bad request", errs: times(9, fault(llm.BadRequest)), want: llm.BadRequest},
		{name: "not found", errs: times(9, fault(llm.NotFound)), want: llm.NotFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &failing{errs: test.errs}
				resp, err := llm.Retry(test.policy)(f).Generate(t.Context(), llm.Request{})
				if got := llm.FaultOf(err); got != test.want || (err == nil) != (test.want == "") {
					t.Fatalf("error is %v, want fault %q", err, test.want)
				}
				if diff := cmp.Diff(test.gaps, f.gaps()); diff != "" {
					t.Errorf("waits (-want +got):\n%s", diff)
				}
				if err != nil {
					var e *llm.Error
					if !errors.As(err, &e) || e.Attempts != len(f.asked) {
						t.Errorf("%#v does not say %d attempts", err, len(f.asked))
					}
					if !strings.Contains(err.Error(), test.says) {
						t.Errorf("error %q does not say %q", err, test.says)
					}
					return
				}
				if n := len(test.errs); n > 0 && resp.Attempts != n+1 {
					t.Errorf("response says %d attempts, want %d", resp.Attempts, n+1)
				}
			})
		})
	}
}

func TestRetryJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spread := map[time.Duration]bool{}
		mw := llm.Retry(llm.Retrier{Rand: rand.New(rand.NewPCG(1, 2)), Reserve: 1000})
		for range 20 {
			f := &failing{errs: times(4, fault(llm.Overloaded))}
			if _, err := mw(f).Generate(t.Context(), llm.Request{}); err != nil {
				t.Fatal(err)
			}
			for i, gap := range f.gaps() {
				if longest := 500 * time.Millisecond << i; gap < 0 || gap > longest {
					t.Errorf("wait %d is %s, longer than %s", i, gap, longest)
				}
				spread[gap] = true
			}
		}
		if len(spread) < 70 {
			t.Errorf("%d different waits of 80: no jitter", len(spread))
		}
	})
}

func TestRetryCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := &failing{errs: times(9, fault(llm.Overloaded))}
		time.AfterFunc(100*time.Millisecond, cancel)
		start := time.Now()
		_, err := llm.Retry(llm.Retrier{})(f).Generate(ctx, llm.Request{})
		if !errors.Is(err, context.Canceled) || llm.FaultOf(err) != "" {
			t.Errorf("error is %v, want the context's", err)
		}
		if took := time.Since(start); took != 100*time.Millisecond {
			t.Errorf("took %s to stop, want no time", took-100*time.Millisecond)
		}
	})
}

// A dead server: 1,000 calls, one after the other, must not take hours.
func TestRetryDeadServer(t *testing.T) {
	tests := []struct {
		fault llm.Fault
		want  llm.Fault // of all calls but the first
	}{{llm.Unreachable, llm.Unreachable}, {llm.Overloaded, llm.OverBudget}}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			mw := llm.Retry(llm.Retrier{})
			dead := mw(&failing{errs: times(10_000, fault(tt.fault))})
			start := time.Now()
			failed := 0
			for range 1000 {
				if _, err := dead.Generate(t.Context(), llm.Request{}); llm.FaultOf(err) == tt.want {
					failed++
				}
			}
			if took := time.Since(start); took > 6*time.Minute || failed < 980 {
				t.Errorf("%s: 1,000 calls to a dead server took %s; %d failed as %s", tt.fault, took, failed, tt.want)
			}
			// It comes back: each success gives a retry back.
			alive := mw(&failing{})
			for range 3 {
				if _, err := alive.Generate(t.Context(), llm.Request{}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := mw(&failing{errs: times(2, fault(tt.fault))}).Generate(t.Context(), llm.Request{}); err != nil {
				t.Errorf("after three successes: %v", err)
			}
		})
	}
}

// An outage is told once, and so is its end; requests to a server that answers others are not waiting
// for it.
func TestRetryOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		mw := llm.Retry(llm.Retrier{Tell: func(s string) { told = append(told, s) }})
		if _, err := mw(&failing{errs: times(20, fault(llm.Unreachable))}).Generate(t.Context(), llm.Request{}); err != nil {
			t.Fatal(err)
		}
		if len(told) != 2 || !strings.Contains(told[0], "waiting up to 5m0s") || !strings.Contains(told[1], "answers again") {
			t.Errorf("told %q", told)
		}

		mw = llm.Retry(llm.Retrier{})
		healthy := mw(&failing{})
		busy := &llm.Error{Model: "m", Fault: llm.Overloaded, Away: true}
		f := &failing{errs: times(99, busy)}
		_, err := mw(llm.Func(func(ctx context.Context, req llm.Request) (*llm.Response, error) {
			healthy.Generate(ctx, req)
			return f.Generate(ctx, req)
		})).Generate(t.Context(), llm.Request{})
		if llm.FaultOf(err) != llm.Overloaded || len(f.asked) != 5 {
			t.Errorf("%d attempts, %v; want 5, since other requests were answered", len(f.asked), err)
		}
	})
}

// A reply that was cut in transit is asked for again, and kept where every attempt was cut.
func TestRetryCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tests := []struct {
			replies  []string // all cut but one that ends with a full stop; empty: the server failed
			want     string   // empty: no reply
			attempts int
			reason   string
		}{
			{[]string{"I ro", "I row", "I row."}, "I row.", 3, ""},
			{[]string{"a", "b", "c", "d", "e", "f."}, "e", 5, "the attempts are used up"},
			{[]string{"a", "", "", "d", "e", "f."}, "", 5, "the server failed in other ways, too: the reply is not the model's"},
		}
		for _, tt := range tests {
			n := 0
			m := llm.Retry(llm.Retrier{})(llm.Func(func(context.Context, llm.Request) (*llm.Response, error) {
				text := tt.replies[n]
				n++
				if text == "" {
					return nil, &llm.Error{Model: "m", Fault: llm.Overloaded, Err: errors.New("503")}
				}
				if strings.HasSuffix(text, ".") {
					return &llm.Response{Text: text, Finish: llm.Stop}, nil
				}
				return &llm.Response{Text: text, Finish: llm.Cut}, nil
			}))
			resp, err := m.Generate(t.Context(), llm.Request{})
			if tt.want == "" && llm.FaultOf(err) == llm.BadResponse && n == tt.attempts {
				continue
			}
			if err != nil || resp.Text != tt.want || resp.Attempts != tt.attempts {
				t.Errorf("got %+v, %v, want %q after %d attempts; %s", resp, err, tt.want, tt.attempts, tt.reason)
			}
		}
	})
}
