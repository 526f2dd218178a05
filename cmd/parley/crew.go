package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
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
	models   int  // chat models in use
	hosted   bool // one of them is
	open     map[string]llm.Model
	embed    map[string]llm.Model // of those that also embed texts
	limiters map[string]*llm.Limiter
	retries  map[string]llm.Middleware
	makers   map[[2]string]*agent.Maker // seat and spec
	standing map[string]reference.Actor
	prices   *llm.Prices
	dm       sim.Referee

	mu sync.Mutex // over the notes of models at work
}

func isReference(spec string) bool { return strings.HasPrefix(spec, "reference:") }

// newCrew opens every model that the experiment names, asks the servers who they are, and settles
// what a run keeps to: the form of replies and the size of the context, which has to hold prompts in
// the sampled scenarios.
func newCrew(ctx context.Context, m *manifest, sample func() ([]*scenarios.Scenario, error), talk io.Writer) (*crew, error) {
	e := m.Experiment
	c := &crew{
		exp: e, manifest: m, open: map[string]llm.Model{}, embed: map[string]llm.Model{}, limiters: map[string]*llm.Limiter{},
		retries: map[string]llm.Middleware{}, makers: map[[2]string]*agent.Maker{}, standing: map[string]reference.Actor{},
	}
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
	seats := c.seats()
	for _, seat := range []string{"player", "npc"} {
		for _, spec := range seats[seat] {
			if isReference(spec) || c.makers[[2]string{seat, spec}] != nil {
				continue
			}
			maker, err := c.maker(ctx, seat, spec, prompts, talk)
			if err != nil {
				return nil, err
			}
			c.makers[[2]string{seat, spec}] = maker
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
		Model: c.open[spec], Name: spec, Sampling: c.sampling("referee", spec), Prompts: prompts, Now: time.Now,
	})
	c.dm = dm
	return err
}

// settleContexts decides once a run how large the context of each local model that plays is.
func (c *crew) settleContexts(sample func() ([]*scenarios.Scenario, error), prompts *agent.Prompts) error {
	e, seats := c.exp, c.seats()
	seats["referee"] = []string{e.Referee}
	var drawn []*scenarios.Scenario
	for spec := range c.open {
		note, longest := c.manifest.Models[spec], 0
		for role, specs := range seats {
			if slices.Contains(specs, spec) {
				longest = max(longest, e.Sampling[role].Complete().MaxTokens)
			}
		}
		if note.NumCtx > 0 || longest == 0 || !strings.HasPrefix(spec, "ollama:") {
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
			size = max(size, judgeContext)
		}
		if id := note.Identity; id != nil && id.Context > 0 {
			size = min(size, id.Context)
		}
		note.NumCtx = size
	}
	return nil
}

// seats lists who plays what.
func (c *crew) seats() map[string][]string {
	var players []string
	for i := range c.exp.Player {
		players = append(players, c.exp.Player[i].models(c.exp.Players)...)
	}
	return map[string][]string{"player": players, "npc": {c.exp.NPC}}
}

// hire opens a model, wraps it, and asks its server who it is.
func (c *crew) hire(ctx context.Context, spec string, talk io.Writer) error {
	s, err := llm.ParseSpec(spec)
	if err != nil {
		return usageError{err}
	}
	base, err := registry().Open(ctx, spec)
	if err != nil {
		return err
	}
	note := c.manifest.Models[spec]
	if note == nil {
		note = &servedNote{}
		c.manifest.Models[spec] = note
	}
	if who, ok := base.(llm.Identifier); ok {
		id, err := who.Identify(ctx)
		if err != nil {
			return err
		}
		if was := note.Identity; was != nil && was.Digest != "" && was.Digest != id.Digest {
			fmt.Fprintf(talk, "note: %s is another model than the run began with (digest %s, was %s)\n", spec, id.Digest, was.Digest)
		}
		note.Identity = &id
	}
	endpoint := endpointOf(s)
	if c.limiters[endpoint] == nil {
		c.limiters[endpoint] = llm.NewLimiter(c.exp.Limits[endpoint], time.Now)
		c.retries[endpoint] = llm.Retry(llm.Retrier{Now: time.Now, Rand: rand.New(rand.NewPCG(c.exp.Seed, 1))})
	}
	c.models++
	c.hosted = c.hosted || s.Scheme == "openai"
	if e, ok := base.(llm.Embedder); ok {
		c.embed[spec] = llm.Wrap(llm.Embedding(e, spec), c.retries[endpoint], c.limiters[endpoint].Limit)
	}
	base = c.watch(base, spec, note, talk)
	c.open[spec] = base
	if s.Scheme != "script" && s.Scheme != "replay" {
		c.open[spec] = llm.Wrap(base, c.retries[endpoint], c.limiters[endpoint].Limit)
	}
	return nil
}

