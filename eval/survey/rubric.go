package survey

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"parley/characters/yamlfile"
)

// Aspect is one thing that documents are judged by.
type Aspect struct {
	Name       string   `yaml:"name" json:"name" doc:"required; small letters, digits and hyphens"`
	Title      string   `yaml:"title" json:"title" doc:"required; in tables and pages"`
	Definition string   `yaml:"definition" json:"definition" doc:"required; what the evaluator is told"`
	Steps      []string `yaml:"steps,omitempty" json:"steps,omitempty" doc:"how to evaluate, step by step"`
	Labels     []string `yaml:"labels,omitempty" json:"labels,omitempty" doc:"words to choose from, where the aspect is named and not graded"`
	Checklist  []string `yaml:"checklist,omitempty" json:"checklist,omitempty" doc:"questions whose good answer is yes"`
	Since      int      `yaml:"since,omitempty" json:"since,omitempty" doc:"version that brought the definition"`
}

// Rubric is the aspects of one round. The proposals of a round that are accepted make the next version.
type Rubric struct {
	Version int      `yaml:"version" json:"version" doc:"required; raised by every change"`
	Aspects []Aspect `yaml:"aspects" json:"aspects" doc:"required; what documents are judged by"`
}

//go:embed rubric.yaml
var builtin []byte

// Builtin returns the first rubric: seven graded aspects and the tone.
func Builtin() *Rubric {
	r, err := ReadRubric(builtin, "rubric.yaml")
	if err != nil {
		panic(err)
	}
	return r
}

// ReadRubric reads a rubric from YAML. Errors name the file.
func ReadRubric(data []byte, name string) (*Rubric, error) {
	var r Rubric
	if err := yamlfile.Value(data, name, &r); err != nil {
		return nil, err
	}
	if err := r.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &r, nil
}

// YAML writes the rubric as ReadRubric reads it.
func (r *Rubric) YAML() ([]byte, error) { return yaml.Marshal(r) }

// Validate reports a rubric that cannot be judged by.
func (r *Rubric) Validate() error {
	if r.Version < 1 {
		return fmt.Errorf("the version is %d; the first one is 1", r.Version)
	}
	if len(r.Aspects) == 0 {
		return errors.New("the rubric has no aspects")
	}
	seen := map[string]bool{}
	for i := range r.Aspects {
		a := &r.Aspects[i]
		switch {
		case a.Name == "" || slug(a.Name) != a.Name:
			return fmt.Errorf("aspect %d: %q is no name; write small letters, digits and hyphens", i+1, a.Name)
		case seen[a.Name]:
			return fmt.Errorf("aspect %s is there twice", a.Name)
		case a.Title == "" || a.Definition == "":
			return fmt.Errorf("aspect %s needs a title and a definition", a.Name)
		case len(a.Labels) == 1:
			return fmt.Errorf("aspect %s has one label only", a.Name)
		}
		seen[a.Name] = true
	}
	return nil
}

// Only returns the rubric with the aspects that are named.
func (r *Rubric) Only(names ...string) (*Rubric, error) {
	only := &Rubric{Version: r.Version}
	for _, name := range names {
		i := slices.IndexFunc(r.Aspects, func(a Aspect) bool { return a.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("the rubric has no aspect %q; it has %s", name, strings.Join(r.names(), ", "))
		}
		only.Aspects = append(only.Aspects, r.Aspects[i])
	}
	return only, only.Validate()
}

func (r *Rubric) names() []string {
	var names []string
	for i := range r.Aspects {
		names = append(names, r.Aspects[i].Name)
	}
	return names
}

// Next returns the next version: definitions changed to the texts by aspect, and new aspects, graded,
// behind the others. The receiver stays as it is. Changed aspects lose their steps and checklist, which
// were written for the old words.
func (r *Rubric) Next(changes map[string]string, added []Aspect) (*Rubric, error) {
	next := &Rubric{Version: r.Version + 1, Aspects: slices.Clone(r.Aspects)}
	for name, text := range changes {
		i := slices.IndexFunc(next.Aspects, func(a Aspect) bool { return a.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("the rubric has no aspect %q whose definition could change", name)
		}
		a := &next.Aspects[i]
		a.Definition, a.Steps, a.Checklist, a.Since = text, nil, nil, next.Version
	}
	for _, a := range added {
		a.Since = next.Version
		next.Aspects = append(next.Aspects, a)
	}
	return next, next.Validate()
}

// slug makes a name of a title.
func slug(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }), "-")
}
