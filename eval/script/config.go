package script

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/characters"
	"parley/eval/run"
	"parley/sim/llm"
	"parley/sim/reference"
)

// Config is the whole configuration of an evaluation of scripts. Complete turns what is written for short
// (model, persona, judge; kind and by of a perturbation) into authors and judges.
type Config struct {
	Model   []string `yaml:"model,omitempty" json:"-"`   // each is an author
	Persona []string `yaml:"persona,omitempty" json:"-"` // characters that every model answers as, each an author of its own
	Judge   string   `yaml:"judge,omitempty" json:"-"`   // of all judge agents that are not named
	Kind    []string `yaml:"kind,omitempty" json:"-"`    // faults to plant; none: all
	By      string   `yaml:"by,omitempty" json:"-"`      // model that plants them; none: rules

	Perturb     bool           `yaml:"perturb,omitempty" json:"perturb,omitempty"` // the authors are planted faults
	Authors     []AuthorConfig `yaml:"authors,omitempty" json:"authors"`
	Critic      string         `yaml:"critic,omitempty" json:"critic"` // none: nothing is asked of that agent
	Execute     string         `yaml:"execute,omitempty" json:"execute"`
	Commonsense string         `yaml:"commonsense,omitempty" json:"commonsense"`
	Synthesize  string         `yaml:"synthesize,omitempty" json:"synthesize"`             // writes gold answers
	Gold        string         `yaml:"gold" json:"gold"`                                   // pool | leave-one-out | direct | reference | none
	Plain       bool           `yaml:"plain,omitempty" json:"plain,omitempty"`             // the paper's yes or no alone
	Trusting    bool           `yaml:"trusting,omitempty" json:"trusting,omitempty"`       // verdicts need not repeat the nonce
	Baseline    []string       `yaml:"baseline,omitempty" json:"baselines,omitempty"`      // single, rouge, embed
	Single      string         `yaml:"single,omitempty" json:"single,omitempty"`           // judges alone
	Embed       string         `yaml:"embed,omitempty" json:"embed,omitempty"`             // embeds texts
	Weights     Weights        `yaml:"weights,omitempty" json:"weights,omitempty"`         // of the metrics
	MaxTokens   int            `yaml:"max_tokens" json:"max_tokens"`                       // of a script
	Tasks       string         `yaml:"tasks,omitempty" json:"tasks,omitempty" path:"file"` // file; none: the built-in ones
	First       int            `yaml:"first,omitempty" json:"first,omitempty"`             // only so many tasks; 0: all

	run.Settings `yaml:",inline"`
}

// AuthorConfig is an author: a model, perhaps as a character; or a rule or model that plants a fault into the
// reference steps.
type AuthorConfig struct {
	Name     string       `yaml:"name" json:"name"` // the arm
	Model    string       `yaml:"model,omitempty" json:"model,omitempty"`
	Sampling llm.Sampling `yaml:"sampling,omitempty" json:"sampling"`
	Persona  string       `yaml:"persona,omitempty" json:"persona,omitempty"` // instruction
	Fault    Fault        `yaml:"fault,omitempty" json:"fault,omitempty"`
}

// authorID names the author in the ids of calls.
func authorID(i int) string { return fmt.Sprintf("m%02d", i+1) }

// Default returns a configuration without authors and judges.
func Default() *Config {
	return &Config{Gold: "pool", MaxTokens: 700, Settings: run.Settings{Seed: 1}}
}

// Complete fills in what follows from the rest and returns an error for what is wrong. Find looks up a
// character that answers are to be given as.
func (c *Config) Complete(find func(name string) ([]*characters.Sheet, error)) error {
	var err error
	switch {
	case len(c.Authors) > 0:
	case c.Perturb:
		err = c.perturbed()
	default:
		err = c.authors(find)
	}
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, a := range c.Authors {
		if seen[a.Name] {
			return run.Usagef("two authors are called %s; options such as ?seed=2 tell them apart", a.Name)
		}
		seen[a.Name] = true
	}
	if err := c.judges(); err != nil {
		return err
	}
	c.Model, c.Persona, c.Judge, c.Kind, c.By = nil, nil, "", nil, ""
	return nil
}

// authors makes an author of every model and persona.
func (c *Config) authors(find func(name string) ([]*characters.Sheet, error)) error {
	if len(c.Model) == 0 {
		return run.Usagef("a model to test is needed: --model MODEL, such as ollama:llama3.2:1b, or reference:intact")
	}
	for _, text := range c.Model {
		a, err := authorOf(text)
		if err != nil {
			return err
		}
		if a.Model == "" || len(c.Persona) == 0 {
			c.Authors = append(c.Authors, a)
			continue
		}
		for _, name := range c.Persona {
			sheets, err := find(name)
			if err != nil {
				return err
			}
			for _, s := range sheets {
				in := a
				in.Name, in.Persona = a.Name+" as "+s.Name, Persona(s)
				c.Authors = append(c.Authors, in)
			}
		}
	}
	return nil
}

