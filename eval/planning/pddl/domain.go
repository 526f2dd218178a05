package pddl

import (
	"slices"
	"strconv"
	"strings"
)

// Domain is what a planning domain declares. All names are lower case.
type Domain struct {
	Name       string              // "" fits the problems of any domain
	Types      map[string][]string // direct supertypes; "object" has none
	Constants  []Object
	Predicates []Predicate
	Actions    []Action

	functions []Predicate
	file      string
}

// Object is a named object or constant. An object of several types was declared with either.
type Object struct {
	Name  string
	Types []string
}

// Predicate is a predicate with its parameters.
type Predicate struct {
	Name   string
	Params []Object
}

// Atom is a predicate or action name with its arguments: objects or, in a schema, variables ("?x").
type Atom struct {
	Name string
	Args []string
}

func (a Atom) String() string {
	return "(" + strings.Join(append([]string{a.Name}, a.Args...), " ") + ")"
}

// Literal is an atom or its negation. The predicate "=" compares two objects.
type Literal struct {
	Atom
	Negated bool
}

func (l Literal) String() string {
	if l.Negated {
		return "(not " + l.Atom.String() + ")"
	}
	return l.Atom.String()
}

// Action is an action schema. Deletes are negated literals of Effect.
type Action struct {
	Name   string
	Params []Object
	Pre    []Literal
	Effect []Literal

	costs  []Atom // functions that are added to the total cost
	cost   int    // constant part of the cost
	priced bool
}

// ParseDomain reads a domain; file is named in errors.
func ParseDomain(file, src string) (d *Domain, err error) {
	defer caught(&err)
	// Types come first: other sections name them.
	order := []string{":requirements", ":types", ":constants", ":predicates", ":functions", ":action"}
	r := &reader{file: file}
	name, sections := r.define(src, "domain", order...)
	r.d = &Domain{Name: name, Types: map[string][]string{"object": nil}, file: file}
	read := map[string]func(*expr){
		":requirements": func(*expr) {},
		":types":        r.types,
		":constants":    func(s *expr) { r.d.Constants = r.objects(s.list[1:], "") },
		":predicates":   func(s *expr) { r.d.Predicates = r.declared(s, false) },
		":functions":    func(s *expr) { r.d.functions = r.declared(s, true) },
		":action":       r.action,
	}
	for _, kind := range order {
		for _, s := range sections[kind] {
			read[kind](s)
		}
	}
	return r.d, nil
}

func (r *reader) types(s *expr) {
	for _, o := range r.typed(s.list[1:]) {
		r.need(o.Name != "object" || len(o.Types) == 0, o.at, `"object" is the root of all types and has no supertype`)
		if o.Name == "object" {
			continue
		}
		for _, super := range o.Types {
			r.need(super == "object" || !r.d.isA(super, o.Name), o.at, "type %q is its own supertype", o.Name)
			if _, known := r.d.Types[super]; !known {
				r.d.Types[super] = []string{"object"}
			}
		}
		if len(o.Types) == 0 {
			o.Types = []string{"object"}
		}
		r.d.Types[o.Name] = slices.Concat(r.d.Types[o.Name], o.Types)
	}
}

// isA reports whether a type is another one or below it.
func (d *Domain) isA(name, want string) bool {
	return name == want || want == "object" || slices.ContainsFunc(d.Types[name], func(super string) bool { return d.isA(super, want) })
}

// Fits reports whether an object of the given types may stand for a parameter of type want.
func (d *Domain) Fits(types, want []string) bool {
	return slices.ContainsFunc(types, func(t string) bool {
		return slices.ContainsFunc(want, func(w string) bool { return d.isA(t, w) })
	})
}

// typedName is one name of a typed list.
type typedName struct {
	Object
	at *expr
}

