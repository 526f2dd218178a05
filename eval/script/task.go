package script

import (
	"errors"
	"fmt"
	"strings"
)

// Task is a task that scripts are written for.
type Task struct {
	ID          string   `json:"id"`
	Topic       string   `json:"topic"`
	Abstract    string   `json:"abstract"`    // without constraints, such as "Make pancakes"
	Constraints []string `json:"constraints"` // one to three
	Specific    string   `json:"specific"`    // the abstract task under all of its constraints: what authors are asked
	Steps       []string `json:"steps,omitempty"`

	// Of the reference steps, what faults are planted by. Numbers count from 1.
	Key    []int   `json:"key,omitempty"` // steps without which the goal is missed
	Breaks []Break `json:"breaks,omitempty"`
}

// Break is a step that violates a constraint, and the reference step in whose place it does so.
type Break struct {
	Constraint int    `json:"constraint"`
	Step       int    `json:"step"`
	Text       string `json:"text"`
}

// Validate reports a task that cannot be put.
func (t *Task) Validate() error {
	switch {
	case t.ID == "":
		return errors.New("the task has no id")
	case strings.TrimSpace(t.Specific) == "":
		return fmt.Errorf("task %s has no specific task", t.ID)
	case len(t.Constraints) == 0:
		return fmt.Errorf("task %s has no constraint", t.ID)
	}
	for i, c := range t.Constraints {
		if strings.TrimSpace(c) == "" {
			return fmt.Errorf("task %s: constraint %d is empty", t.ID, i+1)
		}
	}
	for _, k := range t.Key {
		if k < 1 || k > len(t.Steps) {
			return fmt.Errorf("task %s: key step %d is none of its %d steps", t.ID, k, len(t.Steps))
		}
	}
	for _, b := range t.Breaks {
		if b.Step < 1 || b.Step > len(t.Steps) || b.Constraint < 1 || b.Constraint > len(t.Constraints) {
			return fmt.Errorf("task %s: a break of constraint %d at step %d refers to a step or constraint that is not there", t.ID, b.Constraint, b.Step)
		}
	}
	return nil
}

// Depth is the number of constraints.
func (t *Task) Depth() int { return len(t.Constraints) }

// numbered writes texts one a line, with their numbers.
func numbered(texts []string) string {
	var b strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&b, "%d. %s\n", i+1, strings.Join(strings.Fields(text), " "))
	}
	return b.String()
}
