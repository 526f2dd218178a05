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
		{name: "bad response once", reason: "a broken server rarely mends",
			errs: times(9, fault(llm.BadResponse)), gaps: []time.Duration{500 * ms}, want: llm.BadResponse},
		{name: "two kinds", errs: []error{fault(llm.BadResponse), fault(llm.Overloaded)}, gaps: []time.Duration{500 * ms, s}},
		{name: "never early", reason: "the jitter comes on top of what the server asked for",
			errs: []error{later(llm.RateLimited, 30*s)}, gaps: []time.Duration{30*s + 500*ms}},
		{name: "long but bearable", errs: []error{later(llm.RateLimited, 2*time.Minute)}, gaps: []time.Duration{2*time.Minute + 500*ms}},
		{name: "too long a wait", reason: "asking early would be refused again",
			errs: []error{later(llm.RateLimited, time.Hour)}, want: llm.RateLimited, says: "the server asks to wait 1h0m0s"},
		{name: "within", policy: llm.Retrier{Within: 2 * s, Now: time.Now}, errs: times(9, fault(llm.Overloaded)),
			gaps: []time.Duration{500 * ms, s}, want: llm.Overloaded, says: "given up 2s after the first failure"},
		{name: "within, without a clock", policy: llm.Retrier{Within: 2 * s}, errs: times(9, fault(llm.Overloaded)),
			gaps: []time.Duration{500 * ms, s}, want: llm.Overloaded},
		{name: "reserve", policy: llm.Retrier{Reserve: 2}, errs: times(9, fault(llm.Unreachable)),
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
				if n := len(test.errs); n > 0 && (resp.Attempts != n+1 || len(resp.Retried) != n) {
					t.Errorf("response says %d attempts and %d reasons, want %d and %d", resp.Attempts, len(resp.Retried), n+1, n)
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

func TestRetryReserve(t *testing.T) {
	// A dead server: 1,000 calls, one after the other, must not take hours.
	synctest.Test(t, func(t *testing.T) {
		mw := llm.Retry(llm.Retrier{})
		dead := mw(&failing{errs: times(10_000, fault(llm.Unreachable))})
		start := time.Now()
		over := 0
		for range 1000 {
			if _, err := dead.Generate(t.Context(), llm.Request{}); llm.FaultOf(err) == llm.OverBudget {
				over++
			}
		}
		if took := time.Since(start); took > 5*time.Minute {
			t.Errorf("1,000 calls to a dead server took %s", took)
		}
		if over < 980 {
			t.Errorf("%d calls of 1,000 were over budget", over)
		}
		// It comes back: each success gives a retry back.
		alive := mw(&failing{})
		for range 3 {
			if _, err := alive.Generate(t.Context(), llm.Request{}); err != nil {
				t.Fatal(err)
			}
		}
		f := &failing{errs: times(2, fault(llm.Unreachable))}
		if _, err := mw(f).Generate(t.Context(), llm.Request{}); err != nil {
			t.Errorf("after three successes: %v", err)
		}
	})
}

func TestRetrierValidate(t *testing.T) {
	for _, bad := range []llm.Retrier{{Attempts: -1}, {Base: -1}, {Max: -1}, {Patience: -1}, {Within: -1}, {Reserve: -1}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is valid", bad)
		}
	}
	if err := (llm.Retrier{}).Validate(); err != nil {
		t.Error(err)
	}
}
