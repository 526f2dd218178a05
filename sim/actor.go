package sim

import (
	"context"

	"parley/characters"
	"parley/scenarios"
	"parley/sim/llm"
)

// Actor decides what a character does. It is asked turn by turn and keeps no state of its own that
// the view or its calls do not hold, so that a game can be taken up again after a stop. Work that it
// saves between turns (a rendered transcript) is a cache.
//
// An error ends the session as failed. A model that says something useless is no error: it is a
// Decision with a Fault.
type Actor interface {
	Act(ctx context.Context, v *View) (Decision, error)
}

// Debriefer answers the questions after the last turn. Players of a scenario with questions have to
// implement it.
type Debriefer interface {
	Debrief(ctx context.Context, v *View, questions []string) (Answer, error)
}

// Decision is an actor's move: speech, a deed, both, or neither (a pass).
type Decision struct {
	Speech string
	Deed   string
	To     []characters.ID  // whispered to these only; empty: everybody
	Skill  characters.Skill // the check that the actor thinks its deed needs; empty: it did not say
	Facts  []int            // facts given away, where the actor knows
	Fault  string           // what was wrong with the reply; empty: nothing
	Calls  []llm.Call       // how the decision came about
}

// Answer is what a player says in a debrief.
type Answer struct {
	Text  string
	Fault string
	Calls []llm.Call
}

// View is what one character knows at one moment: a pure function of the scenario and the events
// that it perceived. Nothing in it may be changed.
type View struct {
	Session   string
	Seed      uint64 // differs for every session, turn and character; the same in every run of one seed
	Root      uint64 // the same in every turn of a session, but different for every character
	Self      *characters.Sheet
	Player    bool                // false: the NPC
	Cast      []characters.Public // everybody at the table, in the scenario's order, self included
	Kind      *scenarios.Kind
	Title     string
	Premise   string
	Brief     string               // what this character was told privately
	Knowledge *scenarios.Knowledge // the NPC's own; in a told debrief also the player's; else nil
	Aims      []characters.Skill   // this character's intentions
	NPC       characters.ID
	Turn      int      // of this move, from 1
	Turns     int      // planned in all; 0: open-ended
	Events    []*Event // perceived, in order, the scene first
	Control   string   // of a debrief
}
