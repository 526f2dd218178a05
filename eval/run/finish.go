package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/eval"
	"parley/logs"
	"parley/sim/llm"
)

// finish turns the journal into Parquet, makes the results and the page, and writes the manifest last: until
// it says complete, all of this can be done again.
func (r *execution) finish() error {
	m := r.manifest
	m.Tables = map[string]TableState{}
	if err := r.compact(); err != nil {
		return err
	}
	if err := r.measure(); err != nil {
		return err
	}
	m.State = Failed // the journal stays, for the failed jobs to be taken up again
	if m.Jobs[Failed] == 0 {
		now := r.now().UTC().Truncate(time.Microsecond)
		m.State, m.Finished = Complete, &now
	}
	if err := r.report(); err != nil {
		return err
	}
	if err := m.write(r.dir); err != nil || m.State == Failed {
		return err
	}
	return r.removeJournals()
}

// removeJournals removes what a finished run does not need.
func (r *execution) removeJournals() error {
	for _, name := range []string{recalledName, logs.DigestsName} {
		if err := os.Remove(filepath.Join(r.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return removeAll(r.dir, r.tables, ".jsonl")
}

// measure makes the results and the sums of the model calls from the tables.
func (r *execution) measure() error {
	m := r.manifest
	m.Metrics = eval.Merge(r.plan.Metrics(), m.Metrics)
	var err error
	if m.Results, err = Results(r.dir, r.plan, m); err != nil {
		return err
	}
	meter := llm.NewMeter()
	for call, err := range Calls.Read(r.dir) {
		if err != nil {
			return err
		}
		m.meter(meter, call)
	}
	tally := meter.Tally(r.price)
	m.Usage = &tally
	return nil
}

// meter counts a call. For one that a recording answered, no server was asked.
func (m *Manifest) meter(meter *llm.Meter, call llm.Call) {
	if served := m.Models[call.Model]; served != nil && served.Recorded {
		call.FromCache = true
	}
	meter.Add(call)
}

// Results makes the results of a run from its scores, or as its plan does.
func Results(dir string, p Plan, m *Manifest) ([]eval.Result, error) {
	if own, ok := p.(Resulter); ok {
		return own.Results(dir, m)
	}
	s := eval.NewSummary(eval.Merge(p.Metrics(), m.Metrics), p.Arms(), m.Shows)
	for score, err := range Scores.Read(dir) {
		if err != nil {
			return nil, err
		}
		s.Add(&score)
	}
	return s.Results(), nil
}

// Shows reports whether a score counts: where a run was scored again, only the scores of the method that is
// shown do.
func (m *Manifest) Shows(s *eval.Score) bool {
	method, again := m.Shown[s.Scorer+"/"+s.Metric]
	return !again || s.Method == method
}

// report writes the page.
func (r *execution) report() error {
	p, ok := r.plan.(Reporter)
	if !ok {
		return nil
	}
	var page strings.Builder
	if err := p.Report(r.dir, r.manifest, &page); err != nil {
		return fmt.Errorf("write the report of %s: %w", r.dir, err)
	}
	return logs.WriteFile(filepath.Join(r.dir, ReportName), []byte(page.String()))
}

// compact turns the journals of the tables into Parquet, each proven equal to its journal.
func (r *execution) compact() error {
	meta := logs.Meta{Program: "parley", Version: r.manifest.Version}
	for _, t := range r.tables {
		c, err := t.compact(r.dir, meta)
		if err != nil {
			return fmt.Errorf("write %s: %w", t.path(r.dir, ".parquet"), err)
		}
		hash, err := fileHash(t.path(r.dir, ".parquet"))
		if err != nil {
			return err
		}
		r.manifest.Tables[t.name()] = TableState{c.Rows, c.Digest, hash}
	}
	return nil
}
