package main

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval/script"
	"parley/sim/llm"
	"parley/sim/reference"
)

// scriptConfig is the whole configuration of an evaluation of scripts.
type scriptConfig struct {
	Perturb     bool           `json:"perturb,omitempty"` // the authors are planted faults
	Authors     []scriptAuthor `json:"authors"`
	Critic      string         `json:"critic"` // empty: nobody
	Execute     string         `json:"execute"`
	Commonsense string         `json:"commonsense"`
	Synthesize  string         `json:"synthesize"`
	Gold        string         `json:"gold"` // pool | leave-one-out | direct | reference | none
	Plain       bool           `json:"plain,omitempty"`
	Trusting    bool           `json:"trusting,omitempty"`
	Baselines   []string       `json:"baselines,omitempty"` // single, rouge, embed
	Single      string         `json:"single,omitempty"`    // who judges alone
	Embed       string         `json:"embed,omitempty"`
	Weights     script.Weights `json:"weights,omitempty"`
	MaxTokens   int            `json:"max_tokens"` // of a script
	Seed        uint64         `json:"seed"`
	Tasks       int            `json:"tasks"`
	Jobs        int            `json:"jobs"`
}

// scriptAuthor is who writes: a model, perhaps as a character; or a rule or model that plants a fault
// into the reference steps.
type scriptAuthor struct {
	Name     string       `json:"name"` // the arm
	Model    string       `json:"model,omitempty"`
	Sampling llm.Sampling `json:"sampling"`
	Persona  string       `json:"persona,omitempty"` // instruction
	Fault    script.Fault `json:"fault,omitempty"`
}

// id names the author in the ids of calls.
func authorID(i int) string { return fmt.Sprintf("m%02d", i+1) }

// judgeFlags are who judges, for run and perturb.
func judgeFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "judge", Usage: "`MODEL` of all judge agents"},
		&cli.StringFlag{Name: "critic", Usage: "`MODEL` that looks for missing, redundant and duplicate steps, instead of --judge"},
		&cli.StringFlag{Name: "execute", Usage: "`MODEL` that carries the script out in thought, instead of --judge"},
		&cli.StringFlag{Name: "commonsense", Usage: "`MODEL` that holds steps against common sense, instead of --judge"},
		&cli.StringFlag{Name: "synthesize", Usage: "`MODEL` that writes the gold answers, instead of --judge"},
		&cli.BoolFlag{Name: "plain", Usage: "ask the agents for the paper's yes or no alone, not for what is wrong"},
		&cli.BoolFlag{Name: "trusting", Usage: "take verdicts that do not repeat the question's nonce, for judges that cannot; a script may then speak for the judge"},
		&cli.StringSliceFlag{Name: "baseline", Usage: "also judge by `METHODS`: single (one call for all), rouge, embed; separated by commas"},
		&cli.StringFlag{Name: "embed", Value: "ollama:all-minilm", Usage: "`MODEL` of embeddings for --baseline embed"},
		&cli.StringFlag{Name: "tasks", Usage: "`FILE` of tasks, JSON lines (default: the 60 built-in ones)"},
		&cli.IntFlag{Name: "first", DefaultText: "all", Usage: "take only the first `N` tasks"},
		&cli.StringSliceFlag{Name: "weights", Usage: "`WEIGHTS` of the metrics in the score, such as NM=2,SC=3 (default: all 1)"},
		&cli.IntFlag{Name: "max-tokens", Value: 700, Usage: "`N` tokens of a script at most"},
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that all randomness comes from"},
		&cli.IntFlag{Name: "jobs", DefaultText: "by the models", Usage: "`N` tasks at once"},
		&cli.StringFlag{Name: "out", Usage: "`DIR` of the run (default runs/<time>)"},
		&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
	}
}

