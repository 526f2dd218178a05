package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// Retrier says how often, how late and for how long a call that failed is asked again. Its zero
// value is ready to use, without jitter.
type Retrier struct {
	// Attempts is how often one call is asked in all; 0: 5. A bad response is asked again once
	// only, since a server that breaks the protocol rarely mends.
	Attempts int
	// Base is the longest wait before the second attempt; it doubles with each further one; 0:
	// half a second. Max is its ceiling; 0: 30 seconds.
	Base, Max time.Duration
	// Patience is the longest wait that a server may ask for. A call that should wait longer fails
	// at once: asking early would only be refused again. 0: 2 minutes.
	Patience time.Duration
	// Within is how long after its first failure a call is still asked again; 0: 15 minutes. It
	// does not end an attempt that is under way: an adapter's own time limit does.
	Within time.Duration
	// Reserve is how many retries all calls together may use up; 0: 50. A retry takes one out, one
	// after a time-out five, since it took so long to come to nothing; each call that succeeds puts
	// one back. With none left a call fails as over budget after its first attempt, so that a dead
	// server ends a run in minutes.
	Reserve int
	// Rand draws the jitter. It is used by one call at a time. Nil: every wait is the longest.
	Rand *rand.Rand
	// Now is the clock that Within is held against. Nil: only the waits count.
	Now func() time.Time
}

// The defaults that stand in Retrier's comments.
const (
	defaultAttempts = 5
	defaultBase     = 500 * time.Millisecond
	defaultMax      = 30 * time.Second
	defaultPatience = 2 * time.Minute
	defaultWithin   = 15 * time.Minute
	defaultReserve  = 50
	timeoutPrice    = 5
)

// Validate reports settings that make no sense.
func (p Retrier) Validate() error {
	switch {
	case p.Attempts < 0:
		return fmt.Errorf("retry: attempts is %d, it has to be 1 or more", p.Attempts)
	case p.Base < 0 || p.Max < 0 || p.Patience < 0 || p.Within < 0:
		return errors.New("retry: a time is negative")
	case p.Reserve < 0:
		return fmt.Errorf("retry: reserve is %d, it has to be 1 or more", p.Reserve)
	}
	return nil
}

// Retry asks again where asking again can help: for temporary faults, after an exponentially growing
// wait with full jitter, and never before the time that the server asked for. Models that are
// wrapped by one Retry share its reserve, so wrap all models of one endpoint with the same.
//
// Put Limit inside of it, so that each attempt counts; and no Retry around a Replay, which would
// wait to be told the same again.
func Retry(p Retrier) Middleware {
	r := &retrying{Retrier: p}
	r.Attempts = cmp.Or(p.Attempts, defaultAttempts)
	r.Base, r.Max = cmp.Or(p.Base, defaultBase), cmp.Or(p.Max, defaultMax)
	r.Patience, r.Within = cmp.Or(p.Patience, defaultPatience), cmp.Or(p.Within, defaultWithin)
	r.Reserve = cmp.Or(p.Reserve, defaultReserve)
	r.left = r.Reserve
	return func(next Model) Model {
		return Func(func(ctx context.Context, req Request) (*Response, error) {
			return r.generate(ctx, next, req)
		})
	}
}

type retrying struct {
	Retrier
	mu   sync.Mutex // guards what follows, and Rand
	left int        // of the reserve
}

func (r *retrying) generate(ctx context.Context, next Model, req Request) (*Response, error) {
	var (
		retried []string
		waited  time.Duration
		first   time.Time // of the failures
		broken  int       // bad responses
	)
	for attempt := 1; ; attempt++ {
		resp, err := next.Generate(ctx, req)
		if err == nil {
			r.putBack()
			if attempt == 1 {
				return resp, nil
			}
			late := *resp
			late.Attempts, late.Retried = attempt, retried
			return &late, nil
		}
		fault := FaultOf(err)
		if fault == BadResponse {
			broken++
		}
		if ctx.Err() != nil || !fault.Temporary() || attempt == r.Attempts || broken > 1 {
			return nil, gaveUp(err, fault, attempt, "")
		}
		if r.Now != nil && first.IsZero() {
			first = r.Now()
		}
		wait, asked := r.wait(err, attempt)
		if asked > r.Patience {
			return nil, gaveUp(err, fault, attempt, fmt.Sprintf(
				"the server asks to wait %s, longer than the %s that parley waits; go on later", asked, r.Patience))
		}
		since := waited
		if r.Now != nil {
			since = r.Now().Sub(first)
		}
		if since+wait > r.Within {
			return nil, gaveUp(err, fault, attempt, fmt.Sprintf("given up %s after the first failure", since.Round(time.Second)))
		}
		if !r.take(fault) {
			return nil, &Error{Model: modelOf(err), Fault: OverBudget, Attempts: attempt, Err: err,
				Hint: "too many calls failed for this one to be asked again; see that the server works, then go on"}
		}
		retried = append(retried, err.Error())
		if ctxErr := sleep(ctx, wait); ctxErr != nil {
			return nil, fmt.Errorf("waiting to ask again after %s: %w", err, ctxErr)
		}
		waited += wait
	}
}

// wait returns how long to wait after the attempt, and how much of it the server asked for.
func (r *retrying) wait(err error, attempt int) (wait, asked time.Duration) {
	wait = min(r.Base, r.Max)
	for range attempt - 1 {
		if wait = min(2*wait, r.Max); wait == r.Max {
			break
		}
	}
	if r.Rand != nil {
		r.mu.Lock()
		wait = time.Duration(r.Rand.Int64N(int64(wait) + 1))
		r.mu.Unlock()
	}
	if e := (*Error)(nil); errors.As(err, &e) {
		asked = e.RetryAfter
	}
	// Calls that were all told the same time must not come back at the same moment.
	return asked + wait, asked
}

func (r *retrying) take(f Fault) bool {
	price := 1
	if f == TimedOut {
		price = timeoutPrice
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left < price {
		return false
	}
	r.left -= price
	return true
}

func (r *retrying) putBack() {
	r.mu.Lock()
	r.left = min(r.left+1, r.Reserve)
	r.mu.Unlock()
}

// gaveUp is the error with the number of attempts in it, and the hint where there is something new
// to say.
func gaveUp(err error, fault Fault, attempts int, hint string) error {
	if fault == "" {
		return err
	}
	e, ok := err.(*Error)
	if ok {
		again := *e
		e = &again
	} else {
		e = &Error{Model: modelOf(err), Fault: fault, Err: err}
	}
	e.Attempts = attempts
	if hint != "" && e.Hint != "" {
		hint = e.Hint + "; " + hint
	}
	e.Hint = cmp.Or(hint, e.Hint)
	return e
}

// modelOf returns the model that the error names.
func modelOf(err error) string {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Model
	}
	return "model"
}

// sleep waits, and returns the context's error where that comes first.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
