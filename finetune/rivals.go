package finetune

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"

	"parley/characters"
	"parley/eval/run"
	"parley/eval/session"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/reference"
)

// NewRival returns the rival of a name: arm:NAME of the record, or else a model or reference actor, which plays in the
// form, or in the run's own where there is none.
func NewRival(spec string, form agent.Form, o run.Options) Rival {
	name, arm := strings.CutPrefix(spec, "arm:")
	return Rival{Name: name, Arm: arm, Calls: !arm && !reference.Is(name), Open: func(ctx context.Context, in *Source) (func() Actors, error) {
		return in.actors(ctx, spec, spec, form, o)
	}}
}

// actors opens a model or reference actor for the players of a run and one for its NPC, to play as they would have
// played in it. The function that is returned makes the actors of one session.
func (in *Source) actors(ctx context.Context, player, npc string, form agent.Form, o run.Options) (func() Actors, error) {
	e := in.Config
	as := &session.Config{
		Scenario: e.Scenario, Sessions: 1, Players: e.Players, Turns: e.Turns, Player: []session.Arm{{Name: player, Model: player}}, NPC: npc,
		Order: e.Order, Referee: e.Referee, Judge: session.Lexical, Keypoints: "authored", Layout: e.Layout, Form: cmp.Or(string(form), "auto"),
		Sampling: e.Sampling, Prompts: e.Prompts, Settings: run.Settings{Seed: e.Seed},
	}
	if as.Referee != "none" {
		as.Referee = "dice" // deeds are not resolved here; but a turn may name a check
	}
	if err := as.Complete(); err != nil {
		return nil, err
	}
	open, err := session.OpenActors(ctx, as, in.longest, o)
	if err != nil {
		return nil, err
	}
	return func() Actors {
		table := new(agent.Table)
		return func(_ characters.ID, player bool) (sim.Actor, error) {
			if player {
				return open.Player(table), nil
			}
			return open.NPC(table), nil
		}
	}, nil
}

// longest returns the scenario of a run that takes the most text.
func (in *Source) longest() ([]*scenarios.Scenario, error) {
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

// Compared lists the models whose turns are compared, which a judge between them must not be.
func (s *Selection) Compared() (models []string) {
	for _, rival := range s.Preferring.Rivals {
		if !rival.Arm {
			models = append(models, rival.Name)
		}
	}
	for _, in := range s.Inputs {
		for i := range in.Config.Player {
			models = append(models, in.Config.Player[i].Models(in.Config.Players)...)
		}
		if s.Who != Players {
			models = append(models, in.Config.NPC)
		}
	}
	return models
}

// ByPerson has a person choose: by a file that is there, or by one that is to be written, for which the pairs are
// collected.
func (s *Selection) ByPerson(name string) (collected *Choices, err error) {
	choices := &Choices{}
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		s.Preferring.Choose = choices.Collect
		return choices, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s.Preferring.Choose = choices.Choose
	return nil, choices.Read(f, name)
}
