package main

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/characters"
	"parley/eval"
	"parley/eval/ieg"
	"parley/eval/script"
	"parley/eval/survey"
	"parley/finetune"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
)

// runTables are the tables of a run directory as finetune reads them.
type runTables struct {
	dir string
	m   *manifest
}

// Sessions yields the last row of each session.
func (r runTables) Sessions() iter.Seq2[finetune.RunSession, error] {
	return func(yield func(finetune.RunSession, error) bool) {
		var ahead *sessionRow
		for row, err := range sorted(r.dir, streamSessions, bySession) {
			if err != nil {
				yield(finetune.RunSession{}, err)
				return
			}
			if ahead != nil && ahead.ID != row.ID && !yield(r.session(ahead)) {
				return
			}
			ahead = &row
		}
		if ahead != nil {
			yield(r.session(ahead))
		}
	}
}

func (r runTables) session(row *sessionRow) (finetune.RunSession, error) {
	seed, err := strconv.ParseUint(row.Seed, 10, 64)
	if err != nil {
		err = fmt.Errorf("the seed of session %s: %w", row.ID, err)
	}
	s := finetune.RunSession{
		ID: row.ID, Arm: row.Arm, Kind: row.Kind, Title: row.Title, State: string(row.State), Seed: seed, Turns: row.Turns, Tokens: row.Tokens,
		Scenario: []byte(row.Scenario),
	}
	arm := max(0, slices.IndexFunc(r.m.Experiment.Player, func(a Arm) bool { return a.Name == row.Arm }))
	for at, seat := range row.Cast {
		next := finetune.Seat{ID: characters.ID(seat.ID), Model: seat.Model}
		if note := r.m.noteOf(place{seat.Role, arm, at}); note != nil {
			next.Form = agent.Form(note.Form)
		}
		s.Cast = append(s.Cast, next)
	}
	return s, err
}

func (r runTables) Events() iter.Seq2[sim.Event, error] { return sorted(r.dir, streamEvents, byEvent) }
func (r runTables) Calls() iter.Seq2[llm.Call, error]   { return sorted(r.dir, streamCalls, byCall) }
func (r runTables) Scores() iter.Seq2[eval.Score, error] {
	return rows[eval.Score](r.dir, streamScores)
}
func (r runTables) Messages() iter.Seq2[llm.Message, error] {
	return mapped(rows[messageRow](r.dir, streamMessages), func(m messageRow) llm.Message { return llm.NewMessage(m.Role, m.Content) })
}

// Rulings yields what came of the calls of judges.
func (r runTables) Rulings() iter.Seq2[finetune.Ruling, error] {
	switch {
	case r.m.Script != nil:
		return mapped(rows[script.Finding](r.dir, streamVerdicts), finetune.ScriptRuling)
	case r.m.Survey == nil:
		return mapped(r.Scores(), finetune.ScoreRuling)
	}
	return func(yield func(finetune.Ruling, error) bool) {
		for ruling, err := range mapped(rows[survey.Verdict](r.dir, streamVerdicts), finetune.SurveyRuling) {
			if !yield(ruling, err) || err != nil {
				return
			}
		}
		for p, err := range rows[survey.Proposal](r.dir, streamProposals) {
			if p.Kind != survey.Asked && err == nil {
				continue
			}
			if !yield(finetune.Ruling{Calls: p.Calls, Status: p.Status, Reason: p.Reason}, err) {
				return
			}
		}
	}
}

// mapped applies a function to the rows of a table.
func mapped[T, R any](rows iter.Seq2[T, error], to func(T) R) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for row, err := range rows {
			if !yield(to(row), err) || err != nil {
				return
			}
		}
	}
}

// sorted yields the rows of a table in an order that its Parquet file has already; a journal is held
// whole and sorted.
func sorted[T any](dir, stream string, order func(a, b *T) int) iter.Seq2[T, error] {
	if exists(parquetPath(dir, stream)) {
		return rows[T](dir, stream)
	}
	return func(yield func(T, error) bool) {
		var list []T
		for row, err := range rows[T](dir, stream) {
			if err != nil {
				yield(row, err)
				return
			}
			list = append(list, row)
		}
		slices.SortStableFunc(list, func(a, b T) int { return order(&a, &b) })
		for _, row := range list {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// interactions yields the windows of a run's games of intention expression: n turns each, 0 for the
// usual number. Their groups are the run's sessions, their source is the arm. Sessions that are not
// complete have none; a run without a single complete one is an error.
func interactions(dir string, n int) iter.Seq2[ieg.Interaction, error] {
	return func(yield func(ieg.Interaction, error) bool) {
		m, err := readManifest(dir)
		if err != nil {
			yield(ieg.Interaction{}, err)
			return
		}
		some := false
		for p, err := range finetune.Plays(context.Background(), runTables{dir, m}, func(row *finetune.RunSession) bool {
			kind, err := scenarios.FindKind(row.Kind)
			return err == nil && kind.Intentions && row.State == string(stateComplete)
		}) {
			if err != nil {
				yield(ieg.Interaction{}, fmt.Errorf("%s: %w", dir, err))
				return
			}
			if p.Episode == nil {
				continue
			}
			some = true
			group := filepath.Base(filepath.Clean(dir)) + "/" + p.ID
			for _, x := range ieg.FromEpisode(p.Episode, n) {
				x.ID = strings.Replace(x.ID, p.ID, group, 1)
				x.Group, x.Source = group, p.Arm
				if !yield(x, nil) {
					return
				}
			}
		}
		if !some {
			yield(ieg.Interaction{}, fmt.Errorf("%s holds no complete game of intention expression", dir))
		}
	}
}
