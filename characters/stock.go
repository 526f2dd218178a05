package characters

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// stock is the tables made ready to be drawn from, in the order of the tables.
type stock struct {
	*tables
	names    []lists       // by race
	scores   [][]Abilities // by race and class
	pasts    []past        // by background
	features [2][]string   // of races without scales, and with
	voices   []clause
	secrets  [][]stretch

	raceSkills, classSkills, pastSkills []pool
	everySkill                          pool
}

// past is a background made ready to be drawn from.
type past struct {
	*background
	traits, bonds, flaws []clause
	ideals               [][]clause // by alignment
}

var ready = sync.OnceValue(func() *stock {
	t := rules()
	s := &stock{tables: t, voices: clauses(t.looks.Voices), everySkill: newPool(Skills())}
	s.features = [2][]string{slices.Concat(t.looks.Features, t.looks.SkinFeatures), t.looks.Features}
	for _, race := range t.races {
		s.names = append(s.names, race.Names.split())
		s.raceSkills = append(s.raceSkills, newPool(race.Skills))
		var scores []Abilities
		for _, class := range t.classes {
			scores = append(scores, abilities(race, class))
		}
		s.scores = append(s.scores, scores)
	}
	for _, class := range t.classes {
		s.classSkills = append(s.classSkills, newPool(class.Skills))
	}
	for _, b := range t.backgrounds {
		p := past{background: b, traits: clauses(b.Traits), bonds: clauses(b.Bonds), flaws: clauses(b.Flaws)}
		for _, a := range alignments {
			p.ideals = append(p.ideals, clauses(b.Ideals.suiting(a.law, a.merit)))
		}
		s.pasts = append(s.pasts, p)
		s.pastSkills = append(s.pastSkills, newPool(b.Skills))
	}
	fillings := t.secrets.fillings()
	for _, secret := range t.secrets.Secrets {
		s.secrets = append(s.secrets, stretches(secret, fillings))
	}
	return s
})

// suiting returns the ideals that suit an alignment.
func (i *ideals) suiting(law, merit int) []string {
	list := slices.Clone(i.Any)
	switch law {
	case 1:
		list = append(list, i.Lawful)
	case -1:
		list = append(list, i.Chaotic)
	}
	switch merit {
	case 1:
		list = append(list, i.Good)
	case -1:
		list = append(list, i.Evil)
	}
	return list
}

// fillings returns the lists from which the words for each placeholder are drawn.
func (s *secrets) fillings() map[byte][][]string {
	return map[byte][][]string{
		'P': {strings.Fields(s.PlaceFirst), strings.Fields(s.PlaceLast)},
		'N': {strings.Fields(s.PersonFirst), strings.Fields(s.PersonLast)},
		'A': {s.Amounts}, 'T': {s.Things},
	}
}

// stretch is some words of a secret, and the lists from which what follows them is drawn.
type stretch struct {
	words string
	lists [][]string
}

// stretches divides a secret, made a sentence, at its placeholders.
func stretches(secret string, fillings map[byte][][]string) []stretch {
	var list []stretch
	rest := upper(secret) + secret[1:] + "."
	for {
		words, after, found := strings.Cut(rest, "{")
		if !found {
			return append(list, stretch{words: words})
		}
		list = append(list, stretch{words, fillings[after[0]]})
		rest = after[len("P}"):]
	}
}

// pool is skills to draw from, by their numbers in the table of all.
type pool struct {
	numbers []int
	set     skillSet
}

func newPool(list []Skill) pool {
	var p pool
	for _, s := range list {
		n := slices.Index(Skills(), s)
		p.numbers = append(p.numbers, n)
		p.set.add(n)
	}
	return p
}

// skillSet is skills by number, a bit for each.
type skillSet uint32

func (s skillSet) has(n int) bool { return s>>n&1 != 0 }

func (s *skillSet) add(n int) { *s |= 1 << n }

// draw adds a skill that the set does not have yet.
func (s *skillSet) draw(r *rand.Rand, from pool) {
	n := pick(r, from.numbers)
	for s.has(n) {
		n = pick(r, from.numbers)
	}
	s.add(n)
}

// clause is a clause of the tables, and the sentence that it makes.
type clause struct{ text, sentence string }

func clauses(texts []string) []clause {
	list := make([]clause, len(texts))
	for i, text := range texts {
		list[i] = clause{text, upper(text) + text[1:] + "."}
	}
	return list
}
