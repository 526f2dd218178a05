package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/eval"
	"parley/logs"
	"parley/sim/fleet"
	"parley/sim/llm"
)

// execution is one call of Run or Resume.
type execution struct {
	dir      string
	plan     Plan
	options  Options
	now      func() time.Time
	manifest *Manifest
	tables   []Table
	env      *Env
	journal  *logs.Journal
	progress *Progress
	resumed  bool

	pass       int      // of scoring; 1: the one in which the run was made
	concurrent int      // requests that the models take at once; 0: there are none
	wrote      bool     // copies of input files
	made       []string // directories that were made for the run, the innermost first

	done     map[string]bool                 // jobs that are complete
	recorded map[string]map[string]*llm.Call // calls of jobs that are not, by job and id

	mu      sync.Mutex
	stop    context.CancelCauseFunc
	price   *llm.Prices
	account *account
	killed  *time.Time              // when a pass began that was killed; nil: none was
	hard    context.Context         // ends all calls
	soft    context.Context         // ends jobs, while calls that are under way are still answered
	halt    context.CancelCauseFunc // of soft
}

// contexts makes the two contexts of an execution of the user's.
func (r *execution) contexts(ctx context.Context) {
	r.hard, r.stop = context.WithCancelCause(ctx)
	r.soft, r.halt = context.WithCancelCause(r.hard)
}

// StoppedError says that a run stopped before its end. Nothing that is on disk is lost.
type StoppedError struct {
	Dir string
	Err error
}

func (e *StoppedError) Error() string { return e.Err.Error() }
func (e *StoppedError) Unwrap() error { return e.Err }

// Run executes a plan in a directory, which it makes. It refuses a directory that holds a run. After a
// *StoppedError the run can be resumed; before anything is played, as for a model that is not there, the
// directory is not made.
func Run(ctx context.Context, dir string, p Plan, o Options) (*Manifest, error) {
	tables := tablesOf(p)
	if exists(filepath.Join(dir, ManifestName)) {
		return nil, fmt.Errorf("%s holds a run already: go on with it (parley resume %s) or name another directory", dir, dir)
	}
	for _, t := range tables {
		for _, path := range []string{t.path(dir, ".jsonl"), t.path(dir, ".parquet")} {
			if exists(path) {
				return nil, fmt.Errorf("%s is of another run, whose %s is gone: put that back, or name another directory", path, ManifestName)
			}
		}
	}
	m, err := newManifest(p, &o)
	if err != nil {
		return nil, err
	}
	return execute(ctx, dir, p, m, o, false)
}

// Resume goes on with a run that was stopped, or that finished with failed jobs, and returns the manifest
// of one that is complete as it is.
func Resume(ctx context.Context, dir string, o Options) (*Manifest, error) {
	m, err := ReadManifest(dir)
	if err != nil || m.State == Complete {
		return m, err
	}
	p, err := o.Kinds.Plan(dir, m)
	if err != nil {
		return nil, err
	}
	if err := trust(dir, m, p, &o); err != nil {
		return nil, err
	}
	if err := rebudget(m, p, &o); err != nil {
		return nil, err
	}
	return execute(ctx, dir, p, m, o, true)
}

// rebudget gives a run that is gone on with another budget.
func rebudget(m *Manifest, p Plan, o *Options) error {
	if o.Budget == nil {
		return nil
	}
	before := p.Settings().Limits.Budget
	if o.Budget(&p.Settings().Limits.Budget); p.Settings().Limits.Budget == before {
		return nil
	}
	mine := o.Secret != nil && m.Signature == m.sign(o.Secret)
	if err := m.reconfigure(p, o); err != nil {
		return err
	}
	if !mine {
		m.Signature = ""
	}
	return nil
}

// Plan makes the plan of a run again.
func (k Kinds) Plan(dir string, m *Manifest) (Plan, error) {
	if k[m.Kind] == nil {
		return nil, fmt.Errorf("%s is a run of kind %q, which this program does not know", dir, m.Kind)
	}
	p, err := k[m.Kind](m.Config)
	if err != nil {
		return nil, fmt.Errorf("%s: its configuration: %w", filepath.Join(dir, ManifestName), err)
	}
	return p, nil
}

