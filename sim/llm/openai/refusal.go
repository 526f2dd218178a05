package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	kit "github.com/sashabaranov/go-openai"

	"parley/sim/llm"
	"parley/sim/llm/wire"
)

// declines are the words by which a server says that it does not know or take a field, in contrast
// to a value that is out of bounds.
var declines = regexp.MustCompile(`(?i)unsupported|not supported|n't support|not support|unrecognized|unknown|unexpected|extra[ _](inputs?|fields?|forbidden)|forbidden|not permitted|not allowed|only the default|cannot find field|deprecated|incompatible|must be verified`)

// refuses returns which of the fields a server does not take.
func refuses(r *wire.Refusal, fields []string) []string {
	if !declines.MatchString(r.All()) {
		return nil
	}
	var names []string
	for _, field := range fields {
		if slices.Contains(r.Params, field) {
			names = append(names, field)
		}
	}
	if names != nil || len(r.Params) > 0 {
		return names
	}
	for _, field := range fields {
		if regexp.MustCompile(`(^|[^a-z_])` + field + `($|[^a-z_])`).MatchString(r.Message) {
			names = append(names, field)
		}
	}
	return names
}

// schemaWords are in what a server says when it cannot hold a reply to a schema.
var schemaWords = regexp.MustCompile(`(?i)response_format|json_schema|schema|grammar|structured|guided|invalid format`)

// refusedError makes a refusal a failure of the model, with what the user can do about it.
func (m *Model) refusedError(ctx context.Context, r wire.Refusal, h http.Header, schema bool) error {
	fault := r.Fault()
	if schema && schemaWords.MatchString(r.Message+strings.Join(r.Params, " ")) && (fault == llm.BadRequest || r.Status == http.StatusInternalServerError) {
		fault = llm.Unsupported
	}
	said := r.Message
	if r.Status != 0 {
		said = fmt.Sprintf("%s (HTTP %d)", said, r.Status)
	}
	hint := ""
	switch fault {
	case llm.Denied:
		switch {
		case strings.Contains(r.All(), "insufficient_quota") || r.Status == http.StatusPaymentRequired:
			hint = "the account has no credit left; see the provider's billing page"
		case m.o.Key == "":
			hint = "no key was sent; " + m.keyHint()
		default:
			hint = "is the key in the environment variable " + m.o.KeyVariable + " the right one for " + m.base.Host + "?"
		}
	case llm.NotFound:
		hint = m.offers(ctx)
	}
	e := m.fail(fault, errors.New(said), hint)
	e.RetryAfter, e.Away = wire.RetryAfter(h, m.now()), wire.Away(r.Status)
	e.Final = h.Get("X-Should-Retry") == "false"
	return e
}

// keyHint says where the key belongs.
func (m *Model) keyHint() string {
	if m.o.KeyVariable == "" {
		return "name the environment variable that holds it: openai:" + m.name + "?key_env=VARIABLE@" + m.base.Redacted()
	}
	return "put it into the environment variable " + m.o.KeyVariable
}

// offers says which models there are instead of the one that is not: the most alike first.
func (m *Model) offers(ctx context.Context) string {
	if m.knows().dialect == ollama {
		return "ollama pull " + m.name
	}
	if m.config.APIType == kit.APITypeAzure {
		return "is there a deployment of that name? write another one as deployment=NAME"
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	entries, _, err := m.entries(ctx)
	if err != nil || len(entries) == 0 {
		return "is the base URL right? it usually ends in /v1"
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = llm.Excerpt(m.keys.Redact(e.ID), 80)
	}
	slices.SortStableFunc(names, func(a, b string) int { return alike(b, m.name) - alike(a, m.name) })
	if len(names) > 8 {
		names = append(names[:8], "...")
	}
	return "the server has " + strings.Join(names, ", ")
}

// alike counts the bytes that two names begin with in common.
func alike(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// fail makes a failure, without the key, which servers like to repeat in theirs.
func (m *Model) fail(fault llm.Fault, err error, hint string) *llm.Error {
	if text := err.Error(); m.keys.Redact(text) != text {
		err = errors.New(m.keys.Redact(text))
	}
	return &llm.Error{Model: m.text, Fault: fault, Hint: hint, Err: err}
}

// lost makes a failure of what went wrong on the way or within a reply.
func (m *Model) lost(ctx context.Context, err error) error {
	var said *saidError
	var protocol *protocolError
	switch {
	case errors.As(err, &said):
		return m.refusedError(ctx, said.Refusal, nil, false)
	case errors.As(err, &protocol):
		return m.fail(llm.BadResponse, protocol, protocol.hint)
	case errors.Is(err, wire.ErrFlood):
		return m.fail(llm.BadResponse, err, "")
	}
	return wire.Lost(ctx, m.text, err, "is the server at "+m.base.Redacted()+" running, and the address right?")
}
