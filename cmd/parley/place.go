package main

import (
	"fmt"
	"strings"

	"parley/sim/llm"
)

// place is what a model is named for: to play a player of an arm, both counted from 0, or the NPC, who
// is the same for every arm, to judge, or to referee.
type place struct {
	role    string // player | npc | judge | referee
	arm, at int
}

// String names the place in a manifest.
func (p place) String() string {
	if p.role == "player" {
		return fmt.Sprintf("%s %d of arm %d", p.role, p.at+1, p.arm+1)
	}
	return p.role
}

// places lists where the actors sit.
func (e *Experiment) places() []place {
	var list []place
	for arm := range e.Player {
		for at := range e.Players {
			list = append(list, place{"player", arm, at})
		}
	}
	return append(list, place{role: "npc"})
}

// model returns who is named for a place. An arm or a player too many stands for the first.
func (e *Experiment) model(p place) string {
	switch p.role {
	case "npc":
		return e.NPC
	case "judge":
		return e.Judge
	case "referee":
		return e.Referee
	}
	if p.arm >= len(e.Player) {
		p.arm = 0
	}
	models := e.Player[p.arm].models(e.Players)
	if p.at >= len(models) {
		p.at = 0
	}
	return models[p.at]
}

// noteOf returns what is noted of the model in a place; nil where it is none.
func (m *manifest) noteOf(p place) *servedNote {
	note := m.Models[m.Experiment.model(p)]
	if note != nil && note.Places[p.String()] != nil {
		return note.Places[p.String()]
	}
	return note
}

// behind returns whose words are heard from a place, and what its server says of it: of a replay, the
// model that was recorded, as long as the recordings are there.
func (m *manifest) behind(p place) (spec string, id llm.Identity) {
	spec = m.Experiment.model(p)
	if dir, ok := registry().Recorded(spec); ok {
		if recorded, err := readManifest(dir); err == nil {
			return recorded.behind(p)
		}
	}
	if note := m.Models[strings.TrimPrefix(spec, "embed:")]; note != nil && note.Identity != nil {
		id = *note.Identity
	}
	return spec, id
}

// likeRecorded takes over, for the places that a replay fills, the form of replies and the size of
// context that the run was played with.
func (n *servedNote) likeRecorded(dir string, filled []place) error {
	m, err := readManifest(dir)
	if err != nil {
		return err
	}
	places := map[string]*servedNote{}
	alike := true
	for _, p := range filled {
		was := m.noteOf(p)
		if was == nil || was.Form == "" {
			continue
		}
		if len(places) == 0 {
			n.Form, n.NumCtx = was.Form, was.NumCtx
		}
		alike = alike && was.Form == n.Form && was.NumCtx == n.NumCtx
		places[p.String()] = &servedNote{Form: was.Form, NumCtx: was.NumCtx}
	}
	if len(places) > 0 {
		n.Why = "as recorded in " + dir
	}
	if !alike {
		n.Form, n.NumCtx, n.Why, n.Places = "", 0, "seat by seat, "+n.Why, places
	}
	return nil
}
