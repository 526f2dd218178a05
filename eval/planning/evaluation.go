package planning

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"parley/eval"
	"parley/eval/planning/pddl"
	"parley/eval/run"
	"parley/logs"
	"parley/sim/llm"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Evaluation is the plan that asks the questions of a configuration and scores the answers.
type Evaluation struct {
	config *Config
	worlds []*World
	shots  map[string][]*World // by domain
}

// New returns the plan of a complete configuration.
func New(c *Config) *Evaluation { return &Evaluation{config: c} }

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

func (e *Evaluation) Kind() string            { return Kind }
func (e *Evaluation) Config() any             { return e.config }
func (e *Evaluation) Settings() *run.Settings { return &e.config.Settings }
func (e *Evaluation) Arms() []string          { return e.config.Model }
func (e *Evaluation) Metrics() []eval.Metric  { return Metrics() }
func (e *Evaluation) Steps() string           { return "replies" }

// Models lists the models; the reference answerer is none.
func (e *Evaluation) Models() (uses []run.Use) {
	for _, m := range e.config.Model {
		if !strings.HasPrefix(m, referencePrefix) {
			uses = append(uses, run.Use{Model: m, Role: "answerer", Tested: true})
		}
	}
	return uses
}

// Row is an answer.
type Row struct {
	ID       string    `json:"id" parquet:"id"`
	Arm      string    `json:"arm" parquet:"arm,dict"`
	Question string    `json:"question" parquet:"question,dict"`
	Domain   string    `json:"domain" parquet:"domain,dict"`
	Task     Task      `json:"task" parquet:"task,dict"`
	Size     int       `json:"size" parquet:"size"`
	State    run.State `json:"state" parquet:"state,dict"`
	Error    string    `json:"error" parquet:"error"`
	Asked    bool      `json:"asked" parquet:"asked"` // false: the problem has no such question, as error says
	Status   Status    `json:"status" parquet:"status,dict"`
	Raw      string    `json:"raw" parquet:"raw"`
	Items    []Item    `json:"items" parquet:"items,list"`
	Unread   []Unread  `json:"unread" parquet:"unread,list"`
	Value    *float64  `json:"value" parquet:"value,optional"` // IoU, or action distance of a plan
	Reason   string    `json:"reason" parquet:"reason"`        // why a plan is not valid
	Calls    int       `json:"calls" parquet:"calls"`
	Ended    time.Time `json:"ended" parquet:"ended,timestamp(microsecond)"`
}

// The tables of a run: questions are shared by its arms.
var (
	Questions = run.Rows[Question]{
		Name: "questions", Keep: logs.KeepFirst,
		Compare: func(a, b *Question) int { return cmp.Compare(a.ID, b.ID) },
	}
	Answers = run.Rows[Row]{
		Name: "answers", Job: func(r *Row) string { return r.ID },
		Compare: func(a, b *Row) int { return cmp.Compare(a.ID, b.ID) },
		Untimed: func(r *Row) { r.Ended = time.Time{} },
		State:   func(r *Row) run.State { return r.State },
	}
)

// Tables lists questions and answers, with what holds them to the configuration.
func (e *Evaluation) Tables() []run.Table {
	questions, answers := Questions, Answers
	questions.Check = run.Each(func(q *Question, finding func(string, ...any)) {
		if seed := strconv.FormatUint(e.config.Seed, 10); q.Seed != seed {
			finding("%s was made from seed %s, and the configuration says %s", q.ID, q.Seed, seed)
		}
	})
	answers.Check = run.Each(func(r *Row, finding func(string, ...any)) {
		if !slices.Contains(e.config.Model, r.Arm) || !slices.Contains(e.config.Tasks, r.Task) {
			finding("%s is of %s and task %s, which are not in the configuration", r.ID, r.Arm, r.Task)
		}
		if r.Asked && r.State == run.Complete && r.Status == "" {
			finding("%s was answered, and has no status", r.ID)
		}
	})
	return []run.Table{questions, answers}
}

