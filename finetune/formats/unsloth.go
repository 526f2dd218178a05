package formats

import (
	"fmt"

	"parley/finetune"
)

// unsloth is the trainer of that name: conversations that standardize_sharegpt and a chat template
// make texts of, in which train_on_responses_only finds the answers by the template's markers.
var unsloth = Format{
	Name: "unsloth", About: "Unsloth: conversations for its chat templates, one row an answer", Tasks: teaching,
	each: true,
	encode: func(b []byte, s *sample) []byte {
		return append(appendMessages(append(b, `{"conversations":`...), s.all(), appendMessage), '}')
	},
	usage:  unslothUsage,
	loader: arrow, check: checkUnsloth, done: doneUnsloth,
	limits: limits{
		setting: "max_seq_length", usual: 2048, level: Warning,
		full: "all labels of the row are -100 and it teaches nothing", cut: "the answer is cut and its end never learned",
	},
}

func unslothUsage(w *written) string {
	return fmt.Sprintf(`    data = load_dataset("json", data_files=%q, split="train")
    data = data.map(lambda rows: {"text": [tokenizer.apply_chat_template(c, tokenize=False) for c in rows["conversations"]]}, batched=True)
    trainer = SFTTrainer(..., train_dataset=data, args=SFTConfig(dataset_text_field="text", max_length=%d))
    trainer = train_on_responses_only(trainer, instruction_part=..., response_part=..., last_response_only=True)

`, w.name(finetune.Train), w.tokens()) +
		"The two parts are the literal markers of the model's template, such as `<|im_start|>user\\n` and\n" +
		"`<|im_start|>assistant\\n` for ChatML, or `<|start_header_id|>user<|end_header_id|>\\n\\n` and\n" +
		"`<|start_header_id|>assistant<|end_header_id|>\\n\\n` for Llama 3. With others than the model's, every label is -100.\n" +
		"Only the last answer of a row is to be learned, therefore last_response_only.\n"
}

// unslothNames are the names that standardize_sharegpt knows.
var unslothNames = map[string]who{
	"system": system, "user": user, "human": user, "input": user, "assistant": assistant, "gpt": assistant, "output": assistant,
}

// unslothSeen are the first rows, by which Unsloth tells the key of the role from that of the content.
type unslothSeen struct {
	rows   int64
	values [2]map[string]bool
	keys   [2]string
}

const unslothLooks = 10 // rows

func checkUnsloth(v *validator, row value) {
	conversation := row.get("conversations")
	switch {
	case conversation.kind() > null:
		v.resetTexts()
		if row.has("text") && row.has("messages") {
			v.bad("two_formats", "keep one of them", "the row has conversations, messages and text: only one is read")
		}
		v.standard(conversation)
		v.length()
	case row.has("instruction"):
		alpacaUnset.row(v, row)
	case row.has("chosen"):
		checkTRLDPO(v, row)
	default:
		checkTRL(v, row)
		if row.has("messages") && v.once("formatting") {
			v.warn("formatting_func", "pass a formatting_func, or call the column conversations", "rows have messages: Unsloth's SFTTrainer raises without a formatting_func or a text column")
		}
	}
}

// standard judges a conversation that standardize_sharegpt reads.
func (v *validator) standard(conversation value) {
	if conversation.kind() != list || conversation.len() == 0 {
		v.bad("empty_messages", "delete the row", "conversations is not a list with a message: the template raises or writes nothing")
		return
	}
	c := mlxChat
	c.names = unslothNames
	c.unknown = "standardize_sharegpt raises TypeError in the first ten rows, and KeyError after them"
	c.missing = "standardize_sharegpt raises"
	if m := conversation.first(); m.has("from") || m.has("value") {
		c.role, c.content = "from", "value"
	}
	for n, m := range conversation.items() {
		if m.kind() == object && m.len() != 2 && v.once("two keys") {
			v.bad("message_keys", "leave two keys, "+c.role+" and "+c.content, "message %d has %d keys: standardize_sharegpt asserts that there are two", n, m.len())
		}
		for key, field := range m.members() {
			if field.kind() != text && string(key) != c.role && string(key) != c.content && v.once("not text") {
				v.bad("message_keys", "leave strings only", "message %d has %s under %s: standardize_sharegpt raises \"Cannot standardize non text datasets\"", n, field.kind(), quote(key))
			}
		}
	}
	t := v.talks(&c, conversation, "message")
	switch {
	case t.broken:
	case t.assistants == 0:
		v.bad("example_missing_assistant_message", "add the assistant's answer", "no message is the assistant's: train_on_responses_only finds no marker, and all labels are -100")
	case t.last != assistant:
		v.warn("last_role", "end with the assistant's message", "the last message is of the role %s: it is in the text and not learned", t.last)
	}
	seen, _ := v.state.(*unslothSeen)
	if seen == nil {
		seen = &unslothSeen{keys: [2]string{c.role, c.content}, values: [2]map[string]bool{{}, {}}}
		v.state = seen
	}
	if seen.rows++; seen.rows <= unslothLooks {
		for _, m := range conversation.items() {
			for i, key := range seen.keys {
				seen.values[i][string(m.get(key).bytes())] = true
			}
		}
	}
}

// doneUnsloth guesses as Unsloth does: the key with fewer values is the role.
func doneUnsloth(v *validator) {
	seen, _ := v.state.(*unslothSeen)
	if seen != nil && len(seen.values[0]) >= len(seen.values[1]) {
		level := Error
		if seen.keys[0] == "role" { // which needs no standardizing
			level = Warning
		}
		v.find(level, "role_key_guess", "add rows, or leave out standardize_sharegpt", "the first %d rows have %d different roles and %d different contents: standardize_sharegpt takes the key with fewer values for the role, guesses wrong and raises",
			min(seen.rows, unslothLooks), len(seen.values[0]), len(seen.values[1]))
	}
}
