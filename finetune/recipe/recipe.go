// Package recipe writes, beside a dataset, the script or the settings that train on it.
//
// Where the files are and how long the longest example is, are parameters.
package recipe

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"parley/finetune"
	"parley/logs"
)

// DefaultBase is the model that a recipe starts from where none is named: small enough for a CPU.
const DefaultBase = "HuggingFaceTB/SmolLM2-135M-Instruct"

// Kinds are the trainers that there are recipes for.
func Kinds() []string { return []string{TRL, Axolotl} }

// The trainers.
const (
	TRL     = "trl"
	Axolotl = "axolotl"
)

// Format is the name of the trainer's file format that a recipe reads for a task, as the package
// finetune/formats calls it.
func Format(kind string, task finetune.Task) (string, error) {
	switch {
	case kind == TRL && task == finetune.Preference:
		return "trl-dpo", nil
	case kind == TRL:
		return "trl-sft", nil
	case kind == Axolotl:
		return "axolotl", nil
	}
	return "", fmt.Errorf("there is no recipe for %q: take %s", kind, strings.Join(Kinds(), " or "))
}

// Options say what a recipe is for.
type Options struct {
	Kind string        // TRL or Axolotl
	Task finetune.Task // Preference is learned by comparison, everything else by example
	Base string        // a model of the Hugging Face hub, or a directory; empty: DefaultBase
	Seed uint64        // of the training; trainers take 32 bits of it
	// Train and Validation are the files in the recipe's Format, with slashes, as seen from the
	// recipe's directory. Validation is empty where there is none.
	Train, Validation string
	Length            int // tokens of a sequence that Axolotl is told; TRL's recipe counts for itself
}

// Validate says what is wrong with options.
func (o *Options) Validate() error {
	if _, err := Format(o.Kind, o.Task); err != nil {
		return err
	}
	for _, t := range []struct{ what, text string }{{"base", o.Base}, {"training file", o.Train}, {"validation file", o.Validation}} {
		if !utf8.ValidString(t.text) || strings.ContainsFunc(t.text, unicode.IsControl) {
			return fmt.Errorf("the %s of a recipe is called %q, which is no name", t.what, t.text)
		}
	}
	switch {
	case strings.HasPrefix(o.Base, "-"):
		return fmt.Errorf("the base of a recipe is called %q, which a command would take for an option", o.Base)
	case o.Train == "":
		return errors.New("a recipe has no training file")
	case o.Length < 0:
		return fmt.Errorf("a recipe's sequences have %d tokens", o.Length)
	}
	for _, name := range []string{o.Train, o.Validation} {
		if path.IsAbs(name) {
			return fmt.Errorf("%s is not a file seen from the recipe: a dataset can be moved", name)
		}
	}
	return nil
}

//go:embed files
var files embed.FS

// The templates' own marks are <% and %>, since braces mean something in Python.
var templates = template.Must(template.New("").Delims("<%", "%>").Funcs(template.FuncMap{"quote": quote, "shell": shell}).ParseFS(files, "files/*.tmpl"))

// written are the files of a kind of recipe, each with its template.
var written = map[string][]string{
	TRL:     {"train.py", "requirements.txt", "README.md"},
	Axolotl: {"config.yml", "requirements.txt", "README.md"},
}

// Write writes a recipe into dir, which it makes, and returns the files' names in dir. A file that is
// there already is replaced; each is written under another name first.
func Write(dir string, o Options) ([]string, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Base == "" {
		o.Base = DefaultBase
	}
	o.Seed &= 1<<31 - 1
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("write a recipe: %w", err)
	}
	for _, name := range written[o.Kind] {
		var out bytes.Buffer
		if err := templates.ExecuteTemplate(&out, source(o.Kind, name), &o); err != nil {
			panic(err) // the templates are part of the program
		}
		if err := logs.WriteFile(filepath.Join(dir, name), out.Bytes()); err != nil {
			return nil, fmt.Errorf("write a recipe: %w", err)
		}
	}
	return written[o.Kind], nil
}

// source names the template of a file.
func source(kind, name string) string {
	if name == "train.py" || name == "config.yml" {
		return name + ".tmpl"
	}
	return kind + "-" + name + ".tmpl"
}

// Preference reports whether the better of two answers is learned.
func (o *Options) Preference() bool { return o.Task == finetune.Preference }

// quote writes a text as a string in Python and in YAML, which have these escapes in common.
func quote(text string) string { return strconv.QuoteToASCII(text) }

// shell writes a text as one word for a shell.
func shell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
