package planning

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/eval/planning/pddl"
	"parley/eval/run"
	"parley/sim/llm"
)

// Kind names runs of planning questions in manifests.
const Kind = "planning"

// Config says what a run asks of which models.
type Config struct {
	run.Settings `yaml:",inline"`

	Model    []string     `yaml:"model" json:"model"`                                       // one arm each; reference:planning?drop=P&invent=P answers from the truth
	Problems string       `yaml:"problems,omitempty" json:"problems,omitempty" path:"file"` // file of problems; empty: they are generated
	Domain   []string     `yaml:"domain,omitempty" json:"domain,omitempty"`                 // of generated problems: blocksworld, depots
	Blocks   string       `yaml:"blocks,omitempty" json:"blocks,omitempty"`                 // in a generated problem, such as 3-12
	Depots   string       `yaml:"depots,omitempty" json:"depots,omitempty"`                 // numbers of depots, distributors, trucks, pallets, hoists and crates: 3,1,3,4,4,3
	States   string       `yaml:"states,omitempty" json:"states,omitempty"`                 // of generated Blocksworld problems: stack (default) or uniform
	N        int          `yaml:"n" json:"n"`                                               // problems, of each domain where they are generated; 0: all of the file
	Tasks    []Task       `yaml:"tasks" json:"tasks"`
	Form     Form         `yaml:"form" json:"form"`
	Steps    int          `yaml:"steps" json:"steps"`                         // actions of the task after
	Shots    int          `yaml:"shots" json:"shots"`                         // questions with answers that come first
	Persona  string       `yaml:"persona,omitempty" json:"persona,omitempty"` // text that comes before everything, as a system message
	Sampling llm.Sampling `yaml:"sampling" json:"sampling"`
	MaxNodes int          `yaml:"max_nodes" json:"max_nodes"` // states of a search for plans
}

// Default returns the configuration that asks all tasks about 20 generated problems of both domains.
func Default() *Config {
	return &Config{
		Settings: run.Settings{Seed: 1}, Domain: []string{"blocksworld", "depots"}, N: 20, Tasks: slices.Clone(Tasks),
		Form: Words, Steps: 2, MaxNodes: 1_000_000,
	}
}

// Complete checks a configuration.
func (c *Config) Complete() error {
	switch {
	case len(c.Model) == 0:
		return run.Usagef("no model: name one or more with --model")
	case c.Problems == "" && (c.N < 1 || len(c.Domain) == 0):
		return run.Usagef("n is 1 or more, and a domain is named, where problems are generated")
	case c.N < 0 || c.Shots < 0 || c.Shots > 20 || c.MaxNodes < 1:
		return run.Usagef("n and shots (at most 20) are 0 or more; max_nodes is 1 or more")
	}
	for i, m := range c.Model {
		if slices.Contains(c.Model[:i], m) {
			return run.Usagef("model %s is named twice", m)
		}
		if strings.HasPrefix(m, referencePrefix) {
			if _, err := ParseReference(m); err != nil {
				return run.UsageError{Err: err}
			}
		}
	}
	for _, d := range c.Domain {
		if _, err := c.generator(d); c.Problems == "" && err != nil {
			return err
		}
	}
	return cmp.Or(c.checkQuestions(), c.Sampling.Validate())
}

func (c *Config) checkQuestions() error {
	switch {
	case c.Form != Words && c.Form != PDDL:
		return run.Usagef("form is words or pddl, not %q", c.Form)
	case c.Steps < 1:
		return run.Usagef("steps is %d: it is 1 or more", c.Steps)
	case len(c.Tasks) == 0:
		return run.Usagef("no tasks: there are %v", Tasks)
	}
	for i, t := range c.Tasks {
		if !slices.Contains(Tasks, t) || slices.Contains(c.Tasks[:i], t) {
			return run.Usagef("tasks: %q is not one of %v, each once", t, Tasks)
		}
	}
	return nil
}

// generator returns what makes the problems of a domain.
func (c *Config) generator(domain string) (Generator, error) {
	g := Generator{Domain: domain, Uniform: c.States == "uniform"}
	if c.States != "" && c.States != "stack" && !g.Uniform {
		return g, run.Usagef("states is stack or uniform, not %q", c.States)
	}
	if _, err := fmt.Sscanf(cmp.Or(c.Blocks, "3-12"), "%d-%d", &g.Blocks[0], &g.Blocks[1]); err != nil {
		return g, run.Usagef("blocks is %q: write two numbers such as 3-12", c.Blocks)
	}
	d := &g.Depots
	if _, err := fmt.Sscanf(cmp.Or(c.Depots, "3,1,3,4,4,3"), "%d,%d,%d,%d,%d,%d", &d[0], &d[1], &d[2], &d[3], &d[4], &d[5]); err != nil {
		return g, run.Usagef("depots is %q: write six numbers such as 3,1,3,4,4,3", c.Depots)
	}
	if err := g.Validate(); err != nil {
		return g, run.UsageError{Err: err}
	}
	return g, nil
}

// Generate makes n problems of each domain, which may also be a file of PDDL with problems beside it. progress, which
// may be nil, is called after each with the number of those of one domain.
func (c *Config) Generate(ctx context.Context, o pddl.Options, progress func(done int)) (worlds []*World, err error) {
	if c.N < 1 {
		return nil, run.Usagef("n is %d: it is 1 or more", c.N)
	}
	if err := c.checkQuestions(); err != nil {
		return nil, err
	}
	for _, domain := range c.Domain {
		var made []*World
		if strings.HasSuffix(strings.ToLower(domain), ".pddl") {
			if made, err = ReadProblems(domain); err == nil {
				made, err = Vary(ctx, made, c.N, c.Seed, o, progress)
			}
		} else {
			var g Generator
			if g, err = c.generator(domain); err == nil {
				made, err = g.Generate(ctx, c.N, c.Seed, o, progress)
			}
		}
		if err != nil {
			return nil, err
		}
		worlds = append(worlds, made...)
	}
	return worlds, nil
}

// Questions asks every task about every problem.
func (c *Config) Questions(worlds []*World) (list []Question, err error) {
	for _, w := range worlds {
		for _, task := range c.Tasks {
			q, err := w.Ask(task, c.asking())
			if err != nil {
				return nil, err
			}
			list = append(list, *q)
		}
	}
	return list, nil
}
