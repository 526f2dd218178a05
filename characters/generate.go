package characters

import (
	"math/rand/v2"
	"slices"
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
	from, chosen := rules(), newNames(taken, cap(cast))
	var kinds, callings, pasts, tones, hidden deck
	for range n {
		race, class, past := kinds.draw(r, len(from.races)), callings.draw(r, len(from.classes)), pasts.draw(r, len(from.backgrounds))
		d := draft{race: from.races[race], class: from.classes[class], past: from.backgrounds[past]}
		d.trait, d.bond, d.flaw = pick(r, d.past.Traits), pick(r, d.past.Bonds), pick(r, d.past.Flaws)
		d.build, d.feature, d.garment = pick(r, d.race.Builds), pick(r, from.features(d.race)), pick(r, from.looks.Garments)
		d.voice = from.looks.Voices[tones.draw(r, len(from.looks.Voices))]
		alignment := r.IntN(len(alignments))
		d.ideal = pick(r, d.past.Ideals.suiting(alignments[alignment].law, alignments[alignment].merit))
		name := chosen.draw(r, &d.race.Names)
		s := &Sheet{
			ID: Slug(name), Name: name, Race: d.race.Name, Class: d.class.Name, Background: d.past.Name,
			Alignment: alignments[alignment].name, Level: 1 + r.IntN(5),
			Abilities: abilities(d.race, d.class), Skills: proficiencies(r, d.race, d.class, d.past),
			Trait: sentence(d.trait), Ideal: sentence(d.ideal), Bond: sentence(d.bond), Flaw: sentence(d.flaw),
			Voice: sentence(d.voice), Appearance: d.appearance(),
		}
		for range 1 + r.IntN(2) {
			s.Secrets = append(s.Secrets, from.secrets.draw(r, hidden.draw(r, len(from.secrets.Secrets))))
		}
		s.Description = d.describe(r, s.Name, s.FirstName())
		cast = append(cast, s)
	}
	return cast
}

// deck deals the numbers below some n in a random order, and again when it has dealt them all.
type deck []int

func (d *deck) draw(r *rand.Rand, n int) int {
	if len(*d) == 0 {
		for i := range n {
			*d = append(*d, i)
		}
	}
	last := len(*d) - 1
	i := r.IntN(last + 1)
	card := (*d)[i]
	(*d)[i] = (*d)[last]
	*d = (*d)[:last]
	return card
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

// proficiencies returns the skills of background and race, and drawn ones for the class, in alphabetical order. Whatever
// would come twice makes place for another skill.
func proficiencies(r *rand.Rand, race *race, class *class, past *background) []Skill {
	have := slices.Clone(past.Skills)
	had := func(s Skill) bool { return slices.Contains(have, s) }
	draw := func(from []Skill) {
		s := pick(r, from)
		for had(s) {
			s = pick(r, from)
		}
		have = append(have, s)
	}
	for _, s := range race.Skills {
		if had(s) {
			draw(Skills())
		} else {
			have = append(have, s)
		}
	}
	for range class.Choose {
		from := class.Skills
		if !slices.ContainsFunc(from, func(s Skill) bool { return !had(s) }) {
			from = Skills()
		}
		draw(from)
	}
	for range race.Any {
		draw(Skills())
	}
	slices.Sort(have)
	return have
}

// nameSet is the names that a cast already has, folded and split into words.
type nameSet struct {
	firsts   []string // first words
	words    []string // all of them
	initials [256]bool
	crowded  bool // names that are not alike have run out: first words only have to differ
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
}

// bars reports whether a name may not be added.
func (set *nameSet) bars(words []string) bool {
	if set.crowded {
		return slices.Contains(set.firsts, words[0])
	}
	return alike(set.firsts, set.words, words)
}

// draw makes a name whose first word the set does not have yet, and adds it.
func (set *nameSet) draw(r *rand.Rand, from *grammar) string {
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
		if try < fresh && !set.crowded && set.initials[Slug(first)[0]] {
			continue
		}
		name := first + " " + from.family(r)
		if words := strings.SplitN(string(Slug(name)), "-", 2); !set.bars(words) {
			set.add(words)
			return name
		}
	}
}
