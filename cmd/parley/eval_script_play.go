package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"parley/eval"
	"parley/eval/judge"
	"parley/eval/script"
	"parley/logs"
	"parley/sim/fleet"
	"parley/sim/llm"
)

// The streams of an evaluation of scripts, beside messages, calls and scores.
const (
	streamScripts  = "scripts"
	streamVerdicts = "verdicts"
	streamTasks    = "tasks"
)

// scriptRow is what an author, or the writer of gold answers, wrote for a task.
type scriptRow struct {
	Session string      `json:"session" parquet:"session,dict"` // the task
	Arm     string      `json:"arm" parquet:"arm,dict"`         // who wrote it; of a gold answer, for whom: empty for all
	Gold    bool        `json:"gold" parquet:"gold"`
	Source  string      `json:"source" parquet:"source,dict"` // how it was had
	Steps   []string    `json:"steps" parquet:"steps,list"`
	Before  string      `json:"before" parquet:"before"` // what stood before and behind the steps
	After   string      `json:"after" parquet:"after"`
	Status  eval.Status `json:"status" parquet:"status,dict"`
	Reason  string      `json:"reason" parquet:"reason"`
	Calls   []string    `json:"calls" parquet:"calls,list"`
}

// scriptTaskRow is a task that is done.
type scriptTaskRow struct {
	ID       string    `json:"id" parquet:"id"`
	Topic    string    `json:"topic" parquet:"topic,dict"`
	Depth    int       `json:"depth" parquet:"depth"` // constraints
	Task     string    `json:"task" parquet:"task"`   // all of it, JSON
	Calls    int       `json:"calls" parquet:"calls"`
	Started  time.Time `json:"started" parquet:"started,timestamp(microsecond)"`
	Finished time.Time `json:"finished" parquet:"finished,timestamp(microsecond)"`
}

// scriptStreams are the streams in the order in which their rows become durable.
func scriptStreams() []keeper {
	calls := map[string]bool{}
	named := func(v *verification, stream string, ids []string) {
		for _, id := range ids {
			if !calls[id] {
				v.findf("%s: call %s is not there", stream, id)
			}
		}
	}
	return []keeper{
		stream[messageRow]{called: streamMessages, compare: byMessage, keep: logs.KeepFirst, look: func(v *verification, r *messageRow) {
			if want := (llm.Message{Role: r.Role, Content: r.Content}).Hash(); r.Hash != want {
				v.findf("messages: %s has the content of %s", r.Hash, want)
			}
		}},
		stream[llm.Call]{called: streamCalls, job: func(r *llm.Call) string { return r.Session }, compare: byCall, timeless: timelessCall, look: func(v *verification, r *llm.Call) {
			if calls[r.ID] {
				v.findf("calls: %s stands twice", r.ID)
			}
			calls[r.ID] = true
		}},
		stream[scriptRow]{called: streamScripts, job: func(r *scriptRow) string { return r.Session },
			compare: func(a, b *scriptRow) int { return cmp.Compare(a.Session, b.Session) },
			look:    func(v *verification, r *scriptRow) { named(v, streamScripts, r.Calls) }},
		stream[script.Finding]{called: streamVerdicts, job: func(r *script.Finding) string { return r.Session },
			compare: func(a, b *script.Finding) int { return cmp.Compare(a.Session, b.Session) },
			look: func(v *verification, r *script.Finding) {
				if (r.Value != nil) != (r.Status == eval.Scored) || r.Value == nil && r.Reason == "" {
					v.findf("verdicts: %s of %s in task %s: status %q with reason %q", r.Metric, r.Arm, r.Session, r.Status, r.Reason)
				}
				named(v, streamVerdicts, r.Calls)
			}},
		stream[eval.Score]{called: streamScores, job: func(r *eval.Score) string { return r.Session }, compare: byScore, look: func(v *verification, r *eval.Score) {
			if (r.Value != nil) != (r.Status == eval.Scored) || r.Value == nil && r.Reason == "" {
				v.findf("scores: %s of %s in task %s: status %q with reason %q", r.Metric, r.Arm, r.Session, r.Status, r.Reason)
			}
		}},
		stream[scriptTaskRow]{called: streamTasks, job: func(r *scriptTaskRow) string { return r.ID }, keep: logs.KeepLast,
			compare:  func(a, b *scriptTaskRow) int { return cmp.Compare(a.ID, b.ID) },
			timeless: func(r *scriptTaskRow) { r.Started, r.Finished = time.Time{}, time.Time{} }},
	}
}