// Read reads the manifest of a run, which has to be of the kind, and makes its plan again.
func (k Kinds) Read(dir, kind string) (*Manifest, Plan, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, nil, err
	}
	if m.Kind != kind {
		return nil, nil, fmt.Errorf("%s is a run of kind %q, and one of kind %q is needed", dir, m.Kind, kind)
	}
	p, err := k.Plan(dir, m)
	return m, p, err
}

// mine reports whether this user began a run, or trusts who did.
func (o *Options) mine(m *Manifest) bool {
	return o.Secret == nil || o.Trust || m.Signature == m.sign(o.Secret)
}

// trust refuses to open what a run that this user did not begin names, unless told to.
func trust(dir string, m *Manifest, p Plan, o *Options) error {
	if o.mine(m) {
		return nil
	}
	var named []string
	for _, use := range p.Models() {
		if !slices.Contains(named, use.Model) {
			named = append(named, use.Model)
		}
	}
	if len(named) == 0 {
		return nil
	}
	return Usagef("%s was not begun by you on this machine, and going on would open what it names: %s; look at its %s, then say --trust if that is what you want",
		dir, strings.Join(named, ", "), ManifestName)
}

// execute plays what is left of a run and brings it into its final form.
func execute(ctx context.Context, dir string, p Plan, m *Manifest, o Options, resumed bool) (done *Manifest, err error) {
	r := &execution{
		dir: dir, plan: p, options: o, now: o.Now, manifest: m, tables: tablesOf(p), resumed: resumed, pass: 1,
		done: map[string]bool{},
	}
	r.env = newEnv(r)
	r.contexts(ctx)
	defer r.stop(nil)
	for above := filepath.Clean(dir); !exists(above) && above != filepath.Dir(above); above = filepath.Dir(above) {
		r.made = append(r.made, above)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	release, err := logs.Lock(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	r.killed = m.Began
	r.openAccount()
	if !resumed {
		if err := m.write(dir); err != nil {
			return nil, err
		}
	}
	began, err := r.play(r.soft)
	r.closeAccount()
	switch {
	case err != nil && !began && !resumed:
		return nil, errors.Join(err, r.discard())
	case err != nil && !began:
		return nil, err
	case err != nil:
		m.State = Interrupted
		return m, &StoppedError{dir, errors.Join(err, m.write(dir))}
	}
	return m, r.finish()
}

// discard removes what a run left that ended before its first job, such as for a file that is not there.
func (r *execution) discard() error {
	err := removeAll(r.dir, r.tables, ".jsonl")
	for _, name := range []string{ManifestName, logs.DigestsName, ".lock"} {
		if gone := os.Remove(filepath.Join(r.dir, name)); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	if r.wrote {
		err = errors.Join(err, os.RemoveAll(filepath.Join(r.dir, inputsName)))
	}
	for _, dir := range r.made {
		os.Remove(dir) // stays where it holds something else
	}
	return err
}

// maxRounds is how often jobs are gone through: failed ones are tried once more at the end of a run.
const maxRounds = 2

// play prepares the plan and does the jobs that are not done. It reports whether jobs could begin: before
// that, an error leaves a new run without a trace.
func (r *execution) play(ctx context.Context) (began bool, err error) {
	if err := r.affordable(); err != nil {
		return false, err
	}
	if r.resumed {
		if err := r.takeUp(true); err != nil {
			return false, err
		}
	}
	if err := r.openJournal(); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, r.journal.Close()) }()
	r.progress = NewProgress(r.options.Log, r.options.Columns, r.tables[len(r.tables)-1].name(), r.steps(), nil, r.now)
	defer r.progress.Close()
	if err := r.prepare(ctx); err != nil {
		return false, err
	}
	for round := 1; ; round++ {
		if err := r.round(ctx); err != nil {
			return true, err
		}
		if r.manifest.Jobs[Failed] == 0 || round == maxRounds {
			return true, nil
		}
		if err := r.journal.Close(); err != nil {
			return true, err
		}
		if err := r.takeUp(false); err != nil {
			return true, err
		}
		if err := r.openJournal(); err != nil {
			return true, err
		}
	}
}

func (r *execution) openJournal() (err error) {
	r.journal, err = logs.Open(r.dir, names(r.tables), logs.Options{})
	return err
}

// round does every job that is not done once, stage by stage.
func (r *execution) round(ctx context.Context) error {
	r.manifest.Jobs = map[State]int{Complete: len(r.done)}
	left := map[string]int{} // jobs by arm
	for job, err := range r.plan.Jobs(r.env) {
		if err != nil {
			return err
		}
		if !r.done[job.ID] {
			left[job.Arm]++
		}
	}
	r.progress.Begin(left)
	next, stop := iter.Pull2(r.plan.Jobs(r.env))
	defer stop()
	job, broken, more := next()
	var err error
	for more && broken == nil && err == nil {
		stage := job.Stage
		err = fleet.Run(ctx, r.atOnce(), func(yield func(func(context.Context) error) bool) {
			for ; more && broken == nil && job.Stage == stage; job, broken, more = next() {
				begun := job
				if !r.done[job.ID] && !yield(func(ctx context.Context) error { return r.do(ctx, begun) }) {
					return
				}
			}
		})
		if over := (*BudgetError)(nil); errors.As(err, &over) && broken == nil && r.doneAll() {
			err = nil // the last call of the last job used it up
		}
		if flushed := r.journal.Flush(context.WithoutCancel(ctx)); err == nil {
			err = cmp.Or(broken, flushed)
		}
	}
	if err == nil {
		err = broken
	}
	return err
}

// doneAll reports whether every job was done in this round or before.
func (r *execution) doneAll() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, jobs := range r.manifest.Jobs {
		n += jobs
	}
	return n == r.manifest.Of
}

