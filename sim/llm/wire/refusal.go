package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"parley/sim/llm"
)

// Refusal is what a server writes when it does not do what it was asked.
type Refusal struct {
	Status              int // HTTP's; 0 within a reply
	Code, Kind, Message string
	Params              []string // fields that the server points at
}

// All returns codes and message together, for words to be looked for.
func (r *Refusal) All() string { return r.Code + " " + r.Kind + " " + r.Message }

// Fault returns the kind of the failure.
func (r *Refusal) Fault() llm.Fault { return Fault(r.Status, r.All()) }

// ReadRefusal reads an error in the shapes that servers give it: an object or a string below "error",
// fields at the top, a list of such objects, a list of faults below "detail" as FastAPI writes it, or
// no JSON at all. Keys are redacted before anything is shortened (nil: there are none), and no text in
// it has control characters.
func ReadRefusal(status int, raw []byte, keys *llm.Keys) Refusal {
	r := Refusal{Status: status}
	raw = []byte(keys.Redact(string(raw)))
	var top map[string]json.RawMessage
	if json.Unmarshal(raw, &top) != nil {
		var list []json.RawMessage // as Google wraps its errors
		if json.Unmarshal(raw, &list) == nil && len(list) > 0 && len(list[0]) < len(raw) {
			return ReadRefusal(status, list[0], keys)
		}
		r.Message = said(string(raw))
		switch {
		case r.Message == "":
			r.Message = cmp.Or(http.StatusText(status), "nothing")
		case strings.HasPrefix(r.Message, "<"):
			r.Message = "a web page; is the base URL right? it usually ends in /v1"
		}
		return r
	}
	r.read(top, keys)
	var inner map[string]json.RawMessage
	if e := top["error"]; json.Unmarshal(e, &inner) == nil && inner != nil {
		r.read(inner, keys)
	} else if s := plainText(e, keys); s != "" {
		r.Message = s
	}
	var filter map[string]json.RawMessage
	if json.Unmarshal(inner["innererror"], &filter) == nil {
		r.Code = strings.TrimSpace(r.Code + " " + plainText(filter["code"], keys))
	}
	r.Message = cmp.Or(r.Message, said(string(raw)))
	if n, err := strconv.Atoi(r.Code); status == 0 && err == nil && n >= 400 && n < 600 {
		r.Status = n // routers put the status that they got themselves into the code
	}
	return r
}

func (r *Refusal) read(fields map[string]json.RawMessage, keys *llm.Keys) {
	for _, f := range []struct {
		into  *string
		names []string
	}{{&r.Code, []string{"code"}}, {&r.Kind, []string{"type"}}, {&r.Message, []string{"message", "detail", "msg", "title"}}} {
		for _, name := range f.names {
			if s := plainText(fields[name], keys); s != "" {
				*f.into = s
				break
			}
		}
	}
	if s := plainText(fields["param"], keys); s != "" {
		r.Params = append(r.Params, s)
	}
	var details []struct {
		Loc  []any  `json:"loc"`
		Msg  string `json:"msg"`
		Type string `json:"type"`
	}
	if json.Unmarshal(fields["detail"], &details) != nil {
		return
	}
	for _, d := range details {
		if len(d.Loc) > 0 {
			name := said(keys.Redact(fmt.Sprint(d.Loc[min(1, len(d.Loc)-1)])))
			r.Params = append(r.Params, name)
			r.Kind = strings.TrimSpace(r.Kind + " " + said(d.Type))
			r.Message = said(strings.TrimPrefix(r.Message+"; "+name+": "+keys.Redact(d.Msg), "; "))
		}
	}
}

func said(text string) string { return llm.Excerpt(text, 300) }

// plainText returns a JSON string or number as text, else nothing.
func plainText(raw json.RawMessage, keys *llm.Keys) string {
	var s string
	var n json.Number
	if json.Unmarshal(raw, &s) == nil {
		return said(keys.Redact(s))
	}
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}
