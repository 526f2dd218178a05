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

// Fault tells the kind of a failure from a status (0: none, the failure came within a reply) and
// from what the server said: codes and message together.
func Fault(status int, said string) llm.Fault {
	said = strings.ToLower(said)
	for _, sign := range signs {
		for _, word := range sign.words {
			if strings.Contains(said, word) {
				return sign.fault
			}
		}
	}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusPaymentRequired:
		return llm.Denied
	case status == http.StatusNotFound:
		return llm.NotFound
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return llm.TimedOut
	case status == http.StatusRequestEntityTooLarge:
		return llm.TooLong
	case status == http.StatusTooManyRequests:
		return llm.RateLimited
	case status == http.StatusConflict, status == http.StatusTooEarly:
		return llm.Overloaded
	case status == http.StatusNotImplemented:
		return llm.Unsupported
	case status >= 500, status == 0:
		return llm.Overloaded
	}
	return llm.BadRequest
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
		return fail(llm.Unreachable, "does the address begin with the right one of http:// and https://, and is its certificate good?")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fail(llm.TimedOut, "")
	}
	err = fmt.Errorf("the reply broke off: %w", err)
	return fail(llm.BadResponse, "")
}

// RetryAfter reads how long a server asks to wait: milliseconds, seconds or a date. 0: it does not say.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	number := func(name string, unit time.Duration) time.Duration {
		f, err := strconv.ParseFloat(strings.TrimSpace(h.Get(name)), 64)
		if err != nil || !(f > 0) {
			return 0
		}
		// A day is longer than anyone waits, and keeps the product within an int64.
		return time.Duration(min(f*float64(unit), float64(24*time.Hour)))
	}
	if d := number("Retry-After-Ms", time.Millisecond); d > 0 {
		return d
	}
	if d := number("Retry-After", time.Second); d > 0 {
		return d
	}
	if at, err := http.ParseTime(h.Get("Retry-After")); err == nil && at.After(now) {
		return min(at.Sub(now), 24*time.Hour)
	}
	return 0
}
