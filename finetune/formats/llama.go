package formats

import (
	"bytes"
	"cmp"
	"fmt"
)

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

// sharegptUnset, alpacaUnset and llamaOpen return what LLaMA-Factory reads without columns and tags,
// and by the tags of OpenAI's messages.
func sharegptUnset() llamaAttr {
	return llamaAttr{
		formatting: "sharegpt", messages: "conversations", role: "from", content: "value",
		user: "human", assistant: "gpt", observation: "observation", function: "function_call", systemTag: "system",
	}
}

func alpacaUnset() llamaAttr {
	return llamaAttr{formatting: "alpaca", prompt: "instruction", query: "input", response: "output"}
}

func llamaOpen(messages string) llamaAttr {
	return llamaAttr{
		formatting: "sharegpt", messages: messages, role: "role", content: "content",
		user: "user", assistant: "assistant", observation: "tool", function: "function_call", systemTag: "system",
	}
}

// checkLlama judges a row of a file that has no dataset_info.json, by its columns.
func checkLlama(v *validator, row *value) {
	attr := alpacaUnset()
	switch {
	case row.get("messages") != nil:
		if row.has("conversations") {
			v.report("two_formats", "one", "messages", "other", "conversations")
		}
		attr = llamaOpen("messages")
	case row.get("conversations").last().has("role"):
		attr = llamaOpen("conversations")
	case row.get("conversations") != nil:
		attr = sharegptUnset()
	case row.get("instruction") == nil:
		v.report("missing_columns", "column", "messages")
		return
	}
	if attr.role == "role" {
		v.advise("needs_dataset_info")
	}
	attr.ranking = row.has("chosen") || row.has("rejected")
	attr.chosen, attr.rejected = "chosen", "rejected"
	attr.row(v, row)
}

// checkShareGPT judges a row of conversations.
func checkShareGPT(v *validator, row *value) {
	attr := sharegptUnset()
	attr.ranking = row.has("chosen") && row.has("rejected")
	attr.chosen, attr.rejected = "chosen", "rejected"
	attr.row(v, row)
	if said := row.get("system"); len(said.bytes()) > 0 && said.k == text {
		v.advise("column_unlisted")
	}
}

// checkAlpaca judges a row of instructions.
func checkAlpaca(v *validator, row *value) {
	if row.get("instruction") == nil && (row.has("messages") || row.has("conversations") || row.has("prompt")) {
		v.report("wrong_format", "format", "llama-factory or trl-sft")
		return
	}
	attr := alpacaUnset()
	attr.row(v, row)
	if said := row.get("system"); said.kind() == text && len(said.text) > 0 {
		v.advise("needs_dataset_info:system")
	}
	if row.get("history").len() > 0 {
		v.advise("history_trained")
	}
}

// row compares a row with the converter of its formatting.
func (a *llamaAttr) row(v *validator, row *value) {
	if row.has("text") && (row.has("messages") || row.has("conversations")) {
		v.report("two_formats", "one", "messages", "other", "text")
	}
	if a.known {
		a.unlisted(v, row)
	}
	if a.kto != "" && row.get(a.kto).kind() != boolean {
		v.report("kto_tag", "column", a.kto, "kind", row.get(a.kto).kind())
	}
	if t := row.get(a.tools); a.tools != "" && t.kind() > null && t.k != text && a.formatting != "openai" {
		v.report("tools", "what", "tools is "+t.k.String(), "how", "write the list with json.dumps, as a string")
	}
	if a.formatting == "alpaca" {
		a.instruct(v, row)
	} else {
		a.converse(v, row)
	}
}

// unlisted reports columns that are there and not read.
func (a *llamaAttr) unlisted(v *validator, row *value) {
	for _, c := range []struct {
		name, read string
		alpaca     bool // a column of instructions only
	}{
		{"system", a.system, false}, {"tools", a.tools, false}, {"history", a.history, true}, {"input", a.query, true},
		{"output", a.response, true}, {"instruction", a.prompt, true},
	} {
		there := row.get(c.name)
		if c.read == "" && (a.formatting == "alpaca" || !c.alpaca) && there.kind() > null && (len(there.text) > 0 || there.len() > 0) && v.once("column "+c.name) {
			v.report("column_unlisted:info", "column", c.name)
		}
	}
}

// converse judges a row of conversations as LLaMA-Factory's converter does: users and assistants take
// turns, the user first.
func (a *llamaAttr) converse(v *validator, row *value) {
	messages := row.get(a.messages)
	switch {
	case messages.kind() != list:
		v.report("missing_messages_list", "column", a.messages, "looks", "")
		return
	case messages.len() == 0:
		v.report("empty_messages", "column", a.messages)
		return
	}
	for n, m := range messages.items() {
		if m.get(a.role).kind() != text || m.get(a.content) == nil {
			v.report("message_missing_key", "where", "message", "n", n, "key", a.role+" or "+a.content, "role", a.role, "content", a.content)
			return
		}
	}
	c := a.chat()
	turn, broken, last := 0, false, part("")
	c.prompt = a.ranking
	c.order = func(tag string, w part, n int) {
		merged := last == tool && w == tool && a.formatting == "openai" // several answers of tools become one
		last = w
		if n == 1 && w == system || merged {
			return
		}
		if turn++; broken || a.fits(tag, turn) {
			return
		}
		if broken = true; w == "" {
			v.report("unrecognized_role", "where", "message", "n", n, "role", quote(tag), "roles", a.user+" and "+a.assistant)
		} else {
			v.report("alternation", "where", "message", "n", n, "role", quote(tag))
		}
	}
	t := v.talk(&c, messages, "message")
	if !a.ranking {
		v.unmarked(t)
	}
	if !broken && !t.broken {
		a.ends(v, turn, last)
	}
	if a.ranking {
		a.pair(v, row)
	}
}

