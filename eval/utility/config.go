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
	if err := c.completeCriteria(); err != nil {
		return err
	}
	switch asked := c.Quantifier != ""; {
	case !asked && len(c.Samples) > 0:
		return run.Usagef("samples need a quantifier: --model MODEL, or --model %s", LexicalModel)
	case asked && len(c.Samples) == 0:
		return run.Usagef("there are no samples: --samples FILE, DIRECTORY or RUN")
	case asked && (c.Seeds < 1 || c.Rounds < 1 || len(c.Samples)*c.Seeds*c.Rounds > maxCalls):
		return run.Usagef("%d samples with %d seeds in %d rounds: say 1 or more of each, and at most %d together", len(c.Samples), c.Seeds, c.Rounds, maxCalls)
	case c.Share <= 0 || c.Share >= 1:
		return run.Usagef("the share of sentences to drop is %g: say a number between 0 and 1", c.Share)
	case !slices.Contains([]string{"range_sd", "cv", "agreement"}, c.Thresholds.Stability):
		return run.Usagef("stability by %q: say range_sd, cv or agreement", c.Thresholds.Stability)
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
	return nil
}

// completeCriteria sees to where criteria come from.
func (c *Config) completeCriteria() error {
	switch asked := c.Critic != ""; {
	case asked && c.Task == nil:
		return run.Usagef("critics need a task: --task TASK.yaml")
	case asked && (c.Critics < 1 || c.Critics > 1000):
		return run.Usagef("%d critics: say 1 to 1000", c.Critics)
	case asked && len(c.Criteria) > 0:
		return run.Usagef("criteria are given and critics are asked for them: say one of the two")
	case !asked && len(c.Criteria) == 0:
		return run.Usagef("there are no criteria: --criteria criteria.yaml")
	case !asked && (c.Embed != "" || c.Summariser != ""):
		return run.Usagef("criteria that are given are not consolidated: parley eval utility consolidate does")
	case c.Tau <= 0 || c.Tau > 1:
		return run.Usagef("tau is %g: say a number above 0, up to 1", c.Tau)
	case asked:
		return nil
	}
	for _, p := range (&file{c.Criteria}).Problems() {
		return run.Usagef("%s: %s", p.Path, p.Text)
	}
	if name := same(c.Criteria); name != "" && c.Quantifier != "" {
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

// stage is a part of the work: the kind of its jobs, by the letter that begins their ids, and their number.
type stage struct {
	kind  byte // c: a critic, d: consolidation, r: a round of samples
	round int
	n     int
}

// stages lists the parts of the work that are configured, in order.
func (c *Config) stages() (list []stage) {
	if c.Critic != "" {
		list = append(list, stage{'c', 0, c.Critics}, stage{'d', 0, 1})
	}
	for round := 1; round <= c.Rounds && c.Quantifier != ""; round++ {
		list = append(list, stage{'r', round, len(c.Samples)})
	}
	return list
}

// id names the i-th job of a stage.
func (s stage) id(i int) string {
	if s.kind == 'r' {
		return fmt.Sprintf("r%02d-%06d", s.round, i+1)
	}
	return fmt.Sprintf("%c%04d", s.kind, i+1)
}
