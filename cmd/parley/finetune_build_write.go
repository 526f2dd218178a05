package main

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
	"strings"

	"parley/characters"
	"parley/finetune"
	"parley/finetune/formats"
	"parley/finetune/recipe"
	"parley/logs"
)

// exampleRow is an example in a dataset: one schema for all tasks and splits.
type exampleRow struct {
	ID         string             `json:"id" parquet:"id"`
	Task       finetune.Task      `json:"task" parquet:"task,dict"`
	Group      string             `json:"group" parquet:"group,dict"`
	Scenario   string             `json:"scenario" parquet:"scenario,dict"`
	Source     string             `json:"source" parquet:"source,dict"`
	Model      string             `json:"model" parquet:"model,dict"`
	Messages   []finetune.Message `json:"messages" parquet:"messages,list"` // prompt and completion
	Prompt     []finetune.Message `json:"prompt" parquet:"prompt,list"`
	Completion []finetune.Message `json:"completion" parquet:"completion,list"`
	Rejected   []finetune.Message `json:"rejected" parquet:"rejected,list"` // of a preference: the worse alternative to the completion
	Labels     []string           `json:"labels" parquet:"labels,list"`
	Score      *float64           `json:"score" parquet:"score,optional"`
}

// rowOf is an example as a row.
func rowOf(x *finetune.Example) exampleRow {
	row := exampleRow{
		ID: x.ID, Task: x.Task, Group: x.Group, Scenario: x.Scenario, Source: x.Source, Model: x.Model,
		Messages: append(append(make([]finetune.Message, 0, len(x.Prompt)+len(x.Completion)), x.Prompt...), x.Completion...),
		Prompt:   x.Prompt, Completion: x.Completion, Rejected: []finetune.Message{}, Labels: x.Labels, Score: x.Score,
	}
	if row.Labels == nil {
		row.Labels = []string{}
	}
	if x.Rejected != "" {
		row.Rejected = append(row.Rejected, finetune.Message{Role: finetune.Assistant, Content: x.Rejected})
	}
	return row
}

// rowFeatures are the columns of exampleRow as the card declares them.
func rowFeatures() []finetune.Feature {
	message := []finetune.Feature{{Name: "role", Type: "string"}, {Name: "content", Type: "string"}}
	var list []finetune.Feature
	for _, name := range []string{"id", "task", "group", "scenario", "source", "model"} {
		list = append(list, finetune.Feature{Name: name, Type: "string"})
	}
	for _, name := range []string{"messages", "prompt", "completion", "rejected"} {
		list = append(list, finetune.Feature{Name: name, Fields: message, List: true})
	}
	return append(list, finetune.Feature{Name: "labels", Type: "string", List: true}, finetune.Feature{Name: "score", Type: "float64"})
}

// A shard ends at either limit.
const (
	shardRows  = 500_000
	shardBytes = 500 << 20 // of text, before it is compressed
)

// builtDataset is what a build made: the answer of the command.
type builtDataset struct {
	Out string `json:"out"`
	*finetune.Report
	Files   []builtFile              `json:"files"`
	Formats map[string][]builtFormat `json:"formats,omitempty"`
	Recipe  []string                 `json:"recipe,omitempty"`
}

// builtFile is one Parquet file.
type builtFile struct {
	Path  string         `json:"path"` // within the dataset
	Split finetune.Split `json:"split"`
	Rows  int64          `json:"rows"`
	Bytes int64          `json:"bytes"`
}

// builtFormat is a file of a trainer's format.
type builtFormat struct {
	Path     string         `json:"path"`
	Split    finetune.Split `json:"split,omitempty"`
	Rows     int64          `json:"rows,omitempty"`
	Bytes    int64          `json:"bytes"`
	Longest  int            `json:"longest,omitempty"` // tokens of the longest row, approximately
	Settings string         `json:"settings,omitempty"`
}

