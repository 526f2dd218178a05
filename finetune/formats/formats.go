// Package formats writes training files as the trainers want them, and says of any file what a trainer
// would do with it.
//
// A format is a file of trainers/ (what the trainer reads, its limits, how rows are written, the version
// that this was read from) and a name in order below. A trainer that reads rows as another does names it
// under "like" and gives only what differs, such as the names of columns and keys. rules.yaml holds what
// the validators report. Chat templates, tokenizers and jobs are elsewhere.
package formats

import (
	"context"
	"embed"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/goccy/go-yaml"

	"parley/finetune"
)

// order lists the formats as they are shown. Each has its file in trainers/.
var order = []string{
	"openai-sft", "openai-dpo", "azure-sft", "trl-sft", "trl-dpo", "axolotl", "llama-factory", "sharegpt", "alpaca", "mlx", "unsloth",
}

// Format is how one trainer wants its data.
type Format struct {
	Name string // as users type it
	spec
	usage *template.Template
	extra map[string]*template.Template // further files, by name
	way   way
}

// spec is a file of trainers/.
type spec struct {
	Like    string          `yaml:"like"`    // the format that this one changes
	About   string          `yaml:"about"`   // the format in a few words
	Trainer string          `yaml:"trainer"` // the program or service that reads the files
	Hosted  bool            `yaml:"hosted"`  // by OpenAI's rules: its models' tokenizer is known
	Version string          `yaml:"version"` // of the trainer, from which this was read
	Tasks   []finetune.Task `yaml:"tasks"`   // that it can hold

	Loader          loader                    `yaml:"loader"`
	Check           string                    `yaml:"check"`   // the way in which rows are read: a key of ways
	Reads           []string                  `yaml:"reads"`   // marks of messages that the trainer looks at
	Columns         map[string]string         `yaml:"columns"` // names of columns that are not those of TRL
	Message         chat                      `yaml:"message"`
	Limit           limit                     `yaml:"limit"`
	Effects         map[string]effect         `yaml:"effects"` // of rules, where they are not those of rules.yaml
	Files           map[finetune.Split]string `yaml:"files"`   // names of data files that are not SPLIT.jsonl
	BOM             bool                      `yaml:"bom"`     // files begin with a byte order mark
	NeedsValidation bool                      `yaml:"needs_validation"`
	Layout          layout                    `yaml:"write"` // of rows that are written
	Extra           map[string]string         `yaml:"extra"` // templates of files beside the data
	Usage           string                    `yaml:"usage"` // template of how to train on the files
}

// way is how a trainer reads files, as far as that is code.
type way struct {
	open  func(v *validator, path string, dir bool) ([]source, error) // nil: files as they are, directories by their data files
	check func(v *validator, row *value)
	done  func(v *validator) // after the rows of a file; may be nil
}

var ways = map[string]way{
	"openai":        {check: checkOpenAI, done: enoughForOpenAI},
	"openai-dpo":    {check: checkOpenAIDPO, done: enoughForOpenAI},
	"trl":           {check: checkTRL},
	"trl-dpo":       {check: checkTRLDPO},
	"axolotl":       {open: openAxolotl, check: checkAxolotl},
	"llama-factory": {open: openLlama, check: checkLlama},
	"sharegpt":      {check: checkShareGPT},
	"alpaca":        {check: checkAlpaca},
	"mlx":           {open: openMLX, check: checkMLX, done: doneMLX},
	"unsloth":       {check: checkUnsloth, done: doneUnsloth},
}

//go:embed rules.yaml trainers/*.yaml
var data embed.FS

// all reads the formats. Their files are part of the program, so an error in them is a panic.
var all = sync.OnceValue(func() []*Format {
	var out []*Format
	for _, name := range order {
		f := &Format{Name: name, extra: map[string]*template.Template{}}
		raw, err := yaml.Marshal(merged(name))
		if err == nil {
			err = yaml.UnmarshalWithOptions(raw, &f.spec, yaml.Strict())
		}
		if err != nil {
			panic(fmt.Errorf("trainers/%s.yaml: %w", name, err))
		}
		f.usage = template.Must(template.New(name).Funcs(functions).Parse(f.Usage))
		for file, text := range f.Extra {
			f.extra[file] = template.Must(template.New(file).Funcs(functions).Parse(text))
		}
		f.way = ways[f.Check]
		out = append(out, f)
	}
	return out
})

