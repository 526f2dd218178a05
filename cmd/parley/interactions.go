package main

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/eval/ieg"
	"parley/scenarios"
	"parley/sim"
)

// interactions yields the windows of a run's games of intention expression: n turns each, 0 for the
// usual number. Their groups are the run's sessions, their source is the arm. Sessions that are not
// complete have none; a run without a single complete one is an error.
func interactions(dir string, n int) iter.Seq2[ieg.Interaction, error] {
	return func(yield func(ieg.Interaction, error) bool) {
		name := filepath.Base(filepath.Clean(dir))
		if _, err := readManifest(dir); err != nil {
			yield(ieg.Interaction{}, err)
			return
		}
		sessions := map[string]sessionRow{}
		for row, err := range rows[sessionRow](dir, streamSessions) {
			if err != nil {
				yield(ieg.Interaction{}, err)
				return
			}
			if kind, err := scenarios.FindKind(row.Kind); err == nil && kind.Intentions && row.State == stateComplete {
				sessions[row.ID] = row
			}
		}
		if len(sessions) == 0 {
			yield(ieg.Interaction{}, fmt.Errorf("%s holds no complete game of intention expression", dir))
			return
		}
		for ep, err := range episodes(dir, sessions) {
			if err != nil {
				yield(ieg.Interaction{}, err)
				return
			}
			group := name + "/" + ep.Session
			for _, x := range ieg.FromEpisode(ep, n) {
				x.ID = strings.Replace(x.ID, ep.Session, group, 1)
				x.Group, x.Source = group, sessions[ep.Session].Arm
				if !yield(x, nil) {
					return
				}
			}
		}
	}
}

// episodes joins sessions with their events. In a complete run the events of a session stand
// together, so that one is held at a time; in a journal they do not.
func episodes(dir string, sessions map[string]sessionRow) iter.Seq2[*sim.Episode, error] {
	return func(yield func(*sim.Episode, error) bool) {
		sorted := exists(parquetPath(dir, streamEvents))
		held := map[string][]sim.Event{}
		last := ""
		shut := func(id string) bool {
			ep, err := episode(sessions[id], held[id])
			if err != nil {
				err = fmt.Errorf("%s: %w", dir, err)
			}
			delete(held, id)
			return yield(ep, err) && err == nil
		}
		for e, err := range rows[sim.Event](dir, streamEvents) {
			if err != nil {
				yield(nil, err)
				return
			}
			if _, ok := sessions[e.Session]; !ok {
				continue
			}
			if sorted && e.Session != last && len(held) > 0 && !shut(last) {
				return
			}
			last = e.Session
			held[last] = append(held[last], e)
		}
		for _, id := range slices.Sorted(maps.Keys(held)) {
			if !shut(id) {
				return
			}
		}
	}
}

// episode restores one session from its row and its events.
func episode(row sessionRow, events []sim.Event) (*sim.Episode, error) {
	var s scenarios.Scenario
	if err := json.Unmarshal([]byte(row.Scenario), &s); err != nil {
		return nil, fmt.Errorf("the scenario of session %s: %w", row.ID, err)
	}
	seed, err := strconv.ParseUint(row.Seed, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the seed of session %s: %w", row.ID, err)
	}
	ep := sim.NewEpisode(row.ID, seed, &s, row.Turns)
	return ep, ep.Restore(events, row.Tokens)
}
