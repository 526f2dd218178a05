package session

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"

	"parley/eval/run"
	"parley/scenarios"
	"parley/sim"
)

// Read reads the manifest and the configuration of a run of sessions.
func Read(dir string) (*run.Manifest, *Config, error) {
	m, err := run.ReadManifest(dir)
	if err != nil {
		return nil, nil, err
	}
	if m.Kind != Kind {
		return nil, nil, fmt.Errorf("%s is a run of kind %q, and no play; see %s", dir, m.Kind, filepath.Join(dir, run.ReportName))
	}
	p, err := Decode(m.Config)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: its configuration: %w", filepath.Join(dir, run.ManifestName), err)
	}
	return m, p.(*Plan).config, nil
}

// Episodes yields the sessions of a run that are done with the record of each play, in the order of their ids. The
// whole turns of a failed session are its record. Of a run without Parquet files the events are held in memory.
func Episodes(dir string) iter.Seq2[*Played, error] {
	return func(yield func(*Played, error) bool) {
		next, stop := iter.Pull2(Events.Sorted(dir))
		defer stop()
		held, err, more := next()
		for row, failed := range Sessions.Sorted(dir) {
			if failed != nil || err != nil {
				yield(nil, cmp.Or(failed, err))
				return
			}
			var events []sim.Event
			for more && err == nil && held.Session <= row.ID {
				if held.Session == row.ID {
					events = append(events, held)
				}
				held, err, more = next()
			}
			p, broken := row.episode(events)
			if !yield(p, broken) || broken != nil {
				return
			}
		}
	}
}

// Played is a session with the record of its play.
type Played struct {
	Row     Row
	Episode *sim.Episode
}

// episode puts the record of a session together again.
func (row *Row) episode(events []sim.Event) (*Played, error) {
	var s scenarios.Scenario
	if err := json.Unmarshal([]byte(row.Scenario), &s); err != nil {
		return nil, fmt.Errorf("session %s: its scenario: %w", row.ID, err)
	}
	var seed uint64
	if _, err := fmt.Sscan(row.Seed, &seed); err != nil {
		return nil, fmt.Errorf("session %s: its seed %q is no number", row.ID, row.Seed)
	}
	ep := sim.NewEpisode(row.ID, seed, &s, row.Turns)
	if err := ep.Restore(events, row.Tokens); err != nil {
		return nil, err
	}
	return &Played{Row: *row, Episode: ep}, nil
}
