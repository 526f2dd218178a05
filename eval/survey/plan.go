package survey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"parley/eval"
	"parley/eval/judge"
	"parley/eval/run"
	"parley/eval/survey/form"
	"parley/sim/llm"
	"parley/sim/reference"
)

// Kind names evaluations of surveys in manifests.
const Kind = "survey"

// Config is the whole configuration of an evaluation of surveys.
type Config struct {
	Files     []string `yaml:"files" json:"files" path:"file"` // of the documents
	Evaluator string   `yaml:"evaluator" json:"evaluator"`
	Sage      string   `yaml:"sage,omitempty" json:"sage"` // none: the evaluator alone
	Variant   Variant  `yaml:"variant" json:"variant"`
	Scores    string   `yaml:"scores" json:"scores"` // top | logprob | samples
	Draws     int      `yaml:"draws,omitempty" json:"draws,omitempty"`
	Baselines []Agent  `yaml:"baseline,omitempty" json:"baselines,omitempty"`
	Rubric    *Rubric  `yaml:"rubric,omitempty" json:"rubric"`               // the whole rubric; none: the built-in one
	Aspects   []string `yaml:"aspect,omitempty" json:"-"`                    // only these of the rubric
	Trusting  bool     `yaml:"trusting,omitempty" json:"trusting,omitempty"` // verdicts need not repeat the nonce
	MaxTokens int      `yaml:"max_tokens" json:"max_tokens"`

	run.Settings `yaml:",inline"`
}

// DefaultConfig returns a configuration without documents and evaluator.
func DefaultConfig() *Config {
	return &Config{Variant: "vanilla", Scores: "top", MaxTokens: 1000, Settings: run.Settings{Seed: 1}}
}

// Complete fills in what follows from the rest and returns an error for what is wrong.
func (c *Config) Complete() error {
	switch {
	case len(c.Files) == 0:
		return run.Usagef("name a file or directory of documents")
	case c.Evaluator == "":
		return run.Usagef("eval survey run needs an evaluator: --evaluator MODEL, such as ollama:llama3.2:1b")
	case reference.Is(c.Evaluator), reference.Is(c.Sage):
		return run.Usagef("reference actors cannot judge: name a chat model")
	case c.MaxTokens < 16:
		return run.Usagef("--reply-tokens %d is too few for a verdict", c.MaxTokens)
	case c.Draws < 0:
		return run.Usagef("--draws %d: at least one is needed", c.Draws)
	case c.Scores != string(judge.Samples):
		c.Draws = 0
	case c.Draws == 0:
		c.Draws = 20
	}
	if c.Rubric == nil {
		c.Rubric = Builtin()
	}
	if c.Aspects != nil {
		only, err := c.Rubric.Only(c.Aspects...)
		if err != nil {
			return run.UsageError{Err: err}
		}
		c.Rubric, c.Aspects = only, nil
	}
	check := Agents{Evaluator: &judge.Judge{}, Rubric: c.Rubric, Mode: judge.Mode(c.Scores), Variant: c.Variant, Baselines: c.Baselines}
	if err := check.Validate(); err != nil {
		return run.UsageError{Err: err}
	}
	return nil
}

// Plan has documents judged, one by one.
type Plan struct {
	config *Config
	now    func() time.Time
	agents *Agents
}

// New returns the plan of a complete configuration.
func New(c *Config) *Plan { return &Plan{config: c} }

// Decode makes the plan again from the configuration in a manifest.
func Decode(config json.RawMessage) (run.Plan, error) {
	var c Config
	if err := json.Unmarshal(config, &c); err != nil {
		return nil, err
	}
	if c.Rubric == nil {
		return nil, errors.New("it has no rubric")
	}
	return New(&c), c.Complete()
}

func (p *Plan) Kind() string            { return Kind }
func (p *Plan) Config() any             { return p.config }
func (p *Plan) Settings() *run.Settings { return &p.config.Settings }
func (p *Plan) Arms() []string          { return []string{p.config.Evaluator} }
func (p *Plan) Steps() string           { return "calls" }
func (p *Plan) Tables() []run.Table {
	return []run.Table{Verdicts, Proposals, Findings, Documents}
}

// Models lists the evaluator and the SAGE agent. No model is under test: documents come from files.
func (p *Plan) Models() []run.Use {
	uses := []run.Use{{Model: p.config.Evaluator, Role: "evaluator", Judges: true}}
	if p.config.Sage != "" {
		uses = append(uses, run.Use{Model: p.config.Sage, Role: "sage", Judges: true})
	}
	return uses
}

