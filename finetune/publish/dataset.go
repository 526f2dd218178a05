package publish

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"parley/characters"
	"parley/finetune"
	"parley/finetune/formats"
	"parley/finetune/recipe"
	"parley/logs"
)

// Options say how a dataset is written.
type Options struct {
	Task       finetune.Task
	Formats    []*formats.Format
	FoldSystem bool
	Seed       uint64
	Recipe     string // kind of the recipe; empty: none
	Base       string // model that the recipe trains
	License    string
	Made       []string // how it was made, for the card
	Version    string   // of this program
	Progress   func(stage string, done, total int64)
}

// Choose sets the formats by their names, and that of the recipe. It returns an error for a format or a
// recipe that cannot hold the task.
func (o *Options) Choose(names []string) error {
	names = slices.Clone(names)
	if o.Recipe != "" {
		if !slices.Contains(recipe.Kinds(), o.Recipe) {
			return fmt.Errorf("--target-script is %q: say %s", o.Recipe, strings.Join(recipe.Kinds(), " or "))
		}
		name, err := recipe.Format(o.Recipe, o.Task)
		if err != nil {
			return err
		}
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		f, err := formats.Lookup(name)
		if err == nil {
			err = f.Holds(o.Task)
		}
		if err != nil {
			return err
		}
		o.Formats = append(o.Formats, f)
	}
	return nil
}

// Made lists the files that were written.
type Made struct {
	Out string `json:"out"`
	*finetune.Report
	Files   []File                  `json:"files"`
	Formats map[string][]FormatFile `json:"formats,omitempty"`
	Recipe  []string                `json:"recipe,omitempty"`
}

// FormatFile is a file of a trainer's format.
type FormatFile struct {
	Path     string         `json:"path"`
	Split    finetune.Split `json:"split,omitempty"`
	Rows     int64          `json:"rows,omitempty"`
	Bytes    int64          `json:"bytes"`
	Longest  int            `json:"longest,omitempty"` // tokens of the longest row, approximately
	Settings string         `json:"settings,omitempty"`
}

type examplesOf func(finetune.Split) iter.Seq2[finetune.Example, error]

// Write writes a dataset into the new directory out, which appears whole or not at all.
func Write(ctx context.Context, out string, built *finetune.Built, o Options) (*Made, error) {
	made := &Made{Out: out, Report: built.Report(), Formats: map[string][]FormatFile{}}
	name := string(characters.Slug(filepath.Base(out)))
	examples := watched(ctx, built, o.Progress)
	err := whole(out, func(dir string) error {
		data := filepath.Join(dir, "data")
		if err := os.Mkdir(data, 0o777); err != nil {
			return err
		}
		for _, s := range finetune.Splits() {
			files, err := shards(data, s, examples(s), logs.Meta{Program: "parley", Version: o.Version})
			if err != nil {
				return fmt.Errorf("write the split %s: %w", s, err)
			}
			made.Files = append(made.Files, files...)
		}
		for _, f := range o.Formats {
			if err := made.format(f, dir, name, examples, &o); err != nil {
				return err
			}
		}
		if o.Recipe != "" {
			if err := made.recipe(dir, &o); err != nil {
				return err
			}
		}
		return made.papers(dir, name, built, &o)
	})
	return made, err
}

// watched reports how far examples are written.
func watched(ctx context.Context, built *finetune.Built, progress func(string, int64, int64)) examplesOf {
	return func(s finetune.Split) iter.Seq2[finetune.Example, error] {
		return func(yield func(finetune.Example, error) bool) {
			n := int64(0)
			for x, err := range built.Examples(s) {
				if n++; n%1024 == 0 {
					err = ctx.Err()
					if progress != nil {
						progress("write "+string(s), n, int64(built.Report().Kept))
					}
				}
				if !yield(x, err) || err != nil {
					return
				}
			}
		}
	}
}

// format writes the files of a trainer's format.
func (made *Made) format(f *formats.Format, dir, name string, examples examplesOf, o *Options) error {
	files, err := f.Write(filepath.Join(dir, "formats", f.Name), examples, formats.WriteOptions{
		FoldSystem: o.FoldSystem, MaxTokens: made.Tokens.Length, Dataset: name,
	})
	for _, file := range files {
		made.Formats[f.Name] = append(made.Formats[f.Name], FormatFile{
			Path: path.Join("formats", f.Name, filepath.ToSlash(file.Name)), Split: file.Split, Rows: file.Rows, Bytes: file.Bytes,
			Longest: file.Longest, Settings: file.Settings,
		})
	}
	return err
}

// recipe writes the training recipe beside the files that it reads.
func (made *Made) recipe(dir string, o *Options) error {
	format, err := recipe.Format(o.Recipe, o.Task)
	if err != nil {
		return err
	}
	r := recipe.Options{Kind: o.Recipe, Task: o.Task, Base: o.Base, Seed: o.Seed, Length: made.Tokens.Length}
	for _, file := range made.Formats[format] {
		switch {
		case file.Rows == 0:
		case file.Split == finetune.Train:
			r.Train = path.Join("..", file.Path)
		case file.Split == finetune.Validation:
			r.Validation = path.Join("..", file.Path)
		}
	}
	names, err := recipe.Write(filepath.Join(dir, "recipe"), r)
	for _, name := range names {
		made.Recipe = append(made.Recipe, path.Join("recipe", name))
	}
	return err
}

// papers writes the report, the dropped examples, and the card.
func (made *Made) papers(dir, name string, built *finetune.Built, o *Options) error {
	if err := logs.WriteJSON(filepath.Join(dir, "report.json"), made.Report); err != nil {
		return err
	}
	var dropped bytes.Buffer
	enc := json.NewEncoder(&dropped)
	enc.SetEscapeHTML(false)
	for _, d := range built.Dropped() {
		if err := enc.Encode(d); err != nil {
			return fmt.Errorf("write dropped.jsonl: %w", err)
		}
	}
	if err := logs.WriteFile(filepath.Join(dir, "dropped.jsonl"), dropped.Bytes()); err != nil {
		return err
	}
	card := finetune.Card{Name: name, License: o.License, Languages: []string{"en"}, Made: o.Made}
	var page bytes.Buffer
	if err := card.Write(&page, made.Report); err != nil {
		return err
	}
	return logs.WriteFile(filepath.Join(dir, "README.md"), page.Bytes())
}

// Print prints what was written for people.
func (made *Made) Print(w io.Writer) error {
	if err := made.Report.Write(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, f := range made.Files {
		fmt.Fprintf(w, "%s: %d examples, %.1f MB\n", f.Path, f.Rows, float64(f.Bytes)/1e6)
	}
	for _, f := range formats.Names() {
		for _, file := range made.Formats[f] {
			if file.Split != "" {
				fmt.Fprintf(w, "%s: %d rows\n", file.Path, file.Rows)
			}
			if file.Settings != "" {
				fmt.Fprintf(w, "%s says how to train:\n%s\n", file.Path, settings(file.Settings))
			}
		}
	}
	for _, name := range made.Recipe {
		fmt.Fprintln(w, name)
	}
	_, err := fmt.Fprintf(w, "The dataset is in %s.\n", made.Out)
	return err
}

// settings returns the part of a format's page about the settings to train with.
func settings(page string) string {
	if _, rest, ok := strings.Cut(page, "## Settings\n"); ok {
		page, _, _ = strings.Cut(rest, "\n## ")
	}
	return "    " + strings.ReplaceAll(strings.TrimSpace(page), "\n", "\n    ")
}
