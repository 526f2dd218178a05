package formats

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// checkTRL compares a row with what SFTTrainer reads. Of prompt and completion it trains on the
// completion only; rows of messages are trained on as a whole.
func checkTRL(v *validator, row *value) {
	prompt, completion := row.get(v.f.column("prompt")), row.get(v.f.column("completion"))
	whole := v.f.column("messages")
	if v.f.Check != "trl" {
		whole = "messages"
	}
	switch {
	case prompt.kind() > null || completion.kind() > null:
		for _, other := range []string{whole, "text", "conversations"} {
			if row.has(other) {
				v.report("two_formats", "one", "prompt or completion", "other", other)
			}
		}
		v.promptAndCompletion(prompt, completion)
	case row.has(whole):
		if row.has("text") {
			v.report("two_formats", "one", whole, "other", "text")
		}
		v.whole(row.get(whole), v.f.Message, whole)
	case row.has("conversations"):
		c := v.f.Message
		if row.get("conversations").last().has("from") {
			c.Role, c.Content = "from", "value"
		} else {
			v.report("missing_columns:conversations")
		}
		v.whole(row.get("conversations"), c, "conversations")
	case row.has("text"):
		if said := row.get("text"); said.blank() {
			v.report("empty_content:text", "column", "text")
		} else {
			v.plain(said.text, "text")
			v.tagged(said.text, "text", 1)
		}
		v.advise("trains_everything", "column", "text")
	case row.has("chosen"):
		v.report("wrong_format", "format", "trl-dpo")
	default:
		v.report("missing_columns", "column", whole)
	}
	v.templateTools(row)
}

// templateTools have to be a list, or one written as JSON in a string.
func (v *validator) templateTools(row *value) {
	const how = "write a list, or one in a string by json.dumps"
	tools := row.get("tools")
	switch tools.kind() {
	case none, null, list:
	case text:
		if got, err := parse(tools.text); err != nil || got.k != list {
			v.report("tools", "what", "tools is a string that is not a JSON list", "how", how)
		}
	default:
		v.report("tools", "what", "tools is "+tools.k.String()+" and not a list", "how", how)
	}
}

// form compares the form of a row with that of the file's first.
func (v *validator) form(is string) {
	first, known := v.state.(string)
	if !known {
		v.state = is
	} else if first != is {
		v.report("mixed_rows", "form", is, "first", first)
	}
}

// whole judges a conversation that is trained on as a whole.
func (v *validator) whole(messages *value, c chat, column string) {
	if messages.kind() != list || messages.len() == 0 {
		v.report("empty_messages", "column", column)
		return
	}
	v.ends(v.talk(&c, messages, "message"))
	v.advise("trains_everything", "column", column)
}

// promptAndCompletion judges a row in which the completion is learned.
func (v *validator) promptAndCompletion(prompt, completion *value) {
	switch {
	case prompt.kind() <= null:
		v.report("missing_prompt")
	case completion.kind() <= null:
		v.report("missing_completion")
	case prompt.k == text && completion.k == text:
		v.form("strings")
		v.plainPrompt(prompt)
		v.answers()
		v.plainAnswer(completion, "completion")
	case prompt.k == list && completion.k == list:
		v.form("messages")
		v.conversation(prompt)
		v.answers()
		v.continuation(completion, "completion")
	default:
		v.report("mixed_form", "kinds", fmt.Sprintf("%s and %s", prompt.k, completion.k))
	}
}

// plainPrompt judges a prompt that is a string, to which the answer is added without a template.
func (v *validator) plainPrompt(prompt *value) {
	v.plain(prompt.text, "prompt")
	if len(prompt.text) == 0 {
		v.report("empty_content:prompt", "column", "the prompt")
	}
	if r, _ := utf8.DecodeLastRune(prompt.text); r == '\t' || unicode.Is(unicode.Zs, r) {
		v.report("prompt_trailing_space")
	}
}

// plainAnswer judges an answer that is a string.
func (v *validator) plainAnswer(answer *value, column string) {
	v.plain(answer.text, column)
	v.tagged(answer.text, column, 1)
	if answer.blank() {
		v.report("empty_content:text", "column", column)
	}
}

// conversation judges a prompt that is a list of messages.
func (v *validator) conversation(prompt *value) {
	if prompt.len() == 0 {
		v.report("empty_messages:prompt")
		return
	}
	c := v.f.Message
	c.prompt = true
	v.promptEnds(v.talk(&c, prompt, "prompt message"), prompt.len())
}

// continuation judges messages of which every token is learned.
func (v *validator) continuation(completion *value, column string) {
	if completion.len() == 0 {
		v.report("empty_messages:answer", "column", column)
		return
	}
	c := v.f.Message
	c.answer = true
	t := v.talk(&c, completion, column+" message")
	v.unmarked(t)
	if t.users > 0 && !t.broken {
		v.report("trains_user_turns", "column", column)
		return
	}
	t.marked = -1 // it was reported
	v.ends(t)
}