// scriptPlayer has scripts written and judged, task by task.
type scriptPlayer struct {
	dir      string
	config   *scriptConfig
	tasks    []script.Task
	others   []script.Task // that redundant steps come from
	crew     *crew
	authors  []*script.Author // nil: a rule
	learner  *script.Author   // writes gold answers; nil: nobody
	panel    script.Panel
	single   *judge.Judge
	embed    llm.Model // nil: nobody compares embeddings
	journal  *logs.Journal
	progress *progress
	now      func() time.Time
	done     map[string]bool
}

// play does all tasks that are not done. After an error the run can be resumed.
func (p *scriptPlayer) play(ctx context.Context) error {
	n := p.config.Jobs
	if n <= 0 {
		if n = p.crew.jobs; n == 0 {
			n = 4 * runtime.GOMAXPROCS(0)
		}
	}
	err := fleet.Run(ctx, n, func(yield func(func(context.Context) error) bool) {
		for i := range p.tasks {
			if !p.done[p.tasks[i].ID] && !yield(func(ctx context.Context) error { return p.task(ctx, &p.tasks[i]) }) {
				return
			}
		}
	})
	if flushed := p.journal.Flush(context.WithoutCancel(ctx)); err == nil {
		err = flushed
	}
	return err
}

// work is what is done for one task.
type work struct {
	task     *script.Task
	calls    []llm.Call
	rows     []scriptRow
	scripts  []script.Script // by author
	findings []script.Finding
	scores   []eval.Score
}

// took keeps calls, and says whether a model is out of reach for good.
func (w *work) took(calls []llm.Call, err error) error {
	w.calls = append(w.calls, calls...)
	if err != nil {
		return err
	}
	for i := range calls {
		if calls[i].Fault.Lasting() {
			return fmt.Errorf("%s: %s", calls[i].Model, clean(calls[i].Error))
		}
	}
	return nil
}

// wrote keeps a script.
func (w *work) wrote(row scriptRow, s script.Script, calls []llm.Call) {
	row.Session, row.Source, row.Steps, row.Before, row.After = w.task.ID, s.Method, s.Steps, s.Preamble, s.Note
	row.Status, row.Reason = s.Status, clean(s.Reason)
	for i := range calls {
		row.Calls = append(row.Calls, calls[i].ID)
	}
	w.rows = append(w.rows, row)
}

// task has all authors write for one task and judges what they wrote. Its error stops the run.
func (p *scriptPlayer) task(ctx context.Context, t *script.Task) error {
	g, w := p.config, &work{task: t}
	started := p.now().UTC()
	for i := range g.Authors {
		s, calls, err := p.write(ctx, i, t)
		if err := w.took(calls, err); err != nil {
			return err
		}
		w.scripts = append(w.scripts, s)
		w.wrote(scriptRow{Arm: g.Authors[i].Name}, s, calls)
		p.progress.turn()
	}
	shared, err := p.gold(ctx, w, -1)
	if err != nil {
		return err
	}
	for i := range g.Authors {
		gold := shared
		if g.Gold == "leave-one-out" {
			if gold, err = p.gold(ctx, w, i); err != nil {
				return err
			}
		}
		if err := p.judge(ctx, w, i, gold); err != nil {
			return err
		}
	}
	row := scriptTaskRow{ID: t.ID, Topic: t.Topic, Depth: t.Depth(), Calls: len(w.calls), Started: started, Finished: p.now().UTC()}
	whole, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("task %s: %w", t.ID, err)
	}
	row.Task = string(whole)
	for i := range w.findings {
		w.findings[i].Reason = clean(w.findings[i].Reason)
		w.scores = append(w.scores, w.findings[i].Score())
	}
	b := p.journal.Batch()
	addCalls(b, new(llm.Ledger), w.calls)
	logs.Add(b, streamScripts, w.rows...)
	logs.Add(b, streamVerdicts, w.findings...)
	logs.Add(b, streamScores, w.scores...)
	logs.Add(b, streamTasks, row)
	if err := p.journal.Append(b); err != nil {
		return err
	}
	p.progress.scores(w.scores)
	p.progress.session(stateComplete)
	return nil
}

