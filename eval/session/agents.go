package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/judge"
	"parley/eval/run"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
	"parley/sim/reference"
)

// place is where a model takes part: as a player of an arm, both counted from 0, as the NPC, who is the same
// for every arm, as the judge or as the referee.
type place struct {
	role    string // player | npc | judge | referee
	arm, at int
}

// String names the place in a manifest.
func (p place) String() string {
	if p.role == "player" {
		return fmt.Sprintf("%s %d of arm %d", p.role, p.at+1, p.arm+1)
	}
	return p.role
}

// places lists the places of actors.
func (c *Config) places() []place {
	var list []place
	for arm := range c.Player {
		for at := range c.Players {
			list = append(list, place{"player", arm, at})
		}
	}
	return append(list, place{role: "npc"})
}

// model returns the model of a place. An arm or a player too many stands for the first.
func (c *Config) model(p place) string {
	switch p.role {
	case "npc":
		return c.NPC
	case "judge":
		return c.Judge
	case "referee":
		return c.Referee
	}
	if p.arm >= len(c.Player) {
		p.arm = 0
	}
	models := c.Player[p.arm].Models(c.Players)
	if p.at >= len(models) {
		p.at = 0
	}
	return models[p.at]
}

// actors makes the actors of a run: reference actors, and agents with the form of replies and the size of
// context that the run keeps to.
type actors struct {
	config    *Config
	env       *run.Env
	prompts   *agent.Prompts
	reference map[string]reference.Actor
	agents    map[string]*agent.Factory // by place
	dm        sim.Referee
}

// sampler returns scenarios with which prompts become as long as they can.
type sampler func() ([]*scenarios.Scenario, error)

// newActors opens reference actors and settles what agents need. The calls of its probes are part of the run.
func newActors(ctx context.Context, c *Config, sample sampler, env *run.Env) (*actors, error) {
	a := &actors{config: c, env: env, reference: map[string]reference.Actor{}, agents: map[string]*agent.Factory{}}
	var err error
	if a.prompts, err = loadPrompts(c.Prompts, env); err != nil {
		return nil, err
	}
	if err := a.settleContexts(sample); err != nil {
		return nil, err
	}
	for _, p := range c.places() {
		spec := c.model(p)
		if reference.Is(spec) {
			if err := a.openReference(spec); err != nil {
				return nil, err
			}
			continue
		}
		if err := a.likeRecorded(spec); err != nil {
			return nil, err
		}
		if a.agents[p.String()], err = a.factory(ctx, p, spec); err != nil {
			return nil, err
		}
	}
	switch {
	case reference.Is(c.Referee):
		return nil, run.Usagef("%s cannot referee: say none, dice or a chat model", c.Referee)
	case c.Referee == "dice":
		a.dm = sim.Dice{}
	case c.refereed():
		a.dm, err = agent.NewDM(agent.Config{
			Model: env.Model(c.Referee), Name: c.Referee, Sampling: a.sampling(place{role: "referee"}), Prompts: a.prompts, Now: env.Now,
		})
	}
	return a, err
}

// loadPrompts returns the prompts of a directory, of which the run keeps copies, or the built-in ones.
func loadPrompts(dir string, env *run.Env) (*agent.Prompts, error) {
	prompts := agent.BuiltinPrompts()
	if dir != "" {
		var err error
		if prompts, err = agent.ReadPrompts(env.Files(dir), dir); err != nil {
			return nil, err
		}
	}
	return prompts, env.Prompts(prompts.Hashes())
}

func (a *actors) openReference(spec string) error {
	if a.reference[spec] != nil {
		return nil
	}
	s, err := llm.ParseSpec(spec)
	if err != nil {
		return run.UsageError{Err: err}
	}
	actor, err := reference.Open(s.Name, s.Options)
	if err != nil {
		return run.UsageError{Err: err}
	}
	a.reference[spec] = actor
	return nil
}

