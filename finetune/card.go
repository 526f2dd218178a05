package finetune

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"parley/sim/llm"

	"github.com/goccy/go-yaml"
)

// Card is the page of a dataset, README.md, besides its report. The page begins with
// the metadata that Hugging Face's datasets and hub read. What columns there are, the Parquet files say.
type Card struct {
	Name      string   // of the dataset; empty: "parley" and the task
	License   string   // identifier of the hub, such as cc-by-4.0; empty: unknown
	Languages []string // such as en
	Made      []string // how it was made, a line each: the command, the version
}

// metadata are the keys of the hub.
type metadata struct {
	Name       string   `yaml:"pretty_name"`
	License    string   `yaml:"license"`
	Languages  []string `yaml:"language,omitempty"`
	Categories []string `yaml:"task_categories"`
	Tags       []string `yaml:"tags"`
	Sizes      []string `yaml:"size_categories"`
	Configs    []config `yaml:"configs"`
}

type config struct {
	Name  string     `yaml:"config_name"`
	Files []dataFile `yaml:"data_files"`
}

type dataFile struct {
	Split Split  `yaml:"split"`
	Path  string `yaml:"path"`
}

// Write writes the page of a dataset whose files are data/SPLIT-*.parquet.
func (c *Card) Write(w io.Writer, r *Report) error {
	name := cmp.Or(llm.Clean(c.Name), "parley "+string(r.Task))
	files := []dataFile{}
	for _, s := range r.Splits {
		if s.Examples > 0 { // of others there is nothing to load
			files = append(files, dataFile{s.Split, fmt.Sprintf("data/%s-*.parquet", s.Split)})
		}
	}
	front, err := yaml.MarshalWithOptions(metadata{
		Name: name, License: cmp.Or(c.License, "unknown"), Languages: c.Languages, Categories: []string{"text-generation"},
		Tags: []string{"parley", "role-play", string(r.Task)}, Sizes: []string{sizeCategory(r.Kept)}, Configs: []config{{"default", files}},
	}, yaml.IndentSequence(false))
	if err != nil {
		return fmt.Errorf("write the metadata of the dataset's page: %w", err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "---\n%s---\n", front)
	page := struct {
		Name, Task string
		Made       []string
		R          *Report
	}{name, aboutTasks[r.Task], c.Made, r}
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
