package utility

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"parley/sim/llm/loose"
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

// outcomes are the texts, truth values and numbers that say whether a task was done.
var outcomes = map[string]bool{
	"true": true, "1": true, "correct": true, "yes": true, "success": true, "passed": true,
	"false": false, "0": false, "incorrect": false, "no": false, "failure": false, "failed": false,
}

// readLog reads one message log, from which it removes what is under hidden keys. Values beside task and messages are in
// the sample only where there are no messages.
func readLog(log *loose.Value, hidden []string) Sample {
	s := Sample{ID: text(under(log, idKeys))}
	if done, said := outcomes[fold(text(under(log, outcomeKeys)))]; said {
		s.Done = &done
	}
	hide(log, hidden)
	s.Task = text(under(log, taskKeys))
	if list := under(log, turnKeys); list != nil {
		for i := range list.Items {
			if t := turnOf(&list.Items[i]); t.Text != "" && (t.Text != s.Task || len(s.Turns) > 0) {
				s.Turns = append(s.Turns, t)
			}
		}
	}
	if len(s.Turns) > 0 {
		return s
	}
	for i, key := range log.Keys {
		if !has(idKeys, key) && !has(taskKeys, key) {
			s.Turns = append(s.Turns, Turn{Who: fold(key), Text: written(&log.Items[i]), Tested: log.Items[i].Kind == loose.String})
		}
	}
	return s
}

// hide removes what is under hidden keys, at any depth.
func hide(v *loose.Value, hidden []string) {
	for i := len(v.Items) - 1; i >= 0; i-- {
		if v.Keys != nil && has(hidden, v.Keys[i]) {
			v.Keys, v.Items = slices.Delete(v.Keys, i, i+1), slices.Delete(v.Items, i, i+1)
		} else {
			hide(&v.Items[i], hidden)
		}
	}
}

// turnOf reads a message: a text, or {"role", "content"} with who spoke under name, source or role.
func turnOf(v *loose.Value) Turn {
	role := text(under(v, []string{"role", "source"}))
	t := Turn{Who: text(under(v, []string{"name", "who", "source", "role"})), Text: text(v), Tested: !has(untested, role)}
	content := under(v, []string{"content", "text"})
	switch {
	case content == nil:
	case content.Kind == loose.Array: // [{"type": "text", "text": ...}]
		for i := range content.Items {
			t.Text += turnOf(&content.Items[i]).Text
		}
	default:
		t.Text = written(content)
	}
	return t
}

// written returns a scalar as it is, and any other value as JSON.
func written(v *loose.Value) string {
	if v.Items == nil {
		return text(v)
	}
	whole, err := v.Any()
	encoded, failed := json.Marshal(whole)
	if err = cmp.Or(err, failed); err != nil {
		panic(err) // it was read from JSON without a key that is given twice
	}
	return string(encoded)
}
