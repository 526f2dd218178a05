package script

import (
	"errors"
	"fmt"
	"strings"
	"text/template"

	"parley/eval/judge"
)

// agent is one judge's question: what it offers, and how its answer is taken apart.
type agent struct {
	name    string
	metrics []Metric
	gold    bool // is shown the model script
	prompt  *template.Template
	offered *judge.Schema
	n, k    int // steps, constraints
}

// The keys of verdicts, with the names that the paper, its code and small models give them.
const (
	explainKey   = `"explain": {"type": "string", "maxLength": 600, "description": "what you found", "x-aliases": ["explanation", "reason", "reasoning"]}`
	missingKey   = `"missing_steps": {"type": "boolean", "description": "true if a step is missing, false if none is", "x-aliases": ["missing_step", "has_missing_steps"]}`
	redundantKey = `"redundant_steps": {"type": "boolean", "description": "true if a step is redundant, false if none is", "x-aliases": ["redundant_step", "has_redundant_steps"]}`
	duplicateKey = `"duplicate_steps": {"type": "boolean", "description": "true if a step is a duplicate, false if none is", "x-aliases": ["duplicate_step", "duplicated_steps", "has_duplicate_steps"]}`
	meetKey      = `"meet_constraints": {"type": "boolean", "description": "true if every condition is kept to", "x-aliases": ["meet_constraint", "meets_constraint", "meets_constraints", "meet_limitation", "satisfy_constraint", "satisfy_constraints"]}`
	goalKey      = `"complete_goal": {"type": "boolean", "description": "true if the goal is reached", "x-aliases": ["completes_goal", "goal_complete", "goal_completed"]}`
	orderKey     = `"step_order_correct": {"type": "boolean", "description": "true if the order of the steps is right", "x-aliases": ["order_correct", "step_order", "steps_order_correct"]}`
	senseKey     = `"executable": {"type": "boolean", "description": "true if no step is against common sense", "x-aliases": ["commonsense", "common_sense", "is_executable"]}`
)

func object(required string, properties ...string) *judge.Schema {
	return judge.MustSchema(`{"type": "object", "required": [` + required + `], "properties": {` + strings.Join(properties, ", ") + `}}`)
}

// numbersKey offers a list of step numbers.
func numbersKey(key string, n int, about string) string {
	return fmt.Sprintf(`%q: {"type": "array", "maxItems": %d, "items": {"type": "integer", "minimum": 1, "maximum": %d}, "description": %q}`, key, n, n, about)
}

func criticAgent(n int, graded bool) agent {
	a := agent{name: "critic", metrics: []Metric{NoMissing, NoRedundant, NoDuplicate}, gold: true, prompt: criticPrompt, n: n}
	if !graded {
		a.offered = object(`"missing_steps", "redundant_steps", "duplicate_steps"`, explainKey, missingKey, redundantKey, duplicateKey)
		return a
	}
	a.offered = object(`"missing", "missing_steps", "redundant", "redundant_steps", "duplicate", "duplicate_steps"`,
		explainKey,
		`"missing": {"type": "array", "maxItems": 12, "items": {"type": "string", "maxLength": 200}, "description": "each missing step in a few words; empty if none is missing"}`, missingKey,
		numbersKey("redundant", n, "numbers of the redundant steps; empty if there are none"), redundantKey,
		numbersKey("duplicate", n, "numbers of the duplicate steps; empty if there are none"), duplicateKey)
	return a
}

func executeAgent(n, k int, graded bool) agent {
	a := agent{name: "execute", metrics: []Metric{Satisfies, Completes, Ordered}, prompt: executePrompt, n: n, k: k}
	if !graded {
		a.offered = object(`"meet_constraints", "complete_goal", "step_order_correct"`, explainKey, meetKey, goalKey, orderKey)
		return a
	}
	required := ""
	properties := []string{explainKey}
	for i := range k {
		key := constraintKey(i)
		required += fmt.Sprintf("%q, ", key)
		properties = append(properties, fmt.Sprintf(`%q: {"type": "boolean", "description": "true if condition %d is kept to"}`, key, i+1))
	}
	properties = append(properties, meetKey,
		fmt.Sprintf(`"fails_at": {"type": "integer", "minimum": 0, "maximum": %d, "description": "number of the step at which the work comes to a halt; 0 if it does not"}`, n), goalKey,
		numbersKey("misplaced", n, "numbers of the steps that stand in the wrong place; empty if there are none"), orderKey)
	a.offered = object(required+`"meet_constraints", "fails_at", "complete_goal", "misplaced", "step_order_correct"`, properties...)
	return a
}

