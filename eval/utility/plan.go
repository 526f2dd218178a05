package utility

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync"

	"parley/eval"
	"parley/eval/run"
	"parley/sim/llm"
)

// Kind names assessments of utility in manifests.
const Kind = "utility"

// Plan has critics propose criteria, consolidates them, quantifies samples by them, and verifies the criteria: the
// whole of the paper's algorithm 1, as far as it is configured.
type Plan struct {
	config *Config
	env    *run.Env
	stages map[string]*stage // of jobs

	mu       sync.Mutex
	criteria map[string][]CriterionRow // by job
	labels   map[string][]LabelRow     // by job
}

// stage is jobs that the jobs of the next stage wait for.
type stage struct {
	number int
	left   map[string]bool
	done   chan struct{}
	before *stage
}

// New returns the plan of a complete configuration.
func New(c *Config) *Plan {
	return &Plan{config: c, stages: map[string]*stage{}, criteria: map[string][]CriterionRow{}, labels: map[string][]LabelRow{}}
}

// Decode makes the plan again from the configuration in a manifest.
func Decode(config json.RawMessage) (run.Plan, error) {
	var c Config
	if err := json.Unmarshal(config, &c); err != nil {
		return nil, err
	}
	return New(&c), c.Complete()
}

func (p *Plan) Kind() string            { return Kind }
func (p *Plan) Config() any             { return p.config }
func (p *Plan) Settings() *run.Settings { return &p.config.Settings }
func (p *Plan) Arms() []string          { return p.config.groups() }
func (p *Plan) Steps() string           { return "calls" }

// Models lists critic, summariser, embedding model and quantifier. No model is under test: samples are given.
func (p *Plan) Models() []run.Use {
	var uses []run.Use
	add := func(u run.Use) {
		if u.Model != "" && u.Model != LexicalModel {
			uses = append(uses, u)
		}
	}
	add(run.Use{Model: p.config.Critic, Role: "critic"})
	add(run.Use{Model: p.config.Summariser, Role: "summariser"})
	add(run.Use{Model: p.config.Embed, Role: "embedding", Embeds: true})
	add(run.Use{Model: p.config.Quantifier, Role: "quantifier", Judges: true})
	return uses
}

// Prepare takes up what the jobs that are done have found.
func (p *Plan) Prepare(_ context.Context, env *run.Env) error {
	p.env = env
	var before *stage
	for i, jobs := range p.config.jobs() {
		s := &stage{number: i, left: map[string]bool{}, done: make(chan struct{}), before: before}
		for _, id := range jobs {
			s.left[id], p.stages[id] = true, s
		}
		before = s
	}
	for row, err := range Criteria.Read(env.Dir) {
		if err != nil {
			return err
		}
		p.criteria[row.Job] = append(p.criteria[row.Job], row)
	}
	for row, err := range Labels.Read(env.Dir) {
		if err != nil {
			return err
		}
		p.labels[row.Job] = append(p.labels[row.Job], row)
	}
	for row, err := range Steps.Read(env.Dir) {
		if err != nil {
			return err
		}
		if row.State == run.Complete {
			p.finish(row.ID)
		}
	}
	if name := p.config.Embed; name != "" && env.Embedder(name) == nil {
		return run.Usagef("%s has no embeddings: say --embed ollama:NAME or --embed openai:NAME", name)
	}
	p.setContext()
	return env.Prompts(promptHashes())
}

// setContext asks local servers for the context that the longest prompt needs.
func (p *Plan) setContext() {
	longest := 0
	for i := range p.config.Samples {
		longest = max(longest, llm.EstimateTokens(p.config.Samples[i].Text()+p.config.Samples[i].Task))
	}
	for i := range p.config.Criteria {
		longest += llm.EstimateTokens(p.config.Criteria[i].Description) + 60
	}
	for _, u := range p.Models() {
		if o, served := p.env.Opened(u.Model), p.env.Served(u.Model); o != nil && !u.Embeds && served.NumCtx == 0 {
			served.NumCtx = o.Context(longest*5/4 + 3000 + p.config.Sampling.MaxTokens)
		}
	}
}

// finish marks a job as done.
func (p *Plan) finish(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stages[id]
	if s == nil || !s.left[id] {
		return
	}
	if delete(s.left, id); len(s.left) == 0 {
		close(s.done)
	}
}

