package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/characters"
	"parley/sim/dice"
	"parley/sim/llm"
)

// Dice is a referee that needs no model. A deed that calls for a skill check is rolled for, and what
// comes of it is told to everybody who saw the deed. The check is the one that the actor named, else
// the one that the deed's own words call for; a deed that calls for none simply happens. A companion
// whose last deed was to help gives advantage; a hindrance that the actor itself mentions (darkness,
// a wound, haste) gives disadvantage; both together cancel.
type Dice struct {
	// Class is the difficulty class of a check. 0 draws 10, 12, 15 or 18 for every deed.
	Class int
}

// Resolve rolls for the attempt, if it needs a roll.
func (d Dice) Resolve(_ context.Context, ep *Episode, attempt *Event) ([]Event, []llm.Call, error) {
	skill := attempt.Skill
	if skill == "" {
		skill = CheckFor(attempt.Deed)
	}
	if skill == "" {
		return nil, nil, nil
	}
	r := Rand(Mix(ep.Seed, HashText("dice"), uint64(attempt.Turn)))
	class := d.Class
	if class == 0 {
		class = []int{10, 12, 12, 15, 15, 18}[r.IntN(6)]
	}
	mode := dice.Straight
	switch helped, hindered := d.helped(ep, attempt.Actor), hindered(attempt.Deed); {
	case helped && !hindered:
		mode = dice.Advantage
	case hindered && !helped:
		mode = dice.Disadvantage
	}
	who := ep.Scenario.Sheet(attempt.Actor)
	roll := dice.Check(r, string(skill), who.Modifier(skill), class, mode)
	told := rollEvent(attempt.Actor, roll)
	told.Audience = attempt.Audience
	return []Event{told, {Kind: KindNarration, Text: narrate(who.FirstName(), roll), Audience: attempt.Audience}}, nil, nil
}

// helped reports whether the last move of somebody else was to help this actor.
func (Dice) helped(ep *Episode, actor characters.ID) bool {
	me := " " + fold(ep.Scenario.Sheet(actor).FirstName()) + " "
	for i := len(ep.moves) - 1; i >= 0 && i >= len(ep.moves)-len(ep.cast); i-- {
		m := ep.moves[i]
		if m.Actor == actor {
			return false
		}
		deed := fold(m.Deed)
		if strings.Contains(" "+deed+" ", me) && slices.ContainsFunc(strings.Fields(deed), helps) {
			return true
		}
	}
	return false
}

// helps reports whether a word of a deed says that it is done to help.
func helps(word string) bool {
	switch word {
	case "help", "helps", "helped", "helping", "aid", "aids", "aided", "aiding", "assist", "assists", "assisted", "assisting", "steadies":
		return true
	}
	return false
}

func hindered(deed string) bool {
	deed = " " + fold(deed) + " "
	for _, w := range []string{" in the dark ", " blindly ", " wounded ", " one handed ", " in haste ", " hastily ", " exhausted ", " blindfolded "} {
		if strings.Contains(deed, w) {
			return true
		}
	}
	return false
}

// narrate says in a sentence what the dice decided, by how much the total missed or passed the class.
func narrate(name string, r dice.Roll) string {
	by := r.Total - r.Class
	outcome := "fails outright"
	switch {
	case by >= 8:
		outcome = "succeeds with ease"
	case by >= 3:
		outcome = "succeeds"
	case by >= 0:
		outcome = "only just succeeds"
	case by >= -3:
		outcome = "only just fails"
	}
	return fmt.Sprintf("%s %s (%s %d against %d).", name, outcome, r.Skill, r.Total, r.Class)
}

// CheckFor returns the skill check that the words of a deed call for, or "". The first phrase of the
// table that stands in the deed decides.
func CheckFor(deed string) characters.Skill {
	words := " " + fold(deed) + " "
	for _, c := range checks {
		if strings.Contains(words, " "+c.phrase) {
			return c.skill
		}
	}
	return ""
}

// checks maps the beginnings of phrases to checks, the more particular ones first.
var checks = []struct {
	phrase string
	skill  characters.Skill
}{
	{"picks the lock", "Sleight of Hand"}, {"pick the lock", "Sleight of Hand"}, {"pickpocket", "Sleight of Hand"}, {"palms ", "Sleight of Hand"}, {"slips the ", "Sleight of Hand"}, {"lifts the purse", "Sleight of Hand"},
	{"sneak", "Stealth"}, {"creep", "Stealth"}, {"hides ", "Stealth"}, {"tiptoe", "Stealth"}, {"moves silently", "Stealth"}, {"keeps to the shadows", "Stealth"},
	{"climb", "Athletics"}, {"jump", "Athletics"}, {"leaps ", "Athletics"}, {"swim", "Athletics"}, {"shoves ", "Athletics"}, {"forces the", "Athletics"}, {"wrestle", "Athletics"}, {"breaks down", "Athletics"},
	{"balance", "Acrobatics"}, {"tumble", "Acrobatics"}, {"vault", "Acrobatics"}, {"somersault", "Acrobatics"}, {"flips over", "Acrobatics"},
	{"calms the", "Animal Handling"}, {"soothes the", "Animal Handling"}, {"coaxes the", "Animal Handling"},
	{"studies the rune", "Arcana"}, {"reads the rune", "Arcana"}, {"identifies the magic", "Arcana"}, {"studies the glyph", "Arcana"},
	{"binds the wound", "Medicine"}, {"tends to", "Medicine"}, {"bandage", "Medicine"}, {"checks the pulse", "Medicine"}, {"stops the bleeding", "Medicine"},
	{"searches ", "Investigation"}, {"examines ", "Investigation"}, {"inspects ", "Investigation"}, {"rummage", "Investigation"}, {"looks through", "Investigation"},
	{"follows the tracks", "Survival"}, {"tracks ", "Survival"}, {"forage", "Survival"}, {"finds the trail", "Survival"},
	{"threaten", "Intimidation"}, {"glares ", "Intimidation"}, {"looms over", "Intimidation"}, {"slams ", "Intimidation"},
	{"lies to", "Deception"}, {"bluff", "Deception"}, {"pretends ", "Deception"}, {"feigns ", "Deception"},
	{"persuade", "Persuasion"}, {"pleads ", "Persuasion"}, {"convince", "Persuasion"}, {"appeals to", "Persuasion"},
	{"sings ", "Performance"}, {"dances ", "Performance"}, {"plays the", "Performance"}, {"plays a tune", "Performance"}, {"juggle", "Performance"},
	{"studies the face", "Insight"}, {"watches for a lie", "Insight"}, {"reads the face", "Insight"}, {"weighs the words", "Insight"},
	{"listens ", "Perception"}, {"scans ", "Perception"}, {"peers ", "Perception"}, {"keeps watch", "Perception"}, {"looks around", "Perception"},
	{"prays ", "Religion"}, {"recites the litany", "Religion"}, {"recalls the rites", "Religion"},
	{"recalls the chronicle", "History"}, {"recalls the old", "History"}, {"remembers the legend", "History"},
	{"studies the plants", "Nature"}, {"names the plant", "Nature"}, {"reads the weather", "Nature"},
}
