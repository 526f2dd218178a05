package main

import (
	"cmp"
	"context"
	"encoding/json"

	"parley/characters"
	"parley/eval/run"
	"parley/eval/session"
	"parley/finetune"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/llm"
)

// players play turns beside those of a run, as they would have played in it.
type players struct {
	open   *session.Actors
	record func(llm.Call)
}

// playersOf opens a model or reference actor for players, and one for the NPC.
func playersOf(ctx context.Context, in *finetune.Source, player, npc string, b *building) (*players, error) {
	e := in.Config
	as := &session.Config{
		Scenario: e.Scenario, Sessions: 1, Players: e.Players, Turns: e.Turns, Player: []session.Arm{{Name: player, Model: player}}, NPC: npc,
		Order: e.Order, Referee: e.Referee, Judge: session.Lexical, Keypoints: "authored", Layout: e.Layout, Form: cmp.Or(string(b.selection.Form), "auto"),
		Sampling: e.Sampling, Settings: run.Settings{Seed: e.Seed},
	}
	if as.Referee != "none" {
		as.Referee = "dice" // deeds are not resolved here; but a turn may name a check
	}
	as.Prompts = e.Prompts
	if err := as.Complete(); err != nil {
		return nil, err
	}
	longest := func() ([]*scenarios.Scenario, error) {
		var text string
		for row, err := range session.Sessions.Read(in.Path) {
			if err != nil {
				return nil, err
			}
			if len(row.Scenario) > len(text) {
				text = row.Scenario
			}
		}
		s := &scenarios.Scenario{}
		return []*scenarios.Scenario{s}, json.Unmarshal([]byte(text), s)
	}
	o, err := runOptions(b.c)
	if err != nil {
		return nil, err
	}
	a, err := session.OpenActors(ctx, as, longest, o)
	if err != nil {
		return nil, err
	}
	return &players{a, b.record}, nil
}

// actors returns what makes the actors of one session.
func (p *players) actors() finetune.Actors {
	table := new(agent.Table)
	return func(_ characters.ID, player bool) (sim.Actor, error) {
		if player {
			return p.open.Player(table), nil
		}
		return p.open.NPC(table), nil
	}
}
