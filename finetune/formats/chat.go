package formats

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/sim/llm"
)

// part is the part that a message plays, whatever a format calls it. It is empty for a role that the
// trainer does not know.
type part string

const (
	system    part = "system"
	user      part = "user"
	assistant part = "assistant"
	tool      part = "tool"
)

// chat is how a format writes messages.
type chat struct {
	Role    string          `yaml:"role"`
	Content string          `yaml:"content"`
	Roles   map[string]part `yaml:"roles"`
	Keys    []string        `yaml:"keys"`   // that a message may have; none: any
	Strict  bool            `yaml:"strict"` // no message may be empty, whoever speaks

	answer bool // the messages are an answer, and so begin with the assistant
	prompt bool // nothing of the messages is learned
	marked bool // each judges marks of what is learned
	parts  func(v *validator, m *value, w part, where string, n int)
	each   func(v *validator, m *value, w part, n int) // further rules of a message
	order  func(role string, w part, n int)            // judges who speaks when; nil: turn does
}

// talk sums up a list of messages.
type talk struct {
	users, assistants int
	marked            int  // assistants' messages that are marked as not to be learned
	first, last       part // system messages at the start aside
	broken            bool // some message could not be read
}

// talk reads a list of messages, and reports what is wrong with each.
func (v *validator) talk(c *chat, messages *value, where string) talk {
	var t talk
	marks, clash := map[string]bool{}, false
	thought := 0 // message of the assistant with reasoning, before a user's next one
	tag, dropped := "", false
	for n, m := range messages.items() {
		if m.kind() != object {
			t.broken = true
			v.report("message_missing_key", "where", where, "n", n, "key", c.Role, "role", c.Role, "content", c.Content)
			continue
		}
		w := v.role(c, m, where, n)
		t.broken = t.broken || w == ""
		v.messageKeys(c, m, where, n)
		if w == assistant {
			t.assistants++
			v.answers()
			if found := v.reasoning(c, m, where, n); found != "" && thought == 0 {
				thought, tag = n, found
			}
			dropped = dropped || thought > 0 && c.prompt
		}
		dropped = dropped || thought > 0 && w == user
		v.content(c, m, w, where, n)
		if c.each != nil {
			c.each(v, m, w, n)
		}
		if v.marks(c, m, w, where, n, marks) {
			t.marked++
		}
		if c.order == nil {
			v.turn(c, &t, w, where, n, &clash)
		} else {
			c.order(string(m.get(c.Role).bytes()), w, n)
		}
	}
	if dropped {
		v.report("reasoning_dropped", "where", where, "n", thought, "tag", tag)
	}
	return t
}

// turn takes down who speaks, and reports neighbours of one role.
func (v *validator) turn(c *chat, t *talk, w part, where string, n int, clash *bool) {
	switch {
	case w == system && n > 1:
		if v.once("system") {
			v.report("system_position", "where", where, "n", n)
		}
		return
	case w == system || w == "":
		return
	case t.first == "":
		if t.first = w; w != user && !t.broken && !c.answer {
			v.report("first_role", "where", where, "n", n, "role", w)
		}
	case t.last == w && w != tool && !*clash && !t.broken:
		*clash = true
		v.report("alternation", "where", where, "n", n, "role", w)
	}
	if w == user {
		t.users++
	}
	t.last = w
}

// role returns the part that a message plays.
func (v *validator) role(c *chat, m *value, where string, n int) part {
	role := m.get(c.Role)
	if role.kind() != text {
		v.report("message_missing_key", "where", where, "n", n, "key", c.Role, "role", c.Role, "content", c.Content)
		return ""
	}
	w := c.Roles[string(role.text)]
	if w == "" && c.order == nil {
		v.report("unrecognized_role", "where", where, "n", n, "role", quote(role.text), "roles", strings.Join(slices.Sorted(maps.Keys(c.Roles)), ", "))
	}
	return w
}

// messageKeys reports keys that a message of a strict format does not have.
func (v *validator) messageKeys(c *chat, m *value, where string, n int) {
	if len(c.Keys) == 0 {
		return
	}
	for key := range m.members() {
		if !slices.Contains(c.Keys, string(key)) {
			v.report("message_unrecognized_key", "where", where, "n", n, "key", quote(key), "keys", strings.Join(c.Keys, ", "))
		}
	}
}

// calls says whether a message calls tools.
func calls(m *value) bool {
	return m.get("tool_calls").len() > 0 || m.get("function_call").kind() == object
}

// content judges what a message says.
func (v *validator) content(c *chat, m *value, w part, where string, n int) {
	said := m.get(c.Content)
	switch said.kind() {
	case text:
		v.words(c, m, said.text, w, where, n)
	case list:
		if c.parts != nil {
			c.parts(v, m, w, where, n)
			return
		}
		v.report("content_parts", "where", where, "n", n)
	case null, none:
		if calls(m) && w == assistant {
			if len(c.Keys) == 0 {
				v.report("null_content", "where", where, "n", n)
			}
		} else if said == nil {
			v.report("message_missing_key", "where", where, "n", n, "key", c.Content, "role", c.Role, "content", c.Content)
		} else {
			v.report("missing_content", "where", where, "n", n, "kind", said.k, "content", c.Content)
		}
	default:
		v.report("missing_content", "where", where, "n", n, "kind", said.k, "content", c.Content)
	}
}

