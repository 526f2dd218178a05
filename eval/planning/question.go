package planning

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"parley/eval/planning/pddl"
)

// Form is how a question is put.
type Form string

const (
	Words Form = "words" // natural language, where the domain has it
	PDDL  Form = "pddl"
)

// Question is one question with its true answer. Its JSON form is a documented interface.
type Question struct {
	ID       string   `json:"id" parquet:"id"`
	Problem  string   `json:"problem_id" parquet:"problem_id,dict"`
	Domain   string   `json:"domain" parquet:"domain,dict"`
	Task     Task     `json:"task" parquet:"task,dict"`
	Form     Form     `json:"form" parquet:"form,dict"`
	Size     int      `json:"size" parquet:"size"` // objects
	Context  string   `json:"context" parquet:"context,dict"`
	Question string   `json:"question" parquet:"question"`
	Done     []string `json:"actions" parquet:"actions,list"` // that the question says are carried out
	Truth    []string `json:"truth" parquet:"truth,list"`     // sorted; a plan in its order
	Static   []string `json:"static" parquet:"static,list"`   // of the truth, what no action can change
	Loops    []string `json:"loops" parquet:"loops,list"`     // of the truth, actions that change nothing
	Seed     string   `json:"seed" parquet:"seed,dict"`       // decimal; 64 bits, which readers of JSON would round
}

// Prompt returns the whole text that a model is given.
func (q *Question) Prompt() string { return q.Context + "\n" + q.Question }

// Asking chooses how questions are made.
type Asking struct {
	Seed  uint64
	Form  Form // "" is Words
	Steps int  // actions of After; 0 is 2
}

// Ask makes the question of a task on a problem. The same seed gives the same question. It fails where
// the problem has no such question: no plan is known, or no action changes anything.
func (w *World) Ask(task Task, a Asking) (*Question, error) {
	form := a.Form
	if form == "" {
		form = Words
	}
	if w.words == nil {
		form = PDDL
	}
	if a.Steps == 0 {
		a.Steps = 2
	}
	rng := seeded(a.Seed, w.ID, string(task))
	q := &Question{
		ID: w.ID + "/" + string(task), Problem: w.ID, Domain: w.Domain, Task: task, Form: form, Size: w.Size,
		Seed: strconv.FormatUint(a.Seed, 10), Done: []string{}, Static: []string{}, Loops: []string{},
	}
	if err := w.answer(q, a.Steps, rng); err != nil {
		return nil, err
	}
	q.Context = w.context(form, task == Plan, seeded(a.Seed, w.ID).IntN) // the questions of a problem share it
	q.Question = w.question(q, rng.IntN)
	return q, nil
}

// seeded returns randomness of its own for what the parts name.
func seeded(seed uint64, parts ...string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(strings.Join(parts, "\x00")))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// answer sets what is true, and the actions of the question.
func (w *World) answer(q *Question, steps int, rng *rand.Rand) error {
	t := w.Task
	switch q.Task {
	case Applicable:
		next := make(pddl.State, len(t.Init))
		for _, op := range t.AllApplicable(t.Init) {
			q.Truth = append(q.Truth, t.Operators[op].String())
			if t.Apply(next, t.Init, op); slices.Equal(next, t.Init) {
				q.Loops = append(q.Loops, t.Operators[op].String())
			}
		}
	case State:
		q.Truth, q.Static = atomStrings(t.Atoms(t.Init, true)), atomStrings(t.Static)
	case Positive, Negative, After:
		if q.Task != After {
			steps = 1
		}
		end, err := w.walk(q, steps, rng)
		if err != nil {
			return err
		}
		made, unmade := w.difference(end)
		q.Truth = map[Task][]string{Positive: made, Negative: unmade, After: atomStrings(t.Atoms(end, true))}[q.Task]
		if q.Task == After {
			q.Static = atomStrings(t.Static)
		}
	case Plan:
		if w.Cost == nil || len(w.Plan) == 0 && *w.Cost > 0 {
			return fmt.Errorf("problem %s: no optimal plan is known; solve it first", w.ID)
		}
		q.Truth = slices.Clone(w.Plan)
		return nil
	default:
		return fmt.Errorf("unknown task %q", q.Task)
	}
	slices.Sort(q.Truth)
	return nil
}

// difference returns what holds in a state and not at first, and the reverse.
func (w *World) difference(end pddl.State) (made, unmade []string) {
	before, after := atomStrings(w.Task.Atoms(w.Task.Init, false)), atomStrings(w.Task.Atoms(end, false))
	return without(after, before), without(before, after)
}

// without returns the members of a that b lacks.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return slices.Contains(b, x) })
}

