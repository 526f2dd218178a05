package script

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"parley/eval"
	"parley/eval/run"
	"parley/sim"
	"parley/sim/llm"
)

// work gathers the results of one task.
type work struct {
	task    *Task
	writer  *run.Writer
	scripts []Script // by author
	scores  []eval.Score
}

// wrote keeps a script.
func (w *work) wrote(row Written, s Script, calls []llm.Call) {
	row.Session, row.Source, row.Steps, row.Before, row.After = w.task.ID, s.Method, s.Steps, s.Preamble, s.Note
	row.Status, row.Reason, row.Calls = s.Status, w.writer.Clean(s.Reason), llm.IDs(calls)
	Scripts.Add(w.writer, row)
}

// found keeps findings.
func (w *work) found(list []Finding) {
	for i := range list {
		list[i].Reason = w.writer.Clean(list[i].Reason)
		w.scores = append(w.scores, list[i].Score())
	}
	Findings.Add(w.writer, list...)
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
	whole, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("task %s: %w", t.ID, err)
	}
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
		return Plant(a.Fault, t, p.others, sim.Rand(sim.Mix(p.config.Seed, sim.HashText(t.ID+"/"+string(a.Fault))))), nil, nil
	case a.Fault != "":
		return model.Spoil(ctx, a.Fault, t, authorID(i), p.config.Seed)
	}
	return model.Write(ctx, t, authorID(i), p.config.Seed)
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
	if c.Gold == "none" || all == (c.Gold == "leave-one-out") || p.learner == nil && c.Gold != "reference" {
		return nil, nil
	}
	var pool [][]string
	for i := range w.scripts {
		if c.Gold != "direct" && i != but && w.scripts[i].Status == eval.Scored {
			pool = append(pool, w.scripts[i].Steps)
		}
	}
	var s Script
	var calls []llm.Call
	var err error
	switch {
	case c.Gold == "reference" && len(t.Steps) == 0:
		s = Script{Status: eval.NotApplicable, Reason: "the task has no reference steps", Method: "reference"}
	case c.Gold == "reference":
		s = Script{Steps: t.Steps, Status: eval.Scored, Method: "reference"}
	case pool != nil:
		s, calls, err = p.learner.Synthesize(ctx, t, pool, actor, c.Seed)
		s.Method = fmt.Sprintf("from %d scripts", len(pool))
	default:
		s, calls, err = p.learner.Direct(ctx, t, actor, c.Seed)
		if s.Method = "direct"; c.Gold != "direct" {
			s.Method = "direct, as there is no script to learn from"
		}
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
	subject := Subject{Task: w.task, Arm: c.Authors[i].Name, Actor: authorID(i), Script: s.Steps, Seed: c.Seed}
	panel, noGold := p.panel, gold != nil && gold.Status != eval.Scored
	if noGold {
		panel.Critic = nil
	} else if gold != nil {
		subject.Gold = gold.Steps
	}
	judges := map[string]func(context.Context, Subject) ([]Finding, []llm.Call, error){Scorer: panel.Judge}
	if p.single != nil {
		judges[SingleScorer] = func(ctx context.Context, s Subject) ([]Finding, []llm.Call, error) { return Single(ctx, p.single, s) }
	}
	for _, scorer := range []string{Scorer, SingleScorer} {
		if judges[scorer] == nil {
			continue
		}
		var list []Finding
		if s.Status == eval.Scored {
			var calls []llm.Call
			var err error
			list, calls, err = judges[scorer](ctx, subject)
			if err := stop(calls, err); err != nil {
				return err
			}
		} else {
			for _, m := range Metrics() {
				list = append(list, Finding{Session: w.task.ID, Arm: subject.Arm, Scorer: scorer, Metric: m, Status: s.Status, Reason: "there is no script: " + s.Reason})
			}
		}
		for j := range list {
			if f := &list[j]; noGold && f.Agent == "critic" && p.panel.Critic != nil {
				f.Status, f.Reason = gold.Status, "there is no gold answer: "+gold.Reason
			}
		}
		w.found(list)
	}
	return p.compare(ctx, w, &subject, s, gold)
}

// compare scores a script against the gold answer, or the task's own steps, without a judge.
func (p *Plan) compare(ctx context.Context, w *work, subject *Subject, s *Script, gold *Script) error {
	wanted := w.task.Steps
	if gold != nil {
		wanted = gold.Steps
	}
	add := func(scorer, metric string, value float64, failed error) {
		score := eval.Score{Session: w.task.ID, Item: w.task.ID, Arm: subject.Arm, Subject: subject.Arm, Scorer: scorer, Metric: metric, Status: eval.Scored}
		switch {
		case s.Status != eval.Scored:
			score.Status, score.Reason = s.Status, w.writer.Clean("there is no script: "+s.Reason)
		case scorer != "text" && len(wanted) == 0:
			score.Status, score.Reason = eval.NotApplicable, "there is nothing to compare the script with"
		case failed != nil:
			score.Status, score.Reason = eval.Failed, w.writer.Clean(failed.Error())
		default:
			score.Value = &value
		}
		w.scores = append(w.scores, score)
	}
	distinct := 1.0
	if len(Duplicates(s.Steps)) > 0 {
		distinct = 0
	}
	add("text", string(NoDuplicate), distinct, nil)
	if slices.Contains(p.config.Baseline, "rouge") {
		add("rouge", "rouge1", RougeN(1, s.Steps, wanted).F1, nil)
		add("rouge", "rouge2", RougeN(2, s.Steps, wanted).F1, nil)
		add("rouge", "rougeL", RougeL(s.Steps, wanted).F1, nil)
	}
	if p.embed == nil {
		return nil
	}
	var o Overlap
	var err error
	if s.Status == eval.Scored && len(wanted) > 0 {
		var calls []llm.Call
		o, calls, err = Embedded(ctx, p.embed, p.config.Embed, s.Steps, wanted,
			llm.Tag{Session: w.task.ID, Actor: subject.Actor, Purpose: "judge:embed"}, p.now)
		if err := stop(calls, ctx.Err()); err != nil {
			return err
		}
	}
	add("embed", "embed", o.F1, err)
	return nil
}

// stop returns why the run had better stop: an error, or a model that is out of reach for good.
func stop(calls []llm.Call, err error) error { return cmp.Or(err, llm.OutOfReach(calls)) }
