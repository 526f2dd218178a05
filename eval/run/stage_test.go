package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/eval"
	"parley/eval/run"
	"parley/eval/run/runtest"
)

// staged is a plan of three stages whose jobs count the jobs that they find done when they begin.
type staged struct{ settings run.Settings }

type stagedRow struct {
	ID    string    `json:"id" parquet:"id"`
	Found int       `json:"found" parquet:"found"` // jobs of earlier stages
	State run.State `json:"state" parquet:"state"`
}

const jobsInStage = 9

var stagedRows = run.Rows[stagedRow]{Name: "jobs", Job: func(r *stagedRow) string { return r.ID }, State: func(r *stagedRow) run.State { return r.State }}

func (p *staged) Kind() string                            { return "staged" }
func (p *staged) Config() any                             { return p.settings }
func (p *staged) Settings() *run.Settings                 { return &p.settings }
func (p *staged) Models() []run.Use                       { return nil }
func (p *staged) Tables() []run.Table                     { return []run.Table{stagedRows} }
func (p *staged) Arms() []string                          { return nil }
func (p *staged) Metrics() []eval.Metric                  { return nil }
func (p *staged) Prepare(context.Context, *run.Env) error { return nil }

func (p *staged) Jobs(env *run.Env) iter.Seq2[run.Job, error] {
	return func(yield func(run.Job, error) bool) {
		for i := range 3 * jobsInStage {
			job := run.Job{ID: fmt.Sprintf("%02d", i), Stage: i / jobsInStage}
			job.Do = func(_ context.Context, w *run.Writer) error {
				row := stagedRow{ID: job.ID, State: w.Done(run.Complete)}
				for earlier, err := range stagedRows.Read(env.Dir) {
					if err != nil {
						return err
					}
					if earlier.ID < fmt.Sprintf("%02d", job.Stage*jobsInStage) {
						row.Found++
					}
				}
				stagedRows.Add(w, row)
				return nil
			}
			if !yield(job, nil) {
				return
			}
		}
	}
}

func newStaged() run.Plan { return &staged{settings: run.Settings{Seed: 1, Jobs: 8}} }

// A job begins once the rows of all jobs of earlier stages can be read, also where the run was stopped and resumed.
func TestStages(t *testing.T) {
	o := run.Options{Now: time.Now, Kinds: run.Kinds{"staged": func(json.RawMessage) (run.Plan, error) { return newStaged(), nil }}}
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := run.Run(t.Context(), dir, newStaged(), o); err != nil {
		t.Fatal(err)
	}
	rows, err := stagedRows.All(dir)
	if err != nil || len(rows) != 3*jobsInStage {
		t.Fatalf("%d jobs, %v", len(rows), err)
	}
	for i, row := range rows {
		if want := i / jobsInStage * jobsInStage; row.Found != want {
			t.Errorf("job %s found %d jobs of earlier stages done, want %d", row.ID, row.Found, want)
		}
	}
	runtest.TestPlan(t, runtest.Case{New: newStaged, Options: o})
}

// As many jobs are done at once as are asked for, else as the models take, else several for each processor.
func TestJobsAtOnce(t *testing.T) {
	for _, test := range []struct {
		option, setting int
		specs           []string
		want            int
	}{
		{1, 5, nil, 1}, {3, 5, nil, 3}, {0, 1, []string{"hosted:p"}, 1}, {0, 5, nil, 5}, {0, 0, []string{"hosted:p", "served:p"}, 4}, {0, 0, []string{"served:p"}, 4 * runtime.GOMAXPROCS(0)},
	} {
		synctest.Test(t, func(t *testing.T) {
			var in atomic.Int64
			ctx, cancel := context.WithCancel(t.Context())
			w := &world{}
			p := &small{settings: run.Settings{Jobs: test.setting}, uses: tested(test.specs...), of: 100}
			p.do = func(ctx context.Context, _ *run.Env, _ *run.Writer, _ run.Job) (*float64, error) {
				in.Add(1)
				<-ctx.Done()
				return nil, ctx.Err()
			}
			o := w.options(nil)
			o.Jobs = test.option
			dir := t.TempDir()
			go func() {
				if _, err := run.Run(ctx, filepath.Join(dir, "run"), p, o); !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}()
			synctest.Wait()
			if got := int(in.Load()); got != test.want {
				t.Errorf("%+v: %d jobs at once", test, got)
			}
			cancel()
			synctest.Wait()
		})
	}
}
