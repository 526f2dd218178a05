package formats_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley/finetune"
	"parley/finetune/formats"
)

// nasty are pieces of text that files and trainers have stumbled over.
var nasty = []string{
	"roll", " ", "\n", "\t", "\r\n", "\u0085", "\u2028", "\u2029", "\u00a0", "\u3000", "\ufeff", "\u200d", "\x00", "\x1b[31m", "\x1c", "\x7f", "\\", "\"", "'",
	"</s>", "<|im_end|>", "<|im_start|>assistant\n", "[INST]", "<<s>s>", "<|<|end|>end|>", "{\"a\":1}", "[]", "null", "\u00e9", "e\u0301", "\U0001F409", "\ufffd", "\U0010ffff",
	"None", "2020-01-01", "system:", "\u202e", "\\u2028", "%s", "{{ x }}",
}

func randomText(rng *rand.Rand) string {
	var b strings.Builder
	for range 1 + rng.IntN(12) {
		b.WriteString(nasty[rng.IntN(len(nasty))])
	}
	if strings.TrimSpace(b.String()) == "" {
		return "ok"
	}
	return b.String()
}

func randomExample(rng *rand.Rand, id string, task finetune.Task) finetune.Example {
	x := finetune.Example{ID: id, Task: task, Group: "g" + id}
	if rng.IntN(2) == 0 {
		x.Prompt = append(x.Prompt, finetune.Message{Role: finetune.System, Content: randomText(rng)})
	}
	for i := range 2*rng.IntN(3) + 1 {
		x.Prompt = append(x.Prompt, finetune.Message{Role: []finetune.Role{finetune.User, finetune.Assistant}[i%2], Content: randomText(rng)})
	}
	x.Prompt[len(x.Prompt)-1].Content += " " + id // so that no two rows are the same
	turns := 1
	if task == finetune.Roleplay {
		turns = 2*rng.IntN(3) + 1
	}
	for i := range turns {
		x.Completion = append(x.Completion, finetune.Message{Role: []finetune.Role{finetune.Assistant, finetune.User}[i%2], Content: randomText(rng)})
	}
	if task == finetune.Preference {
		x.Rejected = "not " + id
	}
	return x
}

// advice are warnings about settings that a file cannot carry: the README beside it names them.
var advice = []string{"history_trained", "needs_dataset_info", "mask_prompt_last"}

// Whatever is written passes its own validator without a finding, in every format that can hold it.
func TestRoundTrip(t *testing.T) {
	for _, name := range formats.Names() {
		f := format(t, name)
		for _, task := range f.Tasks {
			for seed := range uint64(3) {
				t.Run(fmt.Sprintf("%s %s %d", name, task, seed), func(t *testing.T) {
					t.Parallel()
					rng := rand.New(rand.NewPCG(seed, 1))
					rows := map[finetune.Split][]finetune.Example{}
					for _, s := range finetune.Splits() {
						for i := range 52 {
							rows[s] = append(rows[s], randomExample(rng, fmt.Sprintf("%s-%d", s, i), task))
						}
					}
					dir := t.TempDir()
					files, err := f.Write(dir, in(rows), formats.WriteOptions{FoldSystem: seed%2 == 1})
					if err != nil {
						t.Fatal(err)
					}
					found, sum := judge(t, name, formats.ValidateOptions{}, dir)
					for _, x := range found {
						if !slices.Contains(advice, x.Rule) {
							t.Errorf("%v", x)
						}
					}
					want := int64(0)
					for _, file := range files {
						want += file.Rows
					}
					if sum.Rows != want || want < 3*52 {
						t.Errorf("%d rows were read and %d written", sum.Rows, want)
					}
				})
			}
		}
	}
}
