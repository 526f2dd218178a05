package formats

import (
	"bytes"

	"parley/finetune"
)

// trlDPO is preference optimisation with TRL: an explicit prompt and two answers.
var trlDPO = Format{
	Name: "trl-dpo", About: "Preference optimisation (DPO) with TRL: explicit prompt, chosen and rejected", Tasks: choosing,
	encode: func(b []byte, s *sample) []byte {
		b = appendMessages(append(b, `{"prompt":`...), s.prompt, appendMessage)
		b = appendMessages(append(b, `,"chosen":`...), s.completion, appendMessage)
		rejected := []finetune.Message{{Role: finetune.Assistant, Content: s.rejected}}
		return append(appendMessages(append(b, `,"rejected":`...), rejected, appendMessage), '}')
	},
	usage:  trlUsage,
	loader: arrow, check: checkTRLDPO,
	limits: limits{
		setting: "max_length", usual: 1024, level: Warning,
		full: "a pair whose prompt fills it is dropped without a word", cut: "the ends of the answers are cut and not compared",
	},
}

// pair are the columns of two answers.
var pair = [2]string{"chosen", "rejected"}

func checkTRLDPO(v *validator, row value) {
	v.resetTexts()
	prompt, chosen, rejected := row.get("prompt"), row.get("chosen"), row.get("rejected")
	if row.has("preferred_output") || row.has("input") && chosen.kind() <= null {
		v.bad("wrong_format", "write prompt, chosen and rejected", "the row has the names of OpenAI: DPOTrainer looks for chosen and raises KeyError")
		return
	}
	for i, answer := range []value{chosen, rejected} {
		if name := pair[i]; answer.kind() <= null {
			v.bad("missing_"+name, "add it; a row has one chosen and one rejected answer", "there is no %s answer: DPOTrainer raises KeyError", name)
		}
	}
	if chosen.kind() <= null || rejected.kind() <= null {
		return
	}
	for _, other := range []string{"messages", "completion"} {
		if row.has(other) {
			v.bad("two_formats", "keep one of them", "the row has chosen and %s: TRL looks at any one of them to tell whether it is a conversation", other)
		}
	}
	if chosen.kind() != rejected.kind() || prompt.kind() > null && prompt.kind() != chosen.kind() || chosen.kind() != text && chosen.kind() != list {
		v.bad("mixed_form", "write all of them as lists of messages, or all as strings", "prompt is %s, chosen %s, rejected %s: TRL adds one to the other and raises TypeError", prompt.kind(), chosen.kind(), rejected.kind())
		return
	}
	if same(chosen, rejected) {
		v.bad("identical", "delete the row", "chosen and rejected are the same: the row teaches nothing")
	}
	if chosen.kind() == text {
		v.form("strings")
	} else {
		v.form("messages")
	}
	switch {
	case prompt.kind() <= null:
		v.implicit(chosen, rejected)
	case chosen.kind() == text:
		v.plainPrompt(prompt, "the prompt")
		v.answers()
		v.pairOfStrings(prompt, chosen, rejected)
	default:
		v.conversation(&trlChat, prompt)
		v.answers()
		v.pairOfLists(prompt, chosen, rejected)
	}
	v.templateTools(row)
	v.length()
}

// implicit judges a row whose prompt is what both answers begin with.
func (v *validator) implicit(chosen, rejected value) {
	if v.once("implicit") {
		v.warn("implicit_prompt", "write the prompt into a column of its own", "rows have no prompt: TRL takes what chosen and rejected have in common at the start, down to a shared first word of the answers")
	}
	if chosen.kind() == text {
		v.says(chosen.bytes())
		if len(chosen.bytes()) == 0 || len(rejected.bytes()) == 0 || chosen.bytes()[0] != rejected.bytes()[0] {
			v.bad("no_common_prompt", "write the prompt into a column of its own", "chosen and rejected begin differently: the prompt that TRL extracts is empty")
		}
		return
	}
	if a := chosen.first(); a.kind() == none || !same(a, rejected.first()) {
		v.bad("no_common_prompt", "begin both with the same prompt, or write it into a column of its own", "chosen and rejected begin with different messages: the prompt that TRL extracts is empty")
	}
	v.talks(&trlChat, chosen, "chosen message")
	texts := len(v.texts)
	v.talks(&trlChat, rejected, "rejected message")
	v.texts = v.texts[:texts]
}

func (v *validator) pairOfStrings(prompt, chosen, rejected value) {
	for i, answer := range []value{chosen, rejected} {
		name := pair[i]
		if len(bytes.TrimSpace(answer.bytes())) == 0 {
			v.bad("empty_content", "delete the row", "the %s answer is empty", name)
		}
		if len(prompt.bytes()) > 0 && bytes.HasPrefix(answer.bytes(), prompt.bytes()) {
			v.bad("prompt_repeated", "leave only the answer in "+name, "%s begins with the prompt: TRL puts the prompt before it once more", name)
		}
		v.special(answer.bytes(), name, 1)
	}
	v.says(longer(chosen, rejected).bytes())
}

func longer(a, b value) value {
	if len(a.bytes()) > len(b.bytes()) {
		return a
	}
	return b
}

func (v *validator) pairOfLists(prompt, chosen, rejected value) {
	for i, answer := range []value{chosen, rejected} {
		name := pair[i]
		texts, at := len(v.texts), v.answer
		switch {
		case prompt.len() > 0 && same(prompt.first(), answer.first()):
			v.bad("prompt_repeated", "leave only the answer in "+name, "%s begins with the prompt: TRL puts the prompt before it once more", name)
		case answer.len() > 1:
			v.bad("one_answer", "leave one assistant message in "+name, "%s has %d messages: all of them are compared as the answer, users' words too", name, answer.len())
		default:
			v.continuation(answer, name)
		}
		if v.answer = at; i == 1 {
			v.texts = v.texts[:texts] // of the two answers one counts for the length
		}
	}
}
