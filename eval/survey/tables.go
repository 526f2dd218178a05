package survey

import (
	"time"

	"parley/eval"
	"parley/eval/run"
	"parley/logs"
)

// DocumentRow is a document that is done.
type DocumentRow struct {
	ID       string      `json:"id" parquet:"id"`
	File     string      `json:"file" parquet:"file"`
	Kind     string      `json:"kind" parquet:"kind,dict"`
	Format   string      `json:"format" parquet:"format,dict"`
	Title    string      `json:"title" parquet:"title"`
	Prompt   string      `json:"prompt" parquet:"prompt"`
	Status   eval.Status `json:"status" parquet:"status,dict"` // failed: it could not be read
	Reason   string      `json:"reason" parquet:"reason"`
	Document string      `json:"document" parquet:"document"` // all of it, JSON
	Calls    int         `json:"calls" parquet:"calls"`
	State    run.State   `json:"state" parquet:"state,dict"`
	Started  time.Time   `json:"started" parquet:"started,timestamp(microsecond)"`
	Finished time.Time   `json:"finished" parquet:"finished,timestamp(microsecond)"`
}

// FindingRow is what the checks without a model found in a document.
type FindingRow struct {
	Document string `json:"document" parquet:"document,dict"`
	Where    string `json:"where" parquet:"where"`
	Rule     string `json:"rule" parquet:"rule,dict"`
	Message  string `json:"message" parquet:"message"`
}

// The tables of an evaluation of surveys, beside messages, calls and scores.
var (
	Verdicts = run.Rows[Verdict]{
		Name: "verdicts", Job: func(r *Verdict) string { return r.Document },
		Calls: func(r *Verdict) []string { return r.Calls },
		Check: run.Each(func(r *Verdict, finding func(string, ...any)) {
			if r.Scored() != (r.Value != nil || r.Label != "") || !r.Scored() && r.Reason == "" {
				finding("%s of %s on %s: status %q with reason %q", r.Aspect, r.Agent, r.Document, r.Status, r.Reason)
			}
		}),
	}
	Proposals = run.Rows[Proposal]{
		Name: "proposals", Job: func(r *Proposal) string { return r.Document },
		Calls: func(r *Proposal) []string { return r.Calls },
	}
	Findings = run.Rows[FindingRow]{
		Name: "findings", Job: func(r *FindingRow) string { return r.Document },
	}
	Documents = run.Rows[DocumentRow]{
		Name: "documents", Job: func(r *DocumentRow) string { return r.ID }, Keep: logs.KeepLast,
		Untimed: func(r *DocumentRow) { r.Started, r.Finished = time.Time{}, time.Time{} },
		State:   func(r *DocumentRow) run.State { return r.State },
	}
)
