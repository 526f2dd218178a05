package script

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"parley/eval"
	"parley/eval/judge"
	"parley/eval/run"
	"parley/eval/script/sqlite"
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

// Metrics lists the seven metrics of each way to judge, and what they come to, all from 0 to 1.
func (p *Plan) Metrics() []eval.Metric {
	var list []eval.Metric
	for _, scorer := range []string{Scorer, SingleScorer} {
		if p.config.Perturb {
			list = append(list, eval.Metric{Scorer: scorer, Name: "detected", Unit: "scripts", Title: "faults found", High: 1, Higher: true, Headline: true,
				Caption: "Share of the scripts with a planted fault in which the metric that the fault is to be seen by is 0."},
				eval.Metric{Scorer: scorer, Name: "false_alarms", Unit: "intact scripts", Title: "false alarms", High: 1, Headline: true,
					Caption: "Share of the scripts without a fault in which it is 0."})
		}
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
	p.embed = env.Embedder(c.Embed)
	judgeOf := func(spec string) *judge.Judge {
		if spec == "" {
			return nil
		}
		return &judge.Judge{Model: env.Model(spec), Name: spec, Sampling: llm.Sampling{NumCtx: env.Context(spec)}, Now: p.now, Trusting: c.Trusting}
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
	if c.Synthesize != "" && c.written() {
		zero := 0.0
		p.learner = p.author(env, c.Synthesize, "", llm.Sampling{Temperature: &zero})
	}
	return nil
}

// author makes an author of a model.
func (p *Plan) author(env *run.Env, spec, persona string, s llm.Sampling) *Author {
	s.MaxTokens, s.NumCtx = p.config.MaxTokens, env.Context(spec)
	return &Author{Model: env.Model(spec), Name: spec, Persona: persona, Sampling: s, Now: p.now}
}

// load reads the tasks of the configuration.
func (p *Plan) load(env *run.Env) (err error) {
	if p.tasks == nil {
		p.tasks, err = Tasks(env.Read, p.config.Tasks, p.config.First)
		p.others = slices.Concat(p.tasks, Library())
	}
	return err
}

// Tasks returns the tasks of a file in any of the forms that are known, JSON lines or the authors' SQLite file, or
// those of the library where none is named; only the first so many, 0 for all.
func Tasks(read func(path string) ([]byte, error), file string, first int) ([]Task, error) {
	tasks := Library()
	if file != "" {
		data, err := read(file)
		if err != nil {
			return nil, fmt.Errorf("tasks: %w", err)
		}
		if sqlite.Is(data) {
			var d *Database
			if d, err = ReadDatabase(data, file); err == nil {
				tasks = d.Tasks
			}
		} else {
			tasks, err = ReadTasks(bytes.NewReader(data), file)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("%s holds no tasks", file)
	}
	if first > 0 && first < len(tasks) {
		tasks = tasks[:first]
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
