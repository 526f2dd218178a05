package utility

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/characters/yamlfile"
	"parley/eval"
	"parley/eval/run"
	"parley/eval/session"
	"parley/sim"
	"parley/sim/llm/loose"
)

// Reader reads samples.
type Reader struct {
	Hidden   []string        // keys beside the usual ones that tell the answer and never reach a prompt
	Outcomes map[string]bool // which samples were done, by id, instead of what logs say; nil: logs say
}

// Load reads the samples of files, of the files of directories, and of runs of sessions. Success says which were done:
// METRIC>=NUMBER of a run's scores, or a JSON file of {id: true|false}; empty: the middle of the scale of the run's
// headline, such as iep>=50, or what logs say.
func (r *Reader) Load(paths []string, success string) (list []Sample, err error) {
	metric, number, isMetric := strings.Cut(success, ">=")
	least, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if isMetric && err != nil {
		return nil, run.Usagef("success %s: write METRIC>=NUMBER, or a file", success)
	} else if !isMetric && success != "" {
		data, err := os.ReadFile(success)
		if err == nil {
			err = json.Unmarshal(data, &r.Outcomes)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: a JSON object of {id: true|false} is needed: %w", success, err)
		}
		metric = ""
	}
	for _, path := range paths {
		var more []Sample
		if _, err = os.Stat(filepath.Join(path, run.ManifestName)); err == nil {
			more, err = r.Sessions(path, strings.TrimSpace(metric), least)
		} else {
			more, err = r.files(path)
		}
		list = append(list, more...)
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// files reads a file, or those within a directory.
func (r *Reader) files(path string) (list []Sample, err error) {
	files, err := run.Files([]string{path})
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		more, err := r.Read(data, file)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, err
}

// Read reads the samples of one file: message logs as JSON, in a list or one after the other, or a text.
func (r *Reader) Read(data []byte, file string) (list []Sample, err error) {
	id := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	text := string(bytes.TrimSpace(data))
	if text == "" {
		return nil, fmt.Errorf("%s: empty", file)
	}
	if text[0] != '{' && text[0] != '[' {
		return []Sample{r.grouped(Sample{ID: id, Turns: []Turn{{Text: text, Tested: true}}})}, nil
	}
	hidden := slices.Concat(groundTruth, r.Hidden)
	var logs []loose.Value
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, fmt.Errorf("%s:%d: a message log as JSON is needed: %w", file, 1+bytes.Count(data[:d.InputOffset()], []byte("\n")), err)
		}
		v := append(loose.Find(string(raw)), loose.Value{})[0]
		if v.Kind == loose.Array {
			logs = append(logs, v.Items...)
		} else {
			logs = append(logs, v)
		}
	}
	for i := range logs {
		if _, err := logs[i].Any(); err != nil {
			return nil, fmt.Errorf("%s: log %d: %w", file, i+1, err)
		} else if logs[i].Kind != loose.Object {
			return nil, fmt.Errorf("%s: log %d is no JSON object with keys of at most 120 bytes", file, i+1)
		}
		s := readLog(&logs[i], hidden)
		if len(logs) == 1 {
			s.ID = id
		} else if s.ID == "" {
			s.ID = fmt.Sprintf("%s-%d", id, i+1)
		}
		list = append(list, r.grouped(s))
	}
	return list, nil
}

// grouped adds the group that a sample belongs to.
func (r *Reader) grouped(s Sample) Sample {
	if done, known := r.Outcomes[s.ID]; known {
		s.Done = &done
	} else if r.Outcomes != nil {
		s.Done = nil
	}
	group := Neither
	if s.Done != nil {
		group = map[bool]string{true: Success, false: Failure}[*s.Done]
	}
	s.Group = cmp.Or(s.Group, group)
	return s
}

