package llm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// Models opens the models of a run, each once, and wraps them in one order: retries outside of
// limits, so that each attempt counts, and redaction next to the adapter. Models of one endpoint
// share its limits and its budget of retries. Set the fields before the first call; it is safe for
// concurrent use.
type Models struct {
	Registry Registry
	Env      Env
	Limits   map[string]Limits // by Spec.Endpoint
	Seed     uint64            // of the jitter between retries
	// Gate is asked right before a request goes to a server; an error of it is returned in place of a reply.
	// Nil: every request goes.
	Gate func(context.Context) error
	// Tell gets what a user should know while the run goes on, such as that an endpoint is waited
	// for: one cleaned line each. Nil: nothing is told. It is called by one goroutine at a time.
	Tell func(message string)

	mu        sync.Mutex
	opened    map[string]*Opened
	endpoints map[string][]Middleware
	telling   sync.Mutex
}

// Opened is a model that is ready to use.
type Opened struct {
	Spec      Spec
	Defaults  Defaults // of its adapter
	Model     Model    // with retries, limits and redaction
	Embedding Model    // embeds texts, see Embedding; nil where the adapter has no embeddings
	Identity  Identity // as far as the server told it; see Identity.Note

	base   Model
	models *Models

	mu      sync.Mutex
	ignored []string
	notes   []string
}

// Open opens the model that a spec names and asks its server to identify it. A second call with the
// same text returns the same value. A server that does not identify the model is no error, and
// Identity.Note then has the reason; one that does not answer, refuses the key, or says that it has
// no such model, is.
func (m *Models) Open(ctx context.Context, text string) (*Opened, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if o := m.opened[text]; o != nil {
		return o, nil
	}
	spec, adapter, err := m.Registry.Lookup(text)
	if err != nil {
		return nil, err
	}
	if adapter.Defaults.Server && m.Env.Now == nil {
		return nil, errors.New("limits need a clock: set Env.Now")
	}
	base, err := adapter.Open(ctx, spec, m.Env)
	if err != nil {
		return nil, err
	}
	o := &Opened{Spec: spec, Defaults: adapter.Defaults, base: base, models: m}
	if err := o.Identify(ctx); err != nil {
		return nil, err
	}
	around := []Middleware{o.watch, m.redact}
	if adapter.Defaults.Server {
		around = append(m.endpoint(spec.Endpoint()), m.gate, o.watch, m.redact, promptCuts())
	}
	o.Model = Wrap(base, around...)
	if e, ok := base.(Embedder); ok {
		o.Embedding = Wrap(Embedding(e, text), around...)
	}
	if m.opened == nil {
		m.opened = map[string]*Opened{}
	}
	m.opened[text] = o
	return o, nil
}

// endpoint returns the retries and limits that the models of an endpoint share. The lock is held.
func (m *Models) endpoint(name string) []Middleware {
	if m.endpoints == nil {
		m.endpoints = map[string][]Middleware{}
	}
	if m.endpoints[name] == nil {
		limits := m.Limits[name]
		retry := Retry(Retrier{
			Rand: rand.New(rand.NewPCG(m.Seed, 1)), Wait: limits.Wait,
			Tell: func(message string) { m.tell("%s: %s", name, message) },
		})
		m.endpoints[name] = []Middleware{retry, NewLimiter(limits, m.Env.Now).Limit}
	}
	return slices.Clone(m.endpoints[name])
}

// gate holds back what may not go any more, such as requests that waited at a limit while a budget was used up.
func (m *Models) gate(next Model) Model {
	return Func(func(ctx context.Context, req Request) (*Response, error) {
		if m.Gate != nil {
			if err := m.Gate(ctx); err != nil {
				return nil, err
			}
		}
		return next.Generate(ctx, req)
	})
}

// tell tells the user something, on one line.
func (m *Models) tell(format string, args ...any) {
	if m.Tell != nil {
		m.telling.Lock()
		defer m.telling.Unlock()
		m.Tell(Clean(m.Env.Keys.Redact(fmt.Sprintf(format, args...))))
	}
}

