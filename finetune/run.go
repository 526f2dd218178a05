package finetune

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"

	"parley/characters"
	"parley/eval"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
)

// Run is a recorded run, as far as examples are made of it. A table that the run does not have yields
// nothing. Sessions come in the order of their ids, each once; events and calls in the order of their
// sessions, those of one session in the order in which they came.
type Run interface {
	Sessions() iter.Seq2[RunSession, error]
	Events() iter.Seq2[sim.Event, error]
	Calls() iter.Seq2[llm.Call, error]
	Messages() iter.Seq2[llm.Message, error]
	Scores() iter.Seq2[eval.Score, error]
	Rulings() iter.Seq2[Ruling, error] // what came of the calls of judges
}

// RunSession is the row of a session.
type RunSession struct {
	ID, Arm, Title string
	Kind           string // of the scenario
	State          string // "complete", "failed" ...
	Seed           uint64
	Turns, Tokens  int
	Scenario       []byte // JSON
	Cast           []Seat
}

// Seat is who plays a character in a session.
type Seat struct {
	ID    characters.ID
	Model string     // as the user named it
	Form  agent.Form // that the model was asked for; empty: not known
}

// situation names what sessions of several arms and runs have in common that play the same: all of them
// are in one split.
func (row *RunSession) situation() string {
	sum := sha256.Sum256(row.Scenario)
	return string(characters.Slug(row.Title)) + "-" + hex.EncodeToString(sum[:8])
}

// Play is a recorded session.
type Play struct {
	RunSession
	Episode *sim.Episode        // nil where the row alone was wanted
	asked   map[string][]string // calls for a move, by id: the hashes of their prompts
}

// Plays yields the sessions of a run, one held at a time. Those that want refuses come without their
// episode; a nil want takes all.
func Plays(ctx context.Context, run Run, want func(*RunSession) bool) iter.Seq2[Play, error] {
	return func(yield func(Play, error) bool) {
		events := newBySession(run.Events(), func(e *sim.Event) string { return e.Session })
		defer events.stop()
		calls := newBySession(run.Calls(), func(c *llm.Call) string { return c.Session })
		defer calls.stop()
		for row, err := range run.Sessions() {
			if err == nil {
				err = ctx.Err()
			}
			p := Play{RunSession: row}
			if err == nil && (want == nil || want(&row)) {
				err = p.read(events, calls)
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// read restores the episode.
func (p *Play) read(events *bySession[sim.Event], calls *bySession[llm.Call]) error {
	played, err := events.of(p.ID)
	if err != nil {
		return err
	}
	asked, err := calls.of(p.ID)
	if err != nil {
		return err
	}
	p.asked = map[string][]string{}
	for i := range asked {
		if asked[i].Purpose == "act" {
			p.asked[asked[i].ID] = asked[i].Prompt
		}
	}
	var s scenarios.Scenario
	if err := json.Unmarshal(p.Scenario, &s); err != nil {
		return fmt.Errorf("the scenario of session %s: %w", p.ID, err)
	}
	p.Episode = sim.NewEpisode(p.ID, p.Seed, &s, p.Turns)
	return p.Episode.Restore(played, p.Tokens)
}

// prompt returns the hashes of what a model was asked for a move: of its calls the last one for that,
// which brought the reply.
func (p *Play) prompt(e *sim.Event) []string {
	for _, id := range slices.Backward(e.Calls) {
		if hashes, ok := p.asked[id]; ok {
			return hashes
		}
	}
	return nil
}

// bySession hands out the rows of one session after the other.
type bySession[T any] struct {
	session func(*T) string
	next    func() (T, error, bool)
	stop    func()
	ahead   *T
}

func newBySession[T any](rows iter.Seq2[T, error], session func(*T) string) *bySession[T] {
	b := &bySession[T]{session: session}
	b.next, b.stop = iter.Pull2(rows)
	return b
}

// of returns the rows of a session, which comes after all that were asked for before it.
func (b *bySession[T]) of(id string) (list []T, err error) {
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

// messages finds the messages of a run by their hashes. They are read when the first one is needed.
type messages struct {
	run  Run
	path string
	all  map[string]llm.Message
}

func (m *messages) find(hash string) (llm.Message, error) {
	if m.all == nil {
		m.all = map[string]llm.Message{}
		for row, err := range m.run.Messages() {
			if err != nil {
				return llm.Message{}, err
			}
			m.all[row.Hash()] = row
		}
	}
	found, ok := m.all[hash]
	if !ok {
		return found, fmt.Errorf("%s: the message %s is not among its messages: see parley verify %s", m.path, hash, m.path)
	}
	return found, nil
}

// scores are the values of one metric by session and character, of whole sessions and without controls.
type scores map[string]map[characters.ID]float64

// mainMetric returns the metric that has its scorer's name, or else the first one; controls and the points
// of curves do not count. It is empty where there is none.
func mainMetric(rows iter.Seq2[eval.Score, error]) (metric string) {
	for score, err := range rows {
		switch {
		case err != nil: // whoever reads the rows in full reports it
			return metric
		case score.Control != "" || score.Turn != 0:
		case score.Metric == score.Scorer:
			return score.Metric
		case metric == "":
			metric = score.Metric
		}
	}
	return metric
}

// readScores reads the values of a metric, and which metrics there are. With an empty metric it takes
// the run's main one, and returns its name.
func readScores(run Run, metric string) (scores, string, []string, error) {
	list, known := scores{}, map[string]bool{}
	if metric == "" {
		metric = mainMetric(run.Scores())
	}
	for score, err := range run.Scores() {
		if err != nil {
			return nil, "", nil, err
		}
		if score.Control != "" || score.Turn != 0 {
			continue
		}
		known[score.Metric] = true
		if score.Metric != metric || score.Value == nil {
			continue
		}
		if list[score.Session] == nil {
			list[score.Session] = map[characters.ID]float64{}
		}
		list[score.Session][characters.ID(score.Subject)] = *score.Value
	}
	return list, metric, slices.Sorted(maps.Keys(known)), nil
}

// of gives every character of a session its score: its own, or the session's.
func (m scores) of(session string, s *scenarios.Scenario) map[characters.ID]float64 {
	mean := m.mean(session)
	if mean == nil {
		return nil
	}
	all := map[characters.ID]float64{}
	for _, c := range s.Cast {
		own, ok := m[session][c.ID]
		if !ok {
			own = *mean
		}
		all[c.ID] = own
	}
	return all
}

// mean returns the score of a whole session: the mean of those who have one; nil where there is none.
func (m scores) mean(session string) *float64 {
	if len(m[session]) == 0 {
		return nil
	}
	sum := 0.0
	for _, id := range slices.Sorted(maps.Keys(m[session])) {
		sum += m[session][id]
	}
	sum /= float64(len(m[session]))
	return &sum
}
