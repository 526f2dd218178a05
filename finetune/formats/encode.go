package formats

import (
	"encoding/json"
	"strconv"
	"strings"

	"parley/finetune"
)

// layout is how rows are written.
type layout struct {
	Form       string                   `yaml:"form"`        // conversation, completion, preference or instruction
	EachAnswer bool                     `yaml:"each_answer"` // one row an assistant's turn of the completion; otherwise one row an example
	Mark       string                   `yaml:"mark"`        // key of messages that says what is learned: weight (of the assistant's) or train
	Single     bool                     `yaml:"single"`      // chosen and rejected are a message each, and not a list of one
	Wrap       string                   `yaml:"wrap"`        // key of an object around the prompt
	Roles      map[finetune.Role]string `yaml:"roles"`       // names of roles, where they are others
}

// encode appends a sample as a row, without the end of its line.
func (f *Format) encode(b []byte, s *sample) []byte {
	switch {
	case s.preference:
		return f.encodePreference(b, s)
	case f.Layout.Form == "completion":
		b = f.appendMessages(appendKey(b, '{', f.column("prompt")), s.prompt, len(s.prompt))
		b = f.appendMessages(appendKey(b, ',', f.column("completion")), s.completion, len(s.completion))
	case f.Layout.Form == "instruction":
		return f.encodeInstruction(b, s)
	default:
		b = f.appendMessages(appendKey(b, '{', f.column("messages")), s.all(), len(s.prompt))
	}
	return append(b, '}')
}

func (f *Format) encodePreference(b []byte, s *sample) []byte {
	plain := *f
	plain.Layout.Mark = ""
	if wrap := f.Layout.Wrap; wrap != "" {
		b = plain.appendMessages(appendKey(appendKey(b, '{', wrap), '{', f.column("prompt")), s.prompt, 0)
		b = append(b, '}')
	} else {
		b = plain.appendMessages(appendKey(b, '{', f.column("prompt")), s.prompt, 0)
	}
	rejected := []finetune.Message{{Role: finetune.Assistant, Content: s.rejected}}
	for i, answer := range [][]finetune.Message{s.completion, rejected} {
		b = appendKey(b, ',', f.column([]string{"chosen", "rejected"}[i]))
		if f.Layout.Single {
			b = plain.appendMessage(b, answer[0], false)
		} else {
			b = plain.appendMessages(b, answer, 0)
		}
	}
	return append(b, '}')
}

// encodeInstruction appends the last question and its answer, and pairs of what came before.
func (f *Format) encodeInstruction(b []byte, s *sample) []byte {
	prompt, told := s.prompt, ""
	if prompt[0].Role == finetune.System {
		prompt, told = prompt[1:], prompt[0].Content
	}
	last := len(prompt) - 1
	b = appendString(appendKey(b, '{', "instruction"), prompt[last].Content)
	b = appendString(appendKey(b, ',', "input"), "")
	b = appendString(appendKey(b, ',', "output"), s.answer().Content)
	b = appendString(appendKey(b, ',', "system"), told)
	b = append(appendKey(b, ',', "history"), '[')
	for i := 0; i+1 < last; i += 2 {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(append(b, '['), prompt[i].Content)
		b = append(appendString(append(b, ','), prompt[i+1].Content), ']')
	}
	return append(b, "]}"...)
}

// appendMessages appends a list of messages, of which those from learned on are learned.
func (f *Format) appendMessages(b []byte, messages []finetune.Message, learned int) []byte {
	b = append(b, '[')
	for i, m := range messages {
		if i > 0 {
			b = append(b, ',')
		}
		b = f.appendMessage(b, m, i >= learned)
	}
	return append(b, ']')
}

func (f *Format) appendMessage(b []byte, m finetune.Message, learned bool) []byte {
	role := string(m.Role)
	if own := f.Layout.Roles[m.Role]; own != "" {
		role = own
	}
	b = appendString(appendKey(b, '{', f.Message.Role), role)
	b = appendString(appendKey(b, ',', f.Message.Content), m.Content)
	learned = learned && m.Role == finetune.Assistant
	switch {
	case f.Layout.Mark == "weight" && learned:
		b = append(b, `,"weight":1`...)
	case f.Layout.Mark == "weight" && m.Role == finetune.Assistant:
		b = append(b, `,"weight":0`...)
	case f.Layout.Mark != "" && f.Layout.Mark != "weight":
		b = strconv.AppendBool(appendKey(b, ',', f.Layout.Mark), learned)
	}
	return append(b, '}')
}

// appendKey appends what comes before a key, the key and a colon.
func appendKey(b []byte, before byte, key string) []byte {
	return append(appendString(append(b, before), key), ':')
}

// lineEnds escapes what encoding/json leaves, and some readers of lines take for the end of one.
var lineEnds = strings.NewReplacer("\u0085", `\u0085`, "\u007f", `\u007f`)

// appendString appends a JSON string. Letters stay as they are; what readers of lines take for the end
// of one, and what is no UTF-8, is escaped, and HTML is not.
func appendString(b []byte, s string) []byte {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string can be encoded
	}
	return append(b, lineEnds.Replace(strings.TrimSuffix(out.String(), "\n"))...)
}
