package formats

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// who is the part that a message plays, whatever a format calls it.
type who uint8

const (
	nobody who = iota
	system
	user
	assistant
	tool
)

func (w who) String() string { return [...]string{"nobody", "system", "user", "assistant", "tool"}[w] }

// chat is how a format writes messages, and what its trainer makes of those that are otherwise.
type chat struct {
	role, content string
	names         map[string]who
	keys          map[string]bool // that a message may have; nil: any
	unknown       string          // role
	missing       string          // role or content
	alternate     Level           // of neighbours of one role; empty: they do no harm
	alternates    string
	blank         string // what an empty answer teaches
	full          bool   // no message may be empty, whosever it is
	answer        bool   // it is an answer, and so begins with the assistant
	parts         func(v *validator, c *chat, m value, w who, n int)
	message       func(v *validator, m value, w who, n int) // further rules
}

// openNames are the roles of OpenAI's messages, which most trainers take.
var openNames = map[string]who{"system": system, "user": user, "assistant": assistant, "tool": tool}

// talk is what a list of messages comes to.
type talk struct {
	n           int // messages
	users       int
	assistants  int
	first, last who // system messages at the start aside
	broken      bool
}

// talks reads a list of messages. What is wrong with them is found on the way.
func (v *validator) talks(c *chat, messages value, where string) talk {
	var t talk
	clash := false
	for n, m := range messages.items() {
		t.n++
		if m.kind() != object {
			t.broken = true
			v.bad("message_missing_key", "write each message as an object with "+c.role+" and "+c.content, "%s %d is %s: %s", where, n, m.kind(), c.missing)
			continue
		}
		w := v.role(c, m, where, n)
		if w == nobody {
			t.broken = true
		}
		if c.keys != nil {
			for key := range m.members() {
				if !c.keys[string(key)] {
					v.bad("message_unrecognized_key", "delete it; a message has "+keysOf(c.keys), "%s %d has the key %s, which is not one of a message: the upload is refused", where, n, quote(key))
				}
			}
		}
		if w == assistant {
			t.assistants++
			v.answers()
		}
		v.content(c, m, w, where, n)
		if c.message != nil {
			c.message(v, m, w, n)
		}
		switch {
		case w == system && n > 1:
			if v.once("system") {
				v.warn("system_position", "let it be the first message, or part of a user's", "%s %d is a system message: many templates refuse one that is not the first", where, n)
			}
			continue
		case w == system || w == nobody:
			continue
		case t.first == nobody:
			if t.first = w; w != user && !t.broken && !c.answer && c.alternate != "" {
				v.find(c.alternate, "first_role", "begin with a user's message, after the system message if there is one", "%s %d is of the role %s and comes first: %s", where, n, w, c.alternates)
			}
		case t.last == w && w != tool && !clash && !t.broken:
			clash = true
			if c.alternate != "" {
				v.find(c.alternate, "alternation", "merge neighbours of one role into one message", "%s %d is of the role %s, as the one before: %s", where, n, w, c.alternates)
			}
		}
		if w == user {
			t.users++
		}
		t.last = w
	}
	return t
}

// role returns the part that a message plays.
func (v *validator) role(c *chat, m value, where string, n int) who {
	role := m.get(c.role)
	if role.kind() != text {
		v.bad("message_missing_key", "give each message the keys "+c.role+" and "+c.content, "%s %d has no %s: %s", where, n, c.role, c.missing)
		return nobody
	}
	w, known := c.names[string(role.bytes())]
	if !known {
		v.bad("unrecognized_role", "use one of "+rolesOf(c.names), "%s %d has the role %s: %s", where, n, quote(role.bytes()), c.unknown)
	}
	return w
}

// calls says whether a message calls tools.
func calls(m value) bool {
	return m.get("tool_calls").len() > 0 || m.get("function_call").kind() == object
}

