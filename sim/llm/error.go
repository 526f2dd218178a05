package llm

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Fault is the kind of a failure.
type Fault string

const (
	TooLong     Fault = "too long"     // the prompt does not fit the context; shorten it
	NotFound    Fault = "not found"    // the server has no such model
	Unreachable Fault = "unreachable"  // nobody answers at that address
	Denied      Fault = "denied"       // key missing, wrong, or without the right
	RateLimited Fault = "rate limited" // too many requests or tokens a minute
	Overloaded  Fault = "overloaded"   // the server is busy or failing for the moment
	TimedOut    Fault = "timed out"
	Blocked     Fault = "blocked"      // a content filter refused the prompt
	BadRequest  Fault = "bad request"  // the server does not accept the request; asking again is no use
	BadResponse Fault = "bad response" // the answer is not what the protocol promises
	Unsupported Fault = "unsupported"  // this backend cannot do what was asked, such as a schema
	OverBudget  Fault = "over budget"  // parley's own budget of retries is used up
)

// Temporary reports whether asking again later can help.
func (f Fault) Temporary() bool {
	switch f {
	case Unreachable, RateLimited, Overloaded, TimedOut, BadResponse:
		return true
	}
	return false
}

// Lasting reports whether every other call would fail in the same way until somebody mends the cause, so
// that a run had better stop.
func (f Fault) Lasting() bool {
	switch f {
	case NotFound, Unreachable, Denied, OverBudget:
		return true
	}
	return false
}

// Error is a failed call.
type Error struct {
	Model      string        // as the user wrote it
	Fault      Fault         // what kind of failure
	RetryAfter time.Duration // what the server asked for; 0: it did not say
	Hint       string        // what the user can do about it
	Attempts   int           // times asked in all; 0 and 1 mean once
	Away       bool          // no request gets through to the server at the moment, whatever is asked
	Final      bool          // repeating the request is known to be of no use
	Err        error
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s", e.Model, e.Fault)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// FaultOf returns the kind of a failure, or "" for nil, for a cancelled context and for errors of
// unknown kind.
func FaultOf(err error) Fault {
	var e *Error
	if errors.As(err, &e) {
		return e.Fault
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return TimedOut
	}
	return ""
}
