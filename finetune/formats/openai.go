package formats

import (
	"bytes"
	"fmt"

	"parley/finetune"
)

// openaiSFT is supervised fine-tuning at OpenAI and whoever takes its files: conversations, in which
// the assistant's messages are learned unless their weight is 0.
var openaiSFT = Format{
	Name: "openai-sft", About: "Supervised fine-tuning at OpenAI, and at services with its interface", Tasks: teaching,
	encode: encodeWeighted, usage: openaiUsage,
	loader: service, limits: openaiLimits, check: checkOpenAI, done: enoughForOpenAI,
}

var openaiLimits = limits{
	setting: "the model's limit for an example", level: Warning,
	full: "examples are cut at the end, so nothing of the answer is learned",
	cut:  "it is accepted and cut at the end, so the end of the answer is not learned",
}

// encodeWeighted writes all turns in one conversation, and weighs those of the assistant.
func encodeWeighted(b []byte, s *sample) []byte {
	weigh := func(weight byte) func([]byte, finetune.Message) []byte {
		return func(b []byte, m finetune.Message) []byte {
			if b = appendMessage(b, m); m.Role == finetune.Assistant {
				b = append(append(b[:len(b)-1], `,"weight":`...), weight, '}')
			}
			return b
		}
	}
	b = appendMessages(append(b, `{"messages":`...), s.prompt, weigh('0'))
	b[len(b)-1] = ','
	at := len(b)
	b = appendMessages(b, s.completion, weigh('1'))
	return append(append(b[:at], b[at+1:]...), '}')
}

func openaiUsage(w *written) string {
	s := "Upload `" + w.name(finetune.Train) + "` as training file"
	if w.has(finetune.Validation) {
		s += " and `" + w.name(finetune.Validation) + "` as validation file"
	}
	s += " with the purpose `fine-tune`.\n"
	if w.rows[finetune.Train].Rows < 10 {
		s += "There are fewer than the 10 examples that a job needs.\n"
	}
	if w.format.Tasks[0] == finetune.Preference {
		return s + "The method is `dpo`; only the last answer is compared.\n"
	}
	return s + "Assistant messages of the weight 1 are learned, those of the weight 0 are context.\n" +
		fmt.Sprintf("The model's limit for an example has to be above %d tokens; longer ones are cut at the end.\n", w.tokens())
}

var openaiChat = chat{
	role: "role", content: "content",
	names: map[string]who{"system": system, "user": user, "assistant": assistant, "tool": tool, "function": tool},
	keys: map[string]bool{
		"role": true, "content": true, "name": true, "weight": true, "function_call": true,
		"tool_calls": true, "tool_call_id": true, "refusal": true,
	},
	unknown: "the upload is refused", missing: "the upload is refused",
	alternate: Warning, alternates: "OpenAI takes it, other services with its interface (Together) refuse it",
	blank: "the upload is refused", full: true,
	parts: openaiParts, message: openaiMessage,
}

// checkOpenAI holds a row against the rules of the chat format.
func checkOpenAI(v *validator, row value) {
	v.resetTexts()
	messages := row.get("messages")
	if messages.kind() != list || messages.len() == 0 {
		what := "nothing to learn from"
		if row.has("prompt") || row.has("chosen") || row.has("conversations") || row.has("instruction") || row.has("input") {
			what = "the row looks like another format"
		}
		v.bad("missing_messages_list", `write {"messages": [{"role": ..., "content": ...}, ...]}`, "there is no list of messages, or it is empty: %s, and the upload is refused", what)
		return
	}
	topLevel(v, row, "messages", "tools", "parallel_tool_calls", "functions")
	t := v.talks(&openaiChat, messages, "message")
	trained, weighed := 0, 0
	for _, m := range messages.items() {
		if m.get("role").is("assistant") {
			if weighed++; string(m.get("weight").bytes()) != "0" {
				trained++
			}
		}
	}
	switch {
	case t.assistants == 0 && !t.broken:
		v.bad("example_missing_assistant_message", "add the assistant's answer", "no message is the assistant's: there is nothing to learn, and the upload is refused")
	case weighed > 0 && trained == 0:
		v.bad("nothing_trained", "give the weight 1 to what should be learned", "every assistant message has the weight 0: nothing of the row is learned")
	case t.last != assistant && !t.broken:
		v.bad("last_role", "end with the assistant's message", "the last message is of the role %s: it has to be the assistant's, and the upload is refused", t.last)
	}
	if t.users == 0 && !t.broken {
		v.warn("missing_user", "add what the assistant answers", "no message is a user's: the model learns to speak first")
	}
	v.tools(row, messages)
	v.length()
}

// topLevel reports keys that a row does not have in the format.
func topLevel(v *validator, row value, known ...string) {
	for key := range row.members() {
		found := false
		for _, k := range known {
			found = found || k == string(key)
		}
		switch {
		case found:
		case known[0] == "messages" && (string(key) == "text" || string(key) == "prompt" || string(key) == "completion"):
			v.bad("two_formats", "keep one of them", "the row has messages and %s: it fits two formats, and services refuse it", key)
		default:
			v.warn("unrecognized_key", "delete it", "the row has the key %s, which is not of the format: services that check strictly refuse it", quote(key))
		}
	}
}

// enoughForOpenAI counts the rows of a file to learn from.
func enoughForOpenAI(v *validator) {
	if !v.teaches() || v.rows == 0 {
		return
	}
	if v.rows < 10 {
		v.bad("min_examples", "add examples until there are 10 at least", "the file has %d examples: a job needs 10 and fails without them", v.rows)
	} else if v.rows < 50 {
		v.warn("few_examples", "add examples; 50 to 100 show a difference", "the file has %d examples: OpenAI sees gains from 50 on", v.rows)
	}
}

// openaiMessage holds weight, name and calls of a message against the specification.
func openaiMessage(v *validator, m value, w who, n int) {
	if weight := m.get("weight"); weight.kind() > null {
		switch {
		case w != assistant && w != nobody:
			v.bad("weight_role", "delete the weight", "message %d has a weight and is not the assistant's: the upload is refused", n)
		case weight.kind() != number || !bytes.Equal(weight.bytes(), []byte("0")) && !bytes.Equal(weight.bytes(), []byte("1")):
			v.bad("weight_value", "write 0 or 1", "message %d has the weight %s: it has to be the integer 0 or 1, and the upload is refused", n, quote(weight.bytes()))
		}
	}
	if name := m.get("name"); name.kind() > null && (name.kind() != text || len(name.bytes()) == 0 || bytes.ContainsAny(name.bytes(), " \t\r\n<|\\/>")) {
		v.bad("name_value", "use letters, digits, _ and -", "message %d has the name %s: it may have no white space and none of < | \\ / >, and the upload is refused", n, quote(name.bytes()))
	}
}

// openaiParts judges content that is a list.
func openaiParts(v *validator, _ *chat, m value, w who, n int) {
	parts := m.get("content")
	said := 0
	for _, p := range parts.items() {
		switch kind := p.get("type"); {
		case kind.is("text") && p.get("text").kind() == text:
			said += len(p.get("text").bytes())
			v.says(p.get("text").bytes())
		case kind.is("image_url") && w == user:
			said++
		default:
			v.bad("content_parts", `use {"type": "text", "text": ...}, and images in user messages only`, "message %d has a part of content that cannot be learned from: the upload is refused", n)
		}
	}
	if said == 0 {
		v.bad("missing_content", "write the content as a string", "message %d has an empty list as content: the upload is refused", n)
		return
	}
	v.warn("content_parts", "write the content as a string", "message %d has a list as content: models without vision take a string only", n)
}
