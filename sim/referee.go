package sim

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"parley/characters"
	"parley/characters/yamlfile"
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

// helped reports whether the last move of another character was to help this actor.
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

// helping are the words of a deed that is done to help.
var helping = strings.Fields("help helps helped helping aid aids aided aiding assist assists assisted assisting steadies")

// helps reports whether a word of a deed says that it is done to help.
func helps(word string) bool { return slices.Contains(helping, word) }

func hindered(deed string) bool {
	deed = " " + fold(deed) + " "
	hindrances := []string{" in the dark ", " blindly ", " wounded ", " one handed ", " in haste ", " hastily ", " exhausted ", " blindfolded "}
	return slices.ContainsFunc(hindrances, func(words string) bool { return strings.Contains(deed, words) })
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

//go:embed checks.yaml
var checksFile []byte

// check is a row of checks.yaml.
type check struct {
	Skill   characters.Skill `yaml:"skill"`
	Phrases string           `yaml:"phrases"` // divided by ", "

	phrases []string
}

var checks = sync.OnceValue(func() []*check {
	format := yamlfile.Format[*check]{Noun: "check", Nouns: "checks", New: func() *check { return new(check) }}
	rows, err := format.Read(bytes.NewReader(checksFile), "checks.yaml")
	if err != nil {
		panic(fmt.Sprintf("sim: %v", err)) // a fault of the build
	}
	for _, c := range rows {
		c.phrases = strings.Split(" "+strings.ReplaceAll(c.Phrases, "_", " "), ",") // each begins with a space
	}
	return rows
})

// CheckFor returns the skill check that the words of a deed call for, or "": the first one of
// checks.yaml of which a phrase is in the deed.
func CheckFor(deed string) characters.Skill {
	words := " " + fold(deed) + " "
	for _, c := range checks() {
		if slices.ContainsFunc(c.phrases, func(phrase string) bool { return strings.Contains(words, phrase) }) {
			return c.Skill
		}
	}
	return ""
}