// judgesOf fills in what the flags say of the judges.
func (g *scriptConfig) judgesOf(c *cli.Context) error {
	all := c.String("judge")
	for name, agent := range map[string]*string{"critic": &g.Critic, "execute": &g.Execute, "commonsense": &g.Commonsense, "synthesize": &g.Synthesize} {
		if *agent = all; c.IsSet(name) {
			*agent = c.String(name)
		}
	}
	g.Plain, g.Trusting, g.MaxTokens = c.Bool("plain"), c.Bool("trusting"), c.Int("max-tokens")
	g.Seed, g.Jobs = c.Uint64("seed"), c.Int("jobs")
	var err error
	if g.Weights, err = scriptWeights(c.StringSlice("weights")); err != nil {
		return err
	}
	for _, list := range c.StringSlice("baseline") {
		for _, b := range strings.Split(list, ",") {
			switch b = strings.TrimSpace(b); {
			case b == "single" || b == "rouge" || b == "embed":
				if !slices.Contains(g.Baselines, b) {
					g.Baselines = append(g.Baselines, b)
				}
			case b != "":
				return usagef("there is no baseline %q: they are single, rouge and embed", b)
			}
		}
	}
	if slices.Contains(g.Baselines, "single") {
		if g.Single = all; all == "" {
			g.Single = g.Critic
		}
		if g.Single == "" {
			return usagef("--baseline single needs a --judge")
		}
	}
	if slices.Contains(g.Baselines, "embed") {
		g.Embed = c.String("embed")
	}
	for _, spec := range []string{g.Critic, g.Execute, g.Commonsense, g.Synthesize} {
		if isReference(spec) {
			return usagef("%s cannot judge: name a chat model", spec)
		}
	}
	if g.Critic == "" && g.Execute == "" && g.Commonsense == "" && len(g.Baselines) == 0 {
		return usagef("nobody judges: name a --judge MODEL, single agents such as --critic MODEL, or a --baseline")
	}
	switch g.Gold {
	case "pool", "leave-one-out", "direct":
		if g.Synthesize == "" && (g.Critic != "" || len(g.Baselines) > 0) {
			return usagef("gold answers need a writer: name --synthesize MODEL or --judge MODEL, or say --gold-from reference or --no-gold")
		}
	case "reference", "none":
	default:
		return usagef("--gold-from %s: gold answers come from pool, leave-one-out, direct or reference", g.Gold)
	}
	if g.MaxTokens < 16 {
		return usagef("--max-tokens %d is too few for a script", g.MaxTokens)
	}
	return nil
}

// models lists the chat models that take part.
func (g *scriptConfig) models() []string {
	var specs []string
	add := func(spec string) {
		if spec != "" && !slices.Contains(specs, spec) {
			specs = append(specs, spec)
		}
	}
	for i := range g.Authors {
		add(g.Authors[i].Model)
	}
	for _, spec := range []string{g.Critic, g.Execute, g.Commonsense, g.Single} {
		add(spec)
	}
	if g.Gold != "reference" && g.Gold != "none" {
		add(g.Synthesize)
	}
	return specs
}

// authorOf reads an author: a model, whose options temperature and seed make arms of one model
// differ, or reference:FAULT.
func authorOf(text string) (scriptAuthor, error) {
	a := scriptAuthor{Name: text, Model: text}
	s, err := llm.ParseSpec(text)
	if err != nil {
		return a, usageError{err}
	}
	if reference.Is(text) {
		a.Model, a.Fault = "", script.Fault(s.Name)
		if a.Fault != script.Intact && !slices.Contains(script.Faults(), a.Fault) {
			return a, usagef("%s: reference authors are %s and %v", text, script.Intact, script.Faults())
		}
		return a, nil
	}
	if v := s.Options.Get("temperature"); v != "" {
		t, err := strconv.ParseFloat(v, 64)
		if err != nil || !(t >= 0 && t <= 5) {
			return a, usagef("%s: the temperature %q is no number from 0 to 5", text, v)
		}
		a.Sampling.Temperature = &t
	}
	if v := s.Options.Get("seed"); v != "" {
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil {
			return a, usagef("%s: the seed %q is no whole number", text, v)
		}
		a.Sampling.Seed = &n
	}
	a.Model = without(text, s, "temperature", "seed")
	return a, nil
}

// without writes a spec without some of its options.
func without(text string, s llm.Spec, keys ...string) string {
	rest := url.Values{}
	had := false
	for key, values := range s.Options {
		if slices.Contains(keys, key) {
			had = true
			continue
		}
		rest[key] = values
	}
	if !had {
		return text
	}
	out := s.Scheme + ":" + s.Name
	if len(rest) > 0 {
		out += "?" + rest.Encode()
	}
	if s.BaseURL != "" {
		out += "@" + s.BaseURL
	}
	return out
}