// typed reads "a b - T c - (either T U) d". Names without a type have no Types.
func (r *reader) typed(list []*expr) (out []typedName) {
	first := 0 // of the names that wait for their type
	for i := 0; i < len(list); i++ {
		e := list[i]
		r.need(!e.isList, e, "want a name, not a list")
		if e.word != "-" {
			out = append(out, typedName{Object{Name: e.word}, e})
			continue
		}
		i++
		r.need(i < len(list) && first < len(out), e, `"-" stands between names and their type`)
		for types := r.either(list[i]); first < len(out); first++ {
			out[first].Types = types
		}
	}
	return out
}

func (r *reader) either(e *expr) (types []string) {
	if !e.isList {
		return []string{e.word}
	}
	r.need(e.head() == "either" && len(e.list) > 1, e, "want a type or (either TYPE...)")
	for _, x := range e.list[1:] {
		r.need(!x.isList, x, "want a type name")
		types = append(types, x.word)
	}
	return types
}

// objects reads a typed list whose names start with prefix ("?" for variables), each name once.
func (r *reader) objects(list []*expr, prefix string) (out []Object) {
	for _, n := range r.typed(list) {
		variable := strings.HasPrefix(n.Name, "?")
		r.need(variable == (prefix == "?") && n.Name != "?", n.at, "%q: variables start with \"?\", objects do not", n.Name)
		r.need(first(out, func(o *Object) bool { return o.Name == n.Name }) == nil, n.at, "%q is declared twice", n.Name)
		if len(n.Types) == 0 {
			n.Types = []string{"object"}
		}
		for _, t := range n.Types {
			_, known := r.d.Types[t]
			r.need(known, n.at, "%q has the unknown type %q; declare it in :types", n.Name, t)
		}
		out = append(out, n.Object)
	}
	return out
}

// declared reads predicates or functions; "- number" may stand behind a function.
func (r *reader) declared(s *expr, functions bool) (list []Predicate) {
	for _, e := range s.list[1:] {
		if functions && (e.word == "-" || e.word == "number") {
			continue
		}
		name := e.head()
		r.need(name != "" && name != "=", e, "want (NAME PARAMETER...)")
		r.need(first(list, func(p *Predicate) bool { return p.Name == name }) == nil, e, "%q is declared twice", name)
		list = append(list, Predicate{name, r.objects(e.list[1:], "?")})
	}
	return list
}

// Predicate returns the predicate of that name, or nil.
func (d *Domain) Predicate(name string) *Predicate {
	return first(d.Predicates, func(p *Predicate) bool { return p.Name == name })
}

// Action returns the action of that name, or nil.
func (d *Domain) Action(name string) *Action {
	return first(d.Actions, func(a *Action) bool { return a.Name == name })
}

// first returns the first element of a list that is wanted, or nil.
func first[T any](list []T, want func(*T) bool) *T {
	for i := range list {
		if want(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

func (r *reader) action(s *expr) {
	r.need(len(s.list) > 1 && !s.list[1].isList, s, "want (:action NAME ...)")
	a := Action{Name: s.list[1].word}
	r.need(r.d.Action(a.Name) == nil, s, "action %q is declared twice", a.Name)
	parts := map[string]*expr{}
	for rest := s.list[2:]; len(rest) > 0; rest = rest[2:] {
		key := rest[0].word
		ok := slices.Contains([]string{":parameters", ":precondition", ":effect"}, key) && parts[key] == nil
		r.need(ok, rest[0], "want :parameters, :precondition and :effect, each once")
		r.need(len(rest) > 1 && rest[1].isList, rest[0], "%s needs a list in parentheses", key)
		parts[key] = rest[1]
	}
	if p := parts[":parameters"]; p != nil {
		a.Params = r.objects(p.list, "?")
	}
	r.known = slices.Concat(a.Params, r.d.Constants)
	a.Pre = r.condition(parts[":precondition"], nil)
	r.need(parts[":effect"] != nil, s, "action %q has no :effect", a.Name)
	a.Effect = r.condition(parts[":effect"], &a)
	r.d.Actions = append(r.d.Actions, a)
}

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
