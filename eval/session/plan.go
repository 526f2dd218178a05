// Package session is the plan that plays sessions and scores them: every arm plays the same situations, turn by
// turn, and scorers measure each finished session.
package session

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"parley/characters"
	"parley/eval"
	"parley/eval/run"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
)

// Kind names runs of sessions in manifests.
const Kind = "session"

// Plan plays the sessions of a configuration and scores them.
type Plan struct {
	config   *Config
	extra    []eval.Scorer
	material *material
	actors   *actors
	scorers  []eval.Scorer
}

// New returns the plan of a complete configuration. Scorers that are given are asked beside those that the
// configuration names.
func New(c *Config, extra ...eval.Scorer) *Plan { return &Plan{config: c, extra: extra} }

// Decode makes the plan again from the configuration in a manifest.
func Decode(config json.RawMessage) (run.Plan, error) {
	var c Config
	if err := json.Unmarshal(config, &c); err != nil {
		return nil, err
	}
	if err := c.Complete(); err != nil {
		return nil, err
	}
	return New(&c), nil
}

func (p *Plan) Kind() string            { return Kind }
func (p *Plan) Config() any             { return p.config }
func (p *Plan) Settings() *run.Settings { return &p.config.Settings }
func (p *Plan) Models() []run.Use       { return p.config.uses() }
func (p *Plan) Tables() []run.Table     { return p.checkedTables() }
func (p *Plan) Steps() string           { return "turns" }

// Arms returns the names of the arms.
func (p *Plan) Arms() []string {
	var names []string
	for i := range p.config.Player {
		names = append(names, p.config.Player[i].Name)
	}
	return names
}

// Metrics lists the metrics of the configuration's scorers.
func (p *Plan) Metrics() []eval.Metric {
	list, err := makeScorers(&Scoring{Config: p.config})
	if err != nil {
		return nil
	}
	var metrics []eval.Metric
	for _, s := range append(list, p.extra...) {
		metrics = append(metrics, s.Metrics()...)
	}
	return metrics
}

// Speaks returns the model whose recorded replies a replay gives.
func (p *Plan) Speaks(u run.Use, env *run.Env) (spec string, id llm.Identity, err error) {
	if _, ok := env.Recorded(u.Model); !ok {
		return u.Model, env.Opened(u.Model).Identity, nil
	}
	for _, at := range append(p.config.places(), place{role: "judge"}) {
		if at.role == u.Role && p.config.model(at) == u.Model {
			spec, id = speaker(nil, p.config, at, env.Recorded)
			break
		}
	}
	if u.Judges && (spec == Lexical || strings.HasPrefix(spec, Embed)) {
		return "", id, run.Usagef("%s has no replies of a judge: it was judged by %s", u.Model, spec)
	}
	return spec, id, nil
}

// Prepare reads the files that scenarios are drawn from, and makes actors and scorers.
func (p *Plan) Prepare(ctx context.Context, env *run.Env) (err error) {
	if p.material, err = p.config.load(env.Read); err != nil {
		return err
	}
	if p.actors, err = newActors(ctx, p.config, func() ([]*scenarios.Scenario, error) { return p.config.sample(p.material) }, env); err != nil {
		return err
	}
	scoring, err := p.scoring(env)
	if err != nil {
		return err
	}
	p.scorers, err = makeScorers(scoring)
	p.scorers = append(p.scorers, p.extra...)
	return err
}

// scoring returns what scorers are made with.
func (p *Plan) scoring(env *run.Env) (*Scoring, error) {
	s := &Scoring{Config: p.config, Judge: newJudge(p.config, env), Now: env.Now}
	if name, ok := strings.CutPrefix(p.config.Judge, Embed); ok {
		s.Embedder = env.Embedder(name)
	}
	return s, nil
}

// ID names the i-th session of an arm, both from 0. Ids sort in the order of arms and sessions.
func ID(arm, i int) string { return fmt.Sprintf("a%02d-%07d", arm+1, i+1) }

// Item names the situation of the i-th session, from 0, which one session of every arm plays.
func Item(i int) string { return fmt.Sprintf("s%07d", i+1) }

// Jobs yields a job for each session, the arms of one situation after each other.
func (p *Plan) Jobs(env *run.Env) iter.Seq2[run.Job, error] {
	return func(yield func(run.Job, error) bool) {
		for i := range p.config.Sessions {
			for arm := range p.config.Player {
				job := run.Job{ID: ID(arm, i), Arm: p.config.Player[arm].Name, Do: func(ctx context.Context, w *run.Writer) error { return p.session(ctx, w, env, arm, i) }}
				if !yield(job, nil) {
					return
				}
			}
		}
	}
}