// perturbed makes an author of every fault to plant, and one that plants none.
func (c *Config) perturbed() error {
	if c.Gold != "none" {
		c.Gold = "reference"
	}
	c.Authors = []AuthorConfig{{Name: string(Intact), Fault: Intact}}
	var wanted []Fault
	for _, kind := range c.Kind {
		f := Fault(strings.TrimSpace(kind))
		if !slices.Contains(Faults(), f) {
			return run.Usagef("there is no kind %q: they are %v", kind, Faults())
		}
		if !slices.Contains(wanted, f) {
			wanted = append(wanted, f)
		}
	}
	if wanted == nil {
		wanted = Faults()
	}
	for _, f := range wanted {
		a := AuthorConfig{Name: string(f), Fault: f}
		if f != HasDuplicate && f != BreaksOrder {
			a.Model = c.By
		}
		if reference.Is(a.Model) {
			return run.Usagef("%s plants nothing: leave --by out for rules", a.Model)
		}
		c.Authors = append(c.Authors, a)
	}
	return nil
}

// judges fills in and checks who judges.
func (c *Config) judges() error {
	for _, agent := range []*string{&c.Critic, &c.Execute, &c.Commonsense, &c.Synthesize} {
		*agent = cmp.Or(*agent, c.Judge)
		if reference.Is(*agent) {
			return run.Usagef("%s cannot judge: name a chat model", *agent)
		}
	}
	for _, b := range c.Baseline {
		if !slices.Contains([]string{"single", "rouge", "embed"}, b) {
			return run.Usagef("there is no baseline %q: they are single, rouge and embed", b)
		}
	}
	if slices.Contains(c.Baseline, "single") {
		if c.Single = cmp.Or(c.Single, c.Judge, c.Critic); c.Single == "" {
			return run.Usagef("--baseline single needs a --judge")
		}
	}
	if slices.Contains(c.Baseline, "embed") {
		c.Embed = cmp.Or(c.Embed, "ollama:all-minilm")
	} else {
		c.Embed = ""
	}
	if c.Critic == "" && c.Execute == "" && c.Commonsense == "" && len(c.Baseline) == 0 {
		return run.Usagef("there is no judge: name a --judge MODEL, single agents such as --critic MODEL, or a --baseline")
	}
	switch {
	case !slices.Contains([]string{"pool", "leave-one-out", "direct", "reference", "none"}, c.Gold):
		return run.Usagef("--gold-from %s: gold answers come from pool, leave-one-out, direct or reference", c.Gold)
	case c.written() && c.Synthesize == "" && (c.Critic != "" || len(c.Baseline) > 0):
		return run.Usagef("gold answers need a writer: name --synthesize MODEL or --judge MODEL, or say --gold-from reference or --no-gold")
	}
	if c.Weights != nil {
		if err := c.Weights.Validate(); err != nil {
			return run.Usagef("weights: %w", err)
		}
	}
	if c.MaxTokens < 16 {
		return run.Usagef("--reply-tokens %d is too few for a script", c.MaxTokens)
	}
	return nil
}

// written reports whether gold answers are written by a model.
func (c *Config) written() bool { return c.Gold != "reference" && c.Gold != "none" }

// uses lists the models with what they are opened for.
func (c *Config) uses() []run.Use {
	var list []run.Use
	add := func(u run.Use) {
		if u.Model != "" && !slices.Contains(list, u) {
			list = append(list, u)
		}
	}
	for i := range c.Authors {
		add(run.Use{Model: c.Authors[i].Model, Role: "author", Tested: !c.Perturb})
	}
	for role, spec := range map[string]string{"critic": c.Critic, "execute": c.Execute, "commonsense": c.Commonsense, "single": c.Single} {
		add(run.Use{Model: spec, Role: role, Judges: true})
	}
	slices.SortStableFunc(list, func(a, b run.Use) int { return strings.Compare(a.Role, b.Role) })
	if c.written() {
		add(run.Use{Model: c.Synthesize, Role: "synthesize"})
	}
	add(run.Use{Model: c.Embed, Role: "embed", Embeds: true})
	return list
}

// authorOf reads an author: a model, whose options temperature and seed make arms of one model differ, or
// reference:FAULT.
func authorOf(text string) (AuthorConfig, error) {
	a := AuthorConfig{Name: text, Model: text}
	s, err := llm.ParseSpec(text)
	if err != nil {
		return a, run.UsageError{Err: err}
	}
	if reference.Is(text) {
		a.Model, a.Fault = "", Fault(s.Name)
		if a.Fault != Intact && !slices.Contains(Faults(), a.Fault) {
			return a, run.Usagef("%s: reference authors are %s and %v", text, Intact, Faults())
		}
		return a, nil
	}
	if v := s.Options.Get("temperature"); v != "" {
		t, err := strconv.ParseFloat(v, 64)
		if err != nil || !(t >= 0 && t <= 5) {
			return a, run.Usagef("%s: the temperature %q is no number from 0 to 5", text, v)
		}
		a.Sampling.Temperature = &t
	}
	if v := s.Options.Get("seed"); v != "" {
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil {
			return a, run.Usagef("%s: the seed %q is no whole number", text, v)
		}
		a.Sampling.Seed = &n
	}
	if s.Options.Has("temperature") || s.Options.Has("seed") { // they are the author's, not the model's
		s.Options.Del("temperature")
		s.Options.Del("seed")
		a.Model = s.Scheme + ":" + s.Name
		if len(s.Options) > 0 {
			a.Model += "?" + s.Options.Encode()
		}
		if s.BaseURL != "" {
			a.Model += "@" + s.BaseURL
		}
	}
	return a, nil
}
