package utility

import (
	"cmp"
	"slices"
	"strconv"
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
	Seed     string    `json:"seed" parquet:"seed"` // of the run, decimal
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
		Compare: func(a, b *CriterionRow) int { return cmp.Compare(a.Job, b.Job) },
		Calls:   func(r *CriterionRow) []string { return r.Calls },
		Check: each(func(r *CriterionRow, finding func(string, ...any)) {
			if (r.Criterion == "") != (r.Reason != "") {
				finding("%q of %s has reason %q", r.Name, r.Job, r.Reason)
			}
		}),
	}
	Labels = run.Rows[LabelRow]{
		Name: "labels", Job: func(r *LabelRow) string { return r.Job },
		Compare: func(a, b *LabelRow) int { return cmp.Compare(a.Job, b.Job) },
		Calls:   func(r *LabelRow) []string { return r.Calls },
	}
	Steps = run.Rows[StepRow]{
		Name: "steps", Job: func(r *StepRow) string { return r.ID }, Keep: logs.KeepLast,
		Compare: func(a, b *StepRow) int { return cmp.Compare(a.ID, b.ID) },
		Untimed: func(r *StepRow) { r.Started, r.Finished = time.Time{}, time.Time{} },
		State:   func(r *StepRow) run.State { return r.State },
	}
)

// each makes a check of single rows.
func each[T any](check func(r *T, finding func(string, ...any))) func() run.CheckRow[T] {
	return func() run.CheckRow[T] {
		return func(r *T, finding func(string, ...any)) {
			if r != nil {
				check(r, finding)
			}
		}
	}
}

// Tables lists the tables with what Verify checks beside references and digests: steps are those of the configuration,
// and labels are of its samples.
func (p *Plan) Tables() []run.Table {
	labels, steps := Labels, Steps
	samples := map[string]string{"": ""}
	for i := range p.config.Samples {
		samples[p.config.Samples[i].ID] = p.config.Samples[i].Group
	}
	labels.Check = each(func(r *LabelRow, finding func(string, ...any)) {
		scored := r.Status == eval.Scored
		if scored != (r.Level != nil && r.Label != "") || !scored && r.Reason == "" {
			finding("%s of %s, seed %d: status %q with label %q and reason %q", r.Criterion, r.Sample, r.Seed, r.Status, r.Label, r.Reason)
		}
		if _, ok := samples[r.Sample]; !ok || r.Variant != "" && !slices.Contains(p.config.Disturb, r.Variant) || r.Seed < 1 || r.Seed > p.config.Seeds {
			finding("the configuration has no sample %q, disturbed by %q, with seed %d", r.Sample, r.Variant, r.Seed)
		}
	})
	steps.Check = each(func(r *StepRow, finding func(string, ...any)) {
		if seed := strconv.FormatUint(p.config.Seed, 10); p.gates[r.ID] == nil || r.Seed != seed || samples[r.Sample] != r.Grouping {
			finding("the configuration has no step %s of sample %q in group %q with seed %s", r.ID, r.Sample, r.Grouping, r.Seed)
		}
	})
	return []run.Table{Criteria, labels, steps}
}
