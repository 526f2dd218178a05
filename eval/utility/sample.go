package utility

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Groups of samples by whether the task was done.
const (
	Success = "success"
	Failure = "failure"
	Neither = "unknown"
)

// Sample is one execution of a task.
type Sample struct {
	ID    string `yaml:"id" json:"id"`
	Item  string `yaml:"item,omitempty" json:"item,omitempty"` // what it has in common with one sample of each other group, such as its situation; empty: nothing
	Group string `yaml:"group" json:"group"`                   // success, failure, unknown, or an arm of a run
	Done  *bool  `yaml:"success,omitempty" json:"success,omitempty"`
	Task  string `yaml:"task,omitempty" json:"task,omitempty"` // what was asked for, such as the problem
	Turns []Turn `yaml:"turns" json:"turns"`
}

// Turn is one message or move of a sample.
type Turn struct {
	Who    string `yaml:"who,omitempty" json:"who,omitempty"`
	Text   string `yaml:"text" json:"text"`                         // empty: a pass
	Tested bool   `yaml:"tested,omitempty" json:"tested,omitempty"` // it is the work of what is assessed, and can be disturbed
}

// Text writes the sample for a prompt.
func (s *Sample) Text() string {
	var b strings.Builder
	for _, t := range s.Turns {
		if t.Who != "" {
			b.WriteString(t.Who + ": ")
		}
		b.WriteString(cmp.Or(t.Text, "(passes)") + "\n")
	}
	return strings.TrimSpace(b.String())
}

// Keys of message logs, in the order in which they count. What is under the keys of groundTruth tells the answer, or
// whether it was found, and never reaches a prompt; a Reader can have more.
var (
	groundTruth = []string{"solution", "correct ans", "correct answer", "check result", "is correct", "answer", "answers", "ground truth", "gold",
		"gold answer", "final answer", "expected", "expected answer", "reference", "actual success", "success", "succeeded", "label", "score"}
	outcomeKeys = []string{"is correct", "actual success", "success", "succeeded", "passed", "won"}
	taskKeys    = []string{"problem", "task", "question", "prompt", "instruction", "goal"}
	turnKeys    = []string{"messages", "chat history", "conversation", "history", "turns"}
	idKeys      = []string{"id", "task id", "sample id"}
	untested    = []string{"user", "human", "system", "tool", "function"} // roles
)

// readLog reads one message log. Values beside task and messages are in the sample only where there are no messages, and
// never what is under a hidden key.
func readLog(object map[string]any, hidden []string) Sample {
	whole := visible(object, nil).(map[string]any)
	s := Sample{Done: outcome(whole)}
	if id := first(whole, idKeys...); id != nil {
		s.ID = fmt.Sprint(id)
	}
	log := visible(object, hidden).(map[string]any)
	s.Task, _ = first(log, taskKeys...).(string)
	list, _ := first(log, turnKeys...).([]any)
	for _, m := range list {
		if t := turnOf(m); strings.TrimSpace(t.Text) != "" && (t.Text != s.Task || len(s.Turns) > 0) {
			s.Turns = append(s.Turns, t)
		}
	}
	if len(s.Turns) > 0 {
		return s
	}
	for _, key := range slices.Sorted(maps.Keys(log)) {
		if text, isText := written(log[key]); !slices.Contains(slices.Concat(idKeys, taskKeys), key) {
			s.Turns = append(s.Turns, Turn{Who: key, Text: text, Tested: isText})
		}
	}
	return s
}

// visible returns a value with its keys in one spelling and without what is under hidden ones, at any depth.
func visible(v any, hidden []string) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if name := fold(key); !slices.Contains(hidden, name) {
				out[name] = visible(v[key], hidden)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = visible(v[i], hidden)
		}
		return out
	}
	return v
}

// first returns the value under the first of the keys that an object has, or nil.
func first(object map[string]any, keys ...string) any {
	for _, key := range keys {
		if v, ok := object[key]; ok {
			return v
		}
	}
	return nil
}

// outcome says whether a log says that the task was done: by a boolean, or by a text or number that means one.
func outcome(log map[string]any) *bool {
	switch fold(fmt.Sprint(first(log, outcomeKeys...))) {
	case "true", "1", "correct", "yes", "success", "passed":
		return new(true)
	case "false", "0", "incorrect", "no", "failure", "failed":
		return new(false)
	}
	return nil
}

// turnOf reads a message: a text, or {"role", "content"} with who spoke under name, source or role.
func turnOf(m any) Turn {
	object, ok := m.(map[string]any)
	if !ok {
		text, _ := m.(string)
		return Turn{Text: text, Tested: true}
	}
	content := first(object, "content", "text")
	var t Turn
	if parts, ok := content.([]any); ok { // [{"type": "text", "text": ...}]
		for _, part := range parts {
			t.Text += turnOf(part).Text
		}
	} else {
		t.Text, _ = written(content)
	}
	role, _ := written(first(object, "role", "source"))
	t.Who, _ = written(first(object, "name", "who", "source", "role"))
	t.Tested = !slices.Contains(untested, role)
	return t
}

// written returns a text as it is, and any other value as JSON.
func written(v any) (text string, isText bool) {
	if text, isText = v.(string); isText || v == nil {
		return text, isText
	}
	encoded, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was read from JSON
	}
	return string(encoded), false
}
