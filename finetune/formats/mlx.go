package formats

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"parley/finetune"
)

// mlx is mlx_lm.lora: a directory with train.jsonl and valid.jsonl. Rows are conversations whose last
// message is the answer, as --mask-prompt takes that one for what is learned.
var mlx = Format{
	Name: "mlx", About: "MLX-LM: a directory with train.jsonl, valid.jsonl and test.jsonl, one row an answer", Tasks: teaching,
	files: map[finetune.Split]string{finetune.Validation: "valid.jsonl"},
	each:  true, encode: encodeMessages, usage: mlxUsage,
	extra: func(w *written) (map[string]string, error) {
		if !w.has(finetune.Validation) {
			return nil, fmt.Errorf("the validation split is empty, and mlx wants rows in valid.jsonl: give it a share with --split")
		}
		return map[string]string{}, nil
	},
	loader: python, open: openMLX, check: checkMLX, done: doneMLX,
	limits: limits{
		setting: "--max-seq-length", usual: 2048, level: Warning,
		full: "the end is cut, with --mask-prompt nothing is left to learn, and the loss divides by zero",
		cut:  "the end of the answer is cut and never learned",
	},
}

// encodeMessages writes prompt and completion as one conversation.
func encodeMessages(b []byte, s *sample) []byte {
	return append(appendMessages(append(b, `{"messages":`...), s.all(), appendMessage), '}')
}

func mlxUsage(w *written) string {
	fewest := int64(4)
	for _, f := range w.rows {
		fewest = min(fewest, f.Rows)
	}
	return fmt.Sprintf("    mlx_lm.lora --train --data . --mask-prompt --max-seq-length %d --batch-size %d --model MODEL\n\n", w.tokens(), fewest) +
		"With --mask-prompt the last message is learned and nothing before it; without, everything is.\n" +
		"A split needs as many rows as the batch size, which is 4 unless it is set.\n"
}

var mlxNames = []string{"train.jsonl", "valid.jsonl", "test.jsonl"}

// openMLX takes a directory as mlx_lm does, or one of its files.
func openMLX(v *validator, path string, dir bool) ([]source, error) {
	if !dir {
		if !slices.Contains(mlxNames, filepath.Base(path)) {
			v.warn("file_name", "name it train.jsonl, valid.jsonl or test.jsonl", "mlx_lm reads train.jsonl, valid.jsonl and test.jsonl of a directory, and not %s", filepath.Base(path))
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
			v.findAt(filepath.Join(path, e.Name()), 0, Warning, "ignored_file", "name it train.jsonl, valid.jsonl or test.jsonl", "mlx_lm does not read a file of this name")
		}
	}
	var out []source
	for i, name := range mlxNames {
		switch {
		case there[name]:
			out = append(out, source{path: filepath.Join(path, name)})
		case i == 0:
			v.bad("missing_file", "write the rows to learn from to train.jsonl", "there is no train.jsonl: mlx_lm stops (\"Training set not found or empty\")")
		case i == 1:
			v.bad("missing_file", "write some rows to valid.jsonl", "there is no valid.jsonl: mlx_lm up to 0.26 stops (\"Validation set not found or empty\"); from 0.31 on it trains without validation")
		}
	}
	return out, nil
}

// mlxForm is what mlx_lm takes a file for, by its first row.
type mlxForm string

var mlxChat = chat{
	role: "role", content: "content", names: trlNames,
	unknown:   "the template gets it as it is, and most raise or leave the message out",
	missing:   "the template raises, or writes None",
	alternate: Warning, alternates: "templates of Mistral and Gemma raise \"roles must alternate\"",
	blank: "only the end of the turn is learned, so the model learns to say nothing",
}

