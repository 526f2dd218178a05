package formats

import (
	"bytes"
	"fmt"

	"parley/finetune"
)

// axolotl is the trainer of that name: conversations in which every message says whether it is
// trained on, and the YAML that makes axolotl look. Preferences are of its type chat_template.default.
var axolotl = Format{
	Name: "axolotl", About: "Axolotl: rows for type chat_template, and the data part of its YAML", Tasks: both,
	encode: encodeAxolotl, extra: axolotlFiles, usage: axolotlUsage,
	loader: arrow, open: openAxolotl, check: func(v *validator, row value) { axolotlUnset.row(v, row) },
	limits: limits{
		setting: "sequence_len", level: Error,
		full: "rows that are too long are dropped", cut: "rows that are too long are dropped",
	},
}

func encodeAxolotl(b []byte, s *sample) []byte {
	b = append(b, `{"messages":`...)
	if s.preference {
		b = appendMessages(b, s.prompt, appendMessage)
		b = appendMessage(append(b, `,"chosen":`...), s.completion[0])
		return append(appendMessage(append(b, `,"rejected":`...), finetune.Message{Role: finetune.Assistant, Content: s.rejected}), '}')
	}
	train := func(learned bool) func([]byte, finetune.Message) []byte {
		return func(b []byte, m finetune.Message) []byte {
			b = appendMessage(b, m)
			return fmt.Appendf(b[:len(b)-1], `,"train":%t}`, learned && m.Role == finetune.Assistant)
		}
	}
	b = appendMessages(b, s.prompt, train(false))
	b[len(b)-1] = ','
	at := len(b)
	b = appendMessages(b, s.completion, train(true))
	return append(append(b[:at], b[at+1:]...), '}')
}

const axolotlYAML = "axolotl.yaml"

// axolotlFiles are the data part of a configuration.
func axolotlFiles(w *written) (map[string]string, error) {
	set := func(split finetune.Split) string {
		s := "  - path: " + w.name(split) + "\n    ds_type: json\n    split: train\n"
		if w.task == finetune.Preference {
			return s + "    type: chat_template.default\n    field_messages: messages\n    field_chosen: chosen\n    field_rejected: rejected\n" +
				"    message_property_mappings:\n      role: role\n      content: content\n"
		}
		return s + "    type: chat_template\n    field_messages: messages\n    message_property_mappings:\n      role: role\n      content: content\n" +
			"    message_field_training: train\n    roles_to_train: [assistant]\n    train_on_eos: turn\n"
	}
	yaml := "# The data part of an axolotl configuration. Paths are relative to where axolotl is started.\n" +
		"chat_template: tokenizer_default\n"
	if w.task == finetune.Preference {
		yaml += "rl: dpo\n"
	} else {
		yaml += "train_on_inputs: false\n"
	}
	yaml += fmt.Sprintf("sequence_len: %d\ndatasets:\n%s", w.tokens(), set(finetune.Train))
	if w.has(finetune.Validation) {
		yaml += "test_datasets:\n" + set(finetune.Validation)
	}
	return map[string]string{axolotlYAML: yaml}, nil
}

func axolotlUsage(w *written) string {
	s := "Copy `" + axolotlYAML + "` into your configuration and start axolotl in this directory.\n"
	if w.task == finetune.Preference {
		return s + "White space at the end of an answer is stripped by axolotl.\n"
	}
	return s + "`message_field_training: train` makes axolotl look at the key train; without it, assistant messages of the prompt are learned too.\n" +
		fmt.Sprintf("Rows longer than sequence_len are dropped: %d holds all of them, by a cautious estimate.\n", w.tokens())
}

// axolotlSet is how axolotl is told to read rows.
type axolotlSet struct {
	known      bool // from a configuration
	kind       string
	preference bool
	messages   string
	chosen     string
	rejected   string
	training   string // key of a message that says whether it is learned
	learned    map[who]bool
	inputs     bool // everything is learned
	chat       chat
}

// axolotlUnset is what axolotl does without further settings.
var axolotlUnset = axolotlSet{
	messages: "messages", chosen: "chosen", rejected: "rejected", learned: map[who]bool{assistant: true},
	chat: chat{
		role: "role", content: "content",
		names:     map[string]who{"system": system, "user": user, "human": user, "assistant": assistant, "gpt": assistant, "tool": tool},
		unknown:   "it is in no role that axolotl knows, so the message is not learned, and most templates raise",
		missing:   "axolotl raises KeyError, or the template gets nothing",
		alternate: Warning, alternates: "templates of Mistral and Gemma raise \"roles must alternate\"",
		blank: "axolotl finds no boundary and skips it without a word",
	},
}

