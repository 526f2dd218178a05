package formats

// tools holds the tools of a row, the calls and their answers against OpenAI's specification.
func (v *validator) tools(row, messages value) {
	for _, key := range []string{"tools", "functions"} {
		offered := row.get(key)
		if offered.kind() > null && offered.kind() != list {
			v.bad("tools", "write "+key+" as a list", "%s is %s and not a list: the upload is refused", key, offered.kind())
		}
		for n, t := range offered.items() {
			f := t
			if key == "tools" {
				if f = t.get("function"); !t.get("type").is("function") {
					f = value{}
				}
			}
			if f.get("name").kind() != text {
				v.bad("tools", `write {"type": "function", "function": {"name": ..., "parameters": {...}}}`, "entry %d of %s is not a function with a name: the upload is refused", n, key)
			}
		}
	}
	if row.has("functions") && v.once("functions") {
		v.warn("functions_deprecated", "write tools and tool_calls", "functions and function_call are deprecated in favour of tools")
	}
	if p := row.get("parallel_tool_calls"); p.kind() > null && p.kind() != boolean {
		v.bad("tools", "write true or false", "parallel_tool_calls is %s: the upload is refused", p.kind())
	}
	called := map[string]bool(nil)
	for n, m := range messages.items() {
		for k, c := range m.get("tool_calls").items() {
			f := c.get("function")
			switch {
			case !m.get("role").is("assistant"):
				v.bad("tool_calls", "move the calls to the assistant's message", "message %d calls tools and is not the assistant's: the upload is refused", n)
			case c.get("id").kind() != text || !c.get("type").is("function") || f.get("name").kind() != text:
				v.bad("tool_calls", `write {"id": ..., "type": "function", "function": {"name": ..., "arguments": "{...}"}}`, "call %d of message %d has no id, type or function with a name: the upload is refused", k, n)
			}
			v.arguments(f, n)
			if called == nil {
				called = map[string]bool{}
			}
			called[string(c.get("id").bytes())] = true
		}
		if calls := m.get("tool_calls"); calls.kind() > null && (calls.kind() != list || calls.len() == 0) {
			v.bad("tool_calls", "delete the key, or list the calls", "message %d has tool_calls without a call: the upload is refused", n)
		}
		if f := m.get("function_call"); f.kind() == object {
			v.arguments(f, n)
		}
		if m.get("role").is("tool") {
			switch id := m.get("tool_call_id"); {
			case id.kind() != text:
				v.bad("tool_call_id", "name the call that is answered", "message %d is a tool's and has no tool_call_id: the upload is refused", n)
			case !called[string(id.bytes())]:
				v.bad("tool_call_id", "name a call of an assistant's message before it", "message %d answers the call %s, which nobody made: the upload is refused", n, quote(id.bytes()))
			}
		}
	}
	if called != nil && !row.has("tools") && v.once("tools") {
		v.warn("tools", "list the tools of the conversation in tools", "tools are called and none are offered: the model learns to call what it is not told of")
	}
}

// arguments have to be a JSON text in a string.
func (v *validator) arguments(f value, n int) {
	args := f.get("arguments")
	if args.kind() != text {
		v.bad("arguments_not_string", "write them with json.dumps, as a string", "message %d calls a function with arguments that are %s: they have to be a string of JSON, and the upload is refused", n, args.kind())
		return
	}
	v.says(args.bytes())
	var d document
	if _, err := d.parse(args.bytes()); err != nil {
		v.warn("arguments_json", "write them with json.dumps", "message %d calls a function with arguments that are not JSON (%s): the model learns to write such", n, err)
	}
}
