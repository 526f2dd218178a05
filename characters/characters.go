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
	ID          ID        `yaml:"id" json:"id" doc:"lower-case letters, digits and dashes; made of the name where it is left out"`
	Name        string    `yaml:"name" json:"name" doc:"required; letters, spaces, apostrophes and hyphens, up to 60"`
	Race        string    `yaml:"race" json:"race" doc:"told to everybody at the table"`
	Class       string    `yaml:"class" json:"class" doc:"told to everybody at the table"`
	Background  string    `yaml:"background" json:"background" doc:"any text of up to 60 letters"`
	Alignment   string    `yaml:"alignment" json:"alignment" doc:"from Lawful Good to Chaotic Evil; the middle is Neutral"`
	Level       int       `yaml:"level" json:"level" doc:"1 to 20; 1 where it is left out"`
	Abilities   Abilities `yaml:"abilities" json:"abilities" doc:"the six scores, 1 to 30 each; 10 where one is left out"`
	Skills      []Skill   `yaml:"skills,omitempty" json:"skills" doc:"the proficient ones of the 18 skills"`
	Trait       string    `yaml:"trait" json:"trait" doc:"personality trait"`
	Ideal       string    `yaml:"ideal" json:"ideal"`
	Bond        string    `yaml:"bond" json:"bond"`
	Flaw        string    `yaml:"flaw" json:"flaw"`
	Appearance  string    `yaml:"appearance" json:"appearance" doc:"told to everybody at the table"`
	Voice       string    `yaml:"voice" json:"voice" doc:"how the character speaks"`
	Secrets     []string  `yaml:"secrets,omitempty" json:"secrets,omitempty" doc:"texts that only the character's player is told"`
	Description string    `yaml:"description" json:"description" doc:"required; the character in a sentence or more, up to 2,000 letters"`
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
