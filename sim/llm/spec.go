package llm

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
)

// Spec is a model as a user writes it: scheme:name[?key=value&...][@base-url].
type Spec struct {
	Scheme  string
	Name    string
	Options url.Values
	BaseURL string
	text    string
}

// String returns the spec as it was written.
func (s Spec) String() string { return s.text }

// SpecError says that the text of a model is wrong: its form, its scheme or an option.
type SpecError struct{ Err error }

func (e SpecError) Error() string { return e.Err.Error() }
func (e SpecError) Unwrap() error { return e.Err }

// ParseSpec reads scheme:name[?key=value&...][@base-url]. A name may hold colons (llama3.2:1b).
func ParseSpec(text string) (Spec, error) {
	bad := func(why string) (Spec, error) {
		return Spec{}, SpecError{Err: fmt.Errorf("model %q: %s; write scheme:name[?key=value][@base-url], such as ollama:llama3.2:1b or openai:gpt-4.1-mini@https://host/v1", text, why)}
	}
	scheme, rest, found := strings.Cut(text, ":")
	if !found || scheme == "" || strings.ContainsAny(scheme, "/?@ ") {
		return bad("no scheme")
	}
	spec := Spec{Scheme: scheme, text: text, Options: url.Values{}}
	for _, mark := range []string{"@http://", "@https://"} {
		if at := strings.LastIndex(rest, mark); at >= 0 {
			rest, spec.BaseURL = rest[:at], strings.TrimRight(rest[at+1:], "/")
			if u, err := url.Parse(spec.BaseURL); err != nil || u.Host == "" {
				return bad("the base URL does not parse")
			} else if u.User != nil {
				return bad("a base URL must not carry credentials; keys are read from the environment")
			}
			break
		}
	}
	name, query, hasQuery := strings.Cut(rest, "?")
	spec.Name = name
	if hasQuery {
		options, err := url.ParseQuery(query)
		if err != nil {
			return bad("the options after ? do not parse")
		}
		spec.Options = options
	}
	if spec.Name == "" {
		return bad("no name")
	}
	return spec, nil
}

// Endpoint names what a model's limits and retries are shared by: its base URL, or else its scheme.
func (s Spec) Endpoint() string { return cmp.Or(s.BaseURL, s.Scheme) }
