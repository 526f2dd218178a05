// Package scenarios holds what is played: the premise that everybody shares, the cast, what the NPC
// alone knows, what each character wants, and what is asked after the last turn.
//
// It imports characters, and nothing of games, actors or models.
package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"

	"parley/characters"
)

// Aspect is the question that a fact answers. A fact with an aspect can be asked for to the point by a
// player who does not know the fact.
type Aspect string

// The aspects that authored facts use.
const (
	Nature   Aspect = "nature"   // what it is
	Look     Aspect = "look"     // what it looks, sounds or smells like
	Place    Aspect = "place"    // where it is, how to get there
	Origin   Aspect = "origin"   // who made it, where it comes from
	History  Aspect = "history"  // what happened to it since
	Power    Aspect = "power"    // what it can do
	Use      Aspect = "use"      // how it is used, opened, woken, called
	Price    Aspect = "price"    // what it costs, takes or demands
	Danger   Aspect = "danger"   // what makes it dangerous
	Weakness Aspect = "weakness" // what harms, stops or undoes it
	Keeper   Aspect = "keeper"   // who has, guards or serves it
	Seeker   Aspect = "seeker"   // who wants it
	Time     Aspect = "time"     // when something happens
	Plan     Aspect = "plan"     // what a person or a group is about to do
)

// Fact is one key point of a piece of knowledge: one sentence that makes sense alone.
type Fact struct {
	Text   string `yaml:"text" json:"text" doc:"required; one sentence that makes sense alone"`
	Aspect Aspect `yaml:"aspect,omitempty" json:"aspect,omitempty" doc:"the question that the fact answers"`
}

// Knowledge is what an NPC holds exclusively.
type Knowledge struct {
	ID     string `yaml:"id" json:"id" doc:"required; lower-case letters, digits and single dashes"`
	Title  string `yaml:"title" json:"title" doc:"required; its name with the article: the Ashen Bell"`
	Topic  string `yaml:"topic" json:"topic" doc:"required; one word, such as item, place, creature, plot or person"`
	Hook   string `yaml:"hook" json:"hook" doc:"required; told to the players beforehand; it gives no fact away"`
	Text   string `yaml:"text" json:"text" doc:"the NPC's own account, with every fact in it"`
	Facts  []Fact `yaml:"facts" json:"facts" doc:"required; the key points, at least one; the library has 6 to 10"`
	Source string `yaml:"source,omitempty" json:"source,omitempty" doc:"where it comes from"`
}

// Aim is something that a character may want in a scene, and the skill check that it amounts to.
type Aim struct {
	Skill characters.Skill `yaml:"skill" json:"skill" doc:"required; the skill check that the aim amounts to"`
	Brief string           `yaml:"brief" json:"brief" doc:"required; told to the character, in the second person; it does not name the skill"`
}

// Scene is a situation for intention expression, with more aims than any one cast is dealt.
type Scene struct {
	ID      string `yaml:"id" json:"id" doc:"required; lower-case letters, digits and single dashes"`
	Title   string `yaml:"title" json:"title" doc:"required"`
	Premise string `yaml:"premise" json:"premise" doc:"required; the situation, told to everybody"`
	Aims    []Aim  `yaml:"aims" json:"aims" doc:"required; what characters may want here; each is dealt none, one or two"`
}

// Intention is what a character tries, as the skill check that it amounts to.
type Intention struct {
	Character characters.ID    `yaml:"character" json:"character"`
	Skill     characters.Skill `yaml:"skill" json:"skill"`
}

// Scenario is one situation with its cast, ready to be played.
type Scenario struct {
	Kind    *Kind
	ID      string // of the knowledge or the scene that it is made from
	Title   string
	Premise string                   // everybody knows it
	Cast    []*characters.Sheet      // the players in order, then the NPC
	NPC     characters.ID            // one of the cast
	Briefs  map[characters.ID]string // what each was told privately
	// Knowledge is held by the NPC alone; nil for intention expression.
	Knowledge  *Knowledge
	Intentions []Intention // true intentions; empty for information exchange
	Questions  []string    // the debrief put to each player after the last turn
	// Data is what else a kind keeps for its scorer, as JSON. No actor sees it. See Decode.
	Data json.RawMessage `json:",omitempty"`
}

// Decode reads Data into the type that the kind keeps there. An unknown field is an error.
func (s *Scenario) Decode(into any) error {
	d := json.NewDecoder(bytes.NewReader(s.Data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("the data of the scenario %s (%s): %w", s.ID, s.Kind, err)
	}
	return nil
}

// UnmarshalJSON reads a scenario, whose kind is given by its name.
func (s *Scenario) UnmarshalJSON(data []byte) error {
	type plain Scenario
	named := struct {
		*plain
		Kind string
	}{plain: (*plain)(s)}
	if err := json.Unmarshal(data, &named); err != nil {
		return err
	}
	kind, err := FindKind(named.Kind)
	s.Kind = kind
	return err
}

// Sheet returns the sheet of a cast member, or nil.
func (s *Scenario) Sheet(id characters.ID) *characters.Sheet {
	for _, c := range s.Cast {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// Players returns the cast without the NPC, in order.
func (s *Scenario) Players() []*characters.Sheet {
	var players []*characters.Sheet
	for _, c := range s.Cast {
		if c.ID != s.NPC {
			players = append(players, c)
		}
	}
	return players
}
