// Package vdm holds virtual Dungeon Masters: whatever reads a window of play and says who tries which
// skill. Linear is trained in seconds and needs nothing but this program, Prompted asks any language
// model, and Tuned asks one that was fine-tuned on the examples that Example makes. All stand behind
// ieg.Predictor.
//
// It knows windows of play and no measure, no file name and no model by name.
package vdm

import (
	"errors"
	"fmt"

	"parley/characters"
	"parley/eval/ieg"
)

// Config says how a linear virtual DM is trained. Its zero value is good.
type Config struct {
	Seed uint64
	// Folds is how many parts the training windows are split in by group to tune thresholds on, where
	// there are no windows for that; 0 means 3.
	Folds int
	// Workers is how many goroutines read and train; 0 means as many as may run at once. The result is
	// the same to the bit for any number.
	Workers int
}

// Validate says what is wrong with a configuration.
func (c Config) Validate() error {
	switch {
	case c.Folds < 0 || c.Folds == 1:
		return fmt.Errorf("%d folds: take 2 or more, or 0 for %d", c.Folds, defaultFolds)
	case c.Workers < 0:
		return fmt.Errorf("%d workers: take 1 or more, or 0 for as many as may run", c.Workers)
	}
	return nil
}

const defaultFolds = 3

var errNoWindows = errors.New("there are no windows to learn from")

// skillAt is the place of every skill in the order of characters.Skills.
var skillAt = func() map[characters.Skill]int {
	at := map[characters.Skill]int{}
	for i, s := range characters.Skills() {
		at[s] = i
	}
	return at
}()

var _ = []ieg.Predictor{(*Linear)(nil), (*Prompted)(nil), (*Tuned)(nil)}
