package script

import (
	"embed"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml"
)

//go:embed tasks/*.yaml
var library embed.FS

// family is an abstract task of the library, with its three depths.
type family struct {
	ID          string   `yaml:"id"`
	Topic       string   `yaml:"topic"`
	Abstract    string   `yaml:"abstract"`
	Constraints []string `yaml:"constraints"`
	Goals       []string `yaml:"goals"`
	Steps       []step   `yaml:"steps"`
}

// step is a reference step: its text alone, or with what is known of it.
type step struct {
	Text   string `yaml:"text"`
	Key    string `yaml:"key"`    // the text of a step without which the goal is missed
	For    int    `yaml:"for"`    // the constraint that it serves; the script has it from that depth on
	Broken string `yaml:"broken"` // the text in its place where that constraint is violated
	To     int    `yaml:"to"`     // the last depth at which the script has it; 0: all
}

// UnmarshalYAML reads a step as a mapping or as its text.
func (s *step) UnmarshalYAML(data []byte) error {
	var text string
	if yaml.Unmarshal(data, &text) == nil {
		s.Text = text
		return nil
	}
	type plain step
	return yaml.UnmarshalWithOptions(data, (*plain)(s), yaml.Strict())
}

// Library returns the tasks that come with parley: twenty abstract tasks of ten topics under one, two
// and three constraints, with reference steps. They are the caller's own.
func Library() []Task {
	var tasks []Task
	for _, name := range []string{"tasks/home.yaml", "tasks/town.yaml"} {
		data, err := library.ReadFile(name)
		if err != nil {
			panic(err)
		}
		var families []family
		if err := yaml.UnmarshalWithOptions(data, &families, yaml.Strict()); err != nil {
			panic(fmt.Errorf("%s: %w", name, err))
		}
		for i := range families {
			for depth := range families[i].Constraints {
				tasks = append(tasks, families[i].task(depth+1))
			}
		}
	}
	return tasks
}

// task is the abstract task under its first constraints.
func (f *family) task(depth int) Task {
	t := Task{
		ID: fmt.Sprintf("%s-%d", f.ID, depth), Topic: f.Topic, Abstract: f.Abstract,
		Constraints: slices.Clone(f.Constraints[:depth]), Specific: f.Goals[depth-1],
	}
	for _, s := range f.Steps {
		if s.For > depth || s.To > 0 && s.To < depth {
			continue
		}
		text := s.Text + s.Key
		t.Steps = append(t.Steps, text)
		if s.Key != "" {
			t.Key = append(t.Key, len(t.Steps))
		}
		if s.Broken != "" {
			t.Breaks = append(t.Breaks, Break{Constraint: s.For, Step: len(t.Steps), Text: s.Broken})
		}
	}
	return t
}

// Topics returns the topics of tasks in the order in which they first come.
func Topics(tasks []Task) []string {
	var topics []string
	for i := range tasks {
		if !slices.Contains(topics, tasks[i].Topic) {
			topics = append(topics, tasks[i].Topic)
		}
	}
	return topics
}
