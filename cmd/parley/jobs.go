package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/logs"
)

// keeper is one stream of a run that consists of independent jobs. What a job did is appended as one
// batch, whose row in the last stream says that the job is done; so after a kill a job is done whole
// or is done again, and no row of it is lost or doubled.
type keeper interface {
	name() string
	mend(dir string, done map[string]bool) error
	compact(dir string) (logs.Compacted, error)
	lacks(dir string, m *manifest) (bool, error)
	expand(dir string) error
	check(v *verification, m *manifest, dir string) error
}

// stream is a keeper of rows of one type.
type stream[T any] struct {
	called   string
	job      func(*T) string // that a row belongs to; nil: rows are shared by jobs, and harm none
	compare  func(a, b *T) int
	keep     logs.Keep
	timeless func(*T) // clears what differs between two runs that are the same otherwise
	look     func(v *verification, row *T)
}

func (s stream[T]) name() string { return s.called }

// mend drops the rows of jobs that are not done.
func (s stream[T]) mend(dir string, done map[string]bool) error {
	if s.job == nil {
		return nil
	}
	return filter(dir, s.called, func(row *T) bool { return done[s.job(row)] })
}

func (s stream[T]) compact(dir string) (logs.Compacted, error) {
	return logs.Compact(journalPath(dir, s.called), parquetPath(dir, s.called), s.compaction())
}

// lacks reports whether the journal that a run is taken up from has to be made anew of the Parquet: it
// is gone or, where the run finished with failed sessions, is not what the manifest says that it was.
// The Parquet is what is trusted then, so it has to be what the manifest says.
func (s stream[T]) lacks(dir string, m *manifest) (bool, error) {
	path, journal := parquetPath(dir, s.called), journalPath(dir, s.called)
	if m.State != stateFailed {
		return exists(path) && !exists(journal), nil
	}
	is := func(digest string, rows int64, err error) bool {
		return err == nil && streamState{rows, digest} == m.Streams[s.called]
	}
	if was, err := s.compaction().Digest(journal); is(was.Digest, was.Rows, err) {
		return false, nil
	}
	if exists(path) && is(logs.Digest(logs.ReadParquet[T](path), nil)) {
		return true, nil
	}
	return false, fmt.Errorf("%s is gone or not what the run wrote (%s has its digest), and so is %s: put either back from a copy",
		journal, filepath.Join(dir, manifestName), path)
}

// expand makes the journal of the Parquet, whole or not at all.
func (s stream[T]) expand(dir string) error {
	return logs.Expand[T](parquetPath(dir, s.called), journalPath(dir, s.called))
}

func (s stream[T]) compaction() logs.Compaction[T] {
	return logs.Compaction[T]{Compare: s.compare, Keep: s.keep, Meta: logs.Meta{Program: "parley", Version: version}}
}

func (s stream[T]) check(v *verification, m *manifest, dir string) error {
	return check(v, m, dir, s, func(row *T) {
		if s.look != nil {
			s.look(v, row)
		}
	})
}

// names returns the names of streams in their order.
func namesOf(kept []keeper) []string {
	var names []string
	for _, k := range kept {
		names = append(names, k.name())
	}
	return names
}

// mendJobs makes the journal of a stopped run hold finished jobs only. It can itself be stopped at any
// moment and run again.
func mendJobs(dir string, kept []keeper, done map[string]bool) error {
	for _, k := range kept {
		if err := k.mend(dir, done); err != nil {
			return err
		}
	}
	return nil
}

// repairJobs cuts off what a killed writer left torn.
func repairJobs(dir string, kept []keeper) error {
	for _, k := range kept {
		if exists(journalPath(dir, k.name())) {
			if _, err := logs.Repair(journalPath(dir, k.name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeUpJobs brings the journal of a stopped run into order, and returns which jobs are done: those
// with a row in the last stream.
func takeUpJobs[T any](dir string, kept []keeper, last string, job func(*T) string) (map[string]bool, error) {
	if err := repairJobs(dir, kept); err != nil {
		return nil, err
	}
	done := map[string]bool{}
	for row, err := range journalRows[T](dir, last) {
		if err != nil {
			return nil, err
		}
		done[job(&row)] = true
	}
	if err := mendJobs(dir, kept, done); err != nil {
		return nil, err
	}
	return done, dropJobs(dir, kept, parquetPath) // made anew at the end
}

// compactJobs turns the journal of a finished run into Parquet, each stream proven equal to its
// journal. The journals stay.
func compactJobs(dir string, kept []keeper) (map[string]streamState, error) {
	states := map[string]streamState{}
	for _, k := range kept {
		c, err := k.compact(dir)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", parquetPath(dir, k.name()), err)
		}
		states[k.name()] = streamState{c.Rows, c.Digest}
	}
	return states, nil
}

// dropJobs removes the journals of a complete run, or what an earlier attempt made of them.
func dropJobs(dir string, kept []keeper, path func(dir, stream string) string) error {
	for _, k := range kept {
		if err := os.Remove(path(dir, k.name())); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}
