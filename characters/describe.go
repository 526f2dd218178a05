package characters

import (
	"math/rand/v2"
	"strings"
)

// draft is a character's facts as the clauses that its sheet and its description are made of.
type draft struct {
	race                            *race
	class                           *class
	past                            *background
	trait, ideal, bond, flaw, voice string
	build, feature, garment         string
}

// sentence makes a sentence of a clause, which begins with a plain small letter.
func sentence(clause string) string { return strings.ToUpper(clause[:1]) + clause[1:] + "." }

// appearance tells what others see.
func (d *draft) appearance() string {
	return sentence(d.build + ", with " + d.feature + " and " + d.garment)
}

// describe tells a character in three to five sentences. It gives no secret away.
func (d *draft) describe(r *rand.Rand, name, first string) string {
	past := pick(r, d.past.Past)
	text := ""
	article, race, class := d.race.Article, d.race.lower, d.class.lower
	people := race
	if d.race.Name == "Human" {
		people = class // "the human" is not said of a person
	}
	switch r.IntN(4) {
	case 0:
		text += name + " is " + article + " " + race + " " + class + " who " + past
	case 1:
		text += name + ", " + article + " " + race + " " + class + ", " + past
	case 2:
		text += "Before all this, " + name + " " + past + "; now the road has one more " + race + " " + class
	default:
		text += "There is " + article + " " + race + " " + class + " called " + name + " who " + past
	}
	trait, ideal, bond, flaw := d.trait, d.ideal, d.bond, d.flaw
	switch r.IntN(5) {
	case 0:
		text += ". The " + people + " is " + d.build + ", with " + d.feature + " and " + d.garment + ". " + first + " " + trait + ", and " + ideal + ". For all that, " + first + " " + flaw + "."
	case 1:
		text += ". In company " + first + " " + d.voice + ". The " + class + " " + trait + ". Underneath, " + first + " " + bond + ", and " + ideal + "."
	case 2:
		text += ". " + first + " " + trait + ". Those who travel along soon learn that the " + people + " " + bond + ", but also " + flaw + "."
	case 3:
		text += ". Picture somebody " + d.build + ", who " + d.voice + ". " + first + " " + ideal + ". The " + class + " " + bond + ", and " + flaw + "."
	default:
		text += ". People remember " + d.feature + ", and that " + first + " " + trait + ". The " + people + " " + ideal + ". Even so, " + first + " " + flaw + ". What keeps " + first + " going is simple enough: the " + people + " " + bond + "."
	}
	return text
}
