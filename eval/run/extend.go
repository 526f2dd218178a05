package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"parley/eval"
	"parley/logs"
	"parley/sim/fleet"
	"parley/sim/llm"
)

// Extension scores a finished run again. Its jobs add calls, messages and scores; everything else stays.
type Extension struct {
	Plan    Plan // with the configuration that the run has from now on; its Prepare opens the scorers
	Prepare func(ctx context.Context, env *Env) error
	Jobs    iter.Seq2[Job, error]
}

// Extend scores a finished run again. Earlier scores stay under their own method; of each metric those of the
// method that came last are shown, which the manifest says. After an error the run is as it was, but for
// journals beside its tables, from which the next Extend goes on without asking again.
func Extend(ctx context.Context, dir string, x Extension, o Options) (m *Manifest, err error) {
	if m, err = ReadManifest(dir); err != nil {
		return nil, err
	}
	if m.State != Complete {
		return nil, fmt.Errorf("%s is %s: finish it first with: parley resume %s", dir, m.State, dir)
	}
	if err := trust(dir, m, x.Plan, &o); err != nil {
		return nil, err
	}
	if err := rebudget(m, x.Plan, &o); err != nil {
		return nil, err
	}
	release, err := logs.Lock(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	r := &execution{
		dir: dir, plan: x.Plan, options: o, now: o.Now, manifest: m, resumed: true, pass: m.Passes + 1,
		tables: []Table{Messages, Calls, Scores},
	}
	r.env = newEnv(r)
	r.contexts(ctx)
	defer r.stop(nil)
	ctx = r.soft
	r.openAccount()
	if err := r.affordable(); err != nil {
		return nil, err
	}
	if err := r.openModels(ctx); err != nil {
		return nil, err
	}
	if err := r.refuseSelfJudging(); err != nil {
		return nil, err
	}
	if err := x.Prepare(ctx, r.env); err != nil {
		return nil, err
	}
	if err := r.score(ctx, x.Jobs); err != nil {
		return nil, &StoppedError{dir, err}
	}
	return m, r.finishPass()
}

// score journals what the jobs add to the run's tables.
func (r *execution) score(ctx context.Context, jobs iter.Seq2[Job, error]) (err error) {
	if _, err := r.rollBack(); err != nil {
		return err
	}
	for _, t := range r.tables {
		if exists(t.path(r.dir, ".jsonl")) {
			_, err = logs.Repair(t.path(r.dir, ".jsonl")) // of a pass that was stopped
		} else {
			err = t.expand(r.dir)
		}
		if err != nil {
			return err
		}
	}
	if err := r.countUsed(Calls.journal(r.dir)); err != nil {
		return err
	}
	keep := func(c *llm.Call) bool { return !strings.HasSuffix(c.Purpose, r.suffix()) }
	if err := r.remember(keep); err != nil {
		return err
	}
	if _, _, err := logs.Filter(Calls.path(r.dir, ".jsonl"), keep); err != nil {
		return err
	}
	if err := r.openJournal(); err != nil {
		return err
	}
	r.progress = NewProgress(r.options.Log, r.options.Columns, "sessions", "scores", map[string]int{"": r.manifest.Of}, r.now)
	defer r.progress.Close()
	var broken error
	err = fleet.Run(ctx, r.atOnce(), func(yield func(func(context.Context) error) bool) {
		for job, err := range jobs {
			if err != nil {
				broken = err
				return
			}
			if !yield(func(ctx context.Context) error { return r.do(ctx, job) }) {
				return
			}
		}
	})
	return errors.Join(err, broken, r.journal.Close())
}

// suffix ends the purposes of the calls of a later pass, so that their ids are new.
func (r *execution) suffix() string {
	if r.pass < 2 {
		return ""
	}
	return fmt.Sprintf("+%d", r.pass)
}

// CallID returns the id under which a call of this pass is kept.
func (w *Writer) CallID(c *llm.Call) string {
	return strings.Replace(c.ID, "/"+c.Purpose+"/", "/"+c.Purpose+w.run.suffix()+"/", 1)
}

// finishPass makes Parquet of the three tables and the manifest anew. Of scores with the same method the last
// ones stay.
func (r *execution) finishPass() error {
	m := r.manifest
	key := func(s *eval.Score) string {
		return strings.Join([]string{s.Session, s.Scorer, s.Metric, s.Subject, s.Control, fmt.Sprint(s.Turn), s.Method}, "\x00")
	}
	newest, n := map[string]int{}, 0
	for s, err := range Scores.journal(r.dir) {
		if err != nil {
			return err
		}
		newest[key(&s)] = n
		n++
	}
	at := -1
	if _, _, err := logs.Filter(Scores.path(r.dir, ".jsonl"), func(s *eval.Score) bool { at++; return newest[key(s)] == at }); err != nil {
		return err
	}
	if err := r.compact(); err != nil {
		return err
	}
	m.Passes = r.pass
	r.closeAccount()
	if err := r.measure(); err != nil {
		return err
	}
	if err := r.report(); err != nil {
		return err
	}
	if err := m.reconfigure(r.plan, &r.options); err != nil {
		return err
	}
	if err := m.write(r.dir); err != nil {
		return err
	}
	return r.removeJournals()
}

// Show says that of each metric the scores of this method are shown from now on.
func (w *Writer) Show(scores []eval.Score) {
	r := w.run
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.manifest.Shown == nil {
		r.manifest.Shown = map[string]string{}
	}
	for i := range scores {
		r.manifest.Shown[scores[i].Scorer+"/"+scores[i].Metric] = scores[i].Method
	}
}
