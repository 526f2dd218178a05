package formats

import (
	"bytes"
	"maps"
	"slices"
)

// axolotlSet is how axolotl is told to read the rows of a dataset.
type axolotlSet struct {
	known      bool // from a configuration
	preference bool
	messages   string
	chosen     string
	rejected   string
	training   string // key of a message that says whether it is learned
	learned    map[part]bool
	inputs     bool // everything is learned
	mapped     bool // the configuration has its own roles
	chat       chat
}

// axolotlUnset returns what axolotl does without further settings.
func axolotlUnset(f *Format) axolotlSet {
	return axolotlSet{
		messages: f.column("messages"), chosen: f.column("chosen"), rejected: f.column("rejected"),
		learned: map[part]bool{assistant: true}, chat: f.Message,
	}
}

func checkAxolotl(v *validator, row *value) {
	set := axolotlUnset(v.f)
	set.row(v, row)
}

// row compares a row with the configuration.
func (a *axolotlSet) row(v *validator, row *value) {
	preference := a.preference || !a.known && row.has(a.chosen)
	messages := row.get(a.messages)
	switch k := messages.kind(); {
	case row.has("text") && k > null:
		v.report("two_formats", "one", a.messages, "other", "text")
	case preference && k <= null && !a.known:
		a.prompts(v, row)
	case k <= null && row.get("conversations").kind() == list:
		v.report("field_messages", "column", a.messages)
	case k == text && preference:
		v.says(messages.text)
		a.pair(v, row)
	case k == text:
		v.report("messages_string", "column", a.messages)
	case k != list:
		v.report("missing_messages_list", "column", a.messages, "looks", "")
	case messages.len() == 0:
		v.report("empty_messages", "column", a.messages)
	case preference:
		a.preferenceOf(v, row, messages)
	default:
		a.teach(v, messages)
	}
}

// teach judges a conversation, and whether anything of it is learned.
func (a *axolotlSet) teach(v *validator, messages *value) {
	c := a.chat
	learned, last, off, answers := 0, false, 0, 0
	reported := map[string]bool{}
	c.parts, c.marked = a.parts, true
	c.each = func(v *validator, m *value, w part, n int) {
		last = a.isLearned(v, m, w, n)
		if last {
			learned++
		}
		if a.flags(v, m, w, n, reported) {
			off++
		}
		if w == assistant {
			answers++
		}
		a.arguments(v, m, n)
	}
	t := v.talk(&c, messages, "message")
	switch {
	case t.broken:
	case t.assistants == 0:
		v.report("example_missing_assistant_message")
	case learned == 0:
		v.report("nothing_trained")
	case off == answers && !a.known:
		v.report("nothing_trained:unread")
	case !last:
		v.report("last_role:untrained")
	}
}

// isLearned says whether the configuration makes a message learned.
func (a *axolotlSet) isLearned(v *validator, m *value, w part, n int) bool {
	mark := m.get(a.training)
	if a.training == "" || mark.kind() <= null {
		return a.inputs || a.learned[w]
	}
	if mark.k != boolean && !(mark.k == number && a.training == "weight") {
		v.report("train_value", "where", "message", "n", n, "kind", mark.k, "key", a.training)
	}
	switch mark.k {
	case text:
		return len(mark.text) > 0
	case number:
		return string(mark.text) != "0"
	}
	return string(mark.text) == "true"
}

// flags reports marks of a message that axolotl does not look at, the first of each key in a row. It
// returns whether one of them says that an assistant's message is not to be learned.
func (a *axolotlSet) flags(v *validator, m *value, w part, n int, reported map[string]bool) (off bool) {
	for _, key := range []string{"weight", "train", "training"} {
		mark := m.get(key)
		if mark.kind() <= null || a.training == key {
			continue
		}
		no := w == assistant && slices.Contains(rules().Marks[key], string(mark.text))
		off = off || no
		if reported[key] || key == "weight" && (w != assistant || string(mark.text) == "1") {
			continue
		}
		reported[key] = true
		rule := "weight_ignored"
		switch {
		case key != "weight" && a.known:
			rule = "train_ignored:config"
		case key != "weight":
			rule = "train_needs_setting"
		}
		v.report(rule, "where", "message", "n", n, "key", key, "value", quote(mark.text))
	}
	return off
}

