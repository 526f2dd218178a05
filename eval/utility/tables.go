package utility

import (
	"time"

	"parley/eval"
	"parley/eval/run"
	"parley/logs"
)

// CriterionRow is a criterion that a critic proposed, or that consolidation made of them.
type CriterionRow struct {
	Job       string   `json:"job" parquet:"job,dict"`
	Stage     string   `json:"stage" parquet:"stage,dict"` // proposed or consolidated
	Seed      int      `json:"critic" parquet:"critic"`    // 0: consolidated
	Name      string   `json:"name" parquet:"name"`
	Criterion string   `json:"criterion" parquet:"criterion"` // all of it, JSON; empty: it was rejected
	Reason    string   `json:"reason" parquet:"reason"`       // why it was
	Calls     []string `json:"calls" parquet:"calls,list"`
}

// LabelRow is what the quantifier said of a sample by one criterion.
type LabelRow struct {
	Job       string      `json:"job" parquet:"job,dict"`
	Round     int         `json:"round" parquet:"round"`
	Sample    string      `json:"sample" parquet:"sample,dict"`
	Variant   string      `json:"variant" parquet:"variant,dict"` // how it was disturbed; empty: as it was
	Criterion string      `json:"criterion" parquet:"criterion,dict"`
	Seed      int         `json:"seed" parquet:"seed"`
	Label     string      `json:"label" parquet:"label,dict"`
	Level     *int        `json:"level" parquet:"level,optional"` // place among the accepted values, from 0; nil unless scored
	Status    eval.Status `json:"status" parquet:"status,dict"`
	Reason    string      `json:"reason" parquet:"reason"`
	Calls     []string    `json:"calls" parquet:"calls,list"`
}

// StepRow is a job that is done.
type StepRow struct {
	ID       string    `json:"id" parquet:"id"`
	Sample   string    `json:"sample" parquet:"sample"`
	Grouping string    `json:"sample_group" parquet:"sample_group,dict"`
	Skipped  bool      `json:"skipped" parquet:"skipped"` // the criteria were stable before this round
	Note     string    `json:"note" parquet:"note"`
	Calls    int       `json:"calls" parquet:"calls"`
	State    run.State `json:"state" parquet:"state,dict"`
	Started  time.Time `json:"started" parquet:"started,timestamp(microsecond)"`
	Finished time.Time `json:"finished" parquet:"finished,timestamp(microsecond)"`
}

// The tables of an assessment of utility, beside messages, calls and scores.
var (
	Criteria = run.Rows[CriterionRow]{
		Name: "criteria", Job: func(r *CriterionRow) string { return r.Job },
		Calls: func(r *CriterionRow) []string { return r.Calls },
		Check: run.Each(func(r *CriterionRow, finding func(string, ...any)) {
			if (r.Criterion == "") != (r.Reason != "") {
				finding("%q of %s has reason %q", r.Name, r.Job, r.Reason)
			}
		}),
	}
	Labels = run.Rows[LabelRow]{
		Name: "labels", Job: func(r *LabelRow) string { return r.Job },
		Calls: func(r *LabelRow) []string { return r.Calls },
		Check: run.Each(func(r *LabelRow, finding func(string, ...any)) {
			scored := r.Status == eval.Scored
			if scored != (r.Level != nil && r.Label != "") || !scored && r.Reason == "" {
				finding("%s of %s, seed %d: status %q with label %q and reason %q", r.Criterion, r.Sample, r.Seed, r.Status, r.Label, r.Reason)
			}
		}),
	}
	Steps = run.Rows[StepRow]{
		Name: "steps", Job: func(r *StepRow) string { return r.ID }, Keep: logs.KeepLast,
		Untimed: func(r *StepRow) { r.Started, r.Finished = time.Time{}, time.Time{} },
		State:   func(r *StepRow) run.State { return r.State },
	}
)
