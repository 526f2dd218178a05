// Package script evaluates scripts, lists of steps for a task with constraints, after ABSEval (Liang
// and others, "ABSEval: An Agent-based Framework for Script Evaluation", EMNLP 2024): authors write
// them, judge agents look for their faults, authors are ranked by what is found, and the evaluation
// is itself evaluated, against planted faults and against people.
//
// It opens no model, and it plays no session. What a judge does not say is a status with
// its reason, and counts neither for nor against an author.
package script

import (
	"fmt"
	"slices"
)

// Metric is one of the seven questions about a script. For every one of them 1 is good and 0 is bad, whatever the
// judge was asked.
type Metric string

// The metrics, in the order of the paper's tables.
const (
	NoMissing   Metric = "NM" // no step is missing
	NoRedundant Metric = "NR" // no step is redundant
	NoDuplicate Metric = "ND" // no step is a duplicate
	Executable  Metric = "EX" // all steps agree with common sense
	Satisfies   Metric = "SC" // all constraints are met
	Completes   Metric = "CG" // the goal is reached
	Ordered     Metric = "OC" // the order is right
)

// Metrics returns all seven in their order.
func Metrics() []Metric {
	return []Metric{NoMissing, NoRedundant, NoDuplicate, Executable, Satisfies, Completes, Ordered}
}

// Title returns the metric in words; empty for what is none.
func (m Metric) Title() string {
	if i := m.index(); i >= 0 {
		return questions[i].title
	}
	return ""
}

// index is the metric's place, or -1.
func (m Metric) index() int { return slices.Index(Metrics(), m) }

// Weights say how much each metric counts in the score of a script; a metric that is not named
// counts 1. None: all count 1.
type Weights map[Metric]float64

// Of returns the weight of a metric.
func (w Weights) Of(m Metric) float64 {
	if v, ok := w[m]; ok {
		return v
	}
	return 1
}

// Validate reports weights that make no sense.
func (w Weights) Validate() error {
	sum := 0.0
	for _, m := range Metrics() {
		if !(w.Of(m) >= 0 && w.Of(m) < 1e6) {
			return fmt.Errorf("the weight %v of %s is not a number from 0", w.Of(m), m)
		}
		sum += w.Of(m)
	}
	for m := range w {
		if m.index() < 0 {
			return fmt.Errorf("there is no metric %q: they are %v", m, Metrics())
		}
	}
	if sum == 0 {
		return fmt.Errorf("all weights are 0")
	}
	return nil
}
