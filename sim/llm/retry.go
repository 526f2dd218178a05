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

// Retrier says how often, how late and for how long a request that failed is repeated. Its zero value
// is ready to use, without jitter.
type Retrier struct {
	// Attempts is how often one request is made in all; 0: 5. Attempts while the endpoint is away do
	// not count.
	Attempts int
	// Base is the longest wait before the second attempt; it doubles with each further one; 0: half a
	// second. Max is its ceiling; 0: 30 seconds.
	Base, Max time.Duration
	// Patience is the longest wait that a server may ask for. A request that should wait longer fails
	// at once: an earlier one would be refused again. 0: 2 minutes.
	Patience time.Duration
	// Wait is how long a request waits for an endpoint that is away, which is one that does not answer
	// and from which no other request was answered in the meantime. 0: 5 minutes.
	Wait time.Duration
	// Reserve is how many retries all requests together may use up; 0: 50. A retry takes one out, one
	// after a time-out five; each request that succeeds puts one back. With none left a request fails
	// as over budget after its first attempt, so that a broken server ends a run in minutes.
	Reserve int
	// Rand draws the jitter. It is used by one request at a time. Nil: every wait is the longest.
	Rand *rand.Rand
	// Tell gets a message when the endpoint is found to be away, and when it is back. Nil: nothing is
	// told.
	Tell func(message string)
}

// timeoutPrice is what a retry after a time-out takes out of the reserve.
const timeoutPrice = 5

// maxProbe is the longest wait between attempts at an endpoint that is away.
const maxProbe = 15 * time.Second

// Budget is the retries that the requests to one endpoint share. It is safe for concurrent use.
type Budget struct {
	Retrier
	mu       sync.Mutex // guards what follows, and Rand
	left     int        // of the reserve
	answered int        // requests that succeeded
	away     bool       // the endpoint, as was told
	gone     bool       // a request has waited for it in vain
}

// NewBudget returns a budget that nothing was taken from.
func NewBudget(r Retrier) *Budget {
	r.Attempts, r.Reserve = cmp.Or(r.Attempts, 5), cmp.Or(r.Reserve, 50)
	r.Base, r.Max = cmp.Or(r.Base, 500*time.Millisecond), cmp.Or(r.Max, 30*time.Second)
	r.Patience, r.Wait = cmp.Or(r.Patience, 2*time.Minute), cmp.Or(r.Wait, 5*time.Minute)
	return &Budget{Retrier: r, left: r.Reserve}
}

// Do makes a request, and repeats it where that can help: for temporary faults, after an exponentially
// growing wait with full jitter, and never before the time that the server asked for. It returns how
// often the request was made; an *Error that it returns holds that number too.
func (b *Budget) Do(ctx context.Context, request func() error) (attempts int, err error) {
	var waited time.Duration // for the endpoint, which is away
	for n, counted := 1, 1; ; n++ {
		seen := b.state()
		err := request()
		if err == nil {
			b.success()
			return n, nil
		}
		e := (*Error)(nil)
		fault, asked := FaultOf(err), time.Duration(0)
		away := fault == Unreachable
		if errors.As(err, &e) {
			asked, away = e.RetryAfter, away || e.Away
		}
		if ctx.Err() != nil || !fault.Temporary() || e != nil && e.Final {
			return n, gaveUp(err, fault, n, "")
		}
		wait := b.wait(counted)
		switch {
		case asked > b.Patience:
			return n, gaveUp(err, fault, n, fmt.Sprintf(
				"the server asks to wait %s, longer than the %s that parley waits; go on later", asked, b.Patience))
		case away && b.state() == seen:
			if b.lost(err, n > 1 || fault == Unreachable, waited >= b.Wait) {
				return n, gaveUp(err, fault, n, fmt.Sprintf("waited %s for it", b.Wait))
			}
			wait = min(b.wait(n), maxProbe, b.Wait-waited)
			waited += max(wait, asked, time.Millisecond)
		case counted == b.Attempts:
			return n, gaveUp(err, fault, n, "")
		default:
			if !b.take(fault) {
				return n, &Error{Model: modelOf(err), Fault: OverBudget, Attempts: n, Err: err,
					Hint: "too many requests failed for this one to be repeated; see that the server works, then go on"}
			}
			counted++
		}
		// Requests that were all told the same time must not come back at the same moment.
		if ctxErr := Sleep(ctx, asked+wait); ctxErr != nil {
			return n, fmt.Errorf("waiting to ask again after %s: %w", err, ctxErr)
		}
	}
}

