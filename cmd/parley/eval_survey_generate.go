package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/report"
	"parley/eval/survey/form"
	"parley/logs"
	"parley/sim"
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
			write := generateForms
			if c.Bool("library") {
				write = writeLibrary
			}
			made, err := write(c, dir)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				err = printJSON(c.App.Writer, map[string]any{"forms": made})
			} else {
				err = printForms(c.App.Writer, dir, made)
			}
			missing := 0
			for _, f := range made {
				if f.Status != eval.Scored {
					missing++
				}
			}
			if err == nil && missing > 0 {
				err = partialf("%d of %d forms were not had", missing, len(made))
			}
			return err
		},
	}
}

// madeForm is one form that was asked for.
type madeForm struct {
	File   string      `json:"file"`
	Prompt string      `json:"prompt"`
	Model  string      `json:"model"` // empty: of the library
	Status eval.Status `json:"status"`
	Reason string      `json:"reason"`
	Where  string      `json:"where,omitempty"` // of a planted fault
	Rule   form.Rule   `json:"rule,omitempty"`
}

func printForms(w io.Writer, dir string, made []madeForm) error {
	had := 0
	for _, f := range made {
		if f.Status == eval.Scored {
			had++
			continue
		}
		fmt.Fprintf(w, "%s: %s: %s\n", f.File, f.Status, report.Shorten(f.Reason, 160))
	}
	_, err := fmt.Fprintf(w, "%d of %d forms lie in %s\n", had, len(made), dir)
	return err
}

// writeLibrary writes the good forms, or spoiled ones.
func writeLibrary(c *cli.Context, dir string) ([]madeForm, error) {
	made := []madeForm{}
	rules := []form.Rule{""}
	if s := c.String("spoil"); s == "all" {
		rules = append(append([]form.Rule{}, form.Rules...), form.OffTopic)
	} else if s != "" {
		rules = []form.Rule{form.Rule(s)}
		if _, _, ok := form.Spoil(form.Library()[0].Form, rules[0], sim.Rand(1)); !ok && !strings.Contains(fmt.Sprint(form.Rules), s) {
			return nil, usagef("--spoil %s: rules are all, %s, %v", s, form.OffTopic, form.Rules)
		}
	}
	for _, e := range form.Library() {
		for _, rule := range rules {
			f := madeForm{File: filepath.Join(dir, e.Theme+".json"), Prompt: e.Prompt, Status: eval.Scored, Rule: rule}
			body := e.Form
			if rule != "" {
				f.File = filepath.Join(dir, e.Theme+"."+string(rule)+".json")
				spoiled, where, ok := form.Spoil(e.Form, rule, sim.Rand(sim.Mix(c.Uint64("seed"), sim.HashText(f.File))))
				if !ok {
					continue // no place for such a fault
				}
				body, f.Where = spoiled, where
			}
			if err := logs.WriteJSON(f.File, formFile{Prompt: e.Prompt, Form: body}); err != nil {
				return nil, err
			}
			made = append(made, f)
		}
	}
	return made, nil
}