// Sessions reads the sessions of a parley run as samples, in groups by arm. A session counts as done where the mean of
// a metric over its players is at least a number.
func (r *Reader) Sessions(dir, metric string, least float64) (list []Sample, err error) {
	m, _, err := session.Read(dir)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(m.Metrics, func(m eval.Metric) bool { return m.Headline }); metric == "" && i >= 0 {
		metric, least = m.Metrics[i].Name, (m.Metrics[i].Low+m.Metrics[i].High)/2
	}
	values := map[string][]float64{}
	for score, err := range run.Scores.Read(dir) {
		if err != nil {
			return nil, err
		}
		if score.Metric == metric && score.Control == "" && score.Turn == 0 && score.Status == eval.Scored {
			values[score.Session] = append(values[score.Session], *score.Value)
		}
	}
	for p, err := range session.Episodes(dir) {
		if err != nil {
			return nil, err
		}
		if p.Row.State != run.Complete {
			continue
		}
		s := Sample{ID: p.Row.ID, Item: strconv.Itoa(p.Row.Index), Group: p.Row.Arm, Task: p.Episode.Scenario.Premise, Turns: played(p)}
		if mean := meanOf(values[s.ID], "no score"); mean.OK() {
			s.Done = new(mean.V >= least)
		}
		list = append(list, r.grouped(s))
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no complete session", dir)
	}
	return list, nil
}

// played returns the turns of a session, of which those of the players are under test.
func played(p *session.Played) (turns []Turn) {
	names := map[string]string{}
	for _, seat := range p.Row.Cast {
		names[seat.ID] = seat.Name
	}
	for _, e := range p.Episode.Events {
		switch e.Kind {
		case sim.KindAct, sim.KindPass:
			text := strings.TrimSpace(e.Speech + " " + strings.TrimSpace(e.Deed))
			turns = append(turns, Turn{Who: names[string(e.Actor)], Text: text, Tested: string(e.Actor) != p.Row.NPC()})
		case sim.KindNarration:
			turns = append(turns, Turn{Who: "narrator", Text: e.Text})
		}
	}
	return turns
}

// Task describes the task that an application is asked to do.
type Task struct {
	Name        string   `yaml:"name" json:"name" doc:"required"`
	Description string   `yaml:"description" json:"description" doc:"required; the task in a few sentences"`
	Successful  []string `yaml:"successful,omitempty" json:"successful" doc:"examples that succeeded: texts, or files relative to this one"`
	Failed      []string `yaml:"failed,omitempty" json:"failed" doc:"examples that failed"`
}

// Problems returns what a task lacks.
func (t *Task) Problems() []yamlfile.Problem {
	if t.Name != "" && t.Description != "" {
		return nil
	}
	return []yamlfile.Problem{{Text: "a task needs a name and a description; write name: and description:, each with a text"}}
}

// ReadTask reads a task from a YAML file. An example that names a file below the YAML file's directory is replaced by
// the content, and one that names a run of sessions there by its sessions, without the ground truth.
func ReadTask(file string, r *Reader) (*Task, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t := &Task{}
	if err := yamlfile.Value(data, file, t); err != nil {
		return nil, run.UsageError{Err: err}
	}
	for _, list := range []*[]string{&t.Successful, &t.Failed} {
		var texts []string
		for i, text := range *list {
			more, err := r.example(text, filepath.Dir(file))
			if err != nil {
				return nil, fmt.Errorf("%s: example %d: %w", file, i+1, err)
			}
			texts = append(texts, more...)
		}
		*list = texts
	}
	return t, nil
}

// example returns examples as they are in prompts.
func (r *Reader) example(text, dir string) (texts []string, err error) {
	var list []Sample
	path := filepath.Join(dir, text)
	_, missing := os.Stat(path)
	switch {
	case filepath.IsLocal(text) && missing == nil:
		list, err = r.Load([]string{path}, "")
	case !strings.Contains(text, " ") && slices.Contains([]string{".json", ".jsonl", ".txt", ".md", ".log"}, filepath.Ext(text)):
		return nil, run.Usagef("there is no file %s; write the example itself, or the name of a file relative to this one", path)
	case json.Valid([]byte(text)):
		list, err = r.Read([]byte(text), "example")
	default:
		return []string{text}, nil
	}
	for i := range list {
		texts = append(texts, strings.TrimSpace(list[i].Task+"\n\n"+list[i].Text()))
	}
	return texts, err
}