// row holds a row against the configuration.
func (a *axolotlSet) row(v *validator, row value) {
	v.resetTexts()
	preference := a.preference || !a.known && row.has(a.chosen)
	messages := row.get(a.messages)
	switch {
	case row.has("text") && messages.kind() > null:
		v.bad("two_formats", "keep one of them", "the row has %s and text: it fits two formats, and the text is not trained on", a.messages)
	case preference && messages.kind() <= null && !a.known:
		a.prompts(v, row)
		return
	case messages.kind() <= null && row.get("conversations").kind() == list:
		v.bad("field_messages", "set field_messages: conversations and message_property_mappings: {role: from, content: value}; type sharegpt is gone",
			"the messages stand in conversations: axolotl looks for %s and raises \"Messages is null\"", a.messages)
		return
	case messages.kind() <= null:
		v.bad("missing_messages_list", `write {"messages": [...]}, or set field_messages`, "there is no list under %s: axolotl raises \"Messages is null\"", a.messages)
		return
	case messages.kind() == text && preference:
		v.says(messages.bytes())
		a.pair(v, row)
		return
	case messages.kind() == text:
		v.warn("messages_string", "write the list itself", "%s is a string: axolotl reads it as JSON, and nothing of it was looked at here", a.messages)
		return
	case messages.kind() != list:
		v.bad("missing_messages_list", `write {"messages": [...]}`, "%s is %s and not a list: axolotl raises", a.messages, messages.kind())
		return
	case messages.len() == 0:
		v.bad("empty_messages", "delete the row", "%s is an empty list: axolotl takes the first and raises IndexError", a.messages)
		return
	}
	if preference {
		a.preferenceOf(v, row, messages)
		return
	}
	a.teach(v, messages)
	v.length()
}

// teach judges a conversation, and whether anything of it is learned.
func (a *axolotlSet) teach(v *validator, messages value) {
	c := a.chat
	learned, last := 0, false
	c.parts = a.parts
	c.message = func(v *validator, m value, w who, n int) {
		last = a.inputs || a.learned[w]
		a.flags(v, m, w, n)
		if t := m.get(a.training); a.training != "" && t.kind() > null {
			last = string(t.bytes()) == "true" || t.kind() == text && len(t.bytes()) > 0 || t.kind() == number && string(t.bytes()) != "0"
			if t.kind() != boolean {
				v.bad("train_value", "write true or false", "message %d has %s as %s: Python takes every string that is not empty for true", n, t.kind(), a.training)
			}
		}
		if last {
			learned++
		}
		for _, call := range m.get("tool_calls").items() {
			args := call.get("function").get("arguments")
			if args.kind() == object && v.once("arguments") {
				v.warn("arguments_object", "write the arguments as a JSON string where their types vary", "message %d has arguments as an object: datasets gives all rows one type, and pads or refuses others", n)
			}
			var d document
			if args.kind() != text {
				continue
			}
			if _, err := d.parse(args.bytes()); err != nil {
				v.bad("arguments_json", "write the arguments with json.dumps", "message %d has arguments that are not JSON (%s): axolotl raises", n, err)
			}
		}
	}
	t := v.talks(&c, messages, "message")
	switch {
	case t.broken:
	case t.assistants == 0:
		v.bad("example_missing_assistant_message", "add the assistant's answer", "no message is the assistant's: nothing of the row is learned")
	case learned == 0:
		v.bad("nothing_trained", "set train on what should be learned", "no message is trained on: the row is dropped or teaches nothing")
	case !last:
		v.warn("last_role", "end with a message that is learned", "the last message is not trained on: axolotl warns that the end of text may be unmasked in the wrong place")
	}
}

// flags judges per-turn marks that axolotl does not look at.
func (a *axolotlSet) flags(v *validator, m value, w who, n int) {
	if w == assistant && m.has("weight") && string(m.get("weight").bytes()) == "0" && v.once("weight") {
		v.bad("weight_ignored", "write \"train\": false, and set message_field_training: train", "message %d has the weight 0: axolotl does not look at weights, and learns the message", n)
	}
	for _, key := range []string{"train", "training"} {
		if a.training == key || !m.has(key) || !v.once(key) {
			continue
		}
		if a.known {
			v.bad("train_ignored", "set message_field_training: "+key, "messages have the key %s, and the configuration does not name it: axolotl does not look at it", key)
		} else {
			v.warn("train_needs_setting", "set message_field_training: "+key, "messages have the key %s: axolotl looks at it only when the configuration names it", key)
		}
	}
}

