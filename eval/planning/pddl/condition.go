package pddl

import (
	"slices"
	"strconv"
	"strings"
)

// unsupported are conditions and effects beyond STRIPS.
var unsupported = []string{"or", "imply", "forall", "exists", "when", "assign", "decrease", "<", ">", "<=", ">="}

// condition reads a conjunction of literals; in an effect, increases of the total cost go to cost.
func (r *reader) condition(e *expr, cost *Action) (all []Literal) {
	if e == nil || e.isList && len(e.list) == 0 {
		return nil
	}
	switch head := e.head(); head {
	case "and":
		for _, x := range e.list[1:] {
			all = append(all, r.condition(x, cost)...)
		}
		return all
	case "not":
		r.need(len(e.list) == 2, e, "want (not (PREDICATE ...))")
		return []Literal{{r.atom(e.list[1], cost != nil), true}}
	case "increase":
		r.need(cost != nil, e, "increase belongs in an effect")
		r.increase(e, cost)
		return nil
	default:
		r.need(!slices.Contains(unsupported, head), e, "%q is not supported (only and, not, and atoms)", head)
		return []Literal{{r.atom(e, cost != nil), false}}
	}
}

// atom reads one atom and checks predicate, arity, names and types.
func (r *reader) atom(e *expr, effect bool) Atom {
	p := r.d.Predicate(e.head())
	if e.head() == "=" && !effect {
		any := Object{Types: []string{"object"}}
		p = &Predicate{"=", []Object{any, any}}
	}
	r.need(e.head() != "", e, "want (PREDICATE ARGUMENT...)")
	r.need(p != nil, e, "unknown predicate %q", e.head())
	return r.apply(e, p)
}

// apply reads the arguments of a predicate or function.
func (r *reader) apply(e *expr, p *Predicate) Atom {
	a := Atom{Name: p.Name}
	r.need(len(e.list)-1 == len(p.Params), e, "%q takes %d arguments, not %d", p.Name, len(p.Params), len(e.list)-1)
	for i, x := range e.list[1:] {
		o := first(r.known, func(o *Object) bool { return o.Name == x.word })
		r.need(o != nil, x, "unknown name %q", x.word)
		// A variable of a type may be used where a subtype is wanted: grounding checks the object itself.
		want := p.Params[i].Types
		r.need(r.d.Fits(o.Types, want) || r.d.Fits(want, o.Types), x, "%q is of type %s, and %q takes %s here", x.word,
			strings.Join(o.Types, " or "), p.Name, strings.Join(want, " or "))
		a.Args = append(a.Args, x.word)
	}
	return a
}

func (r *reader) increase(e *expr, a *Action) {
	r.need(len(e.list) == 3 && e.list[1].head() == "total-cost", e, "want (increase (total-cost) NUMBER or FUNCTION)")
	a.priced = true
	if by := e.list[2]; by.isList {
		a.costs = append(a.costs, r.function(by))
	} else {
		a.cost += r.count(by)
	}
}

// function reads the use of a declared function.
func (r *reader) function(e *expr) Atom {
	f := first(r.d.functions, func(p *Predicate) bool { return p.Name == e.head() })
	r.need(f != nil, e, "unknown function %q", e.head())
	return r.apply(e, f)
}

// maxCost bounds the cost of one action, so that the cost of a plan stays a 32-bit number.
const maxCost = 100_000

// count reads a cost; "5.0" is one.
func (r *reader) count(e *expr) int {
	f, err := strconv.ParseFloat(e.word, 64)
	r.need(err == nil && f >= 0 && f <= maxCost && f == float64(int(f)), e, "a cost is a whole number from 0 to %d, not %q", maxCost, e.word)
	return int(f)
}