// settleContexts decides once a run how large the context of each model is that takes a size.
func (a *actors) settleContexts(sample sampler) error {
	c := a.config
	for _, use := range c.uses() {
		opened, served, longest := a.env.Opened(use.Model), a.env.Served(use.Model), 0
		for _, p := range append(c.places(), place{role: "referee"}) {
			if c.model(p) == use.Model {
				longest = max(longest, c.Sampling[p.role].Complete().MaxTokens)
			}
		}
		if served.NumCtx > 0 || longest == 0 || opened.Context(0) == 0 {
			continue
		}
		drawn, err := sample()
		if err != nil {
			return err
		}
		need := agent.Need{
			Style: agent.Style{Layout: agent.Layout(c.Layout), Prompts: a.prompts, Checks: c.Referee != "none"},
			Turns: c.Turns, MaxTokens: longest, Control: c.Control, Referee: use.Model == c.Referee,
		}
		if c.Form != "auto" {
			need.Form = agent.Form(c.Form)
		}
		size, err := need.Context(drawn...)
		if err != nil {
			return err
		}
		if use.Model == c.Judge {
			size = max(size, opened.Defaults.Context)
		}
		served.NumCtx = opened.Context(size)
	}
	return nil
}

// servedAt returns what is known of the model in a place.
func servedAt(served *run.Served, p place) *run.Served {
	if served != nil && served.Places[p.String()] != nil {
		return served.Places[p.String()]
	}
	return served
}

// sampling returns what the configuration says for a model's role, completed.
func (a *actors) sampling(p place) llm.Sampling {
	s := a.config.Sampling[p.role].Complete()
	if s.NumCtx == 0 {
		s.NumCtx = servedAt(a.env.Served(a.config.model(p)), p).NumCtx
	}
	return s
}

// judgeSampling returns the judge's sampling.
func judgeSampling(c *Config, env *run.Env) llm.Sampling {
	s := c.Sampling["judge"]
	if s.NumCtx == 0 {
		s.NumCtx = env.Context(c.Judge)
	}
	return s
}

// newJudge returns the chat model that judges; nil where there is none.
func newJudge(c *Config, env *run.Env) *judge.Judge {
	if c.Judge == Lexical || strings.HasPrefix(c.Judge, Embed) {
		return nil
	}
	return &judge.Judge{Model: env.Model(c.Judge), Name: c.Judge, Sampling: judgeSampling(c, env), Now: env.Now}
}

// factory makes the agents of one model in a place. The form of its replies is settled once a run, by a probe
// where the configuration leaves it open.
func (a *actors) factory(ctx context.Context, p place, spec string) (*agent.Factory, error) {
	c, served, sampling := a.config, servedAt(a.env.Served(spec), p), a.sampling(p)
	form := agent.Form(c.Form)
	switch {
	case served.Form != "":
		form = agent.Form(served.Form)
	case c.Form == "auto":
		probed := llm.Func(func(ctx context.Context, req llm.Request) (*llm.Response, error) {
			req.Tag.Session, req.Tag.Actor = "", spec // one name for each model's probe
			return a.env.Model(spec).Generate(ctx, req)
		})
		found, why, _, err := agent.Probe(ctx, probed, spec, sampling, a.env.Now)
		if err != nil {
			return nil, err
		}
		form, served.Form, served.Why = found, string(found), why
		if found != agent.JSON {
			a.env.Note("%s plays in the form %s: %s", spec, found, why)
		}
	}
	if served.Form == "" {
		served.Form, served.Why = string(form), "as asked"
	}
	return agent.New(agent.Config{
		Model: a.env.Model(spec), Name: spec, Sampling: sampling, Form: form, Layout: agent.Layout(c.Layout),
		Prompts: a.prompts, Checks: c.Referee != "none", Now: a.env.Now,
	})
}

// actor returns who plays a place in one session, whose agents share a table.
func (a *actors) actor(p place, spec string, table *agent.Table) sim.Actor {
	if actor, ok := a.reference[spec]; ok {
		return actor
	}
	return a.agents[p.String()].Agent(table)
}

