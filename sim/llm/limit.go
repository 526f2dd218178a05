package llm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Limits is what one endpoint may be asked; 0 is no limit.
type Limits struct {
	Concurrent int `yaml:"concurrent,omitempty" json:"concurrent,omitempty"`                   // requests at one time
	Requests   int `yaml:"requests_per_minute,omitempty" json:"requests_per_minute,omitempty"` // that start within any minute
	Tokens     int `yaml:"tokens_per_minute,omitempty" json:"tokens_per_minute,omitempty"`     // prompts and replies of requests that start within any minute
	// Wait is how long an endpoint that is away is waited for; 0: 5 minutes.
	Wait time.Duration `yaml:"wait,omitempty" json:"wait,omitempty"`
}

// Validate reports limits that make no sense.
func (l Limits) Validate() error {
	if l.Concurrent < 0 || l.Requests < 0 || l.Tokens < 0 {
		return fmt.Errorf("limits: %d at once, %d requests and %d tokens a minute: none may be negative, 0 is no limit",
			l.Concurrent, l.Requests, l.Tokens)
	}
	if l.Wait < 0 {
		return fmt.Errorf("limits: wait is %s, it has to be 0 or more, such as 5m", l.Wait)
	}
	return nil
}

// Limiter holds the requests to one endpoint within its limits. All models of an endpoint share one.
// Requests go in the order of their coming, whatever they have to wait for.
//
// A request's tokens are estimated before it goes, as the prompt's and the longest reply's, and put
// right when the server says what they were. A request that alone is larger than a minute's tokens
// goes when nothing else was sent within the minute.
type Limiter struct {
	limits Limits
	now    func() time.Time
	head   chan struct{} // taken by the request that goes next
	slots  chan struct{} // taken by requests that go; nil: without limit

	mu     sync.Mutex
	sent   []*sending // within the minute, oldest first
	tokens int        // of these
	paused time.Time  // no request goes before this
	freed  chan struct{}
}

// sending is a request that counts for the minute.
type sending struct {
	tokens int
	at     time.Time
}

const (
	minute = time.Minute
	// longestPause is how long a server's request to wait holds up all other requests, too.
	longestPause = time.Minute
)

// NewLimiter returns a limiter. The clock decides what a minute is.
func NewLimiter(l Limits, now func() time.Time) *Limiter {
	limiter := &Limiter{limits: l, now: now, head: make(chan struct{}, 1), freed: make(chan struct{}, 1)}
	if l.Concurrent > 0 {
		limiter.slots = make(chan struct{}, l.Concurrent)
	}
	return limiter
}

// Limit is the limiter as Middleware. It adds the wait to the response's Timing.Queue.
func (l *Limiter) Limit(next Model) Model {
	return Func(func(ctx context.Context, req Request) (*Response, error) {
		s := &sending{}
		if l.limits.Tokens > 0 {
			s.tokens = estimateCall(req)
		}
		start := l.now()
		if err := l.enter(ctx, s); err != nil {
			return nil, err
		}
		waited := l.now().Sub(start)
		resp, err := next.Generate(ctx, req)
		l.exit(s, req, resp, err)
		if err != nil || waited == 0 {
			return resp, err
		}
		late := *resp
		late.Timing.Queue += waited
		if late.Timing.Total > 0 {
			late.Timing.Total += waited
		}
		return &late, nil
	})
}

// take puts a token into a channel, which lets requests pass in the order of their coming.
func take(ctx context.Context, c chan struct{}) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case c <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enter waits for the request's turn.
func (l *Limiter) enter(ctx context.Context, s *sending) error {
	if err := take(ctx, l.head); err != nil {
		return err
	}
	defer func() { <-l.head }()
	if l.slots != nil {
		if err := take(ctx, l.slots); err != nil {
			return err
		}
	}
	for {
		wait := l.admit(s)
		if wait == 0 {
			return nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-l.freed: // tokens, perhaps enough
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			l.leave()
			return ctx.Err()
		}
	}
}

func (l *Limiter) leave() {
	if l.slots != nil {
		<-l.slots
	}
}

// admit counts the request if it may go now, and else returns how long it has to wait at most.
func (l *Limiter) admit(s *sending) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for len(l.sent) > 0 && now.Sub(l.sent[0].at) >= minute {
		l.tokens -= l.sent[0].tokens
		l.sent = l.sent[1:]
	}
	full := l.limits.Requests > 0 && len(l.sent) >= l.limits.Requests ||
		l.limits.Tokens > 0 && len(l.sent) > 0 && l.tokens+s.tokens > l.limits.Tokens
	switch {
	case now.Before(l.paused):
		return l.paused.Sub(now)
	case full:
		return l.sent[0].at.Add(minute).Sub(now)
	}
	if s.at = now; l.limits.Requests > 0 || l.limits.Tokens > 0 {
		l.sent = append(l.sent, s)
		l.tokens += s.tokens
	}
	return 0
}

// exit gives the place back and puts the request's tokens right.
func (l *Limiter) exit(s *sending, req Request, resp *Response, err error) {
	l.mu.Lock()
	if l.limits.Tokens > 0 && l.now().Sub(s.at) < minute {
		actual := used(req, resp)
		l.tokens += actual - s.tokens
		s.tokens = actual
	}
	if e := (*Error)(nil); errors.As(err, &e) && e.RetryAfter > 0 {
		if until := l.now().Add(min(e.RetryAfter, longestPause)); until.After(l.paused) {
			l.paused = until
		}
	}
	l.mu.Unlock()
	l.leave()
	select {
	case l.freed <- struct{}{}:
	default:
	}
}
