package utility

import (
	"cmp"
	"slices"

	"parley/eval/run"
	"parley/sim/llm"
)

// LexicalModel is the quantifier that needs no model.
const LexicalModel = "lexical"

// Config is the whole configuration: what critics are asked, and what is done with criteria. A stage that is not
// configured is left out.
type Config struct {
	Task       *Task   `yaml:"task,omitempty" json:"task"`
	Critic     string  `yaml:"critic,omitempty" json:"critic"` // model; none: criteria are given
	Critics    int     `yaml:"critics,omitempty" json:"critics"`
	Solutions  bool    `yaml:"solutions,omitempty" json:"solutions"`   // criteria that tell the examples apart, instead of criteria of the task
	Embed      string  `yaml:"embed,omitempty" json:"embed"`           // model that similar criteria are found by; none: lexical
	Summariser string  `yaml:"summariser,omitempty" json:"summariser"` // model that makes one list of what critics propose; none: only similar ones are merged
	Tau        float64 `yaml:"tau" json:"tau"`                         // similarity from which criteria are merged

	Criteria   []Criterion  `yaml:"criteria,omitempty" json:"criteria"`
	Samples    []Sample     `yaml:"samples,omitempty" json:"samples"`
	Quantifier string       `yaml:"quantifier,omitempty" json:"quantifier"` // model, or lexical
	Each       bool         `yaml:"each,omitempty" json:"each"`             // one criterion a call
	Seeds      int          `yaml:"seeds,omitempty" json:"seeds"`           // of the quantifier, for every sample
	Rounds     int          `yaml:"rounds,omitempty" json:"rounds"`         // at most: what is left is quantified again until nothing is dropped
	Disturb    []string     `yaml:"disturb,omitempty" json:"disturb"`       // drop, swap, replace; none: nothing is verified
	Share      float64      `yaml:"share,omitempty" json:"share"`           // of sentences that drop leaves out
	Thresholds Thresholds   `yaml:"thresholds" json:"thresholds"`
	Sampling   llm.Sampling `yaml:"sampling,omitempty" json:"sampling"`

	run.Settings `yaml:",inline"`
}

// DefaultConfig returns a configuration without models, criteria and samples.
func DefaultConfig() *Config {
	return &Config{Tau: 0.8, Seeds: 1, Rounds: 1, Share: 0.25, Thresholds: DefaultThresholds(), Settings: run.Settings{Seed: 1}, Sampling: llm.Sampling{MaxTokens: 1000}}
}

// maxCalls bounds a slip of the keyboard, not a study.
const maxCalls = 10_000_000

// Complete fills in what follows from the rest and returns an error for what is wrong.
func (c *Config) Complete() error {
	if c.Quantifier == LexicalModel {
		c.Seeds = 1 // it says the same each time
	}
	return cmp.Or(c.checkCriteria(), c.checkLabels())
}

// checkCriteria returns what is wrong with the criteria, or with how they are made.
func (c *Config) checkCriteria() error {
	given := len(c.Criteria) > 0
	switch {
	case c.Critic == "" && !given:
		return run.Usagef("there are no criteria: --criteria criteria.yaml")
	case c.Critic == "" && c.Embed+c.Summariser != "":
		return run.Usagef("criteria that are given are not consolidated: parley eval utility consolidate does")
	case c.Critic != "" && given:
		return run.Usagef("criteria are given and critics are asked for them: say one of the two")
	case c.Critic != "" && c.Task == nil:
		return run.Usagef("critics need a task: --task TASK.yaml")
	case c.Critic != "" && (c.Critics < 1 || c.Critics > 1000):
		return run.Usagef("%d critics: say 1 to 1000", c.Critics)
	case c.Tau <= 0 || c.Tau > 1:
		return run.Usagef("tau is %g: say a number above 0, up to 1", c.Tau)
	case !given:
		return nil
	}
	for _, p := range (&file{c.Criteria}).Problems() {
		return run.Usagef("%s: %s", p.Path, p.Text)
	}
	var names []string
	for _, one := range leaves(c.Criteria) {
		names = append(names, one.Name)
	}
	if at := repeated(names); at >= 0 && c.Quantifier != "" {
		return run.Usagef("two criteria are called %q: consolidate them, or rename one", names[at])
	}
	return nil
}

// checkLabels returns what is wrong with samples, how they are labelled, and how criteria are verified.
func (c *Config) checkLabels() error {
	quantifier, n := c.Quantifier != "", len(c.Samples)
	switch {
	case !quantifier && n > 0:
		return run.Usagef("samples need a quantifier: --model MODEL, or --model %s", LexicalModel)
	case quantifier && n == 0:
		return run.Usagef("there are no samples: --samples FILE, DIRECTORY or RUN")
	case quantifier && (c.Seeds < 1 || c.Rounds < 1 || n*c.Seeds*c.Rounds > maxCalls):
		return run.Usagef("%d samples with %d seeds in %d rounds: say 1 or more of each, and at most %d together", n, c.Seeds, c.Rounds, maxCalls)
	case c.Share <= 0 || c.Share >= 1:
		return run.Usagef("the share of sentences to drop is %g: say a number between 0 and 1", c.Share)
	case !slices.Contains([]string{"range_sd", "cv", agreement}, c.Thresholds.Stability):
		return run.Usagef("stability by %q: say range_sd, cv or agreement", c.Thresholds.Stability)
	}
	for _, way := range c.Disturb {
		if !slices.Contains([]string{Drop, Swap, Replace}, way) {
			return run.Usagef("disturb by %q: say drop, swap or replace", way)
		}
	}
	ids := map[string]bool{"": true}
	for i, s := range c.Samples {
		if ids[s.ID] || len(s.Turns) == 0 {
			return run.Usagef("sample %d (%q) has no turns, or an id that is empty or another's", i+1, s.ID)
		}
		ids[s.ID] = true
	}
	return nil
}

// groups lists the groups of samples in the order in which they first appear.
func (c *Config) groups() (list []string) {
	for _, s := range c.Samples {
		if !slices.Contains(list, s.Group) {
			list = append(list, s.Group)
		}
	}
	return list
}
