// Package run executes a Plan: jobs at once, every row journaled, resumable after any kill, verifiable.
//
// A run is a directory of tables that independent jobs fill:
//
//	run.json        manifest: kind, configuration, version, served identities, counts, digests, results
//	inputs/         copies of the files that the configuration names
//	NAME.jsonl      the journal of a table, append-only while the run lives
//	digests.jsonl   running digests of the journals: what was changed in one is found, and resume goes back behind it
//	recalled.jsonl  calls of jobs that are done again, until the run is finished
//	NAME.parquet    the same table once the run is finished
//	report.html     one self-contained page
//
// A job is done whole or done again. Its model calls are journaled one by one as they are answered, and
// a job that is done again is answered from them: a stop at any moment costs at most the calls that were
// under way. Rows of a job become part of the run together with the job's row in the last table.
package run

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"time"

	"parley/eval"
	"parley/sim/llm"
)

// Plan is something that can be run. Its methods are called in the order Models, Prepare, Jobs; Verify
// calls Jobs without Prepare and runs no job.
type Plan interface {
	// Kind names the kind of run, such as session; it stands in the manifest.
	Kind() string
	// Config returns the effective configuration, from which the plan can be made again.
	Config() any
	// Settings returns the part of the configuration that every kind of run has.
	Settings() *Settings
	// Models lists the models that are opened, and for what.
	Models() []Use
	// Tables lists the plan's own tables in the order in which their rows become durable. The last one
	// has a row for each job. The tables messages, calls and scores come before them by themselves.
	Tables() []Table
	// Arms lists what is compared, in the order in which results list it.
	Arms() []string
	// Metrics lists the numbers that scores may hold.
	Metrics() []eval.Metric
	// Prepare opens what jobs need. The calls that it makes are part of the run.
	Prepare(ctx context.Context, env *Env) error
	// Jobs yields the jobs in order, each with an id that sorts and never changes.
	Jobs(env *Env) iter.Seq2[Job, error]
}

// Job is a unit of work. Do adds rows by the tables' Add, among them one row of the last table. It
// returns an error where the whole run had better stop, such as for a key that is missing. A job begins
// once the rows of all jobs of earlier stages can be read; jobs are yielded in order of their stages.
type Job struct {
	ID    string
	Arm   string // whose progress it is; empty: that of all
	Stage int
	Do    func(ctx context.Context, w *Writer) error
}

// Reporter is a plan that writes the page report.html itself.
type Reporter interface {
	Report(dir string, m *Manifest, w io.Writer) error
}

// Resulter is a plan that makes its results itself, from the tables of a run, such as for ranks.
type Resulter interface {
	Results(dir string, m *Manifest) ([]eval.Result, error)
}

// Counter is a plan that says what its jobs consist of, such as turns, for progress.
type Counter interface{ Steps() string }

// Use is a model that a plan opens.
type Use struct {
	Model  string // as written: scheme:name[?key=value&...][@base-url]
	Role   string // such as player, npc or judge
	Embeds bool   // it is asked for vectors instead of replies
	Judges bool   // it judges what the models under test do
	Tested bool   // it is a model under test
}

// Kinds makes plans again from the configuration in a manifest, by the kind of run.
type Kinds map[string]func(config json.RawMessage) (Plan, error)

// Options says how a plan is executed. What is required is marked.
type Options struct {
	Kinds    Kinds            // what Resume can read; required by it
	Registry llm.Registry     // adapters of models
	Env      llm.Env          // what the adapters may use
	Version  string           // of the program, for the manifest
	Now      func() time.Time // required
	Log      io.Writer        // progress and notes; nil: none
	Columns  int              // of the terminal that Log is; 0: 80
	Jobs     int              // at once, instead of what the configuration says; 0: as configured
	Cache    llm.Store        // replies of judges that were had before; nil: none
	ID       string           // of a new run; empty: made from the time
	// Secret tells this user's own runs from others': it signs a new run, and a run that it did not sign
	// is resumed only with Trust, since its configuration names files, addresses and variables. Nil: runs
	// are not signed and none needs Trust.
	Secret []byte
	Trust  bool
	// Budget changes the budget of a run that is gone on with; nil: it stays.
	Budget func(*Budget)
	// AcceptChangedModel lets a run go on although a server now serves another model under a name.
	AcceptChangedModel bool
}

// Settings are what every kind of run can be told.
type Settings struct {
	Seed           uint64 `yaml:"seed" json:"seed"`                                     // all randomness comes from it
	Jobs           int    `yaml:"jobs" json:"jobs"`                                     // at once; 0: by the models
	Limits         Limits `yaml:"limits,omitempty" json:"limits,omitzero"`              // of the run, and of endpoints
	Prices         string `yaml:"prices,omitempty" json:"prices,omitempty" path:"file"` // file
	Cache          string `yaml:"cache,omitempty" json:"cache,omitempty" path:"file"`   // directory of judges' replies
	AllowSelfJudge bool   `yaml:"allow_self_judge,omitempty" json:"allow_self_judge,omitempty"`
	Out            string `yaml:"out,omitempty" json:"-" path:"file"` // directory of the run
	JSON           bool   `yaml:"json,omitempty" json:"-"`
}