func checkMLX(v *validator, row value) {
	v.resetTexts()
	form, known := v.state.(mlxForm)
	if !known {
		switch {
		case row.get("prompt").kind() != none && row.get("completion").kind() != none:
			form = "prompt and completion"
		case row.get("messages").kind() != none:
			form = "messages"
		case row.get("text").kind() != none:
			form = "text"
			v.warn("text_no_mask", "write messages, or prompt and completion", "rows are texts: everything is learned, and --mask-prompt raises ValueError")
		default:
			form = "nothing"
			v.bad("missing_columns", `write {"messages": [...]} or {"prompt": ..., "completion": ...}`, "the first row has none of messages, prompt and completion, or text: mlx_lm raises \"Unsupported data format\"")
		}
		v.state = form
	}
	if forms := formsOf(row); forms > 1 {
		v.bad("two_formats", "keep one of them", "the row fits two formats: mlx_lm takes the file for %s, by its first row, and does not look at the rest", form)
	}
	switch form {
	case "prompt and completion":
		mlxPair(v, row)
	case "messages":
		messages := row.get("messages")
		if messages.kind() == none {
			v.otherForm(form)
			return
		}
		mlxMessages(v, messages)
	case "text":
		said := row.get("text")
		if said.kind() == none {
			v.otherForm(form)
			return
		}
		if said.kind() != text || len(said.bytes()) == 0 {
			v.bad("empty_content", "write a text", "the text is empty or not a string: mlx_lm raises")
			return
		}
		v.says(said.bytes())
		v.special(said.bytes(), "text", 1)
	}
	v.length()
}

// formsOf counts the formats that a row fits.
func formsOf(row value) int {
	n := 0
	for _, there := range []bool{row.has("prompt") || row.has("completion"), row.has("messages"), row.has("text")} {
		if there {
			n++
		}
	}
	return n
}

func (v *validator) otherForm(form mlxForm) {
	v.bad("format_from_first_row", "write all rows of a file in one format", "the row has no %s, for which the first row made mlx_lm take the file: it raises KeyError", form)
}

func mlxPair(v *validator, row value) {
	prompt, completion := row.get("prompt"), row.get("completion")
	if prompt.kind() == none || completion.kind() == none {
		v.otherForm("prompt and completion")
		return
	}
	if prompt.kind() != text || completion.kind() != text {
		v.bad("prompt_not_string", "write both as strings, or write messages", "the prompt is %s and the completion is %s: mlx_lm makes each the content of one message, and the template raises", prompt.kind(), completion.kind())
		return
	}
	v.says(prompt.bytes())
	v.special(prompt.bytes(), "prompt", 1)
	v.answers()
	message := row.get("completion")
	v.says(message.bytes())
	v.special(message.bytes(), "completion", 1)
	if len(message.bytes()) == 0 {
		v.bad("empty_content", "delete the row", "the completion is empty: %s", mlxChat.blank)
	}
}

func mlxMessages(v *validator, messages value) {
	if messages.kind() != list || messages.len() == 0 {
		v.bad("empty_messages", "delete the row", "messages is not a list with a message: with --mask-prompt mlx_lm takes the last and raises IndexError")
		return
	}
	t := v.talks(&mlxChat, messages, "message")
	switch {
	case t.broken:
	case t.assistants == 0:
		v.bad("example_missing_assistant_message", "add the assistant's answer", "no message is the assistant's: the model learns the prompts only")
	case t.last != assistant:
		v.bad("last_role", "end with the assistant's message", "the last message is of the role %s: with --mask-prompt it is the one that is learned", t.last)
	case t.assistants > 1 && v.once("last"):
		v.warn("mask_prompt_last", "use --mask-prompt where only the last answer counts, and write one row an answer where all do", "rows have several assistant messages: with --mask-prompt only the last is learned, without it everything is")
	}
}

// doneMLX counts rows against the batch size.
func doneMLX(v *validator) {
	if v.rows > 0 && v.rows < 4 {
		v.warn("batch_size", fmt.Sprintf("add rows, or set --batch-size %d", v.rows), "the file has %d rows: mlx_lm raises ValueError at its batch size of 4", v.rows)
	}
}
