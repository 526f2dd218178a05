package characters

import (
	"math/rand/v2"
	"slices"
	"sync"
)

// stock is the tables made ready to be drawn from, in the order of the tables.
type stock struct {
	names   []lists       // by race
	scores  [][]Abilities // by race and class
	pasts   []past        // by background
	voices  []clause
	secrets [][]stretch

	raceSkills, classSkills, pastSkills []pool
	everySkill                          pool
}

var ready = sync.OnceValue(func() *stock {
	s := &stock{voices: clauses(voices), everySkill: newPool(Skills())}
	for i := range races {
		s.names = append(s.names, races[i].names.split())
		s.raceSkills = append(s.raceSkills, newPool(races[i].skills))
		scores := make([]Abilities, len(classes))
		for j := range classes {
			scores[j] = abilities(&races[i], &classes[j])
		}
		s.scores = append(s.scores, scores)
	}
	for i := range classes {
		s.classSkills = append(s.classSkills, newPool(classes[i].skills))
	}
	for i := range backgrounds {
		s.pasts = append(s.pasts, backgrounds[i].ready())
		s.pastSkills = append(s.pastSkills, newPool(backgrounds[i].skills[:]))
	}
	for _, secret := range secrets {
		s.secrets = append(s.secrets, stretches(secret))
	}
	return s
})

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
