package script

import (
	"fmt"
	"strings"
	"text/template"

	"parley/eval/judge"
)

// question is how judges are asked about a metric: with a plain yes or no, and for a list of the faults. The
// aliases are the names that the paper, its code and small models give the key.
type question struct {
	metric  Metric
	title   string
	agent   string
	key     string
	good    bool // the answer where there is no fault
	about   string
	aliases []string
	list    string // key of the list
	listed  string
}

// questions are those of all metrics, in the order of Metrics.
var questions = []question{
	{NoMissing, "no missing steps", "critic", "missing_steps", false, "true if a step is missing, false if none is",
		[]string{"missing_step", "has_missing_steps"}, "missing", "each missing step in a few words; empty if none is missing"},
	{NoRedundant, "no redundant steps", "critic", "redundant_steps", false, "true if a step is redundant, false if none is",
		[]string{"redundant_step", "has_redundant_steps"}, "redundant", "numbers of the redundant steps; empty if there are none"},
	{NoDuplicate, "no duplicate steps", "critic", "duplicate_steps", false, "true if a step is a duplicate, false if none is",
		[]string{"duplicate_step", "duplicated_steps", "has_duplicate_steps"}, "duplicate", "numbers of the duplicate steps; empty if there are none"},
	{Executable, "executable", "commonsense", "executable", true, "true if no step is against common sense",
		[]string{"commonsense", "common_sense", "is_executable"}, "senseless", "numbers of the steps that are against common sense; empty if there are none"},
	{Satisfies, "satisfies the constraints", "execute", "meet_constraints", true, "true if every condition is kept to",
		[]string{"meet_constraint", "meets_constraint", "meets_constraints", "meet_limitation", "satisfy_constraint", "satisfy_constraints"},
		"condition_%d", "true if condition %d is kept to"},
	{Completes, "completes the goal", "execute", "complete_goal", true, "true if the goal is reached",
		[]string{"completes_goal", "goal_complete", "goal_completed"}, "fails_at", "number of the step at which the work comes to a halt; 0 if it does not"},
	{Ordered, "order correct", "execute", "step_order_correct", true, "true if the order of the steps is right",
		[]string{"order_correct", "step_order", "steps_order_correct"}, "misplaced", "numbers of the steps that stand in the wrong place; empty if there are none"},
}

// agent is one judge's part: the questions of its name, or all of them for the single judge.
type agent struct {
	name   string
	prompt *template.Template
	gold   bool // is shown the model script
}

var (
	agents      = []agent{{"critic", prompts["critic"], true}, {"commonsense", prompts["commonsense"], false}, {"execute", prompts["execute"], false}}
	singleAgent = agent{"single", prompts["single"], true}
)

func (a *agent) questions() []question {
	var list []question
	for _, q := range questions {
		if q.agent == a.name || a.name == singleAgent.name {
			list = append(list, q)
		}
	}
	return list
}

// schema returns the schema of a verdict on a script of n steps under k constraints. Graded verdicts also list the
// faults.
func (a *agent) schema(n, k int, graded bool) *judge.Schema {
	list := a.questions()
	if len(list) == 1 && !graded { // the paper's lone word
		return judge.MustSchema(`{"type": "boolean", "description": "true if every step agrees with common sense, else false"}`)
	}
	properties := []string{`"explain": {"type": "string", "maxLength": 600, "description": "what you found", "x-aliases": ["explanation", "reason", "reasoning"]}`}
	var required []string
	add := func(key, form, about string) {
		required = append(required, fmt.Sprintf("%q", key))
		properties = append(properties, fmt.Sprintf(`%q: {%s, "description": %q}`, key, form, about))
	}
	for _, q := range list {
		switch {
		case !graded:
		case q.metric == NoMissing:
			add(q.list, `"type": "array", "maxItems": 12, "items": {"type": "string", "maxLength": 200}`, q.listed)
		case q.metric == Satisfies:
			for i := range k {
				add(fmt.Sprintf(q.list, i+1), `"type": "boolean"`, fmt.Sprintf(q.listed, i+1))
			}
		case q.metric == Completes:
			add(q.list, fmt.Sprintf(`"type": "integer", "minimum": 0, "maximum": %d`, n), q.listed)
		default:
			add(q.list, fmt.Sprintf(`"type": "array", "maxItems": %d, "items": {"type": "integer", "minimum": 1, "maximum": %[1]d}`, n), q.listed)
		}
		add(q.key, fmt.Sprintf(`"type": "boolean", "x-aliases": ["%s"]`, strings.Join(q.aliases, `", "`)), q.about)
	}
	return judge.MustSchema(`{"type": "object", "required": [` + strings.Join(required, ", ") + `], "properties": {` + strings.Join(properties, ", ") + `}}`)
}

// facts is a verdict whose keys are read one by one.
type facts map[string]any

// weigh takes from a verdict what it says: whether it says that there is a fault, and whether it lists one. Nil is
// what it does not say.
func (q *question) weigh(f facts, k int, into *Finding) (fault, listed *bool) {
	if said, ok := f[q.key].(bool); ok {
		fault = new(said != q.good)
	}
	if q.metric == Satisfies {
		said := 0
		for i := range k {
			if met, ok := f[fmt.Sprintf(q.list, i+1)].(bool); ok {
				said++
				if !met {
					into.Unmet = append(into.Unmet, i+1)
				}
			}
		}
		if some := len(into.Unmet) > 0; k > 0 && (said == k || some) {
			listed = new(some)
		}
		return fault, listed
	}
	switch list := f[q.list].(type) {
	case float64:
		if into.FailsAt = int(list); list > 0 { // work that does not halt may still miss the goal
			listed = new(true)
		}
	case []any:
		for _, one := range list {
			switch one := one.(type) {
			case float64:
				into.Steps = append(into.Steps, int(one))
			case string:
				if strings.TrimSpace(one) != "" {
					into.Missing = append(into.Missing, one)
				}
			}
		}
		listed = new(len(into.Steps)+len(into.Missing) > 0)
	}
	return fault, listed
}

// check tells a judge that is asked again where its verdict contradicts itself.
func (a *agent) check(f facts, k int) error {
	for _, q := range a.questions() {
		if fault, listed := q.weigh(f, k, new(Finding)); fault != nil && listed != nil && *fault != *listed {
			return fmt.Errorf("%s contradicts %s", q.key, strings.TrimSuffix(q.list, "_%d"))
		}
	}
	return nil
}