// merged reads a file of trainers/ over the one that it is like.
func merged(name string) map[string]any {
	raw, err := data.ReadFile("trainers/" + name + ".yaml")
	own := map[string]any{}
	if err == nil {
		err = yaml.Unmarshal(raw, &own)
	}
	if err != nil {
		panic(fmt.Errorf("trainers/%s.yaml: %w", name, err))
	}
	like, _ := own["like"].(string)
	if like == "" {
		return own
	}
	return overlay(merged(like), own)
}

// overlay puts the members of top over those of base, and of maps within them likewise.
func overlay(base, top map[string]any) map[string]any {
	out := maps.Clone(base)
	for key, v := range top {
		below, both := out[key].(map[string]any)
		if above, isMap := v.(map[string]any); isMap && both {
			v = overlay(below, above)
		}
		out[key] = v
	}
	return out
}

// Names returns the names of the formats.
func Names() []string { return slices.Clone(order) }

// Lookup returns the format of a name.
func Lookup(name string) (*Format, error) {
	for _, f := range all() {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("there is no format %q; there are %s", name, strings.Join(order, ", "))
}

// Holds returns nil if examples of a task can be written in the format, and otherwise an error that
// names the formats which can hold them.
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

// column returns what the format calls a column.
func (f *Format) column(name string) string {
	if own := f.Columns[name]; own != "" {
		return own
	}
	return name
}

// WriteOptions say how examples are written. The zero value is a useful one.
type WriteOptions struct {
	FoldSystem bool   // the system message goes into the first user's, for templates that refuse a system turn
	MaxTokens  int    // the length that the settings name; 0: what the longest row needs, approximately
	Dataset    string // what a trainer's settings call the dataset; empty: parley
}

// File is a file that Write made.
type File struct {
	Name     string         // within the directory
	Split    finetune.Split // of a data file
	Rows     int64
	Repeated int64 // rows left out, as they are in this split or one before: conversations may begin alike
	Bytes    int64
	Longest  int    // tokens of the longest row, approximately
	Altered  int64  // messages in which an end-of-text marker was broken up, so that no tokenizer takes it for one
	Settings string // of README.md: how to train on the files
}

// Write writes the examples of all splits into a new directory, and beside them what the trainer needs to
// find them and a README.md with the settings to use. What is there after an error is of no use. The last
// File returned is the README.
func (f *Format) Write(dir string, examples func(finetune.Split) iter.Seq2[finetune.Example, error], o WriteOptions) ([]File, error) {
	if o.Dataset == "" {
		o.Dataset = "parley"
	}
	w := &written{format: f, dir: dir, o: o, rows: map[finetune.Split]*File{}, known: newMemory(remembered)}
	files, err := w.all(examples)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", f.Name, err)
	}
	return files, nil
}

// ValidateOptions say what files are compared with besides the format's own rules.
type ValidateOptions struct {
	MaxTokens int              // the trainer's limit; 0: its usual one, by which rows are only counted
	Counter   finetune.Counter // zero: finetune.Estimate
	MaxLine   int              // bytes of a row that are read; longer ones are a finding; 0: 64 MiB
	Remember  int              // rows that are compared with later ones; 0: four million, about 200 MiB
	Progress  func(done, total int64)
}

// Validate reads files, or directories of the format's layout, in bounded memory and hands every
// finding to yield as it is found. Its own error says that reading could not go on, or is yield's.
func (f *Format) Validate(ctx context.Context, paths []string, o ValidateOptions, yield func(Finding) error) (Summary, error) {
	v := newValidator(ctx, f, o, yield)
	err := v.run(paths)
	return v.summary(), err
}
