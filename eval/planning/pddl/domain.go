package pddl

import (
	"slices"
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
	text      text
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
func ParseDomain(file, src string) (*Domain, error) {
	t := text{file}
	// Types come first: other sections name them.
	order := []string{":requirements", ":types", ":constants", ":predicates", ":functions", ":action"}
	name, sections, err := t.define(src, "domain", order...)
	if err != nil {
		return nil, err
	}
	d := &Domain{Name: name, Types: map[string][]string{"object": nil}, text: t}
	read := map[string]func(*expr) error{
		":types": d.readTypes, ":action": d.readAction,
		":constants": func(s *expr) (err error) {
			d.Constants, err = d.objects(s.list[1:], "")
			return err
		},
		":predicates": func(s *expr) error { return d.declare(s, &d.Predicates) },
		":functions":  func(s *expr) error { return d.declare(s, &d.functions) },
	}
	for _, kind := range order[1:] {
		for _, s := range sections[kind] {
			if err := read[kind](s); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

func (d *Domain) readTypes(s *expr) error {
	list, err := d.text.typed(s.list[1:])
	if err != nil {
		return err
	}
	for _, o := range list {
		if o.Name == "object" {
			if len(o.Types) > 0 {
				return d.text.errorf(o.at, `"object" is the root of all types and has no supertype`)
			}
			continue
		}
		for _, super := range o.Types {
			if super == o.Name || super != "object" && d.isA(super, o.Name) {
				return d.text.errorf(o.at, "type %q is its own supertype", o.Name)
			}
			if d.Types[super] == nil && super != "object" {
				d.Types[super] = []string{"object"}
			}
		}
		if len(o.Types) == 0 {
			o.Types = []string{"object"}
		}
		d.Types[o.Name] = slices.Concat(d.Types[o.Name], o.Types)
	}
	return nil
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
func (t text) typed(list []*expr) ([]typedName, error) {
	var out []typedName
	first := 0 // of the names that wait for their type
	for i := 0; i < len(list); i++ {
		e := list[i]
		if e.isList {
			return nil, t.errorf(e, "want a name, not a list")
		}
		if e.word != "-" {
			out = append(out, typedName{Object{Name: e.word}, e})
			continue
		}
		if i+1 == len(list) || first == len(out) {
			return nil, t.errorf(e, `"-" stands between names and their type`)
		}
		i++
		types, err := t.either(list[i])
		if err != nil {
			return nil, err
		}
		for ; first < len(out); first++ {
			out[first].Types = types
		}
	}
	return out, nil
}

func (t text) either(e *expr) ([]string, error) {
	if !e.isList {
		return []string{e.word}, nil
	}
	if e.head() != "either" || len(e.list) < 2 {
		return nil, t.errorf(e, "want a type or (either TYPE...)")
	}
	var types []string
	for _, x := range e.list[1:] {
		if x.isList {
			return nil, t.errorf(x, "want a type name")
		}
		types = append(types, x.word)
	}
	return types, nil
}

// objects reads a typed list whose names start with prefix ("?" for variables), each name once.
func (d *Domain) objects(list []*expr, prefix string) ([]Object, error) {
	names, err := d.text.typed(list)
	if err != nil {
		return nil, err
	}
	var out []Object
	for _, n := range names {
		if prefix == "" && strings.HasPrefix(n.Name, "?") || !strings.HasPrefix(n.Name, prefix) || n.Name == "?" {
			return nil, d.text.errorf(n.at, "%q: variables start with \"?\", objects do not", n.Name)
		}
		if len(n.Types) == 0 {
			n.Types = []string{"object"}
		}
		for _, t := range n.Types {
			if _, known := d.Types[t]; !known {
				return nil, d.text.errorf(n.at, "%q has the unknown type %q; declare it in :types", n.Name, t)
			}
		}
		if slices.ContainsFunc(out, func(o Object) bool { return o.Name == n.Name }) {
			return nil, d.text.errorf(n.at, "%q is declared twice", n.Name)
		}
		out = append(out, n.Object)
	}
	return out, nil
}

// declare adds predicates or functions to a list; "- number" may stand behind a function.
func (d *Domain) declare(s *expr, list *[]Predicate) error {
	for _, e := range s.list[1:] {
		name := e.head()
		if list == &d.functions && (e.word == "-" || e.word == "number") {
			continue
		}
		if name == "" || name == "=" {
			return d.text.errorf(e, "want (NAME PARAMETER...)")
		}
		if first(*list, func(p *Predicate) bool { return p.Name == name }) != nil {
			return d.text.errorf(e, "%q is declared twice", name)
		}
		params, err := d.objects(e.list[1:], "?")
		if err != nil {
			return err
		}
		*list = append(*list, Predicate{name, params})
	}
	return nil
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

func (d *Domain) readAction(s *expr) error {
	if len(s.list) < 2 || s.list[1].isList {
		return d.text.errorf(s, "want (:action NAME ...)")
	}
	a := Action{Name: s.list[1].word}
	if d.Action(a.Name) != nil {
		return d.text.errorf(s, "action %q is declared twice", a.Name)
	}
	parts := map[string]*expr{}
	for rest := s.list[2:]; len(rest) > 0; rest = rest[2:] {
		key := rest[0].word
		if !slices.Contains([]string{":parameters", ":precondition", ":effect"}, key) || parts[key] != nil {
			return d.text.errorf(rest[0], "want :parameters, :precondition and :effect, each once")
		}
		if len(rest) == 1 || !rest[1].isList {
			return d.text.errorf(rest[0], "%s needs a list in parentheses", key)
		}
		parts[key] = rest[1]
	}
	var err error
	if p := parts[":parameters"]; p != nil {
		if a.Params, err = d.objects(p.list, "?"); err != nil {
			return err
		}
	}
	known := scope{d, slices.Concat(a.Params, d.Constants), d.text}
	if a.Pre, err = known.condition(parts[":precondition"], nil); err != nil {
		return err
	}
	if parts[":effect"] == nil {
		return d.text.errorf(s, "action %q has no :effect", a.Name)
	}
	a.Effect, err = known.condition(parts[":effect"], &a)
	if err != nil {
		return err
	}
	d.Actions = append(d.Actions, a)
	return nil
}
