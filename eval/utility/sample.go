package utility

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/run"
	"parley/eval/session"
	"parley/sim"
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
	Group string `yaml:"group" json:"group"` // success, failure, unknown, or an arm of a run
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
		switch {
		case t.Who == "":
			fmt.Fprintf(&b, "%s\n", t.Text)
		case t.Text == "":
			fmt.Fprintf(&b, "%s: (passes)\n", t.Who)
		default:
			fmt.Fprintf(&b, "%s: %s\n", t.Who, t.Text)
		}
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
	var list []Sample
	switch trimmed := bytes.TrimSpace(data); {
	case len(trimmed) == 0:
		return nil, fmt.Errorf("%s: empty", file)
	case trimmed[0] != '{' && trimmed[0] != '[':
		list = []Sample{{ID: id, Turns: []Turn{{Text: string(trimmed), Tested: true}}}}
	default:
		d := json.NewDecoder(bytes.NewReader(trimmed))
		var logs []any
		for d.More() {
			var v any
			if err := d.Decode(&v); err != nil {
				return nil, fmt.Errorf("%s: log %d: %w", file, len(logs)+1, err)
			}
			if array, ok := v.([]any); ok {
				logs = append(logs, array...)
			} else {
				logs = append(logs, v)
			}
		}
		for i, v := range logs {
			object, ok := v.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("%s: log %d is no JSON object", file, i+1)
			}
			s := r.log(object)
			if s.ID == "" || len(logs) == 1 {
				s.ID = id
				if len(logs) > 1 {
					s.ID = fmt.Sprintf("%s-%d", id, i+1)
				}
			}
			list = append(list, s)
		}
	}
	for i := range list {
		r.group(&list[i])
	}
	return list, nil
}

// group says to which group a sample belongs.
func (r *Reader) group(s *Sample) {
	if r.Outcomes != nil {
		s.Done = nil
		if done, ok := r.Outcomes[s.ID]; ok {
			s.Done = &done
		}
	}
	if s.Group == "" {
		s.Group = map[bool]string{true: Success, false: Failure}[s.Done != nil && *s.Done]
		if s.Done == nil {
			s.Group = Neither
		}
	}
}

// log reads one message log. What is not task or messages stands in the sample only where there are no messages, and
// never what is under a hidden key.
func (r *Reader) log(object map[string]any) Sample {
	s := Sample{Done: outcome(object)}
	if v, ok := lookup(object, idKeys); ok {
		s.ID = fmt.Sprint(v)
	}
	object, _ = r.strip(object).(map[string]any)
	if v, ok := lookup(object, taskKeys); ok {
		s.Task, _ = v.(string)
	}
	if v, ok := lookup(object, turnKeys); ok {
		messages, _ := v.([]any)
		for _, m := range messages {
			if t, ok := turnOf(m); ok && (t.Text != s.Task || len(s.Turns) > 0) {
				s.Turns = append(s.Turns, t)
			}
		}
	}
	if len(s.Turns) == 0 {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if slices.Contains(idKeys, fold(key)) || slices.Contains(taskKeys, fold(key)) {
				continue
			}
			text, isText := object[key].(string)
			if !isText {
				encoded, err := json.Marshal(object[key])
				if err != nil {
					continue
				}
				text = string(encoded)
			}
			s.Turns = append(s.Turns, Turn{Who: key, Text: text, Tested: isText})
		}
	}
	return s
}

// strip returns a value without what is under hidden keys, at any depth.
func (r *Reader) strip(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, inner := range v {
			if k := fold(key); !slices.Contains(GroundTruth(), k) && !slices.ContainsFunc(r.Hidden, func(h string) bool { return fold(h) == k }) {
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
	v, ok := lookup(object, outcomeKeys)
	if !ok {
		return nil
	}
	switch fold(fmt.Sprint(v)) {
	case "true", "1", "correct", "yes", "success", "passed":
		return new(true)
	case "false", "0", "incorrect", "no", "failure", "failed":
		return new(false)
	}
	return nil
}

func lookup(object map[string]any, keys []string) (any, bool) {
	for _, want := range keys {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if fold(key) == want {
				return object[key], true
			}
		}
	}
	return nil, false
}

// turnOf reads a message: {"role", "content"} with who spoke under name or role. Empty ones are left out.
func turnOf(m any) (Turn, bool) {
	object, ok := m.(map[string]any)
	if !ok {
		text, ok := m.(string)
		return Turn{Text: text, Tested: true}, ok && text != ""
	}
	content, _ := lookup(object, []string{"content", "text"})
	text, ok := content.(string)
	if !ok && content != nil {
		encoded, err := json.Marshal(content)
		if err != nil {
			return Turn{}, false
		}
		text = string(encoded)
	}
	role, _ := lookup(object, []string{"role"})
	who, named := lookup(object, []string{"name", "who", "role"})
	if !named {
		who = ""
	}
	return Turn{Who: fmt.Sprint(who), Text: text, Tested: role == nil || role == "assistant"}, strings.TrimSpace(text) != ""
}

// Sessions reads the sessions of a parley run as samples, in groups by arm. A session counts as done where the mean of
// a metric over its players is at least a number.
func (r *Reader) Sessions(dir, metric string, least float64) ([]Sample, error) {
	if _, _, err := session.Read(dir); err != nil {
		return nil, err
	}
	sum, n := map[string]float64{}, map[string]float64{}
	for score, err := range run.Scores.Read(dir) {
		if err != nil {
			return nil, err
		}
		if score.Metric == metric && score.Control == "" && score.Turn == 0 && score.Status == eval.Scored {
			sum[score.Session] += *score.Value
			n[score.Session]++
		}
	}
	var list []Sample
	for p, err := range session.Episodes(dir) {
		if err != nil {
			return nil, err
		}
		if p.Row.State != run.Complete {
			continue
		}
		s := Sample{ID: p.Row.ID, Group: p.Row.Arm, Task: p.Episode.Scenario.Premise}
		if n[s.ID] > 0 {
			s.Done = new(sum[s.ID]/n[s.ID] >= least)
		}
		names := map[string]string{}
		for _, seat := range p.Row.Cast {
			names[seat.ID] = seat.Name
		}
		for _, e := range p.Episode.Events {
			switch e.Kind {
			case sim.KindAct, sim.KindPass:
				text := strings.TrimSpace(e.Speech + " " + strings.TrimSpace(e.Deed))
				s.Turns = append(s.Turns, Turn{Who: names[string(e.Actor)], Text: text, Tested: string(e.Actor) != p.Row.NPC()})
			case sim.KindNarration:
				s.Turns = append(s.Turns, Turn{Who: "narrator", Text: e.Text})
			}
		}
		r.group(&s)
		list = append(list, s)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no complete session", dir)
	}
	return list, nil
}
