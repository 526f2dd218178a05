package utility

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
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

// item names what values of the sample are compared with.
func (s *Sample) item() string { return cmp.Or(s.Item, s.ID) }

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

// GroundTruth lists the keys that tell the answer or whether it was found. What is under them in a log never reaches a
// prompt; a configuration can add keys.
func GroundTruth() []string {
	return []string{"solution", "correct ans", "correct answer", "check result", "is correct", "answer", "answers", "ground truth", "gold",
		"gold answer", "final answer", "expected", "expected answer", "reference", "actual success", "success", "succeeded", "label", "score"}
}

// Keys of message logs, in the order in which they count.
var (
	outcomeKeys = []string{"is correct", "actual success", "success", "succeeded", "passed", "won"}
	taskKeys    = []string{"problem", "task", "question", "prompt", "instruction", "goal"}
	turnKeys    = []string{"messages", "chat history", "conversation", "history", "turns"}
	idKeys      = []string{"id", "task id", "sample id"}
)

// Reader reads samples.
type Reader struct {
	Hidden []string // keys beside GroundTruth that never reach a prompt
	// Outcomes says which samples were done, by id, instead of what logs say. Nil: logs say.
	Outcomes map[string]bool
}

// Read reads the samples of one file: a message log, a list of them, one a line, or a text.
func (r *Reader) Read(data []byte, file string) ([]Sample, error) {
	id := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	trimmed := bytes.TrimSpace(data)
	if len(trimmed) == 0 {
		return nil, fmt.Errorf("%s: empty", file)
	}
	if trimmed[0] != '{' && trimmed[0] != '[' {
		return []Sample{r.grouped(Sample{ID: id, Turns: []Turn{{Text: string(trimmed), Tested: true}}})}, nil
	}
	var logs []any
	d := json.NewDecoder(bytes.NewReader(data))
	for d.More() {
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, fmt.Errorf("%s:%d: a message log as JSON is needed: %w", file, 1+bytes.Count(data[:d.InputOffset()], []byte("\n")), err)
		}
		if array, ok := v.([]any); ok {
			logs = append(logs, array...)
		} else {
			logs = append(logs, v)
		}
	}
	var list []Sample
	for i, v := range logs {
		object, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s: log %d is no JSON object", file, i+1)
		}
		s := r.log(object)
		if len(logs) == 1 {
			s.ID = id
		} else if s.ID == "" {
			s.ID = fmt.Sprintf("%s-%d", id, i+1)
		}
		list = append(list, r.grouped(s))
	}
	return list, nil
}

// grouped says to which group a sample belongs.
func (r *Reader) grouped(s Sample) Sample {
	if r.Outcomes != nil {
		s.Done = nil
		if done, known := r.Outcomes[s.ID]; known {
			s.Done = &done
		}
	}
	switch {
	case s.Group != "":
	case s.Done == nil:
		s.Group = Neither
	case *s.Done:
		s.Group = Success
	default:
		s.Group = Failure
	}
	return s
}

// log reads one message log. Values beside task and messages are in the sample only where there are no messages, and
// never what is under a hidden key.
func (r *Reader) log(object map[string]any) Sample {
	s := Sample{Done: outcome(object)}
	if v := lookup(object, idKeys...); v != nil {
		s.ID = fmt.Sprint(v)
	}
	object, _ = r.strip(object).(map[string]any)
	s.Task, _ = lookup(object, taskKeys...).(string)
	list, _ := lookup(object, turnKeys...).([]any)
	for _, m := range list {
		if t, ok := turnOf(m); ok && (t.Text != s.Task || len(s.Turns) > 0) {
			s.Turns = append(s.Turns, t)
		}
	}
	if len(s.Turns) > 0 {
		return s
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(slices.Concat(idKeys, taskKeys), fold(key)) {
			text, isText := written(object[key])
			s.Turns = append(s.Turns, Turn{Who: key, Text: text, Tested: isText})
		}
	}
	return s
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

// strip returns a value without what is under hidden keys, at any depth.
func (r *Reader) strip(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, inner := range v {
			same := func(hidden string) bool { return fold(hidden) == fold(key) }
			if !slices.ContainsFunc(GroundTruth(), same) && !slices.ContainsFunc(r.Hidden, same) {
				out[key] = r.strip(inner)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = r.strip(v[i])
		}
		return out
	}
	return v
}

// outcome says whether a log says that the task was done: by a boolean, or by a text or number that means one.
func outcome(object map[string]any) *bool {
	switch fold(fmt.Sprint(lookup(object, outcomeKeys...))) {
	case "true", "1", "correct", "yes", "success", "passed":
		return new(true)
	case "false", "0", "incorrect", "no", "failure", "failed":
		return new(false)
	}
	return nil
}

// lookup returns the value under the first of the keys that an object has, in any spelling, or nil.
func lookup(object map[string]any, keys ...string) any {
	for _, want := range keys {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if fold(key) == want {
				return object[key]
			}
		}
	}
	return nil
}

// turnOf reads a message: {"role", "content"} with who spoke under name, source or role. Empty ones are left out.
func turnOf(m any) (Turn, bool) {
	object, ok := m.(map[string]any)
	if !ok {
		text, _ := m.(string)
		return Turn{Text: text, Tested: true}, text != ""
	}
	content := lookup(object, "content", "text")
	text, _ := written(content)
	if parts, ok := content.([]any); ok { // [{"type": "text", "text": ...}]
		text = ""
		for _, part := range parts {
			t, _ := turnOf(part)
			text += t.Text
		}
	}
	role := lookup(object, "role", "source")
	t := Turn{Text: text, Tested: role == nil || role == "assistant" || lookup(object, "role") == nil && role != "user"}
	if who := lookup(object, "name", "who", "source", "role"); who != nil {
		t.Who = fmt.Sprint(who)
	}
	return t, strings.TrimSpace(text) != ""
}
