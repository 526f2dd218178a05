// Package ieg measures the Interaction Expressiveness Gap, AntEval's second measure: a virtual
// Dungeon Master that learned from generated play is compared with one that learned from real
// people's, both tested on real play, by how well they name who tries which skill.
//
// It knows windows of play and whatever predicts intentions from them, and no file format but its
// own, no trainer and no command line.
package ieg

import (
	"context"

	"parley/characters"
)

// Interaction is a window of play with its true intentions, from a game or from real people's logs.
// Its JSON form, one a line, is parley's own windows format.
type Interaction struct {
	ID    string `json:"id"`
	Group string `json:"group"` // session or episode: a group is in one split only
	Split string `json:"split"` // train, val or test; empty: not split
	// Cast is the names of the player characters that could act. The Dungeon Master's lines are
	// spoken by "DM"; other names are other people's.
	Cast       []string    `json:"cast"`
	Lines      []Line      `json:"context"`
	Intentions []Intention `json:"intentions"` // a set; empty: no character tries anything
	Tier       string      `json:"tier"`       // how the label is known: game, dm_echo, numeric_reply ...
	Source     string      `json:"source,omitempty"`
}

// DM is the speaker of the Dungeon Master's lines.
const DM = "DM"

// Line is one turn of talk.
type Line struct {
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
}

// Intention is who tries what: a name of the cast, and the skill check that it amounts to.
type Intention struct {
	Character string           `json:"character"`
	Skill     characters.Skill `json:"skill"`
}

// Prediction is a predictor's answer to one interaction: a set of intentions, or why there is none.
type Prediction struct {
	Intentions []Intention
	Reason     string // why nothing could be predicted; empty: it was. Counted, and never a set
}

// Predictor names who tries which skill: a virtual Dungeon Master. It is safe for concurrent use.
// Its error is a failure that would be the same for every interaction, such as a cancelled context.
type Predictor interface {
	Name() string
	Predict(ctx context.Context, x *Interaction) (Prediction, error)
}
