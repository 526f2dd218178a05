package script

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"parley/eval"
	"parley/eval/run"
	"parley/sim/llm"
)

// work is what is done for one task.
type work struct {
	task     *Task
	writer   *run.Writer
	rows     []Written
	scripts  []Script // by author
	findings []Finding
	scores   []eval.Score
}

// wrote keeps a script.
func (w *work) wrote(row Written, s Script, calls []llm.Call) {
	row.Session, row.Source, row.Steps, row.Before, row.After = w.task.ID, s.Method, s.Steps, s.Preamble, s.Note
	row.Status, row.Reason = s.Status, w.writer.Clean(s.Reason)
	for i := range calls {
		row.Calls = append(row.Calls, calls[i].ID)
	}
	w.rows = append(w.rows, row)
}

// task has all authors write for one task and judges what they wrote. Its error stops the run.
func (p *Plan) task(ctx context.Context, out *run.Writer, t *Task) error {
	c, w := p.config, &work{task: t, writer: out}
	started := p.now().UTC()
	for i := range c.Authors {
		s, calls, err := p.write(ctx, i, t)
		if err := stop(calls, err); err != nil {
			return err
		}
		w.scripts = append(w.scripts, s)
		w.wrote(Written{Arm: c.Authors[i].Name}, s, calls)
		out.Step()
	}
	shared, err := p.gold(ctx, w, -1)
	if err != nil {
		return err
	}
	for i := range c.Authors {
		gold := shared
		if c.Gold == "leave-one-out" {
			if gold, err = p.gold(ctx, w, i); err != nil {
				return err
			}
		}
		if err := p.judge(ctx, w, i, gold); err != nil {
			return err
		}
	}
	for i := range w.findings {
		w.findings[i].Reason = out.Clean(w.findings[i].Reason)
		w.scores = append(w.scores, w.findings[i].Score())
	}
	for i := range w.scores {
		w.scores[i].Item = t.ID
	}
	whole, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("task %s: %w", t.ID, err)
	}
	Scripts.Add(out, w.rows...)
	Findings.Add(out, w.findings...)
	run.Scores.Add(out, w.scores...)
	Done.Add(out, TaskRow{
		ID: t.ID, Topic: t.Topic, Depth: t.Depth(), Task: string(whole), Calls: out.Calls(), State: out.Done(run.Complete, w.scores...),
		Started: started, Finished: p.now().UTC(),
	})
	return nil
}

