package formats

import (
	"bytes"

	"parley/finetune"
)

// openaiDPO is preference optimisation at OpenAI: a conversation and two last answers. The names are
// those of the guide; the reference of the interface says preferred_completion instead.
var openaiDPO = Format{
	Name: "openai-dpo", About: "Preference optimisation (DPO) at OpenAI, Azure and Together", Tasks: choosing,
	encode: func(b []byte, s *sample) []byte {
		b = appendMessages(append(b, `{"input":{"messages":`...), s.prompt, appendMessage)
		b = appendMessages(append(b, `},"preferred_output":`...), s.completion, appendMessage)
		rejected := []finetune.Message{{Role: finetune.Assistant, Content: s.rejected}}
		return append(appendMessages(append(b, `,"non_preferred_output":`...), rejected, appendMessage), '}')
	},
	usage:  openaiUsage,
	loader: service, check: checkOpenAIDPO, done: enoughForOpenAI,
	limits: limits{
		setting: "the model's limit for an example", level: Warning,
		full: "nothing of the answers is compared", cut: "the end of the answers is not compared",
	},
}

func checkOpenAIDPO(v *validator, row value) {
	v.resetTexts()
	if !row.has("input") && (row.has("chosen") || row.has("messages")) {
		v.bad("wrong_format", `write {"input": {"messages": [...]}, "preferred_output": [...], "non_preferred_output": [...]}`, "the row is of another format: the upload is refused")
		return
	}
	topLevel(v, row, "input", "preferred_output", "non_preferred_output", "preferred_completion", "non_preferred_completion")
	input := row.get("input")
	messages := input.get("messages")
	if messages.kind() != list || messages.len() == 0 {
		v.bad("missing_messages_list", `write "input": {"messages": [...]}`, "the input has no list of messages, or it is empty: the upload is refused")
	}
	c := openaiChat
	t := v.talks(&c, messages, "input message")
	if messages.len() > 0 && !t.broken {
		switch t.last {
		case assistant:
			v.bad("last_role", "end the input with what is answered", "the input ends with an assistant message: the two answers have to be the next one")
		case nobody:
			v.bad("missing_user", "add what is answered", "the input has no user's message: there is nothing to answer")
		}
	}
	v.tools(input, messages)
	v.answers()
	good := v.output(row, "preferred_output", "preferred_completion", true)
	better := good.get("content")
	worse := v.output(row, "non_preferred_output", "non_preferred_completion", false).get("content")
	if better.kind() == text && worse.kind() == text && bytes.Equal(better.bytes(), worse.bytes()) {
		v.bad("identical", "delete the row", "both answers are the same: the row teaches nothing")
	}
	if last := messages.last().get("content"); better.kind() == text && last.kind() == text && len(last.bytes()) > 0 && bytes.HasPrefix(better.bytes(), last.bytes()) {
		v.warn("prompt_repeated", "leave only the answer", "the preferred answer begins with the whole last message: it is learned as part of the answer")
	}
	v.length()
}

// output returns the one message of an answer.
func (v *validator) output(row value, name, other string, long bool) value {
	out := row.get(name)
	if out.kind() <= null && row.has(other) {
		v.bad("field_names", "rename it to "+name, "the answer is called %s, as in the interface's reference; the guide and the services take %s", other, name)
		out = row.get(other)
	}
	if out.kind() != list || out.len() == 0 {
		v.bad("missing_"+name, "write "+name+` as a list of one message, [{"role": "assistant", "content": ...}]`, "%s is not a list with a message: the upload is refused", name)
		return value{}
	}
	if out.len() > 1 {
		v.bad("one_answer", "keep the last answer, and move what comes before it to the input", "%s has %d messages: one answer is compared with one answer", name, out.len())
	}
	texts := len(v.texts)
	for n, m := range out.items() {
		switch w := v.role(&openaiChat, m, name, n); {
		case w == assistant || w == tool || w == nobody:
		default:
			v.bad("answer_role", "let it be an assistant message", "%s %d is of the role %s: only an assistant message can be compared, and the upload is refused", name, n, w)
		}
		if calls(m) {
			v.bad("text_only", "leave out pairs with tool calls", "%s %d calls tools: preferences are learned from text only", name, n)
		} else {
			v.content(&openaiChat, m, assistant, name, n)
		}
		if m.has("weight") {
			v.bad("weight_role", "delete the weight", "%s %d has a weight, which preferences do not have", name, n)
		}
	}
	if !long {
		v.texts = v.texts[:texts] // of the two answers one counts for the length
	}
	return out.last()
}
