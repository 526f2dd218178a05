package utility

import (
	"fmt"
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
	critic, quantifier, given := c.Critic != "", c.Quantifier != "", len(c.Criteria) > 0
	for _, rule := range []struct {
		broken bool
		text   string
	}{
		{critic && c.Task == nil, "critics need a task: --task TASK.yaml"},
		{critic && (c.Critics < 1 || c.Critics > 1000), fmt.Sprintf("%d critics: say 1 to 1000", c.Critics)},
		{critic && given, "criteria are given and critics are asked for them: say one of the two"},
		{!critic && !given, "there are no criteria: --criteria criteria.yaml"},
		{!critic && c.Embed+c.Summariser != "", "criteria that are given are not consolidated: parley eval utility consolidate does"},
		{c.Tau <= 0 || c.Tau > 1, fmt.Sprintf("tau is %g: say a number above 0, up to 1", c.Tau)},
		{!quantifier && len(c.Samples) > 0, "samples need a quantifier: --model MODEL, or --model " + LexicalModel},
		{quantifier && len(c.Samples) == 0, "there are no samples: --samples FILE, DIRECTORY or RUN"},
		{quantifier && (c.Seeds < 1 || c.Rounds < 1 || len(c.Samples)*c.Seeds*c.Rounds > maxCalls), fmt.Sprintf(
			"%d samples with %d seeds in %d rounds: say 1 or more of each, and at most %d together", len(c.Samples), c.Seeds, c.Rounds, maxCalls)},
		{c.Share <= 0 || c.Share >= 1, fmt.Sprintf("the share of sentences to drop is %g: say a number between 0 and 1", c.Share)},
		{!slices.Contains([]string{"range_sd", "cv", "agreement"}, c.Thresholds.Stability),
			fmt.Sprintf("stability by %q: say range_sd, cv or agreement", c.Thresholds.Stability)},
	} {
		if rule.broken {
			return run.Usagef("%s", rule.text)
		}
	}
	for _, way := range c.Disturb {
		if !slices.Contains([]string{Drop, Swap, Replace}, way) {
			return run.Usagef("disturb by %q: say drop, swap or replace", way)
		}
	}
	ids := map[string]bool{"": true}
	for i := range c.Samples {
		s := &c.Samples[i]
		if ids[s.ID] || len(s.Turns) == 0 {
			return run.Usagef("sample %d (%q) has no turns, or an id that is empty or another's", i+1, s.ID)
		}
		ids[s.ID] = true
	}
	if !given {
		return nil
	}
	for _, p := range (&file{c.Criteria}).Problems() {
		return run.Usagef("%s: %s", p.Path, p.Text)
	}
	if name := same(c.Criteria); name != "" && quantifier {
		return run.Usagef("two criteria are called %q: consolidate them, or rename one", name)
	}
	return nil
}

// groups lists the groups of samples in order.
func (c *Config) groups() []string {
	var list []string
	for i := range c.Samples {
		if !slices.Contains(list, c.Samples[i].Group) {
			list = append(list, c.Samples[i].Group)
		}
	}
	rank := func(group string) int { return slices.Index([]string{Success, Failure, Neither}, group) }
	slices.SortStableFunc(list, func(a, b string) int { return rank(a) - rank(b) })
	return list
}