// words judges the text of a message.
func (v *validator) words(c *chat, m *value, b []byte, w part, where string, n int) {
	v.says(b)
	v.special(b, where, n)
	switch {
	case len(bytes.TrimSpace(b)) > 0:
		if r, _ := utf8.DecodeRune(b); w == assistant && unicode.IsSpace(r) {
			v.report("leading_space", "where", where, "n", n)
		}
	case calls(m):
	case c.Strict && len(b) == 0:
		v.report("missing_content", "where", where, "n", n, "kind", "an empty string", "content", c.Content)
	case w == assistant:
		v.report("empty_content", "where", where, "n", n)
	default:
		v.report("empty_content:other", "where", where, "n", n)
	}
}

// plain judges a text without messages, and counts its length.
func (v *validator) plain(b []byte, where string) {
	v.says(b)
	v.special(b, where, 1)
}

// special looks for the markers by which models tell turns and the end of a text apart.
func (v *validator) special(b []byte, where string, n int) {
	if m := marker(b); m != "" {
		v.report("eos_text", "where", where, "n", n, "marker", m)
	}
}

// marker returns the first special marker in a text, or "".
func marker(b []byte) string {
	for at := 0; ; at++ {
		i := bytes.IndexAny(b[at:], "<[")
		if i < 0 {
			return ""
		}
		at += i
		for _, m := range rules().Markers {
			if len(b)-at >= len(m) && string(b[at:at+len(m)]) == m {
				return m
			}
		}
	}
}

// marks judges the keys of a message that say whether it is learned. It returns whether one says no.
// Of each key that the trainer does not look at, the first message of a row is reported.
func (v *validator) marks(c *chat, m *value, w part, where string, n int, reported map[string]bool) bool {
	if w != assistant || c.prompt || c.marked {
		return false
	}
	off := false
	for _, key := range []string{"weight", "train", "training"} {
		mark := m.get(key)
		if mark.kind() <= null || key != "weight" && slices.Contains(v.f.Message.Keys, "weight") {
			continue // or it is reported as a key that a strict format does not have
		}
		no := slices.Contains(rules().Marks[key], string(mark.text))
		off = off || no
		if (no || key == "weight" && string(mark.text) != "1") && !slices.Contains(v.f.Reads, key) && !reported[key] {
			reported[key] = true
			rule := "train_ignored"
			if key == "weight" {
				rule = "weight_ignored"
			}
			v.report(rule, "where", where, "n", n, "key", key, "value", quote(mark.text))
		}
	}
	return off
}

// reasoning looks for a model's reasoning in a message of the assistant, and returns the tag it is in.
func (v *validator) reasoning(c *chat, m *value, where string, n int) string {
	said := m.get(c.Content)
	found := v.tagged(said.bytes(), where, n)
	for _, p := range said.items() {
		if tag := v.tagged(p.get("text").bytes(), where, n); tag != "" {
			found = tag
		}
		if !p.get("thinking").blank() {
			found = "thinking"
		}
	}
	for _, key := range []string{"reasoning_content", "thinking", "reasoning"} {
		if b := m.get(key); found == "" && !b.blank() {
			found = key
		}
	}
	return found
}

// tagged reports tags of reasoning in a text that do not come in pairs. It returns the first tag.
func (v *validator) tagged(b []byte, where string, n int) string {
	marks := llm.ReasoningMarks(string(b))
	if channel := "<|channel|>"; len(marks) == 0 && bytes.Contains(b, []byte(channel)) { // of gpt-oss
		thought, _, ok := llm.SplitReasoning(string(b))
		if !ok {
			v.report("reasoning_unbalanced:open", "where", where, "n", n, "tag", quote(channel))
		}
		if ok && thought != "" {
			return channel
		}
		return ""
	}
	var open *llm.ReasoningMark
	for i := range marks {
		switch m := &marks[i]; {
		case !m.Closes && open == nil:
			open = m
		case !m.Closes: // one block within another: the inner tag is text
		case open == nil:
			v.report("reasoning_unbalanced:close", "where", where, "n", n, "tag", quote(m.Text))
			return ""
		case open.Name == m.Name:
			open = nil
		}
	}
	if open != nil {
		v.report("reasoning_unbalanced:open", "where", where, "n", n, "tag", quote(open.Text))
		return ""
	}
	if len(marks) == 0 {
		return ""
	}
	return marks[0].Text
}

// ends judges a conversation as a whole.
func (v *validator) ends(t talk) {
	switch {
	case t.broken:
	case t.assistants == 0:
		v.report("example_missing_assistant_message")
	case t.marked == t.assistants && len(v.f.Reads) > 0:
		v.report("nothing_trained")
	case t.last != assistant:
		v.report("last_role", "role", t.last)
	}
	v.unmarked(t)
}

// unmarked reports a row that would have no trained token, if the trainer looked at marks.
func (v *validator) unmarked(t talk) {
	if t.assistants > 0 && t.marked == t.assistants && len(v.f.Reads) == 0 {
		v.report("nothing_trained:unread")
	}
}
