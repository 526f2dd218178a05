package formats_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/finetune/formats"
)

// chats are the formats that hold conversations of messages, by how a row of them is written.
var chats = []string{"openai-sft", "azure-sft", "trl-sft", "axolotl", "llama-factory", "sharegpt", "mlx", "unsloth"}

// rowIn writes a conversation as a row of a format. Texts are the user's and the assistant's in turn.
func rowIn(format string, texts ...string) string {
	if format == "sharegpt" {
		var pairs []string
		for i, text := range texts {
			pairs = append(pairs, []string{"human", "gpt"}[i%2], text)
		}
		return shared(pairs...)
	}
	var messages []string
	for i, text := range texts {
		messages = append(messages, []func(string) string{ask, say}[i%2](text))
	}
	switch n := len(messages) - 1; format {
	case "trl-sft":
		return `{"prompt":` + list(messages[:n]...) + `,"completion":` + list(messages[n]) + "}\n"
	case "unsloth":
		return `{"conversations":` + list(messages...) + "}\n"
	}
	return talk(messages...)
}

// Reasoning that templates drop, and tags without their other half, are found in every chat format.
func TestReasoning(t *testing.T) {
	for _, c := range []struct {
		name   string
		texts  []string
		want   string
		reason string
	}{
		{"an earlier turn", []string{"a", "<think>x</think>\n\nb", "c", "d"}, "1 warning reasoning_dropped", "templates keep the reasoning of the last turn only"},
		{"every turn", []string{"a", "<think>x</think>b", "c", "<think>y</think>d"}, "1 warning reasoning_dropped", "the first is dropped"},
		{"the last turn", []string{"a", "b", "c", "<think>x</think>\n\nd"}, "", "that is where it belongs"},
		{"a closing tag alone", []string{"a", "x\n</think>\n\nb"}, "1 error reasoning_unbalanced", "the template splits there"},
		{"an opening tag alone", []string{"a", "<think>x\n\nb"}, "1 error reasoning_unbalanced", "all of it is reasoning"},
		{"another name", []string{"a", "<Thinking>x</thinking>b", "c", "d"}, "1 warning reasoning_dropped", "models have several names, in any case"},
		{"two names", []string{"a", "<think>x</thinking>b"}, "1 error reasoning_unbalanced", "one does not close the other"},
		{"brackets", []string{"a", "[THINK]x[/THINK]b", "c", "d"}, "1 warning reasoning_dropped", "Magistral's tags"},
		{"Kimi's", []string{"a", "◁think▷x◁/think▷b", "c", "d"}, "1 warning reasoning_dropped", "of another alphabet"},
		{"OpenThinker's", []string{"a", "<|begin_of_thought|>x<|end_of_thought|>b", "c", "d"}, "1 warning reasoning_dropped", "which has two words for its tags"},
		{"with an attribute", []string{"a", "<think id=\"1\">x</think>b", "c", "d"}, "1 warning reasoning_dropped", "it is a tag all the same"},
		{"reflection", []string{"a", "<reflection>x</reflection>b", "c", "d"}, "1 warning reasoning_dropped", "as players' replies are read"},
		{"Cohere's", []string{"a", "<|START_THINKING|>x<|END_THINKING|>b"}, "", "marks whose words say begin and end"},
		{"gpt-oss's, earlier", []string{"a", "<|channel|>analysis<|message|>x<|channel|>final<|message|>b", "c", "d"}, "1 warning reasoning_dropped", "a channel"},
		{"gpt-oss's, without an answer", []string{"a", "<|channel|>analysis<|message|>x b"}, "1 error reasoning_unbalanced", "a channel"},
		{"a direction", []string{"a", "[thinking] Well."}, "", "in play this is a direction, not a tag"},
		{"two blocks", []string{"a", "<think>x</think>b<think>y</think>c"}, "", "both are closed"},
		{"closed and opened again", []string{"a", "<think>x</think>b<think>y"}, "1 error reasoning_unbalanced", "the second is not closed"},
		{"the user's", []string{"What does <think> mean?", "It opens reasoning."}, "", "users' words are not learned as a turn of the model"},
		{"no tag", []string{"a", "I <thought about> it, <i>think</i>."}, "", "other tags are text"},
	} {
		for _, name := range chats {
			t.Run(name+" "+c.name, func(t *testing.T) {
				var want []string
				if c.want != "" {
					want = []string{c.want}
				}
				rule{name: c.name, format: name, rows: rowIn(name, c.texts...), want: want, reason: c.reason}.test(t)
			})
		}
	}
}

