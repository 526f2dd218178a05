package formats

import (
	"bytes"
	"fmt"

	"parley/finetune"
)

// sharegpt is the format of shared conversations, human and gpt in turn, that LLaMA-Factory and Unsloth
// take without settings and axolotl with a mapping. It is judged as LLaMA-Factory reads it.
var sharegpt = Format{
	Name: "sharegpt", About: "ShareGPT: conversations of human and gpt, one row an answer", Tasks: teaching,
	each: true,
	encode: func(b []byte, s *sample) []byte {
		names := map[finetune.Role]string{finetune.System: "system", finetune.User: "human", finetune.Assistant: "gpt"}
		b = appendMessages(append(b, `{"conversations":`...), s.all(), func(b []byte, m finetune.Message) []byte {
			b = appendPair(append(b, '{'), "from", names[m.Role])
			return append(appendPair(append(b, ','), "value", m.Content), '}')
		})
		return append(b, '}')
	},
	usage:  sharegptUsage,
	loader: arrow, limits: llamaLimits,
	check: func(v *validator, row value) {
		attr := sharegptUnset
		attr.ranking = row.has("chosen") && row.has("rejected")
		attr.chosen, attr.rejected = "chosen", "rejected"
		attr.row(v, row)
		if said := row.get("system"); len(said.bytes()) > 0 && v.once("system column") {
			v.warn("column_unlisted", "let it be the first message, {\"from\": \"system\", \"value\": ...}", "rows have system beside conversations: LLaMA-Factory reads it only if dataset_info.json lists it, and Unsloth not at all")
		}
	},
}

func sharegptUsage(w *written) string {
	return fmt.Sprintf("* LLaMA-Factory: `\"%s\": {\"file_name\": %q, \"formatting\": \"sharegpt\"}` in dataset_info.json, with mask_history: true and cutoff_len: %d.\n", w.o.Dataset, w.name(finetune.Train), w.tokens()) +
		"* Axolotl: type chat_template (sharegpt is removed), field_messages: conversations, message_property_mappings: {role: from, content: value}.\n" +
		"* Unsloth: standardize_sharegpt, then train_on_responses_only with last_response_only=True.\n\n" +
		"A row is one answer and what came before it; only the last gpt message is to be learned.\n" +
		"Axolotl cannot mask the messages before: for conversations take its own format.\n"
}

// converse judges a row of conversations as LLaMA-Factory's converter does.
func (a *llamaAttr) converse(v *validator, row value) {
	messages := row.get(a.messages)
	switch {
	case messages.kind() != list:
		remedy := "write the conversation under " + a.messages
		if row.has("messages") || row.has("conversations") {
			remedy += ", or name the column and the tags in dataset_info.json"
		}
		v.bad("missing_messages_list", remedy, "there is no list under %s: LLaMA-Factory raises KeyError", a.messages)
		return
	case messages.len() == 0:
		v.bad("empty_messages", "delete the row", "%s is an empty list: the row is dropped (\"Dropped invalid example\")", a.messages)
		return
	}
	turn, broken, last, answering := 0, false, false, false
	for n, m := range messages.items() {
		role := m.get(a.role)
		if m.kind() != object || role.kind() != text || m.get(a.content).kind() == none {
			v.bad("message_missing_key", "give each message the keys "+a.role+" and "+a.content+", or set role_tag and content_tag", "message %d has no %s or no %s: LLaMA-Factory raises KeyError", n, a.role, a.content)
			return
		}
		tag := string(role.bytes())
		w := a.who(tag)
		last = w == assistant
		a.said(v, m, w, n)
		if n == 1 && tag == a.systemTag && tag != "" {
			continue
		}
		was := answering
		if answering = w == tool; answering && was && a.formatting == "openai" { // several answers of tools become one
			continue
		}
		if turn++; !broken && !a.fits(tag, turn) {
			broken = true
			if w == nobody {
				v.bad("unrecognized_role", "use "+a.user+" and "+a.assistant+", or set the tags in dataset_info.json", "message %d has the %s %s: \"Invalid role tag\", and the row is skipped", n, a.role, quote(role.bytes()))
			} else {
				v.bad("alternation", "let "+a.user+" and "+a.assistant+" alternate, "+a.user+" first", "message %d has the %s %s in the place of another: \"Invalid role tag\", and the row is skipped", n, a.role, quote(role.bytes()))
			}
		}
	}
	switch {
	case broken:
	case !a.ranking && turn%2 != 0:
		v.bad("odd_count", "end with a message of "+a.assistant, "there are %d messages without the system message: LLaMA-Factory wants an even number (\"Invalid message count\") and skips the row", turn)
	case a.ranking && turn%2 == 0:
		v.bad("even_count", "end with a message of "+a.user, "there are %d messages without the system message: preferences want an odd number (\"Invalid message count\"), and the row is skipped", turn)
	case turn == 0:
		v.bad("empty_messages", "delete the row", "there is a system message and nothing else: the row is dropped")
	case !a.ranking && !last:
		v.bad("example_missing_assistant_message", "add the assistant's answer", "the last message is not the assistant's")
	}
	if a.ranking {
		a.pair(v, row)
	}
}

