package planning

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"parley/eval/planning/pddl"
)

//go:embed language domains
var files embed.FS

// language is how a domain is put into words.
type language struct {
	Intro      []string
	Types      map[string]struct{ Noun, Plural string }
	Aliases    map[string]string // colours that others give to blocks a, b, c...
	Predicates []predicateWords
	Actions    []actionWords
}

// predicateWords are the words of one predicate.
type predicateWords struct {
	Names   []string
	Arity   int
	Derived bool // follows from the rest by the rules in the introduction, and is not told
	Say     []string
	Read    []string
	Keys    []string // headings of lists of its arguments
}

// actionWords are the words of one action.
type actionWords struct {
	Names []string
	Say   []string
	Verbs []string
	Slots []struct{ With []string } // what may stand before each argument; empty: nothing need
	Extra []string                  // what may follow without being an argument
	Keys  [][]string                // names that others give to each argument
	Short int                       // arguments that an incomplete mention must have
	Actor int                       // the argument that may be the subject of the verb; 0: none
}

// questionWords are the texts that all domains share.
type questionWords struct {
	Ask     map[Task][]string
	Form    map[string]map[string]string
	Objects []string
	State   []string
	Goal    []string
}

var (
	loadLanguages = sync.OnceValue(func() (list []*language) {
		for _, name := range []string{"blocksworld", "depots"} {
			list = append(list, embedded[language](name))
		}
		return list
	})
	loadQuestions = sync.OnceValue(func() *questionWords { return embedded[questionWords]("questions") })
)

// embedded decodes a file of language, which a test has read before.
func embedded[T any](name string) *T {
	to := new(T)
	src, err := files.ReadFile("language/" + name + ".yaml")
	if err == nil {
		err = yaml.UnmarshalWithOptions(src, to, yaml.Strict())
	}
	if err != nil {
		panic(fmt.Sprintf("embedded file %s: %v", name, err))
	}
	return to
}

// languageOf returns the language in which a domain can be told, or nil: all its predicates and
// actions must be known to it.
func languageOf(d *pddl.Domain) *language {
	for _, l := range loadLanguages() {
		if l.covers(d) {
			return l
		}
	}
	return nil
}

func (l *language) covers(d *pddl.Domain) bool {
	for _, p := range d.Predicates {
		if w := l.predicate(p.Name); w == nil || w.Arity != len(p.Params) {
			return false
		}
	}
	for _, a := range d.Actions {
		if w := l.action(a.Name); w == nil || len(w.Slots) != len(a.Params) {
			return false
		}
	}
	return true
}

// squash writes a name without the marks by which spellings differ.
func squash(name string) string { return separators.Replace(strings.ToLower(name)) }

var separators = strings.NewReplacer("-", "", "_", "", " ", "")

func named(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return squash(n) == squash(name) })
}

func (l *language) predicate(name string) *predicateWords {
	i := slices.IndexFunc(l.Predicates, func(p predicateWords) bool { return named(p.Names, name) })
	if i < 0 {
		return nil
	}
	return &l.Predicates[i]
}

func (l *language) action(name string) *actionWords {
	i := slices.IndexFunc(l.Actions, func(a actionWords) bool { return named(a.Names, name) })
	if i < 0 {
		return nil
	}
	return &l.Actions[i]
}

// noun returns the words for the type of an object.
func (l *language) noun(o *pddl.Object) (noun, plural string) {
	for _, t := range o.Types {
		if w, ok := l.Types[t]; ok {
			return w.Noun, w.Plural
		}
	}
	return "", ""
}

// object names an object: "block a", and "crate0" where the name holds the type.
func (w *World) object(name string) string {
	o := w.Task.Problem.Object(name)
	if o == nil {
		return name
	}
	noun, _ := w.words.noun(o)
	if noun == "" || strings.Contains(name, noun) {
		return name
	}
	return noun + " " + name
}

// say puts an atom into words.
func (w *World) say(a pddl.Atom, action bool, pick func(n int) int) string {
	var say []string
	if action {
		say = w.words.action(a.Name).Say
	} else {
		say = w.words.predicate(a.Name).Say
	}
	text := say[pick(len(say))]
	for i, arg := range a.Args {
		text = strings.ReplaceAll(text, fmt.Sprintf("{%d}", i+1), w.object(arg))
	}
	return text
}
