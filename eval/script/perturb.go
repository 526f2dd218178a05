package script

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"parley/eval"
	"parley/sim"
	"parley/sim/llm"
)

// Fault is a kind of fault that is planted into a script that has none.
type Fault string

// The six kinds of the paper's Table 4, and none.
const (
	Intact           Fault = "intact"
	LacksStep        Fault = "missing"
	HasRedundant     Fault = "redundant"
	HasDuplicate     Fault = "duplicate"
	BreaksOrder      Fault = "order"
	BreaksConstraint Fault = "constraint"
	MissesGoal       Fault = "goal"
)

// Faults returns the six kinds.
func Faults() []Fault {
	return []Fault{LacksStep, HasRedundant, HasDuplicate, BreaksConstraint, MissesGoal, BreaksOrder}
}

// Metric is the one that the fault is to be seen by; empty for Intact.
func (f Fault) Metric() Metric {
	return map[Fault]Metric{
		LacksStep: NoMissing, HasRedundant: NoRedundant, HasDuplicate: NoDuplicate,
		BreaksOrder: Ordered, BreaksConstraint: Satisfies, MissesGoal: Completes,
	}[f]
}

// Plant makes a script with one fault out of the reference steps of a task, by rule: it leaves out a
// key step; puts in a step of a task of another topic; repeats a step later on; exchanges two steps
// that are far apart; puts a step that violates a constraint in the place of one that serves it; or
// puts the work away before it is done. What the task does not say enough for is not applicable.
// Others are the tasks that a redundant step may come from.
func Plant(f Fault, t *Task, others []Task, r *rand.Rand) Script {
	steps := slices.Clone(t.Steps)
	n := len(steps)
	lacking := func(what string) Script {
		return Script{Status: eval.NotApplicable, Reason: fmt.Sprintf("task %s has %s", t.ID, what)}
	}
	if n < 4 {
		return lacking("fewer than four reference steps")
	}
	switch f {
	case Intact:
	case LacksStep:
		if len(t.Key) == 0 {
			return lacking("no key step")
		}
		at := t.Key[r.IntN(len(t.Key))] - 1
		steps = slices.Delete(steps, at, at+1)
	case HasRedundant:
		var foreign []string
		for i := range others {
			if others[i].Topic != t.Topic {
				foreign = append(foreign, others[i].Steps...)
			}
		}
		if len(foreign) == 0 {
			return lacking("no task of another topic beside it")
		}
		steps = slices.Insert(steps, 1+r.IntN(n-1), foreign[r.IntN(len(foreign))])
	case HasDuplicate:
		from := r.IntN(n - 1)
		steps = slices.Insert(steps, from+2+r.IntN(n-from-1), steps[from])
	case BreaksOrder:
		early, late := r.IntN(n/3), n-1-r.IntN(n/3)
		steps[early], steps[late] = steps[late], steps[early]
	case BreaksConstraint:
		if len(t.Breaks) == 0 {
			return lacking("no step that would break a constraint")
		}
		b := t.Breaks[r.IntN(len(t.Breaks))]
		steps[b.Step-1] = b.Text
	case MissesGoal:
		steps = append(steps[:n-n/3-1], "Put everything away as it is, and do not come back to it.")
	default:
		return lacking(fmt.Sprintf("no rule for %q", f))
	}
	return Script{Steps: steps, Method: "rule:" + string(f), Status: eval.Scored}
}

var spoils = map[Fault]string{
	LacksStep:        "take out the step that matters most, so that the task cannot be completed any more.",
	HasRedundant:     "put in one step that has nothing at all to do with the task.",
	MissesGoal:       "change the steps so that they do not reach the goal any more.",
	BreaksConstraint: "change the steps so that they do not keep to this condition any more: ",
}

// Spoil has a model plant a fault, as the paper does. A duplicate and a wrong order are planted by
// rule, which needs no model.
func (a *Author) Spoil(ctx context.Context, f Fault, t *Task, actor string, seed uint64) (Script, []llm.Call, error) {
	r := sim.Rand(sim.Mix(seed, sim.HashText(t.ID), sim.HashText(string(f))))
	what, ok := spoils[f]
	if !ok {
		return Plant(f, t, nil, r), nil, nil
	}
	if len(t.Steps) == 0 {
		return Script{Status: eval.NotApplicable, Reason: fmt.Sprintf("task %s has no reference steps", t.ID)}, nil, nil
	}
	if f == BreaksConstraint {
		what += t.Constraints[r.IntN(len(t.Constraints))] + "."
	}
	text := render("perturb", seed, map[string]any{"Specific": t.Specific, "Script": numbered(t.Steps), "Fault": what})
	s, calls, err := a.put(ctx, llm.Tag{Session: t.ID, Actor: actor, Purpose: "perturb"}, text, seed)
	if err == nil && s.Status == eval.Scored && slices.Equal(s.Steps, t.Steps) {
		s = Script{Status: eval.Unparsed, Reason: "the model changed nothing"}
	}
	s.Method = "model:" + string(f)
	return s, calls, err
}
