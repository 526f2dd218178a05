package script

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"parley/eval"
	"parley/eval/judge"
	"parley/eval/run"
	"parley/sim/llm"
)

// Kind names evaluations of scripts in manifests.
const Kind = "script"

// Plan has scripts written and judged, task by task.
type Plan struct {
	config  *Config
	now     func() time.Time
	tasks   []Task
	others  []Task    // that redundant steps come from
	authors []*Author // nil: a rule
	learner *Author   // writes gold answers; nil: there are none
	panel   Panel
	single  *judge.Judge
	embed   llm.Model // nil: embeddings are not compared
}

// New returns the plan of a complete configuration.
func New(c *Config) *Plan { return &Plan{config: c} }

// Decode makes the plan again from the configuration in a manifest.
func Decode(config json.RawMessage) (run.Plan, error) {
	var c Config
	if err := json.Unmarshal(config, &c); err != nil {
		return nil, err
	}
	if len(c.Authors) == 0 {
		return nil, fmt.Errorf("it has no authors")
	}
	return New(&c), c.judges()
}

func (p *Plan) Kind() string            { return Kind }
func (p *Plan) Config() any             { return p.config }
func (p *Plan) Settings() *run.Settings { return &p.config.Settings }
func (p *Plan) Models() []run.Use       { return p.config.uses() }
func (p *Plan) Tables() []run.Table     { return []run.Table{Scripts, Findings, Done} }
func (p *Plan) Steps() string           { return "scripts" }

// Arms returns the names of the authors.
func (p *Plan) Arms() []string {
	var names []string
	for i := range p.config.Authors {
		names = append(names, p.config.Authors[i].Name)
	}
	return names
}

// Metrics lists the seven metrics of each way to judge, and the baselines, all from 0 to 1.
func (p *Plan) Metrics() []eval.Metric {
	var list []eval.Metric
	for _, scorer := range []string{Scorer, SingleScorer} {
		for _, m := range Metrics() {
			list = append(list, eval.Metric{Scorer: scorer, Name: string(m), Unit: "scripts", Title: m.Title(), High: 1, Higher: true})
		}
		list = append(list, eval.Metric{
			Scorer: scorer, Name: "score", Unit: "tasks", Title: "score", High: 1, Higher: true, Headline: true,
			Caption: "Mean share of the seven metrics that a script passes, over the tasks that are wholly scored for all authors.",
		})
	}
	return list
}

// Results makes the ranking with its tests, the rates by metric, and the agreement of methods.
func (p *Plan) Results(dir string, _ *run.Manifest) ([]eval.Result, error) {
	d, err := ReadData(dir, p.config)
	if err != nil {
		return nil, err
	}
	return d.results()
}

// Prepare reads the tasks and makes authors and judges.
func (p *Plan) Prepare(_ context.Context, env *run.Env) error {
	c := p.config
	p.now = env.Now
	if err := env.Prompts(PromptHashes()); err != nil {
		return err
	}
	if err := p.load(env); err != nil {
		return err
	}
	if c.Embed != "" {
		if p.embed = env.Embedder(c.Embed); p.embed == nil {
			return run.Usagef("%s has no embeddings: name ollama:NAME or openai:NAME", c.Embed)
		}
	}
	judgeOf := func(spec string) *judge.Judge {
		if spec == "" {
			return nil
		}
		return &judge.Judge{Model: env.Model(spec), Name: spec, Sampling: llm.Sampling{NumCtx: contextOf(env, spec)}, Now: p.now, Trusting: c.Trusting}
	}
	p.panel = Panel{Critic: judgeOf(c.Critic), Execute: judgeOf(c.Execute), Commonsense: judgeOf(c.Commonsense), Plain: c.Plain}
	p.single = judgeOf(c.Single)
	p.authors = nil
	for i := range c.Authors {
		a := &c.Authors[i]
		if a.Model == "" {
			p.authors = append(p.authors, nil)
			continue
		}
		p.authors = append(p.authors, p.author(env, a.Model, a.Persona, a.Sampling))
	}
	if c.Synthesize != "" && c.Gold != "none" && c.Gold != "reference" {
		zero := 0.0
		p.learner = p.author(env, c.Synthesize, "", llm.Sampling{Temperature: &zero})
	}
	return nil
}

// contextOf returns the size of context to ask a model for, once a run.
func contextOf(env *run.Env, spec string) int {
	served := env.Served(spec)
	served.NumCtx = cmp.Or(served.NumCtx, env.Opened(spec).Context(0))
	return served.NumCtx
}

// author makes an author of a model.
func (p *Plan) author(env *run.Env, spec, persona string, s llm.Sampling) *Author {
	s.MaxTokens, s.NumCtx = p.config.MaxTokens, contextOf(env, spec)
	return &Author{Model: env.Model(spec), Name: spec, Persona: persona, Sampling: s, Now: p.now}
}

// load reads the tasks of the configuration.
func (p *Plan) load(env *run.Env) error {
	if p.tasks != nil {
		return nil
	}
	tasks := Library()
	if file := p.config.Tasks; file != "" {
		data, err := env.Read(file)
		if err != nil {
			return fmt.Errorf("tasks: %w", err)
		}
		if tasks, err = ReadTaskFile(data, file); err != nil {
			return err
		}
	}
	if n := p.config.First; n > 0 && n < len(tasks) {
		tasks = tasks[:n]
	}
	p.tasks, p.others = tasks, slices.Concat(tasks, Library())
	return nil
}

// ReadTaskFile reads tasks in any of the forms that are known: JSON lines, or the authors' SQLite file.
func ReadTaskFile(data []byte, file string) (tasks []Task, err error) {
	if bytes.HasPrefix(data, []byte("SQLite format 3\x00")) {
		d, err := ReadDatabase(bytes.NewReader(data), file)
		if err != nil {
			return nil, err
		}
		tasks = d.Tasks
	} else if tasks, err = ReadTasks(bytes.NewReader(data), file); err != nil {
		return nil, err
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("%s holds no tasks", file)
	}
	return tasks, nil
}

// Jobs yields a job for each task.
func (p *Plan) Jobs(env *run.Env) iter.Seq2[run.Job, error] {
	return func(yield func(run.Job, error) bool) {
		if err := p.load(env); err != nil {
			yield(run.Job{}, err)
			return
		}
		for i := range p.tasks {
			job := run.Job{ID: p.tasks[i].ID, Do: func(ctx context.Context, w *run.Writer) error { return p.task(ctx, w, &p.tasks[i]) }}
			if !yield(job, nil) {
				return
			}
		}
	}
}
