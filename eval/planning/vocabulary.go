package planning

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/eval/planning/pddl"
)

// Reader reads answers about the objects of one problem.
type Reader struct {
	domain  *pddl.Domain
	objects map[string]pddl.Object // by name
	names   map[string]string      // object by squashed spelling, such as block3 for b3
	nouns   map[string]bool        // nouns of types, singular and plural
	stems   map[string]bool        // letters before the digits of object names
	symbols []*symbol
}

// symbol is an action or predicate and how it is read.
type symbol struct {
	name   string
	action bool
	params []pddl.Object
	names  []string         // its name and other spellings of it, such as pickup for pick-up, squashed
	keys   []string         // headings of lists of its arguments, squashed
	verb   *regexp.Regexp   // of an action, anchored at the start
	slots  []*regexp.Regexp // of an action, by argument: what stands before it; nil: nothing
	extra  *regexp.Regexp   // what may follow without being an argument, or nil
	forms  []form           // of a predicate
	args   [][]string
	short  int
	actor  int // the argument that may be the subject of the verb; -1: none
}

// form is a pattern of a predicate; args numbers its groups.
type form struct {
	re   *regexp.Regexp
	args []int
}

// NewReader returns a reader for a domain and some objects. An object without types fits everywhere.
func NewReader(d *pddl.Domain, objects []pddl.Object) *Reader {
	r := &Reader{
		domain: d, objects: map[string]pddl.Object{}, names: map[string]string{}, stems: map[string]bool{},
		nouns: wordSet("object objects item one location position ground"),
	}
	words := cmp.Or(languageOf(d), plainWords(d))
	for t := range d.Types {
		r.nouns[t], r.nouns[t+"s"] = true, true
	}
	for _, w := range words.Types {
		r.nouns[w.Noun], r.nouns[w.Plural] = true, true
	}
	alias := !slices.ContainsFunc(objects, func(o pddl.Object) bool { return words.Aliases[o.Name] == "" })
	for _, o := range objects {
		o.Name = strings.ToLower(o.Name)
		r.objects[o.Name] = o
		part := lettersDigits.FindStringSubmatch(o.Name)
		if part != nil {
			r.stems[part[1]] = true
			if n, _ := words.noun(&o); strings.HasPrefix(n, part[1]) {
				r.names[n+part[2]] = o.Name
			}
		}
		if alias { // the colours by which PlanBench calls blocks a, b, c and so on
			r.names[words.Aliases[o.Name]] = o.Name
		}
	}
	for _, o := range objects {
		r.names[squash(o.Name)] = strings.ToLower(o.Name)
	}
	for _, action := range []bool{true, false} {
		for _, x := range schemas(d, action) {
			r.symbols = append(r.symbols, newSymbol(x, action, words.of(x.Name, action)))
		}
	}
	return r
}

// Reader returns a reader for the objects of a problem.
func (w *World) Reader() *Reader {
	return NewReader(w.Task.Problem.Domain, w.Task.Problem.Objects)
}

var lettersDigits = regexp.MustCompile(`^([a-z]+)[-_]?(\d+)$`)

// plainWords describes actions by their names, with the arguments in order and any preposition before each.
func plainWords(d *pddl.Domain) *language {
	l := &language{}
	for _, p := range d.Predicates {
		l.Predicates = append(l.Predicates, symbolWords{Names: []string{p.Name}})
	}
	for _, a := range d.Actions {
		parts := strings.FieldsFunc(regexp.QuoteMeta(a.Name), func(r rune) bool { return r == '-' || r == '_' })
		parts[0] += "(?:s|es|ed|ing)?"
		w := symbolWords{Names: []string{a.Name}, Verbs: []string{strings.Join(parts, "[-_ ]?")}}
		for range a.Params {
			w.Slots = append(w.Slots, struct{ With []string }{[]string{anyPreposition, ""}})
		}
		l.Actions = append(l.Actions, w)
	}
	return l
}

const anyPreposition = `(?:from|to|on|onto|on top of|in|into|inside|out of|off|at|with|using|by|via|of|over|and|for|up|down|through|towards)`

// place marks an argument in a pattern of a predicate.
var place = regexp.MustCompile(`\{(\d)(\+?)\}`)

const toBe = `(?:is|are|was|were|be|becomes|become|became|gets|remains|remain|stays|will be|will become|has been|have been|is being|are being|am|'s)(?: now| currently| still| also| then| again| both| all| each)?`

