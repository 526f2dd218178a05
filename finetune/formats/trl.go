package formats

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"

	"parley/finetune"
)

// trlSFT is supervised fine-tuning with TRL: prompt and completion, of which TRL trains on the
// completion only. Rows of messages are trained on as a whole.
var trlSFT = Format{
	Name: "trl-sft", About: "Supervised fine-tuning with TRL: conversational prompt and completion, one row an answer", Tasks: teaching,
	each: true, encode: encodeCompletion, usage: trlUsage,
	loader: arrow, check: checkTRL,
	limits: limits{
		setting: "max_length", usual: 1024, level: Warning,
		full: "a prompt that fills it leaves no token to learn, and the row is dropped without a word",
		cut:  "the answer is cut and its end never learned",
	},
}

func encodeCompletion(b []byte, s *sample) []byte {
	b = appendMessages(append(b, `{"prompt":`...), s.prompt, appendMessage)
	return append(appendMessages(append(b, `,"completion":`...), s.completion, appendMessage), '}')
}

func trlUsage(w *written) string {
	files := fmt.Sprintf("\"train\": %q", w.name(finetune.Train))
	if w.has(finetune.Validation) {
		files += fmt.Sprintf(", \"validation\": %q", w.name(finetune.Validation))
	}
	config, loss := "SFTConfig", "`completion_only_loss` stays unset: with prompt and completion the prompt is masked."
	if w.task == finetune.Preference {
		config, loss = "DPOConfig", "The prompt is explicit, so nothing has to be extracted."
	}
	return fmt.Sprintf("    data = load_dataset(\"json\", data_files={%s})\n    args = %s(max_length=%d)\n\n", files, config, w.tokens()) +
		"The default max_length of 1024 drops rows whose prompt fills it. " + loss + "\n" +
		"No end-of-text token stands in the rows: the chat template has to write it.\n"
}

var trlChat = chat{
	role: "role", content: "content", names: trlNames,
	unknown:   "the template gets it as it is, and most raise or leave the message out",
	missing:   "the template raises, or writes None",
	alternate: Warning, alternates: "templates of Mistral, Gemma and Llama 2 raise \"roles must alternate\"",
	blank: "only the end of the turn is learned, so the model learns to say nothing",
}

var trlNames = map[string]who{"system": system, "developer": system, "user": user, "assistant": assistant, "tool": tool}

func checkTRL(v *validator, row value) {
	v.resetTexts()
	prompt, completion := row.get("prompt"), row.get("completion")
	switch {
	case prompt.kind() > null || completion.kind() > null:
		for _, other := range []string{"messages", "text", "conversations"} {
			if row.has(other) {
				v.bad("two_formats", "keep one of them", "the row has prompt or completion and %s: TRL looks at any one of them to tell whether it is a conversation", other)
			}
		}
		v.promptAndCompletion(prompt, completion)
	case row.has("messages") && row.has("text"):
		v.bad("two_formats", "keep one of them", "the row has messages and text: it fits two formats, and the text is not trained on")
		fallthrough
	case row.has("messages"):
		v.whole(row.get("messages"), &trlChat, "messages")
	case row.has("conversations"):
		c := trlChat
		if row.get("conversations").last().has("from") {
			c.role, c.content = "from", "value"
		} else {
			v.bad("missing_columns", "call the column messages", "TRL converts conversations with from and value only, and here they have neither: it looks for text and raises KeyError")
		}
		v.whole(row.get("conversations"), &c, "conversations")
	case row.has("text"):
		if said := row.get("text"); said.kind() != text || len(bytes.TrimSpace(said.bytes())) == 0 {
			v.bad("empty_content", "write a text", "the text is empty or not a string: there is nothing to train on")
		} else {
			v.says(said.bytes())
			v.special(said.bytes(), "text", 1)
		}
		v.everything("text")
	case row.has("chosen"):
		v.bad("wrong_format", "check it with --for trl-dpo", "the row is a preference: SFTTrainer finds no text in it and raises KeyError")
	default:
		v.bad("missing_columns", `write {"prompt": [...], "completion": [...]}`, "the row has none of prompt and completion, messages, or text: SFTTrainer raises KeyError")
	}
	v.templateTools(row)
	v.length()
}

// templateTools have to be a list, or one written as JSON in a string.
func (v *validator) templateTools(row value) {
	tools := row.get("tools")
	switch tools.kind() {
	case none, null, list:
	case text:
		var d document
		if got, err := d.parse(tools.bytes()); err != nil || got.kind() != list {
			v.bad("tools", "write the list with json.dumps", "tools is a string that is not a JSON list: json.loads or the template raises")
		}
	default:
		v.bad("tools", "write a list, or a string with one", "tools is %s and not a list: the template raises", tools.kind())
	}
}

