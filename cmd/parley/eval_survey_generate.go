package main

import (
	"os"
	"time"

	"parley/eval/survey"
	"parley/sim/llm"

	"github.com/urfave/cli/v2"
)

func surveyGenerateCommand() *cli.Command {
	return &cli.Command{
		Name:      "generate",
		Usage:     "have models draw up forms from prompts",
		ArgsUsage: " ",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "model", Usage: "a `MODEL` that writes; repeat for several"},
			&cli.StringFlag{Name: "as", Usage: "write as `CHARACTER`, an id of the library or a file"},
			&cli.StringFlag{Name: "prompts", Usage: "`FILE` of prompts, one a line (default: the built-in ones)"},
			&cli.IntFlag{Name: "first", DefaultText: "all", Usage: "take only the first `N` prompts"},
			&cli.StringFlag{Name: "form", Value: "schema", Usage: "of the reply: schema (constrained where the server can) or free (Markdown)"},
			&cli.BoolFlag{Name: "library", Usage: "write the built-in good forms"},
			&cli.StringFlag{Name: "spoil", Usage: "with --library: plant a fault of this `RULE` into each, or all for every rule"},
			&cli.IntFlag{Name: "max-tokens", Value: 2000, Usage: "`N` tokens of a reply at most"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that all randomness comes from"},
			&cli.StringFlag{Name: "out", Usage: "`DIR` to write to"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object: forms, each {file, prompt, model, status, reason}"},
		},
		Action: func(c *cli.Context) error {
			dir := c.String("out")
			if dir == "" {
				return usagef("eval survey generate needs a directory: --out DIR")
			}
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return err
			}
			made, err := makeForms(c, dir)
			if err != nil {
				return err
			}
			err = output(c, made, made.Print)
			if n := made.Missing(); err == nil && n > 0 {
				err = partialf("%d of %d forms were not had", n, len(made.Forms))
			}
			return err
		},
	}
}

// makeForms writes the library, or asks every model for a form for every prompt.
func makeForms(c *cli.Context, dir string) (*survey.Made, error) {
	if c.Bool("library") {
		return survey.WriteLibrary(dir, c.String("spoil"), c.Uint64("seed"))
	}
	specs := c.StringSlice("model")
	if len(specs) == 0 {
		return nil, usagef("eval survey generate needs a model: --model MODEL, or --library")
	}
	if f := c.String("form"); f != "schema" && f != "free" {
		return nil, usagef("--form %s: say schema or free", f)
	}
	prompts, err := survey.Prompts(c.String("prompts"), c.Int("first"))
	if err != nil {
		return nil, err
	}
	persona := ""
	if name := c.String("as"); name != "" {
		sheets, err := findCharacters(name)
		if err != nil {
			return nil, err
		}
		persona = survey.Persona(sheets[0])
	}
	var authors []*survey.Author
	for _, spec := range specs {
		m, err := openModel(c.Context, spec)
		if err != nil {
			return nil, err
		}
		authors = append(authors, &survey.Author{Model: m, Name: spec, Persona: persona, Schema: c.String("form") == "schema",
			Sampling: llm.Sampling{MaxTokens: c.Int("max-tokens")}, Now: time.Now})
	}
	return survey.Generate(c.Context, dir, authors, prompts, c.Uint64("seed"), keys.Redact, lineTo(c))
}
