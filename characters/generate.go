package characters

import (
	"math/bits"
	"math/rand/v2"
	"strings"
)

// Generate draws a cast of n characters. Race, class, background and alignment are each drawn evenly,
// and none of the first three comes twice before all have come once. Abilities are the standard array
// (15, 14, 13, 12, 10, 8) by what the class needs, raised by the race; levels are 1 to 5. Names and
// descriptions are made by the built-in grammar. No two names of the cast, nor one of them and a name
// already taken, are Alike, and first names begin with different letters while there are letters
// left. The same state of r and the same arguments give the same cast.
//
// Only in casts of thousands, where such names run out, first names may be close; they and the
// IDs are still different.
func Generate(r *rand.Rand, n int, taken ...string) []*Sheet {
	cast := make([]*Sheet, 0, max(n, 0))
	from, chosen := ready(), newNames(taken, cap(cast))
	var kinds, callings, pasts, tones, hidden deck
	for range n {
		race, class, before := kinds.draw(r, len(from.races)), callings.draw(r, len(from.classes)), pasts.draw(r, len(from.pasts))
		people, past := from.races[race], &from.pasts[before]
		d := draft{race: people, class: from.classes[class], past: past,
			trait: pick(r, past.traits), bond: pick(r, past.bonds), flaw: pick(r, past.flaws),
			build: pick(r, people.Builds), feature: pick(r, from.features[at(people.Scaled)]), garment: pick(r, from.looks.Garments),
			voice: from.voices[tones.draw(r, len(from.voices))],
		}
		alignment := r.IntN(len(alignments))
		d.ideal = pick(r, past.ideals[alignment])
		name, id := chosen.draw(r, &from.names[race])
		s := new(roomy)
		s.Sheet = Sheet{
			ID: id, Name: name, Race: people.Name, Class: d.class.Name, Background: past.Name,
			Alignment: alignments[alignment].name, Level: 1 + r.IntN(5),
			Abilities: from.scores[race][class], Skills: from.proficiencies(s.skills[:0], r, race, class, before),
			Trait: d.trait.sentence, Ideal: d.ideal.sentence, Bond: d.bond.sentence, Flaw: d.flaw.sentence,
			Voice: d.voice.sentence, Secrets: s.secrets[:1+r.IntN(2)],
		}
		var p page
		p.Grow(pageful)
		s.Appearance = d.appearance(&p)
		for i := range s.Secrets {
			s.Secrets[i] = p.confess(r, from.secrets[hidden.draw(r, len(from.secrets))])
		}
		s.Description = d.describe(&p, r, s.Name, s.FirstName())
		cast = append(cast, &s.Sheet)
	}
	return cast
}

// roomy is a sheet and room for its lists, in one piece of memory.
type roomy struct {
	Sheet
	skills  [8]Skill
	secrets [2]string
}

// deck deals the numbers below some n in a random order, and again when it has dealt them all.
type deck struct {
	cards [64]uint8
	left  int
}

func (d *deck) draw(r *rand.Rand, n int) int {
	if d.left == 0 {
		d.left = n
		for i := range n {
			d.cards[i] = uint8(i)
		}
	}
	i := r.IntN(d.left)
	card := d.cards[i]
	d.left--
	d.cards[i] = d.cards[d.left]
	return int(card)
}

// abilities deals the standard array out by the class's order and adds what the race gives.
func abilities(race *race, class *class) Abilities {
	var a Abilities
	free := race.Free
	for i, ability := range class.Abilities {
		bonus := race.Bonuses.Score(ability)
		if bonus == 0 && free > 0 {
			bonus = 1
			free--
		}
		*a.score(ability) = standard[i] + bonus
	}
	return a
}

// proficiencies adds to the list the skills of background and race, and drawn ones for the class, in
// alphabetical order. Whatever would come twice makes place for another skill.
func (s *stock) proficiencies(list []Skill, r *rand.Rand, race, class, past int) []Skill {
	have := s.pastSkills[past].set
	for _, n := range s.raceSkills[race].numbers {
		if have.has(n) {
			have.draw(r, s.everySkill)
		} else {
			have.add(n)
		}
	}
	for range s.classes[class].Choose {
		from := s.classSkills[class]
		if from.set&^have == 0 {
			from = s.everySkill
		}
		have.draw(r, from)
	}
	for range s.races[race].Any {
		have.draw(r, s.everySkill)
	}
	for ; have > 0; have &= have - 1 {
		list = append(list, skills[bits.TrailingZeros32(uint32(have))].skill)
	}
	return list
}

// at is 1 for true.
func at(is bool) int {
	if is {
		return 1
	}
	return 0
}

// nameSet is the names that a cast already has, folded and split into words.
type nameSet struct {
	firsts   []string // first words
	words    []string // all of them
	initials [256]bool
	// gone are the first words too, kept from when names that are not alike have run out; nil before.
	gone map[string]bool
}

func newNames(taken []string, more int) nameSet {
	count := len(taken) + more
	set := nameSet{firsts: make([]string, 0, count), words: make([]string, 0, 2*count)}
	for _, name := range taken {
		if id := Slug(name); id != "" {
			set.add(strings.Split(string(id), "-"))
		}
	}
	return set
}

func (set *nameSet) add(words []string) {
	set.firsts, set.words = append(set.firsts, words[0]), append(set.words, words...)
	set.initials[words[0][0]] = true
	if set.gone != nil {
		set.gone[words[0]] = true
	}
}

// crowd makes do from now on with names whose first words are different.
func (set *nameSet) crowd() {
	if set.gone != nil {
		return
	}
	set.gone = map[string]bool{}
	for _, first := range set.firsts {
		set.gone[first] = true
	}
}

// bars reports whether a name may not be added.
func (set *nameSet) bars(words []string) bool {
	if set.gone != nil {
		return set.gone[words[0]]
	}
	return alike(set.firsts, set.words, words)
}

// draw makes a name whose first word the set does not have yet, and adds it.
func (set *nameSet) draw(r *rand.Rand, from *lists) (string, ID) {
	const (
		fresh = 40  // tries for a new initial
		apart = 400 // tries for a name that is not alike to any other
	)
	var room [2][64]byte
	for try := 0; ; try++ {
		middles := r.IntN(2)
		if try >= apart {
			set.crowd()
			middles = 1 + (try-apart)/40 // longer and longer, so that there is always another
		}
		s := from.first(spelling{room[0][:0], room[1][:0]}, r, middles)
		if try < fresh && set.gone == nil && set.initials[s.id[0]] {
			continue
		}
		name, id := from.family(s, r).done()
		first, family, _ := strings.Cut(string(id), "-")
		if words := [...]string{first, family}; !set.bars(words[:]) {
			set.add(words[:])
			return name, id
		}
	}
}
