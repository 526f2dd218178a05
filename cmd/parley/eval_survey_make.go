package main

import (
	"encoding/json"
	"fmt"
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
