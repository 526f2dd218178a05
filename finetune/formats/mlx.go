package formats

import (
	"os"
	"path/filepath"
	"slices"
)

var mlxNames = []string{"train.jsonl", "valid.jsonl", "test.jsonl"}

// openMLX takes a directory as mlx_lm does, or one of its files.
func openMLX(v *validator, path string, dir bool) ([]source, error) {
	if !dir {
		if !slices.Contains(mlxNames, filepath.Base(path)) {
			v.report("file_name", "file", filepath.Base(path))
		}
		return []source{{path: path}}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, e := range entries {
		there[e.Name()] = true
		if ext := filepath.Ext(e.Name()); (ext == ".jsonl" || ext == ".json") && !slices.Contains(mlxNames, e.Name()) {
			v.reportAt(filepath.Join(path, e.Name()), 0, "ignored_file")
		}
	}
	var out []source
	for i, name := range mlxNames {
		switch {
		case there[name]:
			out = append(out, source{path: filepath.Join(path, name)})
		case i == 0:
			v.report("missing_file:train")
		case i == 1:
			v.report("missing_file:valid")
		}
	}
	return out, nil
}

// mlxForm is the format that mlx_lm takes a file for, by its first row.
type mlxForm string

func (v *validator) mlxForm(row *value) mlxForm {
	switch {
	case row.get("prompt") != nil && row.get("completion") != nil:
		return "prompt and completion"
	case row.get("messages") != nil:
		return "messages"
	case row.get("text") != nil:
		v.report("text_no_mask")
		return "text"
	}
	v.report("missing_columns", "column", "messages")
	return "nothing"
}

func checkMLX(v *validator, row *value) {
	form, known := v.state.(mlxForm)
	if !known {
		form = v.mlxForm(row)
		v.state = form
	}
	forms := 0
	for _, there := range []bool{row.has("prompt") || row.has("completion"), row.has("messages"), row.has("text")} {
		if there {
			forms++
		}
	}
	if forms > 1 {
		v.report("two_formats", "one", "what is read by the first row ("+string(form)+")", "other", "another")
	}
	switch form {
	case "prompt and completion":
		mlxPair(v, row)
	case "messages":
		mlxMessages(v, row.get("messages"))
	case "text":
		said := row.get("text")
		switch {
		case said == nil:
			v.report("format_from_first_row", "form", form)
		case said.k != text || len(said.text) == 0:
			v.report("empty_content:text", "column", "text")
		default:
			v.plain(said.text, "text")
			v.tagged(said.text, "text", 1)
		}
	}
}

func mlxPair(v *validator, row *value) {
	prompt, completion := row.get("prompt"), row.get("completion")
	switch {
	case prompt == nil || completion == nil:
		v.report("format_from_first_row", "form", "prompt and completion")
	case prompt.k != text || completion.k != text:
		v.report("prompt_not_string", "kind", prompt.k, "other", completion.k)
	default:
		v.plain(prompt.text, "prompt")
		v.answers()
		v.plainAnswer(completion, "completion")
	}
}

func mlxMessages(v *validator, messages *value) {
	switch {
	case messages == nil:
		v.report("format_from_first_row", "form", "messages")
		return
	case messages.k != list || messages.len() == 0:
		v.report("empty_messages", "column", "messages")
		return
	}
	t := v.talk(&v.f.Message, messages, "message")
	v.ends(t)
	if t.assistants > 1 && t.last == assistant && !t.broken {
		v.advise("mask_prompt_last")
	}
}

// doneMLX compares the number of rows with the batch size.
func doneMLX(v *validator) {
	if v.rows > 0 && v.rows < 4 {
		v.report("batch_size", "n", v.rows)
	}
}