// newSymbol prepares the words of an action or a predicate for reading.
func newSymbol(x pddl.Predicate, action bool, w *symbolWords) *symbol {
	compile := func(list []string, end string) *regexp.Regexp {
		if len(list) == 0 {
			return nil
		}
		return regexp.MustCompile("^(?:" + strings.Join(list, "|") + ")" + end)
	}
	s := &symbol{
		name: x.Name, action: action, params: x.Params, args: w.Args, short: max(1, w.Short), actor: w.Actor - 1,
		verb: compile(w.Verbs, `(?:\s|$)`), extra: compile(w.Extra, `(?:\s|$)`),
	}
	if s.verb != nil {
		s.verb.Longest()
	}
	for _, x := range w.Slots {
		s.slots = append(s.slots, compile(x.With, "$"))
	}
	for _, n := range append([]string{x.Name}, w.Names...) {
		s.names = append(s.names, squash(n))
	}
	for _, k := range append([]string{x.Name}, w.Keys...) {
		s.keys = append(s.keys, squash(k))
	}
	bare := strings.NewReplacer("-", "[-_ ]?", "_", "[-_ ]?").Replace(regexp.QuoteMeta(x.Name)) // "on a b"
	for i := range x.Params {
		bare += fmt.Sprintf(" {%d}", i+1)
	}
	for _, text := range append(slices.Clone(w.Read), bare) {
		f := form{}
		text = place.ReplaceAllStringFunc(text, func(m string) string {
			g := place.FindStringSubmatch(m)
			n, _ := strconv.Atoi(g[1])
			f.args = append(f.args, n-1)
			if g[2] == "+" {
				return `(@\d+(?:(?: ,)?(?: and)? @\d+)*)`
			}
			return `(@\d+)`
		})
		text = strings.ReplaceAll(text, "BE", toBe)
		f.re = regexp.MustCompile(`^(?:` + text + `)$`)
		s.forms = append(s.forms, f)
	}
	return s
}

// symbolNamed returns the symbol that a word names, of the wanted kind where both kinds have it.
func (r *Reader) symbolNamed(word string, action bool) (named *symbol) {
	key := squash(word)
	for _, s := range r.symbols {
		if slices.Contains(s.names, key) && (named == nil || s.action == action && named.action != action) {
			named = s
		}
	}
	return named
}

// Vocabulary says which objects an answer may name: those of a PDDL problem, or names, with " - TYPE" where it is known.
type Vocabulary struct {
	Problem string          `json:"problem"`
	Objects json.RawMessage `json:"objects"`
}

// Reader returns a reader for these objects in a domain: the name of a built-in one or a PDDL text.
func (v Vocabulary) Reader(domain string) (*Reader, error) {
	known := !strings.Contains(domain, "(")
	if known {
		name := strings.TrimSuffix(strings.ToLower(domain), "-4ops") // PlanBench calls it blocksworld-4ops
		if name == "depot" {
			name = "depots"
		}
		src, err := files.ReadFile("domains/" + path.Base(name) + ".pddl")
		if err != nil {
			return nil, fmt.Errorf("domain %q: want blocksworld, depots or the text of a PDDL domain", domain)
		}
		domain = string(src)
	}
	d, err := pddl.ParseDomain("domain", domain)
	if err != nil {
		return nil, err
	}
	if known {
		d.Name = "" // problems call it by names of their own
	}
	if v.Problem != "" {
		p, err := pddl.ParseProblem(d, "problem", v.Problem)
		if err != nil {
			return nil, err
		}
		return NewReader(d, p.Objects), nil
	}
	var names []string
	if err := json.Unmarshal(v.Objects, &names); err != nil || len(names) == 0 {
		return nil, errors.New(`want "problem", a PDDL text, or "objects", a list of names`)
	}
	objects := slices.Clone(d.Constants)
	for _, n := range names {
		name, of, typed := strings.Cut(strings.ToLower(n), " - ")
		o := pddl.Object{Name: strings.TrimSpace(name)}
		of = strings.TrimSpace(of)
		if stem := lettersDigits.FindStringSubmatch(o.Name); !typed && stem != nil && d.Types[stem[1]] != nil {
			of = stem[1] // crate0 is a crate
		}
		if typed && d.Types[of] == nil && of != "object" {
			return nil, fmt.Errorf("object %q: the domain has no such type", n)
		}
		if of != "" {
			o.Types = []string{of}
		}
		objects = append(objects, o)
	}
	return NewReader(d, objects), nil
}
