package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"parley/characters"
	"parley/eval"
	"parley/eval/survey"
	"parley/eval/survey/form"
	"parley/logs"
	"parley/sim"
	"parley/sim/llm"
)

func surveyGenerateCommand() *cli.Command {
	return &cli.Command{
		Name:      "generate",
		Usage:     "have models draw up forms from prompts",
		ArgsUsage: " ",
		Description: "Prompts are the 40 built-in ones, or lines of a file. Each form becomes a JSON file with its\n" +
			"prompt, which eval survey run and check read; the calls stand beside it. --library writes the\n" +
			"built-in good forms instead, and --spoil plants one fault into each, which measures agents.\n" +
			"Files that are there already are not written anew, so that a stopped command can be given again.",
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
			if c.NArg() > 0 {
				return usagef("eval survey generate takes flags only, and got %s", c.Args().First())
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
		fmt.Fprintf(w, "%s: %s: %s\n", f.File, f.Status, shorten(f.Reason, 160))
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

// formFile is a form with its prompt, as form.Read reads it.
type formFile struct {
	Prompt string     `json:"prompt"`
	Form   *form.Form `json:"form"`
}

// generateForms asks every model for a form for every prompt.
func generateForms(c *cli.Context, dir string) ([]madeForm, error) {
	specs := c.StringSlice("model")
	if len(specs) == 0 {
		return nil, usagef("eval survey generate needs a model: --model MODEL, or --library")
	}
	if f := c.String("form"); f != "schema" && f != "free" {
		return nil, usagef("--form %s: say schema or free", f)
	}
	prompts, err := surveyPrompts(c.String("prompts"), c.Int("first"))
	if err != nil {
		return nil, err
	}
	persona := ""
	if name := c.String("as"); name != "" {
		sheets, err := findCharacters(name)
		if err != nil {
			return nil, err
		}
		persona = personaOf(sheets[0])
	}
	made := []madeForm{}
	for m, spec := range specs {
		model, err := openModel(c.Context, spec)
		if err != nil {
			return nil, err
		}
		author := &survey.Author{Model: model, Name: spec, Persona: persona, Schema: c.String("form") == "schema",
			Sampling: llm.Sampling{MaxTokens: c.Int("max-tokens")}, Now: time.Now}
		for i, prompt := range prompts {
			id := fmt.Sprintf("m%02d-%04d", m+1, i+1)
			f := madeForm{File: filepath.Join(dir, id+".json"), Prompt: prompt, Model: spec, Status: eval.Scored}
			if !exists(f.File) {
				if err := generateForm(c, author, id, dir, &f); err != nil {
					return nil, err
				}
			}
			made = append(made, f)
		}
	}
	return made, nil
}

// generateForm asks for one form and writes it, and its calls into a hidden file beside it.
func generateForm(c *cli.Context, author *survey.Author, id, dir string, f *madeForm) error {
	draft, err := author.Write(c.Context, id, f.Prompt, int64(sim.Mix(c.Uint64("seed"), sim.HashText(id))>>33))
	if err != nil {
		return err
	}
	f.Status, f.Reason = draft.Status, keys.Redact(draft.Reason)
	var text []byte
	for i := range draft.Calls {
		draft.Calls[i].Error = keys.Redact(draft.Calls[i].Error)
		switch draft.Calls[i].Fault {
		case llm.NotFound, llm.Denied, llm.Unreachable: // so would all others
			return fmt.Errorf("%s: %s", f.Model, draft.Calls[i].Error)
		}
		if text, err = logs.AppendJSON(text, &draft.Calls[i]); err != nil {
			return err
		}
		text = append(text, '\n')
	}
	if err := logs.WriteFile(filepath.Join(dir, "."+id+".calls.jsonl"), text); err != nil {
		return err
	}
	if draft.Status != eval.Scored {
		return nil
	}
	data, err := json.MarshalIndent(formFile{f.Prompt, draft.Document.Form}, "", "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(c.App.ErrWriter, "%s: %d questions\n", f.File, draft.Document.Form.Questions())
	return logs.WriteFile(f.File, append(data, '\n'))
}

// surveyPrompts reads prompts from a file, or takes the built-in ones.
func surveyPrompts(file string, first int) ([]string, error) {
	var prompts []string
	if file == "" {
		for _, e := range form.Library() {
			prompts = append(prompts, e.Prompt)
		}
	} else {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("prompts: %w", err)
		}
		for l := range strings.Lines(string(data)) {
			if l = strings.TrimSpace(l); l != "" {
				prompts = append(prompts, l)
			}
		}
	}
	if len(prompts) == 0 {
		return nil, fmt.Errorf("%s holds no prompts", file)
	}
	if first > 0 && first < len(prompts) {
		prompts = prompts[:first]
	}
	return prompts, nil
}

// personaOf says who a character is, as the rest of "You are".
func personaOf(s *characters.Sheet) string {
	text := fmt.Sprintf("%s, a %s %s.", s.Name, s.Race, s.Class)
	if s.Description != "" {
		text += " " + s.Description
	}
	return text
}