// Identify asks the server again who it is. Open has done so once; a caller may repeat it at the end
// of a run where Identity.Note says that the server did not tell.
func (o *Opened) Identify(ctx context.Context) error {
	who, ok := o.base.(Identifier)
	if !ok {
		return nil
	}
	keys := o.models.Env.Keys
	id, err := who.Identify(ctx)
	switch fault := FaultOf(err); {
	case err == nil:
	case ctx.Err() != nil, fault == "", fault == Unreachable, fault == Denied, fault == NotFound:
		return redactError(keys, err)
	default:
		id.Note = "the server did not identify the model: " + err.Error()
	}
	for _, field := range []*string{&id.Name, &id.Digest, &id.Family, &id.Parameters, &id.Quantization, &id.Version, &id.Note} {
		*field = Excerpt(keys.Redact(*field), 400)
	}
	if o.Identity = id; id.Note != "" {
		o.models.tell("note: %s: %s", o.Spec, id.Note)
	}
	return nil
}

// Cached returns the model with a cache around it.
func (o *Opened) Cached(store Store) Model {
	return Wrap(o.Model, Cache(store, o.Spec.String(), o.Identity))
}

// Context returns the tokens of context to ask the server for where prompt and reply need so many; 0
// asks for the adapter's default. It returns 0 where the server decides itself, and never more than
// the model has.
func (o *Opened) Context(need int) int {
	if o.Defaults.Context == 0 {
		return 0
	}
	if need <= 0 {
		need = o.Defaults.Context
	}
	if o.Identity.Context > 0 {
		need = min(need, o.Identity.Context)
	}
	return need
}

// Ignored lists, sorted, the sampling options that the server was found not to take.
func (o *Opened) Ignored() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.ignored)
}

// Notes lists, sorted, what was unusual in replies, each once.
func (o *Opened) Notes() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.notes)
}

// fresh adds texts to a sorted list, and returns those that were not in it.
func (o *Opened) fresh(list *[]string, texts []string) (fresh []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, text := range texts {
		if !slices.Contains(*list, text) && len(*list) < 100 {
			fresh = append(fresh, text)
			*list = append(*list, text)
		}
	}
	slices.Sort(*list)
	return fresh
}

// watch notes the sampling options that a server does not take and what was unusual in its replies,
// and tells each once.
func (o *Opened) watch(next Model) Model {
	return Func(func(ctx context.Context, req Request) (*Response, error) {
		resp, err := next.Generate(ctx, req)
		if err != nil || len(resp.Ignored) == 0 && len(resp.Notes) == 0 {
			return resp, err
		}
		if fresh := o.fresh(&o.ignored, resp.Ignored); len(fresh) > 0 {
			o.models.tell("note: %s does not take %s; what it uses instead is its own", o.Spec, strings.Join(fresh, ", "))
		}
		for _, note := range o.fresh(&o.notes, resp.Notes) {
			o.models.tell("note: %s: %s", o.Spec, note)
		}
		return resp, nil
	})
}

// redact takes keys out of everything that comes back.
func (m *Models) redact(next Model) Model {
	return Func(func(ctx context.Context, req Request) (*Response, error) {
		resp, err := next.Generate(ctx, req)
		if err != nil {
			return nil, redactError(m.Env.Keys, err)
		}
		keys, clean := m.Env.Keys, *resp
		clean.Text, clean.Reasoning, clean.FinishRaw = keys.Redact(resp.Text), keys.Redact(resp.Reasoning), keys.Redact(resp.FinishRaw)
		clean.ServedBy = Excerpt(keys.Redact(resp.ServedBy), 400)
		if clean.Text != resp.Text || clean.Reasoning != resp.Reasoning {
			clean.Logprobs = nil
		}
		clean.Notes = slices.Clone(resp.Notes)
		for i, note := range clean.Notes {
			clean.Notes[i] = keys.Redact(note)
		}
		return &clean, nil
	})
}

// redactError takes keys out of an error's text.
func redactError(keys *Keys, err error) error {
	text := err.Error()
	if keys.Redact(text) == text {
		return err
	}
	e := (*Error)(nil)
	if !errors.As(err, &e) {
		return errors.New(keys.Redact(text))
	}
	clean := *e
	clean.Hint, clean.Err = keys.Redact(e.Hint), nil
	if e.Err != nil {
		clean.Err = errors.New(keys.Redact(e.Err.Error()))
	}
	return &clean
}
