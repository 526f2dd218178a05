package finetune

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/characters"
	"parley/eval"
	"parley/eval/ieg"
	"parley/eval/run"
	"parley/eval/session"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
)

// OpenSources finds out what the sources of a dataset are: runs and files of windows. Note is told of what a
// user should know.
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
			if err := in.read(note); err != nil {
				return nil, err
			}
		}
		list = append(list, in)
	}
	return list, nil
}

// read reads the manifest of a run. Prompts of the user's own are read again, where they still are those that
// the run was played with.
func (in *Source) read(note func(string, ...any)) (err error) {
	if in.Run, err = run.ReadManifest(in.Path); err != nil || in.Run.Kind != session.Kind {
		return err
	}
	if _, in.Config, err = session.Read(in.Path); err != nil {
		return err
	}
	in.Style = agent.Style{Layout: agent.Layout(in.Config.Layout), Checks: in.Config.Referee != "none", Prompts: agent.BuiltinPrompts()}
	if path := in.Config.Prompts; path != "" {
		if _, err := os.Stat(path); err == nil {
			if in.Style.Prompts, err = agent.LoadPrompts(path); err != nil {
				return err
			}
		}
	}
	if in.Run.Prompts != nil && !maps.Equal(in.Style.Prompts.Hashes(), in.Run.Prompts) {
		note("note: %s was played with other prompts than are here now, so conversations and the turns of reference actors are written down with those that are here; what models were really asked is in the run", in.Name)
	}
	return nil
}

// sessions returns how many sessions of a run are done.
func (in *Source) sessions() (n int64) {
	for _, done := range in.Run.Jobs {
		n += int64(done)
	}
	return n
}

// Interactions yields the windows of a run's games of intention expression: n turns each, 0 for the
// usual number. Their groups are the run's sessions, their source is the arm. Sessions that are not
// complete have none; a run without a single complete one is an error.
func Interactions(dir string, n int) iter.Seq2[ieg.Interaction, error] {
	return func(yield func(ieg.Interaction, error) bool) {
		if _, _, err := session.Read(dir); err != nil {
			yield(ieg.Interaction{}, err)
			return
		}
		some := false
		for p, err := range session.Episodes(dir) {
			if err != nil {
				yield(ieg.Interaction{}, fmt.Errorf("%s: %w", dir, err))
				return
			}
			if kind, err := scenarios.FindKind(p.Row.Kind); err != nil || !kind.Intentions || p.Row.State != run.Complete {
				continue
			}
			some = true
			group := filepath.Base(filepath.Clean(dir)) + "/" + p.Row.ID
			for _, x := range ieg.FromEpisode(p.Episode, n) {
				x.ID = strings.Replace(x.ID, p.Row.ID, group, 1)
				x.Group, x.Source = group, p.Row.Arm
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

// situation names what sessions of several arms and runs have in common that play the same: all of them
// are in one split.
func situation(row *session.Row) string {
	sum := sha256.Sum256([]byte(row.Scenario))
	return string(characters.Slug(row.Title)) + "-" + hex.EncodeToString(sum[:8])
}

// asked reads what models were asked for their moves, session by session.
type asked struct {
	next  func() (llm.Call, error, bool)
	stop  func()
	ahead *llm.Call
}

func newAsked(dir string) *asked {
	a := &asked{}
	a.next, a.stop = iter.Pull2(run.Calls.Sorted(dir))
	return a
}

// of returns a function that finds the hashes of the messages that a model was asked with for a move of a
// session: those of the last of its calls, which brought the reply. The session has to come after all that were
// asked for before it.
func (a *asked) of(id string) (func(*sim.Event) []string, error) {
	prompts := map[string][]string{} // by call
	for {
		if a.ahead == nil {
			call, err, ok := a.next()
			if err != nil {
				return nil, err
			}
			if !ok {
				break
			}
			a.ahead = &call
		}
		if a.ahead.Session > id {
			break
		}
		if a.ahead.Session == id && a.ahead.Purpose == "act" {
			prompts[a.ahead.ID] = a.ahead.Prompt
		}
		a.ahead = nil
	}
	return func(e *sim.Event) []string {
		for _, call := range slices.Backward(e.Calls) {
			if hashes, ok := prompts[call]; ok {
				return hashes
			}
		}
		return nil
	}, nil
}

// messages finds the messages of a run by their hashes. They are read when the first one is needed.
type messages struct {
	dir string
	all map[string]llm.Message
}

func (m *messages) find(hash string) (llm.Message, error) {
	if m.all == nil {
		m.all = map[string]llm.Message{}
		for row, err := range run.Messages.Read(m.dir) {
			if err != nil {
				return llm.Message{}, err
			}
			m.all[row.Hash] = llm.NewMessage(row.Role, row.Content)
		}
	}
	found, ok := m.all[hash]
	if !ok {
		return found, fmt.Errorf("%s: the message %s is not among its messages: see parley verify %s", m.dir, hash, m.dir)
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
		case err != nil: // reading the rows in full reports it
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

// scores reads the values of a metric, of a run that was scored again those that are shown, and which metrics
// there are. With an empty metric it takes the run's main one, and returns its name.
func (in *Source) scores(metric string) (scores, string, []string, error) {
	list, known := scores{}, map[string]bool{}
	if metric == "" {
		metric = mainMetric(run.Scores.Read(in.Path))
	}
	for score, err := range run.Scores.Read(in.Path) {
		if err != nil {
			return nil, "", nil, err
		}
		if score.Control != "" || score.Turn != 0 || !in.Run.Shows(&score) {
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