// write writes the dataset into a directory.
func (b *building) write(ctx context.Context, dir string, built *finetune.Built) (*builtDataset, error) {
	made := &builtDataset{Out: b.out, Report: built.Report(), Formats: map[string][]builtFormat{}}
	examples := func(s finetune.Split) iter.Seq2[finetune.Example, error] {
		return b.watched(ctx, "write", built.Examples(s), built.Report().Kept)
	}
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o777); err != nil {
		return nil, err
	}
	for _, s := range finetune.Splits() {
		files, err := shards(data, s, examples(s))
		if err != nil {
			return nil, fmt.Errorf("write the split %s: %w", s, err)
		}
		made.Files = append(made.Files, files...)
	}
	name := string(characters.Slug(filepath.Base(b.out)))
	for _, f := range b.formats {
		files, err := b.format(f, dir, name, examples)
		if err != nil {
			return nil, err
		}
		made.Formats[f.Name] = files
	}
	if b.recipe != "" {
		if err := b.writeRecipe(dir, made); err != nil {
			return nil, err
		}
	}
	if err := b.papers(dir, name, made, built); err != nil {
		return nil, err
	}
	return made, nil
}

// watched reports how far examples are written.
func (b *building) watched(ctx context.Context, stage string, examples iter.Seq2[finetune.Example, error], total int) iter.Seq2[finetune.Example, error] {
	return func(yield func(finetune.Example, error) bool) {
		n := int64(0)
		for x, err := range examples {
			if n++; n%1024 == 0 {
				b.stages.say(stage, n, int64(total))
			}
			if err == nil {
				err = ctx.Err()
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}

// shards writes the Parquet files of a split. How many there are stands in their names, so they get
// these at the end.
func shards(dir string, split finetune.Split, examples iter.Seq2[finetune.Example, error]) ([]builtFile, error) {
	next, stop := iter.Pull2(examples)
	defer stop()
	x, err, more := next()
	var files []builtFile
	meta := logs.Meta{Program: "parley", Version: version}
	for more {
		name := filepath.Join(dir, fmt.Sprintf("%s-%05d.parquet", split, len(files)))
		rows := func(yield func(exampleRow, error) bool) {
			for n, size := 0, 0; more && n < shardRows && size < shardBytes; n++ {
				row := exampleRow{}
				if err == nil {
					row = rowOf(&x)
				}
				for _, m := range row.Messages {
					size += 2 * len(m.Content) // they stand in two columns
				}
				if !yield(row, err) || err != nil {
					return
				}
				x, err, more = next()
			}
		}
		n, err := logs.WriteParquet(name, rows, meta)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		files = append(files, builtFile{Path: name, Split: split, Rows: n, Bytes: info.Size()})
	}
	for i := range files {
		name := fmt.Sprintf("%s-%05d-of-%05d.parquet", split, i, len(files))
		if err := os.Rename(files[i].Path, filepath.Join(dir, name)); err != nil {
			return nil, err
		}
		files[i].Path = path.Join("data", name)
	}
	return files, nil
}

// format writes the files of a trainer's format.
func (b *building) format(f *formats.Format, dir, name string, examples func(finetune.Split) iter.Seq2[finetune.Example, error]) ([]builtFormat, error) {
	files, err := f.Write(filepath.Join(dir, "formats", f.Name), examples, formats.WriteOptions{
		FoldSystem: b.c.Bool("fold-system"), MaxTokens: b.options.MaxTokens, Dataset: name,
	})
	if err != nil {
		return nil, err
	}
	var list []builtFormat
	for _, file := range files {
		list = append(list, builtFormat{
			Path: path.Join("formats", f.Name, filepath.ToSlash(file.Name)), Split: file.Split, Rows: file.Rows, Bytes: file.Bytes,
			Longest: file.Longest, Settings: file.Settings,
		})
	}
	return list, nil
}

// writeRecipe writes the training recipe beside the files that it reads.
func (b *building) writeRecipe(dir string, made *builtDataset) error {
	format, err := recipe.Format(b.recipe, b.task)
	if err != nil {
		return err
	}
	o := recipe.Options{
		Kind: b.recipe, Task: b.task, Base: b.base, Seed: b.options.Seed,
		Longest: made.Report.Tokens.Longest, Exact: made.Report.Tokens.Exact,
	}
	for _, file := range made.Formats[format] {
		switch {
		case file.Rows == 0:
		case file.Split == finetune.Train:
			o.Train = path.Join("..", file.Path)
		case file.Split == finetune.Validation:
			o.Validation = path.Join("..", file.Path)
		}
	}
	names, err := recipe.Write(filepath.Join(dir, "recipe"), o)
	for _, name := range names {
		made.Recipe = append(made.Recipe, path.Join("recipe", name))
	}
	return err
}

// papers writes the report, what was dropped, and the card.
func (b *building) papers(dir, name string, made *builtDataset, built *finetune.Built) error {
	if err := logs.WriteJSON(filepath.Join(dir, "report.json"), made.Report); err != nil {
		return err
	}
	dropped, err := os.Create(filepath.Join(dir, "dropped.jsonl"))
	if err != nil {
		return err
	}
	enc := json.NewEncoder(dropped)
	enc.SetEscapeHTML(false)
	for _, d := range built.Dropped() {
		if err = enc.Encode(d); err != nil {
			break
		}
	}
	if shut := dropped.Close(); err == nil {
		err = shut
	}
	if err != nil {
		return fmt.Errorf("write dropped.jsonl: %w", err)
	}
	card := finetune.Card{Name: name, License: b.c.String("license"), Languages: []string{"en"}, Made: []string{b.command(), "parley " + version}, Features: rowFeatures()}
	for _, s := range finetune.Splits() {
		of := finetune.CardFile{Split: s, Path: fmt.Sprintf("data/%s-*.parquet", s)}
		for _, f := range made.Files {
			if f.Split == s {
				of.Bytes += f.Bytes
				of.Examples += int(f.Rows)
			}
		}
		if of.Examples > 0 {
			card.Files = append(card.Files, of)
		}
	}
	var page bytes.Buffer
	if err := card.Write(&page, made.Report); err != nil {
		return err
	}
	return logs.WriteFile(filepath.Join(dir, "README.md"), page.Bytes())
}

// command is the command line without paths of this machine.
func (b *building) command() string {
	words := []string{"parley finetune build --task", string(b.task)}
	for _, f := range b.c.Command.Flags {
		name := f.Names()[0]
		if !b.c.IsSet(name) || name == "task" || name == "out" || name == "json" || name == "cache" || name == "calls" {
			continue
		}
		value := fmt.Sprint(b.c.Value(name))
		switch list := b.c.StringSlice(name); {
		case name == "holdout":
			value = namesOfInputs(b.holdouts)
		case list != nil:
			value = strings.Join(list, ",")
		}
		words = append(words, "--"+name, clean(value))
	}
	return strings.Join(append(words, namesOfInputs(b.inputs)), " ")
}

func namesOfInputs(list []input) string {
	var names []string
	for _, in := range list {
		names = append(names, in.name)
	}
	return strings.Join(names, " ")
}

// printBuilt prints what was made for people.
func printBuilt(w io.Writer, made *builtDataset) error {
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
				fmt.Fprintf(w, "%s says how to train:\n%s\n", file.Path, settingsOf(file.Settings))
			}
		}
	}
	for _, name := range made.Recipe {
		fmt.Fprintln(w, name)
	}
	_, err := fmt.Fprintf(w, "The dataset lies in %s.\n", made.Out)
	return err
}

// settingsOf is what a format's page says of the settings to train with.
func settingsOf(page string) string {
	if _, rest, ok := strings.Cut(page, "## Settings\n"); ok {
		page, _, _ = strings.Cut(rest, "\n## ")
	}
	return "    " + strings.ReplaceAll(strings.TrimSpace(page), "\n", "\n    ")
}
