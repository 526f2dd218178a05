package characters

import (
	"slices"
	"strings"
)

// Ability is one of the six abilities, by its short name, such as "dex".
type Ability string

// The six abilities.
const (
	Strength     Ability = "str"
	Dexterity    Ability = "dex"
	Constitution Ability = "con"
	Intelligence Ability = "int"
	Wisdom       Ability = "wis"
	Charisma     Ability = "cha"
)

var abilityOrder = [...]Ability{Strength, Dexterity, Constitution, Intelligence, Wisdom, Charisma}

// The 18 skills.
const (
	Acrobatics     Skill = "Acrobatics"
	AnimalHandling Skill = "Animal Handling"
	Arcana         Skill = "Arcana"
	Athletics      Skill = "Athletics"
	Deception      Skill = "Deception"
	History        Skill = "History"
	Insight        Skill = "Insight"
	Intimidation   Skill = "Intimidation"
	Investigation  Skill = "Investigation"
	Medicine       Skill = "Medicine"
	Nature         Skill = "Nature"
	Perception     Skill = "Perception"
	Performance    Skill = "Performance"
	Persuasion     Skill = "Persuasion"
	Religion       Skill = "Religion"
	SleightOfHand  Skill = "Sleight of Hand"
	Stealth        Skill = "Stealth"
	Survival       Skill = "Survival"
)

// skills holds every skill in alphabetical order, its ability, and what else people call it. The
// aliases are whole phrases, lower-case, with single spaces.
var skills = []struct {
	skill   Skill
	ability Ability
	aliases []string
}{
	{Acrobatics, Dexterity, []string{"acro", "acrobatic"}},
	{AnimalHandling, Wisdom, []string{"animalhandling", "handle animal", "handle animals", "handling animals", "animal handle"}},
	{Arcana, Intelligence, nil},
	{Athletics, Strength, []string{"athletic", "athl"}},
	{Deception, Charisma, []string{"deceive", "decep"}},
	{History, Intelligence, nil},
	{Insight, Wisdom, nil},
	{Intimidation, Charisma, []string{"intimidate", "intim"}},
	{Investigation, Intelligence, []string{"investigate", "investigations", "investig"}},
	{Medicine, Wisdom, []string{"med"}},
	{Nature, Intelligence, nil},
	{Perception, Wisdom, []string{"percep", "perc", "preception"}},
	{Performance, Charisma, []string{"perform", "perf"}},
	{Persuasion, Charisma, []string{"persuade", "pers", "persuation"}},
	{Religion, Intelligence, []string{"relig"}},
	{SleightOfHand, Dexterity, []string{"sleightofhand", "sleight", "sleight of hands", "slight of hand", "soh"}},
	{Stealth, Dexterity, nil},
	{Survival, Wisdom, nil},
}

// phrases maps every name and alias to its skill; abilityOf every skill to its ability.
var phrases, abilityOf = func() (map[string]Skill, map[Skill]Ability) {
	phrases, abilities := map[string]Skill{}, map[Skill]Ability{}
	for _, s := range skills {
		phrases[strings.ToLower(string(s.skill))] = s.skill
		for _, alias := range s.aliases {
			phrases[alias] = s.skill
		}
		abilities[s.skill] = s.ability
	}
	return phrases, abilities
}()

// abilityNames are the abilities as they may be written before a skill, as in "Wisdom (Insight)".
var abilityNames = map[string]Ability{
	"str": Strength, "dex": Dexterity, "con": Constitution,
	"int": Intelligence, "wis": Wisdom, "cha": Charisma,
	"strength": Strength, "dexterity": Dexterity, "constitution": Constitution,
	"intelligence": Intelligence, "wisdom": Wisdom, "charisma": Charisma,
}

// Skills returns the 18 skills in alphabetical order.
func Skills() []Skill {
	all := make([]Skill, len(skills))
	for i, s := range skills {
		all[i] = s.skill
	}
	return all
}

// Ability returns the ability that the skill goes by, or "" for something that is not a skill.
func (s Skill) Ability() Ability { return abilityOf[s] }

// Valid reports whether s is one of the 18 skills, spelled in full.
func (s Skill) Valid() bool { return abilityOf[s] != "" }

// ParseSkill reads the name of a skill as people write and say it: in any case, with or without
// accents, with hyphens or underscores for spaces, short or as a verb where a table lists that, with
// an ability before it and "check" or "roll" behind it. The text has to be the name and nothing else: a
// skill is not looked for inside of a sentence.
func ParseSkill(text string) (Skill, bool) {
	const longest = 80 // bytes; no name comes near it, and transcripts are long
	if len(text) > longest {
		return "", false
	}
	text = strings.Trim(text, " \t\r\n-_.,:;!?\"'*`[]“”’")
	words := strings.FieldsFunc(fold(text), func(r rune) bool {
		return strings.ContainsRune(" \t\r\n\u00a0-_()‐‑–", r)
	})
	if n := len(words); n > 1 {
		switch words[n-1] {
		case "check", "checks", "roll", "rolls":
			words = words[:n-1]
		}
	}
	if len(words) > 1 && abilityNames[words[0]] != "" {
		words = words[1:]
	}
	skill, ok := phrases[strings.Join(words, " ")]
	return skill, ok
}

// Score returns the score of an ability, or 0 for something that is not an ability.
func (a Abilities) Score(ability Ability) int {
	if p := a.score(ability); p != nil {
		return *p
	}
	return 0
}

func (a *Abilities) score(ability Ability) *int {
	switch ability {
	case Strength:
		return &a.Strength
	case Dexterity:
		return &a.Dexterity
	case Constitution:
		return &a.Constitution
	case Intelligence:
		return &a.Intelligence
	case Wisdom:
		return &a.Wisdom
	case Charisma:
		return &a.Charisma
	}
	return nil
}

// Proficiency returns the proficiency bonus at the character's level: 2 at levels 1 to 4, and one
// more with every four levels, up to 6.
func (s *Sheet) Proficiency() int { return 2 + (min(max(s.Level, 1), 20)-1)/4 }

// Modifier returns what the character adds to a d20 when it tries a skill: floor((score-10)/2) of the
// skill's ability, and the proficiency bonus where it is proficient. It is 0 for something that is
// not a skill.
func (s *Sheet) Modifier(skill Skill) int {
	if !skill.Valid() {
		return 0
	}
	modifier := (s.Abilities.Score(skill.Ability()) - 10) >> 1 // >> rounds down, as the rule does
	if slices.Contains(s.Skills, skill) {
		modifier += s.Proficiency()
	}
	return modifier
}
