package utility

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
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
	gates  map[string]*gate // of jobs

	mu       sync.Mutex
	criteria map[string][]CriterionRow // by job
	labels   map[string][]LabelRow     // by job
}

// gate opens when all jobs of a stage are done.
type gate struct {
	left   map[string]bool
	open   chan struct{}
	before *gate
}

// New returns the plan of a complete configuration.
func New(c *Config) *Plan {
	p := &Plan{config: c, gates: map[string]*gate{}, criteria: map[string][]CriterionRow{}, labels: map[string][]LabelRow{}}
	var before *gate
	for _, jobs := range c.jobs() {
		g := &gate{left: map[string]bool{}, open: make(chan struct{}), before: before}
		for _, id := range jobs {
			g.left[id], p.gates[id] = true, g
		}
		before = g
	}
	return p
}

// Decode makes the plan again from the configuration in a manifest.
func Decode(config json.RawMessage) (run.Plan, error) {
	var c Config
	if err := json.Unmarshal(config, &c); err != nil {
		return nil, err
	}
	err := c.Complete()
	return New(&c), err
}

func (p *Plan) Kind() string            { return Kind }
func (p *Plan) Config() any             { return p.config }
func (p *Plan) Settings() *run.Settings { return &p.config.Settings }
func (p *Plan) Arms() []string          { return p.config.groups() }
func (p *Plan) Steps() string           { return "calls" }

// Models lists critic, summariser, embedding model and quantifier. No model is under test: samples are given.
func (p *Plan) Models() []run.Use {
	c := p.config
	uses := []run.Use{{Model: c.Critic, Role: "critic"}, {Model: c.Summariser, Role: "summariser"},
		{Model: c.Embed, Role: "embedding", Embeds: true}, {Model: c.Quantifier, Role: "quantifier", Judges: true}}
	return slices.DeleteFunc(uses, func(u run.Use) bool { return u.Model == "" || u.Model == LexicalModel })
}

// Prepare takes up the rows of the jobs that are done.
func (p *Plan) Prepare(_ context.Context, env *run.Env) error {
	p.env = env
	criteria, err := rowsOf(Criteria, env.Dir)
	if err != nil {
		return err
	}
	for _, r := range criteria {
		p.criteria[r.Job] = append(p.criteria[r.Job], r)
	}
	labels, err := rowsOf(Labels, env.Dir)
	if err != nil {
		return err
	}
	for _, r := range labels {
		p.labels[r.Job] = append(p.labels[r.Job], r)
	}
	steps, err := rowsOf(Steps, env.Dir)
	if err != nil {
		return err
	}
	for _, r := range steps {
		if r.State == run.Complete {
			p.finish(r.ID)
		}
	}
	if name := p.config.Embed; name != "" && env.Embedder(name) == nil {
		return run.Usagef("%s has no embeddings: say --embed ollama:NAME or --embed openai:NAME", name)
	}
	p.setContext()
	return env.Prompts(promptHashes())
}

// rowsOf returns the rows of a table.
func rowsOf[T any](table run.Rows[T], dir string) (list []T, err error) {
	for row, err := range table.Read(dir) {
		if err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, nil
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
	g := p.gates[id]
	if g == nil || !g.left[id] {
		return
	}
	if delete(g.left, id); len(g.left) == 0 {
		close(g.open)
	}
}

// Jobs yields critics, then their consolidation, then samples round by round. A job waits for the stage before it:
// jobs begin in order, so that the jobs it waits for have begun.
func (p *Plan) Jobs(*run.Env) iter.Seq2[run.Job, error] {
	return func(yield func(run.Job, error) bool) {
		for _, ids := range p.config.jobs() {
			for i, id := range ids {
				if !yield(run.Job{ID: id, Do: func(ctx context.Context, w *run.Writer) error { return p.do(ctx, w, id, i) }}, nil) {
					return
				}
			}
		}
	}
}

// do does one job, the i-th of its stage. Its error stops the run.
func (p *Plan) do(ctx context.Context, w *run.Writer, id string, i int) error {
	row := StepRow{ID: id, Seed: strconv.FormatUint(p.config.Seed, 10), State: run.Complete, Started: p.env.Now().UTC()}
	if before := p.gates[id].before; before != nil {
		select {
		case <-before.open:
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
		scores, err = p.quantify(ctx, w, id, i, &row)
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
func (p *Plan) ask(ctx context.Context, spec, prompt string, with map[string]any, schema json.RawMessage, tag llm.Tag, seed uint64) (*llm.Response, []llm.Call, error) {
	text, err := render(prompt, p.config.Seed, with)
	if err != nil {
		return nil, nil, err
	}
	s := p.config.Sampling
	s.NumCtx = p.env.Served(spec).NumCtx
	s = s.Complete()
	s.Seed = new(int64(seed >> 33)) // servers take 31 bits
	var calls []llm.Call
	for {
		req := llm.Request{Messages: []llm.Message{llm.NewMessage(llm.User, text)}, Sampling: s, Schema: schema, Tag: tag}
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
func flat[T any](m map[string][]T) (out []T) {
	for _, id := range slices.Sorted(maps.Keys(m)) {
		out = append(out, m[id]...)
	}
	return out
}
