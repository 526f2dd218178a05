// Package reference holds actors with known behaviour that need no model. They are the yardstick for
// the measures, and what parley plays with offline.
//
// What they do follows from their view and its seed alone. They read what was said, whoever said it:
// a reference NPC answers a model's question, and a reference player remembers a model's answer.
package reference

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"parley/characters/yamlfile"
	"parley/sim"
)

// Actor is a reference actor: it plays and answers the debrief.
type Actor interface {
	sim.Actor
	sim.Debriefer
}

// known lists the actors: an actor is one file, and one line here.
var known = []struct {
	name   string
	option string // a number from 0 to 1 that the actor takes; empty: none
	usual  float64
	open   func(number float64) Actor
}{
	{name: "npc", option: "share", usual: 1, open: func(share float64) Actor { return NPC{Share: share} }},
	{name: "diligent", open: always(asker{})},
	{name: "loner", open: always(asker{alone: true})},
	{name: "small-talk", open: always(talker{})},
	{name: "silent", open: always(silent{})},
	{name: "vivid", open: always(intender{style: "vivid"})},
	{name: "blunt", open: always(intender{style: "blunt"})},
	{name: "vague", open: always(intender{style: "vague"})},
	{name: "trader", option: "yield", usual: 0.2, open: func(yield float64) Actor { return trader{yield} }},
}

// always opens an actor that takes no option.
func always(a Actor) func(float64) Actor { return func(float64) Actor { return a } }

// Names lists the actors that Open knows.
func Names() []string {
	var names []string
	for i := range known {
		names = append(names, known[i].name)
	}
	return names
}

// Scheme begins the specs of reference actors, before a colon.
const Scheme = "reference"

// Is reports whether a spec names a reference actor, and no language model.
func Is(spec string) bool { return strings.HasPrefix(spec, Scheme+":") }

// Open returns the actor of that name:
//
//	npc         gives out each fact with probability share (option; default 1) when asked to the point
//	diligent    asks, shares with the others what it alone was told, remembers
//	loner       asks in a whisper, shares nothing, remembers
//	small-talk  talks about nothing
//	silent      passes
//	vivid       acts out what it wants
//	blunt       names the skill that it wants to use
//	vague       shows what kind of thing it is about, but not which
//	trader      bargains, and goes by the share yield of the way to its limit at each offer (option; default 0.2)
//
// An actor has no state and may sit in any number of seats at once.
func Open(name string, options url.Values) (Actor, error) {
	for i := range known {
		if a := &known[i]; a.name == name {
			number, err := numberOf(name, a.option, a.usual, options)
			if err != nil {
				return nil, err
			}
			return a.open(number), nil
		}
	}
	known := slices.Sorted(slices.Values(Names()))
	return nil, fmt.Errorf("reference:%s: there is no such actor; %sknown are %s", name, yamlfile.DidYouMean(name, known), strings.Join(known, ", "))
}

// numberOf reads the one option that an actor takes, if it takes any.
func numberOf(name, takes string, usual float64, options url.Values) (float64, error) {
	for option := range options {
		if option != takes {
			return 0, fmt.Errorf("reference:%s has no option %q; it takes %s", name, option, cmp.Or(takes, "none"))
		}
	}
	text := options.Get(takes)
	if text == "" {
		return usual, nil
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || !(number >= 0 && number <= 1) {
		return 0, fmt.Errorf("reference:%s?%s=%s: %[2]s is a number from 0 to 1", name, takes, text)
	}
	return number, nil
}
