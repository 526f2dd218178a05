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
	adders  map[string][]adder
	ops     []groundOp
}

// adder is one way in which an atom may become true.
type adder struct {
	params map[string][]string // types by variable
	static map[string][]string // unary static preconditions by variable
	args   []string
}

type groundOp struct {
	Atom
	pre, neg, add, del []string
	cost               int
}

// Ground instantiates the actions of a problem.
func Ground(p *Problem) (*Task, error) {
	g := &grounder{p: p, init: map[string]bool{}, changed: map[string]bool{}, adders: map[string][]adder{}}
	for _, a := range p.Init {
		g.init[a.String()] = true
	}
	for _, a := range p.Domain.Actions {
		for _, e := range a.Effect {
			g.changed[e.Name] = true
		}
	}
	for _, a := range p.Domain.Actions {
		g.addAdders(a)
	}
	for _, a := range p.Domain.Actions {
		if err := g.instantiate(a); err != nil {
			return nil, err
		}
	}
	g.dropUnreachable()
	return g.task(), nil
}

func (g *grounder) addAdders(a Action) {
	way := adder{params: map[string][]string{}, static: map[string][]string{}}
	for _, p := range a.Params {
		way.params[p.Name] = p.Types
	}
	for _, l := range a.Pre {
		if !l.Negated && !g.changed[l.Name] && len(l.Args) == 1 {
			way.static[l.Args[0]] = append(way.static[l.Args[0]], l.Name)
		}
	}
	for _, e := range a.Effect {
		if !e.Negated {
			way.args = e.Args
			g.adders[e.Name] = append(g.adders[e.Name], way)
		}
	}
}

