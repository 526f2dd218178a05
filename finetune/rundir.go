package finetune

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/characters"
	"parley/eval"
	"parley/eval/ieg"
	"parley/eval/run"
	"parley/eval/script"
	"parley/eval/session"
	"parley/eval/survey"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
)

// runTables are the tables of a run directory as finetune reads them.
type runTables struct {
	dir string
	m   *run.Manifest
	c   *session.Config // nil: no run of sessions
}

// Sessions yields the last row of each session.
func (r runTables) Sessions() iter.Seq2[RunSession, error] {
	return func(yield func(RunSession, error) bool) {
		var ahead *session.Row
		for row, err := range sorted(r.dir, session.Sessions) {
			if err != nil {
				yield(RunSession{}, err)
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

func (r runTables) session(row *session.Row) (RunSession, error) {
	seed, err := strconv.ParseUint(row.Seed, 10, 64)
	if err != nil {
		err = fmt.Errorf("the seed of session %s: %w", row.ID, err)
	}
	s := RunSession{
		ID: row.ID, Arm: row.Arm, Kind: row.Kind, Title: row.Title, State: string(row.State), Seed: seed, Turns: row.Turns, Tokens: row.Tokens,
		Scenario: []byte(row.Scenario),
	}
	for at, seat := range row.Cast {
		next := Seat{ID: characters.ID(seat.ID), Model: seat.Model}
		if r.c != nil {
			next.Form = agent.Form(r.c.FormOf(r.m, row.Arm, seat.Role, at))
		}
		s.Cast = append(s.Cast, next)
	}
	return s, err
}

func (r runTables) Events() iter.Seq2[sim.Event, error]  { return sorted(r.dir, session.Events) }
func (r runTables) Calls() iter.Seq2[llm.Call, error]    { return sorted(r.dir, run.Calls) }
func (r runTables) Scores() iter.Seq2[eval.Score, error] { return run.Scores.Read(r.dir) }
func (r runTables) Messages() iter.Seq2[llm.Message, error] {
	return mapped(run.Messages.Read(r.dir), func(m run.Message) llm.Message { return llm.NewMessage(m.Role, m.Content) })
}

// Rulings yields what came of the calls of judges.
func (r runTables) Rulings() iter.Seq2[Ruling, error] {
	switch r.m.Kind {
	case script.Kind:
		return mapped(script.Findings.Read(r.dir), ScriptRuling)
	case survey.Kind:
		return r.surveyRulings()
	}
	return mapped(r.Scores(), ScoreRuling)
}

func (r runTables) surveyRulings() iter.Seq2[Ruling, error] {
	return func(yield func(Ruling, error) bool) {
		for ruling, err := range mapped(survey.Verdicts.Read(r.dir), SurveyRuling) {
			if !yield(ruling, err) || err != nil {
				return
			}
		}
		for p, err := range survey.Proposals.Read(r.dir) {
			if p.Kind != survey.Asked && err == nil {
				continue
			}
			if !yield(Ruling{Calls: p.Calls, Status: p.Status, Reason: p.Reason}, err) {
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

// sorted yields the rows of a table in the order of its Parquet file; a journal is held whole and sorted.
func sorted[T any](dir string, table run.Rows[T]) iter.Seq2[T, error] {
	if _, err := os.Stat(filepath.Join(dir, table.Name+".parquet")); err == nil {
		return table.Read(dir)
	}
	return func(yield func(T, error) bool) {
		var list []T
		for row, err := range table.Read(dir) {
			if err != nil {
				yield(row, err)
				return
			}
			list = append(list, row)
		}
		slices.SortStableFunc(list, func(a, b T) int { return table.Compare(&a, &b) })
		for _, row := range list {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// OpenSources finds out what the sources of a dataset are: runs and files of windows. Note is told of what a user
// should know.
func OpenSources(paths []string, note func(string, ...any)) ([]Source, error) {
	var list []Source
	names := map[string]int{}
	for _, path := range paths {
		in := Source{Path: filepath.Clean(path)}
		if slices.ContainsFunc(list, func(s Source) bool { return s.Path == in.Path }) {
			return nil, run.Usagef("%s is named twice", path)
		}
		info, err := os.Stat(in.Path)
		if err != nil {
			return nil, fmt.Errorf("open a source: %w", err)
		}
		whole, err := filepath.Abs(in.Path)
		if err != nil {
			return nil, err
		}
		in.Name = filepath.Base(whole)
		if names[in.Name]++; names[in.Name] > 1 {
			in.Name = fmt.Sprintf("%s~%d", in.Name, names[in.Name])
		}
		if info.IsDir() {
			if err := readSource(&in, note); err != nil {
				return nil, err
			}
		}
		list = append(list, in)
	}
	return list, nil
}

// readSource reads the manifest of a run. Prompts of the user's own are read again, where they still are
// those that the run was played with.
func readSource(in *Source, note func(string, ...any)) error {
	m, err := run.ReadManifest(in.Path)
	if err != nil {
		return err
	}
	r := runTables{dir: in.Path, m: m}
	in.Run, in.Calls = r, m.Tables[run.Calls.Name].Rows
	if m.Kind != session.Kind {
		return nil
	}
	if _, r.c, err = session.Read(in.Path); err != nil {
		return err
	}
	in.Run, in.Config = r, r.c
	e := r.c
	for _, n := range m.Jobs {
		in.Sessions += n
	}
	in.Style = agent.Style{Layout: agent.Layout(e.Layout), Checks: e.Referee != "none", Prompts: agent.BuiltinPrompts()}
	if e.Prompts != "" && isThere(e.Prompts) {
		if in.Style.Prompts, err = agent.LoadPrompts(e.Prompts); err != nil {
			return err
		}
	}
	in.Sessions = max(1, in.Sessions)
	if m.Prompts != nil && !maps.Equal(in.Style.Prompts.Hashes(), m.Prompts) {
		note("note: %s was played with other prompts than are here now, so conversations and the turns of reference actors are written down with those that are here; what models were really asked is in the run", in.Name)
	}
	return nil
}

// Interactions yields the windows of a run's games of intention expression: n turns each, 0 for the
// usual number. Their groups are the run's sessions, their source is the arm. Sessions that are not
// complete have none; a run without a single complete one is an error.
func Interactions(dir string, n int) iter.Seq2[ieg.Interaction, error] {
	return func(yield func(ieg.Interaction, error) bool) {
		m, c, err := session.Read(dir)
		if err != nil {
			yield(ieg.Interaction{}, err)
			return
		}
		some := false
		for p, err := range Plays(context.Background(), runTables{dir, m, c}, func(row *RunSession) bool {
			kind, err := scenarios.FindKind(row.Kind)
			return err == nil && kind.Intentions && row.State == string(run.Complete)
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

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
