package llm

import (
	"container/list"
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

	mu      sync.Mutex
	queue   list.List // of *ticket, oldest first
	active  int
	sent    list.List // of *ticket that count for the minute, oldest first
	tokens  int       // of these
	paused  time.Time // nobody goes before this
	timer   *time.Timer
	passage Passage
}

// Passage is what went through a limiter.
type Passage struct {
	Requests  int           `json:"requests"`
	Tokens    int64         `json:"tokens"`
	Estimated int           `json:"estimated"` // requests whose tokens are an estimate, as the server did not count
	Waited    time.Duration `json:"waited"`    // all waits together, in nanoseconds
}

// ticket is one request's place in the queue and then in the minute.
type ticket struct {
	tokens int
	at     time.Time
	place  *list.Element
	leave  chan struct{} // closed when the request may go
}

const (
	minute = time.Minute
	// longestPause is how long a server's request to wait holds up everybody else, too.
	longestPause = time.Minute
)

// NewLimiter returns a limiter. The clock decides what a minute is.
func NewLimiter(l Limits, now func() time.Time) *Limiter {
	return &Limiter{limits: l, now: now}
}

// Passage returns what went through so far.
func (l *Limiter) Passage() Passage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.passage
}

// Limit is the limiter as Middleware. It adds the wait to the response's Timing.Queue.
func (l *Limiter) Limit(next Model) Model {
	return Func(func(ctx context.Context, req Request) (*Response, error) {
		tokens := 0
		if l.limits.Tokens > 0 {
			tokens = estimateCall(req)
		}
		start := l.now()
		t, err := l.enter(ctx, tokens)
		if err != nil {
			return nil, err
		}
		waited := l.now().Sub(start)
		resp, err := next.Generate(ctx, req)
		l.exit(t, waited, req, resp, err)
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

// enter waits for the request's turn.
func (l *Limiter) enter(ctx context.Context, tokens int) (*ticket, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t := &ticket{tokens: tokens}
	l.mu.Lock()
	if l.queue.Len() == 0 && l.admit(t) {
		l.mu.Unlock()
		return t, nil
	}
	t.leave = make(chan struct{})
	t.place = l.queue.PushBack(t)
	l.serve()
	l.mu.Unlock()
	select {
	case <-t.leave:
		return t, nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-t.leave: // it was let go at the same moment; take that back
		l.active--
		l.forget(t)
	default:
		l.queue.Remove(t.place)
	}
	l.serve() // somebody smaller may stand behind
	return nil, ctx.Err()
}

// exit gives the place back and puts the request's tokens right.
func (l *Limiter) exit(t *ticket, waited time.Duration, req Request, resp *Response, err error) {
	actual, known := used(req, resp)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active--
	l.passage.Requests++
	l.passage.Waited += waited
	l.passage.Tokens += int64(actual)
	if !known {
		l.passage.Estimated++
	}
	if t.place != nil { // still within the minute
		l.tokens += actual - t.tokens
		t.tokens = actual
	}
	if e := (*Error)(nil); errors.As(err, &e) && e.RetryAfter > 0 {
		if until := l.now().Add(min(e.RetryAfter, longestPause)); until.After(l.paused) {
			l.paused = until
		}
	}
	l.serve()
}

// serve lets go whoever may, and sets the timer for the next one who only has to wait for time to
// pass. The lock is held.
func (l *Limiter) serve() {
	for head := l.queue.Front(); head != nil; head = l.queue.Front() {
		t := head.Value.(*ticket)
		if !l.admit(t) {
			break
		}
		l.queue.Remove(head)
		close(t.leave)
	}
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	if l.queue.Len() == 0 || l.limits.Concurrent > 0 && l.active >= l.limits.Concurrent {
		return
	}
	now := l.now()
	wait := l.paused.Sub(now)
	if oldest := l.sent.Front(); wait <= 0 && oldest != nil {
		wait = oldest.Value.(*ticket).at.Add(minute).Sub(now)
	}
	l.timer = time.AfterFunc(wait, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.serve()
	})
}

// admit lets the request go if it may go now. The lock is held.
func (l *Limiter) admit(t *ticket) bool {
	if l.limits.Concurrent > 0 && l.active >= l.limits.Concurrent {
		return false
	}
	now := l.now()
	for oldest := l.sent.Front(); oldest != nil; oldest = l.sent.Front() {
		if old := oldest.Value.(*ticket); now.Sub(old.at) < minute {
			break
		} else {
			l.forget(old)
		}
	}
	switch {
	case now.Before(l.paused),
		l.limits.Requests > 0 && l.sent.Len() >= l.limits.Requests,
		l.limits.Tokens > 0 && l.sent.Len() > 0 && l.tokens+t.tokens > l.limits.Tokens:
		return false
	}
	l.active++
	t.at, t.place = now, nil
	if l.limits.Requests > 0 || l.limits.Tokens > 0 {
		t.place = l.sent.PushBack(t)
		l.tokens += t.tokens
	}
	return true
}

// forget takes a request out of the minute. The lock is held.
func (l *Limiter) forget(t *ticket) {
	if t.place != nil {
		l.sent.Remove(t.place)
		l.tokens -= t.tokens
		t.place = nil
	}
}