// likeRecorded settles the forms and contexts of a replay as they were in the recorded run, place by place
// where they differ, unless a form is asked for.
func (a *actors) likeRecorded(spec string) error {
	dir, ok := a.env.Recorded(spec)
	served := a.env.Served(spec)
	if !ok || a.config.Form != "auto" {
		return nil
	}
	m, c, err := Read(dir)
	if err != nil {
		return err
	}
	places := map[string]*run.Served{}
	var first *run.Served
	alike := true
	for _, p := range slices.DeleteFunc(a.config.places(), func(p place) bool { return a.config.model(p) != spec }) {
		was := servedAt(m.Models[c.model(p)], p)
		if was == nil { // a reference actor
			continue
		}
		if first == nil {
			first = was
		}
		alike = alike && was.Form == first.Form && was.NumCtx == first.NumCtx
		places[p.String()] = &run.Served{Form: was.Form, NumCtx: was.NumCtx}
	}
	switch {
	case first == nil:
	case alike:
		served.Form, served.NumCtx, served.Why = first.Form, first.NumCtx, "as recorded in "+dir
	default:
		served.Places, served.Why = places, "place by place, as recorded in "+dir
	}
	return nil
}

// speaker returns the model whose words are heard from a place, and what its server said of it: of a replay,
// the model that was recorded, as long as the recordings are there.
func speaker(m *run.Manifest, c *Config, p place, recorded func(string) (string, bool)) (spec string, id llm.Identity) {
	spec = c.model(p)
	if dir, ok := recorded(spec); ok {
		if m, c, err := Read(dir); err == nil {
			return speaker(m, c, p, recorded)
		}
	}
	if m != nil {
		if served := m.Models[strings.TrimPrefix(spec, Embed)]; served != nil && served.Identity != nil {
			id = *served.Identity
		}
	}
	return spec, id
}

// FormOf returns the form of replies of a seat of an arm: json or lines; empty for an actor that has none.
func (c *Config) FormOf(m *run.Manifest, arm, role string, at int) string {
	i := max(0, slices.IndexFunc(c.Player, func(a Arm) bool { return a.Name == arm }))
	p := place{role, i, at}
	if served := servedAt(m.Models[c.model(p)], p); served != nil {
		return served.Form
	}
	return ""
}

// Actors make turns outside of a run, as the first player and the NPC of a configuration would play them.
type Actors struct{ actors *actors }

// OpenActors opens the actors of a configuration outside of a run. Sample returns scenarios with the longest
// prompts that there will be.
func OpenActors(ctx context.Context, c *Config, sample func() ([]*scenarios.Scenario, error), o run.Options) (*Actors, error) {
	env, err := run.Open(ctx, c.uses(), &c.Settings, o)
	if err != nil {
		return nil, err
	}
	a, err := newActors(ctx, c, sample, env)
	return &Actors{a}, err
}

// Player returns the first player of the first arm for one session, whose agents share a table.
func (a *Actors) Player(table *agent.Table) sim.Actor {
	return a.actors.actor(place{role: "player"}, a.actors.config.model(place{role: "player"}), table)
}

// NPC returns the NPC for one session.
func (a *Actors) NPC(table *agent.Table) sim.Actor {
	return a.actors.actor(place{role: "npc"}, a.actors.config.NPC, table)
}

// ScorerOf returns the scorer that gives a metric, of those of a configuration, with the judge that needs no
// model; for no metric, the first scorer.
func ScorerOf(c *Config, metric string) (eval.Scorer, error) {
	by := *c
	by.Judge, by.Keypoints = Lexical, "authored"
	list, err := makeScorers(&Scoring{Config: &by})
	for _, s := range list {
		if metric == "" || slices.ContainsFunc(s.Metrics(), func(m eval.Metric) bool { return m.Name == metric }) {
			return s, nil
		}
	}
	return nil, cmp.Or(err, error(run.Usagef("the scorers %s give no metric %q", strings.Join(c.scorerNames(), ", "), metric)))
}
