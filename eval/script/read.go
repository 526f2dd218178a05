package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"parley/eval"
)

// ReadTasks reads tasks from JSON lines, in the form of Task or of CoScript (Yuan and others 2023:
// "Abstract Goal", "Specific Goal", "Constraint", "Script", "Category"), line by line whichever it
// is. A byte-order mark and blank lines are passed over. Errors name the file and the line.
func ReadTasks(r io.Reader, name string) ([]Task, error) {
	var tasks []Task
	seen := map[string]bool{}
	err := eval.EachLine(r, name, func(line []byte) error {
		if line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF")); len(line) == 0 {
			return nil
		}
		var keys map[string]json.RawMessage
		if err := json.Unmarshal(line, &keys); err != nil {
			return fmt.Errorf("a line is one JSON object: %w", err)
		}
		var t Task
		var err error
		if _, ok := keys["Specific Goal"]; ok {
			t, err = readCoScript(line)
		} else if err = eval.Strict(line, &t); err != nil {
			err = fmt.Errorf("a line is a task, or one of CoScript: %w", err)
		}
		if err == nil {
			err = t.Validate()
		}
		if err == nil && seen[t.ID] {
			err = fmt.Errorf("task %s is there twice", t.ID)
		}
		seen[t.ID] = true
		tasks = append(tasks, t)
		return err
	})
	return tasks, err
}

// readCoScript reads a line of CoScript. Its steps carry their numbers, which go.
func readCoScript(line []byte) (Task, error) {
	var row struct {
		ID         json.RawMessage `json:"id"`
		Abstract   string          `json:"Abstract Goal"`
		Specific   string          `json:"Specific Goal"`
		Constraint string          `json:"Constraint"`
		Script     json.RawMessage `json:"Script"`
		Category   string          `json:"Category"`
	}
	if err := json.Unmarshal(line, &row); err != nil {
		return Task{}, fmt.Errorf("a line of CoScript: %w", err)
	}
	t := Task{
		ID: "coscript-" + strings.Trim(string(row.ID), `"`), Topic: row.Category, Abstract: row.Abstract,
		Specific: row.Specific,
	}
	if len(row.ID) == 0 || string(row.ID) == "null" {
		return Task{}, errors.New("a line of CoScript has no id")
	}
	if c := strings.TrimSpace(row.Constraint); c != "" {
		t.Constraints = []string{c}
	}
	var list []string
	var text string
	switch {
	case len(row.Script) == 0 || string(row.Script) == "null":
	case json.Unmarshal(row.Script, &list) == nil:
	case json.Unmarshal(row.Script, &text) == nil:
		list = strings.Split(text, "\n")
	default:
		return Task{}, errors.New("the script of a line of CoScript is neither a list nor a text")
	}
	for _, s := range list {
		t.Steps = append(t.Steps, unmarked(s))
	}
	t.Steps = kept(t.Steps)
	return t, nil
}

// WriteTasks writes tasks as JSON lines that ReadTasks reads back to the same.
func WriteTasks(w io.Writer, tasks []Task) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range tasks {
		if err := enc.Encode(&tasks[i]); err != nil {
			return err
		}
	}
	return nil
}