// walk carries out random actions that lead to new states, as long as there are such, and names them in the question.
func (w *World) walk(q *Question, steps int, rng *rand.Rand) (pddl.State, error) {
	t, next := w.Task, make(pddl.State, len(w.Task.Init))
	visited := []pddl.State{t.Init}
	for range steps {
		s := visited[len(visited)-1]
		leadsTo := func(known []pddl.State) func(op int) bool {
			return func(op int) bool {
				t.Apply(next, s, op)
				return slices.ContainsFunc(known, func(v pddl.State) bool { return slices.Equal(v, next) })
			}
		}
		ops := slices.DeleteFunc(t.AllApplicable(s), leadsTo(visited))
		if len(ops) == 0 {
			ops = slices.DeleteFunc(t.AllApplicable(s), leadsTo([]pddl.State{s}))
		}
		if len(ops) == 0 {
			return nil, fmt.Errorf("problem %s: no action changes the state", w.ID)
		}
		op := ops[rng.IntN(len(ops))]
		q.Done = append(q.Done, t.Operators[op].String())
		t.Apply(next, s, op)
		visited = append(visited, slices.Clone(next))
	}
	return visited[steps], nil
}

// context tells domain, objects, state and, for a plan, the goal.
func (w *World) context(form Form, goal bool, pick func(n int) int) string {
	if form == PDDL {
		text := "This is a planning domain in PDDL:\n" + strings.TrimSpace(w.Rules) + "\nThese are the objects and the current state:\n"
		return text + w.factsPDDL(goal)
	}
	q := loadQuestions()
	var b strings.Builder
	b.WriteString(w.words.Intro[pick(len(w.words.Intro))])
	objects := q.Objects[pick(len(q.Objects))]
	var plurals []string
	names := map[string][]string{}
	for i := range w.Task.Problem.Objects {
		o := &w.Task.Problem.Objects[i]
		_, plural := w.words.noun(o)
		if names[plural] == nil {
			plurals = append(plurals, plural)
		}
		names[plural] = append(names[plural], o.Name)
	}
	for _, plural := range plurals {
		b.WriteString(strings.NewReplacer("{plural}", plural, "{list}", series(names[plural])).Replace(objects) + "\n")
	}
	var facts []string
	for _, a := range w.Task.Problem.Init {
		if !w.words.of(a.Name, false).Derived {
			facts = append(facts, w.say(a, false, pick))
		}
	}
	b.WriteString(strings.ReplaceAll(q.State[pick(len(q.State))], "{list}", series(facts)) + "\n")
	if !goal {
		return b.String()
	}
	facts = nil
	for _, l := range w.Task.Problem.Goal {
		text := w.say(l.Atom, false, pick)
		if l.Negated {
			text = "it is not the case that " + text
		}
		facts = append(facts, text)
	}
	b.WriteString(strings.ReplaceAll(q.Goal[pick(len(q.Goal))], "{list}", series(facts)) + "\n")
	return b.String()
}

// series joins a list as English does.
func series(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// factsPDDL writes objects, initial state and goal without the parts of a problem that tell nothing.
func (w *World) factsPDDL(goal bool) string {
	var b strings.Builder
	b.WriteString("(:objects")
	for _, o := range w.Task.Problem.Objects {
		b.WriteString(" " + o.Name)
		if len(o.Types) > 1 {
			b.WriteString(" - (either " + strings.Join(o.Types, " ") + ")")
		} else if o.Types[0] != "object" {
			b.WriteString(" - " + o.Types[0])
		}
	}
	b.WriteString(")\n(:init " + strings.Join(atomStrings(w.Task.Problem.Init), " ") + ")\n")
	if goal {
		b.WriteString("(:goal (and " + strings.Join(atomStrings(w.Task.Problem.Goal), " ") + "))\n")
	}
	return b.String()
}

// question words the question itself and says how to answer it.
func (w *World) question(q *Question, pick func(n int) int) string {
	words := loadQuestions()
	var done []string
	for _, s := range q.Done {
		done = append(done, w.tell(s, true, q.Form, pick))
	}
	ask := words.Ask[q.Task]
	text := strings.ReplaceAll(ask[pick(len(ask))], "{actions}", strings.Join(done, "; "))
	var examples []string
	for _, s := range schemas(w.Task.Problem.Domain, q.Task.Actions()) {
		examples = append(examples, w.example(s, q.Task.Actions(), q.Form))
	}
	form := words.Form[q.Form][kind(q.Task)]
	form = strings.NewReplacer("{examples}", strings.Join(examples, "\n"), "{example}", examples[len(examples)-1]).Replace(form)
	return text + "\n" + form
}

// tell puts an atom in canonical form into the form of a question.
func (w *World) tell(s string, action bool, form Form, pick func(n int) int) string {
	if form == PDDL {
		return s
	}
	return w.say(pddl.ParseAtom(s), action, pick)
}

// fitting returns the objects that a parameter takes.
func (w *World) fitting(param pddl.Object) (names []string) {
	for _, o := range w.Task.Problem.Objects {
		if w.Task.Problem.Domain.Fits(o.Types, param.Types) {
			names = append(names, o.Name)
		}
	}
	return names
}

// example shows the form of an answer with the first objects that fit, whether or not it is true.
func (w *World) example(s pddl.Predicate, action bool, form Form) string {
	a := pddl.Atom{Name: s.Name}
	for _, param := range s.Params {
		best := ""
		for _, o := range w.fitting(param) {
			if best == "" || slices.Contains(a.Args, best) {
				best = o
			}
		}
		a.Args = append(a.Args, best)
	}
	return w.tell(a.String(), action, form, func(int) int { return 0 })
}