// write has one author write.
func (p *scriptPlayer) write(ctx context.Context, i int, t *script.Task) (script.Script, []llm.Call, error) {
	a, model := &p.config.Authors[i], p.authors[i]
	switch {
	case model == nil:
		r := rand.New(rand.NewPCG(p.config.Seed, seedOfText(t.ID+"/"+string(a.Fault))))
		return script.Plant(a.Fault, t, p.others, r), nil, nil
	case a.Fault != "":
		return model.Spoil(ctx, a.Fault, t, authorID(i), p.config.Seed)
	}
	return model.Write(ctx, t, authorID(i), p.config.Seed)
}

// seedOfText derives a seed from a text.
func seedOfText(text string) uint64 {
	x := uint64(14695981039346656037)
	for _, b := range []byte(text) {
		x = (x ^ uint64(b)) * 1099511628211
	}
	return x
}

// gold has the gold answer written: for all (-1), or for one author without his own script. Where the
// configuration asks for another kind it returns nil.
func (p *scriptPlayer) gold(ctx context.Context, w *work, but int) (*script.Script, error) {
	g, t := p.config, w.task
	all := but < 0
	row, actor := scriptRow{Gold: true}, "gold"
	if !all {
		row.Arm, actor = g.Authors[but].Name, "gold-"+authorID(but)
	}
	var s script.Script
	var calls []llm.Call
	var err error
	switch {
	case g.Gold == "reference" && all:
		s = script.Script{Steps: t.Steps, Status: eval.Scored, Method: "reference"}
		if len(t.Steps) == 0 {
			s = script.Script{Status: eval.NotApplicable, Reason: "the task has no reference steps", Method: "reference"}
		}
	case g.Gold == "direct" && all:
		s, calls, err = p.learner.Direct(ctx, t, actor, g.Seed)
		s.Method = "direct"
	case g.Gold == "pool" && all, g.Gold == "leave-one-out" && !all:
		if p.learner == nil {
			return nil, nil
		}
		var pool [][]string
		for i := range w.scripts {
			if i != but && w.scripts[i].Status == eval.Scored {
				pool = append(pool, w.scripts[i].Steps)
			}
		}
		if len(pool) == 0 {
			s, calls, err = p.learner.Direct(ctx, t, actor, g.Seed)
			s.Method = "direct, as there is no script to learn from"
		} else {
			s, calls, err = p.learner.Synthesize(ctx, t, pool, actor, g.Seed)
			s.Method = fmt.Sprintf("from %d scripts", len(pool))
		}
	default:
		return nil, nil
	}
	if err := w.took(calls, err); err != nil {
		return nil, err
	}
	w.wrote(row, s, calls)
	return &s, nil
}

