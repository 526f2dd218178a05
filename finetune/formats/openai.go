package formats

import (
	"bytes"
	"slices"
)

// openaiChat returns the messages of a row for OpenAI.
func (v *validator) openaiChat() chat {
	c := v.f.Message
	c.parts, c.each = openaiParts, openaiMessage
	return c
}

// checkOpenAI compares a row with the chat format.
func checkOpenAI(v *validator, row *value) {
	column := v.f.column("messages")
	messages := row.get(column)
	if messages.kind() != list || messages.len() == 0 {
		looks := ""
		for _, other := range []string{"prompt", "chosen", "conversations", "instruction", "input"} {
			if row.has(other) {
				looks = ", and the row looks like another format"
			}
		}
		v.report("missing_messages_list", "column", column, "looks", looks)
		return
	}
	v.topLevel(row, column, "tools", "parallel_tool_calls", "functions")
	c := v.openaiChat()
	t := v.talk(&c, messages, "message")
	v.ends(t)
	if t.users == 0 && !t.broken {
		v.report("missing_user")
	}
	v.tools(row, messages)
}

// topLevel reports keys that a row does not have in the format.
func (v *validator) topLevel(row *value, known ...string) {
	for name := range row.members() {
		switch key := string(name); {
		case slices.Contains(known, key):
		case known[0] == "messages" && (key == "text" || key == "prompt" || key == "completion"):
			v.report("two_formats", "one", "messages", "other", key)
		default:
			v.report("unrecognized_key", "key", quote(key))
		}
	}
}

// enoughForOpenAI counts the rows of a file to learn from.
func enoughForOpenAI(v *validator) {
	switch {
	case !v.teaches() || v.rows == 0:
	case v.rows < 10:
		v.report("min_examples", "n", v.rows)
	case v.rows < 50:
		v.report("few_examples", "n", v.rows)
	}
}

// openaiMessage compares weight and name of a message with the specification.
func openaiMessage(v *validator, m *value, w part, n int) {
	if weight := m.get("weight"); weight.kind() > null {
		switch {
		case w != assistant && w != "":
			v.report("weight_role", "where", "message", "n", n)
		case weight.k != number || string(weight.text) != "0" && string(weight.text) != "1":
			v.report("weight_value", "where", "message", "n", n, "value", quote(weight.text))
		}
	}
	if name := m.get("name"); name.kind() > null && (name.k != text || len(name.text) == 0 || bytes.ContainsAny(name.text, " \t\r\n<|\\/>")) {
		v.report("name_value", "where", "message", "n", n, "value", quote(name.text))
	}
}

// openaiParts judges content that is a list.
func openaiParts(v *validator, m *value, w part, where string, n int) {
	said := 0
	for _, p := range m.get("content").items() {
		switch kind := p.get("type"); {
		case kind.is("text") && p.get("text").kind() == text:
			said += len(p.get("text").text)
			v.says(p.get("text").text)
		case kind.is("image_url") && w == user:
			said++
		default:
			v.report("content_parts:unknown", "where", where, "n", n)
		}
	}
	if said == 0 {
		v.report("missing_content", "where", where, "n", n, "kind", "an empty list", "content", "content")
		return
	}
	v.report("content_parts", "where", where, "n", n)
}

// checkOpenAIDPO compares a row with the format of preferences.
func checkOpenAIDPO(v *validator, row *value) {
	if !row.has("input") && (row.has("chosen") || row.has("messages")) {
		v.report("wrong_format", "format", "trl-dpo")
		return
	}
	v.topLevel(row, "input", "preferred_output", "non_preferred_output", "preferred_completion", "non_preferred_completion")
	input := row.get("input")
	messages := input.get("messages")
	if messages.kind() != list || messages.len() == 0 {
		v.report("missing_messages_list", "column", "input.messages", "looks", "")
	}
	c := v.openaiChat()
	c.prompt = true
	t := v.talk(&c, messages, "input message")
	v.promptEnds(t, messages.len())
	v.tools(input, messages)
	v.answers()
	var said [2]*value
	v.both(func(i int) { said[i] = v.output(row, []string{"", "non_"}[i]) })
	v.compare(said[0], said[1])
	if last := messages.last().get("content"); said[0].kind() == text && last.kind() == text && len(last.text) > 0 && bytes.HasPrefix(said[0].text, last.text) {
		v.report("prompt_repeated:message", "column", "preferred_output")
	}
}