// watch notes the sampling options that a server does not take, and says so once.
func (c *crew) watch(m llm.Model, spec string, note *servedNote, talk io.Writer) llm.Model {
	return llm.Func(func(ctx context.Context, req llm.Request) (*llm.Response, error) {
		resp, err := m.Generate(ctx, req)
		if err != nil || len(resp.Ignored) == 0 {
			return resp, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		var fresh []string
		for _, option := range resp.Ignored {
			if !slices.Contains(note.Ignored, option) {
				fresh = append(fresh, option)
			}
		}
		if len(fresh) > 0 {
			note.Ignored = append(note.Ignored, fresh...)
			slices.Sort(note.Ignored)
			fmt.Fprintf(talk, "note: %s does not take %s; what it uses instead is its own\n", spec, strings.Join(fresh, ", "))
		}
		return resp, nil
	})
}

// sampling is what the experiment says for a role, completed.
func (c *crew) sampling(role, spec string) llm.Sampling {
	s := c.exp.Sampling[role].Complete()
	if s.NumCtx == 0 {
		s.NumCtx = c.manifest.Models[spec].NumCtx
	}
	return s
}

// actor returns who plays a seat in one session, whose agents share a table.
func (c *crew) actor(seat, spec string, table *agent.Table) (sim.Actor, error) {
	if a, ok := c.standing[spec]; ok {
		return a, nil
	}
	maker, ok := c.makers[[2]string{seat, spec}]
	if !ok {
		return nil, fmt.Errorf("nobody was hired as %s %s", seat, spec)
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
	if spec == "lexical" || c.exp.Scenario != scenarios.Exchange {
		return nil, nil
	}
	if name, ok := strings.CutPrefix(spec, "embed:"); ok {
		if c.embed[name] == nil {
			return nil, usagef(noEmbeddings, name)
		}
		return &iep.Embedding{Model: c.embed[name], Spec: name, Now: time.Now}, nil
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
	own, err := llm.ParseSpec(spec)
	if err != nil {
		return usageError{err}
	}
	for _, other := range c.seats()["player"] {
		tested, err := llm.ParseSpec(other)
		if err != nil {
			return usageError{err}
		}
		a, b := c.manifest.Models[spec], c.manifest.Models[other]
		served := a != nil && b != nil && a.Identity != nil && b.Identity != nil && judge.SameServed(*a.Identity, *b.Identity)
		if judge.Same(own, tested) || served {
			return usagef("the judge %s is the model under test (%s): name another judge, or say --allow-self-judge", spec, other)
		}
	}
	return nil
}

// judgeContext is the context of a local judge: a debrief, two lists of points and the reply fit into
// it several times over.
const judgeContext = 8192

// judgeSampling is the judge's.
func (c *crew) judgeSampling(spec string) llm.Sampling {
	s, note := c.exp.Sampling["judge"], c.manifest.Models[spec]
	if note.NumCtx == 0 && strings.HasPrefix(spec, "ollama:") {
		note.NumCtx = judgeContext
		if note.Identity != nil && note.Identity.Context > 0 {
			note.NumCtx = min(note.NumCtx, note.Identity.Context)
		}
	}
	if s.NumCtx == 0 {
		s.NumCtx = note.NumCtx
	}
	return s
}

// likeRecorded takes over the form of replies that a run was played in.
func (n *servedNote) likeRecorded(dir string) error {
	m, err := readManifest(dir)
	if err != nil {
		return err
	}
	for _, spec := range slices.Sorted(maps.Keys(m.Models)) {
		if was := m.Models[spec]; was.Form != "" {
			n.Form, n.Why, n.NumCtx = was.Form, "as recorded in "+dir, was.NumCtx
			return nil
		}
	}
	return nil
}

// maker makes the agents of one model for one kind of seat. The form of its replies and the size of
// its context are settled once a run.
func (c *crew) maker(ctx context.Context, seat, spec string, prompts *agent.Prompts, talk io.Writer) (*agent.Maker, error) {
	e, note := c.exp, c.manifest.Models[spec]
	sampling := c.sampling(seat, spec)
	form := agent.Form(e.Form)
	if dir, ok := strings.CutPrefix(spec, "replay:"); ok && e.Form == "auto" && note.Form == "" {
		if err := note.likeRecorded(dir); err != nil {
			return nil, err
		}
	}
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