// prepare opens the models, prepares the plan and counts its jobs.
func (r *execution) prepare(ctx context.Context) error {
	m := r.manifest
	if err := r.openModels(ctx); err != nil {
		return err
	}
	if err := r.refuseSelfJudging(); err != nil {
		return err
	}
	w := &Writer{run: r, recorded: r.recorded[""]}
	if err := r.plan.Prepare(context.WithValue(ctx, writerKey{}, w), r.env); err != nil {
		return err
	}
	m.Of = 0
	for _, err := range r.plan.Jobs(r.env) {
		if err != nil {
			return err
		}
		m.Of++
	}
	m.State, m.Finished = Running, nil
	return m.write(r.dir)
}

// steps names what jobs consist of.
func (r *execution) steps() string {
	if c, ok := r.plan.(Counter); ok {
		return c.Steps()
	}
	return "steps"
}

// atOnce returns how many jobs are done at once: as many as asked for, else as many requests as the models
// take, else enough to hide the disk's latency behind jobs that need no model.
func (r *execution) atOnce() int {
	switch {
	case r.options.Jobs > 0:
		return r.options.Jobs
	case r.plan.Settings().Jobs > 0:
		return r.plan.Settings().Jobs
	case r.concurrent > 0:
		return r.concurrent
	}
	return 4 * runtime.GOMAXPROCS(0)
}

// do does one job. Its error stops the run.
func (r *execution) do(ctx context.Context, job Job) error {
	w := &Writer{run: r, job: job.ID, arm: job.Arm, recorded: r.recorded[job.ID]}
	if err := job.Do(context.WithValue(ctx, writerKey{}, w), w); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return errors.Join(err, w.Commit()) // what failed is kept, and tried again on resume
	}
	return w.Commit()
}

// Done says how a job ended, for counts and progress. A job whose scores failed is failed with them.
func (w *Writer) Done(s State, scores ...eval.Score) State {
	without := 0
	for i := range scores {
		if scores[i].Status == eval.Failed {
			s = Failed
		}
		if scores[i].Value == nil && scores[i].Status != eval.NotApplicable {
			without++
		}
	}
	r := w.run
	r.mu.Lock()
	r.manifest.Jobs[s]++
	r.mu.Unlock()
	r.progress.Job(w.arm, s == Failed, without)
	return s
}

// clean removes keys from a text.
func (r *execution) clean(text string) string {
	return r.options.Env.Keys.Redact(text)
}

// Clean removes keys from a text that is to be stored.
func (w *Writer) Clean(text string) string { return w.run.clean(text) }

// readPrices reads the price file of the configuration.
func (r *execution) readPrices() error {
	file := r.plan.Settings().Prices
	if file == "" {
		return nil
	}
	data, err := r.read(file)
	if err != nil {
		return err
	}
	r.price, err = llm.ReadPrices(strings.NewReader(string(data)), file)
	return err
}
