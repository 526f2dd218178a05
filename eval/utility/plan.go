package utility

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync"

	"parley/eval/judge"
	"parley/eval/run"
	"parley/sim"
	"parley/sim/llm"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = judge.Prompts(promptFiles)

// Kind names assessments of utility in manifests.
const Kind = "utility"

// Plan has critics propose criteria, consolidates them, quantifies samples by them, and verifies the criteria: the
// whole of the paper's algorithm 1, as far as it is configured.
type Plan struct {
	config *Config
	env    *run.Env
}

// New returns the plan of a complete configuration.
func New(c *Config) *Plan { return &Plan{config: c} }

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
func (p *Plan) Tables() []run.Table     { return []run.Table{Criteria, Labels, Steps} }
func (p *Plan) Steps() string           { return "calls" }

// Models lists critic, summariser, embedding model and quantifier. No model is under test: samples are given.
func (p *Plan) Models() []run.Use {
	c := p.config
	uses := []run.Use{{Model: c.Critic, Role: "critic"}, {Model: c.Summariser, Role: "summariser"},
		{Model: c.Embed, Role: "embedding", Embeds: true}, {Model: c.Quantifier, Role: "quantifier", Judges: true}}
	return slices.DeleteFunc(uses, func(u run.Use) bool { return u.Model == "" || u.Model == LexicalModel })
}

// Prepare asks local servers for the context that the longest prompt needs.
func (p *Plan) Prepare(ctx context.Context, env *run.Env) error {
	p.env = env
	longest := 0
	for _, s := range p.config.Samples {
		longest = max(longest, llm.EstimateTokens(s.Text()+s.Task))
	}
	for _, c := range p.config.Criteria {
		longest += llm.EstimateTokens(c.Description) + 60
	}
	for _, u := range p.Models() {
		if served := env.Served(u.Model); !u.Embeds && served.NumCtx == 0 {
			served.NumCtx = env.Opened(u.Model).Context(longest*5/4 + 3000 + p.config.Sampling.MaxTokens)
		}
	}
	return env.Prompts(judge.Hashes(promptFiles, "utility/"))
}

// Jobs yields critics, then their consolidation, then samples round by round; each of these is a stage.
func (p *Plan) Jobs(*run.Env) iter.Seq2[run.Job, error] {
	return func(yield func(run.Job, error) bool) {
		for at, s := range p.stages() {
			for i := range s.jobs {
				id := fmt.Sprintf(s.ids, i+1)
				do := func(ctx context.Context, w *run.Writer) error { return p.step(ctx, w, id, i, s.do) }
				if !yield(run.Job{ID: id, Stage: at, Do: do}, nil) {
					return
				}
			}
		}
	}
}

// stage is jobs of one sort, which are done before those of the next stage begin.
type stage struct {
	ids  string // format of their names, by number from 1
	jobs int
	do   func(ctx context.Context, w *run.Writer, i int, row *StepRow) error // does the i-th, and fills in its row; an error stops the run
}

// stages lists what is configured.
func (p *Plan) stages() (list []stage) {
	c := p.config
	if c.Critic != "" {
		list = append(list, stage{"c%04d", c.Critics, p.propose}, stage{"d%04d", 1, p.consolidate})
	}
	for round := 1; round <= c.Rounds && c.Quantifier != ""; round++ {
		criteria := sync.OnceValues(func() ([]Criterion, error) { return p.criteria(round) })
		quantify := func(ctx context.Context, w *run.Writer, i int, row *StepRow) error {
			list, err := criteria()
			if err != nil {
				return err
			}
			return p.quantify(ctx, w, i, round, list, row)
		}
		list = append(list, stage{fmt.Sprintf("r%02d-%%06d", round), len(c.Samples), quantify})
	}
	return list
}

// step does the i-th job of a stage, and ends it with its row.
func (p *Plan) step(ctx context.Context, w *run.Writer, id string, i int, do func(context.Context, *run.Writer, int, *StepRow) error) error {
	row := StepRow{ID: id, State: run.Complete, Started: p.env.Now().UTC()}
	if err := do(ctx, w, i, &row); err != nil {
		return err
	}
	row.Note, row.State = w.Clean(row.Note), w.Done(row.State)
	row.Calls, row.Finished = w.Calls(), p.env.Now().UTC()
	Steps.Add(w, row)
	return nil
}

// ask puts one prompt to a model, with a seed that follows from the tag. A schema that the server does not take is left
// out. Without a response the row is that of a failed job; the error stops the run.
func (p *Plan) ask(ctx context.Context, w *run.Writer, row *StepRow, spec, prompt string, with map[string]any, schema json.RawMessage, tag llm.Tag) (*llm.Response, []llm.Call, error) {
	text, err := judge.Render(prompts[prompt], p.config.Seed, with)
	if err != nil {
		return nil, nil, err
	}
	s := p.config.Sampling
	s.NumCtx = p.env.Context(spec)
	s = s.Complete()
	s.Seed = new(int64(seedOf(p.config.Seed, tag.Purpose, tag.Actor, tag.Turn, tag.Repeat) >> 33)) // servers take 31 bits
	req := llm.Request{Messages: []llm.Message{llm.NewMessage(llm.User, text)}, Sampling: s, Schema: schema, Tag: tag}
	resp, call, err := llm.Ask(ctx, p.env.Model(spec), spec, req, p.env.Now)
	calls := []llm.Call{call}
	if llm.FaultOf(err) == llm.Unsupported && schema != nil {
		req.Schema, req.Tag.Try = nil, 1
		resp, call, err = llm.Ask(ctx, p.env.Model(spec), spec, req, p.env.Now)
		calls = append(calls, call)
	}
	switch {
	case ctx.Err() != nil:
		return nil, calls, context.Cause(ctx)
	case llm.FaultOf(err).Lasting():
		return nil, calls, err
	case err != nil:
		row.State, row.Note = run.Failed, err.Error()
	default:
		w.Step()
	}
	return resp, calls, nil
}

// seedOf mixes a seed of its own from that of the run and what it is for.
func seedOf(seed uint64, purpose ...any) uint64 {
	return sim.Mix(seed, sim.HashText(fmt.Sprintln(purpose...)))
}
