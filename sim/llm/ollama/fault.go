package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/ollama/ollama/api"

	"parley/sim/llm"
	"parley/sim/llm/wire"
)

// brokenError is a reply that broke off on the way.
type brokenError struct{ error }

func (e *brokenError) Unwrap() error { return e.error }

// refused makes a failure of what the server, or the kit, answered instead of a reply. Without a header, not a
// byte came back.
func (m *Model) refused(err error, h http.Header, schema bool) error {
	var status api.StatusError
	var auth api.AuthorizationError
	said, code := "", 0
	switch {
	case errors.As(err, &status):
		said, code = status.ErrorMessage, status.StatusCode
	case errors.As(err, &auth):
		said, code = "unauthorized", http.StatusUnauthorized
	case h == nil, errors.As(err, new(*brokenError)):
		return m.lost(context.Background(), err)
	default:
		said = err.Error() // an error line within the stream, or no JSON
	}
	said = llm.Excerpt(said, 300)
	fault, hint := m.classed(code, said, err, schema)
	e := m.fail(fault, errors.New(said), hint)
	e.RetryAfter, e.Away = wire.RetryAfter(h, m.now()), wire.Away(code)
	return e
}

// classed returns the kind of a failure with a status (0: within a reply), and what the user can do about it.
func (m *Model) classed(code int, said string, err error, schema bool) (fault llm.Fault, hint string) {
	fault = wire.Fault(code, said)
	lower := strings.ToLower(said)
	switch {
	case schema && (code == 400 || code == 500) && (strings.Contains(lower, "invalid format") || strings.Contains(lower, "grammar") || strings.Contains(lower, "schema")):
		fault = llm.Unsupported
	case code == 0 && (isJSONError(err) || strings.HasPrefix(said, "{")), strings.HasPrefix(said, "<"):
		fault, hint = llm.BadResponse, "is it an Ollama server?"
	case code == http.StatusInternalServerError && strings.Contains(lower, "option \""):
		fault = llm.BadRequest
	case fault == llm.NotFound && strings.Contains(lower, "model"):
		hint = "ollama pull " + m.name
	case fault == llm.NotFound:
		hint = "is " + m.address() + " an Ollama server?"
	case fault == llm.Denied && code == http.StatusUnauthorized:
		hint = "ollama signin"
	}
	return fault, hint
}

func (m *Model) fail(fault llm.Fault, err error, hint string) *llm.Error {
	return &llm.Error{Model: m.text, Fault: fault, Hint: hint, Err: err}
}

// lost makes a failure of what went wrong on the way.
func (m *Model) lost(ctx context.Context, err error) error {
	hint := "is an Ollama server running at " + m.address() + "?"
	if host := m.base.Hostname(); host == "127.0.0.1" || host == "localhost" || host == "::1" {
		hint = "start the server with: ollama serve"
		if m.address() != DefaultHost {
			hint = "start the server with: OLLAMA_HOST=" + m.base.Host + " ollama serve"
		}
	}
	return wire.Lost(ctx, m.text, err, hint)
}

func isJSONError(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}
