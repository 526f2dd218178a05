package pddl

import (
	"fmt"
	"slices"
)

// maxOperators bounds how many ground actions a problem may have.
const maxOperators = 500_000

// grounder collects what Ground needs. Atoms are in canonical form.
type grounder struct {
	p       *Problem
	init    World
	changed map[string]bool // predicates that some effect names
	reached World           // atoms that hold at first or that a step adds
	known   map[string]bool // steps by action and objects
	steps   []Step
	key     []byte           // of the atom that is looked up
	index   map[string]int32 // of the facts of the task; "not (on a b)" is a complement
}

// Ground instantiates actions over what is reached when nothing is deleted, until no instance is new.
func Ground(p *Problem) (*Task, error) {
	g := &grounder{p: p, init: p.Start(), changed: map[string]bool{}, reached: p.Start(), known: map[string]bool{}, index: map[string]int32{}}
	for _, a := range p.Domain.Actions {
		for _, e := range a.Effect {
			g.changed[e.Name] = true
		}
	}
	for before := -1; before < len(g.steps); {
		before = len(g.steps)
		for i := range p.Domain.Actions {
			if err := g.instantiate(&p.Domain.Actions[i]); err != nil {
				return nil, err
			}
		}
	}
	return g.task(), nil
}

// instantiate tries all objects for the parameters. A precondition that names one parameter says which objects are
// tried for it; any other is checked as soon as its variables have values.
func (g *grounder) instantiate(a *Action) error {
	alone := make([][]Literal, len(a.Params))   // by their only parameter
	ready := make([][]Literal, len(a.Params)+1) // by the number of parameters that have values
	for _, l := range a.Pre {
		first, last := len(a.Params), -1
		for _, v := range l.Args {
			if i := slices.IndexFunc(a.Params, func(p Object) bool { return p.Name == v }); i >= 0 {
				first, last = min(first, i), max(last, i)
			}
		}
		if first == last {
			alone[first] = append(alone[first], l)
		} else {
			ready[last+1] = append(ready[last+1], l)
		}
	}
	args := make([]string, len(a.Params))
	refused := func(l Literal) bool { return !g.allows(l, a.Params, args) }
	fit := make([][]string, len(a.Params))
	for i, p := range a.Params {
		for _, o := range g.p.Objects {
			args[i] = o.Name
			if g.p.Domain.Fits(o.Types, p.Types) && !slices.ContainsFunc(alone[i], refused) {
				fit[i] = append(fit[i], o.Name)
			}
		}
	}
	var place func(n int) error
	place = func(n int) error {
		if slices.ContainsFunc(ready[n], refused) {
			return nil
		}
		if n == len(a.Params) {
			return g.emit(a, args)
		}
		for _, o := range fit[n] {
			args[n] = o
			if err := place(n + 1); err != nil {
				return err
			}
		}
		return nil
	}
	return place(0)
}

// allows reports whether a precondition can hold in some state, as far as is known yet.
func (g *grounder) allows(l Literal, params []Object, args []string) bool {
	key := append(append(g.key[:0], '('), l.Name...)
	var values [2]string
	for i, v := range l.Args {
		if k := slices.IndexFunc(params, func(p Object) bool { return p.Name == v }); k >= 0 {
			v = args[k]
		}
		key = append(append(key, ' '), v...)
		values[i%2] = v
	}
	g.key = append(key, ')')
	switch {
	case l.Name == "=":
		return (values[0] == values[1]) != l.Negated
	case l.Negated:
		return g.changed[l.Name] || !g.init[string(g.key)]
	}
	return g.reached[string(g.key)]
}

// emit adds a step, unless it is known or needs an atom and its negation.
func (g *grounder) emit(a *Action, args []string) error {
	key := Atom{a.Name, args}.String()
	if g.known[key] {
		return nil
	}
	g.known[key] = true
	s := g.p.step(a, slices.Clone(args))
	if s.costErr != nil {
		return s.costErr
	}
	if len(g.steps) == maxOperators {
		return fmt.Errorf("problem %s: more than %d ground actions", g.p.Name, maxOperators)
	}
	needs := World{}
	for _, l := range s.Pre {
		if !l.Negated {
			needs[l.Atom.String()] = true
		}
	}
	if slices.ContainsFunc(s.Pre, func(l Literal) bool { return l.Negated && needs[l.Atom.String()] }) {
		return nil
	}
	for _, l := range s.Effect {
		if !l.Negated {
			g.reached[l.Atom.String()] = true
		}
	}
	g.steps = append(g.steps, s)
	return nil
}

// task numbers the facts that change, with complements of those that must not hold, and translates the rest.
func (g *grounder) task() *Task {
	t := &Task{Problem: g.p, Solvable: true}
	slices.SortFunc(g.steps, func(a, b Step) int { return compareAtoms(a.Atom, b.Atom) })
	fluent, needNot := World{}, World{}
	for _, s := range g.steps {
		for _, l := range s.Effect { // an atom that never holds does not change, nor does one that always does
			if f := l.Atom.String(); l.Negated && g.reached[f] || !l.Negated && !g.init[f] {
				fluent[f] = true
			}
		}
		for _, l := range s.Pre {
			if l.Negated {
				needNot[l.Atom.String()] = true
			}
		}
	}
	for _, l := range g.p.Goal {
		if l.Negated {
			needNot[l.Atom.String()] = true
		}
	}
	t.Facts = fluent.Atoms()
	for _, a := range t.Facts {
		if f := a.String(); needNot[f] {
			t.Facts = append(t.Facts, Atom{"not", []string{f}})
		}
	}
	g.number(t)
	for _, a := range g.p.Init {
		if !fluent[a.String()] {
			t.Static = append(t.Static, a)
		}
	}
	t.Goal, t.Solvable = g.facts(g.p.Goal)
	for _, s := range g.steps {
		op := Operator{Atom: s.Atom, Cost: s.cost}
		var possible bool
		if op.Pre, possible = g.facts(s.Pre); !possible {
			continue
		}
		op.Add, _ = g.facts(s.Effect)
		for i := range s.Effect {
			s.Effect[i].Negated = !s.Effect[i].Negated
		}
		op.Del, _ = g.facts(s.Effect)
		t.Operators = append(t.Operators, op)
	}
	return t
}

// number gives facts their indices and sets those that hold at first.
func (g *grounder) number(t *Task) {
	t.Init = make(State, (len(t.Facts)+63)/64)
	for i, a := range t.Facts {
		key := a.String()
		holds := g.init[key]
		if a.Name == "not" {
			key, holds = "not "+a.Args[0], !g.init[a.Args[0]]
		}
		g.index[key] = int32(i)
		if holds {
			t.Init[i>>6] |= 1 << (i & 63)
		}
	}
}

// facts returns the numbers of literals that can change, and whether the others hold.
func (g *grounder) facts(list []Literal) (ids []int32, hold bool) {
	hold = true
	for _, l := range list {
		key, holds := l.Atom.String(), g.init[l.Atom.String()]
		if l.Name == "=" {
			holds = l.Args[0] == l.Args[1]
		}
		if l.Negated {
			key = "not " + key
		}
		if i, fluent := g.index[key]; fluent {
			ids = append(ids, i)
		} else if holds == l.Negated {
			hold = false
		}
	}
	return unique(ids), hold
}
