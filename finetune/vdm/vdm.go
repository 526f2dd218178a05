// Package vdm holds virtual Dungeon Masters: whatever reads a window of play and says who tries which
// skill. Linear is trained in seconds and needs nothing but this program, Prompted asks any language
// model, and Tuned asks one that was fine-tuned on the examples that Example makes. All stand behind
// ieg.Predictor.
//
// It knows windows of play and no measure, no file name and no model by name.
package vdm

import (
	"parley/characters"
	"parley/eval/ieg"
)

// Config says how a linear virtual DM is trained. Its zero value is good.
type Config struct {
	Seed uint64
	// Workers is how many goroutines read and train; 0 means as many as may run at once. The result is
	// the same to the bit for any number.
	Workers int
}

// folds is how many parts the training windows are split in by group to tune thresholds on, where there are
// no windows for that.
const folds = 3

// skillAt is the place of every skill in the order of characters.Skills.
var skillAt = func() map[characters.Skill]int {
	at := map[characters.Skill]int{}
	for i, s := range characters.Skills() {
		at[s] = i
	}
	return at
}()

var _ = []ieg.Predictor{(*Linear)(nil), (*Prompted)(nil), (*Tuned)(nil)}