// checkTRLDPO compares a row with what DPOTrainer reads: two answers, and a prompt that may be in them.
func checkTRLDPO(v *validator, row *value) {
	names := [2]string{v.f.column("chosen"), v.f.column("rejected")}
	prompt, chosen, rejected := row.get(v.f.column("prompt")), row.get(names[0]), row.get(names[1])
	if row.has("preferred_output") || row.has("input") && chosen.kind() <= null {
		v.report("wrong_format", "format", "openai-dpo")
		return
	}
	if !v.bothThere(row, names) {
		return
	}
	for _, other := range []string{"messages", "completion"} {
		if row.has(other) {
			v.report("two_formats", "one", "chosen", "other", other)
		}
	}
	if chosen.k != rejected.k || prompt.kind() > null && prompt.k != chosen.k || chosen.k != text && chosen.k != list {
		v.report("mixed_form", "kinds", fmt.Sprintf("%s, %s and %s", prompt.kind(), chosen.k, rejected.k))
		return
	}
	equal := same(chosen, rejected)
	if equal {
		v.report("identical")
	} else {
		v.nearlyEqual(chosen, rejected)
	}
	v.form(map[kind]string{text: "strings", list: "messages"}[chosen.k])
	if prompt.kind() <= null {
		v.implicit(chosen, rejected, names, equal)
	} else {
		v.bothAnswers(row, prompt, names)
	}
	v.templateTools(row)
}

// bothAnswers judges a prompt and the two answers to it.
func (v *validator) bothAnswers(row, prompt *value, names [2]string) {
	if prompt.k == text {
		v.plainPrompt(prompt)
		v.both(func(i int) {
			answer := row.get(names[i])
			if len(prompt.text) > 0 && bytes.HasPrefix(answer.text, prompt.text) {
				v.report("prompt_repeated", "column", names[i])
			}
			v.plainAnswer(answer, names[i])
		})
		return
	}
	v.conversation(prompt)
	v.both(func(i int) {
		switch answer := row.get(names[i]); {
		case prompt.len() > 0 && answer.len() > 0 && same(prompt.first(), answer.first()):
			v.report("prompt_repeated", "column", names[i])
		case answer.len() > 1:
			v.report("one_answer", "column", names[i], "n", answer.len())
		default:
			v.continuation(answer, names[i])
		}
	})
}

// nearlyEqual reports sides that differ in white space around the last text only.
func (v *validator) nearlyEqual(chosen, rejected *value) {
	if chosen.k == text {
		v.compare(chosen, rejected)
		return
	}
	n := chosen.len()
	if n == 0 || n != rejected.len() {
		return
	}
	for i := range n - 1 {
		if !alike(chosen, rejected, i) {
			return
		}
	}
	v.compare(chosen.last().get(v.f.Message.Content), rejected.last().get(v.f.Message.Content))
}

// bothThere reports answers that a row does not have.
func (v *validator) bothThere(row *value, names [2]string) bool {
	there := true
	for i, rule := range []string{"missing_chosen", "missing_rejected"} {
		if !row.has(names[i]) {
			there = false
			v.report(rule, "column", names[i])
		}
	}
	return there
}

// implicit judges a row whose prompt is the beginning of both answers, as TRL's extract_prompt finds it:
// it takes what precedes the first difference.
func (v *validator) implicit(chosen, rejected *value, names [2]string, equal bool) {
	v.advise("implicit_prompt")
	n, common := min(sizeOf(chosen), sizeOf(rejected)), 0
	for common < n && alike(chosen, rejected, common) {
		common++
	}
	switch {
	case n == 0:
		for i, side := range []*value{chosen, rejected} {
			if sizeOf(side) == 0 {
				v.report("empty_messages:answer", "column", names[i])
			}
		}
	case common == 0:
		v.report("no_common_prompt")
	case common == n && !equal && sizeOf(chosen) < sizeOf(rejected):
		v.report("one_begins_other", "column", names[0], "other", names[1])
	case common == n && !equal:
		v.report("one_begins_other", "column", names[1], "other", names[0])
	}
	sides := [2]*value{chosen, rejected}
	v.both(func(i int) {
		if chosen.k == text {
			v.says(sides[i].text)
			v.tagged(sides[i].text, names[i], 1)
		} else {
			v.side(sides[i], names[i], common, n)
		}
	})
}

// side judges one side of a row without a prompt, of which the first messages are the prompt.
func (v *validator) side(side *value, name string, common, shorter int) {
	c := v.f.Message
	v.talk(&c, side, name+" message")
	if common == 0 || common >= shorter {
		return // the sides do not part, which is reported
	}
	for _, m := range side.parts[common:] {
		if c.Roles[string(m.get(c.Role).bytes())] == user {
			v.report("trains_user_turns", "column", name)
			return
		}
	}
}

// sizeOf returns the messages of a list, or the bytes of a string.
func sizeOf(v *value) int {
	if v.kind() == text {
		return len(v.text)
	}
	return v.len()
}

// alike says whether two sides have the same message, or the same byte, at a place.
func alike(a, b *value, i int) bool {
	if a.k == text {
		return a.text[i] == b.text[i]
	}
	return same(&a.parts[i], &b.parts[i])
}
