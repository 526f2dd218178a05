package pddl

import (
	"fmt"
	"slices"
	"strings"
)

// maxOperators bounds how many ground actions a problem may have.
const maxOperators = 500_000

// grounder collects what Ground needs.
type grounder struct {
	p       *Problem
	init    map[string]bool
	changed map[string]bool // predicates that some effect names
	reached map[string]bool // atoms that hold at first or that an operator adds
	known   map[string]bool // operators by name and arguments
	ops     []groundOp
}

type groundOp struct {
	Atom
	pre, neg, add, del []string
	cost               int
}

// Ground instantiates the actions of a problem over what can be reached when nothing is deleted: it
// goes over the actions until none has an instance that is new.
func Ground(p *Problem) (*Task, error) {
	g := &grounder{p: p, init: p.Start(), changed: map[string]bool{}, reached: p.Start(), known: map[string]bool{}}
	for _, a := range p.Domain.Actions {
		for _, e := range a.Effect {
			g.changed[e.Name] = true
		}
	}
	for before := -1; before < len(g.ops); {
		before = len(g.ops)
		for _, a := range p.Domain.Actions {
			if err := g.instantiate(a); err != nil {
				return nil, err
			}
		}
	}
	return g.task(), nil
}

// instantiate tries all objects for the parameters, checking each precondition as soon as its
// variables have values.
func (g *grounder) instantiate(a Action) error {
	ready := make([][]Literal, len(a.Params)+1) // by the number of parameters that have values
	for _, l := range a.Pre {
		n := 0
		for _, v := range l.Args {
			n = max(n, 1+slices.IndexFunc(a.Params, func(p Object) bool { return p.Name == v }))
		}
		ready[n] = append(ready[n], l)
	}
	fit := make([][]string, len(a.Params))
	for i, p := range a.Params {
		for _, o := range g.p.Objects {
			if g.p.Domain.Fits(o.Types, p.Types) {
				fit[i] = append(fit[i], o.Name)
			}
		}
	}
	value := map[string]string{}
	args := make([]string, len(a.Params))
	var place func(n int) error
	place = func(n int) error {
		if slices.ContainsFunc(ready[n], func(l Literal) bool { return !g.allows(bind(l, value)) }) {
			return nil
		}
		if n == len(a.Params) {
			return g.emit(a, Atom{a.Name, slices.Clone(args)}, value)
		}
		for _, o := range fit[n] {
			args[n], value[a.Params[n].Name] = o, o
			if err := place(n + 1); err != nil {
				return err
			}
		}
		delete(value, a.Params[n].Name)
		return nil
	}
	return place(0)
}

// allows reports whether a ground precondition can hold in some state, as far as is known yet.
func (g *grounder) allows(l Literal) bool {
	switch {
	case l.Name == "=":
		return (l.Args[0] == l.Args[1]) != l.Negated
	case l.Negated:
		return g.changed[l.Name] || !g.init[l.Atom.String()]
	}
	return g.reached[l.Atom.String()]
}

// emit adds an operator, unless it is known or needs an atom and its negation.
func (g *grounder) emit(a Action, named Atom, value map[string]string) error {
	key := named.String()
	if g.known[key] {
		return nil
	}
	g.known[key] = true
	if len(g.ops) == maxOperators {
		return fmt.Errorf("problem %s: more than %d ground actions", g.p.Name, maxOperators)
	}
	cost, err := g.p.cost(a, value)
	if err != nil {
		return err
	}
	op := groundOp{Atom: named, cost: cost}
	op.pre, op.neg = literals(a.Pre, value)
	op.add, op.del = literals(a.Effect, value)
	// What an action adds and deletes at once is true afterwards.
	op.del = slices.DeleteFunc(op.del, func(f string) bool { return slices.Contains(op.add, f) })
	if slices.ContainsFunc(op.neg, func(f string) bool { return slices.Contains(op.pre, f) }) {
		return nil
	}
	for _, f := range op.add {
		g.reached[f] = true
	}
	g.ops = append(g.ops, op)
	return nil
}

// literals returns the ground atoms of literals, those that are negated apart; equalities are checked already.
func literals(list []Literal, value map[string]string) (positive, negative []string) {
	for _, l := range list {
		switch f := bind(l, value).Atom.String(); {
		case l.Name == "=":
		case l.Negated:
			negative = append(negative, f)
		default:
			positive = append(positive, f)
		}
	}
	return positive, negative
}

// task numbers the facts that operators change, and the complements of those that must not hold
// somewhere, and translates initial state, goal and operators.
func (g *grounder) task() *Task {
	t := &Task{Problem: g.p, index: map[string]int32{}, Solvable: true}
	slices.SortFunc(g.ops, func(a, b groundOp) int { return compareAtoms(a.Atom, b.Atom) })
	fluent, needNot := map[string]bool{}, map[string]bool{}
	for _, op := range g.ops {
		for _, f := range op.add {
			if !g.init[f] {
				fluent[f] = true
			}
		}
		for _, f := range op.del {
			if g.reached[f] { // one that never holds does not change
				fluent[f] = true
			}
		}
		for _, f := range op.neg {
			needNot[f] = true
		}
	}
	for _, l := range g.p.Goal {
		if l.Negated {
			needNot[l.Atom.String()] = true
		}
	}
	t.Facts = World(fluent).Atoms()
	for _, a := range t.Facts {
		t.index[a.String()] = int32(len(t.index))
	}
	for _, a := range t.Facts {
		if f := a.String(); needNot[f] {
			t.index["not "+f] = int32(len(t.Facts))
			t.Facts = append(t.Facts, Atom{"not", []string{f}})
		}
	}
	t.Init = make(State, (len(t.Facts)+63)/64)
	for f, i := range t.index {
		if name, negated := strings.CutPrefix(f, "not "); g.init[name] != negated {
			t.Init[i>>6] |= 1 << (i & 63)
		}
	}
	for _, a := range g.p.Init {
		if !fluent[a.String()] {
			t.Static = append(t.Static, a)
		}
	}
	g.goal(t)
	g.operators(t)
	return t
}

// goal translates the goal.
func (g *grounder) goal(t *Task) {
	for _, l := range g.p.Goal {
		key := l.Atom.String()
		holds := g.init[key]
		if l.Name == "=" {
			holds = l.Args[0] == l.Args[1]
		} else if l.Negated {
			key = "not " + key
		}
		if i, fluent := t.index[key]; fluent {
			t.Goal = append(t.Goal, i)
		} else if holds == l.Negated {
			t.Solvable = false
		}
	}
	t.Goal = unique(t.Goal)
}

// operators translates the ground actions.
func (g *grounder) operators(t *Task) {
	for _, op := range g.ops {
		ids := func(list []string, prefix string) (out []int32) {
			for _, f := range list {
				if i, ok := t.index[prefix+f]; ok {
					out = append(out, i)
				}
			}
			return out
		}
		never := func(f string) bool { // a fluent name that is always true cannot be required to be false
			_, fluent := t.index["not "+f]
			return !fluent && g.init[f]
		}
		if slices.ContainsFunc(op.neg, never) {
			continue
		}
		t.Operators = append(t.Operators, Operator{
			Atom: op.Atom, Cost: op.cost,
			Pre: unique(append(ids(op.pre, ""), ids(op.neg, "not ")...)),
			Add: unique(append(ids(op.add, ""), ids(op.del, "not ")...)),
			Del: unique(append(ids(op.del, ""), ids(op.add, "not ")...)),
		})
	}
}
