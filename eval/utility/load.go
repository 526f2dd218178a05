package utility

import (
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
)

// Load reads the samples of files, of the files of directories, and of runs of sessions. Success says which were done:
// METRIC>=NUMBER of a run's scores, or a JSON file of {id: true|false}; empty: the middle of
// the scale of the run's headline, such as iep>=50, or what logs say.
func (r *Reader) Load(paths []string, success string) (list []Sample, err error) {
	metric, least := "", 0.0
	if name, number, ok := strings.Cut(success, ">="); ok {
		metric = strings.TrimSpace(name)
		if least, err = strconv.ParseFloat(strings.TrimSpace(number), 64); err != nil {
			return nil, run.Usagef("success %s: write METRIC>=NUMBER, or a file", success)
		}
	} else if success != "" {
		data, err := os.ReadFile(success)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, &r.Outcomes); err != nil {
			return nil, fmt.Errorf("%s: a JSON object of {id: true|false} is needed: %w", success, err)
		}
	}
	for _, path := range paths {
		var more []Sample
		if _, err = os.Stat(filepath.Join(path, run.ManifestName)); err == nil {
			more, err = r.Sessions(path, metric, least)
		} else {
			more, err = r.files(path)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// files reads a file, or those of a directory in the order of their names.
func (r *Reader) files(path string) (list []Sample, err error) {
	files := []string{path}
	if entries, err := os.ReadDir(path); err == nil {
		files = nil
		for _, e := range entries {
			if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
				files = append(files, filepath.Join(path, e.Name()))
			}
		}
	}
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
	return list, nil
}

// Sessions reads the sessions of a parley run as samples, in groups by arm. A session counts as done where the mean of
// a metric over its players is at least a number.
func (r *Reader) Sessions(dir, metric string, least float64) ([]Sample, error) {
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
	var list []Sample
	for p, err := range session.Episodes(dir) {
		if err != nil {
			return nil, err
		}
		if p.Row.State != run.Complete {
			continue
		}
		s := Sample{ID: p.Row.ID, Item: strconv.Itoa(p.Row.Index), Group: p.Row.Arm, Task: p.Episode.Scenario.Premise}
		if mean := meanOf(values[s.ID], "no score"); mean.OK() {
			s.Done = new(mean.V >= least)
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
		list = append(list, r.grouped(s))
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no complete session", dir)
	}
	return list, nil
}

// Task describes the task that an application is asked to do.
type Task struct {
	Name        string   `yaml:"name" json:"name" doc:"required"`
	Description string   `yaml:"description" json:"description" doc:"required; the task in a few sentences"`
	Successful  []string `yaml:"successful,omitempty" json:"successful" doc:"examples that succeeded: texts, or files relative to this one"`
	Failed      []string `yaml:"failed,omitempty" json:"failed" doc:"examples that failed"`
}

// Problems returns what a task lacks.
func (t *Task) Problems() (list []yamlfile.Problem) {
	for _, field := range [][2]string{{"name", t.Name}, {"description", t.Description}} {
		if field[1] == "" {
			list = append(list, yamlfile.Problem{Path: field[0], Text: "a task needs one; write " + field[0] + ": and a text"})
		}
	}
	return list
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

// example returns examples as they stand in prompts.
func (r *Reader) example(text, dir string) (texts []string, err error) {
	var list []Sample
	path := filepath.Join(dir, text)
	named := len(text) < 300 && !strings.ContainsAny(text, "\n{") && filepath.IsLocal(text)
	if _, missing := os.Stat(path); named && missing == nil {
		list, err = r.Load([]string{path}, "")
	} else if named && slices.Contains([]string{".json", ".jsonl", ".txt", ".md", ".log"}, filepath.Ext(text)) {
		return nil, run.Usagef("there is no file %s; write the example itself, or the name of a file relative to this one", path)
	} else if json.Valid([]byte(text)) {
		list, err = r.Read([]byte(text), "example")
	} else {
		return []string{text}, nil
	}
	for i := range list {
		texts = append(texts, strings.TrimSpace(list[i].Task+"\n\n"+list[i].Text()))
	}
	return texts, err
}