// parts judges content in parts, each of which may say whether it is learned.
func (a *axolotlSet) parts(v *validator, _ *chat, m value, _ who, n int) {
	parts := m.get(a.chat.content)
	for _, p := range parts.items() {
		said := p.get("text")
		for _, key := range []string{"content", "value"} {
			if said.kind() != text {
				said = p.get(key)
			}
		}
		if p.kind() != object || said.kind() != text {
			v.warn("content_parts", "write parts as {\"text\": ..., \"train\": true}", "message %d has a part of content without text: axolotl leaves it out", n)
			continue
		}
		v.says(said.bytes())
		v.special(said.bytes(), "message", n)
		if b := said.bytes(); (p.has("train") || p.has("weight")) && len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
			v.warn("part_space", "move the space to the start of the next part", "message %d has a part that ends with a space: the token over the boundary is masked", n)
		}
	}
	if parts.len() == 0 {
		v.bad("missing_content", "write the content as a string", "message %d has an empty list as content: axolotl finds no boundary and skips it without a word", n)
	}
}

// preferenceOf judges a row of the type chat_template.default.
func (a *axolotlSet) preferenceOf(v *validator, row, messages value) {
	c := a.strict()
	t := v.talks(&c, messages, "message")
	if !t.broken && t.last != user && t.last != tool {
		v.bad("last_role", "end with what is answered", "the messages end with the role %s: the answer's header follows an answer", t.last)
	}
	v.answers()
	a.pair(v, row)
	v.length()
}

// strict is the chat of preferences, where a role that is not in the map is not let through.
func (a *axolotlSet) strict() chat {
	c := a.chat
	c.unknown = "it is not in the map of roles, and axolotl raises KeyError"
	if !a.known || len(c.names) == len(axolotlUnset.chat.names) {
		c.names = openNames
	}
	return c
}

// pair judges the two answers.
func (a *axolotlSet) pair(v *validator, row value) {
	var said [2]value
	for i, name := range []string{a.chosen, a.rejected} {
		answer := row.get(name)
		switch answer.kind() {
		case none, null:
			v.bad("missing_"+pair[i], "add it; a row has one chosen and one rejected answer", "there is no %s answer: axolotl raises KeyError", name)
			continue
		case list:
			if answer.len() == 0 {
				v.bad("empty_messages", "write the answer as one message", "%s is an empty list: axolotl takes the last and raises IndexError", name)
				continue
			}
			if answer.len() > 1 {
				v.warn("answer_list", "write the answer as one message", "%s is a list of %d messages: axolotl takes the last and leaves out the others", name, answer.len())
			}
			answer = answer.last()
		}
		said[i] = answer
		if answer.kind() == object {
			c := a.strict()
			if w := v.role(&c, answer, name, 1); w != assistant && w != nobody {
				v.bad("answer_role", "let it be the assistant's", "%s is of the role %s: an answer is the assistant's", name, w)
			}
			texts := len(v.texts)
			if v.content(&c, answer, assistant, name, 1); i == 1 {
				v.texts = v.texts[:texts]
			}
			said[i] = answer.get(c.content)
		} else if answer.kind() != text {
			v.bad("missing_content", "write a message or a string", "%s is %s: axolotl raises", name, answer.kind())
		}
		if b := said[i].bytes(); said[i].kind() == text && len(b) > 0 && len(bytes.TrimSpace(b[len(b)-1:])) == 0 {
			v.warn("trailing_space_lost", "strip the answer", "%s ends with white space, which axolotl strips", name)
		}
	}
	if said[0].kind() == text && said[1].kind() == text && bytes.Equal(bytes.TrimSpace(said[0].bytes()), bytes.TrimSpace(said[1].bytes())) {
		v.bad("identical", "delete the row", "chosen and rejected are the same: the row teaches nothing")
	}
}

// prompts judges preferences without messages: of the types argilla_chat and prompt_pairs.
func (a *axolotlSet) prompts(v *validator, row value) {
	prompt := row.get("prompt")
	if prompt.kind() != text && row.get(a.chosen).kind() != list {
		v.bad("missing_messages_list", "write messages, chosen and rejected for type chat_template.default", "there are neither messages nor a prompt: axolotl raises KeyError")
		return
	}
	if v.once("pairs") {
		v.warn("type_unsure", "write messages, chosen and rejected for type chat_template.default", "rows have no messages: they are read by type chatml.prompt_pairs or chat_template.argilla_chat only")
	}
	if v.says(prompt.bytes()); row.get(a.chosen).kind() == text && row.get(a.rejected).kind() == text {
		a.pair(v, row)
	}
	v.length()
}