// problems returns how many problems the run asks about; a file's are not opened.
func (e *Evaluation) problems(env *run.Env) ([]Problem, int, error) {
	if e.config.Problems == "" {
		return nil, e.config.N * len(e.config.Domain), nil
	}
	src, err := env.Read(e.config.Problems)
	if err != nil {
		return nil, 0, err
	}
	list, err := ParseProblems(e.config.Problems, src)
	if err != nil {
		return nil, 0, run.UsageError{Err: err}
	}
	if e.config.N > len(list) {
		return nil, 0, run.Usagef("%s has %d problems, not %d", e.config.Problems, len(list), e.config.N)
	}
	if e.config.N > 0 {
		list = list[:e.config.N]
	}
	return list, len(list), nil
}

// Prepare reads or generates the problems and solves those whose optimal plan is not known.
func (e *Evaluation) Prepare(ctx context.Context, env *run.Env) error {
	list, _, err := e.problems(env)
	if err != nil {
		return err
	}
	limits := pddl.Options{MaxNodes: e.config.MaxNodes}
	if e.config.Problems == "" {
		e.worlds, err = e.config.Generate(ctx, limits, nil)
	} else if e.worlds, err = open(e.config.Problems, list); err != nil {
		err = run.UsageError{Err: err}
	}
	if err != nil {
		return err
	}
	unsolved := 0
	for _, w := range e.worlds {
		if !slices.Contains(e.config.Tasks, Plan) || w.Cost != nil && (*w.Cost == 0 || len(w.Plan) > 0) {
			continue
		}
		if solved, err := w.Solve(ctx, limits); err != nil {
			return err
		} else if !solved {
			w.Cost, unsolved = nil, unsolved+1
		}
	}
	if unsolved > 0 {
		env.Note("%d of %d problems are unsolved within %d states: no plan is asked for them", unsolved, len(e.worlds), e.config.MaxNodes)
	}
	return e.prepareShots(ctx, limits)
}

// prepareShots makes problems for examples, which are none of those that are asked about.
func (e *Evaluation) prepareShots(ctx context.Context, limits pddl.Options) error {
	e.shots = map[string][]*World{}
	if e.config.Shots == 0 {
		return nil
	}
	for _, w := range e.worlds {
		if e.shots[w.Domain] != nil {
			continue
		}
		made, err := Vary(ctx, []*World{w}, e.config.Shots+1, e.config.Seed+1, limits, nil)
		if err != nil {
			return fmt.Errorf("make examples: %w", err)
		}
		e.shots[w.Domain] = made[1:]
	}
	return nil
}

// Jobs yields a job for each question of each arm.
func (e *Evaluation) Jobs(env *run.Env) iter.Seq2[run.Job, error] {
	return func(yield func(run.Job, error) bool) {
		_, n, err := e.problems(env)
		if err != nil {
			yield(run.Job{}, err)
			return
		}
		tasks, models := e.config.Tasks, e.config.Model
		for i := range n * len(tasks) * len(models) {
			question, arm := i/len(models), i%len(models)
			id := fmt.Sprintf("a%02d-%07d", arm+1, question+1)
			job := run.Job{ID: id, Arm: models[arm], Do: func(ctx context.Context, w *run.Writer) error {
				return e.ask(ctx, w, env, id, models[arm], e.worlds[question/len(tasks)], tasks[question%len(tasks)])
			}}
			if !yield(job, nil) {
				return
			}
		}
	}
}

