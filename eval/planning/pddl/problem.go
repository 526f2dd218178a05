package pddl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is a planning problem of a domain.
type Problem struct {
	Domain  *Domain
	Name    string
	Objects []Object // with the domain's constants
	Init    []Atom   // sorted, each once
	Goal    []Literal
	Priced  bool // minimize total cost; otherwise every action costs 1

	values map[string]int // of functions, by "(f a b)"
}

// ParseProblem reads a problem; file is named in errors.
func ParseProblem(d *Domain, file, src string) (_ *Problem, err error) {
	defer caught(&err)
	r := &reader{file: file, d: d}
	name, part := r.define(src, "problem", ":domain", ":requirements", ":objects", ":init", ":goal", ":metric")
	p := &Problem{Domain: d, Name: name, values: map[string]int{}, Objects: slices.Clone(d.Constants)}
	for _, of := range part[":domain"] {
		same := d.Name == "" || len(of.list) == 2 && of.list[1].word == d.Name
		r.need(same, of, "the problem is not of domain %q, which %s defines", d.Name, d.file)
	}
	for _, section := range []string{":init", ":goal"} {
		r.need(part[section] != nil, top, "the problem has no %s", section)
	}
	for _, e := range part[":objects"] {
		for _, o := range r.objects(e.list[1:], "") {
			if c := p.Object(o.Name); c != nil {
				r.need(slices.Equal(c.Types, o.Types), e, "%q is a constant of the domain with another type", o.Name)
			} else {
				p.Objects = append(p.Objects, o)
			}
		}
	}
	r.known = p.Objects
	r.init(p, part[":init"][0])
	goal := part[":goal"][0]
	r.need(len(goal.list) == 2, goal, "want (:goal CONDITION)")
	p.Goal = r.condition(goal.list[1], nil)
	for _, e := range part[":metric"] {
		ok := len(e.list) == 3 && e.list[1].word == "minimize" && (e.list[2].head() == "total-cost" || e.list[2].word == "total-cost")
		r.need(ok, e, "only (:metric minimize (total-cost)) is supported")
		p.Priced = slices.ContainsFunc(d.Actions, func(a Action) bool { return a.priced })
	}
	return p, nil
}

// init reads the initial state and the values of functions.
func (r *reader) init(p *Problem, e *expr) {
	for _, x := range e.list[1:] {
		switch {
		case x.head() == "=" && len(x.list) == 3 && x.list[1].isList:
			p.values[r.function(x.list[1]).String()] = r.count(x.list[2])
		case x.head() == "not" && len(x.list) == 2: // what is not listed is false anyway
			r.atom(x.list[1], true)
		default:
			p.Init = append(p.Init, r.atom(x, true))
		}
	}
	slices.SortFunc(p.Init, compareAtoms)
	p.Init = slices.CompactFunc(p.Init, sameAtom)
}

func sameAtom(a, b Atom) bool { return compareAtoms(a, b) == 0 }

func compareAtoms(a, b Atom) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), slices.Compare(a.Args, b.Args))
}

// Object returns the object of that name, or nil.
func (p *Problem) Object(name string) *Object {
	return first(p.Objects, func(o *Object) bool { return o.Name == name })
}

// cost returns the cost of an instance of an action.
func (p *Problem) cost(a *Action, value map[string]string) (int, error) {
	if !p.Priced {
		return 1, nil
	}
	cost := a.cost
	for _, f := range a.costs {
		key := f.bind(value).String()
		n, ok := p.values[key]
		if !ok {
			return 0, fmt.Errorf("problem %s: action %s costs %s, which :init gives no value", p.Name, a.Name, key)
		}
		cost += n
	}
	return cost, nil
}

// bind replaces variables by their values; constants stay.
func (a Atom) bind(value map[string]string) Atom {
	a.Args = slices.Clone(a.Args)
	for i, v := range a.Args {
		if o, ok := value[v]; ok {
			a.Args[i] = o
		}
	}
	return a
}