// ends judges how many turns there are, and who has the last one.
func (a *llamaAttr) ends(v *validator, turns int, last part) {
	switch {
	case !a.ranking && turns%2 != 0:
		v.report("odd_count", "n", turns, "assistant", a.assistant)
	case a.ranking && turns%2 == 0:
		v.report("even_count", "n", turns, "user", a.user)
	case turns == 0:
		v.report("empty_messages", "column", a.messages)
	case !a.ranking && last != assistant:
		v.report("example_missing_assistant_message")
	}
}

// chat returns how the messages are written.
func (a *llamaAttr) chat() chat {
	roles := map[string]part{a.function: assistant, a.assistant: assistant, a.observation: tool, a.user: user, a.systemTag: system}
	delete(roles, "")
	return chat{Role: a.role, Content: a.content, Roles: roles}
}

// fits says whether a tag can be in a place, from 1.
func (a *llamaAttr) fits(tag string, place int) bool {
	if place%2 == 1 {
		return tag != "" && (tag == a.user || tag == a.observation)
	}
	return tag != "" && (tag == a.assistant || tag == a.function)
}

// pair judges the two answers of a preference, which are messages.
func (a *llamaAttr) pair(v *validator, row *value) {
	c := a.chat()
	v.pair(row, [2]string{a.chosen, a.rejected}, func(answer *value, name string) *value {
		switch {
		case answer.k != object:
			v.report("answer_not_message", "column", name, "kind", answer.k, "role", a.role, "assistant", a.assistant, "content", a.content)
			return nil
		case c.Roles[string(answer.get(a.role).bytes())] != assistant:
			v.report("answer_role", "column", name, "role", quote(answer.get(a.role).bytes()))
			return nil
		}
		v.content(&c, answer, assistant, name, 1)
		v.reasoning(&c, answer, name, 1)
		return answer.get(a.content)
	})
}

// instruct judges a row of instructions as LLaMA-Factory's converter does.
func (a *llamaAttr) instruct(v *validator, row *value) {
	if a.history != "" || row.has("history") {
		a.pairs(v, row.get(cmp.Or(a.history, "history")))
	}
	a.question(v, row)
	if s := row.get(cmp.Or(a.system, "system")); s.kind() > null {
		if s.k != text {
			v.report("system_not_string", "kind", s.k)
		}
		v.says(s.text)
	}
	v.answers()
	said := row.get(a.response)
	switch {
	case a.ranking || a.response != "" && said.kind() <= null && row.has("chosen") && row.has("rejected"):
		a.alternatives(v, row)
	case said.kind() <= null:
		v.report("missing_output", "column", a.response)
	case said.k != text:
		v.report("output_not_string", "column", a.response, "kind", said.k)
	default:
		v.plainAnswer(said, a.response)
	}
	for _, key := range []string{"weight", "train"} {
		if mark := row.get(key); mark.kind() > null && string(mark.text) != "1" && string(mark.text) != "true" {
			v.report(map[string]string{"weight": "weight_ignored", "train": "train_ignored"}[key], "where", "the answer of row", "n", v.rows, "key", key, "value", quote(mark.text))
		}
	}
}

// question judges what is asked, in one column or two.
func (a *llamaAttr) question(v *validator, row *value) {
	asked := 0
	for _, name := range []string{a.prompt, a.query} {
		said := row.get(name)
		switch {
		case name == "":
		case said.kind() == text:
			v.plain(said.text, name)
			asked += len(bytes.TrimSpace(said.text))
		case said.kind() > null:
			v.report("instruction_not_string", "column", name, "kind", said.k)
			asked++
		case said == nil && name == a.prompt:
			v.report("missing_instruction", "column", name)
			asked++
		}
	}
	if asked == 0 {
		v.report("empty_content:prompt", "column", "what is asked")
	}
}

// pairs judges the history.
func (a *llamaAttr) pairs(v *validator, history *value) {
	if history.kind() <= null {
		return
	}
	if history.k != list {
		v.report("history_pair", "what", "the whole")
		return
	}
	tag := ""
	for n, pair := range history.items() {
		texts := 0
		for i, said := range pair.items() {
			if said.kind() != text {
				continue
			}
			texts++
			v.says(said.text)
			v.special(said.text, "history", n)
			if i == 2 {
				tag = cmp.Or(tag, v.tagged(said.text, "history", n))
			}
		}
		if pair.k != list || pair.len() != 2 || texts != 2 {
			v.report("history_pair", "what", fmt.Sprintf("entry %d", n))
		}
	}
	if tag != "" {
		v.report("reasoning_dropped", "where", "history", "n", 1, "tag", tag)
	}
}

// alternatives judges chosen and rejected, which are strings here.
func (a *llamaAttr) alternatives(v *validator, row *value) {
	v.pair(row, [2]string{cmp.Or(a.chosen, "chosen"), cmp.Or(a.rejected, "rejected")}, func(answer *value, name string) *value {
		if answer.k != text {
			v.report("output_not_string", "column", name, "kind", answer.k)
		} else {
			v.plainAnswer(answer, name)
		}
		return answer
	})
}