// ask puts one question to one model and scores the answer. Its error stops the run.
func (e *Evaluation) ask(ctx context.Context, out *run.Writer, env *run.Env, id, arm string, w *World, task Task) error {
	row := Row{ID: id, Arm: arm, Question: w.ID + "/" + string(task), Domain: w.Domain, Task: task, Size: w.Size, State: run.Complete}
	s := &scorer{base: eval.Score{Session: id, Item: row.Question, Arm: arm, Scorer: string(task), Subject: w.Domain, Method: "sets"}}
	q, err := w.Ask(task, e.config.asking())
	if err != nil {
		row.Error = err.Error()
		s.missing(task, eval.NotApplicable, err.Error())
	} else {
		Questions.Add(out, *q)
		row.Asked = true
		cut, err := e.answer(ctx, out, env, &row, w, q)
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil && llm.FaultOf(err).Lasting():
			return err
		case err != nil:
			row.State, row.Error = run.Failed, out.Clean(err.Error())
			s.missing(task, eval.Failed, row.Error)
		default:
			if err := e.score(ctx, s, &row, w, q, cut); err != nil {
				return err
			}
		}
	}
	run.Scores.Add(out, s.scores...)
	row.State = out.Done(row.State, s.scores...)
	row.Calls, row.Ended = out.Calls(), env.Now().UTC()
	Answers.Add(out, row)
	return nil
}

func (c *Config) asking() Asking { return Asking{Seed: c.Seed, Form: c.Form, Steps: c.Steps} }

// answer sets the text of the answer, and says whether it was cut off.
func (e *Evaluation) answer(ctx context.Context, out *run.Writer, env *run.Env, row *Row, w *World, q *Question) (cut bool, err error) {
	if strings.HasPrefix(row.Arm, referencePrefix) {
		ref, err := ParseReference(row.Arm)
		row.Raw = ref.Answer(w, q, seeded(e.config.Seed, row.Question, row.Arm))
		return false, err
	}
	var messages []llm.Message
	if e.config.Persona != "" {
		messages = append(messages, llm.Message{Role: llm.System, Content: e.config.Persona})
	}
	for _, shot := range e.shots[w.Domain] {
		example, err := shot.Ask(q.Task, e.config.asking())
		if err != nil {
			continue // such as a plan that is not known
		}
		messages = append(messages, llm.Message{Role: llm.User, Content: example.Prompt()},
			llm.Message{Role: llm.Assistant, Content: Reference{}.Answer(shot, example, seeded(e.config.Seed, row.Question, shot.ID))})
	}
	messages = append(messages, llm.Message{Role: llm.User, Content: q.Prompt()})
	resp, err := env.Model(row.Arm).Generate(ctx, llm.Request{
		Messages: messages, Sampling: e.config.Sampling.Complete(),
		Tag: llm.Tag{Session: row.ID, Purpose: string(q.Task)},
	})
	if err != nil {
		return false, err
	}
	row.Raw = resp.Text
	out.Step()
	return resp.Finish == llm.Length || resp.Finish == llm.Cut || resp.Unclear, nil
}

// score reads and scores an answer.
func (e *Evaluation) score(ctx context.Context, s *scorer, row *Row, w *World, q *Question, cut bool) error {
	r := w.Reader().Read(q.Task, row.Raw, cut)
	row.Status, row.Items, row.Unread = r.Status, r.Items, r.Unread
	if q.Task != Plan {
		s.scoreSet(q, &r)
		row.Value = s.headline(q.Task)
		return nil
	}
	limits := pddl.Options{MaxNodes: e.config.MaxNodes, Shuffle: seeded(e.config.Seed, row.Question, "floor")}
	another, graph, err := pddl.AllOptimal(ctx, w.Task, limits)
	if graph != nil {
		another.Plan = graph.Sample(limits.Shuffle)
	} else if err == nil && another.Outcome == pddl.Optimal { // they are too many to be listed
		another, err = pddl.Solve(ctx, w.Task, limits)
	}
	if err != nil {
		return err
	}
	var floor []string
	if another.Outcome == pddl.Optimal {
		floor = atomStrings(another.Plan)
	}
	row.Reason = s.scorePlan(w, &r, graph, floor).Reason
	row.Value = s.headline(q.Task)
	return nil
}