// possible reports whether an atom can hold in any state: it does at first, or types and static facts
// let some action add it.
func (g *grounder) possible(a Atom) bool {
	if g.init[a.String()] {
		return true
	}
	return slices.ContainsFunc(g.adders[a.Name], func(way adder) bool {
		for i, v := range way.args {
			if !strings.HasPrefix(v, "?") {
				if v != a.Args[i] {
					return false
				}
				continue
			}
			if !g.p.Domain.Fits(g.p.Object(a.Args[i]).Types, way.params[v]) {
				return false
			}
			for _, s := range way.static[v] {
				if !g.init[Atom{s, []string{a.Args[i]}}.String()] {
					return false
				}
			}
		}
		return true
	})
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
		slices.Sort(fit[i])
	}
	value := map[string]string{}
	args := make([]string, len(a.Params))
	var place func(n int) error
	place = func(n int) error {
		for _, l := range ready[n] {
			if !g.allows(bind(l, value)) {
				return nil
			}
		}
		if n == len(a.Params) {
			return g.emit(a, slices.Clone(args), value)
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

// allows reports whether a ground precondition can hold in some state.
func (g *grounder) allows(l Literal) bool {
	switch {
	case l.Name == "=":
		return (l.Args[0] == l.Args[1]) != l.Negated
	case !l.Negated:
		return g.possible(l.Atom)
	case !g.changed[l.Name]:
		return !g.init[l.Atom.String()]
	}
	return true
}

func (g *grounder) emit(a Action, args []string, value map[string]string) error {
	if len(g.ops) == maxOperators {
		return fmt.Errorf("problem %s: more than %d ground actions", g.p.Name, maxOperators)
	}
	cost, err := g.p.cost(a, value)
	if err != nil {
		return err
	}
	op := groundOp{Atom: Atom{a.Name, args}, cost: cost}
	for _, l := range a.Pre {
		l = bind(l, value)
		switch {
		case l.Name == "=" || !g.changed[l.Name]:
		case l.Negated:
			op.neg = append(op.neg, l.Atom.String())
		default:
			op.pre = append(op.pre, l.Atom.String())
		}
	}
	for _, l := range a.Effect {
		if l = bind(l, value); l.Negated {
			op.del = append(op.del, l.Atom.String())
		} else {
			op.add = append(op.add, l.Atom.String())
		}
	}
	// What an action adds and deletes at once is true afterwards.
	op.del = slices.DeleteFunc(op.del, func(f string) bool { return slices.Contains(op.add, f) })
	if !slices.ContainsFunc(op.neg, func(f string) bool { return slices.Contains(op.pre, f) }) {
		g.ops = append(g.ops, op)
	}
	return nil
}

// dropUnreachable removes operators whose positive preconditions cannot all be reached when nothing
// is deleted.
func (g *grounder) dropUnreachable() {
	waiting := map[string][]int{}
	left := make([]int, len(g.ops))
	reached := map[string]bool{}
	var open []string
	reach := func(f string) {
		if !reached[f] {
			reached[f] = true
			open = append(open, f)
		}
	}
	keep := make([]bool, len(g.ops))
	fire := func(i int) {
		keep[i] = true
		for _, f := range g.ops[i].add {
			reach(f)
		}
	}
	for i, op := range g.ops {
		left[i] = len(op.pre)
		for _, f := range op.pre {
			waiting[f] = append(waiting[f], i)
		}
		if left[i] == 0 {
			fire(i)
		}
	}
	for _, a := range g.p.Init {
		reach(a.String())
	}
	for len(open) > 0 {
		f := open[len(open)-1]
		open = open[:len(open)-1]
		for _, i := range waiting[f] {
			if left[i]--; left[i] == 0 {
				fire(i)
			}
		}
	}
	i := -1
	g.ops = slices.DeleteFunc(g.ops, func(groundOp) bool { i++; return !keep[i] })
}

// task numbers the facts that operators change and translates the operators.
func (g *grounder) task() *Task {
	t := &Task{Problem: g.p, index: map[string]int32{}, Solvable: true}
	slices.SortStableFunc(g.ops, func(a, b groundOp) int { return compareAtoms(a.Atom, b.Atom) })
	changes := map[string]bool{}
	added := map[string]bool{}
	needNot := map[string]bool{}
	for _, op := range g.ops {
		for _, f := range op.add {
			added[f] = true
			changes[f] = changes[f] || !g.init[f]
		}
		for _, f := range op.del {
			changes[f] = true
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
	for f := range changes {
		// A fact that is deleted but never true does not change.
		if a := parseAtom(f); changes[f] && (g.init[f] || added[f]) {
			t.Facts = append(t.Facts, a)
		}
	}
	slices.SortFunc(t.Facts, compareAtoms)
	for i, a := range t.Facts {
		t.index[a.String()] = int32(i)
	}
	for _, a := range t.Facts {
		if needNot[a.String()] {
			t.index["not "+a.String()] = int32(len(t.Facts))
			t.Facts = append(t.Facts, Atom{"not", []string{a.String()}})
		}
	}
	g.finish(t)
	return t
}

// finish fills initial state, goal and operators.
func (g *grounder) finish(t *Task) {
	t.Init = make(State, (len(t.Facts)+63)/64)
	for f, i := range t.index {
		if name, negated := strings.CutPrefix(f, "not "); g.init[name] != negated {
			t.Init[i>>6] |= 1 << (i & 63)
		}
	}
	for _, a := range g.p.Init {
		if _, fluent := t.index[a.String()]; !fluent {
			t.Static = append(t.Static, a)
		}
	}
	for _, l := range g.p.Goal {
		key := l.Atom.String()
		if l.Name == "=" {
			t.Solvable = t.Solvable && (l.Args[0] == l.Args[1]) != l.Negated
			continue
		}
		if l.Negated {
			key = "not " + key
		}
		if i, fluent := t.index[key]; fluent {
			t.Goal = append(t.Goal, i)
		} else if g.init[l.Atom.String()] == l.Negated {
			t.Solvable = false
		}
	}
	t.Goal = unique(t.Goal)
	g.operators(t)
}

// operators translates the ground actions.
func (g *grounder) operators(t *Task) {
	for _, op := range g.ops {
		o := Operator{Atom: op.Atom, Cost: op.cost}
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
		o.Pre = unique(append(ids(op.pre, ""), ids(op.neg, "not ")...))
		o.Add = unique(append(ids(op.add, ""), ids(op.del, "not ")...))
		o.Del = unique(append(ids(op.del, ""), ids(op.add, "not ")...))
		t.Operators = append(t.Operators, o)
	}
}