// promptEnds judges the end of a prompt of n messages.
func (v *validator) promptEnds(t talk, n int) {
	switch {
	case t.broken || n == 0:
	case t.last == assistant:
		v.report("last_role:prompt", "role", t.last)
	case t.last == "":
		v.report("missing_user:prompt")
	}
}

// output judges an answer, and returns the content of its one message.
func (v *validator) output(row *value, which string) *value {
	name, other := which+"preferred_output", which+"preferred_completion"
	out := row.get(name)
	if out.kind() <= null && row.has(other) {
		v.report("field_names", "column", other, "right", name)
		out = row.get(other)
	}
	if out.kind() != list || out.len() == 0 {
		v.report("missing_" + name)
		return nil
	}
	if out.len() > 1 {
		v.report("one_answer", "column", name, "n", out.len())
	}
	c := v.openaiChat()
	for n, m := range out.items() {
		if w := v.role(&c, m, name, n); w == user || w == system {
			v.report("answer_role", "column", name, "role", w)
		}
		if calls(m) {
			v.report("text_only", "column", name, "n", n)
		} else {
			v.content(&c, m, assistant, name, n)
			v.reasoning(&c, m, name, n)
		}
		if m.has("weight") {
			v.report("weight_role", "where", name, "n", n)
		}
	}
	return out.last().get("content")
}

// tools compares the tools of a row, the calls and their answers with OpenAI's specification.
func (v *validator) tools(row, messages *value) {
	for _, key := range []string{"tools", "functions"} {
		listed := row.get(key)
		if listed.kind() > null && listed.k != list {
			v.report("tools", "what", key+" is "+listed.k.String()+" and not a list", "how", "write a list")
		}
		for _, t := range listed.items() {
			f := t
			if key == "tools" {
				if f = t.get("function"); !t.get("type").is("function") {
					f = nil
				}
			}
			if f.get("name").kind() != text {
				v.report("tools", "what", "an entry of "+key+" is not a function with a name",
					"how", `write {"type": "function", "function": {"name": ..., "parameters": {...}}}`)
			}
		}
	}
	if row.has("functions") && v.once("functions") {
		v.report("functions_deprecated")
	}
	if p := row.get("parallel_tool_calls"); p.kind() > null && p.k != boolean {
		v.report("tools", "what", "parallel_tool_calls is "+p.k.String(), "how", "write true or false")
	}
	called := map[string]bool{}
	for n, m := range messages.items() {
		v.toolCalls(m, n, called)
		if !m.get("role").is("tool") {
			continue
		}
		if id := m.get("tool_call_id"); id.kind() != text {
			v.report("tool_call_id", "n", n, "what", "is a tool's and has no tool_call_id")
		} else if !called[string(id.text)] {
			v.report("tool_call_id", "n", n, "what", "answers the call "+quote(id.text)+", which was not made")
		}
	}
	if len(called) > 0 && !row.has("tools") && v.once("tools") {
		v.report("tools:unlisted")
	}
}

// toolCalls judges the calls of a message, and adds their ids to called.
func (v *validator) toolCalls(m *value, n int, called map[string]bool) {
	made := m.get("tool_calls")
	if made.kind() > null && (made.k != list || made.len() == 0) {
		v.report("tool_calls", "n", n, "what", "has tool_calls without a call")
	}
	for _, c := range made.items() {
		f := c.get("function")
		switch {
		case !m.get("role").is("assistant"):
			v.report("tool_calls", "n", n, "what", "calls tools and is not the assistant's")
		case c.get("id").kind() != text || !c.get("type").is("function") || f.get("name").kind() != text:
			v.report("tool_calls", "n", n, "what", "has a call without id, type or function with a name")
		}
		v.arguments(f, n)
		called[string(c.get("id").bytes())] = true
	}
	if f := m.get("function_call"); f.kind() == object {
		v.arguments(f, n)
	}
}

// arguments have to be a JSON text in a string.
func (v *validator) arguments(f *value, n int) {
	args := f.get("arguments")
	if args.kind() != text {
		v.report("arguments_not_string", "n", n, "kind", args.kind())
		return
	}
	v.says(args.text)
	if _, err := parse(args.text); err != nil {
		v.report("arguments_json", "n", n, "error", err)
	}
}
