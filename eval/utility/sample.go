package utility

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"parley/sim/llm/loose"
	"parley/sim/prose"
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

// Ways to disturb a sample.
const (
	Drop    = "drop"    // leave out a share of the sentences
	Swap    = "swap"    // put the tested turns into another order
	Replace = "replace" // put a turn of another sample in place of one
)

// Disturb returns a sample that is worse than the given one: only what is under test is changed, never all of it taken
// away. The same random source gives the same sample. An error says why it cannot be made. Way "" changes nothing.
func Disturb(s *Sample, way string, share float64, others []Sample, r *rand.Rand) (*Sample, error) {
	if way == "" {
		return s, nil
	}
	d := *s
	d.Turns = slices.Clone(s.Turns)
	tested := s.tested()
	switch way {
	case Drop:
		drop(d.Turns, tested, share, r)
	case Swap:
		order := r.Perm(len(tested))
		for len(order) > 1 && slices.IsSorted(order) {
			order = r.Perm(len(tested))
		}
		for k, at := range order {
			d.Turns[tested[k]].Text = s.Turns[tested[at]].Text
		}
	default:
		var texts []string
		for i := range others {
			for _, at := range others[i].tested() {
				if others[i].ID != s.ID {
					texts = append(texts, others[i].Turns[at].Text)
				}
			}
		}
		if len(tested) > 0 && len(texts) > 0 {
			d.Turns[tested[r.IntN(len(tested))]].Text = texts[r.IntN(len(texts))]
		}
	}
	if d.Text() == s.Text() {
		return nil, errors.New("it stays the same: it has too little that could be changed")
	}
	return &d, nil
}

// tested returns the places of the turns under test in which something is said or done.
func (s *Sample) tested() (places []int) {
	for i, t := range s.Turns {
		if t.Tested && strings.TrimSpace(t.Text) != "" {
			places = append(places, i)
		}
	}
	return places
}

// drop leaves out a share of all sentences of the tested turns, at least one and not all.
func drop(turns []Turn, tested []int, share float64, r *rand.Rand) {
	units := map[int][]string{}
	var all []*string
	for _, i := range tested {
		units[i] = sentences(turns[i].Text)
		for u := range units[i] {
			all = append(all, &units[i][u])
		}
	}
	if len(all) < 2 {
		return
	}
	r.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	n := max(1, int(math.Round(share*float64(len(all)))))
	for _, unit := range all[:min(len(all)-1, n)] {
		*unit = ""
	}
	for _, i := range tested {
		turns[i].Text = strings.TrimSpace(strings.Join(units[i], ""))
	}
}

// sentences cuts a text into pieces that make it up again: the sentences of its lines. White space belongs to the
// piece before it, and what has no letter, such as a number or a mark, to the piece behind it.
func sentences(text string) (pieces []string) {
	begin, at := 0, 0
	for _, s := range prose.Sentences(text) {
		start := at + strings.Index(text[at:], s)
		if strings.ContainsFunc(text[begin:start], unicode.IsLetter) {
			pieces, begin = append(pieces, text[begin:start]), start
		}
		at = start + len(s)
	}
	return append(pieces, text[begin:])
}
