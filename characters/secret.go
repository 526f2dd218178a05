package characters

import (
	"math/rand/v2"
	"strings"
)

// secrets are things that a character would not say, as clauses without a subject. Capital letters in
// braces are filled in: {P} a place, {N} a person, {A} an amount of gold, {T} a thing. Filled in, a
// secret is particular enough to be looked for in what is said.
var secrets = []string{
	"owes {A} gold to the smugglers of {P}",
	"sold the town seal of {P} to {N} for {A} gold",
	"set the fire that burned down the granary of {P}",
	"deserted from the garrison of {P} the night before it fell",
	"let {N} hang for a theft that somebody else had done",
	"is wanted in {P} under the name of {N}",
	"was paid {A} gold to lose the road near {P}",
	"buried {T} under the third milestone before {P}",
	"forged the will by which {N} inherited the mill at {P}",
	"reports every week to {N}, who serves the other side",
	"stole {T} from the altar at {P} and swallowed the key",
	"is married to {N} of {P} and has told nobody",
	"left {N} behind, alive, in the mine under {P}",
	"can neither read nor write, and learned the letter from {N} by heart",
	"took {A} gold to vote for the closing of the well at {P}",
	"poisoned the horse that carried {N} in the {P} races",
	"was the masked rider who robbed the mail coach to {P}",
	"promised a firstborn to the witch {N} in exchange for {T}",
	"wears a stolen name: the real owner lies in a ditch outside {P}",
	"carries {T}, which the guild of {P} believes destroyed",
	"broke the seal on the vault of {P} and let out what was in it",
	"loves {N}, the sworn enemy of the house of {P}",
	"gave false evidence against {N} before the court of {P}",
	"ate the last of the bread in the siege of {P} while others starved",
	"has been dreaming of {T} every night since {P}, and is obeying it",
	"knows where {N} is hidden and is paid {A} gold a year for silence",
	"opened the postern of {P} to the besiegers",
	"has no heir: the child presented at {P} was bought from {N}",
	"swore to kill {N} before the first snow lies in {P}",
	"swapped {T} for a painted copy, which still hangs in the hall of {P}",
	"failed the vows at {P} and has worn the habit regardless for years",
	"drank the medicine meant for {N}",
	"keeps {T} sewn into the lining of the left boot",
	"was raised by the bandits of {P} and still sends them {A} gold each spring",
	"struck the blow that killed {N}, and let a bear be blamed",
	"bought the rank of captain from {N} for {A} gold",
}

var placeFirst = strings.Fields("Grey Cold Low Bitter Amber Crow Salt Long Broken Gallows Heron Lantern Mill Old Rook Sallow Stony Thorn White Winter")
var placeLast = strings.Fields("Quay Ford Hollow Bridge Cross Ferry Gate Harbour Market Moor Reach Steps Tor Wharf Well Barrow")
var personFirst = strings.Fields("Abel Corvin Dagny Edda Ferro Gisla Hobb Iven Jory Kestrel Lusa Maud Nestor Odo Petra Quill Rufus Sunniva Tibb Wenna")
var personLast = strings.Fields("Ambrose Bray Cutler Dray Eel Fenner Gantry Hask Inchbald Jute Kell Locke Marrow Noll Oxley Pyke Reddick Sorrel Tarn Vane")

var amounts = []string{"forty", "sixty", "ninety", "a hundred", "two hundred", "three hundred", "five hundred", "seven hundred", "a thousand"}
var things = []string{
	"a saint's finger bone", "the duke's second crown", "a black glass eye", "the lost deed of the orchard",
	"a silver flute without holes", "the ledger of the drowned bank", "a clockwork heart", "a jar of bottled thunder",
	"the executioner's ring", "a map inked on skin", "the ninth candlestick", "a letter in the queen's own hand",
	"a doll with real teeth", "the bell clapper", "a vial of star oil", "the pale dagger",
}

// stretch is some words of a secret, and the lists from which what follows them is drawn.
type stretch struct {
	words string
	lists [][]string
}

// stretches takes a secret apart, made a sentence.
func stretches(secret string) []stretch {
	fillings := map[byte][][]string{'P': {placeFirst, placeLast}, 'N': {personFirst, personLast}, 'A': {amounts}, 'T': {things}}
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
