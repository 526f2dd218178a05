package formats

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"parley/finetune"
)

// sample is one row: after the prompt come the messages of the completion, of which the
// assistant's are learned.
type sample struct {
	prompt, completion []finetune.Message
	rejected           string
	preference         bool
}

// all returns prompt and completion as one conversation.
func (s *sample) all() []finetune.Message { return slices.Concat(s.prompt, s.completion) }

// answer returns the completion's last message.
func (s *sample) answer() finetune.Message { return s.completion[len(s.completion)-1] }

// samples makes rows of an example: one, or one an assistant's turn of the completion, in which the
// turns before are part of the prompt.
func samples(x *finetune.Example, each bool) []sample {
	whole := sample{prompt: x.Prompt, completion: x.Completion, rejected: x.Rejected, preference: x.Task == finetune.Preference}
	if !each || len(x.Completion) == 1 {
		return []sample{whole}
	}
	var out []sample
	for i, m := range x.Completion {
		if m.Role == finetune.Assistant {
			out = append(out, sample{prompt: slices.Concat(x.Prompt, x.Completion[:i]), completion: x.Completion[i : i+1]})
		}
	}
	return out
}

// prepare makes an example ready to be written: the system message folded on request, no white space where it would tear tokens apart, no marker that a tokenizer would take for
// the end of a text. It returns how many messages had such a marker.
func prepare(x *finetune.Example, o WriteOptions) (int64, error) {
	x.Prompt, x.Completion = slices.Clone(x.Prompt), slices.Clone(x.Completion)
	if err := x.Validate(); err != nil {
		return 0, err
	}
	if o.FoldSystem && x.Prompt[0].Role == finetune.System {
		if len(x.Prompt) < 2 {
			return 0, fmt.Errorf("example %s: there is no user's message to fold the system message into", x.ID)
		}
		x.Prompt[1].Content = x.Prompt[0].Content + "\n\n" + x.Prompt[1].Content
		x.Prompt = x.Prompt[1:]
	}
	altered := int64(0)
	tidy := func(s string, both bool) string {
		if marker([]byte(s)) != "" {
			altered++
			s = breakMarkers(s)
		}
		if both {
			return strings.TrimSpace(s)
		}
		return strings.TrimRightFunc(s, unicode.IsSpace)
	}
	for _, list := range [][]finetune.Message{x.Prompt, x.Completion} {
		for i := range list {
			list[i].Content = tidy(list[i].Content, list[i].Role == finetune.Assistant)
		}
	}
	x.Rejected = tidy(x.Rejected, true)
	if x.Task == finetune.Preference && x.Rejected == x.Completion[0].Content {
		return altered, fmt.Errorf("example %s: chosen and rejected differ in white space only", x.ID)
	}
	return altered, nil
}

// breakMarkers puts a space behind the first character of every marker: "<|im_end|>" becomes
// "< |im_end|>".
func breakMarkers(s string) string {
	for {
		m := marker([]byte(s))
		if m == "" {
			return s
		}
		s = strings.ReplaceAll(s, m, m[:1]+" "+m[1:])
	}
}
