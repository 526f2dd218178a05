package llm

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/characters/yamlfile"
)

// Adapter opens the models of one scheme and states what holds for all of them, so that no caller
// compares a scheme. An adapter is one package that passes llmtest.TestModel, and one line in the
// registry of the program that uses it.
type Adapter struct {
	Scheme   string // before the colon of a spec
	Usage    string // one line of help, such as "ollama:NAME  a model of an Ollama server"
	Defaults Defaults
	// Open makes a model of a spec without calling its server: a missing model is found out at the
	// first request.
	Open func(ctx context.Context, spec Spec, env Env) (Model, error)
}

// Defaults says how the models of an adapter are used where the user says nothing else.
type Defaults struct {
	Server   bool // replies come from a server: calls are limited, retried and may be cached
	Hosted   bool // the server is usually somebody else's, and calls cost money
	Recorded bool // the spec's name is a run, whose recorded calls are the replies

	Jobs        int    // jobs that run at one time; 0: the adapter sets no limit
	Context     int    // tokens of context to ask for where no better number is known; 0: num_ctx is not sent
	Form        string // form of replies to ask for; empty: a probe decides
	KeyVariable string // environment variable of the key that the adapter's own server needs; empty: none is needed
}

// Env is what adapters may use of the process that they run in. Its zero value has no environment
// variables and uses http.DefaultClient.
type Env struct {
	Getenv func(name string) string // nil: no variable is set
	HTTP   *http.Client             // nil: http.DefaultClient
	Now    func() time.Time         // nil: dates in Retry-After are not read, and calls are not timed
	// Keys gets every key that an adapter reads, for redaction. Nil: keys are not collected.
	Keys *Keys
}

// Key returns the value of the environment variable that holds a key, and adds it to the keys that
// are redacted.
func (e Env) Key(variable string) string {
	key := e.Get(variable)
	if e.Keys != nil {
		e.Keys.Add(key)
	}
	return key
}

// Get returns the value of an environment variable; empty: it is not set.
func (e Env) Get(variable string) string {
	if e.Getenv == nil || variable == "" {
		return ""
	}
	return e.Getenv(variable)
}

// Registry is the adapters that a program knows.
type Registry []Adapter

// Lookup reads a spec and finds its adapter, without opening anything.
func (r Registry) Lookup(text string) (Spec, Adapter, error) {
	spec, err := ParseSpec(text)
	if err != nil {
		return Spec{}, Adapter{}, err
	}
	known := []string{"reference:"} // which is no adapter: it plays, and is not asked
	for _, a := range r {
		if a.Scheme == spec.Scheme {
			return spec, a, nil
		}
		known = append(known, a.Scheme+":")
	}
	slices.Sort(known)
	return Spec{}, Adapter{}, SpecError{Err: fmt.Errorf("model %q: unknown scheme %q; %sknown are %s", text, spec.Scheme,
		yamlfile.DidYouMean(spec.Scheme+":", known), strings.Join(known, " "))}
}

// Open opens the model that the text names, as its adapter makes it: without retries or limits.
func (r Registry) Open(ctx context.Context, text string, env Env) (Model, error) {
	spec, adapter, err := r.Lookup(text)
	if err != nil {
		return nil, err
	}
	return adapter.Open(ctx, spec, env)
}

// Defaults returns the defaults of a spec's adapter; all zero for a spec that no adapter opens.
func (r Registry) Defaults(text string) Defaults {
	_, adapter, _ := r.Lookup(text)
	return adapter.Defaults
}

// Recorded returns the run whose calls a spec replays; ok is false for every other spec.
func (r Registry) Recorded(text string) (run string, ok bool) {
	spec, adapter, _ := r.Lookup(text)
	return spec.Name, adapter.Defaults.Recorded
}

// SameModel reports whether two specs name one language model, wherever it is served, whatever its
// options, as a dated snapshot or not. Specs without a server are the same only if they are written
// the same.
func (r Registry) SameModel(a, b string) bool {
	if a == b {
		return true
	}
	first, one, err1 := r.Lookup(a)
	second, two, err2 := r.Lookup(b)
	return cmp.Or(err1, err2) == nil && one.Defaults.Server && two.Defaults.Server &&
		modelName(first.Name) == modelName(second.Name)
}

// Same reports whether two identities are one model: by their digests where both have one, else by
// their names.
func (id Identity) Same(other Identity) bool {
	if id.Digest != "" && other.Digest != "" {
		return id.Digest == other.Digest
	}
	return id.Name != "" && modelName(id.Name) == modelName(other.Name)
}

var dated = regexp.MustCompile(`-\d{4}-?\d{2}-?\d{2}$`)

// modelName folds a model's name: lower case, without the owner before it and without the date and
// ":latest" after it.
func modelName(name string) string {
	name = strings.TrimSuffix(strings.ToLower(name), ":latest")
	name = name[strings.LastIndexByte(name, '/')+1:]
	return dated.ReplaceAllString(name, "")
}
