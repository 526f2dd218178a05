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
	turn, broken, last, answering := 0, false, false, false
	var said llamaTalk
	for n, m := range messages.items() {
		role := m.get(a.role)
		if role.kind() != text || m.get(a.content) == nil {
			v.report("message_missing_key", "where", "message", "n", n, "key", a.role+" or "+a.content, "role", a.role, "content", a.content)
			return
		}
		tag := string(role.text)
		w := a.who(tag)
		last = w == assistant
		a.said(v, &said, m, w, n)
		if n == 1 && tag == a.systemTag && tag != "" {
			continue
		}
		was := answering
		if answering = w == tool; answering && was && a.formatting == "openai" { // several answers of tools become one
			continue
		}
		if turn++; !broken && !a.fits(tag, turn) {
			broken = true
			if w == "" {
				v.report("unrecognized_role", "where", "message", "n", n, "role", quote(tag), "roles", a.user+" and "+a.assistant)
			} else {
				v.report("alternation", "where", "message", "n", n, "role", quote(tag))
			}
		}
	}
	said.end(v, a.ranking)
	switch {
	case broken:
	case !a.ranking && turn%2 != 0:
		v.report("odd_count", "n", turn, "assistant", a.assistant)
	case a.ranking && turn%2 == 0:
		v.report("even_count", "n", turn, "user", a.user)
	case turn == 0:
		v.report("empty_messages", "column", a.messages)
	case !a.ranking && !last:
		v.report("example_missing_assistant_message")
	}
	if a.ranking {
		a.pair(v, row)
	}
}

// who returns the part that a tag means.
func (a *llamaAttr) who(tag string) part {
	switch tag {
	case "":
		return ""
	case a.systemTag:
		return system
	case a.user:
		return user
	case a.observation:
		return tool
	case a.assistant, a.function:
		return assistant
	}
	return ""
}

// fits says whether a tag can be in a place, from 1.
func (a *llamaAttr) fits(tag string, place int) bool {
	if place%2 == 1 {
		return tag != "" && (tag == a.user || tag == a.observation)
	}
	return tag != "" && (tag == a.assistant || tag == a.function)
}

// llamaTalk is what the messages of a row come to, besides their order.
type llamaTalk struct {
	talk
	reported map[string]bool // marks
	thought  int             // message with reasoning, before a user's next one
	tag      string
	dropped  bool
}

// said judges what a message says.
func (a *llamaAttr) said(v *validator, t *llamaTalk, m *value, w part, n int) {
	c := chat{Content: a.content, Role: a.role}
	if w == assistant {
		v.answers()
		t.assistants++
		if tag := v.reasoning(&c, m, "message", n); tag != "" && t.thought == 0 {
			t.thought, t.tag = n, tag
		}
		if t.reported == nil {
			t.reported = map[string]bool{}
		}
		if v.marks(&c, m, w, "message", n, t.reported) {
			t.marked++
		}
	}
	t.dropped = t.dropped || w == user && t.thought > 0
	v.content(&c, m, w, "message", n)
}

// end reports what is known when all messages were read. Those of a preference are a prompt.
func (t *llamaTalk) end(v *validator, prompt bool) {
	if t.dropped || prompt && t.thought > 0 {
		v.report("reasoning_dropped", "where", "message", "n", t.thought, "tag", t.tag)
	}
	if !prompt {
		v.unmarked(t.talk)
	}
}

// pair judges the two answers of a preference, which are messages.
func (a *llamaAttr) pair(v *validator, row *value) {
	v.answers()
	var said [2]*value
	c := chat{Content: a.content, Role: a.role}
	for i, name := range []string{a.chosen, a.rejected} {
		answer := row.get(name)
		switch {
		case answer.kind() <= null:
			v.report([]string{"missing_chosen", "missing_rejected"}[i], "column", name)
		case answer.k != object:
			v.report("answer_not_message", "column", name, "kind", answer.k, "role", a.role, "assistant", a.assistant, "content", a.content)
		case a.who(string(answer.get(a.role).bytes())) != assistant:
			v.report("answer_role", "column", name, "role", quote(answer.get(a.role).bytes()))
		default:
			judge := func() {
				v.content(&c, answer, assistant, name, 1)
				v.reasoning(&c, answer, name, 1)
			}
			if said[i] = answer.get(a.content); i == 1 {
				v.apart(judge)
			} else {
				judge()
			}
		}
	}
	v.compare(said[0], said[1])
}

// instruct judges a row of instructions as LLaMA-Factory's converter does.
func (a *llamaAttr) instruct(v *validator, row *value) {
	if a.history != "" || row.has("history") {
		a.pairs(v, row.get(cmp.Or(a.history, "history")))
	}
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
	names := [2]string{cmp.Or(a.chosen, "chosen"), cmp.Or(a.rejected, "rejected")}
	for i, name := range names {
		switch answer := row.get(name); {
		case answer.kind() <= null:
			v.report([]string{"missing_chosen", "missing_rejected"}[i], "column", name)
		case answer.k != text:
			v.report("output_not_string", "column", name, "kind", answer.k)
		default:
			v.apart(func() { v.plainAnswer(answer, name) })
		}
	}
	good, worse := row.get(names[0]), row.get(names[1])
	v.compare(good, worse)
	v.says(longer(good, worse).bytes())
}