// Metrics lists one metric for each aspect of the rubric.
func (p *Plan) Metrics() []eval.Metric {
	var list []eval.Metric
	for i := range p.config.Rubric.Aspects {
		a := &p.config.Rubric.Aspects[i]
		list = append(list, eval.Metric{Scorer: "survey", Name: a.Name, Unit: "documents", Title: a.Title, Caption: a.Definition, Low: 1, High: 5, Higher: true})
	}
	return list
}

// Results makes the means by aspect and agent, and what the second agent changed.
func (p *Plan) Results(dir string, _ *run.Manifest) ([]eval.Result, error) {
	d, err := ReadRun(dir, p.config)
	if err != nil {
		return nil, err
	}
	return d.Results(), nil
}

// Prepare makes the agents.
func (p *Plan) Prepare(_ context.Context, env *run.Env) error {
	c := p.config
	p.now = env.Now
	for _, file := range c.Files {
		if _, err := env.Read(file); err != nil {
			return err
		}
	}
	judgeOf := func(spec string) *judge.Judge {
		if spec == "" {
			return nil
		}
		s := llm.Sampling{MaxTokens: c.MaxTokens, NumCtx: env.Context(spec)}
		return &judge.Judge{Model: env.Model(spec), Name: spec, Sampling: s, Now: env.Now, Trusting: c.Trusting}
	}
	p.agents = &Agents{
		Evaluator: judgeOf(c.Evaluator), Sage: judgeOf(c.Sage), Rubric: c.Rubric, Mode: judge.Mode(c.Scores), Draws: c.Draws,
		Variant: c.Variant, Baselines: c.Baselines, Seed: c.Seed,
	}
	return env.Prompts(PromptHashes())
}

// Jobs yields a job for each document.
func (p *Plan) Jobs(env *run.Env) iter.Seq2[run.Job, error] {
	return func(yield func(run.Job, error) bool) {
		for i, file := range p.config.Files {
			id := fmt.Sprintf("d%06d", i+1)
			if !yield(run.Job{ID: id, Do: func(ctx context.Context, w *run.Writer) error { return p.document(ctx, w, env, id, file) }}, nil) {
				return
			}
		}
	}
}

// document has one document judged. Its error stops the run.
func (p *Plan) document(ctx context.Context, w *run.Writer, env *run.Env, id, file string) error {
	row := DocumentRow{ID: id, File: file, Status: eval.Scored, State: run.Complete, Started: p.now().UTC()}
	data, err := env.Read(file)
	if err != nil {
		return err
	}
	var scores []eval.Score
	if d, err := form.Read(data, file); err != nil {
		row.Status, row.Reason = eval.Unparsed, w.Clean(err.Error())
	} else {
		whole, err := json.Marshal(d)
		if err != nil {
			return fmt.Errorf("document %s: %w", id, err)
		}
		row.Kind, row.Format, row.Title, row.Prompt, row.Document = string(d.Kind), d.Format, d.Heading(), d.Prompt, string(whole)
		if scores, err = p.judge(ctx, w, id, d); err != nil {
			return err
		}
	}
	row.State, row.Calls, row.Finished = w.Done(run.Complete, scores...), w.Calls(), p.now().UTC()
	Documents.Add(w, row)
	return nil
}

// judge asks the agents about a document and adds what they and the checks say.
func (p *Plan) judge(ctx context.Context, w *run.Writer, id string, d *form.Document) ([]eval.Score, error) {
	out, err := p.agents.Judge(ctx, Subject{ID: id, Prompt: d.Prompt, Text: d.Text()})
	if err != nil {
		return nil, err
	}
	if err := llm.OutOfReach(out.Calls); err != nil {
		return nil, err
	}
	for range out.Calls {
		w.Step()
	}
	for i := range out.Verdicts {
		out.Verdicts[i].Reason = w.Clean(out.Verdicts[i].Reason)
	}
	for i := range out.Proposals {
		out.Proposals[i].Reason = w.Clean(out.Proposals[i].Reason)
	}
	for _, f := range form.Check(d) {
		Findings.Add(w, FindingRow{id, f.Where, string(f.Rule), f.Message})
	}
	Verdicts.Add(w, out.Verdicts...)
	Proposals.Add(w, out.Proposals...)
	scores := out.Scores(p.config.Evaluator)
	for i := range scores {
		scores[i].Item = id
	}
	run.Scores.Add(w, scores...)
	return scores, nil
}
