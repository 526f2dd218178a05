package reference

import (
	"context"
	"math/rand/v2"

	"parley/characters"
	"parley/sim"
)

// intender plays a character with intentions: vivid acts them out as people at a table do, and blunt
// names the skill. Vague does half of the time something that could be anything, and else mostly
// something of the kind: what one acts out who tries any skill of the same ability. A character that
// has no intention makes small talk.
type intender struct{ style string }

// Act tries one of the character's intentions in two turns of three.
func (a intender) Act(_ context.Context, v *sim.View) (sim.Decision, error) {
	r := sim.Rand(v.Seed)
	if len(v.Aims) == 0 || r.IntN(3) == 0 {
		return chat(r), nil
	}
	skill := v.Aims[r.IntN(len(v.Aims))]
	switch a.style {
	case "blunt":
		return sim.Decision{Speech: pick(r, texts().BluntLines) + " " + string(skill) + pick(r, texts().BluntEnds)}, nil
	case "vague":
		switch n := r.IntN(12); { // one move in twelve shows the skill itself
		case n < 6:
			return sim.Decision{Speech: around(r, pick(r, texts().VagueLines)), Deed: pick(r, texts().VagueDeeds)}, nil
		case n < 11:
			skill = akin(r, skill)
		}
		return sim.Decision{Speech: around(r, pick(r, texts().Vivid[skill].Lines))}, nil
	}
	act := texts().Vivid[skill]
	d := sim.Decision{Speech: around(r, pick(r, act.Lines))}
	if r.IntN(3) == 0 {
		d.Deed = pick(r, act.Deeds)
	}
	return d, nil
}

// akin is any skill that goes by the same ability.
func akin(r *rand.Rand, skill characters.Skill) characters.Skill {
	var kin []characters.Skill
	for _, s := range characters.Skills() {
		if s.Ability() == skill.Ability() {
			kin = append(kin, s)
		}
	}
	return kin[r.IntN(len(kin))]
}

// around puts a line into the talk that surrounds it at a table, whatever it is about. Without that,
// every everyday word would belong to the skills whose lines happen to hold it.
func around(r *rand.Rand, line string) string {
	if r.IntN(4) > 0 {
		line = pick(r, texts().Before) + " " + line
	}
	if r.IntN(2) == 0 {
		line += " " + pick(r, texts().After)
	}
	return line
}

// Debrief says that there was nothing; a game of intentions has no questions.
func (a intender) Debrief(_ context.Context, v *sim.View, _ []string) (sim.Answer, error) {
	return nothing(v), nil
}
