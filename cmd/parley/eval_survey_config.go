package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval/judge"
	"parley/eval/survey"
)

// surveyConfig is the whole configuration of an evaluation of surveys.
type surveyConfig struct {
	Evaluator string         `json:"evaluator"`
	Sage      string         `json:"sage"` // empty: the evaluator alone
	Variant   survey.Variant `json:"variant"`
	Scores    string         `json:"scores"`
	Draws     int            `json:"draws,omitempty"`
	Baselines []survey.Agent `json:"baselines,omitempty"`
	Rubric    *survey.Rubric `json:"rubric"`
	Trusting  bool           `json:"trusting,omitempty"`
	MaxTokens int            `json:"max_tokens"`
	Seed      uint64         `json:"seed"`
	Documents int            `json:"documents"`
	Jobs      int            `json:"jobs"`
}

func (g *surveyConfig) models() []string {
	if g.Sage == "" || g.Sage == g.Evaluator {
		return []string{g.Evaluator}
	}
	return []string{g.Evaluator, g.Sage}
}

// surveyConfigOf makes the configuration that a command line asks for.
func surveyConfigOf(c *cli.Context) (*surveyConfig, error) {
	g := &surveyConfig{
		Evaluator: c.String("evaluator"), Sage: c.String("sage"), Variant: survey.Variant(c.String("variant")), Scores: c.String("scores"),
		Trusting: c.Bool("trusting"), MaxTokens: c.Int("max-tokens"), Seed: c.Uint64("seed"), Jobs: c.Int("jobs"),
	}
	if g.Evaluator == "" {
		return nil, usagef("eval survey run needs an evaluator: --evaluator MODEL, such as ollama:llama3.2:1b")
	}
	for _, spec := range g.models() {
		if isReference(spec) {
			return nil, usagef("%s cannot judge: name a chat model", spec)
		}
	}
	if g.MaxTokens < 16 {
		return nil, usagef("--max-tokens %d is too few for a verdict", g.MaxTokens)
	}
	if g.Scores == string(judge.Samples) {
		if g.Draws = c.Int("draws"); g.Draws < 1 {
			return nil, usagef("--draws %d: at least one is needed", g.Draws)
		}
	}
	for _, b := range splitList(c.StringSlice("baseline")) {
		g.Baselines = append(g.Baselines, survey.Agent(b))
	}
	rubric, err := openRubric(c.String("rubric"))
	if err != nil {
		return nil, err
	}
	if names := splitList(c.StringSlice("aspect")); names != nil {
		if rubric, err = rubric.Only(names...); err != nil {
			return nil, usageError{err}
		}
	}
	g.Rubric = rubric
	check := survey.Agents{Evaluator: &judge.Judge{}, Rubric: rubric, Mode: judge.Mode(g.Scores), Variant: g.Variant, Baselines: g.Baselines}
	if err := check.Validate(); err != nil {
		return nil, usageError{err}
	}
	return g, nil
}

// splitList takes values that are separated by commas apart.
func splitList(values []string) []string {
	var list []string
	for _, v := range values {
		for _, part := range strings.Split(v, ",") {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
	}
	return list
}

func openRubric(file string) (*survey.Rubric, error) {
	if file == "" {
		return survey.Builtin(), nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("rubric: %w", err)
	}
	return survey.ReadRubric(data, file)
}
