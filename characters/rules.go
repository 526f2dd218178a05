package characters

// The names of races, classes, skills and alignments, the races' ability bonuses and skills, and the
// classes' skill choices are facts of the rules:
//
// This work includes material taken from the System Reference Document 5.1 ("SRD 5.1") by Wizards of
// the Coast LLC and available at https://dnd.wizards.com/resources/systems-reference-document. The
// SRD 5.1 is licensed under the Creative Commons Attribution 4.0 International License available at
// https://creativecommons.org/licenses/by/4.0/legalcode.
//
// Every other text of this package is parley's own.

// bonus is what a race adds to an ability.
type bonus struct {
	ability Ability
	points  int
}

// race is a people: what it adds to abilities, which skills it brings, how many more of each may be
// chosen, how it looks, and how its names are made.
type race struct {
	name    string
	small   string // as it stands within a sentence: "half-elf"
	article string // with which the name is told: "an elf"
	bonuses []bonus
	free    int // further abilities raised by 1
	skills  []Skill
	any     int // further skills of any kind
	scaled  bool
	builds  []string
	names   grammar
}

// class is a calling: its abilities from the most to the least important, and how many skills of
// which it chooses.
type class struct {
	name      string
	small     string // as it stands within a sentence
	abilities [6]Ability
	choose    int
	skills    []Skill // nil: any
}

const (
	lawful, good  = 1, 1
	chaotic, evil = -1, -1
)

// alignments are told by two signs: law against chaos, and good against evil.
var alignments = []struct {
	name       string
	law, merit int
}{
	{"Lawful Good", lawful, good}, {"Neutral Good", 0, good}, {"Chaotic Good", chaotic, good},
	{"Lawful Neutral", lawful, 0}, {"Neutral", 0, 0}, {"Chaotic Neutral", chaotic, 0},
	{"Lawful Evil", lawful, evil}, {"Neutral Evil", 0, evil}, {"Chaotic Evil", chaotic, evil},
}

// standard is the array of scores that a class's abilities take in their order.
var standard = [6]int{15, 14, 13, 12, 10, 8}

var classes = []class{
	{"Barbarian", "barbarian", [6]Ability{Strength, Constitution, Dexterity, Wisdom, Charisma, Intelligence}, 2,
		[]Skill{AnimalHandling, Athletics, Intimidation, Nature, Perception, Survival}},
	{"Bard", "bard", [6]Ability{Charisma, Dexterity, Constitution, Wisdom, Intelligence, Strength}, 3, nil},
	{"Cleric", "cleric", [6]Ability{Wisdom, Constitution, Strength, Charisma, Intelligence, Dexterity}, 2,
		[]Skill{History, Insight, Medicine, Persuasion, Religion}},
	{"Druid", "druid", [6]Ability{Wisdom, Constitution, Dexterity, Intelligence, Charisma, Strength}, 2,
		[]Skill{Arcana, AnimalHandling, Insight, Medicine, Nature, Perception, Religion, Survival}},
	{"Fighter", "fighter", [6]Ability{Strength, Constitution, Dexterity, Wisdom, Intelligence, Charisma}, 2,
		[]Skill{Acrobatics, AnimalHandling, Athletics, History, Insight, Intimidation, Perception, Survival}},
	{"Monk", "monk", [6]Ability{Dexterity, Wisdom, Constitution, Strength, Intelligence, Charisma}, 2,
		[]Skill{Acrobatics, Athletics, History, Insight, Religion, Stealth}},
	{"Paladin", "paladin", [6]Ability{Strength, Charisma, Constitution, Wisdom, Dexterity, Intelligence}, 2,
		[]Skill{Athletics, Insight, Intimidation, Medicine, Persuasion, Religion}},
	{"Ranger", "ranger", [6]Ability{Dexterity, Wisdom, Constitution, Strength, Intelligence, Charisma}, 3,
		[]Skill{AnimalHandling, Athletics, Insight, Investigation, Nature, Perception, Stealth, Survival}},
	{"Rogue", "rogue", [6]Ability{Dexterity, Intelligence, Charisma, Constitution, Wisdom, Strength}, 4,
		[]Skill{Acrobatics, Athletics, Deception, Insight, Intimidation, Investigation, Perception,
			Performance, Persuasion, SleightOfHand, Stealth}},
	{"Sorcerer", "sorcerer", [6]Ability{Charisma, Constitution, Dexterity, Intelligence, Wisdom, Strength}, 2,
		[]Skill{Arcana, Deception, Insight, Intimidation, Persuasion, Religion}},
	{"Warlock", "warlock", [6]Ability{Charisma, Constitution, Dexterity, Wisdom, Intelligence, Strength}, 2,
		[]Skill{Arcana, Deception, History, Intimidation, Investigation, Nature, Religion}},
	{"Wizard", "wizard", [6]Ability{Intelligence, Constitution, Dexterity, Wisdom, Charisma, Strength}, 2,
		[]Skill{Arcana, History, Insight, Investigation, Medicine, Religion}},
}