// arguments judges the arguments of a message's calls of tools.
func (a *axolotlSet) arguments(v *validator, m *value, n int) {
	for _, call := range m.get("tool_calls").items() {
		args := call.get("function").get("arguments")
		if args.kind() == object && v.once("arguments") {
			v.report("arguments_object", "n", n)
		}
		if args.kind() != text {
			continue
		}
		if _, err := parse(args.text); err != nil {
			v.report("arguments_json", "n", n, "error", err)
		}
	}
}

// parts judges content in parts, each of which may say whether it is learned.
func (a *axolotlSet) parts(v *validator, m *value, _ part, where string, n int) {
	parts := m.get(a.chat.Content)
	for _, p := range parts.items() {
		said := p.get("text")
		for _, key := range []string{"content", "value"} {
			if said.kind() != text {
				said = p.get(key)
			}
		}
		if p.kind() != object || said.kind() != text {
			v.report("content_parts:lost", "where", where, "n", n)
			continue
		}
		v.says(said.text)
		v.special(said.text, where, n)
		if b := said.text; (p.has("train") || p.has("weight")) && len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
			v.report("part_space", "where", where, "n", n)
		}
	}
	if parts.len() == 0 {
		v.report("missing_content", "where", where, "n", n, "kind", "an empty list", "content", a.chat.Content)
	}
}

// preferenceOf judges a row of the type chat_template.default.
func (a *axolotlSet) preferenceOf(v *validator, row, messages *value) {
	c := a.strict()
	c.prompt = true
	t := v.talk(&c, messages, "message")
	if !t.broken && t.last != user && t.last != tool {
		v.report("last_role:prompt", "role", t.last)
	}
	v.answers()
	a.pair(v, row)
}

// strict returns the chat of preferences, where only the roles themselves are known unless the
// configuration maps others.
func (a *axolotlSet) strict() chat {
	c := a.chat
	if !a.mapped {
		c.Roles = maps.Clone(c.Roles)
		maps.DeleteFunc(c.Roles, func(name string, p part) bool { return name != string(p) })
	}
	return c
}

// pair judges the two answers.
func (a *axolotlSet) pair(v *validator, row *value) {
	c := a.strict()
	v.pair(row, [2]string{a.chosen, a.rejected}, func(answer *value, name string) *value {
		if answer.k == list {
			if answer.len() == 0 {
				v.report("empty_messages:answer", "column", name)
				return nil
			}
			if answer.len() > 1 {
				v.report("answer_list", "column", name, "n", answer.len())
			}
			answer = answer.last()
		}
		said := answer
		switch answer.kind() {
		case object:
			if w := v.role(&c, answer, name, 1); w != assistant && w != "" {
				v.report("answer_role", "column", name, "role", w)
			}
			v.content(&c, answer, assistant, name, 1)
			v.reasoning(&c, answer, name, 1)
			said = answer.get(c.Content)
		case text:
			v.plain(answer.text, name)
			v.tagged(answer.text, name, 1)
		default:
			v.report("missing_content", "where", name, "n", 1, "kind", answer.kind(), "content", "answer")
		}
		if said.kind() == text && len(bytes.TrimRight(said.text, " \t\r\n")) < len(said.text) {
			v.report("trailing_space_lost", "column", name)
		}
		return said
	})
}

// prompts judges preferences without messages: of the types argilla_chat and prompt_pairs.
func (a *axolotlSet) prompts(v *validator, row *value) {
	prompt, chosen, rejected := row.get("prompt"), row.get(a.chosen), row.get(a.rejected)
	if prompt.kind() != text && chosen.kind() != list {
		v.report("wrong_format", "format", "trl-dpo")
		return
	}
	v.advise("type_unsure")
	v.says(prompt.bytes())
	if chosen.kind() == text && rejected.kind() == text {
		a.pair(v, row)
	} else if prompt.kind() <= null && chosen.kind() == list && rejected.kind() == list {
		equal := same(chosen, rejected)
		if equal {
			v.report("identical")
		}
		v.implicit(chosen, rejected, [2]string{a.chosen, a.rejected}, equal)
	}
}
