// Package reference holds actors with known behaviour that need no model. They are the yardstick for
// the measures, and what parley plays with offline.
//
// What they do follows from their view and its seed alone. They read what was said, whoever said it:
// a reference NPC answers a model's question, and a reference player remembers a model's answer.
package reference

import (
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

// Names lists the actors that Open knows.
func Names() []string {
	return []string{"npc", "diligent", "loner", "small-talk", "silent", "vivid", "blunt", "vague"}
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
//
// An actor has no state and may sit in any number of seats at once.
func Open(name string, options url.Values) (Actor, error) {
	for option := range options {
		if option != "share" || name != "npc" {
			return nil, fmt.Errorf("reference:%s has no option %q; only reference:npc has one, share", name, option)
		}
	}
	switch name {
	case "npc":
		npc := NPC{Share: 1}
		if text := options.Get("share"); text != "" {
			share, err := strconv.ParseFloat(text, 64)
			if err != nil || !(share >= 0 && share <= 1) {
				return nil, fmt.Errorf("reference:npc?share=%s: share is a number from 0 to 1", text)
			}
			npc.Share = share
		}
		return npc, nil
	case "diligent":
		return asker{}, nil
	case "loner":
		return asker{alone: true}, nil
	case "small-talk":
		return talker{}, nil
	case "silent":
		return silent{}, nil
	case "vivid", "blunt", "vague":
		return intender{style: name}, nil
	}
	known := slices.Clone(Names())
	slices.Sort(known)
	hint := ""
	if near := yamlfile.Nearest(name, known); near != "" {
		hint = "did you mean " + near + "? "
	}
	return nil, fmt.Errorf("reference:%s: there is no such actor; %sknown are %s", name, hint, strings.Join(known, ", "))
}