// Wherever an answer is, tags that do not come in pairs are found.
func TestReasoningInAnswers(t *testing.T) {
	const bad = "x</think> y"
	for _, r := range []rule{
		{format: "trl-sft", alone: true, rows: fmt.Sprintf(`{"prompt":"a","completion":%q}`, bad) + "\n"},
		{format: "mlx", alone: true, rows: fmt.Sprintf(`{"prompt":"a","completion":%q}`, bad) + "\n"},
		{format: "alpaca", rows: fmt.Sprintf(`{"instruction":"a","input":"","output":%q}`, bad) + "\n"},
		{format: "trl-dpo", rows: choice(list(ask("a")), list(say("b")), list(say(bad)))},
		{format: "openai-dpo", rows: dpo(ask("a"), say("b"), say(bad))},
		{format: "axolotl", alone: true, rows: `{"messages":` + list(ask("a")) + `,"chosen":` + say(bad) + `,"rejected":` + say("b") + "}\n"},
		{format: "llama-factory", alone: true, rows: `{"messages":` + list(ask("a")) + `,"chosen":` + say("b") + `,"rejected":` + say(bad) + "}\n"},
	} {
		r.want = []string{"1 error reasoning_unbalanced"}
		t.Run(r.format, r.test)
	}
}

// weighed is an answer with a mark.
func weighed(text, mark string) string { return say(text)[:len(say(text))-1] + "," + mark + "}" }

func TestMarks(t *testing.T) {
	off, on := weighed("a", `"weight":0`), weighed("b", `"weight":1`)
	some, none := talk(ask("x"), off, ask("y"), on), talk(ask("x"), off, ask("y"), off)
	train := talk(ask("x"), weighed("a", `"train":false`), ask("y"), weighed("b", `"train":true`))
	conv := func(row string) string { return strings.Replace(row, "messages", "conversations", 1) }
	for _, r := range []rule{
		{name: "some", format: "openai-sft", rows: some, reason: "OpenAI reads weights"},
		{name: "none", format: "openai-sft", rows: none, want: []string{"1 error nothing_trained"}, reason: "nothing is learned"},
		{name: "train", format: "openai-sft", rows: train, want: []string{"1 error message_unrecognized_key", "1 error message_unrecognized_key"}, reason: "the key is not one of a message"},
		{name: "some", format: "axolotl", rows: some + some, want: []string{"1 error weight_ignored", "2 warning duplicate", "2 error weight_ignored"}, reason: "weights are not looked at; each row is counted"},
		{name: "none", format: "axolotl", rows: none, want: []string{"1 error weight_ignored", "1 error nothing_trained"}, reason: "the row has no trained token"},
		{name: "train", format: "axolotl", rows: good("axolotl", 98) + "\n" + train, want: []string{"2 warning train_needs_setting"}, reason: "only with message_field_training"},
		{name: "train none", format: "axolotl", rows: talk(ask("x"), weighed("a", `"train":false`)), want: []string{"1 warning train_needs_setting", "1 error nothing_trained"}, reason: "the row has no trained token"},
		{name: "weights named", format: "axolotl", files: map[string]string{"a.yaml": axolotlYAML("chat_template", "    message_field_training: weight"), "train.jsonl": some}, reason: "the key is the user's to choose"},
		{name: "some", format: "trl-sft", alone: true, rows: some, want: []string{"1 error weight_ignored"}, reason: "the whole conversation is learned"},
		{name: "none", format: "trl-sft", alone: true, rows: none, want: []string{"1 error weight_ignored", "1 error nothing_trained"}, reason: "the whole conversation is learned"},
		{name: "train", format: "trl-sft", alone: true, rows: train, want: []string{"1 error train_ignored"}, reason: "the key is not looked at"},
		{name: "a prompt's", format: "trl-sft", alone: true, rows: `{"prompt":` + list(ask("x"), off, ask("y")) + `,"completion":` + list(say("b")) + "}\n", reason: "prompts are not learned anyway"},
		{name: "a completion's", format: "trl-sft", alone: true, rows: `{"prompt":` + list(ask("x")) + `,"completion":` + list(off) + "}\n", want: []string{"1 error weight_ignored", "1 error nothing_trained"}, reason: "a completion is learned whatever its weight"},
		{name: "some", format: "mlx", rows: some, want: []string{"1 warning weight_ignored"}, reason: "--mask-prompt learns the last message"},
		{name: "none", format: "mlx", rows: none, want: []string{"1 warning weight_ignored", "1 error nothing_trained"}, reason: "the last message is learned all the same"},
		{name: "some", format: "unsloth", alone: true, rows: conv(some), want: []string{"1 error message_keys", "1 error weight_ignored"}, reason: "a third key stops standardize_sharegpt"},
		{name: "none", format: "llama-factory", alone: true, rows: none, want: []string{"1 error weight_ignored", "1 error nothing_trained"}, reason: "weights are not looked at"},
		{name: "train", format: "llama-factory", alone: true, rows: train, want: []string{"1 error train_ignored"}, reason: "the key is not looked at"},
		{name: "one", format: "trl-sft", alone: true, rows: talk(ask("x"), on), reason: "a weight of 1 asks for what happens anyway"},
	} {
		t.Run(r.format+" "+r.name, r.test)
	}
}

