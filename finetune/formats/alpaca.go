package formats

import (
	"bytes"
	"cmp"
	"fmt"

	"parley/finetune"
)

// alpaca is the format of instructions: one question and one answer, what came before as history. It
// is judged as LLaMA-Factory reads it.
var alpaca = Format{
	Name: "alpaca", About: "Alpaca: instruction and output, one row an answer, earlier turns as history", Tasks: teaching,
	each: true, encode: encodeAlpaca, usage: alpacaUsage,
	loader: arrow, limits: llamaLimits,
	check: func(v *validator, row value) {
		if row.get("instruction").kind() == none && (row.has("messages") || row.has("conversations") || row.has("prompt")) {
			v.bad("wrong_format", `write {"instruction": ..., "input": "", "output": ...}`, "the row is of another format: alpaca has instruction, input and output, and loading raises KeyError")
			return
		}
		alpacaUnset.row(v, row)
		if said := row.get("system"); len(said.bytes()) > 0 && v.once("system column") {
			v.warn("needs_dataset_info", `list "system": "system" under columns`, "rows have system: LLaMA-Factory reads it only if dataset_info.json lists it")
		}
		if row.get("history").len() > 0 && v.once("history column") {
			v.warn("history_trained", `list "history": "history" under columns, and set mask_history: true`, "rows have history: LLaMA-Factory reads it only if dataset_info.json lists it, and learns its answers too unless mask_history is set")
		}
	},
}

// encodeAlpaca writes the last question and its answer, and pairs of what came before.
func encodeAlpaca(b []byte, s *sample) []byte {
	prompt, told := s.prompt, ""
	if prompt[0].Role == finetune.System {
		prompt, told = prompt[1:], prompt[0].Content
	}
	last := len(prompt) - 1
	b = appendPair(append(b, '{'), "instruction", prompt[last].Content)
	b = appendPair(append(b, ','), "input", "")
	b = appendPair(append(b, ','), "output", s.answer().Content)
	b = appendPair(append(b, ','), "system", told)
	b = append(b, `,"history":[`...)
	for i := 0; i+1 < last; i += 2 {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(append(b, '['), prompt[i].Content)
		b = append(appendString(append(b, ','), prompt[i+1].Content), ']')
	}
	return append(b, "]}"...)
}

func alpacaUsage(w *written) string {
	return fmt.Sprintf(`* LLaMA-Factory, in dataset_info.json:

      "%s": {"file_name": %q, "columns": {"prompt": "instruction", "query": "input", "response": "output", "system": "system", "history": "history"}}

  with cutoff_len: %d and mask_history: true; without it, answers of the history are learned too.
* Axolotl's type alpaca and Unsloth's instruct form read neither system nor history.
`, w.o.Dataset, w.name(finetune.Train), w.tokens())
}

// instruct judges a row of instructions as LLaMA-Factory's converter does.
func (a *llamaAttr) instruct(v *validator, row value) {
	if a.history != "" || row.get("history").kind() > null {
		a.pairs(v, row.get(cmp.Or(a.history, "history")))
	}
	asked := 0
	for _, name := range []string{a.prompt, a.query} {
		said := row.get(name)
		switch {
		case name == "":
		case said.kind() == text:
			v.says(said.bytes())
			v.special(said.bytes(), name, 1)
			asked += len(bytes.TrimSpace(said.bytes()))
		case said.kind() > null:
			v.bad("instruction_not_string", "write it as a string", "%s is %s: LLaMA-Factory joins strings and raises TypeError", name, said.kind())
			asked++
		case said.kind() == none && name == a.prompt:
			v.bad("missing_instruction", "add "+name, "there is no %s: LLaMA-Factory raises KeyError, or asks nothing where other rows have one", name)
			asked++
		}
	}
	if asked == 0 {
		v.warn("empty_content", "write what is asked", "instruction and input are empty: the model learns to answer nothing")
	}
	if s := row.get(cmp.Or(a.system, "system")); s.kind() > null {
		if s.kind() != text {
			v.bad("system_not_string", "write it as a string", "system is %s: the template adds it to strings and raises TypeError", s.kind())
		}
		v.says(s.bytes())
	}
	v.answers()
	if a.ranking || a.response != "" && row.get(a.response).kind() <= null && row.has("chosen") && row.has("rejected") {
		a.alternatives(v, row)
		return
	}
	switch said := row.get(a.response); {
	case said.kind() <= null:
		v.bad("missing_output", "add "+a.response, "there is no %s: the row has no answer and is dropped without a word", a.response)
	case said.kind() != text:
		v.bad("output_not_string", "write it as a string; an object with json.dumps", "%s is %s and not a string: the row has no answer for LLaMA-Factory and is dropped", a.response, said.kind())
	case len(bytes.TrimSpace(said.bytes())) == 0:
		v.bad("empty_content", "delete the row", "%s is empty: only the end of the turn is learned, so the model learns to say nothing", a.response)
	default:
		v.says(said.bytes())
		v.special(said.bytes(), a.response, 1)
	}
}

// pairs judges the history.
func (a *llamaAttr) pairs(v *validator, history value) {
	if history.kind() <= null {
		return
	}
	if history.kind() != list {
		v.bad("history_pair", `write [["question", "answer"], ...]`, "history is %s: LLaMA-Factory does not read it", history.kind())
		return
	}
	for n, pair := range history.items() {
		texts := 0
		for _, said := range pair.items() {
			if said.kind() == text {
				texts++
				v.says(said.bytes())
				v.special(said.bytes(), "history", n)
			}
		}
		if pair.kind() != list || pair.len() != 2 || texts != 2 {
			v.bad("history_pair", `write ["question", "answer"]`, "entry %d of history is not a pair of strings: LLaMA-Factory raises ValueError, or the template TypeError", n)
		}
	}
}

// alternatives judges chosen and rejected, which are strings here.
func (a *llamaAttr) alternatives(v *validator, row value) {
	names := [2]string{cmp.Or(a.chosen, pair[0]), cmp.Or(a.rejected, pair[1])}
	good, worse := row.get(names[0]), row.get(names[1])
	for i, answer := range []value{good, worse} {
		switch {
		case answer.kind() <= null:
			v.bad("missing_"+pair[i], "add it; a row has one chosen and one rejected answer", "there is no %s answer: the row is dropped", names[i])
		case answer.kind() != text:
			v.bad("output_not_string", "write it as a string", "%s is %s and not a string: the row is read as one without preferences and dropped", names[i], answer.kind())
		case len(bytes.TrimSpace(answer.bytes())) == 0:
			v.bad("empty_content", "delete the row", "the %s answer is empty", names[i])
		}
	}
	if good.kind() == text && worse.kind() == text && bytes.Equal(good.bytes(), worse.bytes()) {
		v.bad("identical", "delete the row", "chosen and rejected are the same: the row teaches nothing")
	}
	v.says(longer(good, worse).bytes())
}