var races = []race{
	{
		name: "Dragonborn", small: "dragonborn", article: "a", names: dragonbornNames, scaled: true,
		bonuses: []bonus{{Strength, 2}, {Charisma, 1}},
		builds: []string{
			"tall and heavy-jawed, scaled in dull copper", "long-necked and narrow, scaled in soot and silver",
			"massive in the shoulder, scaled the green of old bronze", "lean for the blood, scales pale as river sand",
			"straight-backed, brass scales worn smooth at the knuckles",
		},
	},
	{
		name: "Dwarf", small: "dwarf", article: "a", names: dwarfNames,
		bonuses: []bonus{{Constitution, 2}},
		builds: []string{
			"broad and square-set, hair in three iron-ringed braids", "short even by the measure of the mountain, and twice as wide",
			"thickset and red-cheeked from the forge", "stocky and grey before time, brows like thatch",
			"barrel-chested, walking as if every floor were a deck",
		},
	},
	{
		name: "Elf", small: "elf", article: "an", names: elfNames,
		bonuses: []bonus{{Dexterity, 2}}, skills: []Skill{Perception},
		builds: []string{
			"slight and long-fingered, still as a heron", "tall and spare, hair the colour of birch bark",
			"fine-boned, eyes catching the lamp like a cat's", "willowy, one ear notched near the tip",
			"dark-haired and narrow-faced, quick on stairs",
		},
	},
	{
		name: "Gnome", small: "gnome", article: "a", names: gnomeNames,
		bonuses: []bonus{{Intelligence, 2}},
		builds: []string{
			"small and bright-eyed, hair standing up as if struck by news", "round-faced behind a nose that arrives first",
			"knee-high to most tables and never still", "wiry and wind-burnt, all elbows",
			"neat and compact, whiskers waxed to two points",
		},
	},
	{
		name: "Half-Elf", small: "half-elf", article: "a", names: halfElfNames,
		bonuses: []bonus{{Charisma, 2}}, free: 2, any: 2,
		builds: []string{
			"lightly built, ears half hidden under loose hair", "tall, and familiar to everybody from somewhere",
			"easy in the hips and shoulders, freckled to the collar", "lean and tawny, quick to smile",
			"slender, older in the eyes than in the hands",
		},
	},
	{
		name: "Half-Orc", small: "half-orc", article: "a", names: halfOrcNames,
		bonuses: []bonus{{Strength, 2}, {Constitution, 1}}, skills: []Skill{Intimidation},
		builds: []string{
			"big and slope-shouldered, one tusk capped in tin", "grey-skinned and raw-boned, neck like a bollard",
			"broad as a door and careful about sitting down", "tall and rangy, tusks filed short",
			"heavy-browed, moving more softly than the size allows",
		},
	},
	{
		name: "Halfling", small: "halfling", article: "a", names: halflingNames,
		bonuses: []bonus{{Dexterity, 2}},
		builds: []string{
			"small and sturdy under curls that no comb has won against", "plump and light on bare feet",
			"slim and brown as a nut, dimpled on one side only", "short and barrel-built, cheeks like late apples",
			"slight, easily taken for a child from behind",
		},
	},
	{
		name: "Human", small: "human", article: "a", names: humanNames,
		bonuses: []bonus{{Strength, 1}, {Dexterity, 1}, {Constitution, 1}, {Intelligence, 1}, {Wisdom, 1}, {Charisma, 1}},
		builds: []string{
			"of middling height and easy to lose in a crowd", "long-limbed and stooped from low doorways",
			"stout and strong in the forearm", "thin and upright, grey at the temples",
			"weathered and wide-shouldered, gap-toothed in a smile",
		},
	},
	{
		name: "Tiefling", small: "tiefling", article: "a", names: tieflingNames,
		bonuses: []bonus{{Charisma, 2}, {Intelligence, 1}},
		builds: []string{
			"slim and brick-red, horns swept back like a ram's", "tall, dusk-skinned, tail kept wound round one ankle",
			"ash-pale, one horn broken short", "sharp-featured and long in the chin",
			"supple and violet-dark, horn tips ringed in copper",
		},
	},
}

// Races returns the names of the nine races in alphabetical order.
func Races() []string { return names(races, func(r race) string { return r.name }) }

// Classes returns the names of the twelve classes in alphabetical order.
func Classes() []string { return names(classes, func(c class) string { return c.name }) }

// Backgrounds returns the names of the backgrounds that characters are drawn from. A sheet may name
// others.
func Backgrounds() []string { return names(backgrounds, func(b background) string { return b.name }) }

// Alignments returns the names of the nine alignments, from Lawful Good to Chaotic Evil.
func Alignments() []string {
	all := make([]string, len(alignments))
	for i := range alignments {
		all[i] = alignments[i].name
	}
	return all
}

func names[T any](table []T, name func(T) string) []string {
	all := make([]string, len(table))
	for i, t := range table {
		all[i] = name(t)
	}
	return all
}
