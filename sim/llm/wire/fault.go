package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"parley/sim/llm"
)

// signs are what servers write when a status alone would say something else, or nothing.
var signs = []struct {
	fault llm.Fault
	words []string
}{
	{llm.TooLong, []string{
		"context_length_exceeded", "exceed_context_size", "exceeds the context length", "maximum context length",
		"context window", "context size has been exceeded", "exceeds the available context size", "context limit",
		"exceeds maximum context length", "prompt is too long", "input is too long", "input length exceeds", "request too large",
	}},
	{llm.Blocked, []string{
		"content_filter", "responsibleaipolicyviolation", "content_policy_violation", "content management policy",
		"input was flagged", "prohibited_content", "moderation_blocked",
	}},
	{llm.Denied, []string{
		"insufficient_quota", "invalid_api_key", "api key not valid", "billing_hard_limit", "billing_not_active",
		"account_deactivated", "insufficient credits", "credit balance is too low",
	}},
	{llm.BadRequest, []string{
		"jinja", "chat template", "raise_exception", "roles must alternate", "template: :", "error rendering",
	}},
	{llm.NotFound, []string{"model_not_found", "no such model", "unknown_model", "model not found"}},
}

// Fault returns the kind of a failure by an HTTP status (0: the failure came within a reply) and by
// what the server wrote: codes and message together.
func Fault(status int, said string) llm.Fault {
	said = strings.ToLower(said)
	for _, sign := range signs {
		for _, word := range sign.words {
			if strings.Contains(said, word) {
				return sign.fault
			}
		}
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusPaymentRequired:
		return llm.Denied
	case http.StatusNotFound:
		return llm.NotFound
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return llm.TimedOut
	case http.StatusRequestEntityTooLarge:
		return llm.TooLong
	case http.StatusTooManyRequests:
		return llm.RateLimited
	case http.StatusConflict, http.StatusTooEarly, 0:
		return llm.Overloaded
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return llm.Unsupported
	}
	switch {
	case status >= 500:
		return llm.Overloaded
	case status < 400:
		return llm.BadResponse
	}
	return llm.BadRequest
}

// Away reports whether a status says that no request gets through to the server at the moment.
func Away(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable
}

// Lost makes an error of the transport a failure of the model. A call that its caller gave up comes
// back as the context's own error. The hint is for a server that is not there.
func Lost(ctx context.Context, model string, err error, hint string) error {
	fail := func(f llm.Fault, hint string) error {
		return &llm.Error{Model: model, Fault: f, Hint: hint, Err: err}
	}
	var (
		timeout net.Error
		op      *net.OpError
		dns     *net.DNSError
		cert    *tls.CertificateVerificationError
		record  tls.RecordHeaderError
	)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("%s: %w", model, context.Canceled)
	case ctx.Err() != nil:
		err = ctx.Err()
		return fail(llm.TimedOut, "")
	case errors.As(err, &dns), errors.As(err, &op) && op.Op == "dial":
		return fail(llm.Unreachable, hint)
	case errors.As(err, &cert), errors.As(err, &record), strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		return &llm.Error{Model: model, Fault: llm.Unreachable, Final: true, Err: err,
			Hint: "does the address begin with the right one of http:// and https://, and is its certificate good?"}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fail(llm.TimedOut, "")
	}
	err = fmt.Errorf("the reply broke off: %w", err)
	return fail(llm.BadResponse, "")
}

// RetryAfter reads how long a server asks to wait: milliseconds, seconds or a date, which is compared
// with the server's own clock where it sends the time. 0: it does not say. It is at most a day.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	const most = 24 * time.Hour
	for _, in := range []struct {
		name string
		unit time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}} {
		if f, err := strconv.ParseFloat(strings.TrimSpace(h.Get(in.name)), 64); err == nil && f > 0 {
			return time.Duration(min(f*float64(in.unit), float64(most)))
		}
	}
	at, err := http.ParseTime(h.Get("Retry-After"))
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	if now.IsZero() {
		return 0
	}
	return min(max(at.Sub(now), 0), most)
}
