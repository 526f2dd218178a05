package pddl

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Verdict is what validation finds of a plan.
type Verdict struct {
	Valid       bool   `json:"valid"` // every step applies and the goal holds at the end
	GoalReached bool   `json:"goal_reached"`
	FailingStep *int   `json:"failing_step"` // from 1; nil: every step applies
	Reason      string `json:"reason"`       // why the plan is not valid
	Applied     int    `json:"applied"`      // steps before the failing one
	Cost        int    `json:"cost"`         // of the applied steps
}

// ParseAtom takes apart an atom in canonical form, "(on a b)".
func ParseAtom(s string) Atom {
	words := strings.Fields(strings.Trim(s, "()"))
	if len(words) == 0 {
		return Atom{}
	}
	return Atom{words[0], words[1:]}
}

// World is a state of a problem as a set of atoms in canonical form, "(on a b)".
type World map[string]bool

// Start returns the initial state.
func (p *Problem) Start() World {
	w := World{}
	for _, a := range p.Init {
		w[a.String()] = true
	}
	return w
}

// Atoms returns the atoms of a world, sorted.
func (w World) Atoms() []Atom {
	out := make([]Atom, 0, len(w))
	for s := range w {
		out = append(out, ParseAtom(s))
	}
	slices.SortFunc(out, compareAtoms)
	return out
}

// Missing returns the first literal that does not hold, or nil.
func (w World) Missing(want []Literal) *Literal {
	for i, l := range want {
		truth := w[l.Atom.String()]
		if l.Name == "=" {
			truth = l.Args[0] == l.Args[1]
		}
		if truth == l.Negated {
			return &want[i]
		}
	}
	return nil
}

// Step is an action with its objects filled in. What it both adds and deletes is true afterwards, and is no deletion.
type Step struct {
	Atom
	Pre, Effect []Literal

	cost    int
	costErr error // the cost is not given
}

// Instance fills in an action. Its errors say what is unknown, of the wrong type, or of the wrong number.
func (p *Problem) Instance(a Atom) (Step, error) {
	schema := p.Domain.Action(a.Name)
	if schema == nil {
		return Step{}, fmt.Errorf("unknown action %q", a.Name)
	}
	if len(a.Args) != len(schema.Params) {
		return Step{}, fmt.Errorf("action %q takes %d arguments, not %d", a.Name, len(schema.Params), len(a.Args))
	}
	for i, name := range a.Args {
		o := p.Object(name)
		if o == nil {
			return Step{}, fmt.Errorf("unknown object %q", name)
		}
		if want := schema.Params[i].Types; !p.Domain.Fits(o.Types, want) {
			return Step{}, fmt.Errorf("object %q is of type %s, and %q takes %s here", name,
				strings.Join(o.Types, " or "), a.Name, strings.Join(want, " or "))
		}
	}
	return p.step(schema, a.Args), nil
}

// step fills in an action with objects that fit.
func (p *Problem) step(schema *Action, args []string) Step {
	value := map[string]string{}
	for i, param := range schema.Params {
		value[param.Name] = args[i]
	}
	bound := func(list []Literal) (out []Literal) {
		for _, l := range list {
			out = append(out, Literal{l.bind(value), l.Negated})
		}
		return out
	}
	s := Step{Atom: Atom{schema.Name, args}, Pre: bound(schema.Pre), Effect: bound(schema.Effect)}
	s.cost, s.costErr = p.cost(schema, value)
	s.Effect = slices.DeleteFunc(s.Effect, func(l Literal) bool {
		return l.Negated && slices.ContainsFunc(s.Effect, func(add Literal) bool { return !add.Negated && sameAtom(add.Atom, l.Atom) })
	})
	return s
}

// Apply changes the world by the effects of a step.
func (w World) Apply(s Step) {
	for _, l := range s.Effect {
		if l.Negated {
			delete(w, l.Atom.String())
		} else {
			w[l.Atom.String()] = true
		}
	}
}

// Validate carries out a plan from the initial state and says whether it reaches the goal.
func (p *Problem) Validate(plan []Atom) Verdict {
	w := p.Start()
	v := Verdict{}
	for i, a := range plan {
		step, err := p.Instance(a)
		if miss := w.Missing(step.Pre); err == nil && miss != nil {
			err = fmt.Errorf("precondition %s does not hold", miss)
		} else if err == nil {
			err = step.costErr
		}
		if err != nil {
			v.FailingStep = new(i + 1)
			v.Reason = fmt.Sprintf("step %d %s: %v", i+1, a, err)
			break
		}
		w.Apply(step)
		v.Applied++
		v.Cost += step.cost
	}
	miss := w.Missing(p.Goal)
	v.GoalReached = miss == nil
	if v.FailingStep == nil && miss != nil {
		v.Reason = fmt.Sprintf("goal %s does not hold at the end", miss)
	}
	v.Valid = v.FailingStep == nil && v.GoalReached
	return v
}

// A line of a plan file may carry a time and a duration, as temporal planners print them.
var planTimes = regexp.MustCompile(`(?m)^[ \t]*\d+(\.\d+)?[ \t]*:|\[\d+(\.\d+)?\]`)

// ParsePlan reads a plan: one action in parentheses after another. file is named in errors.
func ParsePlan(file, src string) (plan []Atom, err error) {
	defer caught(&err)
	r := &reader{file: file}
	blank := planTimes.ReplaceAllStringFunc(src, func(m string) string { return strings.Repeat(" ", len(m)) })
	for _, e := range r.read(blank) {
		r.need(e.head() != "", e, "want an action in parentheses, such as (pick-up a)")
		a := Atom{Name: e.head()}
		for _, x := range e.list[1:] {
			r.need(!x.isList, x, "want an object name, not a list")
			a.Args = append(a.Args, x.word)
		}
		plan = append(plan, a)
	}
	return plan, nil
}
