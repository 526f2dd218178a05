package script

import (
	"time"

	"parley/eval"
	"parley/eval/run"
	"parley/logs"
)

// Written is a script that an author, or the writer of gold answers, wrote for a task.
type Written struct {
	Session string      `json:"session" parquet:"session,dict"` // the task
	Arm     string      `json:"arm" parquet:"arm,dict"`         // the author; of a gold answer, the author that it is for: empty for all
	Gold    bool        `json:"gold" parquet:"gold"`
	Source  string      `json:"source" parquet:"source,dict"` // how it was had
	Steps   []string    `json:"steps" parquet:"steps,list"`
	Before  string      `json:"before" parquet:"before"` // the text before and behind the steps
	After   string      `json:"after" parquet:"after"`
	Status  eval.Status `json:"status" parquet:"status,dict"`
	Reason  string      `json:"reason" parquet:"reason"`
	Calls   []string    `json:"calls" parquet:"calls,list"`
}

// TaskRow is a task that is done.
type TaskRow struct {
	ID       string    `json:"id" parquet:"id"`
	Topic    string    `json:"topic" parquet:"topic,dict"`
	Depth    int       `json:"depth" parquet:"depth"` // constraints
	Task     string    `json:"task" parquet:"task"`   // all of it, JSON
	Calls    int       `json:"calls" parquet:"calls"`
	State    run.State `json:"state" parquet:"state,dict"`
	Started  time.Time `json:"started" parquet:"started,timestamp(microsecond)"`
	Finished time.Time `json:"finished" parquet:"finished,timestamp(microsecond)"`
}

// The tables of an evaluation of scripts, beside messages, calls and scores.
var (
	Scripts = run.Rows[Written]{
		Name: "scripts", Job: func(r *Written) string { return r.Session },
		Calls: func(r *Written) []string { return r.Calls },
	}
	Findings = run.Rows[Finding]{
		Name: "verdicts", Job: func(f *Finding) string { return f.Session },
		Calls: func(f *Finding) []string { return f.Calls },
		Check: run.Each(func(f *Finding, finding func(string, ...any)) {
			if (f.Value != nil) != (f.Status == eval.Scored) || f.Value == nil && f.Reason == "" {
				finding("%s of %s in task %s: status %q with reason %q", f.Metric, f.Arm, f.Session, f.Status, f.Reason)
			}
		}),
	}
	Done = run.Rows[TaskRow]{
		Name: "tasks", Job: func(r *TaskRow) string { return r.ID }, Keep: logs.KeepLast,
		Untimed: func(r *TaskRow) { r.Started, r.Finished = time.Time{}, time.Time{} },
		State:   func(r *TaskRow) run.State { return r.State },
	}
)
