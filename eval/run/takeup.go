package run

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"parley/logs"
	"parley/sim/llm"
)

// recalledName is the file of the calls of jobs that are done again, until the run is finished.
const recalledName = "recalled.jsonl"

// takeUp brings the journal of a stopped run into order: torn lines go, rows of jobs that are not done go,
// and calls of such jobs are kept in memory to answer the jobs when they are done again. It can itself be
// stopped at any moment.
func (r *execution) takeUp(tell bool) error {
	known, err := r.rollBack()
	if err != nil {
		return err
	}
	if err := r.restore(); err != nil {
		return err
	}
	for _, t := range r.tables {
		if path := t.path(r.dir, ".jsonl"); exists(path) {
			if _, err := logs.Repair(path); err != nil {
				return err
			}
		}
	}
	if tell {
		if err := r.countUsed(untorn(filepath.Join(r.dir, recalledName)), untorn(Calls.path(r.dir, ".jsonl"))); err != nil {
			return err
		}
	}
	if err := r.findDone(known); err != nil {
		return err
	}
	open := map[string]bool{}
	keeps := func(job string) bool {
		if !r.done[job] && job != "" {
			open[job] = true
		}
		return r.done[job]
	}
	if err := r.remember(func(c *llm.Call) bool { return keeps(c.Session) }); err != nil {
		return err
	}
	for _, t := range r.tables {
		if err := t.filter(r.dir, keeps); err != nil {
			return err
		}
	}
	if err := removeAll(r.dir, r.tables, ".parquet"); err != nil { // made anew at the end
		return err
	}
	if tell && r.options.Log != nil {
		fmt.Fprintf(r.options.Log, "resuming %s: %d %s are complete, %d are under way; calls that were answered are not made again%s\n",
			r.dir, len(r.done), r.tables[len(r.tables)-1].name(), len(open), r.usedSoFar())
	}
	return nil
}

// findDone reads which jobs are complete: none where it is not known whether the journals are whole.
func (r *execution) findDone(known bool) error {
	r.done = map[string]bool{}
	for _, t := range r.tables {
		if err := t.jobs(r.dir, func(job string, s State) {
			if delete(r.done, job); s == Complete {
				r.done[job] = true
			}
		}); err != nil {
			return err
		}
	}
	if !known && len(r.done) > 0 {
		r.tellf("%s is not there, and so it is not known whether all rows are: %d %s are made again of the calls that were answered",
			filepath.Join(r.dir, logs.DigestsName), len(r.done), r.tables[len(r.tables)-1].name())
		clear(r.done)
	}
	return nil
}

// rollBack goes back to the last commit before which no journal was changed behind the run's back, by the
// running digests. The calls stay, where they were not changed themselves, and answer what is asked again.
// Known is false where it cannot be told whether the journals are whole.
func (r *execution) rollBack() (known bool, err error) {
	changed, good, known, err := logs.CheckRunning(r.dir, names(r.tables))
	if err != nil {
		return false, err
	}
	if r.manifest.State == Failed {
		changed, known = nil, true // the manifest's digests decide
	}
	hurt := map[string]bool{}
	for _, c := range changed {
		path := filepath.Join(r.dir, c.Stream+".jsonl")
		if good == nil {
			return false, fmt.Errorf("%s is not what the run wrote, from byte %d on, and its beginning is older than %s: put it back from a copy", path, c.From, logs.DigestsName)
		}
		hurt[c.Stream] = true
		r.tellf("%s is not what the run wrote, from byte %d on: the run goes on from the last state before that", path, c.From)
	}
	for _, t := range r.tables {
		if size, is := good[t.name()]; len(changed) > 0 && is && (hurt[t.name()] || t.name() != Calls.Name && t.name() != Messages.Name) {
			if err := r.shorten(t, size); err != nil {
				return false, err
			}
		}
	}
	// From here on the journals are rewritten, until they are opened with new digests. A file of no digests
	// says so, to whoever takes the run up if that is interrupted.
	if known {
		err = logs.WriteFile(filepath.Join(r.dir, logs.DigestsName), []byte("{}\n"))
	}
	return known, err
}

// shorten cuts a journal down to a size, and tells what goes.
func (r *execution) shorten(t Table, size int64) error {
	path := t.path(r.dir, ".jsonl")
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() <= size {
		return nil
	}
	if err == nil {
		r.tellf("%s: its last %d bytes are dropped", path, info.Size()-size)
		err = os.Truncate(path, size)
	}
	return err
}

// remember keeps the calls that are not done in memory and in a file of their own. From there they are
// journaled again when the job asks the same again; what it does not ask any more is no part of the run.
func (r *execution) remember(done func(*llm.Call) bool) error {
	r.recorded = map[string]map[string]*llm.Call{}
	path := filepath.Join(r.dir, recalledName)
	for _, from := range []string{path, Calls.path(r.dir, ".jsonl")} {
		for c, err := range untorn(from) {
			if err != nil {
				return err
			}
			if done(&c) || !answers(&c) {
				continue
			}
			if r.recorded[c.Session] == nil {
				r.recorded[c.Session] = map[string]*llm.Call{}
			}
			r.recorded[c.Session][c.ID] = &c
		}
	}
	if len(r.recorded) == 0 {
		return nil
	}
	var lines []byte
	for _, job := range slices.Sorted(maps.Keys(r.recorded)) {
		for _, id := range slices.Sorted(maps.Keys(r.recorded[job])) {
			var err error
			if lines, err = logs.AppendJSON(lines, r.recorded[job][id]); err != nil {
				return err
			}
			lines = append(lines, '\n')
		}
	}
	return logs.WriteFile(path, lines)
}

// untorn yields the calls of a file up to a line that was not written whole; none where there is no file.
func untorn(path string) iter.Seq2[llm.Call, error] {
	return func(yield func(llm.Call, error) bool) {
		if !exists(path) {
			return
		}
		for c, err := range logs.Read[llm.Call](path) {
			if logs.IsTorn(err) || !yield(c, err) {
				return
			}
		}
	}
}

// answers reports whether a call of a job that is done again answers its request: a prompt stays too long,
// while other failures may have passed, and vectors are not kept.
func answers(c *llm.Call) bool {
	return c.Finish != llm.Embedded && (c.Error == "" && c.Fault == "" || c.Fault == llm.TooLong)
}

// restore makes journals anew of their Parquet where the run cannot go on from them as they are. Nothing is
// changed before all are known to be good or to have good Parquet.
func (r *execution) restore() error {
	var lost []Table
	for _, t := range r.tables {
		again, err := t.restorable(r.dir, r.manifest)
		if err != nil {
			return err
		}
		if again {
			lost = append(lost, t)
		}
	}
	for _, t := range lost {
		if journal := t.path(r.dir, ".jsonl"); exists(journal) {
			r.tellf("%s is not what the run wrote: it is made anew of %s, which is", journal, t.path(r.dir, ".parquet"))
		}
		if err := t.expand(r.dir); err != nil {
			return err
		}
	}
	return nil
}
