package pddl

import (
	"slices"
	"strconv"
	"strings"
)

// scope resolves names in conditions.
type scope struct {
	*Domain
	known []Object
	text  text
}

// condition reads a conjunction of literals; in an effect, increases of the total cost go to cost.
func (s scope) condition(e *expr, cost *Action) ([]Literal, error) {
	if e == nil || e.isList && len(e.list) == 0 {
		return nil, nil
	}
	switch e.head() {
	case "and":
		var all []Literal
		for _, x := range e.list[1:] {
			part, err := s.condition(x, cost)
			if err != nil {
				return nil, err
			}
			all = append(all, part...)
		}
		return all, nil
	case "not":
		if len(e.list) != 2 {
			return nil, s.text.errorf(e, "want (not (PREDICATE ...))")
		}
		a, err := s.atom(e.list[1], cost != nil)
		return []Literal{{a, true}}, err
	case "increase":
		if cost == nil {
			return nil, s.text.errorf(e, "increase belongs in an effect")
		}
		return nil, s.increase(e, cost)
	case "or", "imply", "forall", "exists", "when", "assign", "decrease", "<", ">", "<=", ">=":
		return nil, s.text.errorf(e, "%q is not supported (only and, not, and atoms)", e.head())
	}
	a, err := s.atom(e, cost != nil)
	return []Literal{{a, false}}, err
}

// atom reads one atom and checks predicate, arity, names and types.
func (s scope) atom(e *expr, effect bool) (Atom, error) {
	p := s.Predicate(e.head())
	if e.head() == "=" && !effect {
		any := Object{Types: []string{"object"}}
		p = &Predicate{"=", []Object{any, any}}
	}
	if e.head() == "" {
		return Atom{}, s.text.errorf(e, "want (PREDICATE ARGUMENT...)")
	} else if p == nil {
		return Atom{}, s.text.errorf(e, "unknown predicate %q", e.head())
	}
	return s.apply(e, p)
}

// apply reads the arguments of a predicate or function.
func (s scope) apply(e *expr, p *Predicate) (Atom, error) {
	a := Atom{Name: p.Name}
	if len(e.list)-1 != len(p.Params) {
		return a, s.text.errorf(e, "%q takes %d arguments, not %d", p.Name, len(p.Params), len(e.list)-1)
	}
	for i, x := range e.list[1:] {
		o := first(s.known, func(o *Object) bool { return o.Name == x.word })
		if o == nil {
			return a, s.text.errorf(x, "unknown name %q", x.word)
		}
		// A variable of a type may be used where a subtype is wanted: grounding checks the object itself.
		if want := p.Params[i].Types; !s.Fits(o.Types, want) && !s.Fits(want, o.Types) {
			return a, s.text.errorf(x, "%q is of type %s, and %q takes %s here", x.word,
				strings.Join(o.Types, " or "), p.Name, strings.Join(want, " or "))
		}
		a.Args = append(a.Args, x.word)
	}
	return a, nil
}

func (s scope) increase(e *expr, a *Action) error {
	if len(e.list) != 3 || e.list[1].head() != "total-cost" {
		return s.text.errorf(e, "want (increase (total-cost) NUMBER or FUNCTION)")
	}
	a.priced = true
	by := e.list[2]
	if !by.isList {
		n, err := count(by.word)
		if err != nil {
			return s.text.errorf(by, "a cost is a whole number from 0 to %d, not %q", maxCost, by.word)
		}
		a.cost += n
		return nil
	}
	f, err := s.function(by)
	a.costs = append(a.costs, f)
	return err
}

// function reads the use of a declared function.
func (s scope) function(e *expr) (Atom, error) {
	f := first(s.functions, func(p *Predicate) bool { return p.Name == e.head() })
	if f == nil {
		return Atom{}, s.text.errorf(e, "unknown function %q", e.head())
	}
	return s.apply(e, f)
}

// maxCost bounds the cost of one action, so that the cost of a plan stays a 32-bit number.
const maxCost = 100_000

// count reads a whole number; "5.0" is one.
func count(word string) (int, error) {
	f, err := strconv.ParseFloat(word, 64)
	if err != nil || f < 0 || f > maxCost || f != float64(int(f)) {
		return 0, strconv.ErrSyntax
	}
	return int(f), nil
}

// bind replaces variables by their values; constants stay.
func bind(l Literal, value map[string]string) Literal {
	l.Args = slices.Clone(l.Args)
	for i, v := range l.Args {
		if o, ok := value[v]; ok {
			l.Args[i] = o
		}
	}
	return l
}
