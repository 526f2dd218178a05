// Package characters holds the people who are played: sheets in the terms of tabletop role-play, the rule tables
// that they are drawn from, a grammar that names and describes them, and a library of ready ones.
//
// It imports nothing of scenarios, games or models.
package characters

import "strings"

// ID names a character within a cast: lower-case ASCII letters, digits and dashes, such as
// "orla-venn". It is what events, scores and files refer to.
type ID string

// Sheet is everything there is to know about a character. What others may see of it is Public. In a
// file it needs a name and a description; the rest is optional.
type Sheet struct {
	ID          ID        `yaml:"id" json:"id"` // in a file without one: the name's Slug
	Name        string    `yaml:"name" json:"name"`
	Race        string    `yaml:"race" json:"race"`
	Class       string    `yaml:"class" json:"class"`
	Background  string    `yaml:"background" json:"background"`
	Alignment   string    `yaml:"alignment" json:"alignment"`
	Level       int       `yaml:"level" json:"level"`             // 1 to 20; in a file without one: 1
	Abilities   Abilities `yaml:"abilities" json:"abilities"`     // in a file without one: 10
	Skills      []Skill   `yaml:"skills,omitempty" json:"skills"` // the proficient ones
	Trait       string    `yaml:"trait" json:"trait"`             // personality trait
	Ideal       string    `yaml:"ideal" json:"ideal"`
	Bond        string    `yaml:"bond" json:"bond"`
	Flaw        string    `yaml:"flaw" json:"flaw"`
	Appearance  string    `yaml:"appearance" json:"appearance"`
	Voice       string    `yaml:"voice" json:"voice"` // how the character speaks
	Secrets     []string  `yaml:"secrets,omitempty" json:"secrets,omitempty"`
	Description string    `yaml:"description" json:"description"`
}

// Public is the part of a sheet that everybody at the table can see.
type Public struct {
	ID         ID
	Name       string
	Race       string
	Class      string
	Appearance string
}

// Public returns what others can see of the character.
func (s *Sheet) Public() Public {
	return Public{ID: s.ID, Name: s.Name, Race: s.Race, Class: s.Class, Appearance: s.Appearance}
}

// FirstName returns the first word of the character's name, which is how others address it.
func (s *Sheet) FirstName() string {
	first, _, _ := strings.Cut(s.Name, " ")
	return first
}

// Abilities are the six ability scores, 1 to 30.
type Abilities struct {
	Strength     int `yaml:"str" json:"str"`
	Dexterity    int `yaml:"dex" json:"dex"`
	Constitution int `yaml:"con" json:"con"`
	Intelligence int `yaml:"int" json:"int"`
	Wisdom       int `yaml:"wis" json:"wis"`
	Charisma     int `yaml:"cha" json:"cha"`
}

// Skill is one of the 18 skills, by its full name, such as "Sleight of Hand".
type Skill string
