package hosted

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/sim/llm"
	"parley/sim/llm/wire"
)

// Error is a request that failed. It wraps the *llm.Error that says how; its Model names the request
// and the server.
type Error struct {
	Cause *llm.Error
	Param string // the field that the server points at
	Maybe bool   // the server may have done what was asked

	broken bool // the reply breaks the protocol
}

func (e *Error) Error() string { return e.Cause.Error() }
func (e *Error) Unwrap() error { return e.Cause }

// Temporary reports whether asking again later can help.
func (e *Error) Temporary() bool { return e.Cause.Fault.Temporary() && !e.Cause.Final }

// hint adds what the user can do.
func (e *Error) hint(text string) {
	e.Cause.Hint = strings.TrimPrefix(e.Cause.Hint+"; "+text, "; ")
}

// request is a request to the server.
type request struct {
	doing  string // for errors
	method string
	path   string
	query  url.Values
	kind   string // of the body
	size   int64
	body   func() (io.ReadCloser, error) // opens it anew for each attempt; nil: there is none
	extra  time.Duration                 // on top of the usual time
}

// maxReply is how many bytes a reply may have.
const maxReply = 32 << 20

// ask makes a request, repeats it where that can help, and reads the reply.
func ask[T any](ctx context.Context, c *Client, r request, read func([]byte, washer) (T, error)) (reply T, err error) {
	err = c.again(ctx, func() (e *Error) {
		reply, e = attempt(ctx, c, r, read)
		return e
	})
	return reply, err
}

// again makes a request until it succeeds, and as often as the budget allows.
func (c *Client) again(ctx context.Context, request func() *Error) error {
	var last *Error
	n, err := c.budget.Do(ctx, func() error {
		before := last
		if last = request(); last == nil {
			return nil
		}
		if before != nil && before.broken && last.broken {
			last.Cause.Final = true // a server that breaks the protocol twice does so always
		}
		return last.Cause
	})
	var cause *llm.Error
	switch {
	case err == nil:
		return nil
	case last != nil && ctx.Err() != nil:
		return fmt.Errorf("%s: %w", last.Cause.Model, ctx.Err())
	case last != nil && last.Cause.Fault == "": // none of the server's
		return last.Cause.Err
	case !errors.As(err, &cause):
		return err
	}
	e := &Error{Cause: cause, Param: last.Param, Maybe: last.Maybe}
	if n > 1 {
		e.hint(fmt.Sprintf("asked %d times", n))
	}
	return e
}

// attempt makes a request once, and reads the reply; an error of read means that it breaks the protocol.
func attempt[T any](ctx context.Context, c *Client, r request, read func([]byte, washer) (T, error)) (reply T, e *Error) {
	raw, e := c.exchange(ctx, r)
	if e != nil {
		return reply, e
	}
	reply, err := read(raw, c.wash)
	if err != nil {
		e = c.broken(r, err)
	}
	return reply, e
}

// exchange makes a request once.
func (c *Client) exchange(ctx context.Context, r request) ([]byte, *Error) {
	limited, cancel := context.WithTimeout(ctx, c.o.Timeout+r.extra)
	defer cancel()
	hr, err := http.NewRequestWithContext(limited, r.method, c.url(r.path, r.query), nil)
	if err != nil {
		return nil, c.fail(r, llm.BadRequest, err)
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
			return nil, c.fail(r, "", err)
		}
		hr.Body, hr.GetBody, hr.ContentLength = body, r.body, r.size
		hr.Header.Set("Content-Type", r.kind)
	}
	resp, err := c.http.Do(hr)
	if err != nil {
		return nil, c.lost(ctx, r, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	switch {
	case err != nil:
		return nil, c.lost(ctx, r, err)
	case resp.StatusCode >= 300:
		return nil, c.refused(r, resp.StatusCode, resp, raw)
	case len(raw) > maxReply:
		return nil, c.broken(r, fmt.Errorf("the reply is longer than %d MiB", maxReply>>20))
	}
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	if top := object(raw); top["id"] == nil && top["data"] == nil && object(top["error"]) != nil {
		return nil, c.refused(r, 0, resp, raw) // some routers put a failure into a reply that says all is well
	}
	return raw, nil
}

func (c *Client) fail(r request, f llm.Fault, err error) *Error {
	return &Error{Cause: &llm.Error{Model: r.doing + " at " + c.base.String(), Fault: f, Err: err}}
}

// broken makes an error of a reply that breaks the protocol.
func (c *Client) broken(r request, err error) *Error {
	e := c.fail(r, llm.BadResponse, err)
	e.Maybe, e.broken = true, true
	return e
}

// refused makes an error of a reply that says no. The status is 0 where the reply's own says all is well.
func (c *Client) refused(r request, status int, resp *http.Response, raw []byte) *Error {
	said := wire.ReadRefusal(status, raw, c.keys)
	text := said.Message
	for _, more := range append([]string{cmp.Or(said.Code, said.Kind)}, said.Params...) {
		if more != "" && !strings.Contains(text, more) {
			text += " [" + more + "]"
		}
	}
	e := c.fail(r, said.Fault(), fmt.Errorf("%d: %s", resp.StatusCode, strings.TrimSpace(text)))
	e.Cause.RetryAfter = wire.RetryAfter(resp.Header, c.now())
	e.Cause.Final = resp.Header.Get("X-Should-Retry") == "false"
	if len(said.Params) > 0 {
		e.Param = said.Params[len(said.Params)-1]
	}
	// A gateway may have lost the answer of a server that did what it was asked.
	e.Maybe = status < 400 || status >= 500 || status == http.StatusRequestTimeout || status == http.StatusConflict
	switch {
	case e.Cause.Fault == llm.Denied && c.o.Key == "":
		e.hint("no key was sent; name the environment variable that holds it with --key-env")
	case e.Cause.Fault == llm.Denied && c.o.KeyVariable != "":
		e.hint("the key is read from " + c.o.KeyVariable)
	case e.Cause.Fault == llm.TooLong:
		e.hint("the server takes smaller files only")
	}
	return e
}

// lost makes an error of a failure on the way.
func (c *Client) lost(ctx context.Context, r request, err error) *Error {
	if outer := (*url.Error)(nil); errors.As(err, &outer) {
		err = outer.Err // its text repeats the address
	}
	if changed := (*changedError)(nil); errors.As(err, &changed) {
		return c.fail(r, "", changed)
	}
	e := c.fail(r, llm.BadResponse, err)
	if errors.Is(err, wire.ErrRedirect) {
		e.Cause.Final = true
		return e
	}
	if !errors.As(wire.Lost(ctx, e.Cause.Model, err, "is the server running, and the base URL right?"), &e.Cause) {
		e.Cause.Fault = llm.TimedOut // the caller gave up
	}
	e.Maybe = e.Cause.Fault != llm.Unreachable
	return e
}