// who is the part that a tag stands for.
func (a *llamaAttr) who(tag string) who {
	switch tag {
	case "":
		return nobody
	case a.systemTag:
		return system
	case a.user:
		return user
	case a.observation:
		return tool
	case a.assistant, a.function:
		return assistant
	}
	return nobody
}

// fits says whether a tag can stand in a place, from 1.
func (a *llamaAttr) fits(tag string, place int) bool {
	if tag == "" {
		return false
	}
	if place%2 == 1 {
		return tag == a.user || tag == a.observation
	}
	return tag == a.assistant || tag == a.function
}

// said judges what a message says.
func (a *llamaAttr) said(v *validator, m value, w who, n int) {
	c := chat{
		content: a.content, role: a.role, missing: "the template adds it to strings and raises TypeError",
		blank: "only the end of the turn is learned, so the model learns to say nothing",
	}
	if w == assistant {
		v.answers()
	}
	v.content(&c, m, w, "message", n)
	if string(m.get("weight").bytes()) == "0" && v.once("weight") {
		v.bad("weight_ignored", "write one row an answer, and set mask_history: true", "message %d has the weight 0: LLaMA-Factory does not look at weights, and learns the message", n)
	}
}

// pair judges the two answers of a preference.
func (a *llamaAttr) pair(v *validator, row value) {
	v.answers()
	var said [2]value
	for i, name := range []string{a.chosen, a.rejected} {
		answer := row.get(name)
		switch {
		case answer.kind() <= null:
			v.bad("missing_"+pair[i], "add it; a row has one chosen and one rejected answer", "there is no %s answer: the row is read as one without preferences and dropped", name)
		case answer.kind() != object:
			v.bad("answer_not_message", fmt.Sprintf(`write one message, {"%s": "%s", "%s": ...}`, a.role, a.assistant, a.content), "%s is %s and not a message: the row is read as one without preferences and dropped", name, answer.kind())
		case a.who(string(answer.get(a.role).bytes())) != assistant:
			v.bad("answer_role", "give it the role "+a.assistant, "%s has the %s %s: \"Invalid role tag\", and KeyError where it is no tag at all", name, a.role, quote(answer.get(a.role).bytes()))
		default:
			texts := len(v.texts)
			if a.said(v, answer, nobody, i+1); i == 1 {
				v.texts = v.texts[:texts]
			}
			if said[i] = answer.get(a.content); said[i].kind() == text && len(bytes.TrimSpace(said[i].bytes())) == 0 {
				v.bad("empty_content", "delete the row", "the %s answer is empty", name)
			}
		}
	}
	if said[0].kind() == text && said[1].kind() == text && bytes.Equal(said[0].bytes(), said[1].bytes()) {
		v.bad("identical", "delete the row", "chosen and rejected are the same: the row teaches nothing")
	}
}