// everything warns of rows in which prompts are learned like answers.
func (v *validator) everything(column string) {
	if v.once("everything") {
		v.warn("trains_everything", "write prompt and completion; or set assistant_only_loss, which needs {% generation %} marks in the template and raises RuntimeError without them",
			"rows have %s: TRL trains on the whole of it, prompts included", column)
	}
}

// form compares the form of a row with that of the file's first.
func (v *validator) form(is string) {
	first, known := v.state.(string)
	if !known {
		v.state = is
	} else if first != is {
		v.bad("mixed_rows", "write all rows of a file in one form", "the row is made of %s and the first of %s: TRL goes by the first when it adds the end of text, and raises or leaves it out", is, first)
	}
}

// whole judges a conversation that is trained on as a whole.
func (v *validator) whole(messages value, c *chat, column string) {
	if messages.kind() != list || messages.len() == 0 {
		v.bad("empty_messages", "delete the row", "%s is not a list with a message: TRL takes the first and raises IndexError", column)
		return
	}
	t := v.talks(c, messages, "message")
	switch {
	case t.broken:
	case t.assistants == 0:
		v.bad("example_missing_assistant_message", "add the assistant's answer", "no message is the assistant's: the model learns the prompts only")
	case t.last != assistant:
		v.warn("last_role", "end with the assistant's message", "the last message is of the role %s: the model learns to write it", t.last)
	}
	v.everything(column)
}

// promptAndCompletion judges a row in which the completion is learned.
func (v *validator) promptAndCompletion(prompt, completion value) {
	switch {
	case prompt.kind() <= null:
		v.bad("missing_prompt", "add the prompt", "there is a completion and no prompt: TRL looks for text and raises KeyError")
	case completion.kind() <= null:
		v.bad("missing_completion", "add the completion", "there is a prompt and no completion: TRL raises KeyError")
	case prompt.kind() == text && completion.kind() == text:
		v.form("strings")
		v.plainPrompt(prompt, "the prompt")
		v.answers()
		v.says(completion.bytes())
		if len(bytes.TrimSpace(completion.bytes())) == 0 {
			v.bad("empty_content", "delete the row", "the completion is empty: only the end of the text is learned")
		}
		v.special(completion.bytes(), "completion", 1)
	case prompt.kind() == list && completion.kind() == list:
		v.form("messages")
		v.conversation(&trlChat, prompt)
		v.answers()
		v.continuation(completion, "completion")
	default:
		v.bad("mixed_form", "write both as lists of messages, or both as strings", "the prompt is %s and the completion is %s: TRL adds one to the other and raises TypeError", prompt.kind(), completion.kind())
	}
}

// plainPrompt judges a prompt that is a string, to which the answer is added without a template.
func (v *validator) plainPrompt(prompt value, what string) {
	v.says(prompt.bytes())
	v.special(prompt.bytes(), "prompt", 1)
	if len(prompt.bytes()) == 0 {
		v.warn("empty_content", "write a prompt", "%s is empty: the model learns to begin with the answer", what)
	}
	if r, _ := utf8.DecodeLastRune(prompt.bytes()); r == ' ' || r == '\t' || unicode.Is(unicode.Zs, r) {
		v.warn("prompt_trailing_space", "move the space to the start of the answer", "%s ends with a space: the tokenized prompt and the start of the tokenized whole do not match, and the model learns on a context that it never meets", what)
	}
}

// conversation judges a prompt that is a list of messages.
func (v *validator) conversation(c *chat, prompt value) {
	if prompt.len() == 0 {
		v.bad("empty_messages", "write the prompt", "the prompt is an empty list: TRL takes its first message and raises IndexError")
		return
	}
	t := v.talks(c, prompt, "prompt message")
	if t.broken {
		return
	}
	switch t.last {
	case assistant:
		v.bad("last_role", "end the prompt with what is answered, and put the assistant's words into the answer", "the prompt ends with an assistant message: a second header follows it, which no conversation has")
	case nobody:
		v.warn("missing_user", "add what is answered", "the prompt has no user's message: many templates raise")
	}
}

// continuation judges messages of which every token is learned.
func (v *validator) continuation(completion value, what string) {
	if completion.len() == 0 {
		v.bad("empty_messages", "write the answer", "the %s is an empty list: there is nothing to learn", what)
		return
	}
	c := trlChat
	c.answer = true
	t := v.talks(&c, completion, what+" message")
	switch {
	case t.broken:
	case t.users > 0:
		v.bad("trains_user_turns", "write one row an answer, with what came before in the prompt", "the %s holds a user's message: all of it is learned, the user's words too", what)
	case t.assistants == 0:
		v.bad("example_missing_assistant_message", "add the assistant's answer", "the %s has no assistant message: the model learns something else than to answer", what)
	case t.last != assistant:
		v.warn("last_role", "end with the assistant's message", "the %s ends with a message of the role %s: the model learns to write it", what, t.last)
	}
}
