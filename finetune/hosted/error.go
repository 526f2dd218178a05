package hosted

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"parley/sim/llm"
)

// Error is a request that came to nothing.
type Error struct {
	Doing      string        // what was tried, such as "create the job"
	Server     string        // its base URL
	Fault      llm.Fault     // what kind of failure
	Status     int           // HTTP's; 0: there was none
	Code       string        // the server's word for it
	Param      string        // the field that the server points at
	RetryAfter time.Duration // what the server asked for; 0: it did not say
	Hint       string        // what the user can do about it
	Attempts   int           // times asked in all
	Maybe      bool          // the server may have done what was asked
	Err        error

	final bool // the server says that asking again is no use
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s at %s: %s", e.Doing, e.Server, e.Fault)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether asking again later can help.
func (e *Error) Temporary() bool { return e.Fault.Temporary() && !e.final }

// FaultOf returns the kind of a failure, or "" where it is none of a server's.
func FaultOf(err error) llm.Fault {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Fault
	}
	return ""
}

// refusal is what a server says when it does not do what it was asked.
type refusal struct{ code, message, param string }

// readRefusal reads an error in the shapes that servers give it: an object or a string below "error",
// fields at the top, a list of faults below "detail", or no JSON at all.
func readRefusal(raw []byte, w washer) (r refusal) {
	top := object(raw)
	if top == nil {
		text := strings.TrimSpace(string(raw))
		if strings.HasPrefix(text, "<") {
			text = "a web page; is the base URL right? it usually ends in /v1"
		}
		return refusal{message: short(w.line(text))}
	}
	read := func(fields map[string]json.RawMessage) {
		for into, names := range map[*string][]string{
			&r.code: {"code", "type"}, &r.message: {"message", "detail", "msg", "title"}, &r.param: {"param"},
		} {
			for _, name := range names {
				if s := w.line(plain(fields[name])); s != "" {
					*into = s
					break
				}
			}
		}
	}
	read(top)
	if inner := object(top["error"]); inner != nil {
		read(inner)
	} else if s := w.line(plain(top["error"])); s != "" {
		r.message = s
	}
	var details []struct {
		Loc []any  `json:"loc"`
		Msg string `json:"msg"`
	}
	if r.message == "" && json.Unmarshal(top["detail"], &details) == nil {
		for _, d := range details {
			name := ""
			if len(d.Loc) > 0 {
				name = w.line(fmt.Sprint(d.Loc[len(d.Loc)-1]))
				r.param = name
			}
			r.message = strings.TrimPrefix(r.message+"; "+name+": "+w.line(d.Msg), "; ")
		}
	}
	if r.message == "" {
		r.message = w.line(string(raw))
	}
	r.message = short(r.message)
	return r
}

// short cuts a message to what fits an error.
func short(text string) string {
	if runes := []rune(text); len(runes) > 400 {
		return string(runes[:400]) + " ..."
	}
	return text
}

func (r refusal) text() string {
	s := r.message
	for _, more := range []string{r.code, r.param} {
		if more != "" && !strings.Contains(s, more) {
			s += " [" + more + "]"
		}
	}
	return strings.TrimSpace(s)
}

// spent are the words for an account that has to be paid before waiting helps.
var spent = []string{"insufficient_quota", "billing", "account_deactivated", "insufficient credits", "credit balance"}

func fault(status int, r refusal) llm.Fault {
	said := strings.ToLower(r.code + " " + r.message)
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
		for _, word := range spent {
			if strings.Contains(said, word) {
				return llm.Denied
			}
		}
		return llm.RateLimited
	case status == http.StatusConflict, status == http.StatusTooEarly:
		return llm.Overloaded
	case status == http.StatusMethodNotAllowed, status == http.StatusNotImplemented:
		return llm.Unsupported
	case status >= 500:
		return llm.Overloaded
	case status < 400:
		return llm.BadResponse
	}
	return llm.BadRequest
}

// retryAfter reads how long a server asks to wait: milliseconds, seconds or a date, which is held
// against the server's own clock where it tells the time. 0: it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	const most = 24 * time.Hour
	for name, unit := range map[string]time.Duration{"Retry-After-Ms": time.Millisecond, "Retry-After": time.Second} {
		if f, err := strconv.ParseFloat(strings.TrimSpace(h.Get(name)), 64); err == nil && f > 0 {
			return time.Duration(min(f*float64(unit), float64(most)))
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