// Retry is NewBudget as middleware. A reply that was cut in transit is repeated as well, and returned
// as it is where it was cut in every attempt: such a server ends this reply so. Models that are wrapped by one Retry share its budget, so
// wrap all models of one endpoint with the same.
//
// Put Limit inside of it, so that each attempt counts.
func Retry(r Retrier) Middleware {
	b := NewBudget(r)
	return func(next Model) Model {
		return Func(func(ctx context.Context, req Request) (*Response, error) {
			var resp *Response
			cuts := 0
			n, err := b.Do(ctx, func() error {
				again, err := next.Generate(ctx, req)
				if err != nil {
					resp = nil
					return err
				}
				if resp = again; resp.Finish == Cut {
					cuts++
					return &Error{Model: cmp.Or(again.ServedBy, "the model"), Fault: BadResponse, Err: errBroken}
				}
				return nil
			})
			if resp == nil || err != nil && cuts < b.Attempts {
				return nil, err
			}
			if n > 1 {
				late := *resp
				late.Attempts, resp = n, &late
			}
			return resp, nil
		})
	}
}

var errBroken = errors.New("the reply was cut in transit")

// state returns how many requests were answered so far.
func (b *Budget) state() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.answered
}

// wait draws the wait after so many attempts.
func (b *Budget) wait(attempts int) time.Duration {
	wait := min(b.Base<<min(attempts-1, 20), b.Max)
	if b.Rand != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		wait = time.Duration(b.Rand.Int64N(int64(wait) + 1))
	}
	return wait
}

// take takes a retry out of the reserve, and reports whether it was there.
func (b *Budget) take(f Fault) bool {
	price := 1
	if f == TimedOut {
		price = timeoutPrice
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left < price {
		return false
	}
	b.left -= price
	return true
}

func (b *Budget) success() {
	b.mu.Lock()
	b.answered++
	b.left = min(b.left+1, b.Reserve)
	back := b.away
	b.away, b.gone = false, false
	b.mu.Unlock()
	if back && b.Tell != nil {
		b.Tell("the server answers again")
	}
}

// lost notes that the endpoint is away, and tells so once where it is sure. It reports whether a
// request, this or another, has waited long enough for it.
func (b *Budget) lost(err error, sure, enough bool) (gone bool) {
	b.mu.Lock()
	known := b.away
	b.away = b.away || sure
	b.gone = b.gone || enough
	gone = b.gone
	b.mu.Unlock()
	if sure && !known && !gone && b.Tell != nil {
		b.Tell(fmt.Sprintf("the server is away; waiting up to %s for it: %s", b.Wait, err))
	}
	return gone
}

// gaveUp is the error with the number of attempts in it, and with the hint.
func gaveUp(err error, fault Fault, attempts int, hint string) error {
	if fault == "" {
		return err
	}
	again := Error{Model: modelOf(err), Fault: fault, Err: err}
	if e, ok := err.(*Error); ok {
		again = *e
	}
	again.Attempts = attempts
	if hint != "" && again.Hint != "" {
		hint = again.Hint + "; " + hint
	}
	again.Hint = cmp.Or(hint, again.Hint)
	return &again
}

// modelOf returns the model that the error names.
func modelOf(err error) string {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Model
	}
	return "model"
}

// Sleep waits, and returns the context's error where that comes first.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