func TestImplicitPrompt(t *testing.T) {
	sides := func(chosen, rejected string) string {
		return fmt.Sprintf(`{"chosen":%s,"rejected":%s}`+"\n", chosen, rejected)
	}
	clean := sides(list(ask("x"), say("y")), list(ask("x"), say("z")))
	for _, r := range []rule{
		{name: "the rejected goes on", rows: sides(list(ask("x"), say("y")), list(ask("x"), say("y"), ask("z"), say("w"))), want: []string{"1 error one_begins_other"}, reason: "extract_prompt finds no place where they part"},
		{name: "the chosen goes on", rows: sides(list(ask("x"), say("y"), ask("z"), say("w")), list(ask("x"), say("y"))), want: []string{"1 error one_begins_other"}, reason: "the same the other way round"},
		{name: "one is the prompt", rows: sides(list(ask("x")), list(ask("x"), say("y"))), want: []string{"1 error one_begins_other"}, reason: "the chosen answer is the question"},
		{name: "strings", rows: sides(`"Q: x A: y"`, `"Q: x A: y and z"`), want: []string{"1 error one_begins_other"}, reason: "as with messages"},
		{name: "both empty", rows: sides("[]", "[]"), want: []string{"1 error identical", "1 error empty_messages", "1 error empty_messages"}, reason: "there is nothing"},
		{name: "one empty", rows: sides("[]", list(ask("x"), say("y"))), want: []string{"1 error empty_messages"}, reason: "there is nothing to compare with"},
		{name: "an empty string", rows: sides(`""`, `"x"`), want: []string{"1 error empty_messages"}, reason: "there is nothing to compare with"},
		{name: "parting at the user's", rows: sides(list(ask("x"), say("y"), ask("z"), say("w")), list(ask("x"), say("y"), ask("q"), say("v"))), want: []string{"1 error trains_user_turns", "1 error trains_user_turns"}, reason: "the users' words are part of what is compared"},
		{name: "white space", rows: sides(list(ask("x"), say("y")), list(ask("x"), say("y "))), want: []string{"1 error identical"}, reason: "the answers say the same"},
		{name: "clean rows", rows: clean, want: []string{"0 warning implicit_prompt"}, reason: "an explicit prompt is recommended"},
	} {
		r.format, r.alone = "trl-dpo", true
		t.Run(r.name, r.test)
	}
}

