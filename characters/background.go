package characters

import "slices"

// background is what a character did before. Its texts are clauses that follow a name: they begin
// with a verb in the third person and have no full stop.
type background struct {
	name   string
	skills [2]Skill
	past   []string // in the past tense
	traits []string
	ideals ideals
	bonds  []string
	flaws  []string
}

// ideals are what a background's characters may believe, by the leaning that goes with it.
type ideals struct {
	good, evil, lawful, chaotic string
	any                         []string // goes with every alignment
}

// fitting returns the ideals that suit an alignment.
func (i *ideals) fitting(law, merit int) []string {
	list := slices.Clone(i.any)
	switch law {
	case lawful:
		list = append(list, i.lawful)
	case chaotic:
		list = append(list, i.chaotic)
	}
	switch merit {
	case good:
		list = append(list, i.good)
	case evil:
		list = append(list, i.evil)
	}
	return list
}

// past is a background made ready to be drawn from.
type past struct {
	*background
	traits, bonds, flaws []clause
	ideals               [][]clause // by alignment
}

func (b *background) ready() past {
	p := past{background: b, traits: clauses(b.traits), bonds: clauses(b.bonds), flaws: clauses(b.flaws)}
	for _, a := range alignments {
		p.ideals = append(p.ideals, clauses(b.ideals.fitting(a.law, a.merit)))
	}
	return p
}

var backgrounds = slices.Concat(townBackgrounds, roadBackgrounds, hallBackgrounds)
