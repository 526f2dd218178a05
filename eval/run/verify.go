package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"parley/logs"
	"parley/sim/llm"
)

// Findings is what Verify found. The JSON form is a documented interface.
type Findings struct {
	Run      string                `json:"run"`
	Kind     string                `json:"kind"`
	State    State                 `json:"state"`
	Tables   map[string]TableCheck `json:"tables"`
	Findings []string              `json:"findings"`        // the first hundred
	Notes    []string              `json:"notes,omitempty"` // what is in order, and worth knowing: a model that changed

	Found int      `json:"found"`
	Order []string `json:"-"` // of the tables
}

// Print prints the tables, the findings and the notes.
func (f *Findings) Print(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintf(tab, "TABLE\tROWS\tFORMAT\tDIGEST\tUNTIMED\n")
	for _, name := range f.Order {
		t := f.Tables[name]
		fmt.Fprintf(tab, "%s\t%d\t%s\t%.16s\t%.16s\n", name, t.Rows, t.Format, t.Digest, t.Untimed)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	for _, finding := range f.Findings {
		fmt.Fprintln(w, llm.Clean(finding))
	}
	for _, note := range f.Notes {
		fmt.Fprintln(w, "note:", llm.Clean(note))
	}
	if f.Found > len(f.Findings) {
		fmt.Fprintf(w, "and %d more\n", f.Found-len(f.Findings))
	}
	if f.Found == 0 {
		fmt.Fprintf(w, "%s is %s; every invariant holds\n", f.Run, f.State)
	}
	return nil
}

// TableCheck is a table as it was read.
type TableCheck struct {
	Rows    int64  `json:"rows"`
	Digest  string `json:"digest"`
	Untimed string `json:"digest_untimed"` // without times: the same for two runs of one seed and configuration
	Format  string `json:"format"`         // parquet or jsonl
}

// verification holds what is known of a run while its tables are read.
type verification struct {
	*Findings
	manifest *Manifest
	messages map[string]bool
	calls    map[string]bool
	jobs     map[string]State // of the plan; empty: no row yet
	meter    *llm.Meter
}

// findf adds a finding.
func (v *verification) findf(format string, args ...any) {
	if v.Found++; v.Found <= 100 {
		v.Findings.Findings = append(v.Findings.Findings, fmt.Sprintf(format, args...))
	}
}

// finished reports whether nothing more is written to the run.
func (v *verification) finished() bool {
	return v.manifest.State == Complete || v.manifest.State == Failed
}

// Verify reads a run of any kind once, table by table, and checks it against its invariants: rows are those
// that the manifest has digests of, what they refer to exists, jobs are those of the configuration, and
// results and sums are what the rows give. It opens no model and no file outside of the directory.
func Verify(dir string, kinds Kinds) (*Findings, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	p, err := kinds.Plan(dir, m)
	if err != nil {
		return nil, err
	}
	v := &verification{
		Findings: &Findings{Run: dir, Kind: m.Kind, State: m.State, Tables: map[string]TableCheck{}, Findings: []string{}},
		manifest: m, messages: map[string]bool{}, calls: map[string]bool{}, jobs: map[string]State{},
		meter: llm.NewMeter(),
	}
	v.Notes = m.Changes()
	if !v.finished() {
		v.findf("the run is %s: finish it with: parley resume %s", m.State, dir)
	}
	v.provenance(p)
	v.inputs(dir)
	r := &execution{dir: dir, plan: p, manifest: m, resumed: true}
	for job, err := range p.Jobs(&Env{Dir: dir, run: r}) {
		if err != nil {
			return nil, err
		}
		v.jobs[job.ID] = ""
	}
	for _, t := range tablesOf(p) {
		v.Order = append(v.Order, t.name())
		if err := t.verify(v, dir); err != nil {
			return nil, fmt.Errorf("%s: %w", t.name(), err)
		}
	}
	if v.finished() {
		return v.Findings, v.sums(dir, r)
	}
	return v.Findings, v.open(dir)
}

// open compares the journals of a run that is not finished with their running digests.
func (v *verification) open(dir string) error {
	changed, _, known, err := logs.CheckRunning(dir, v.Order)
	if err != nil {
		return err
	}
	if !known {
		v.findf("%s is not there: what was changed in the journals cannot be found", logs.DigestsName)
	}
	for _, c := range changed {
		v.findf("%s: the journal is not what the run wrote, from byte %d on: lines are lost or were changed", c.Stream, c.From)
	}
	return nil
}

// provenance checks that the manifest is the one that was written, and that its configuration is one that this
// program would write.
func (v *verification) provenance(p Plan) {
	if sum, err := v.manifest.sum(); err != nil || sum != v.manifest.SHA256 {
		v.findf("%s: it was changed after it was written: its SHA-256 begins with %.16s, and was %.16s", ManifestName, sum, v.manifest.SHA256)
	}
	again, err := json.Marshal(p.Config())
	var kept bytes.Buffer
	if err != nil || json.Compact(&kept, v.manifest.Config) != nil || !bytes.Equal(again, kept.Bytes()) {
		v.findf("%s: its configuration reads back as another one", ManifestName)
	}
	if m := v.manifest; m.Digest != "" && m.Digest != configDigest(m.Config) {
		v.findf("%s: its configuration is not the one that was kept", ManifestName)
	}
	if !slices.Equal(v.manifest.Arms, p.Arms()) {
		v.findf("%s: the arms are %q, and the configuration has %q", ManifestName, v.manifest.Arms, p.Arms())
	}
}

// inputs checks the copies of input files.
func (v *verification) inputs(dir string) {
	for path, in := range v.manifest.Inputs {
		if _, err := readInput(dir, path, in); err != nil {
			v.findf("inputs: %v", err)
		}
	}
}

// sums compares the manifest with what the rows give.
func (v *verification) sums(dir string, r *execution) error {
	m, p := v.manifest, r.plan
	states := map[State]int{}
	for job, state := range v.jobs {
		if state == "" {
			v.findf("%s: job %s has no row", v.Order[len(v.Order)-1], job)
		}
		states[state]++
	}
	for _, s := range []State{Complete, Failed} {
		if states[s] != m.Jobs[s] {
			v.findf("%s: it says that %d jobs are %s, and the rows have %d", ManifestName, m.Jobs[s], s, states[s])
		}
	}
	if m.State == Complete && states[Complete] != len(v.jobs) {
		v.findf("%s: the run is complete with %d jobs of %d", ManifestName, states[Complete], len(v.jobs))
	}
	results, err := Results(dir, p, m)
	if err != nil {
		return err
	}
	same(v, "results", m.Results, results)
	if err := r.readPrices(); err != nil {
		v.findf("prices: %v", err)
	}
	tally := v.meter.Tally(r.price)
	if m.Usage == nil {
		m.Usage = new(llm.Tally)
	}
	same(v, "usage.rows", m.Usage.Rows, tally.Rows)
	return nil
}

// same compares a list of the manifest with what the rows give.
func same[T any](v *verification, what string, says, give []T) {
	if len(says) != len(give) {
		v.findf("%s: it has %d %s, and the rows give %d", ManifestName, len(says), what, len(give))
		return
	}
	for i := range says {
		a, err := json.Marshal(says[i])
		b, err2 := json.Marshal(give[i])
		if err != nil || err2 != nil || !bytes.Equal(a, b) {
			v.findf("%s: %s[%d] is %s, and the rows give %s", ManifestName, what, i, a, b)
		}
	}
}

// verify reads the table row by row, and compares its digest with the manifest's, and with that of the
// journal where it is still there.
func (t Rows[T]) verify(v *verification, dir string) error {
	s := TableCheck{Format: "jsonl"}
	m := v.manifest
	if exists(t.path(dir, ".parquet")) {
		s.Format = "parquet"
	} else if m.State == Complete {
		v.findf("%s: %s is missing", t.Name, t.path(dir, ".parquet"))
	}
	check := func(*T, func(string, ...any)) {}
	if t.Check != nil {
		check = t.Check()
	}
	finding := func(format string, args ...any) { v.findf(t.Name+": "+format, args...) }
	var err error
	if s.Digest, s.Rows, err = logs.Digest(watched(t.Read(dir), func(row *T) {
		t.references(v, row)
		check(row, finding)
	}), nil); err != nil {
		v.findf("%s: %v", t.Name, err)
		v.Tables[t.Name] = s
		return nil
	}
	check(nil, finding)
	s.Untimed = s.Digest
	if t.Untimed != nil {
		if s.Untimed, _, err = logs.Digest(t.Read(dir), t.Untimed); err != nil {
			return err
		}
	}
	v.Tables[t.Name] = s
	if !v.finished() {
		return nil // there is more to come
	}
	switch want, ok := m.Tables[t.Name]; {
	case !ok:
		v.findf("%s: %s has no digest of it", t.Name, ManifestName)
	case want.Digest != s.Digest || want.Rows != s.Rows:
		v.findf("%s: %d rows with digest %.16s do not equal the journal's %d with %.16s", t.Name, s.Rows, s.Digest, want.Rows, want.Digest)
	}
	if s.Format == "parquet" {
		if hash, err := fileHash(t.path(dir, ".parquet")); err != nil || hash != m.Tables[t.Name].SHA256 {
			v.findf("%s: the Parquet file is not the one that was written: its SHA-256 begins with %.16s, and was %.16s", t.Name, hash, m.Tables[t.Name].SHA256)
		}
	}
	if journal := t.path(dir, ".jsonl"); s.Format == "parquet" && exists(journal) {
		was, err := t.compaction(logs.Meta{}).Digest(journal)
		switch {
		case err != nil:
			v.findf("%s: %v", t.Name, err)
		case was.Digest != s.Digest || was.Rows != s.Rows:
			v.findf("%s: %s holds %d rows with digest %.16s, and the Parquet %d with %.16s", t.Name, filepath.Base(journal), was.Rows, was.Digest, s.Rows, s.Digest)
		}
	}
	return nil
}

// references checks that what a row refers to exists.
func (t Rows[T]) references(v *verification, row *T) {
	switch r := any(row).(type) {
	case *Message:
		v.messages[r.Hash] = true
	case *llm.Call:
		if v.calls[r.ID] {
			v.findf("calls: %s is there twice", r.ID)
		}
		v.calls[r.ID] = true
		v.manifest.meter(v.meter, *r)
		for _, hash := range r.Prompt {
			if !v.messages[hash] {
				v.findf("calls: %s refers to message %s, which is not there", r.ID, hash)
			}
		}
		if r.Attempt < 1 || r.Error == "" && (r.Fault == "") != (r.Finish != "") {
			v.findf("calls: %s has neither a reply's finish nor an error", r.ID)
		}
	}
	if t.Job != nil {
		if job := t.Job(row); job != "" {
			if _, known := v.jobs[job]; !known {
				v.findf("%s: a row is of %s, which the configuration does not have", t.Name, job)
			} else if t.State != nil {
				if v.jobs[job] != "" && v.finished() {
					v.findf("%s: %s is there twice", t.Name, job)
				}
				v.jobs[job] = t.State(row)
			}
		}
	}
	if t.Calls != nil {
		for _, id := range t.Calls(row) {
			if !v.calls[id] {
				v.findf("%s: a row of %s refers to call %s, which is not there", t.Name, t.Job(row), id)
			}
		}
	}
}

// watched lets a function see the rows that go by.
func watched[T any](rows iter.Seq2[T, error], each func(*T)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			if err == nil {
				each(&row)
			}
			if !yield(row, err) {
				return
			}
		}
	}
}
