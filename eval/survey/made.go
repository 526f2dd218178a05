package survey

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/characters"
	"parley/eval"
	"parley/eval/report"
	"parley/eval/run"
	"parley/eval/survey/form"
	"parley/logs"
	"parley/sim"
	"parley/sim/llm"
)

// Made are forms that were asked for.
type Made struct {
	Forms []MadeForm `json:"forms"`
	dir   string
}

// MadeForm is one form that was asked for.
type MadeForm struct {
	File   string      `json:"file"`
	Prompt string      `json:"prompt"`
	Model  string      `json:"model"` // empty: of the library
	Status eval.Status `json:"status"`
	Reason string      `json:"reason"`
	Where  string      `json:"where,omitempty"` // of a planted fault
	Rule   form.Rule   `json:"rule,omitempty"`
}

// formFile is a form with its prompt, as form.Read reads it.
type formFile struct {
	Prompt string     `json:"prompt"`
	Form   *form.Form `json:"form"`
}

// Missing counts the forms that were not had.
func (m *Made) Missing() (n int) {
	for _, f := range m.Forms {
		if f.Status != eval.Scored {
			n++
		}
	}
	return n
}

// Print says which forms were not had, and where the others are.
func (m *Made) Print(w io.Writer) error {
	for _, f := range m.Forms {
		if f.Status != eval.Scored {
			fmt.Fprintf(w, "%s: %s: %s\n", f.File, f.Status, report.Shorten(f.Reason, 160))
		}
	}
	_, err := fmt.Fprintf(w, "%d of %d forms lie in %s\n", len(m.Forms)-m.Missing(), len(m.Forms), m.dir)
	return err
}

// WriteLibrary writes the good forms of the library into a directory, and with a rule those into which a fault of the
// rule is planted, all being every rule.
func WriteLibrary(dir, spoil string, seed uint64) (*Made, error) {
	rules := []form.Rule{form.Rule(spoil)}
	if all := append(slices.Clone(form.Rules), form.OffTopic); spoil == "all" {
		rules = append([]form.Rule{""}, all...)
	} else if spoil != "" && !slices.Contains(all, rules[0]) {
		return nil, run.Usagef("--spoil %s: rules are all, %s, %v", spoil, form.OffTopic, form.Rules)
	}
	made := &Made{Forms: []MadeForm{}, dir: dir}
	for _, e := range form.Library() {
		for _, rule := range rules {
			f := MadeForm{File: filepath.Join(dir, e.Theme+".json"), Prompt: e.Prompt, Status: eval.Scored, Rule: rule}
			body := e.Form
			if rule != "" {
				f.File = filepath.Join(dir, e.Theme+"."+string(rule)+".json")
				spoiled, where, ok := form.Spoil(e.Form, rule, sim.Rand(sim.Mix(seed, sim.HashText(f.File))))
				if !ok {
					continue // no place for such a fault
				}
				body, f.Where = spoiled, where
			}
			if err := logs.WriteJSON(f.File, formFile{e.Prompt, body}); err != nil {
				return nil, err
			}
			made.Forms = append(made.Forms, f)
		}
	}
	return made, nil
}

// Generate asks every author for a form for every prompt, and writes them into a directory, with the calls of each in a
// hidden file beside it. A form that is there is not asked for again. Clean takes keys out of texts; tell is told of
// each form. The error is that of a context that was cancelled, or of a model that is out of reach.
func Generate(ctx context.Context, dir string, authors []*Author, prompts []string, seed uint64, clean func(string) string, tell func(string)) (*Made, error) {
	made := &Made{Forms: []MadeForm{}, dir: dir}
	for m, a := range authors {
		for i, prompt := range prompts {
			id := fmt.Sprintf("m%02d-%04d", m+1, i+1)
			f := MadeForm{File: filepath.Join(dir, id+".json"), Prompt: prompt, Model: a.Name, Status: eval.Scored}
			if _, err := os.Stat(f.File); err != nil {
				draft, err := a.Write(ctx, id, prompt, int64(sim.Mix(seed, sim.HashText(id))>>33))
				if err != nil {
					return nil, err
				}
				for i := range draft.Calls {
					draft.Calls[i].Error = clean(draft.Calls[i].Error)
				}
				if err := f.keep(&draft, filepath.Join(dir, "."+id+".calls.jsonl")); err != nil {
					return nil, err
				}
				if f.Reason = clean(draft.Reason); draft.Document != nil {
					tell(fmt.Sprintf("%s: %d questions", f.File, draft.Document.Form.Questions()))
				}
			}
			made.Forms = append(made.Forms, f)
		}
	}
	return made, nil
}

// keep writes a draft and its calls.
func (f *MadeForm) keep(d *Draft, calls string) error {
	f.Status = d.Status
	var text []byte
	for i := range d.Calls {
		switch d.Calls[i].Fault {
		case llm.NotFound, llm.Denied, llm.Unreachable: // so would all others
			return fmt.Errorf("%s: %s", f.Model, d.Calls[i].Error)
		}
		var err error
		if text, err = logs.AppendJSON(text, &d.Calls[i]); err != nil {
			return err
		}
		text = append(text, '\n')
	}
	if err := logs.WriteFile(calls, text); err != nil || d.Status != eval.Scored {
		return err
	}
	return logs.WriteJSON(f.File, formFile{f.Prompt, d.Document.Form})
}

// Prompts reads prompts from a file, one a line, or takes the built-in ones where it has no name. First limits their
// number; 0: all.
func Prompts(file string, first int) (prompts []string, err error) {
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

// Persona says who a character is, as the rest of "You are".
func Persona(s *characters.Sheet) string {
	text := fmt.Sprintf("%s, a %s %s.", s.Name, s.Race, s.Class)
	if s.Description != "" {
		text += " " + s.Description
	}
	return text
}
