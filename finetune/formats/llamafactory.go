package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"parley/finetune"
)

// llamaFactory is LLaMA-Factory: conversations in OpenAI's words and the dataset_info.json that names
// them, with the tags by which it finds roles and contents.
var llamaFactory = Format{
	Name: "llama-factory", About: "LLaMA-Factory: conversations, one row an answer, and dataset_info.json", Tasks: both,
	each: true,
	encode: func(b []byte, s *sample) []byte {
		if !s.preference {
			return encodeMessages(b, s)
		}
		b = appendMessages(append(b, `{"messages":`...), s.prompt, appendMessage)
		b = appendMessage(append(b, `,"chosen":`...), s.completion[0])
		return append(appendMessage(append(b, `,"rejected":`...), finetune.Message{Role: finetune.Assistant, Content: s.rejected}), '}')
	},
	extra: infoOf, usage: llamaUsage,
	loader: arrow, open: openLlama, check: checkLlama,
	limits: llamaLimits,
}

var llamaLimits = limits{
	setting: "cutoff_len", usual: 2048, level: Warning,
	full: "the end of the prompt, which is what is asked, is cut off", cut: "prompt and answer are cut to fit",
}

const infoFile = "dataset_info.json"

// datasetOf names a split in dataset_info.json.
func datasetOf(w *written, s finetune.Split) string { return w.o.Dataset + "_" + string(s) }

// infoOf is the dataset_info.json of what was written. LLaMA-Factory opens it in the platform's own
// encoding, so it is ASCII.
func infoOf(w *written) (map[string]string, error) {
	info := map[string]any{}
	for _, s := range finetune.Splits() {
		if !w.has(s) {
			continue
		}
		columns := map[string]string{"messages": "messages"}
		entry := map[string]any{
			"file_name": w.name(s), "formatting": "sharegpt", "columns": columns,
			"tags": map[string]string{
				"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant",
				"observation_tag": "tool", "function_tag": "function_call", "system_tag": "system",
			},
		}
		if w.task == finetune.Preference {
			entry["ranking"] = true
			columns["chosen"], columns["rejected"] = "chosen", "rejected"
		}
		info[datasetOf(w, s)] = entry
	}
	raw, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return nil, err
	}
	return map[string]string{infoFile: ascii(raw) + "\n"}, nil
}

// ascii escapes what is not ASCII in a JSON text.
func ascii(raw []byte) string {
	var b bytes.Buffer
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		raw = raw[n:]
	}
	return b.String()
}

func llamaUsage(w *written) string {
	s := fmt.Sprintf("    dataset_dir: .\n    dataset: %s\n", datasetOf(w, finetune.Train))
	if w.has(finetune.Validation) {
		s += fmt.Sprintf("    eval_dataset: %s\n", datasetOf(w, finetune.Validation))
	}
	s += fmt.Sprintf("    cutoff_len: %d\n    template: the model's\n", w.tokens())
	if w.task == finetune.Preference {
		return s + "    stage: dpo\n"
	}
	return s + "    stage: sft\n    mask_history: true\n\n" +
		"With mask_history only the last answer of a row is learned; without it, those before are learned again with every row.\n"
}

// llamaAttr is how LLaMA-Factory reads the rows of a dataset.
type llamaAttr struct {
	known      bool // from a dataset_info.json
	formatting string
	ranking    bool
	// columns; empty: not read
	system, tools, chosen, rejected, kto, prompt, query, response, history, messages string
	// tags
	role, content, user, assistant, observation, function, systemTag string
}

// sharegptUnset and alpacaUnset are what LLaMA-Factory reads without columns and tags.
var (
	sharegptUnset = llamaAttr{
		formatting: "sharegpt", messages: "conversations", role: "from", content: "value",
		user: "human", assistant: "gpt", observation: "observation", function: "function_call", systemTag: "system",
	}
	alpacaUnset = llamaAttr{formatting: "alpaca", prompt: "instruction", query: "input", response: "output"}
	llamaOpen   = llamaAttr{
		formatting: "sharegpt", messages: "messages", role: "role", content: "content",
		user: "user", assistant: "assistant", observation: "tool", function: "function_call", systemTag: "system",
	}
)

// checkLlama judges a row of a file that no dataset_info.json was found for, by what it looks like.
func checkLlama(v *validator, row value) {
	attr := alpacaUnset
	switch {
	case row.get("messages").kind() != none && row.has("conversations"):
		v.bad("two_formats", "keep one of them", "the row has messages and conversations: only the column that dataset_info.json names is read")
		attr = llamaOpen
	case row.get("messages").kind() != none:
		attr = llamaOpen
	case row.get("conversations").kind() != none:
		attr = sharegptUnset
		if row.get("conversations").last().has("role") {
			attr = llamaOpen
			attr.messages = "conversations"
		}
	case row.get("instruction").kind() == none:
		v.bad("missing_columns", `write {"messages": [...]} and name it in dataset_info.json`, "the row has none of messages, conversations and instruction: no column of it is read, and loading raises KeyError")
		return
	}
	if attr.role == "role" && v.once("info") {
		v.warn("needs_dataset_info", "give dataset_info.json formatting: sharegpt, columns and tags, and check the directory", "rows have role and content, and no dataset_info.json says so: without tags LLaMA-Factory looks for from and value and raises KeyError")
	}
	attr.ranking = row.has("chosen") || row.has("rejected")
	attr.chosen, attr.rejected = "chosen", "rejected"
	attr.row(v, row)
}

// row holds a row against the converter of its formatting.
func (a *llamaAttr) row(v *validator, row value) {
	v.resetTexts()
	if row.has("text") && (row.has("messages") || row.has("conversations")) {
		v.bad("two_formats", "keep one of them", "the row has messages and text: it fits two formats, and one of them is not read")
	}
	if a.known {
		a.unlisted(v, row)
	}
	if a.kto != "" && row.get(a.kto).kind() != boolean {
		v.bad("kto_tag", "write true or false", "%s is %s: LLaMA-Factory reads the row as one without a verdict", a.kto, row.get(a.kto).kind())
	}
	if t := row.get(a.tools); a.tools != "" && t.kind() > null && t.kind() != text && a.formatting != "openai" {
		v.bad("tools", "write the list with json.dumps, as a string", "tools is %s: LLaMA-Factory reads it with json.loads and raises TypeError", t.kind())
	}
	if a.formatting == "alpaca" {
		a.instruct(v, row)
	} else {
		a.converse(v, row)
	}
	v.length()
}

// unlisted reports columns that are there and not read.
func (a *llamaAttr) unlisted(v *validator, row value) {
	for _, c := range []struct{ name, read string }{
		{"system", a.system}, {"tools", a.tools}, {"history", a.history}, {"input", a.query}, {"output", a.response}, {"instruction", a.prompt},
	} {
		alone := a.formatting != "alpaca" && (c.name == "input" || c.name == "output" || c.name == "instruction" || c.name == "history")
		if there := row.get(c.name); c.read == "" && !alone && (len(there.bytes()) > 0 || there.len() > 0) && v.once("column "+c.name) {
			v.bad("column_unlisted", "name "+c.name+" under columns in dataset_info.json", "rows have %s, and dataset_info.json does not list it: naming any columns resets every other one, and it is not read", c.name)
		}
	}
}
