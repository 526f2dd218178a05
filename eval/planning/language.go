package planning

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"parley/eval"
	"parley/eval/planning/pddl"
)

//go:embed language domains
var files embed.FS

// language is how a domain is put into words.
type language struct {
	Intro               []string
	Types               map[string]struct{ Noun, Plural string }
	Aliases             map[string]string // colours that others give to blocks a, b, c...
	Predicates, Actions []symbolWords
}

// symbolWords are the words of a predicate or an action.
type symbolWords struct {
	Names []string
	Say   []string
	Args  [][]string // names that others give to each argument

	Arity   int      // of a predicate
	Derived bool     // follows from the rest by the rules in the introduction, and is not told
	Read    []string // forms of a predicate
	Keys    []string // headings of lists of its arguments

	Verbs []string
	Slots []struct{ With []string } // what may stand before each argument of an action; empty: nothing need
	Extra []string                  // what may follow without being an argument
	Short int                       // arguments that an incomplete mention must have
	Actor int                       // the argument that may be the subject of the verb; 0: none
}

// questionWords are the texts that all domains share.
type questionWords struct {
	Ask     map[Task][]string
	Form    map[Form]map[string]string
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
	loadMetrics   = sync.OnceValue(func() map[Task][]eval.Metric { return *embedded[map[Task][]eval.Metric]("metrics") })
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

// languageOf returns the language that knows all predicates and actions of a domain, or nil.
func languageOf(d *pddl.Domain) *language {
	for _, l := range loadLanguages() {
		if l.covers(d) {
			return l
		}
	}
	return nil
}

func (l *language) covers(d *pddl.Domain) bool {
	for _, action := range []bool{true, false} {
		for _, s := range schemas(d, action) {
			if w := l.of(s.Name, action); w == nil || max(w.Arity, len(w.Slots)) != len(s.Params) {
				return false
			}
		}
	}
	return true
}

// schemas returns the actions of a domain, or its predicates, with their parameters.
func schemas(d *pddl.Domain, actions bool) (list []pddl.Predicate) {
	if !actions {
		return d.Predicates
	}
	for _, a := range d.Actions {
		list = append(list, pddl.Predicate{Name: a.Name, Params: a.Params})
	}
	return list
}

// squash writes a name without the marks by which spellings differ.
func squash(name string) string { return separators.Replace(strings.ToLower(name)) }

var separators = strings.NewReplacer("-", "", "_", "", " ", "")

func named(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return squash(n) == squash(name) })
}

// of returns the words of an action or a predicate, or nil.
func (l *language) of(name string, action bool) *symbolWords {
	list := l.Predicates
	if action {
		list = l.Actions
	}
	for i := range list {
		if named(list[i].Names, name) {
			return &list[i]
		}
	}
	return nil
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
	noun, _ := w.words.noun(w.Task.Problem.Object(name))
	if noun == "" || strings.Contains(name, noun) {
		return name
	}
	return noun + " " + name
}

// say puts an atom into words.
func (w *World) say(a pddl.Atom, action bool, pick func(n int) int) string {
	say := w.words.of(a.Name, action).Say
	text := say[pick(len(say))]
	for i, arg := range a.Args {
		text = strings.ReplaceAll(text, fmt.Sprintf("{%d}", i+1), w.object(arg))
	}
	return text
}
