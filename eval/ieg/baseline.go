package ieg

import (
	"context"
	"slices"

	"parley/characters"
)

// Baselines returns the virtual DMs that understand nothing, in the order of a table:
//
//	last-speaker  the last of the cast who spoke tries the skill that is most common in train
//	majority      in every window, who of the cast acts most often in train tries that skill
//	nobody        nobody tries anything
//
// A score means something by what it lies above them.
func Baselines(train []Interaction) []Predictor {
	skills, actors := map[characters.Skill]int{}, map[string]int{}
	for i := range train {
		for _, in := range train[i].Intentions {
			skills[in.Skill]++
			actors[in.Character]++
		}
	}
	skill := mostCommon(characters.Skills(), skills)
	return []Predictor{
		guess{"last-speaker", skill, lastSpeaker},
		guess{"majority", skill, func(x *Interaction) string { return mostCommon(x.Cast, actors) }},
		guess{"nobody", skill, func(*Interaction) string { return "" }},
	}
}

// guess says that one character, or none, always tries the same skill.
type guess struct {
	name  string
	skill characters.Skill
	who   func(*Interaction) string // a name of the cast, or "" for nobody
}

func (g guess) Name() string { return g.name }

func (g guess) Predict(ctx context.Context, x *Interaction) (Prediction, error) {
	who := g.who(x)
	if who == "" {
		return Prediction{}, ctx.Err()
	}
	return Prediction{Intentions: []Intention{{who, g.skill}}}, ctx.Err()
}

func lastSpeaker(x *Interaction) string {
	for i := len(x.Lines) - 1; i >= 0; i-- {
		if slices.Contains(x.Cast, x.Lines[i].Speaker) {
			return x.Lines[i].Speaker
		}
	}
	return ""
}

// mostCommon returns the one of the choices with the highest count, the first among equals.
func mostCommon[E comparable](choices []E, count map[E]int) (best E) {
	for i, c := range choices {
		if i == 0 || count[c] > count[best] {
			best = c
		}
	}
	return best
}
