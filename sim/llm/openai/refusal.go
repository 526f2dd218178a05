package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	kit "github.com/sashabaranov/go-openai"

	"parley/sim/llm"
	"parley/sim/llm/internal/wire"
)

// refusal is what a server says when it does not answer.
type refusal struct {
	status              int // 0 within a reply
	code, kind, message string
	params              []string // fields that the server points at
}

// all is the whole of it, for words to be looked for.
func (r *refusal) all() string { return r.code + " " + r.kind + " " + r.message }

// parseRefusal reads an error in the shapes that servers give it: an object, a string, a list of
// faults as FastAPI writes it, a bare message, or no JSON at all.
func parseRefusal(status int, raw []byte) refusal {
	r := refusal{status: status}
	var top map[string]json.RawMessage
	if json.Unmarshal(raw, &top) != nil {
		// Google wraps its errors in a list.
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
			return parseRefusal(status, list[0])
		}
		r.message = wire.Excerpt(string(raw))
		return r
	}
	r.read(top)
	var inner map[string]json.RawMessage
	if e := top["error"]; json.Unmarshal(e, &inner) == nil && inner != nil {
		r.read(inner)
	} else if s := plainText(e); s != "" {
		r.message = s
	}
	var filter struct {
		Code string `json:"code"`
	}
	if json.Unmarshal(inner["innererror"], &filter) == nil && filter.Code != "" {
		r.code += " " + filter.Code
	}
	if r.message == "" {
		r.message = wire.Excerpt(string(raw))
	}
	if status == 0 {
		if n, err := strconv.Atoi(r.code); err == nil && n >= 400 && n < 600 {
			r.status = n // routers put the status that they got themselves into the code
		}
	}
	return r
}

func (r *refusal) read(fields map[string]json.RawMessage) {
	if s := plainText(fields["code"]); s != "" {
		r.code = s
	}
	if s := plainText(fields["type"]); s != "" {
		r.kind = s
	}
	if s := plainText(fields["message"]); s != "" {
		r.message = wire.Excerpt(s)
	}
	if s := plainText(fields["param"]); s != "" {
		r.params = append(r.params, s)
	}
	if s := plainText(fields["detail"]); s != "" && r.message == "" {
		r.message = wire.Excerpt(s)
	}
	var details []struct {
		Loc  []any  `json:"loc"`
		Msg  string `json:"msg"`
		Type string `json:"type"`
	}
	if json.Unmarshal(fields["detail"], &details) == nil {
		for _, d := range details {
			if len(d.Loc) == 0 {
				continue
			}
			name := fmt.Sprint(d.Loc[min(1, len(d.Loc)-1)])
			r.params = append(r.params, name)
			r.kind = strings.TrimSpace(r.kind + " " + d.Type)
			r.message = wire.Excerpt(strings.TrimPrefix(r.message+"; "+name+": "+d.Msg, "; "))
		}
	}
}

func plainText(raw json.RawMessage) string {
	var s string
	var n json.Number
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

// declines are the words by which a server says that it does not know or take a field, in contrast
// to a value that is out of bounds.
var declines = regexp.MustCompile(`(?i)unsupported|not supported|n't support|not support|unrecognized|unknown|unexpected|extra[ _](inputs?|fields?|forbidden)|forbidden|not permitted|not allowed|only the default|cannot find field|deprecated|incompatible|must be verified`)

// refuses returns which of the fields the server does not take.
func (r *refusal) refuses(fields []string) []string {
	if !declines.MatchString(r.all()) {
		return nil
	}
	var names []string
	for _, field := range fields {
		if slices.Contains(r.params, field) {
			names = append(names, field)
		}
	}
	if names != nil || len(r.params) > 0 {
		return names
	}
	for _, field := range fields {
		if regexp.MustCompile(`(^|[^a-z_])` + field + `($|[^a-z_])`).MatchString(r.message) {
			names = append(names, field)
		}
	}
	return names
}

// schemaWords are in what a server says when it cannot hold a reply to a schema.
var schemaWords = regexp.MustCompile(`(?i)response_format|json_schema|schema|grammar|structured|guided|invalid format`)

// refusedError makes a refusal a failure of the model, with what the user can do about it.
func (m *Model) refusedError(ctx context.Context, r refusal, h http.Header, schema bool) error {
	fault := wire.Fault(r.status, r.all())
	if schema && schemaWords.MatchString(r.message+strings.Join(r.params, " ")) && (fault == llm.BadRequest || r.status == http.StatusInternalServerError) {
		fault = llm.Unsupported
	}
	said := r.message
	if r.status != 0 {
		said = fmt.Sprintf("%s (HTTP %d)", said, r.status)
	}
	hint := ""
	switch fault {
	case llm.Denied:
		switch {
		case strings.Contains(r.all(), "insufficient_quota") || r.status == http.StatusPaymentRequired:
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
	e.RetryAfter = wire.RetryAfter(h, m.now())
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
	entries, err := m.entries(ctx)
	if err != nil || len(entries) == 0 {
		return "is the base URL right? it usually ends in /v1"
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.ID
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

// fail makes a failure. Servers like to repeat the key in theirs.
func (m *Model) fail(fault llm.Fault, err error, hint string) *llm.Error {
	if m.o.Key != "" && strings.Contains(err.Error(), m.o.Key) {
		err = errors.New(strings.ReplaceAll(err.Error(), m.o.Key, "[key]"))
	}
	return &llm.Error{Model: m.text, Fault: fault, Hint: hint, Err: err}
}

// lost makes a failure of what went wrong on the way or within a reply.
func (m *Model) lost(ctx context.Context, err error) error {
	var said *saidError
	var protocol *protocolError
	switch {
	case errors.As(err, &said):
		return m.refusedError(ctx, said.refusal, nil, false)
	case errors.As(err, &protocol):
		return m.fail(llm.BadResponse, protocol, protocol.hint)
	case errors.Is(err, wire.ErrFlood):
		return m.fail(llm.BadResponse, err, "")
	}
	return wire.Lost(ctx, m.text, err, "is the server at "+m.base.Redacted()+" running, and the address right?")
}