// judge has all judges judge one script. A script that is not there has no verdicts, and neither has
// the critic's part where it should have had a gold answer and there is none.
func (p *scriptPlayer) judge(ctx context.Context, w *work, i int, gold *script.Script) error {
	g, s := p.config, &w.scripts[i]
	arm := g.Authors[i].Name
	subject := script.Subject{Task: w.task, Arm: arm, Actor: authorID(i), Script: s.Steps, Seed: g.Seed}
	if gold != nil && gold.Status == eval.Scored {
		subject.Gold = gold.Steps
	}
	missing := script.Finding{Status: s.Status, Reason: "there is no script: " + s.Reason}
	if s.Status == eval.Scored {
		panel, noGold := p.panel, gold != nil && gold.Status != eval.Scored
		if noGold {
			panel.Critic = nil
		}
		findings, calls, err := panel.Judge(ctx, subject)
		if err := w.took(calls, err); err != nil {
			return err
		}
		for j := range findings {
			if f := &findings[j]; noGold && f.Agent == "critic" && p.panel.Critic != nil {
				f.Status, f.Reason = gold.Status, "there is no gold answer: "+gold.Reason
			}
		}
		w.findings = append(w.findings, findings...)
	} else {
		w.findings = append(w.findings, unwritten(missing, w.task.ID, arm, script.Scorer)...)
	}
	if p.single != nil {
		if s.Status == eval.Scored {
			findings, calls, err := script.Single(ctx, p.single, subject)
			if err := w.took(calls, err); err != nil {
				return err
			}
			w.findings = append(w.findings, findings...)
		} else {
			w.findings = append(w.findings, unwritten(missing, w.task.ID, arm, script.SingleScorer)...)
		}
	}
	return p.compare(ctx, w, arm, subject.Actor, s, gold)
}

// unwritten is the verdicts on a script that is not there: none.
func unwritten(f script.Finding, task, arm, scorer string) []script.Finding {
	var list []script.Finding
	for _, m := range script.Metrics() {
		f.Session, f.Arm, f.Scorer, f.Metric = task, arm, scorer, m
		list = append(list, f)
	}
	return list
}

// compare scores a script against the gold answer, or the task's own steps, without a judge.
func (p *scriptPlayer) compare(ctx context.Context, w *work, arm, actor string, s *script.Script, gold *script.Script) error {
	wanted := w.task.Steps
	if gold != nil {
		wanted = gold.Steps
	}
	add := func(scorer, metric string, value float64, failed error) {
		score := eval.Score{Session: w.task.ID, Arm: arm, Subject: arm, Scorer: scorer, Metric: metric, Value: &value, Status: eval.Scored}
		switch {
		case s.Status != eval.Scored:
			score.Value, score.Status, score.Reason = nil, s.Status, clean("there is no script: "+s.Reason)
		case metric != "ND" && len(wanted) == 0:
			score.Value, score.Status, score.Reason = nil, eval.NotApplicable, "there is nothing to compare the script with"
		case failed != nil:
			score.Value, score.Status, score.Reason = nil, eval.Failed, clean(failed.Error())
		}
		w.scores = append(w.scores, score)
	}
	distinct := 1.0
	if len(script.Duplicates(s.Steps)) > 0 {
		distinct = 0
	}
	add("text", "ND", distinct, nil)
	if slices.Contains(p.config.Baselines, "rouge") {
		add("rouge", "rouge1", script.RougeN(1, s.Steps, wanted).F1, nil)
		add("rouge", "rouge2", script.RougeN(2, s.Steps, wanted).F1, nil)
		add("rouge", "rougeL", script.RougeL(s.Steps, wanted).F1, nil)
	}
	if p.embed != nil {
		var o script.Overlap
		var err error
		if s.Status == eval.Scored && len(wanted) > 0 {
			var calls []llm.Call
			o, calls, err = script.Embedded(ctx, p.embed, p.config.Embed, s.Steps, wanted,
				llm.Tag{Session: w.task.ID, Actor: actor, Purpose: "judge:embed"}, p.now)
			if err := w.took(calls, ctx.Err()); err != nil {
				return err
			}
		}
		add("embed", "embed", o.F1, err)
	}
	return nil
}
