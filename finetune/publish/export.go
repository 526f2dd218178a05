package publish

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"

	"parley/finetune"
	"parley/logs"
)

// Exported is a folder for the hub.
type Exported struct {
	Out     string                 `json:"out"`
	License string                 `json:"license"`
	Rows    map[finetune.Split]int `json:"rows"`
	Files   []string               `json:"files"`
}

// attributes has git keep Parquet files in its large file storage, as the hub wants.
const attributes = "*.parquet filter=lfs diff=lfs merge=lfs -text\n"

// Export makes of a dataset the folder that the Hugging Face hub takes as it is: card, Parquet files by
// split, report and list of what was dropped. A licence is needed: the dataset's own, or the one given.
// The rows of every file are read, and have to be as many as the card says.
func Export(dir, out, license string) (*Exported, error) {
	page, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s is no dataset of parley finetune build: it has no README.md", dir)
	}
	if err != nil {
		return nil, err
	}
	front, rest, ok := bytes.Cut(bytes.TrimPrefix(page, []byte("---\n")), []byte("\n---\n"))
	var head yaml.MapSlice
	if err := yaml.Unmarshal(front, &head); err != nil || !ok {
		return nil, fmt.Errorf("%s: README.md does not begin with the metadata of a dataset (%v)", dir, err)
	}
	for i := range head {
		if head[i].Key != "license" {
			continue
		}
		if license == "" {
			license, _ = head[i].Value.(string)
		}
		head[i].Value = license
	}
	if license == "" || license == "unknown" {
		return nil, fmt.Errorf("%s states no licence, and the hub needs one: name it with --license, such as cc-by-4.0", dir)
	}
	if front, err = yaml.MarshalWithOptions(head, yaml.IndentSequence(false)); err != nil {
		return nil, err
	}
	made := &Exported{Out: out, License: license, Rows: map[finetune.Split]int{}}
	return made, whole(out, func(to string) error {
		if err := made.rows(dir, to); err != nil {
			return err
		}
		for _, name := range []string{"report.json", "dropped.jsonl"} {
			if err := made.copy(dir, to, name); err != nil {
				return err
			}
		}
		made.Files = append(made.Files, "README.md", ".gitattributes")
		if err := logs.WriteFile(filepath.Join(to, ".gitattributes"), []byte(attributes)); err != nil {
			return err
		}
		return logs.WriteFile(filepath.Join(to, "README.md"), fmt.Appendf(nil, "---\n%s---\n%s", front, rest))
	})
}

// rows copies the Parquet files, and counts their rows.
func (made *Exported) rows(dir, to string) error {
	if err := os.Mkdir(filepath.Join(to, "data"), 0o777); err != nil {
		return err
	}
	var report finetune.Report
	if err := load(filepath.Join(dir, "report.json"), &report); err != nil {
		return err
	}
	for _, s := range report.Splits {
		paths, err := filepath.Glob(filepath.Join(dir, "data", string(s.Split)+"-*-of-*.parquet"))
		if err != nil {
			return err
		}
		for _, path := range paths {
			for _, err := range logs.ReadParquet[Row](path) {
				if err != nil {
					return err
				}
				made.Rows[s.Split]++
			}
			if err := made.copy(dir, to, filepath.Join("data", filepath.Base(path))); err != nil {
				return err
			}
		}
		if n := made.Rows[s.Split]; n != s.Examples {
			return fmt.Errorf("%s: the files of %s hold %d examples, and report.json says %d: build it anew", dir, s.Split, n, s.Examples)
		}
	}
	return nil
}

func (made *Exported) copy(dir, to, name string) error {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return fmt.Errorf("%s is no whole dataset: %w", dir, err)
	}
	made.Files = append(made.Files, filepath.ToSlash(name))
	return logs.WriteFile(filepath.Join(to, name), data)
}

// String says for people what was made.
func (made *Exported) String() string {
	var parts []string
	for _, s := range finetune.Splits() {
		if n := made.Rows[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", s, n))
		}
	}
	return fmt.Sprintf("%s holds %s (licence %s). Upload it with: hf upload --repo-type dataset NAME %s\n", made.Out, strings.Join(parts, ", "), made.License, made.Out)
}

func load(path string, to any) error {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