// session plays and scores one session. Its error stops the run.
func (p *Plan) session(ctx context.Context, w *run.Writer, env *run.Env, arm, i int) error {
	c := p.config
	s := c.scenario(p.material, i)
	ep := sim.NewEpisode(ID(arm, i), c.seed(i), s, c.Turns)
	whole, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("session %s: %w", ep.Session, err)
	}
	row := Row{
		ID: ep.Session, Index: i, Arm: c.Player[arm].Name, Seed: strconv.FormatUint(ep.Seed, 10), Kind: s.Kind.String(), Title: s.Title,
		State: run.Complete, Questions: s.Questions, Scenario: string(whole), Started: env.Now().UTC(),
	}
	game := sim.Game{
		Episode: ep, Actors: map[characters.ID]sim.Actor{}, Order: orders[c.Order], Endings: c.Endings.list(),
		Control: c.Control, Now: env.Now, Referee: p.actors.dm,
	}
	models, table := c.Player[arm].Models(c.Players), new(agent.Table)
	for at, sheet := range s.Cast {
		role, spec := "npc", c.NPC
		if sheet.ID != s.NPC {
			role, spec = "player", models[at]
		}
		game.Actors[sheet.ID] = p.actors.actor(place{role, arm, at}, spec, table)
		row.Cast = append(row.Cast, Seat{ID: string(sheet.ID), Name: sheet.Name, Role: role, Model: spec})
	}
	for turn, failed := range game.Play(ctx) {
		switch {
		case failed != nil && ctx.Err() != nil:
			return ctx.Err()
		case failed != nil && llm.FaultOf(failed).Lasting():
			return failed
		case failed != nil:
			row.State, row.Error = run.Failed, w.Clean(failed.Error())
			continue
		}
		Events.Add(w, turn.Events...)
		if err := w.Commit(); err != nil {
			return err
		}
		if slices.ContainsFunc(turn.Events, func(e sim.Event) bool { return e.Move() }) {
			w.Step()
		}
	}
	scores, err := p.score(ctx, w, ep, &row)
	if err != nil {
		return err
	}
	run.Scores.Add(w, scores...)
	row.State = w.Done(row.State, scores...)
	row.count(ep)
	row.Calls = w.Calls()
	row.Finished = env.Now().UTC()
	Sessions.Add(w, row)
	return nil
}

// score returns the scores of a session; of one that failed, those of its players that count as missing.
func (p *Plan) score(ctx context.Context, w *run.Writer, ep *sim.Episode, row *Row) ([]eval.Score, error) {
	var scores []eval.Score
	for _, s := range p.scorers {
		if row.State != run.Complete {
			scores = append(scores, missing(s, ep, row, p.config.Control)...)
			continue
		}
		more, calls, err := s.Score(ctx, ep)
		if err := cmp.Or(err, llm.OutOfReach(calls)); err != nil {
			return nil, err
		}
		kept := map[string]string{}
		for i := range calls {
			kept[calls[i].ID] = w.CallID(&calls[i])
		}
		for i := range more {
			for k, id := range more[i].Calls {
				more[i].Calls[k] = cmp.Or(kept[id], id)
			}
		}
		scores = append(scores, more...)
	}
	for i := range scores {
		scores[i].Arm, scores[i].Item, scores[i].Reason = row.Arm, Item(row.Index), w.Clean(scores[i].Reason)
	}
	return scores, nil
}

// missing returns the scores that a failed session would have had: one of each headline, and of what the
// conversation added, for each player, so that it stays in the denominator.
func missing(s eval.Scorer, ep *sim.Episode, row *Row, controls []string) []eval.Score {
	var scores []eval.Score
	for _, m := range s.Metrics() {
		under := append([]string{""}, controls...)
		switch {
		case m.Against != "" && slices.Contains(controls, m.Against):
			under = under[:1]
		case !m.Headline:
			continue
		}
		for _, c := range ep.Scenario.Players() {
			for _, control := range under {
				scores = append(scores, eval.Score{
					Session: ep.Session, Scorer: m.Scorer, Metric: m.Name, Subject: string(c.ID), Control: control,
					Status: eval.Failed, Reason: "the session failed", Method: "none",
				})
			}
		}
	}
	return scores
}