// write has one author write.
func (p *Plan) write(ctx context.Context, i int, t *Task) (Script, []llm.Call, error) {
	a, model := &p.config.Authors[i], p.authors[i]
	switch {
	case model == nil:
		r := rand.New(rand.NewPCG(p.config.Seed, seedOfText(t.ID+"/"+string(a.Fault))))
		return Plant(a.Fault, t, p.others, r), nil, nil
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
func (p *Plan) gold(ctx context.Context, w *work, but int) (*Script, error) {
	c, t := p.config, w.task
	all := but < 0
	row, actor := Written{Gold: true}, "gold"
	if !all {
		row.Arm, actor = c.Authors[but].Name, "gold-"+authorID(but)
	}
	var s Script
	var calls []llm.Call
	var err error
	switch {
	case c.Gold == "reference" && all:
		s = Script{Steps: t.Steps, Status: eval.Scored, Method: "reference"}
		if len(t.Steps) == 0 {
			s = Script{Status: eval.NotApplicable, Reason: "the task has no reference steps", Method: "reference"}
		}
	case c.Gold == "direct" && all:
		s, calls, err = p.learner.Direct(ctx, t, actor, c.Seed)
		s.Method = "direct"
	case c.Gold == "pool" && all, c.Gold == "leave-one-out" && !all:
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
			s, calls, err = p.learner.Direct(ctx, t, actor, c.Seed)
			s.Method = "direct, as there is no script to learn from"
		} else {
			s, calls, err = p.learner.Synthesize(ctx, t, pool, actor, c.Seed)
			s.Method = fmt.Sprintf("from %d scripts", len(pool))
		}
	default:
		return nil, nil
	}
	if err := stop(calls, err); err != nil {
		return nil, err
	}
	w.wrote(row, s, calls)
	return &s, nil
}

// judge has all judges judge one script. A script that is not there has no verdicts, and neither has
// the critic's part where it should have had a gold answer and there is none.
func (p *Plan) judge(ctx context.Context, w *work, i int, gold *Script) error {
	c, s := p.config, &w.scripts[i]
	arm := c.Authors[i].Name
	subject := Subject{Task: w.task, Arm: arm, Actor: authorID(i), Script: s.Steps, Seed: c.Seed}
	if gold != nil && gold.Status == eval.Scored {
		subject.Gold = gold.Steps
	}
	missing := Finding{Status: s.Status, Reason: "there is no script: " + s.Reason}
	if s.Status == eval.Scored {
		panel, noGold := p.panel, gold != nil && gold.Status != eval.Scored
		if noGold {
			panel.Critic = nil
		}
		findings, calls, err := panel.Judge(ctx, subject)
		if err := stop(calls, err); err != nil {
			return err
		}
		for j := range findings {
			if f := &findings[j]; noGold && f.Agent == "critic" && p.panel.Critic != nil {
				f.Status, f.Reason = gold.Status, "there is no gold answer: "+gold.Reason
			}
		}
		w.findings = append(w.findings, findings...)
	} else {
		w.findings = append(w.findings, unwritten(missing, w.task.ID, arm, Scorer)...)
	}
	if p.single != nil {
		if s.Status == eval.Scored {
			findings, calls, err := Single(ctx, p.single, subject)
			if err := stop(calls, err); err != nil {
				return err
			}
			w.findings = append(w.findings, findings...)
		} else {
			w.findings = append(w.findings, unwritten(missing, w.task.ID, arm, SingleScorer)...)
		}
	}
	return p.compare(ctx, w, arm, subject.Actor, s, gold)
}

// unwritten is the verdicts on a script that is not there: none.
func unwritten(f Finding, task, arm, scorer string) []Finding {
	var list []Finding
	for _, m := range Metrics() {
		f.Session, f.Arm, f.Scorer, f.Metric = task, arm, scorer, m
		list = append(list, f)
	}
	return list
}

// compare scores a script against the gold answer, or the task's own steps, without a judge.
func (p *Plan) compare(ctx context.Context, w *work, arm, actor string, s *Script, gold *Script) error {
	wanted := w.task.Steps
	if gold != nil {
		wanted = gold.Steps
	}
	add := func(scorer, metric string, value float64, failed error) {
		score := eval.Score{Session: w.task.ID, Arm: arm, Subject: arm, Scorer: scorer, Metric: metric, Value: &value, Status: eval.Scored}
		switch {
		case s.Status != eval.Scored:
			score.Value, score.Status, score.Reason = nil, s.Status, w.writer.Clean("there is no script: "+s.Reason)
		case metric != "ND" && len(wanted) == 0:
			score.Value, score.Status, score.Reason = nil, eval.NotApplicable, "there is nothing to compare the script with"
		case failed != nil:
			score.Value, score.Status, score.Reason = nil, eval.Failed, w.writer.Clean(failed.Error())
		}
		w.scores = append(w.scores, score)
	}
	distinct := 1.0
	if len(Duplicates(s.Steps)) > 0 {
		distinct = 0
	}
	add("text", "ND", distinct, nil)
	if slices.Contains(p.config.Baseline, "rouge") {
		add("rouge", "rouge1", RougeN(1, s.Steps, wanted).F1, nil)
		add("rouge", "rouge2", RougeN(2, s.Steps, wanted).F1, nil)
		add("rouge", "rougeL", RougeL(s.Steps, wanted).F1, nil)
	}
	if p.embed != nil {
		var o Overlap
		var err error
		if s.Status == eval.Scored && len(wanted) > 0 {
			var calls []llm.Call
			o, calls, err = Embedded(ctx, p.embed, p.config.Embed, s.Steps, wanted,
				llm.Tag{Session: w.task.ID, Actor: actor, Purpose: "judge:embed"}, p.now)
			if err := stop(calls, ctx.Err()); err != nil {
				return err
			}
		}
		add("embed", "embed", o.F1, err)
	}
	return nil
}

// stop returns why the run had better stop: an error, or a model that is out of reach for good.
func stop(calls []llm.Call, err error) error { return cmp.Or(err, llm.OutOfReach(calls)) }
