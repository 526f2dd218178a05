// Package planning measures how well models reason about action, change and planning.
//
// It asks six kinds of questions about planning problems (which actions apply, what holds, what an
// action makes true and false, what holds after several actions, and for a shortest plan), computes
// the true answers itself with package pddl, reads free answers, and scores them by graded measures
// (intersection over union and its kin, and distances between plans) after "Metrics for Holistic
// Evaluation of LLM Reasoning about Action, Change, and Planning".
//
// Where the algorithms come from:
//
//   - Uniformly distributed Blocksworld states: Slaney and Thiebaux, "Blocks World revisited",
//     AIJ 125, 2001.
//   - The measure of answers as sets is that of Jaccard; action distance, causal-link distance and
//     state-sequence distance are those of Srivastava et al., "Domain independent approaches for
//     finding diverse plans", IJCAI 2007, and Nguyen et al., AIJ 190, 2012.
//   - Effects are differences of states, as in ACPBench-Hard (Kokel et al., 2025).
package planning

import (
	"context"
	"fmt"

	"parley/eval/planning/pddl"
)

// Task is a kind of question.
type Task string

const (
	Applicable Task = "applicable" // the actions that apply in the current state
	State      Task = "state"      // all that holds in the current state
	Positive   Task = "positive"   // what an action makes true
	Negative   Task = "negative"   // what an action makes false
	After      Task = "after"      // all that holds after some actions
	Plan       Task = "plan"       // a shortest plan
)

// Tasks lists all kinds of questions.
var Tasks = []Task{Applicable, State, Positive, Negative, After, Plan}

// Actions reports whether the answers to a task are actions rather than properties of states.
func (t Task) Actions() bool { return t == Applicable || t == Plan }

// Problem is a planning problem as it is kept. Its JSON form is a documented interface.
type Problem struct {
	ID     string   `json:"id" parquet:"id"`
	Domain string   `json:"domain" parquet:"domain,dict"` // name of the domain
	Rules  string   `json:"domain_pddl" parquet:"domain_pddl,dict"`
	PDDL   string   `json:"problem" parquet:"problem"`
	Size   int      `json:"size" parquet:"size"`          // objects
	Cost   *int     `json:"cost" parquet:"cost,optional"` // of an optimal plan; nil: not known
	Plan   []string `json:"plan" parquet:"plan,list"`     // the reference plan
}

// World is a problem made ready for questions.
type World struct {
	Problem
	Task *pddl.Task

	words *language // nil: the domain has none
}

// Open parses and grounds a problem.
func (p Problem) Open() (*World, error) {
	d, err := pddl.ParseDomain(p.ID+" (domain)", p.Rules)
	if err != nil {
		return nil, err
	}
	parsed, err := pddl.ParseProblem(d, p.ID, p.PDDL)
	if err != nil {
		return nil, err
	}
	task, err := pddl.Ground(parsed)
	if err != nil {
		return nil, err
	}
	p.Domain, p.Size = d.Name, len(parsed.Objects)
	return &World{Problem: p, Task: task, words: languageOf(d)}, nil
}

// Solve sets cost and reference plan. It returns false where no plan is found within the limits.
func (w *World) Solve(ctx context.Context, o pddl.Options) (bool, error) {
	s, err := pddl.Solve(ctx, w.Task, o)
	if err != nil {
		return false, fmt.Errorf("problem %s: %w", w.ID, err)
	}
	if s.Outcome != pddl.Optimal {
		return false, nil
	}
	w.Cost, w.Plan = &s.Cost, atomStrings(s.Plan)
	return true, nil
}

// atomStrings writes atoms or literals in canonical form.
func atomStrings[T fmt.Stringer](list []T) []string {
	out := make([]string, 0, len(list))
	for _, a := range list {
		out = append(out, a.String())
	}
	return out
}
