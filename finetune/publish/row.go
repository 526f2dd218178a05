// Package publish writes a finished dataset as a directory that Hugging Face's datasets and hub read:
// Parquet by split, a card, the report, and beside them the files of trainers' formats and a recipe.
package publish

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path"
	"path/filepath"

	"parley/finetune"
	"parley/logs"
)

// Row is an example in a dataset: one schema for all tasks and splits.
type Row struct {
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

func rowOf(x *finetune.Example) Row {
	row := Row{
		ID: x.ID, Task: x.Task, Group: x.Group, Scenario: x.Scenario, Source: x.Source, Model: x.Model,
		Messages: append(append(make([]finetune.Message, 0, len(x.Prompt)+len(x.Completion)), x.Prompt...), x.Completion...),
		Prompt:   x.Prompt, Completion: x.Completion, Rejected: []finetune.Message{}, Labels: append([]string{}, x.Labels...), Score: x.Score,
	}
	if x.Rejected != "" {
		row.Rejected = append(row.Rejected, finetune.Message{Role: finetune.Assistant, Content: x.Rejected})
	}
	return row
}

// A shard ends at either limit.
const (
	shardRows  = 500_000
	shardBytes = 500 << 20 // of text, before it is compressed
)

// File is one Parquet file.
type File struct {
	Path  string         `json:"path"` // within the dataset
	Split finetune.Split `json:"split"`
	Rows  int64          `json:"rows"`
	Bytes int64          `json:"bytes"`
}

// shards writes the Parquet files of a split. Their names say how many there are, so they get these at
// the end.
func shards(dir string, split finetune.Split, examples iter.Seq2[finetune.Example, error], meta logs.Meta) ([]File, error) {
	next, stop := iter.Pull2(examples)
	defer stop()
	x, err, more := next()
	var files []File
	for more {
		name := filepath.Join(dir, fmt.Sprintf("%s-%05d.parquet", split, len(files)))
		rows := func(yield func(Row, error) bool) {
			for n, size := 0, 0; more && n < shardRows && size < shardBytes; n++ {
				row := rowOf(&x)
				for _, m := range row.Messages {
					size += 2 * len(m.Content) // they are in two columns
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
		files = append(files, File{Path: name, Split: split, Rows: n, Bytes: info.Size()})
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

// Fresh returns an error for a directory that holds something, and makes the one that it is to be in.
func Fresh(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return os.MkdirAll(filepath.Dir(dir), 0o777)
	case err != nil:
		return fmt.Errorf("--out %s: %w", dir, err)
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty: name a new directory, or remove it first", dir)
	}
	return nil
}

// whole makes a directory that appears finished or not at all: make fills a temporary one beside it.
func whole(out string, make func(dir string) error) (err error) {
	if err := Fresh(out); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(out), "."+filepath.Base(out)+".*.tmp")
	if err != nil {
		return fmt.Errorf("make %s: %w", out, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := make(dir); err != nil {
		return err
	}
	err = os.Chmod(dir, 0o755)
	if err == nil {
		if err = os.Remove(out); errors.Is(err, os.ErrNotExist) { // it may be there, empty
			err = nil
		}
	}
	if err == nil {
		err = os.Rename(dir, out)
	}
	if err != nil {
		return fmt.Errorf("put %s in its place: %w", out, err)
	}
	return nil
}