// content judges what a message says.
func (v *validator) content(c *chat, m value, w who, where string, n int) {
	said := m.get(c.content)
	switch said.kind() {
	case text:
		v.says(said.bytes())
		v.special(said.bytes(), where, n)
		switch {
		case len(bytes.TrimSpace(said.bytes())) > 0:
			if r, _ := utf8.DecodeRune(said.bytes()); w == assistant && unicode.IsSpace(r) {
				v.warn("leading_space", "strip the answer", "%s %d begins with white space: a model that is asked begins with a word, so the first token is not the one that was learned", where, n)
			}
		case calls(m):
		case c.full && len(said.bytes()) == 0:
			v.bad("missing_content", "delete the message, or write what was said", "%s %d is empty: %s", where, n, c.missing)
		case w == assistant:
			v.bad("empty_content", "delete the row, or write what should be said", "%s %d is an assistant's and empty: %s", where, n, c.blank)
		default:
			v.warn("empty_content", "delete the message, or write what was said", "%s %d is empty", where, n)
		}
	case list:
		if c.parts != nil {
			c.parts(v, c, m, w, n)
			return
		}
		v.warn("content_parts", "write the content as a string", "%s %d has a list as content: templates of text models fail on it or print it as it is", where, n)
	case null, none:
		if calls(m) && w == assistant {
			if c.keys == nil {
				v.warn("null_content", "write \"\" beside tool_calls", "%s %d has tool_calls and no content: templates that add to it raise TypeError", where, n)
			}
			return
		}
		rule := "missing_content"
		if said.kind() == none {
			rule = "message_missing_key"
		}
		v.bad(rule, "write the content as a string; only a message with tool_calls goes without", "%s %d has no %s: %s", where, n, c.content, c.missing)
	default:
		v.bad("missing_content", "write the content as a string", "%s %d has %s as %s and not a string: %s", where, n, said.kind(), c.content, c.missing)
	}
}

// special looks for the markers by which models tell turns and the end of a text apart.
func (v *validator) special(b []byte, where string, n int) {
	if m := marker(b); m != "" {
		v.warn("eos_text", "break the marker up, or take it out", "%s %d holds %s: a tokenizer that knows the marker ends the turn there, and the model learns what follows as another turn", where, n, m)
	}
}

var markers = []string{
	"<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|begin_of_text|>", "<|end_of_text|>",
	"<|start_header_id|>", "<|end_header_id|>", "<|start_of_role|>", "<|end_of_role|>", "<|END_OF_TURN_TOKEN|>",
	"<|START_OF_TURN_TOKEN|>", "<|end|>", "<|return|>", "<|user|>", "<|assistant|>", "<|system|>", "<|fim_prefix|>",
	"<start_of_turn>", "<end_of_turn>", "<turn|>", "<|turn>", "<eos>", "<bos>", "<s>", "</s>", "[INST]", "[/INST]",
	"<｜end▁of▁sentence｜>", "<｜begin▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>",
}

// marker returns the first special marker in a text, or "".
func marker(b []byte) string {
	for at := 0; ; at++ {
		i := bytes.IndexAny(b[at:], "<[")
		if i < 0 {
			return ""
		}
		at += i
		for _, m := range markers {
			if len(b)-at >= len(m) && string(b[at:at+len(m)]) == m {
				return m
			}
		}
	}
}

func keysOf(set map[string]bool) string {
	var names []string
	for _, known := range []string{"role", "content", "name", "weight", "tool_calls", "tool_call_id", "function_call", "refusal"} {
		if set[known] {
			names = append(names, known)
		}
	}
	return strings.Join(names, ", ")
}

func rolesOf(set map[string]who) string {
	var names []string
	for _, known := range []string{"system", "user", "human", "input", "assistant", "gpt", "output", "tool", "function", "observation", "function_call"} {
		if set[known] != nobody {
			names = append(names, known)
		}
	}
	return strings.Join(names, ", ")
}
