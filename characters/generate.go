package characters

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"
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
	chosen := newNames(taken)
	var kinds, callings, pasts, tones, hidden deck
	for range n {
		race := kinds.draw(r, len(races))
		people, class := &races[race], &classes[callings.draw(r, len(classes))]
		past := &backgrounds[pasts.draw(r, len(backgrounds))]
		d := draft{race: people, class: class, past: past,
			trait: pick(r, past.traits), bond: pick(r, past.bonds), flaw: pick(r, past.flaws),
			build: pick(r, people.builds), feature: people.feature(r), garment: pick(r, garments),
			voice: voices[tones.draw(r, len(voices))],
		}
		alignment := &alignments[r.IntN(len(alignments))]
		var list [8]string
		d.ideal = pick(r, past.ideals.fitting(list[:], alignment.law, alignment.merit))
		name, id := chosen.draw(r, &split[race])
		s := &Sheet{
			ID: id, Name: name, Race: people.name, Class: class.name, Background: past.name,
			Alignment: alignment.name, Level: 1 + r.IntN(5),
			Abilities: abilities(r, people, class), Skills: proficiencies(r, people, class, past),
			Trait: sentence(d.trait), Ideal: sentence(d.ideal), Bond: sentence(d.bond), Flaw: sentence(d.flaw),
			Appearance: sentence(d.look()), Voice: sentence(d.voice),
		}
		for range 1 + r.IntN(2) {
			s.Secrets = append(s.Secrets, sentence(fill(r, secrets[hidden.draw(r, len(secrets))])))
		}
		s.Description = d.describe(r, s.Name, s.FirstName())
		cast = append(cast, s)
	}
	return cast
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
func abilities(r *rand.Rand, race *race, class *class) Abilities {
	var a Abilities
	for i, ability := range class.abilities {
		*a.score(ability) = standard[i]
	}
	for _, b := range race.bonuses {
		*a.score(b.ability) += b.points
	}
	free := race.free
	for _, ability := range class.abilities {
		raised := slices.ContainsFunc(race.bonuses, func(b bonus) bool { return b.ability == ability })
		if free > 0 && !raised {
			*a.score(ability)++
			free--
		}
	}
	return a
}

// proficiencies returns the skills of background and race, and drawn ones for the class, in
// alphabetical order. Whatever would come twice makes place for another skill.
func proficiencies(r *rand.Rand, race *race, class *class, past *background) []Skill {
	have := make([]Skill, 0, 10)
	add := func(from []Skill, count int) {
		for range count {
			if len(from) == 0 || !slices.ContainsFunc(from, func(s Skill) bool { return !slices.Contains(have, s) }) {
				from = everySkill
			}
			s := pick(r, from)
			for slices.Contains(have, s) {
				s = pick(r, from)
			}
			have = append(have, s)
		}
	}
	have = append(have, past.skills[:]...)
	for _, s := range race.skills {
		if slices.Contains(have, s) {
			add(nil, 1)
		} else {
			have = append(have, s)
		}
	}
	add(class.skills, class.choose)
	add(nil, race.any)
	slices.Sort(have)
	return have
}

var everySkill = Skills()

// feature draws something to know a character by.
func (race *race) feature(r *rand.Rand) string {
	if race.scaled {
		return pick(r, features[:scalable])
	}
	return pick(r, features)
}

// nameSet is the names that a cast already has, folded and split into words.
type nameSet struct {
	words    [][]string
	firsts   map[string]bool
	initials [256]bool
	crowded  bool // names that are not alike have run out
}

func newNames(taken []string) *nameSet {
	set := &nameSet{firsts: map[string]bool{}}
	for _, name := range taken {
		if id := Slug(name); id != "" {
			set.add(strings.Split(string(id), "-"))
		}
	}
	return set
}

func (set *nameSet) add(words []string) {
	set.words = append(set.words, words)
	set.firsts[words[0]] = true
	set.initials[words[0][0]] = true
}

// draw makes a name whose first word the set does not have yet, and adds it.
func (set *nameSet) draw(r *rand.Rand, from *lists) (string, ID) {
	const (
		fresh = 40  // tries for a new initial
		apart = 400 // tries for a name that is not alike to any other
	)
	for try := 0; ; try++ {
		middles := r.IntN(2)
		if try >= apart {
			set.crowded = true
			middles = 1 + (try-apart)/40 // longer and longer, so that there is always another
		}
		first := from.first(r, middles)
		if try < fresh && !set.crowded && set.initials[initial(first)] {
			continue
		}
		name := first + " " + from.family(r)
		id := Slug(name)
		words := strings.Split(string(id), "-")
		if set.firsts[words[0]] || !set.crowded && slices.ContainsFunc(set.words, func(other []string) bool {
			return alike(other, words)
		}) {
			continue
		}
		set.add(words)
		return name, id
	}
}

// initial returns the first letter of a word in lower case and without its accent.
func initial(word string) byte {
	_, size := utf8.DecodeRuneInString(word)
	return fold(word[:size])[0]
}
