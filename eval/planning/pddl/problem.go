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
func ParseProblem(d *Domain, file, src string) (*Problem, error) {
	t := text{file}
	name, part, err := t.define(src, "problem", ":domain", ":requirements", ":objects", ":init", ":goal", ":metric")
	if err != nil {
		return nil, err
	}
	p := &Problem{Domain: d, Name: name, values: map[string]int{}}
	for _, of := range part[":domain"] {
		if d.Name != "" && (len(of.list) != 2 || of.list[1].word != d.Name) {
			return nil, t.errorf(of, "the problem is not of domain %q, which %s defines", d.Name, d.text.file)
		}
	}
	for _, need := range []string{":init", ":goal"} {
		if part[need] == nil {
			return nil, t.errorf(&expr{line: 1, col: 1}, "the problem has no %s", need)
		}
	}
	own := *d
	own.text = t
	p.Objects = slices.Clone(d.Constants)
	for _, e := range part[":objects"] {
		if err := p.readObjects(&own, e); err != nil {
			return nil, err
		}
	}
	s := scope{&own, p.Objects, t}
	if err := p.readInit(s, part[":init"][0]); err != nil {
		return nil, err
	}
	goal := part[":goal"][0]
	if len(goal.list) != 2 {
		return nil, t.errorf(goal, "want (:goal CONDITION)")
	}
	if p.Goal, err = s.condition(goal.list[1], nil); err != nil {
		return nil, err
	}
	for _, e := range part[":metric"] {
		if len(e.list) != 3 || e.list[1].word != "minimize" || e.list[2].head() != "total-cost" && e.list[2].word != "total-cost" {
			return nil, t.errorf(e, "only (:metric minimize (total-cost)) is supported")
		}
		p.Priced = slices.ContainsFunc(d.Actions, func(a Action) bool { return a.priced })
	}
	return p, nil
}

func (p *Problem) readObjects(d *Domain, e *expr) error {
	list, err := d.objects(e.list[1:], "")
	if err != nil {
		return err
	}
	for _, o := range list {
		if c := p.Object(o.Name); c == nil {
			p.Objects = append(p.Objects, o)
		} else if !slices.Equal(c.Types, o.Types) {
			return d.text.errorf(e, "%q is a constant of the domain with another type", o.Name)
		}
	}
	return nil
}

func (p *Problem) readInit(s scope, e *expr) error {
	for _, x := range e.list[1:] {
		if x.head() == "=" && len(x.list) == 3 && x.list[1].isList {
			f, err := s.function(x.list[1])
			if err != nil {
				return err
			}
			n, err := count(x.list[2].word)
			if err != nil {
				return s.text.errorf(x.list[2], "the value of a function is a whole number from 0 to %d", maxCost)
			}
			p.values[f.String()] = n
			continue
		}
		negated := x.head() == "not" && len(x.list) == 2
		if negated {
			x = x.list[1]
		}
		a, err := s.atom(x, true)
		if err != nil {
			return err
		}
		if !negated { // what is not listed is false anyway
			p.Init = append(p.Init, a)
		}
	}
	slices.SortFunc(p.Init, compareAtoms)
	p.Init = slices.CompactFunc(p.Init, sameAtom)
	return nil
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
		key := bind(Literal{Atom: f}, value).Atom.String()
		n, ok := p.values[key]
		if !ok {
			return 0, fmt.Errorf("problem %s: action %s costs %s, which :init gives no value", p.Name, a.Name, key)
		}
		cost += n
	}
	return cost, nil
}
