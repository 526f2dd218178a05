// Package formats writes training files as the trainers want them, and says of anybody's file what a
// trainer would do with it: one file of this package a format, its writer beside its validator.
//
// It knows what each trainer reads, skips, cuts and trains on. It knows no model: chat templates,
// tokenizers and jobs stand elsewhere.
package formats

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"parley/finetune"
)

// Format is one trainer's way of wanting its data.
type Format struct {
	Name  string          // as users type it
	About string          // whose format it is, in a few words
	Tasks []finetune.Task // that it can hold

	files  map[finetune.Split]string // names of the data files, where they are not SPLIT.jsonl
	bom    bool                      // its files begin with a byte order mark
	each   bool                      // one row an assistant's turn of the completion; otherwise one an example
	encode func(b []byte, s *sample) []byte
	extra  func(w *written) (map[string]string, error) // further files, by name
	usage  func(w *written) string                     // how to train on it

	loader loader
	limits limits
	open   func(v *validator, path string, dir bool) ([]source, error) // nil: files as they are, directories by their data files
	check  func(v *validator, row value)
	done   func(v *validator) // after the rows of a file
}

var (
	teaching = []finetune.Task{finetune.DM, finetune.Roleplay, finetune.Judge}
	choosing = []finetune.Task{finetune.Preference}
	both     = slices.Concat(teaching, choosing)
)

// all are the formats in the order in which they are listed. A function, as validators refer to it.
func all() []*Format {
	return []*Format{
		&openaiSFT, &openaiDPO, &azureSFT, &trlSFT, &trlDPO, &axolotl, &llamaFactory, &sharegpt, &alpaca, &mlx, &unsloth,
	}
}

// Names returns the names of the formats.
func Names() []string {
	var names []string
	for _, f := range all() {
		names = append(names, f.Name)
	}
	return names
}

// Lookup returns the format of a name.
func Lookup(name string) (*Format, error) {
	for _, f := range all() {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("there is no format %q; there are %s", name, strings.Join(Names(), ", "))
}

// Holds returns nil if examples of a task can be written in the format, and otherwise an error that
// names the formats which hold them.
func (f *Format) Holds(t finetune.Task) error {
	if slices.Contains(f.Tasks, t) {
		return nil
	}
	var others []string
	for _, g := range all() {
		if slices.Contains(g.Tasks, t) {
			others = append(others, g.Name)
		}
	}
	if len(others) == 0 {
		return fmt.Errorf("no format holds examples of the task %q", t)
	}
	return fmt.Errorf("%s cannot hold examples of the task %s; those that can are %s", f.Name, t, strings.Join(others, ", "))
}

// WriteOptions say how examples are written. The zero value is a useful one.
type WriteOptions struct {
	FoldSystem bool   // the system message goes into the first user's, for templates that refuse a system turn
	Merge      bool   // neighbours of the same role become one message, where examples come from elsewhere
	MaxTokens  int    // the length that the settings name; 0: what the longest row needs, approximately
	Dataset    string // what a trainer's settings call the dataset; empty: parley
}

// File is a file that Write made.
type File struct {
	Name     string         // within the directory
	Split    finetune.Split // of a data file
	Rows     int64
	Repeated int64 // rows left out, as they stand in this split or one before: conversations may begin alike
	Bytes    int64
	Longest  int    // tokens of the longest row, approximately
	Altered  int64  // messages of which an end-of-text marker was broken up, so that no tokenizer takes it for one
	Settings string // of README.md: how to train on the files
}

// Write writes the examples of all splits into a directory, and beside them what the trainer needs to
// find them and a README.md with the settings to use. Files appear whole or not at all. The last File
// returned is the README.
func (f *Format) Write(dir string, examples func(finetune.Split) iter.Seq2[finetune.Example, error], o WriteOptions) ([]File, error) {
	w := &written{format: f, dir: dir, o: o, rows: map[finetune.Split]*File{}, known: newMemory(remembered)}
	if w.o.Dataset == "" {
		w.o.Dataset = "parley"
	}
	files, err := w.all(examples)
	if err != nil {
		w.drop()
		return nil, fmt.Errorf("write %s: %w", f.Name, err)
	}
	return files, nil
}

// ValidateOptions say what files are held against besides the format's own rules.
type ValidateOptions struct {
	MaxTokens int              // the trainer's limit; 0: its default is only mentioned
	Counter   finetune.Counter // zero: finetune.Estimate
	MaxLine   int              // bytes of a row that are read; longer ones are a finding; 0: 64 MiB
	Remember  int              // rows that are compared with later ones; 0: four million, about 200 MiB
	Progress  func(done, total int64)
}

// Validate reads files, or directories of the format's layout, in constant memory and hands every
// finding to yield as it is found. Its own error says that reading could not go on, or what yield
// returned.
func (f *Format) Validate(ctx context.Context, paths []string, o ValidateOptions, yield func(Finding) error) (Summary, error) {
	v := newValidator(ctx, f, o, yield)
	err := v.run(paths)
	return v.summary(), err
}
