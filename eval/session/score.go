package session

import (
	"context"
	"iter"
	"slices"

	"parley/eval"
	"parley/eval/run"
)

// Score scores a finished run of sessions again: with the scorers that are named (none: those of the
// configuration), with another judge (empty: the same), and with scorers of the caller's own. Earlier scores
// stay under their own method.
func Score(ctx context.Context, dir string, scorers []string, judge string, o run.Options, extra ...eval.Scorer) (*run.Manifest, error) {
	_, c, err := Read(dir)
	if err != nil {
		return nil, err
	}
	if judge != "" {
		c.Judge, o.Trust = judge, true // the caller names it, whatever the run says
	}
	asked := *c
	if len(scorers) > 0 || len(extra) > 0 {
		asked.Scorers = scorers
		for _, name := range slices.Concat(c.scorerNames(), scorers) {
			if !slices.Contains(c.Scorers, name) {
				c.Scorers = append(c.Scorers, name)
			}
		}
	}
	if err := c.Complete(); err != nil {
		return nil, err
	}
	p := New(c, extra...)
	judging := &judgingPlan{Plan: p}
	return run.Extend(ctx, dir, run.Extension{
		Plan: judging,
		Prepare: func(_ context.Context, env *run.Env) error {
			s, err := p.scoring(env)
			if err != nil {
				return err
			}
			s.Config = &asked
			if len(scorers) > 0 || len(extra) == 0 {
				p.scorers, err = makeScorers(s)
			}
			p.scorers = append(p.scorers, extra...)
			return err
		},
		Jobs: p.rescore(dir),
	}, o)
}

// judgingPlan opens the judge alone: nothing is played.
type judgingPlan struct{ *Plan }

// Models lists the judge, and the models under test without opening them.
func (p *judgingPlan) Models() []run.Use {
	return slices.DeleteFunc(p.config.uses(), func(u run.Use) bool { return u.Role != "judge" })
}

// rescore yields a job for each session that was played.
func (p *Plan) rescore(dir string) iter.Seq2[run.Job, error] {
	return func(yield func(run.Job, error) bool) {
		for played, err := range Episodes(dir) {
			if err != nil {
				yield(run.Job{}, err)
				return
			}
			job := run.Job{ID: played.Row.ID, Do: func(ctx context.Context, w *run.Writer) error {
				scores, err := p.score(ctx, w, played.Episode, &played.Row)
				if err != nil {
					return err
				}
				w.Show(scores)
				w.Step()
				run.Scores.Add(w, scores...)
				return nil
			}}
			if !yield(job, nil) {
				return
			}
		}
	}
}
