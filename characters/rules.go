package characters

import (
	"bytes"
	"embed"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"

	"parley/characters/yamlfile"
)

// The names of races, classes, skills and alignments, the races' ability bonuses and skills, and the
// classes' skill choices are facts of the rules:
//
// This work includes material taken from the System Reference Document 5.1 ("SRD 5.1") by Wizards of
// the Coast LLC and available at https://dnd.wizards.com/resources/systems-reference-document. The
// SRD 5.1 is licensed under the Creative Commons Attribution 4.0 International License available at
// https://creativecommons.org/licenses/by/4.0/legalcode.
//
// Every other text of this package is parley's own.

//go:embed tables/*.yaml
var tableFiles embed.FS

// tables are the files that characters are drawn from.
type tables struct {
	races       []*race
	classes     []*class
	backgrounds []*background
	looks       looks
	secrets     secrets
}

// race is a people: what it adds to abilities, which skills it brings, how many more of each may be
// chosen, how it looks, and how its names are made.
type race struct {
	Name    string    `yaml:"name"`
	Article string    `yaml:"article"` // "an" before elf
	Bonuses Abilities `yaml:"bonuses"`
	Free    int       `yaml:"free"` // further abilities raised by 1
	Skills  []Skill   `yaml:"skills"`
	Any     int       `yaml:"any"`    // further skills of any kind
	Scaled  bool      `yaml:"scaled"` // it has scales in place of skin and hair
	Builds  []string  `yaml:"builds"`
	Names   grammar   `yaml:"names"`

	lower string // the name as it is written within a sentence
}

// class is a calling: its abilities from the most to the least important, and how many skills of
// which it chooses.
type class struct {
	Name      string    `yaml:"name"`
	Abilities []Ability `yaml:"abilities"`
	Choose    int       `yaml:"choose"`
	Skills    []Skill   `yaml:"skills"` // nil: any

	lower string
}

// background is what a character did before. Its texts are clauses that follow a name: they begin
// with a verb in the third person and have no full stop.
type background struct {
	Name   string   `yaml:"name"`
	Skills []Skill  `yaml:"skills"`
	Past   []string `yaml:"past"` // in the past tense
	Traits []string `yaml:"traits"`
	Ideals ideals   `yaml:"ideals"`
	Bonds  []string `yaml:"bonds"`
	Flaws  []string `yaml:"flaws"`
}

// ideals are what a background's characters may believe, by the part of an alignment that it suits.
type ideals struct {
	Good    string   `yaml:"good"`
	Evil    string   `yaml:"evil"`
	Lawful  string   `yaml:"lawful"`
	Chaotic string   `yaml:"chaotic"`
	Any     []string `yaml:"any"` // suits every alignment
}

// suiting returns the ideals that suit an alignment.
func (i *ideals) suiting(law, merit int) []string {
	list := slices.Clone(i.Any)
	switch law {
	case 1:
		list = append(list, i.Lawful)
	case -1:
		list = append(list, i.Chaotic)
	}
	switch merit {
	case 1:
		list = append(list, i.Good)
	case -1:
		list = append(list, i.Evil)
	}
	return list
}

// looks complete a race's builds to an appearance, "<build>, with <feature> and <garment>", and say
// how characters speak.
type looks struct {
	Features     []string `yaml:"features"`
	SkinFeatures []string `yaml:"skin_features"` // of races without scales
	Garments     []string `yaml:"garments"`
	Voices       []string `yaml:"voices"` // clauses like those of a background
}

// secrets are clauses with the placeholders {P} for a place, {N} for a person, {A} for an amount of
// gold and {T} for a thing, and what is put there.
type secrets struct {
	Secrets     []string `yaml:"secrets"`
	Amounts     []string `yaml:"amounts"`
	Things      []string `yaml:"things"`
	PlaceFirst  string   `yaml:"place_first"` // words divided by spaces
	PlaceLast   string   `yaml:"place_last"`
	PersonFirst string   `yaml:"person_first"`
	PersonLast  string   `yaml:"person_last"`
}

// placeholder is a place in a secret where drawn words are put.
var placeholder = regexp.MustCompile(`\{.\}`)

// draw makes a sentence of a secret, with drawn words in its places.
func (s *secrets) draw(r *rand.Rand, n int) string {
	return placeholder.ReplaceAllStringFunc(sentence(s.Secrets[n]), func(place string) string {
		switch place {
		case "{P}":
			return pick(r, strings.Fields(s.PlaceFirst)) + " " + pick(r, strings.Fields(s.PlaceLast))
		case "{N}":
			return pick(r, strings.Fields(s.PersonFirst)) + " " + pick(r, strings.Fields(s.PersonLast))
		case "{A}":
			return pick(r, s.Amounts)
		}
		return pick(r, s.Things)
	})
}

// features lists what can be seen of people of a race.
func (t *tables) features(r *race) []string {
	if r.Scaled {
		return t.looks.Features
	}
	return slices.Concat(t.looks.Features, t.looks.SkinFeatures)
}

// rules returns the tables, which are read once. A table that cannot be read is a fault of the build.
var rules = sync.OnceValue(func() *tables {
	t := &tables{
		races: table[race]("races"), classes: table[class]("classes"), backgrounds: table[background]("backgrounds"),
		looks: *table[looks]("looks")[0], secrets: *table[secrets]("secrets")[0],
	}
	for _, r := range t.races {
		r.lower = strings.ToLower(r.Name)
	}
	for _, c := range t.classes {
		c.lower = strings.ToLower(c.Name)
	}
	return t
})

func table[T any](name string) []*T {
	file := "tables/" + name + ".yaml"
	data, err := tableFiles.ReadFile(file)
	if err == nil {
		format := yamlfile.Format[*T]{Noun: "table", Nouns: "tables", New: func() *T { return new(T) }}
		var list []*T
		if list, err = format.Read(bytes.NewReader(data), file); err == nil {
			return list
		}
	}
	panic(fmt.Sprintf("characters: %v", err))
}

// alignments are given by two signs: law against chaos, and good against evil.
var alignments = []struct {
	name       string
	law, merit int
}{
	{"Lawful Good", 1, 1}, {"Neutral Good", 0, 1}, {"Chaotic Good", -1, 1},
	{"Lawful Neutral", 1, 0}, {"Neutral", 0, 0}, {"Chaotic Neutral", -1, 0},
	{"Lawful Evil", 1, -1}, {"Neutral Evil", 0, -1}, {"Chaotic Evil", -1, -1},
}

// standard is the array of scores that a class's abilities take in their order.
var standard = [6]int{15, 14, 13, 12, 10, 8}

// Races returns the names of the nine races in alphabetical order.
func Races() []string { return names(rules().races, func(r *race) string { return r.Name }) }

// Classes returns the names of the twelve classes in alphabetical order.
func Classes() []string { return names(rules().classes, func(c *class) string { return c.Name }) }

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
