// Package sim plays games: actors take turns in an order, a referee resolves what they try, endings
// say when it is over, and every change is an event that says who perceived it.
//
// It calls no model and reads no file of the user. Actors that a model drives are in sim/agent, actors
// with known behaviour in sim/reference.
package sim

import (
	"slices"
	"time"

	"parley/characters"
	"parley/scenarios"
	"parley/sim/dice"
	"parley/sim/llm"
)

// Kind is the kind of an event.
type Kind string

const (
	KindScene     Kind = "scene"     // the premise, before the first turn
	KindAct       Kind = "act"       // an actor's move: speech, deed or both
	KindPass      Kind = "pass"      // an actor's move that is neither; Fault says whether it was malformed
	KindRoll      Kind = "roll"      // dice, rolled by the referee
	KindNarration Kind = "narration" // what the referee says came of it
	KindDebrief   Kind = "debrief"   // a player's answer to the questions; perceived by no one else
	KindEnd       Kind = "end"       // why the play ended, in Text
)

// The debriefs that are controls: the same questions under other conditions.
const (
	ControlNoConversation = scenarios.ControlNoConversation // before the first turn: what is guessed or leaked
	ControlTold           = scenarios.ControlTold           // with the knowledge in hand: the ceiling
)

// Event is one thing that happened. It is flat, so that it is its own row in a journal or a table.
type Event struct {
	Session string        `json:"session" parquet:"session,dict"`
	Seq     int           `json:"seq" parquet:"seq"`   // 0, 1, 2 ... within the session
	Turn    int           `json:"turn" parquet:"turn"` // 1, 2 ...; 0 before the first turn
	Time    time.Time     `json:"time" parquet:"time,timestamp(microsecond)"`
	Kind    Kind          `json:"kind" parquet:"kind,dict"`
	Actor   characters.ID `json:"actor" parquet:"actor,dict"` // empty: the table itself
	// Audience perceives the event, the actor included. Empty means everybody.
	Audience []characters.ID `json:"audience" parquet:"audience,list"`
	Speech   string          `json:"speech" parquet:"speech"`
	Deed     string          `json:"deed" parquet:"deed"`
	// Skill is the skill check that the actor thinks its deed needs; empty where it named none.
	Skill characters.Skill `json:"skill" parquet:"skill,dict"`
	Text  string           `json:"text" parquet:"text"` // premise, narration, debrief or reason
	// Fault says what was wrong with a malformed reply, which is played as a pass or, where a valid
	// move could be cut out of it, as that move. Of a narration: what was wrong with the referee's
	// verdict, of which nothing came where Text is empty. Empty: nothing was.
	Fault   string     `json:"fault" parquet:"fault,dict"`
	Control string     `json:"control" parquet:"control,dict"` // of a debrief; empty: the real one
	Facts   []int      `json:"facts" parquet:"facts,list"`     // facts that this move gives away, where its actor knows
	Roll    *dice.Roll `json:"roll" parquet:"roll,optional"`
	Calls   []string   `json:"calls" parquet:"calls,list"` // model calls that led to it, by id
	Last    bool       `json:"last" parquet:"last"`        // the last event of its turn: the turn is whole
}

// Heard reports whether the character perceives the event.
func (e *Event) Heard(by characters.ID) bool {
	return len(e.Audience) == 0 || slices.Contains(e.Audience, by)
}

// Move reports whether the event is an actor's move: an act or a pass, of which every turn has one.
func (e *Event) Move() bool { return e.Kind == KindAct || e.Kind == KindPass }

// Turn is what a game yields: one actor's move with all that came of it, and the model calls behind
// it. It is kept whole or not at all.
type Turn struct {
	Events []Event
	Calls  []llm.Call
}
