package hosted

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"parley/sim/llm"
)

// request is what is asked of the server.
type request struct {
	doing  string // for errors
	method string
	path   string
	query  url.Values
	kind   string // of the body
	size   int64
	body   func() (io.ReadCloser, error) // opens it anew for each attempt; nil: there is none
	extra  time.Duration                 // on top of the usual time
	once   bool                          // not repeated by itself where the server may have acted
	read   func([]byte) error            // what came back; an error means that it breaks the protocol
}

// most is how many bytes a reply may have.
const most = 32 << 20

// do makes a request, again where asking again can help.
func (c *Client) do(ctx context.Context, r request) error {
	for attempt := 1; ; attempt++ {
		err := c.attempt(ctx, r)
		if err == nil {
			c.mu.Lock()
			c.left = min(c.left+1, c.o.Reserve)
			c.mu.Unlock()
			return nil
		}
		var e *Error
		if !errors.As(err, &e) || r.once && e.Maybe {
			return err
		}
		if err := c.pause(ctx, e, attempt); err != nil {
			return err
		}
	}
}

// pause waits until the request may be made again, or returns the error that ends it.
func (c *Client) pause(ctx context.Context, e *Error, attempt int) error {
	e.Attempts = attempt
	hint := func(text string) error {
		if e.Hint != "" {
			text = e.Hint + "; " + text
		}
		e.Hint = text
		return e
	}
	switch {
	case !e.Temporary():
		return e
	case attempt >= c.o.Attempts, e.Fault == llm.BadResponse && attempt > 1:
		return hint(fmt.Sprintf("asked %d times", attempt))
	case e.RetryAfter > c.o.Patience:
		return hint(fmt.Sprintf("the server asks to wait %s, longer than the %s that parley waits; go on later", e.RetryAfter, c.o.Patience))
	}
	c.mu.Lock()
	enough := c.left > 0
	c.left = max(c.left-1, 0)
	wait := min(500*time.Millisecond<<min(attempt-1, 10), 30*time.Second)
	if c.o.Rand != nil {
		wait = time.Duration(c.o.Rand.Int64N(int64(wait) + 1))
	}
	c.mu.Unlock()
	if !enough {
		e.Fault = llm.OverBudget
		return hint("too many requests failed for this one to be made again; see that the server works, then go on")
	}
	if err := sleep(ctx, e.RetryAfter+wait); err != nil {
		return fmt.Errorf("%s: waiting to ask again after %w: %w", e.Doing, err, e)
	}
	return nil
}

// attempt makes a request once.
func (c *Client) attempt(ctx context.Context, r request) error {
	limited, cancel := context.WithTimeout(ctx, c.o.Timeout+r.extra)
	defer cancel()
	hr, err := http.NewRequestWithContext(limited, r.method, c.url(r.path, r.query), nil)
	if err != nil {
		return c.fail(r, llm.BadRequest, err)
	}
	hr.Header.Set("Accept", "application/json")
	switch {
	case c.o.Key == "":
	case c.o.Azure:
		hr.Header.Set("api-key", c.o.Key)
	default:
		hr.Header.Set("Authorization", "Bearer "+c.o.Key)
	}
	if r.body != nil {
		body, err := r.body()
		if err != nil {
			return err // of a file, and no server's fault
		}
		hr.Body, hr.GetBody, hr.ContentLength = body, r.body, r.size
		hr.Header.Set("Content-Type", r.kind)
	}
	resp, err := c.http.Do(hr)
	if err != nil {
		return c.lost(ctx, r, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case err != nil:
		return c.lost(ctx, r, fmt.Errorf("the reply broke off: %w", err))
	case resp.StatusCode >= 300:
		return c.refused(r, resp, raw)
	case len(raw) > most:
		e := c.fail(r, llm.BadResponse, fmt.Errorf("the reply is longer than %d MiB", most>>20))
		e.Maybe = true
		return e
	}
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	if top := object(raw); top["id"] == nil && top["data"] == nil && object(top["error"]) != nil {
		// Some routers put a failure into a reply that says all is well.
		return c.refused(r, resp, raw)
	}
	if err := r.read(raw); err != nil {
		e := c.fail(r, llm.BadResponse, err)
		e.Status, e.Maybe = resp.StatusCode, true
		return e
	}
	return nil
}

func (c *Client) fail(r request, f llm.Fault, err error) *Error {
	if text := err.Error(); c.wash.redact(text) != text {
		err = errors.New(c.wash.redact(text))
	}
	return &Error{Doing: r.doing, Server: c.base.String(), Fault: f, Err: err}
}

// refused makes an error of a reply that says no.
func (c *Client) refused(r request, resp *http.Response, raw []byte) error {
	said := readRefusal(raw, c.wash)
	e := c.fail(r, fault(resp.StatusCode, said), fmt.Errorf("%d: %s", resp.StatusCode, said.text()))
	e.Status, e.Code, e.Param = resp.StatusCode, said.code, said.param
	e.RetryAfter = retryAfter(resp.Header, c.now())
	e.final = resp.Header.Get("X-Should-Retry") == "false"
	// A gateway may have lost the answer of a server that did what it was asked.
	e.Maybe = resp.StatusCode < 400 || resp.StatusCode >= 500 || resp.StatusCode == http.StatusRequestTimeout || resp.StatusCode == http.StatusConflict
	switch {
	case e.Fault == llm.Denied && c.o.Key == "":
		e.Hint = "no key was sent; name the environment variable that holds it with --key-env"
	case e.Fault == llm.Denied && c.o.KeyVariable != "":
		e.Hint = "the key is read from " + c.o.KeyVariable
	case e.Fault == llm.TooLong:
		e.Hint = "the server takes smaller files only"
	}
	return e
}

// lost makes an error of what went wrong on the way.
func (c *Client) lost(ctx context.Context, r request, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("%s: %w", r.doing, context.Canceled)
	}
	if outer := (*url.Error)(nil); errors.As(err, &outer) {
		err = outer.Err // its text repeats the address
	}
	var (
		changed *changedError
		other   *elsewhereError
		timeout net.Error
		op      *net.OpError
		dns     *net.DNSError
		cert    *tls.CertificateVerificationError
		record  tls.RecordHeaderError
	)
	if errors.As(err, &changed) {
		return changed
	}
	e := c.fail(r, llm.Unreachable, fmt.Errorf("the connection broke: %w", err))
	e.Maybe = true
	switch {
	case errors.As(err, &other):
		e.Fault, e.Err, e.Maybe, e.final = llm.BadResponse, err, false, true
	case errors.As(err, &dns), errors.As(err, &op) && op.Op == "dial":
		e.Fault, e.Err, e.Maybe = llm.Unreachable, err, false
		e.Hint = "is the server running, and the base URL right?"
	case errors.As(err, &cert), errors.As(err, &record):
		e.Fault, e.Err, e.Maybe, e.final = llm.Unreachable, err, false, true
		e.Hint = "does the address begin with the right one of http:// and https://, and is its certificate good?"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		e.Fault, e.Err = llm.TimedOut, fmt.Errorf("no answer within %s", c.o.Timeout+r.extra)
	}
	return e
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