// A file that is one list is read row by row, and each row has the line where it begins.
func TestListLines(t *testing.T) {
	pretty := func(format string) string {
		empty := strings.Replace(strings.TrimSpace(rowIn(format, "x", "zzz")), "zzz", "", 1)
		return "[\n  " + good(format, 1) + ",\n\n  {\n" + empty[1:] + ",\n" + good(format, 2) + "\n]\n"
	}
	for _, c := range []struct{ format, name, want string }{
		{"trl-sft", "train.json", "4 error empty_content"},
		{"axolotl", "train.json", "4 error empty_content"},
		{"sharegpt", "train.jsonl", "1 warning list_in_jsonl, 4 error empty_content"},
		{"openai-sft", "train.jsonl", "1 error list_not_lines, 4 error missing_content"},
		{"mlx", "train.jsonl", "1 error list_not_lines, 4 error empty_content"},
	} {
		rule{name: c.format, format: c.format, files: map[string]string{c.name: pretty(c.format)}, paths: []string{c.name}, want: strings.Split(c.want, ", "), reason: "a row's line is that of its first brace"}.run(t)
	}
	broken := "[\n" + good("trl-sft", 1) + ",\n{\"prompt\": oops}\n]\n"
	rule{name: "broken", format: "trl-sft", files: map[string]string{"train.json": broken}, paths: []string{"train.json"}, want: []string{"3 error json_invalid"}, reason: "nothing after it can be read"}.run(t)
	rule{name: "no end", format: "trl-sft", files: map[string]string{"train.json": "[\n" + good("trl-sft", 1) + ",\n"}, paths: []string{"train.json"}, want: []string{"3 error json_invalid"}, reason: "the list is cut off"}.run(t)
}

func (r rule) run(t *testing.T) { t.Run(r.format+" "+r.name, r.test) }

// Without --max-tokens, rows over a trainer's usual limit are counted in every format.
func TestUsualLength(t *testing.T) {
	long := strings.Repeat("word and ", 60_000)
	for _, name := range known {
		row := strings.Replace(good(name, 99), "question 99", long, 1) + "\n"
		rule{format: name, rows: row + strings.Replace(row, "word", "Word", 1), want: []string{"1 warning default_length"}, reason: "every trainer has a limit unless it is set"}.run(t)
	}
	yaml := "sequence_len: 200000\n" + axolotlYAML("chat_template")
	rule{name: "a configuration's", format: "axolotl", files: map[string]string{"a.yaml": yaml, "train.jsonl": talk(ask(long), say("x"))}, reason: "the limit is set"}.run(t)
}

// The recorded cases have the findings that their notes ask for, and clean rows have none.
func TestCases(t *testing.T) {
	clean := func(rule string) bool { return slices.Contains(settings, rule) }
	for _, c := range []struct {
		file, format string
		want         map[int64]string // line -> levels that will do
	}{
		{"trl_dpo_no_divergence", "trl-dpo", map[int64]string{2: "error", 3: "error", 4: "error warning", 5: "error"}},
		{"trl_sft_think", "trl-sft", map[int64]string{1: "warning", 2: "error", 3: "error"}},
		{"trl_sft_think", "openai-sft", map[int64]string{1: "warning", 2: "error", 3: "error"}},
		{"trl_sft_think", "axolotl", map[int64]string{1: "warning", 2: "error", 3: "error"}},
		{"trl_sft_think", "mlx", map[int64]string{1: "warning", 2: "error", 3: "error"}},
		{"trl_sft_think", "llama-factory", map[int64]string{1: "warning", 2: "error", 3: "error"}},
		{"trl_sft_think", "unsloth", map[int64]string{1: "warning", 2: "error", 3: "error"}},
		{"axolotl_weights", "axolotl", map[int64]string{1: "error warning", 2: "error", 3: "error warning"}},
		{"axolotl_weights", "openai-sft", map[int64]string{2: "error", 3: "error"}},
	} {
		t.Run(c.format+" "+c.file, func(t *testing.T) {
			path := filepath.Join("../../../shared/data/cases", c.file+".jsonl")
			if _, err := os.Stat(path); err != nil {
				t.Skip("the cases are not here:", err)
			}
			got := map[int64]string{}
			_, err := format(t, c.format).Validate(context.Background(), []string{path}, formats.ValidateOptions{}, func(f formats.Finding) error {
				if f.Line > 0 && !clean(f.Rule) && got[f.Line] != "error" {
					got[f.Line] = string(f.Level)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for line, levels := range c.want {
				if got[line] == "" || !strings.Contains(levels, got[line]) {
					t.Errorf("line %d: %q, want %s", line, got[line], levels)
				}
				delete(got, line)
			}
			if diff := cmp.Diff(map[int64]string{}, got); diff != "" {
				t.Errorf("findings in clean rows: %s", diff)
			}
		})
	}
}
