package planning

import (
	"maps"

	"parley/eval/planning/pddl"
)

// Overlap compares an answer with the truth as sets. A nil value is 0/0.
type Overlap struct {
	IoU       *float64
	Precision *float64 // nil where the answer is empty
	Recall    *float64 // nil where the truth is empty
	Exact     *float64 // 1 or 0
}

// Compare returns the overlap of an answer and the truth. Where both are empty it is 1 if the answer
// says so (none), and 0 if nothing came that could be an answer.
func Compare(answer, truth []string, none bool) Overlap {
	common := len(answer) - len(without(answer, truth))
	union := len(answer) + len(truth) - common
	if union == 0 {
		one := indicator(none)
		return Overlap{one, one, one, one}
	}
	return Overlap{ratio(common, union), ratio(common, len(answer)), ratio(common, len(truth)), indicator(common == union)}
}

// ratio returns n/of, or nil for n/0.
func ratio(n, of int) *float64 {
	if of == 0 {
		return nil
	}
	return new(float64(n) / float64(of))
}

// indicator returns 1 for true and 0 for false.
func indicator(b bool) *float64 {
	if b {
		return new(1.0)
	}
	return new(0.0)
}

// distance is 1 less the intersection over union of two sets; two empty sets are at distance 0. Of the
// sets of actions of two plans it is the action distance (Nguyen et al., 2012), which knows no order and
// no repetition.
func distance(a, b map[string]bool) float64 {
	common := 0
	for x := range a {
		if b[x] {
			common++
		}
	}
	if union := len(a) + len(b) - common; union > 0 {
		return 1 - float64(common)/float64(union)
	}
	return 0
}

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, x := range list {
		set[x] = true
	}
	return set
}

// PlanScores are the measures of a plan. Distances are to the reference plan; smaller is better.
type PlanScores struct {
	Action  float64  // action distance
	Closest *float64 // the least action distance to any optimal plan; nil: they are not all known
	Causal  float64  // distance of the sets of causal links
	States  float64  // mean distance of the states that the plans pass through, step by step
	Valid   bool
	Goal    bool     // the goal holds after the steps that could be carried out
	Ratio   *float64 // cost of a valid plan over the optimal cost; nil: not valid, or an optimal cost of 0
	Prefix  *float64 // share of the steps before the first that does not apply; nil: no steps
	Reason  string   // why the plan is not valid
}

// ScorePlan measures a plan, given as canonical actions. graph may be nil.
func (w *World) ScorePlan(plan []string, graph *pddl.Graph) PlanScores {
	steps := atomsOf(plan)
	p := w.Task.Problem
	v := p.Validate(steps)
	s := PlanScores{
		Action: distance(setOf(plan), setOf(w.Plan)), Valid: v.Valid, Goal: v.GoalReached, Reason: v.Reason,
		Prefix: ratio(v.Applied, len(steps)),
		Causal: distance(causalLinks(p, steps), causalLinks(p, atomsOf(w.Plan))),
		States: stateDistance(statesOf(p, steps), statesOf(p, atomsOf(w.Plan)), len(steps), len(w.Plan)),
	}
	if graph != nil {
		s.Closest = new(distance(setOf(plan), setOf(atomStrings(graph.Closest(setOf(plan))))))
	}
	if v.Valid && w.Cost != nil {
		s.Ratio = ratio(v.Cost, *w.Cost)
	}
	return s
}

// atomsOf turns canonical actions into atoms.
func atomsOf(list []string) []pddl.Atom {
	out := make([]pddl.Atom, 0, len(list))
	for _, s := range list {
		out = append(out, pddl.ParseAtom(s))
	}
	return out
}

// causalLinks returns which action provides which condition of which later action or of the goal. A
// condition that nothing provides has no link, and a step that is no action of the problem has none.
func causalLinks(p *pddl.Problem, steps []pddl.Atom) map[string]bool {
	links := map[string]bool{}
	maker := map[string]string{}
	for f := range p.Start() {
		maker[f] = "start"
	}
	need := func(list []pddl.Literal, who string) {
		for _, l := range list {
			if by, ok := maker[l.Atom.String()]; ok && !l.Negated {
				links[by+" "+l.Atom.String()+" "+who] = true
			}
		}
	}
	for _, a := range steps {
		s, err := p.Instance(a)
		if err != nil {
			continue
		}
		need(s.Pre, a.String())
		for _, e := range s.Effect {
			if e.Negated {
				delete(maker, e.Atom.String())
			} else {
				maker[e.Atom.String()] = a.String()
			}
		}
	}
	need(p.Goal, "goal")
	return links
}

// statesOf returns the states after each step, up to the first step that does not apply.
func statesOf(p *pddl.Problem, steps []pddl.Atom) (out []map[string]bool) {
	world := p.Start()
	for _, a := range steps {
		s, err := p.Instance(a)
		if err != nil || world.Missing(s.Pre) != nil {
			break
		}
		world.Apply(s)
		out = append(out, maps.Clone(world))
	}
	return out
}

// stateDistance is the mean distance of the states after each step; steps that only one plan has, or
// that do not apply, count 1 (Srivastava et al., 2007).
func stateDistance(a, b []map[string]bool, lenA, lenB int) float64 {
	n := max(lenA, lenB)
	if n == 0 {
		return 0
	}
	sum := float64(n - min(len(a), len(b)))
	for i := range min(len(a), len(b)) {
		sum += distance(a[i], b[i])
	}
	return sum / float64(n)
}