func constraintKey(i int) string { return fmt.Sprintf("condition_%d", i+1) }

func commonsenseAgent(n int, graded bool) agent {
	a := agent{name: "commonsense", metrics: []Metric{Executable}, prompt: commonsensePrompt, n: n}
	if !graded {
		a.offered = judge.MustSchema(`{"type": "boolean", "description": "true if every step agrees with common sense, else false"}`)
		return a
	}
	a.offered = object(`"senseless", "executable"`, explainKey,
		numbersKey("senseless", n, "numbers of the steps that are against common sense; empty if there are none"), senseKey)
	return a
}

func singleAgent() agent {
	return agent{
		name: "single", metrics: Metrics(), gold: true, prompt: singlePrompt,
		offered: object(`"missing_steps", "redundant_steps", "duplicate_steps", "executable", "meet_constraints", "complete_goal", "step_order_correct"`,
			explainKey, missingKey, redundantKey, duplicateKey, senseKey, meetKey, goalKey, orderKey),
	}
}

// weigh takes from a verdict what it says about a metric: whether it says that there is a fault, and
// whether it lists one. Nil is what it does not say.
func (a *agent) weigh(m Metric, f facts, into *Finding) (fault, listed *bool) {
	switch m {
	case NoMissing:
		if list, ok := f["missing"].([]any); ok {
			for _, one := range list {
				if text, _ := one.(string); strings.TrimSpace(text) != "" {
					into.Missing = append(into.Missing, text)
				}
			}
			some := len(into.Missing) > 0
			listed = &some
		}
		return f.flag("missing_steps", false), listed
	case NoRedundant:
		into.Steps, listed = f.numbers("redundant")
		return f.flag("redundant_steps", false), listed
	case NoDuplicate:
		into.Steps, listed = f.numbers("duplicate")
		return f.flag("duplicate_steps", false), listed
	case Executable:
		into.Steps, listed = f.numbers("senseless")
		return f.flag("executable", true), listed
	case Satisfies:
		said := 0
		for i := range a.k {
			met, ok := f[constraintKey(i)].(bool)
			if ok {
				said++
			}
			if ok && !met {
				into.Unmet = append(into.Unmet, i+1)
			}
		}
		if a.k > 0 && (said == a.k || len(into.Unmet) > 0) {
			some := len(into.Unmet) > 0
			listed = &some
		}
		return f.flag("meet_constraints", true), listed
	case Completes:
		if at, ok := f["fails_at"].(float64); ok {
			into.FailsAt = int(at)
			if at > 0 { // work that does not halt may still miss the goal
				halts := true
				listed = &halts
			}
		}
		return f.flag("complete_goal", true), listed
	case Ordered:
		into.Steps, listed = f.numbers("misplaced")
		return f.flag("step_order_correct", true), listed
	}
	return nil, nil
}

// check tells a judge that is asked again where its verdict contradicts itself.
func (a *agent) check(f facts) error {
	for _, m := range a.metrics {
		fault, listed := a.weigh(m, f, new(Finding))
		if fault != nil && listed != nil && *fault != *listed {
			return errors.New(contradictions[m])
		}
	}
	return nil
}

var contradictions = map[Metric]string{
	NoMissing:   "missing_steps and the list of missing steps contradict each other",
	NoRedundant: "redundant_steps and the list of redundant steps contradict each other",
	NoDuplicate: "duplicate_steps and the list of duplicate steps contradict each other",
	Executable:  "executable and the list of senseless steps contradict each other",
	Satisfies:   "meet_constraints has to be true if, and only if, all conditions are",
	Completes:   "complete_goal cannot be true where the work comes to a halt at a step",
	Ordered:     "step_order_correct and the list of misplaced steps contradict each other",
}

// flag returns whether a boolean key says that there is a fault; good is its value where there is
// none.
func (f facts) flag(key string, good bool) *bool {
	v, ok := f[key].(bool)
	if !ok {
		return nil
	}
	fault := v != good
	return &fault
}

// numbers returns a list of step numbers and whether it holds any; nil where it is not there.
func (f facts) numbers(key string) ([]int, *bool) {
	list, ok := f[key].([]any)
	if !ok {
		return nil, nil
	}
	var steps []int
	for _, one := range list {
		if n, ok := one.(float64); ok {
			steps = append(steps, int(n))
		}
	}
	some := len(steps) > 0
	return steps, &some
}
