package utility

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/eval/run"
)

// Task is what an application is asked to do.
type Task struct {
	Name        string   `yaml:"name" json:"name"`
	Description string   `yaml:"description" json:"description"`
	Successful  []string `yaml:"successful,omitempty" json:"successful"` // examples: texts, or files with a path before the YAML file
	Failed      []string `yaml:"failed,omitempty" json:"failed"`
}

// ReadTask reads a task from a YAML file. An example that is the name of a file beside it, or of a run of sessions, is
// replaced by what is there, without the ground truth.
func ReadTask(file string, r *Reader) (*Task, error) {
	t := &Task{}
	if err := run.ReadConfig(file, t); err != nil {
		return nil, err
	}
	if strings.TrimSpace(t.Name) == "" || strings.TrimSpace(t.Description) == "" {
		return nil, fmt.Errorf("%s: a task needs a name and a description", file)
	}
	for _, list := range []*[]string{&t.Successful, &t.Failed} {
		for i, text := range *list {
			example, err := readExample(text, filepath.Dir(file), r)
			if err != nil {
				return nil, fmt.Errorf("%s: example %d: %w", file, i+1, err)
			}
			(*list)[i] = example
		}
	}
	return t, nil
}

// readExample returns an example as it stands in prompts.
func readExample(text, dir string, r *Reader) (string, error) {
	data := []byte(text)
	name := "example"
	if path := filepath.Join(dir, text); len(text) < 300 && !strings.ContainsAny(text, "\n{") && filepath.IsLocal(text) {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			if data, err = os.ReadFile(path); err != nil {
				return "", err
			}
			name = text
		}
	}
	if !json.Valid(data) {
		return string(data), nil
	}
	list, err := r.Read(data, name)
	if err != nil {
		return "", err
	}
	s := list[0]
	return strings.TrimSpace(s.Task + "\n\n" + s.Text()), nil
}
