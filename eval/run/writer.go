package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"parley/logs"
	"parley/sim/llm"
)

// Writer takes what one job writes. Its methods and the Add of tables may be called by several
// goroutines at once.
type Writer struct {
	run      *execution
	job, arm string
	mu       sync.Mutex
	batch    *logs.Batch // rows since the last commit; nil: none
	ledger   llm.Ledger
	recorded map[string]*llm.Call // calls of an earlier attempt, by id
	calls    int
}

// Commit hands over the rows that were added since the last time. They become durable together, in the
// order of the tables, but count only once the job has its row in the last table. An error is the
// journal's first: nothing can be written any more.
func (w *Writer) Commit() error {
	w.mu.Lock()
	b := w.batch
	w.batch = nil
	w.mu.Unlock()
	if b == nil {
		return nil
	}
	return w.run.journal.Append(b)
}

// Step counts one step of the job, such as a turn, for progress.
func (w *Writer) Step() { w.run.progress.Step(w.arm) }

// Calls returns how many model calls the job has made, those of earlier attempts included.
func (w *Writer) Calls() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls
}

// writerKey finds the writer of a job in the context of its calls.
type writerKey struct{}

// recording wraps a model so that each of its calls is journaled as it is answered, in the job whose
// context it is made in, and that calls of an earlier attempt at the job are answered from the journal.
func (r *execution) recording(spec string, m llm.Model) llm.Model {
	return llm.Func(func(ctx context.Context, req llm.Request) (*llm.Response, error) {
		w, _ := ctx.Value(writerKey{}).(*Writer)
		if w == nil {
			return m.Generate(ctx, req)
		}
		req.Tag.Purpose += r.suffix()
		if resp, known, err := w.recall(req); known || err != nil {
			return resp, err
		}
		for _, path := range []string{filepath.Join(r.dir, ManifestName), Calls.path(r.dir, ".jsonl")} {
			if _, err := os.Stat(path); err != nil {
				err = fmt.Errorf("the run's directory is gone: %w", err)
				r.stop(err)
				return nil, &llm.Error{Model: spec, Fault: llm.OverBudget, Err: err,
					Hint: "no further call is made, since nothing could be kept"}
			}
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := r.overBudget(); err != nil {
			return nil, err
		}
		// A reply of a server is paid for: the one before is on disk before another is asked for, so that a
		// kill loses at most one for each job.
		server := r.env.opened[spec].Defaults.Server
		if server {
			if err := r.journal.Flush(ctx); err != nil {
				return nil, err
			}
		}
		ask, done := r.outlast(ctx)
		if server && r.progress != nil {
			var answered func()
			ask, answered = r.progress.Ask(ask, spec)
			defer answered()
		}
		resp, call, err := llm.Ask(ask, m, spec, req, r.now)
		done()
		if err != nil && ctx.Err() != nil {
			return resp, err // it was cut short by the user, or by the budget, which is not the model's doing
		}
		w.keep(&call)
		if served := r.env.Served(spec); !served.Recorded {
			r.account.add(call)
			r.overBudget()
		}
		return resp, err
	})
}

// overBudget ends the jobs where a budget is used up, and returns the error for it.
func (r *execution) overBudget() error {
	_, over := r.account.spent()
	if over == nil {
		return nil
	}
	r.halt(over)
	return over
}

// outlast returns a context for a call that goes on when jobs end for want of budget, so that what is paid for is
// kept, and ends when the user stops the run.
func (r *execution) outlast(ctx context.Context) (context.Context, func()) {
	ask, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	var over *BudgetError
	jobs := context.AfterFunc(ctx, func() {
		if !errors.As(context.Cause(ctx), &over) {
			cancel(context.Cause(ctx))
		}
	})
	user := context.AfterFunc(r.hard, func() { cancel(context.Cause(r.hard)) })
	return ask, func() { jobs(); user(); cancel(nil) }
}

// recall answers a request from the calls of an earlier attempt, where the same was asked: what a job asks may
// depend on an answer that it did not have then.
func (w *Writer) recall(req llm.Request) (resp *llm.Response, known bool, err error) {
	w.mu.Lock()
	c := w.recorded[llm.CallID(req.Tag)]
	w.mu.Unlock()
	if c == nil || c.Differs(req) != "" {
		return nil, false, nil
	}
	c.Messages = req.Messages
	w.keep(c)
	resp, err = c.Response()
	return resp, true, err
}

// keep journals a call with those of its messages that the job has not kept yet.
func (w *Writer) keep(call *llm.Call) {
	w.run.note(call)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	b := w.run.journal.Batch()
	for hash, m := range w.ledger.New(call) {
		logs.Add(b, Messages.Name, Message{Hash: hash, Role: m.Role, Content: m.Content})
	}
	logs.Add(b, Calls.Name, *call)
	if err := w.run.journal.Append(b); err != nil {
		w.run.stop(err) // nothing can be written any more
	}
}

// Env is what a plan prepares and its jobs work with.
type Env struct {
	// Dir is the directory of the run.
	Dir string
	// Now is the clock.
	Now func() time.Time
	// Rehearsal says that models are stand-ins for an estimate: a job that depends on their replies does all it may have to.
	Rehearsal bool

	run    *execution
	opened map[string]*llm.Opened
	models map[string]llm.Model
	embeds map[string]llm.Model
}

func newEnv(r *execution) *Env {
	return &Env{Dir: r.dir, Now: r.now, run: r, opened: map[string]*llm.Opened{}, models: map[string]llm.Model{}, embeds: map[string]llm.Model{}}
}

// Model returns an opened model, nil where it is not among the plan's.
func (e *Env) Model(spec string) llm.Model { return e.models[spec] }

// Embedder returns a model that embeds texts, nil where it cannot.
func (e *Env) Embedder(spec string) llm.Model { return e.embeds[spec] }

// Served returns what is known of a model. A plan may set Form, Why, NumCtx and Places while it prepares.
func (e *Env) Served(spec string) *Served {
	r := e.run
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.manifest.Models[spec] == nil {
		r.manifest.Models[spec] = &Served{}
	}
	return r.manifest.Models[spec]
}

// Note tells the user something while the run goes on.
func (e *Env) Note(format string, args ...any) { e.run.tellf("note: "+format, args...) }

// Opened returns an opened model with its defaults and identity, nil where it is not among the plan's. Its
// own Model is not recorded: jobs use Env.Model.
func (e *Env) Opened(spec string) *llm.Opened { return e.opened[spec] }

// Context returns the size of context to ask a model for, the same for all of its calls in a run.
func (e *Env) Context(spec string) int {
	served := e.Served(spec)
	e.run.mu.Lock() // jobs may be the first to ask
	defer e.run.mu.Unlock()
	if served.NumCtx == 0 {
		served.NumCtx = e.opened[spec].Context(0)
	}
	return served.NumCtx
}

// Recorded returns the run whose calls a model replays.
func (e *Env) Recorded(spec string) (dir string, ok bool) {
	return e.run.options.Registry.Recorded(spec)
}

// Prompts keeps the run to the texts of its prompts, given by name with their SHA-256.
func (e *Env) Prompts(hashes map[string]string) error { return e.run.keepPrompts(hashes) }

// Read returns the content of a file that the configuration names. A new run reads the file and keeps a
// copy; one that is resumed reads the copy.
func (e *Env) Read(path string) ([]byte, error) { return e.run.read(path) }

// Files is Read for the files of a directory that the configuration names, by fs.ReadDir and fs.ReadFile.
func (e *Env) Files(path string) fs.FS { return inputDir{e.run, path} }
