package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"parley/characters"
	"parley/finetune"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
)

// sourcesOf finds out what the sources of a dataset are: runs and files of windows.
func sourcesOf(paths []string, note func(string, ...any)) ([]finetune.Source, error) {
	var list []finetune.Source
	names := map[string]int{}
	for _, path := range paths {
		in := finetune.Source{Path: filepath.Clean(path)}
		if slices.ContainsFunc(list, func(s finetune.Source) bool { return s.Path == in.Path }) {
			return nil, usagef("%s is named twice", path)
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
func readSource(in *finetune.Source, note func(string, ...any)) error {
	m, err := readAnyManifest(in.Path)
	if err != nil {
		return err
	}
	in.Run, in.Calls = runTables{in.Path, m}, m.Streams[streamCalls].Rows
	e := m.Experiment
	if e == nil {
		return nil
	}
	for _, n := range m.Sessions {
		in.Sessions += n
	}
	in.Style = agent.Style{Layout: agent.Layout(e.Layout), Checks: e.Referee != "none", Prompts: agent.BuiltinPrompts()}
	if e.Prompts != "" && exists(e.Prompts) {
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

// players are who plays turns beside those of a run, as they would have played in it.
type players struct {
	crew   *crew
	player string
	npc    string
	record func(llm.Call)
}

// playersOf opens them: a model or reference actor for players, and one for the NPC.
func playersOf(ctx context.Context, in *finetune.Source, player, npc string, b *building) (*players, error) {
	e := in.Run.(runTables).m.Experiment
	as := &Experiment{
		Scenario: e.Scenario, Players: e.Players, Turns: e.Turns, Player: []Arm{{Name: player, Model: player}}, NPC: npc,
		Referee: e.Referee, Judge: "lexical", Layout: e.Layout, Form: cmp.Or(string(b.selection.Form), "auto"), Sampling: e.Sampling, Seed: e.Seed, Limits: e.Limits,
	}
	if as.Referee != "none" {
		as.Referee = "dice" // deeds are not resolved here; but a turn may name a check
	}
	if e.Prompts != "" && exists(e.Prompts) {
		as.Prompts = e.Prompts
	}
	longest := func() ([]*scenarios.Scenario, error) {
		var text []byte
		for row, err := range in.Run.Sessions() {
			if err != nil {
				return nil, err
			}
			if len(row.Scenario) > len(text) {
				text = row.Scenario
			}
		}
		s := &scenarios.Scenario{}
		return []*scenarios.Scenario{s}, json.Unmarshal(text, s)
	}
	c, err := newCrew(ctx, &manifest{Experiment: as, Models: map[string]*servedNote{}}, longest, b.c.App.ErrWriter)
	if err != nil {
		return nil, err
	}
	if dir := b.c.String("cache"); dir != "" {
		for name, m := range c.open {
			id := llm.Identity{}
			if known := c.manifest.Models[name].Identity; known != nil {
				id = *known
			}
			c.open[name] = llm.Wrap(m, llm.Cache(cacheDir(dir), name, id))
		}
		for at, maker := range c.makers {
			maker.Model = c.open[at[1]]
		}
	}
	return &players{c, player, npc, b.record}, nil
}

// actors returns who plays in one session.
func (p *players) actors() finetune.Actors {
	table := new(agent.Table)
	return func(_ characters.ID, player bool) (sim.Actor, error) {
		if player {
			return p.crew.actor(place{role: "player"}, p.player, table)
		}
		return p.crew.actor(place{role: "npc"}, p.npc, table)
	}
}
