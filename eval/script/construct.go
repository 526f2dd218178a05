package script

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/eval"
	"parley/eval/judge"
	"parley/sim/llm"
)

// Construct has a model make a specific task out of an abstract one, as MCScript was made: it adds
// constraints and writes the task that holds them. People review what comes of it. The status says
// whether there is a task.
func Construct(ctx context.Context, j *judge.Judge, id, topic, abstract string, depth int, seed uint64) (Task, eval.Status, string, []llm.Call, error) {
	type made struct {
		Constraints []string `json:"constraints"`
		Specific    string   `json:"specific_task"`
	}
	v, err := judge.Ask(ctx, j, judge.Question[made]{
		Scorer: "script-tasks", Session: id, Subject: "task", Seed: seed,
		Role: "You write tasks that people meet in everyday life.", Prompt: prompts["construct"],
		Data: map[string]any{"Abstract": abstract, "Depth": depth},
		Schema: judge.MustSchema(fmt.Sprintf(`{"type": "object", "required": ["constraints", "specific_task"], "properties": {
			"constraints": {"type": "array", "minItems": %d, "maxItems": %[1]d, "items": {"type": "string", "maxLength": 120}, "description": "the conditions", "x-aliases": ["constraint", "conditions"]},
			"specific_task": {"type": "string", "maxLength": 400, "description": "the specific task", "x-aliases": ["specific_goal", "specific", "task"]}}}`, depth)),
		Check: func(m made) error {
			if strings.EqualFold(strings.TrimSpace(m.Specific), strings.TrimSpace(abstract)) {
				return errors.New("the specific task is still the general one")
			}
			t := Task{ID: id, Constraints: m.Constraints, Specific: m.Specific}
			if err := t.Validate(); err != nil {
				return err
			}
			for i, c := range m.Constraints {
				for _, other := range m.Constraints[:i] {
					if strings.EqualFold(strings.TrimSpace(c), strings.TrimSpace(other)) {
						return errors.New("two conditions are the same")
					}
				}
			}
			return nil
		},
	})
	t := Task{ID: id, Topic: topic, Abstract: abstract, Constraints: v.Value.Constraints, Specific: v.Value.Specific}
	return t, v.Status, v.Reason, v.Calls, err
}
