package finetune

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"
)

// Card is what is told of a dataset on its page, README.md, besides its report. The page begins with
// the metadata that Hugging Face's datasets and hub read.
type Card struct {
	Name      string   // of the dataset; empty: "parley" and the task
	License   string   // identifier of the hub, such as cc-by-4.0; empty: unknown
	Languages []string // such as en
	Tags      []string // more of them
	About     string   // a paragraph of Markdown, the user's own; may be empty
	Made      []string // how it was made, a line each: the command, the version
	Files     []CardFile
	Features  []Feature // columns of the Parquet files
}

// CardFile are the Parquet files of a split.
type CardFile struct {
	Split    Split
	Path     string // relative, such as data/train-*.parquet
	Bytes    int64  // that the files take
	Examples int
}

// Feature is a column: of a plain type (string, float64, int64, bool ...), of a struct with Fields, or
// of a list of either.
type Feature struct {
	Name   string
	Type   string
	Fields []Feature
	List   bool
}

// yaml is the feature as datasets write it.
func (f Feature) yaml() yaml.MapSlice {
	fields := make([]yaml.MapSlice, len(f.Fields))
	for i := range f.Fields {
		fields[i] = f.Fields[i].yaml()
	}
	out := yaml.MapSlice{{Key: "name", Value: f.Name}}
	switch {
	case f.List && len(fields) > 0:
		return append(out, yaml.MapItem{Key: "list", Value: fields})
	case f.List:
		return append(out, yaml.MapItem{Key: "list", Value: f.Type})
	case len(fields) > 0:
		return append(out, yaml.MapItem{Key: "struct", Value: fields})
	}
	return append(out, yaml.MapItem{Key: "dtype", Value: f.Type})
}

// configName is of the one configuration of a dataset.
const configName = "default"

// Write writes the page. A split without examples must not be among the files, as there is nothing to
// load of it.
func (c *Card) Write(w io.Writer, r *Report) error {
	if len(c.Files) == 0 {
		return errors.New("a dataset's page needs at least one split with files")
	}
	name := clean(c.Name)
	if name == "" {
		name = "parley " + string(r.Task)
	}
	files, splits := []yaml.MapSlice{}, []yaml.MapSlice{}
	var size int64
	for _, f := range c.Files {
		if f.Examples == 0 {
			return fmt.Errorf("the split %s has no examples and cannot be declared on the dataset's page", f.Split)
		}
		files = append(files, yaml.MapSlice{{Key: "split", Value: string(f.Split)}, {Key: "path", Value: f.Path}})
		splits = append(splits, yaml.MapSlice{{Key: "name", Value: string(f.Split)}, {Key: "num_bytes", Value: f.Bytes}, {Key: "num_examples", Value: f.Examples}})
		size += f.Bytes
	}
	head := yaml.MapSlice{{Key: "pretty_name", Value: name}}
	license := c.License
	if license == "" {
		license = "unknown"
	}
	head = append(head, yaml.MapItem{Key: "license", Value: license})
	if len(c.Languages) > 0 {
		head = append(head, yaml.MapItem{Key: "language", Value: c.Languages})
	}
	head = append(head,
		yaml.MapItem{Key: "task_categories", Value: []string{"text-generation"}},
		yaml.MapItem{Key: "tags", Value: append([]string{"parley", "role-play", string(r.Task)}, c.Tags...)},
		yaml.MapItem{Key: "size_categories", Value: []string{sizeCategory(r.Kept)}},
		yaml.MapItem{Key: "configs", Value: []yaml.MapSlice{{{Key: "config_name", Value: configName}, {Key: "data_files", Value: files}}}},
	)
	if len(c.Features) > 0 {
		features := make([]yaml.MapSlice, len(c.Features))
		for i := range c.Features {
			features[i] = c.Features[i].yaml()
		}
		head = append(head, yaml.MapItem{Key: "dataset_info", Value: []yaml.MapSlice{{
			{Key: "config_name", Value: configName}, {Key: "features", Value: features}, {Key: "splits", Value: splits},
			{Key: "download_size", Value: size}, {Key: "dataset_size", Value: size},
		}}})
	}
	front, err := yaml.MarshalWithOptions(head, yaml.IndentSequence(false))
	if err != nil {
		return fmt.Errorf("write the metadata of the dataset's page: %w", err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "---\n%s---\n", front)
	page := struct {
		Name, Task, About string
		Made              []string
		R                 *Report
	}{name, aboutTasks[r.Task], strings.TrimSpace(c.About), c.Made, r}
	if err := pages.ExecuteTemplate(&out, "card", page); err != nil {
		return fmt.Errorf("write the dataset's page: %w", err)
	}
	_, err = w.Write(out.Bytes())
	return err
}

var aboutTasks = map[Task]string{
	DM:         "From a window of tabletop role-play to who tries which skill: the prompt is the window, the completion a JSON list of pairs of character and skill.",
	Roleplay:   "From what a character is told and perceives to its turn in a tabletop role-play session. Only the character's own turns are to be learned.",
	Preference: "Two turns for the same view of a tabletop role-play session, the better one being the completion and the worse one rejected.",
	Judge:      "From a judge's question about play to its verdict.",
}

// sizeCategory returns the hub's word for a number of examples.
func sizeCategory(n int) string {
	names := []string{"n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M"}
	for i, limit := 0, 1000; i < len(names); i, limit = i+1, limit*10 {
		if n < limit {
			return names[i]
		}
	}
	return "100M<n<1B"
}
