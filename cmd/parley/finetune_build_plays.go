package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"parley/characters"
	"parley/eval"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/llm"
)

// recordedPlay is a session of a run as examples are made of it.
type recordedPlay struct {
	row   sessionRow
	ep    *sim.Episode        // nil where the row alone was wanted
	asked map[string][]string // calls for a move, by id: the hashes of their prompts
}

// situation names what the sessions of several arms and runs have in common that play the same: no
// split may tear them apart.
func situation(row *sessionRow) string {
	sum := sha256.Sum256([]byte(row.Scenario))
	return string(characters.Slug(row.Title)) + "-" + hex.EncodeToString(sum[:8])
}

// plays yields the sessions of a run in the order of their ids. Those that want does not take come
// without their play. In a complete run all streams are sorted by session, so that one session is held
// at a time; a journal is held whole.
func plays(ctx context.Context, dir string, want func(*sessionRow) bool) iter.Seq2[recordedPlay, error] {
	return func(yield func(recordedPlay, error) bool) {
		var sessions iter.Seq2[sessionRow, error] = rows[sessionRow](dir, streamSessions)
		sorted := exists(parquetPath(dir, streamSessions)) && exists(parquetPath(dir, streamEvents)) && exists(parquetPath(dir, streamCalls))
		if !sorted {
			sessions = lastRows(dir)
		}
		events := newBySession(rows[sim.Event](dir, streamEvents), sorted, func(e *sim.Event) string { return e.Session })
		defer events.stop()
		calls := newBySession(rows[llm.Call](dir, streamCalls), sorted, func(c *llm.Call) string { return c.Session })
		defer calls.stop()
		for row, err := range sessions {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(recordedPlay{}, err)
				return
			}
			p := recordedPlay{row: row}
			if want(&row) {
				if err := p.read(events, calls); err != nil {
					yield(p, fmt.Errorf("%s: %w", dir, err))
					return
				}
			}
			if !yield(p, nil) {
				return
			}
		}
	}
}

// read restores the play.
func (p *recordedPlay) read(events *bySessions[sim.Event], calls *bySessions[llm.Call]) error {
	played, err := events.of(p.row.ID)
	if err != nil {
		return err
	}
	asked, err := calls.of(p.row.ID)
	if err != nil {
		return err
	}
	p.ep, err = episode(p.row, played)
	for i := range asked {
		if asked[i].Purpose == "act" {
			if p.asked == nil {
				p.asked = map[string][]string{}
			}
			p.asked[asked[i].ID] = asked[i].Prompt
		}
	}
	return err
}

// prompt is what a model was asked for a move: of its calls the last one for that, which brought the
// reply.
func (p *recordedPlay) prompt(e *sim.Event) []string {
	for _, id := range slices.Backward(e.Calls) {
		if hashes, ok := p.asked[id]; ok {
			return hashes
		}
	}
	return nil
}

// lastRows are the sessions of a journal, of each the last row.
func lastRows(dir string) iter.Seq2[sessionRow, error] {
	return func(yield func(sessionRow, error) bool) {
		last := map[string]sessionRow{}
		for row, err := range rows[sessionRow](dir, streamSessions) {
			if err != nil {
				yield(sessionRow{}, err)
				return
			}
			last[row.ID] = row
		}
		for _, id := range slices.Sorted(maps.Keys(last)) {
			if !yield(last[id], nil) {
				return
			}
		}
	}
}

// bySessions hands out the rows of one session after the other.
type bySessions[T any] struct {
	session func(*T) string
	next    func() (T, error, bool)
	stop    func()
	ahead   *T
	held    map[string][]T // of rows that are not sorted
	err     error
}

func newBySession[T any](rows iter.Seq2[T, error], sorted bool, session func(*T) string) *bySessions[T] {
	b := &bySessions[T]{session: session, stop: func() {}}
	if sorted {
		b.next, b.stop = iter.Pull2(rows)
		return b
	}
	b.held = map[string][]T{}
	for row, err := range rows {
		if err != nil {
			b.err = err
			break
		}
		b.held[session(&row)] = append(b.held[session(&row)], row)
	}
	return b
}

// of returns the rows of a session, which comes behind all that were asked for before it.
func (b *bySessions[T]) of(id string) (list []T, err error) {
	if b.held != nil {
		return b.held[id], b.err
	}
	for {
		if b.ahead == nil {
			row, err, ok := b.next()
			if !ok || err != nil {
				return list, err
			}
			b.ahead = &row
		}
		switch at := b.session(b.ahead); {
		case at > id:
			return list, nil
		case at == id:
			list = append(list, *b.ahead)
		}
		b.ahead = nil
	}
}

// store finds the messages of a run. They are read when the first one is looked for.
type store struct {
	dir      string
	messages map[string]llm.Message
}

func (s *store) message(hash string) (llm.Message, error) {
	if s.messages == nil {
		s.messages = map[string]llm.Message{}
		for row, err := range rows[messageRow](s.dir, streamMessages) {
			if err != nil {
				return llm.Message{}, err
			}
			s.messages[row.Hash] = llm.Message{Role: row.Role, Content: row.Content}
		}
	}
	m, ok := s.messages[hash]
	if !ok {
		return m, fmt.Errorf("%s: the message %s is not among its messages: see parley verify %s", s.dir, hash, s.dir)
	}
	return m, nil
}

// marks are the scores of one metric by session and character, of whole sessions and without controls.
type marks map[string]map[characters.ID]float64

// readMarks reads them, and which metrics there are.
func readMarks(dir, metric string) (marks, []string, error) {
	m, known := marks{}, map[string]bool{}
	for score, err := range rows[eval.Score](dir, streamScores) {
		if err != nil {
			return nil, nil, err
		}
		if score.Control != "" || score.Turn != 0 {
			continue
		}
		known[score.Metric] = true
		if score.Metric != metric || score.Value == nil {
			continue
		}
		if m[score.Session] == nil {
			m[score.Session] = map[characters.ID]float64{}
		}
		m[score.Session][characters.ID(score.Subject)] = *score.Value
	}
	return m, slices.Sorted(maps.Keys(known)), nil
}

// of gives every character of a session its score: its own, or the mean of those who have one.
func (m marks) of(session string, s *scenarios.Scenario) map[characters.ID]float64 {
	scores := m[session]
	if len(scores) == 0 {
		return nil
	}
	sum := 0.0
	for _, id := range slices.Sorted(maps.Keys(scores)) {
		sum += scores[id]
	}
	all := map[characters.ID]float64{}
	for _, c := range s.Cast {
		own, ok := scores[c.ID]
		if !ok {
			own = sum / float64(len(scores))
		}
		all[c.ID] = own
	}
	return all
}

// mean is the score of a whole session.
func (m marks) mean(session string) *float64 {
	scores := m[session]
	if len(scores) == 0 {
		return nil
	}
	sum := 0.0
	for _, id := range slices.Sorted(maps.Keys(scores)) {
		sum += scores[id]
	}
	sum /= float64(len(scores))
	return &sum
}

// fits reports whether a word, in whatever case, is the kind of a scenario or stands in its title.
func fits(word string, row *sessionRow) bool {
	return strings.EqualFold(word, row.Kind) || strings.Contains(strings.ToLower(row.Title), strings.ToLower(word))
}