// Jobs yields critics, then their consolidation, then samples round by round. A job waits for the stage before it:
// jobs begin in order, so that what it waits for has begun.
func (p *Plan) Jobs(*run.Env) iter.Seq2[run.Job, error] {
	return func(yield func(run.Job, error) bool) {
		round := 0
		for _, ids := range p.config.jobs() {
			if ids[0][0] == 'r' {
				round++
			}
			for i, id := range ids {
				round := round
				if !yield(run.Job{ID: id, Do: func(ctx context.Context, w *run.Writer) error { return p.do(ctx, w, id, round, i) }}, nil) {
					return
				}
			}
		}
	}
}

// do does one job. Its error stops the run.
func (p *Plan) do(ctx context.Context, w *run.Writer, id string, round, i int) error {
	row := StepRow{ID: id, Seed: strconv.FormatUint(p.config.Seed, 10), State: run.Complete, Started: p.env.Now().UTC()}
	if before := p.stages[id].before; before != nil {
		select {
		case <-before.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	var scores []eval.Score
	var err error
	switch id[0] {
	case 'c':
		err = p.propose(ctx, w, id, i+1, &row)
	case 'd':
		err = p.consolidate(ctx, w, id, &row)
	default:
		row.Sample, row.Grouping = p.config.Samples[i].ID, p.config.Samples[i].Group
		scores, err = p.quantify(ctx, w, id, round, i, &row)
	}
	if err != nil {
		return err
	}
	row.Note = w.Clean(row.Note)
	row.State = w.Done(row.State, scores...)
	row.Calls, row.Finished = w.Calls(), p.env.Now().UTC()
	Steps.Add(w, row)
	if err := w.Commit(); err != nil {
		return err
	}
	p.finish(id)
	return nil
}

// keepCriteria adds the criteria that a job found.
func (p *Plan) keepCriteria(w *run.Writer, id string, rows []CriterionRow) {
	for i := range rows {
		rows[i].Reason = w.Clean(rows[i].Reason)
	}
	p.mu.Lock()
	p.criteria[id] = rows
	p.mu.Unlock()
	Criteria.Add(w, rows...)
}

// pool returns the criteria of the first round: given, or consolidated.
func pool(c *Config, rows []CriterionRow) ([]Criterion, error) {
	if c.Critic == "" {
		return Leaves(c.Criteria), nil
	}
	list, err := decodeRows(rows, "consolidated")
	return Leaves(list), err
}

// decodeRows returns the criteria of a stage.
func decodeRows(rows []CriterionRow, stage string) ([]Criterion, error) {
	var list []Criterion
	for _, r := range rows {
		if r.Stage != stage || r.Criterion == "" {
			continue
		}
		var c Criterion
		if err := json.Unmarshal([]byte(r.Criterion), &c); err != nil {
			return nil, fmt.Errorf("criterion %q of %s: %w", r.Name, r.Job, err)
		}
		list = append(list, c)
	}
	return list, nil
}

// ask puts one prompt to a model. A schema that the server does not take is left out. The error stops the run; a
// failed call is in the call's record.
func (p *Plan) ask(ctx context.Context, spec, prompt string, schema json.RawMessage, tag llm.Tag, seed uint64) (*llm.Response, []llm.Call, error) {
	s := p.config.Sampling
	s.NumCtx = p.env.Served(spec).NumCtx
	s = s.Complete()
	s.Seed = new(int64(seed >> 33)) // servers take 31 bits
	var calls []llm.Call
	for {
		req := llm.Request{Messages: []llm.Message{llm.NewMessage(llm.User, prompt)}, Sampling: s, Schema: schema, Tag: tag}
		resp, call, err := llm.Ask(ctx, p.env.Model(spec), spec, req, p.env.Now)
		calls = append(calls, call)
		switch {
		case ctx.Err() != nil:
			return nil, calls, context.Cause(ctx)
		case err == nil:
			return resp, calls, nil
		case llm.FaultOf(err) == llm.Unsupported && schema != nil:
			schema = nil
			tag.Try++
		case llm.FaultOf(err).Lasting():
			return nil, calls, err
		default:
			return nil, calls, nil
		}
	}
}

// idsOf returns the ids of calls.
func idsOf(calls []llm.Call) []string {
	ids := make([]string, len(calls))
	for i := range calls {
		ids[i] = calls[i].ID
	}
	return ids
}

// flat lists the rows of all jobs in order.
func flat[T any](m map[string][]T) []T {
	var out []T
	for _, id := range byKey(m) {
		out = append(out, m[id]...)
	}
	return slices.Clip(out)
}
