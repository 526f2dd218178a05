package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/eval/iep"
	"parley/eval/judge"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
	"parley/sim/reference"
)

// crew is everybody who takes part in a run: the models, opened once and wrapped, and the reference
// actors.
type crew struct {
	exp      *Experiment
	manifest *manifest
	meter    *llm.Meter
	models   *llm.Models
	jobs     int // at one time, by the models' defaults; 0: no chat model is in use
	open     map[string]llm.Model
	embed    map[string]llm.Model       // of those that also embed texts
	makers   map[[3]string]*agent.Maker // role, spec, and the place where a replay differs by it
	standing map[string]reference.Actor
	prices   *llm.Prices
	dm       sim.Referee

	mu sync.Mutex // over the notes of models at work
}

func isReference(spec string) bool { return reference.Is(spec) }

// emptyCrew has nobody yet.
func emptyCrew(e *Experiment, m *manifest) *crew {
	return &crew{
		exp: e, manifest: m, open: map[string]llm.Model{}, embed: map[string]llm.Model{},
		makers: map[[3]string]*agent.Maker{}, standing: map[string]reference.Actor{},
	}
}

// newCrew opens every model that the experiment names, asks the servers who they are, and settles
// what a run keeps to: the form of replies and the size of the context, which has to hold prompts in
// the sampled scenarios.
func newCrew(ctx context.Context, m *manifest, sample func() ([]*scenarios.Scenario, error), talk io.Writer) (*crew, error) {
	e := m.Experiment
	c := emptyCrew(e, m)
	prompts := agent.BuiltinPrompts()
	if e.Prompts != "" {
		var err error
		if prompts, err = agent.LoadPrompts(e.Prompts); err != nil {
			return nil, err
		}
	}
	if m.Prompts == nil {
		m.Prompts = prompts.Hashes()
	} else if !maps.Equal(m.Prompts, prompts.Hashes()) {
		return nil, errors.New("the prompts are not those that the run began with: put them back, or begin a new run")
	}
	for _, spec := range e.models() {
		if isReference(spec) {
			s, err := llm.ParseSpec(spec)
			if err != nil {
				return nil, usageError{err}
			}
			actor, err := reference.Open(s.Name, s.Options)
			if err != nil {
				return nil, usageError{err}
			}
			c.standing[spec] = actor
			continue
		}
		if err := c.hire(ctx, spec, talk); err != nil {
			return nil, err
		}
	}
	if err := c.settleContexts(sample, prompts); err != nil {
		return nil, err
	}
	for _, p := range e.places() {
		spec := e.model(p)
		if isReference(spec) {
			continue
		}
		if err := c.likeRecorded(spec); err != nil {
			return nil, err
		}
		if key := c.key(p, spec); c.makers[key] == nil {
			maker, err := c.maker(ctx, p, spec, prompts, talk)
			if err != nil {
				return nil, err
			}
			c.makers[key] = maker
		}
	}
	if e.Referee != "none" && e.Referee != "dice" {
		if err := c.hireReferee(prompts); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// hireReferee makes the Dungeon Master that a model plays.
func (c *crew) hireReferee(prompts *agent.Prompts) error {
	spec := c.exp.Referee
	if isReference(spec) {
		return usagef("%s cannot referee: say none, dice or a chat model", spec)
	}
	dm, err := agent.NewDM(agent.Config{
		Model: c.open[spec], Name: spec, Sampling: c.sampling(place{role: "referee"}), Prompts: prompts, Now: time.Now,
	})
	c.dm = dm
	return err
}

// settleContexts decides once a run how large the context of each local model that plays is.
func (c *crew) settleContexts(sample func() ([]*scenarios.Scenario, error), prompts *agent.Prompts) error {
	e, places := c.exp, append(c.exp.places(), place{role: "referee"})
	var drawn []*scenarios.Scenario
	for spec := range c.open {
		note, longest := c.manifest.Models[spec], 0
		for _, p := range places {
			if e.model(p) == spec {
				longest = max(longest, e.Sampling[p.role].Complete().MaxTokens)
			}
		}
		if note.NumCtx > 0 || longest == 0 || registry().Defaults(spec).Context == 0 {
			continue
		}
		if drawn == nil {
			var err error
			if drawn, err = sample(); err != nil {
				return err
			}
		}
		need := agent.Need{
			Style: agent.Style{Layout: agent.Layout(e.Layout), Prompts: prompts, Checks: e.Referee != "none"},
			Turns: e.Turns, MaxTokens: longest, Control: e.Control, Referee: spec == e.Referee,
		}
		if e.Form != "auto" {
			need.Form = agent.Form(e.Form)
		}
		size, err := need.Context(drawn...)
		if err != nil {
			return err
		}
		if spec == e.Judge {
			size = max(size, registry().Defaults(spec).Context)
		}
		if id := note.Identity; id != nil && id.Context > 0 {
			size = min(size, id.Context)
		}
		note.NumCtx = size
	}
	return nil
}

// key finds the maker of the agents in a place.
func (c *crew) key(p place, spec string) [3]string {
	key := [3]string{p.role, spec}
	if note := c.manifest.Models[spec]; note != nil && note.Places[p.String()] != nil {
		key[2] = p.String()
	}
	return key
}

// likeRecorded settles what a replay keeps to, unless the form is asked for or settled already.
func (c *crew) likeRecorded(spec string) error {
	dir, ok := registry().Recorded(spec)
	note := c.manifest.Models[spec]
	if !ok || c.exp.Form != "auto" || note.Form != "" || note.Places != nil {
		return nil
	}
	filled := slices.DeleteFunc(c.exp.places(), func(p place) bool { return c.exp.model(p) != spec })
	return note.likeRecorded(dir, filled)
}

// hire opens a model, wraps it, and asks its server who it is.
func (c *crew) hire(ctx context.Context, spec string, talk io.Writer) error {
	if c.models == nil {
		c.models = &llm.Models{
			Registry: registry(), Env: environment(), Limits: c.exp.Limits, Seed: c.exp.Seed,
			Tell: func(message string) { fmt.Fprintln(talk, message) },
		}
	}
	if _, _, err := c.models.Registry.Lookup(spec); err != nil {
		return usageError{err}
	}
	o, err := c.models.Open(ctx, spec)
	if err != nil {
		return err
	}
	note := c.manifest.Models[spec]
	if note == nil {
		note = &servedNote{}
		c.manifest.Models[spec] = note
	}
	if o.Identity != (llm.Identity{}) {
		if was := note.Identity; was != nil && was.Digest != "" && was.Digest != o.Identity.Digest {
			fmt.Fprintf(talk, "note: %s is another model than the run began with (digest %s, was %s)\n", spec, o.Identity.Digest, was.Digest)
		}
		note.Identity = &o.Identity
	}
	c.jobs = max(c.jobs, o.Defaults.Jobs, 2)
	if o.Embedding != nil {
		c.embed[spec] = o.Embedding
	}
	c.open[spec] = llm.Func(func(ctx context.Context, req llm.Request) (*llm.Response, error) {
		resp, err := o.Model.Generate(ctx, req)
		if err == nil && len(resp.Ignored) > 0 {
			c.mu.Lock()
			defer c.mu.Unlock()
			note.Ignored = o.Ignored()
		}
		return resp, err
	})
	return nil
}

// sampling is what the experiment says for a model's role, completed.
func (c *crew) sampling(p place) llm.Sampling {
	s := c.exp.Sampling[p.role].Complete()
	if s.NumCtx == 0 {
		s.NumCtx = c.manifest.noteOf(p).NumCtx
	}
	return s
}

// actor returns who plays a seat in one session, whose agents share a table.
func (c *crew) actor(p place, spec string, table *agent.Table) (sim.Actor, error) {
	if a, ok := c.standing[spec]; ok {
		return a, nil
	}
	maker, ok := c.makers[c.key(p, spec)]
	if !ok {
		return nil, fmt.Errorf("nobody was hired as %s %s", p, spec)
	}
	return maker.Agent(table), nil
}

// referee returns who resolves deeds; nil where they simply happen.
func (c *crew) referee() sim.Referee {
	switch c.exp.Referee {
	case "none":
		return nil
	case "dice":
		return sim.Dice{}
	}
	return c.dm
}

// judge returns who matches key points; nil where it is the lexical judge.
func (c *crew) judge(ctx context.Context) (iep.Judge, error) {
	spec := c.exp.Judge
	if spec == "lexical" || len(c.exp.kind().Scorers) == 0 {
		return nil, nil
	}
	if name, ok := strings.CutPrefix(spec, "embed:"); ok {
		if c.embed[name] == nil {
			return nil, usagef(noEmbeddings, name)
		}
		return &iep.Embedding{Model: c.embed[name], Spec: name, Now: time.Now, Words: iep.NewLexical(corpus())}, nil
	}
	if isReference(spec) {
		return nil, usagef("%s cannot judge: say lexical, embed:MODEL or a chat model", spec)
	}
	if err := c.selfJudged(spec); err != nil {
		return nil, err
	}
	model := c.open[spec]
	if c.exp.Cache != "" {
		id := llm.Identity{}
		if known := c.manifest.Models[spec].Identity; known != nil {
			id = *known
		}
		model = llm.Wrap(model, llm.Cache(cacheDir(c.exp.Cache), spec, id))
	}
	return &iep.Model{Judge: &judge.Judge{Model: model, Name: spec, Sampling: c.judgeSampling(spec), Now: time.Now}}, nil
}

// noEmbeddings also holds of replay:, since a run keeps no vectors.
const noEmbeddings = "%s has no embeddings: judge with embed:ollama:NAME or embed:openai:NAME"

// selfJudged refuses a judge that is one of the models under test, which are the players'.
func (c *crew) selfJudged(spec string) error {
	if c.exp.AllowSelfJudge {
		return nil
	}
	judging, id := c.manifest.behind(place{role: "judge"})
	if judging == "lexical" || strings.HasPrefix(judging, "embed:") {
		return usagef("%s has no replies of a judge: it was judged by %s", spec, judging)
	}
	for _, p := range c.exp.places() {
		if p.role != "player" {
			continue
		}
		other, served := c.manifest.behind(p)
		if registry().SameModel(judging, other) || id.Same(served) {
			return usagef("the judge %s is the model under test (%s): name another judge, or say --allow-self-judge", spec, other)
		}
	}
	return nil
}

// judgeSampling is the judge's.
func (c *crew) judgeSampling(spec string) llm.Sampling {
	s, note := c.exp.Sampling["judge"], c.manifest.Models[spec]
	if note.NumCtx == 0 && registry().Defaults(spec).Context > 0 {
		note.NumCtx = registry().Defaults(spec).Context
		if note.Identity != nil && note.Identity.Context > 0 {
			note.NumCtx = min(note.NumCtx, note.Identity.Context)
		}
	}
	if s.NumCtx == 0 {
		s.NumCtx = note.NumCtx
	}
	return s
}

// maker makes the agents of one model for a place. The form of its replies and the size of
// its context are settled once a run.
func (c *crew) maker(ctx context.Context, p place, spec string, prompts *agent.Prompts, talk io.Writer) (*agent.Maker, error) {
	e, note := c.exp, c.manifest.noteOf(p)
	sampling := c.sampling(p)
	form := agent.Form(e.Form)
	switch {
	case note.Form != "":
		form = agent.Form(note.Form)
	case e.Form == "auto":
		found, why, calls, err := agent.Probe(ctx, c.open[spec], spec, sampling, time.Now)
		if err != nil {
			return nil, err
		}
		for i := range calls {
			calls[i].Session, calls[i].Prompt, calls[i].Error = "", nil, clean(calls[i].Error) // it is always the same prompt
		}
		form, note.Form, note.Why, note.Probe = found, string(found), clean(why), calls
		if found != agent.JSON {
			fmt.Fprintf(talk, "%s plays in the form %s: %s\n", spec, found, why)
		}
	}
	if note.Form == "" {
		note.Form, note.Why = string(form), "as asked"
	}
	return agent.New(agent.Config{
		Model: c.open[spec], Name: spec, Sampling: sampling, Form: form, Layout: agent.Layout(e.Layout),
		Prompts: prompts, Checks: e.Referee != "none", Now: time.Now,
	})
}
