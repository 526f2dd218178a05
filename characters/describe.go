package characters

import (
	"math/rand/v2"
	"strings"
)

// draft is a character's facts as the clauses that its sheet and its description are made of.
type draft struct {
	race                            *race
	class                           *class
	past                            *past
	trait, ideal, bond, flaw, voice clause
	build, feature, garment         string
}

// page is the running text of one sheet: what is cut from it shares one piece of memory.
type page struct {
	strings.Builder
	done int // bytes that were cut
}

// pageful is enough for nearly every sheet, in bytes.
const pageful = 768

func (p *page) write(texts ...string) {
	for _, text := range texts {
		p.WriteString(text)
	}
}

// cut returns what was written since the last cut.
func (p *page) cut() string {
	text := p.String()[p.done:]
	p.done = p.Len()
	return text
}

// appearance tells what others see.
func (d *draft) appearance(p *page) string {
	p.write(upper(d.build), d.build[1:], ", with ", d.feature, " and ", d.garment, ".")
	return p.cut()
}

// describe tells a character in three to five sentences. It gives no secret away.
func (d *draft) describe(p *page, r *rand.Rand, name, first string) string {
	past := pick(r, d.past.Past)
	article, race, class := d.race.Article, d.race.lower, d.class.lower
	people := race
	if d.race.Name == "Human" {
		people = class // "the human" is not said of a person
	}
	switch r.IntN(4) {
	case 0:
		p.write(name, " is ", article, " ", race, " ", class, " who ", past)
	case 1:
		p.write(name, ", ", article, " ", race, " ", class, ", ", past)
	case 2:
		p.write("Before all this, ", name, " ", past, "; now the road has one more ", race, " ", class)
	default:
		p.write("There is ", article, " ", race, " ", class, " called ", name, " who ", past)
	}
	trait, ideal, bond, flaw := d.trait.text, d.ideal.text, d.bond.text, d.flaw.text
	switch r.IntN(5) {
	case 0:
		p.write(". The ", people, " is ", d.build, ", with ", d.feature, " and ", d.garment, ". ", first, " ", trait, ", and ", ideal, ". For all that, ", first, " ", flaw, ".")
	case 1:
		p.write(". In company ", first, " ", d.voice.text, ". The ", class, " ", trait, ". Underneath, ", first, " ", bond, ", and ", ideal, ".")
	case 2:
		p.write(". ", first, " ", trait, ". Those who travel along soon learn that the ", people, " ", bond, ", but also ", flaw, ".")
	case 3:
		p.write(". Picture somebody ", d.build, ", who ", d.voice.text, ". ", first, " ", ideal, ". The ", class, " ", bond, ", and ", flaw, ".")
	default:
		p.write(". People remember ", d.feature, ", and that ", first, " ", trait, ". The ", people, " ", ideal, ". Even so, ", first, " ", flaw, ". What keeps ", first, " going is simple enough: the ", people, " ", bond, ".")
	}
	return p.cut()
}

// upper returns the first letter of a clause as a capital. Clauses begin with a plain small letter.
func upper(clause string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	i := clause[0] - 'a'
	return letters[i : i+1]
}

// confess writes a secret with names put in.
func (p *page) confess(r *rand.Rand, secret []stretch) string {
	for _, s := range secret {
		p.WriteString(s.words)
		for i, list := range s.lists {
			if i > 0 {
				p.WriteByte(' ')
			}
			p.WriteString(pick(r, list))
		}
	}
	return p.cut()
}
