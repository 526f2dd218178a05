package characters

import "math/rand/v2"

// draft is a character's facts as the clauses that its sheet and its description are made of.
type draft struct {
	race                            *race
	class                           *class
	past                            *background
	trait, ideal, bond, flaw, voice string
	build, feature, garment         string
}

// look returns the appearance as a clause that follows "is".
func (d *draft) look() string {
	return d.build + ", with " + d.feature + " and " + d.garment
}

// who returns race and class with their article: "an elf druid".
func (d *draft) who() string {
	return d.race.article + " " + d.race.small + " " + d.class.small
}

// describe tells a character in three to five sentences. It gives no secret away.
func (d *draft) describe(r *rand.Rand, name, first string) string {
	past := pick(r, d.past.past)
	people, calling := "the "+d.race.small, "the "+d.class.small
	if d.race.name == "Human" {
		people = calling // nobody calls a person the human
	}
	var opening string
	switch r.IntN(4) {
	case 0:
		opening = name + " is " + d.who() + " who " + past + "."
	case 1:
		opening = name + ", " + d.who() + ", " + past + "."
	case 2:
		opening = "Before all this, " + name + " " + past + "; now the road has one more " + d.race.small + " " + d.class.small + "."
	default:
		opening = "There is " + d.who() + " called " + name + " who " + past + "."
	}
	switch r.IntN(5) {
	case 0:
		return opening + " " + capital(people) + " is " + d.look() + ". " + first + " " + d.trait + ", and " + d.ideal + ". For all that, " + first + " " + d.flaw + "."
	case 1:
		return opening + " In company " + first + " " + d.voice + ". " + capital(calling) + " " + d.trait + ". Underneath, " + first + " " + d.bond + ", and " + d.ideal + "."
	case 2:
		return opening + " " + first + " " + d.trait + ". Those who travel along soon learn that " + people + " " + d.bond + ", but also " + d.flaw + "."
	case 3:
		return opening + " Picture somebody " + d.build + ", who " + d.voice + ". " + first + " " + d.ideal + ". " + capital(calling) + " " + d.bond + ", and " + d.flaw + "."
	}
	return opening + " People remember " + d.feature + ", and that " + first + " " + d.trait + ". " + capital(people) + " " + d.ideal + ". Even so, " + first + " " + d.flaw + ". What keeps " + first + " going is simple enough: " + people + " " + d.bond + "."
}

// sentence gives a clause its capital letter and its full stop.
func sentence(clause string) string { return upper(clause) + clause[1:] + "." }

func capital(clause string) string { return upper(clause) + clause[1:] }

// upper returns the first letter of a clause as a capital. Clauses begin with a plain small letter.
func upper(clause string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	i := clause[0] - 'a'
	return letters[i : i+1]
}
