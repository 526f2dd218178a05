package formats_test

import (
	"fmt"
	"strings"

	"parley/finetune/formats"
)

func dpo(input, better, worse string) string {
	return fmt.Sprintf(`{"input":{"messages":[%s]},"preferred_output":[%s],"non_preferred_output":[%s]}`+"\n", input, better, worse)
}

func choice(prompt, chosen, rejected string) string {
	return fmt.Sprintf(`{"prompt":%s,"chosen":%s,"rejected":%s}`+"\n", prompt, chosen, rejected)
}

func list(messages ...string) string { return "[" + strings.Join(messages, ",") + "]" }

var preferenceRules = []rule{
	{name: "names of the reference", format: "openai-dpo", rows: strings.ReplaceAll(dpo(ask("x"), say("y"), say("z")), "_output", "_completion"), want: []string{"1 error field_names", "1 error field_names"},
		reason: "the reference says preferred_completion; the guide and the services say preferred_output"},
	{name: "names of TRL", format: "openai-dpo", rows: good("trl-dpo", 1) + "\n", want: []string{"1 error wrong_format"}, reason: "there is no input"},
	{name: "no worse answer", format: "openai-dpo", rows: `{"input":{"messages":[` + ask("x") + `]},"preferred_output":[` + say("y") + "]}\n", want: []string{"1 error missing_non_preferred_output"}, reason: "exactly two completions are compared"},
	{name: "two messages in an answer", format: "openai-dpo", rows: dpo(ask("x"), say("y")+","+say("y2"), say("z")), want: []string{"1 error one_answer"}, reason: "one turn only: the last assistant message"},
	{name: "a user's answer", format: "openai-dpo", rows: dpo(ask("x"), ask("y"), say("z")), want: []string{"1 error answer_role"}, reason: "Azure: only assistant and tool"},
	{name: "no input", format: "openai-dpo", rows: dpo("", say("y"), say("z")), want: []string{"1 error missing_messages_list"}, reason: "there is nothing to answer"},
	{name: "input that ends with an answer", format: "openai-dpo", rows: dpo(ask("x")+","+say("a"), say("y"), say("z")), want: []string{"1 error last_role"}, reason: "the outputs are the next assistant message"},
	{name: "identical", format: "openai-dpo", rows: dpo(ask("x"), say("y"), say("y")), want: []string{"1 error identical"}, reason: "no answer is better: the gradient is zero"},
	{name: "the prompt again", format: "openai-dpo", rows: dpo(ask("xyz"), say("xyz yes"), say("z")), want: []string{"1 warning prompt_repeated"}, reason: "the question is learned as part of the answer"},
	{name: "tool calls", format: "openai-dpo", rows: dpo(ask("x"), `{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`, say("z")), want: []string{"1 error text_only"}, reason: "the guide: text only"},

	{name: "no prompt", format: "trl-dpo", alone: true, rows: `{"chosen":` + list(ask("x"), say("y")) + `,"rejected":` + list(ask("x"), say("z")) + "}\n", want: []string{"0 warning implicit_prompt"}, reason: "extract_prompt takes the common messages; an explicit prompt is recommended"},
	{name: "no prompt in common", format: "trl-dpo", alone: true, rows: `{"chosen":` + list(ask("x"), say("y")) + `,"rejected":` + list(ask("w"), say("z")) + "}\n", want: []string{"1 error no_common_prompt"}, reason: "what extract_prompt finds is empty"},
	{name: "no rejected", format: "trl-dpo", alone: true, rows: `{"prompt":` + list(ask("x")) + `,"chosen":` + list(say("y")) + "}\n", want: []string{"1 error missing_rejected"}, reason: "KeyError"},
	{name: "one a string, one a list", format: "trl-dpo", alone: true, rows: choice(`"x"`, list(say("y")), list(say("z"))), want: []string{"1 error mixed_form"}, reason: "a string and a list are added: TypeError"},
	{name: "the prompt again", format: "trl-dpo", rows: choice(list(ask("x")), list(ask("x"), say("y")), list(ask("x"), say("z"))), want: []string{"1 error prompt_repeated", "1 error prompt_repeated"}, reason: "prompt + chosen has it twice, and the second is learned"},
	{name: "the prompt again, as a string", format: "trl-dpo", alone: true, rows: choice(`"ask: "`, `"ask: yes"`, `"no"`), want: []string{"1 warning prompt_trailing_space", "1 error prompt_repeated"}, reason: "prompt + chosen has it twice"},
	{name: "identical", format: "trl-dpo", rows: choice(list(ask("x")), list(say("y")), list(say("y"))), want: []string{"1 error identical"}, reason: "the loss is log 2 whatever the model does"},
	{name: "an empty answer", format: "trl-dpo", rows: choice(list(ask("x")), list(say("y")), list(say(" "))) + choice(list(ask("x")), "[]", list(say("z"))), want: []string{"1 error empty_content", "2 error empty_messages"}, reason: "nothing is compared with something"},
	{name: "names of OpenAI", format: "trl-dpo", alone: true, rows: good("openai-dpo", 1) + "\n", want: []string{"1 error wrong_format"}, reason: "KeyError: chosen"},
	{name: "messages too", format: "trl-dpo", alone: true, rows: `{"messages":` + list(ask("x")) + `,` + choice(list(ask("x")), list(say("y")), list(say("z")))[1:], want: []string{"1 error two_formats"}, reason: "is_conversational looks at a key of a set, whichever comes first"},
}

var trlRules = []rule{
	{name: "messages", format: "trl-sft", alone: true, rows: good("mlx", 1) + "\n" + good("mlx", 2) + "\n", want: []string{"0 warning trains_everything"}, reason: "a conversation is learned as a whole; assistant_only_loss needs {% generation %}"},
	{name: "text", format: "trl-sft", alone: true, rows: `{"text":"once upon"}` + "\n", want: []string{"0 warning trains_everything"}, reason: "a text is learned as a whole"},
	{name: "no known column", format: "trl-sft", alone: true, rows: good("alpaca", 1) + "\n", want: []string{"1 error missing_columns"}, reason: "KeyError: text"},
	{name: "a preference", format: "trl-sft", alone: true, rows: `{"chosen":"a","rejected":"b"}` + "\n", want: []string{"1 error wrong_format"}, reason: "SFTTrainer finds no text"},
	{name: "prompt and messages", format: "trl-sft", rows: `{"messages":` + list(ask("x")) + `,` + good("trl-sft", 90)[1:] + "\n", want: []string{"1 error two_formats"}, reason: "is_conversational looks at a key of a set, whichever comes first"},
	{name: "text and messages", format: "trl-sft", alone: true, rows: `{"text":"x",` + talk(ask("x"), say("y"))[1:], want: []string{"1 error two_formats"}, reason: "the row fits two formats"},
	{name: "a prompt alone", format: "trl-sft", rows: `{"prompt":` + list(ask("x")) + "}\n" + `{"completion":` + list(say("x")) + "}\n", want: []string{"1 error missing_completion", "2 error missing_prompt"}, reason: "KeyError"},
	{name: "a list and a string", format: "trl-sft", alone: true, rows: `{"prompt":` + list(ask("x")) + `,"completion":"y"}` + "\n", want: []string{"1 error mixed_form"}, reason: "a list and a string are added: TypeError"},
	{name: "space after the prompt", format: "trl-sft", alone: true, rows: `{"prompt":"Say: ","completion":"yes"}` + "\n" + `{"prompt":"Say:","completion":" yes"}` + "\n", want: []string{"1 warning prompt_trailing_space"}, reason: "\"The tokenized prompt is not a prefix\": the space belongs to the answer's first token"},
	{name: "space before the answer", format: "trl-sft", rows: `{"prompt":` + list(ask("x")) + `,"completion":` + list(say(" y")) + "}\n", want: []string{"1 warning leading_space"}, reason: "the template has written what stands before the answer"},
	{name: "users' words in the completion", format: "trl-sft", rows: `{"prompt":` + list(ask("x")) + `,"completion":` + list(say("y"), ask("z"), say("w")) + "}\n", want: []string{"1 error trains_user_turns"}, reason: "all of the completion is learned"},
	{name: "a completion of the user", format: "trl-sft", rows: `{"prompt":` + list(ask("x")) + `,"completion":` + list(ask("y")) + "}\n", want: []string{"1 error trains_user_turns"}, reason: "all of the completion is learned"},
	{name: "a prompt that ends with an answer", format: "trl-sft", rows: `{"prompt":` + list(ask("x"), say("a")) + `,"completion":` + list(say("y")) + "}\n", want: []string{"1 error last_role"}, reason: "add_generation_prompt writes a second header"},
	{name: "an empty prompt", format: "trl-sft", rows: `{"prompt":[],"completion":` + list(say("y")) + "}\n", want: []string{"1 error empty_messages"}, reason: "is_conversational takes maybe_messages[0]: IndexError"},
	{name: "empty messages", format: "trl-sft", alone: true, rows: `{"messages":[]}` + "\n", want: []string{"1 error empty_messages"}, reason: "IndexError"},
	{name: "roles", format: "trl-sft", rows: `{"prompt":[{"role":"human","content":"x"}],"completion":` + list(say("y")) + "}\n", want: []string{"1 error unrecognized_role"}, reason: "the template gets the role as it is"},
	{name: "two users", format: "trl-sft", rows: `{"prompt":` + list(ask("x"), ask("x2")) + `,"completion":` + list(say("y")) + "}\n", want: []string{"1 warning alternation"}, reason: "smol-course#260: \"Conversation roles must alternate\", by template"},
	{name: "a null content", format: "trl-sft", rows: `{"prompt":[{"role":"user","content":null}],"completion":` + list(say("y")) + "}\n", want: []string{"1 error missing_content"}, reason: "the template writes None"},
	{name: "null beside tool calls", format: "trl-sft", alone: true, rows: talk(ask("x"), `{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}`), want: []string{"1 warning null_content"}, reason: "Synaptic-Tuner#42: TypeError in templates that add to the content"},
	{name: "tools in a string", format: "trl-sft", alone: true, rows: `{"tools":"[]",` + good("trl-sft", 1)[1:] + "\n" + `{"tools":"f",` + good("trl-sft", 2)[1:] + "\n", want: []string{"2 error tools"}, reason: "tokenize_fn reads a string with json.loads"},
	{name: "end of text", format: "trl-sft", alone: true, rows: `{"prompt":"a","completion":"b</s>"}` + "\n", want: []string{"1 warning eos_text"}, reason: "TRL adds the end itself; another model's is learned as text"},
	{name: "from and value", format: "trl-sft", alone: true, rows: `{"conversations":[{"from":"user","value":"x"},{"from":"assistant","value":"y"}]}` + "\n", want: []string{"0 warning trains_everything"}, reason: "maybe_convert_to_chatml takes from and value"},
	{name: "role and content as conversations", format: "trl-sft", alone: true, rows: good("unsloth", 1) + "\n", want: []string{"1 error missing_columns"}, reason: "they are not converted, and KeyError: text"},
	{name: "the default length", format: "trl-sft", rows: `{"prompt":` + list(ask(strings.Repeat("word ", 1200))) + `,"completion":` + list(say("y")) + "}\n", want: []string{"1 warning default_length"}, reason: "max_length is 1024, and truncation keeps the start: the row is dropped"},
	{name: "a prompt that fills max_length", format: "trl-sft", rows: `{"prompt":` + list(ask(strings.Repeat("word ", 100))) + `,"completion":` + list(say("y")) + "}\n", o: formats.ValidateOptions{MaxTokens: 64}, want: []string{"1 error prompt_too_long"}, reason: "fully masked examples are dropped"},
	{name: "an array in .json", format: "trl-sft", files: map[string]string{"train.json": "[\n  " + good("trl-sft", 1) + ",\n  {\"prompt\": [],\n \"completion\": []}\n]"}, want: []string{"3 error empty_messages", "3 error empty_messages"}, reason: "datasets reads a list in a .json file"},
}

// axolotlYAML names train.jsonl with further settings.
func axolotlYAML(kind string, more ...string) string {
	return "datasets:\n  - path: train.jsonl\n    type: " + kind + "\n" + strings.Join(more, "\n") + "\n"
}

var axolotlRules = []rule{
	{name: "from and value", format: "axolotl", alone: true, rows: good("sharegpt", 1) + "\n", want: []string{"1 error field_messages"}, reason: "\"Messages is null. Please check `field_messages`\""},
	{name: "type sharegpt", format: "axolotl", files: map[string]string{"a.yaml": axolotlYAML("sharegpt"), "train.jsonl": good("sharegpt", 1) + "\n"}, want: []string{"0 error sharegpt_removed"}, reason: "the configuration is refused: use chat_template"},
	{name: "a mapping", format: "axolotl", files: map[string]string{"a.yaml": axolotlYAML("chat_template", "    field_messages: conversations", "    message_property_mappings: {role: from, content: value}"), "train.jsonl": good("sharegpt", 1) + "\n"}, reason: "field_messages and message_property_mappings read ShareGPT"},
	{name: "empty messages", format: "axolotl", rows: talk(), want: []string{"1 error empty_messages"}, reason: "axolotl#2774: messages[0] of an empty list"},
	{name: "role", format: "axolotl", rows: talk(ask("x"), `{"role":"bot","content":"y"}`), want: []string{"1 error unrecognized_role"}, reason: "it goes to the template as it is and is in no roles_to_train: not learned"},
	{name: "no role", format: "axolotl", rows: talk(`{"content":"x"}`, say("y")), want: []string{"1 error message_missing_key"}, reason: "KeyError: role"},
	{name: "an empty answer", format: "axolotl", rows: talk(ask("x"), say("")), want: []string{"1 error empty_content"}, reason: "find_turn finds no boundary and returns -1: not learned, without a word"},
	{name: "train without a setting", format: "axolotl", rows: talk(`{"role":"user","content":"x","train":false}`, `{"role":"assistant","content":"y","train":true}`), want: []string{"1 warning train_needs_setting"}, reason: "message_field_training is None unless it is set"},
	{name: "train that is not read", format: "axolotl", files: map[string]string{"a.yaml": axolotlYAML("chat_template"), "train.jsonl": talk(ask("x"), `{"role":"assistant","content":"y","train":false}`)}, want: []string{"1 error train_ignored"}, reason: "message_field_training is None, so the message is learned"},
	{name: "train that is read", format: "axolotl", files: map[string]string{"a.yaml": axolotlYAML("chat_template", "    message_field_training: train"), "train.jsonl": talk(ask("x"), `{"role":"assistant","content":"y","train":false}`)}, want: []string{"1 error nothing_trained"}, reason: "no label is left"},
	{name: "train as a string", format: "axolotl", files: map[string]string{"a.yaml": axolotlYAML("chat_template", "    message_field_training: train"), "train.jsonl": talk(ask("x"), `{"role":"assistant","content":"y","train":"false"}`)}, want: []string{"1 error train_value"}, reason: "\"false\" is true in Python"},
	{name: "weight 0", format: "axolotl", rows: talk(ask("x"), `{"role":"assistant","content":"a","weight":0}`, ask("z"), say("y")), want: []string{"1 error weight_ignored"}, reason: "axolotl#1702: OpenAI's weight is not looked at, the message is learned"},
	{name: "a user at the end", format: "axolotl", rows: talk(ask("x"), say("y"), ask("z")), want: []string{"1 warning last_role"}, reason: "\"Last turn is not trainable\": the end of text may be unmasked in the wrong place"},
	{name: "no assistant", format: "axolotl", rows: talk(ask("x")), want: []string{"1 error example_missing_assistant_message"}, reason: "roles_to_train is assistant: every label is -100"},
	{name: "parts", format: "axolotl", alone: true, rows: talk(ask("x"), `{"role":"assistant","content":[{"text":"Let me think. ","train":false},{"text":"4","train":true}]}`), want: []string{"1 warning type_differs", "1 warning part_space"}, reason: "the token that straddles the boundary is masked"},
	{name: "arguments", format: "axolotl", alone: true, rows: talk(ask("x"), `{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":"{a:1}"}}]}`), want: []string{"1 error arguments_json"}, reason: "json.loads of a string raises"},
	{name: "text and messages", format: "axolotl", alone: true, rows: `{"text":"x",` + talk(ask("x"), say("y"))[1:], want: []string{"1 error two_formats"}, reason: "the text is not read"},
	{name: "too long", format: "axolotl", rows: talk(ask("x"), say(strings.Repeat("word ", 100))), o: formats.ValidateOptions{MaxTokens: 64}, want: []string{"1 error too_long"}, reason: "excess_length_strategy is drop"},
	{name: "validation twice", format: "axolotl", files: map[string]string{"a.yaml": axolotlYAML("chat_template") + "val_set_size: 0.1\ntest_datasets:\n  - path: valid.jsonl\n    type: chat_template\n", "train.jsonl": goods("axolotl", 3), "valid.jsonl": good("axolotl", 9) + "\n"}, want: []string{"0 error val_set_size"}, reason: "\"non-zero val_set_size should not be used with test_datasets\""},
	{name: "a file that is not there", format: "axolotl", files: map[string]string{"a.yaml": axolotlYAML("chat_template")}, paths: []string{"a.yaml"}, want: []string{"0 error missing_file"}, reason: "nothing is loaded"},
	{name: "no YAML", format: "axolotl", files: map[string]string{"a.yaml": "datasets: [}"}, paths: []string{"a.yaml"}, want: []string{"0 error yaml_invalid"}, reason: "nothing is loaded"},
	{name: "everything is learned", format: "axolotl", files: map[string]string{"a.yaml": axolotlYAML("chat_template") + "train_on_inputs: true\n", "train.jsonl": goods("axolotl", 3)}, want: []string{"0 warning trains_everything"}, reason: "should_train = train_on_inputs or role in roles_to_train"},
	{name: "preferences without rl", format: "axolotl", files: map[string]string{"a.yaml": axolotlYAML("chat_template.default"), "train.jsonl": `{"messages":` + list(ask("x")) + `,"chosen":` + say("y") + `,"rejected":` + say("z") + "}\n"}, want: []string{"0 error rl"}, reason: "without rl rows are read as conversations to learn"},
	{name: "roles of preferences", format: "axolotl", alone: true, rows: `{"messages":[{"role":"human","content":"x"}],"chosen":` + say("y") + `,"rejected":` + say("z") + "}\n", want: []string{"1 error unrecognized_role"}, reason: "chat_template.default looks roles up in a map: KeyError; human is not in it"},
	{name: "a list of chosen", format: "axolotl", alone: true, rows: `{"messages":` + list(ask("x")) + `,"chosen":` + list(ask("x"), say("y")) + `,"rejected":` + list(say("z")) + "}\n", want: []string{"1 warning answer_list"}, reason: "chosen_raw[-1]: the others are left out"},
	{name: "space after an answer", format: "axolotl", alone: true, rows: `{"messages":` + list(ask("x")) + `,"chosen":` + say("y\n") + `,"rejected":` + say("z") + "}\n", want: []string{"1 warning trailing_space_lost"}, reason: ".rstrip() eats it"},
	{name: "identical", format: "axolotl", alone: true, rows: `{"messages":` + list(ask("x")) + `,"chosen":` + say("y") + `,"rejected":` + say("y ") + "}\n", want: []string{"1 warning trailing_space_lost", "1 error identical"}, reason: "after .rstrip() they are the same"},
	{name: "no rejected", format: "axolotl", alone: true, rows: `{"messages":` + list(ask("x")) + `,"chosen":` + say("y") + "}\n", want: []string{"1 error missing_rejected"}, reason: "KeyError"},
	{name: "prompt pairs", format: "axolotl", alone: true, rows: `{"system":"s","prompt":"x","chosen":"y","rejected":"z"}` + "\n", want: []string{"0 warning type_unsure"}, reason: "chatml.prompt_pairs takes strings, chat_template.default does not find messages"},
}

var mlxRules = []rule{
	{name: "no valid.jsonl", format: "mlx", files: map[string]string{"train.jsonl": goods("mlx", 4)}, want: []string{"0 error missing_file"}, reason: "0.26: \"Validation set not found or empty\" is an error; from 0.31 a warning"},
	{name: "no train.jsonl", format: "mlx", files: map[string]string{"valid.jsonl": goods("mlx", 4)}, want: []string{"0 error missing_file"}, reason: "\"Training set not found or empty\""},
	{name: "another name", format: "mlx", files: map[string]string{"train.jsonl": goods("mlx", 4), "validation.jsonl": goods("mlx", 4)}, want: []string{"0 warning ignored_file", "0 error missing_file"}, reason: "only train, valid and test are read"},
	{name: "another name, pointed at", format: "mlx", files: map[string]string{"data.jsonl": goods("mlx", 4)}, paths: []string{"data.jsonl"}, want: []string{"0 warning file_name"}, reason: "only train, valid and test are read"},
	{name: "an empty valid.jsonl", format: "mlx", files: map[string]string{"train.jsonl": goods("mlx", 4), "valid.jsonl": ""}, want: []string{"0 error no_rows"}, reason: "create_dataset takes data[0]: IndexError"},
	{name: "three rows", format: "mlx", alone: true, rows: goods("mlx", 3), want: []string{"0 warning batch_size"}, reason: "\"Dataset must have at least batch_size=4\""},
	{name: "the first row decides", format: "mlx", alone: true, rows: goods("mlx", 4) + `{"prompt":"x","completion":"y"}` + "\n", want: []string{"5 error format_from_first_row"}, reason: "ChatDataset reads d[\"messages\"]: KeyError"},
	{name: "prompt wins", format: "mlx", alone: true, rows: strings.Repeat("", 1) + `{"prompt":"x","completion":"y",` + talk(ask("x"), say("y"))[1:], want: []string{"1 error two_formats"}, reason: "prompt and completion win over messages, which are not read"},
	{name: "a prompt of messages", format: "mlx", alone: true, rows: good("trl-sft", 1) + "\n", want: []string{"1 error prompt_not_string"}, reason: "CompletionsDataset makes the prompt the content of one message"},
	{name: "last role", format: "mlx", rows: talk(ask("x"), say("y"), ask("z")), want: []string{"1 error last_role"}, reason: "--mask-prompt takes the last message for what is learned"},
	{name: "several answers", format: "mlx", rows: talk(ask("x"), say("y"), ask("z"), say("w")), want: []string{"0 warning mask_prompt_last"}, reason: "--mask-prompt learns the last message only"},
	{name: "text", format: "mlx", alone: true, rows: `{"text":"a"}` + "\n" + `{"text":""}` + "\n", want: []string{"1 warning text_no_mask", "2 error empty_content"}, reason: "\"Prompt masking not supported for text dataset\""},
	{name: "no format", format: "mlx", alone: true, rows: good("alpaca", 1) + "\n", want: []string{"1 error missing_columns"}, reason: "\"Unsupported data format\""},
	{name: "a prompt that fills the length", format: "mlx", rows: talk(ask(strings.Repeat("word ", 100)), say("y")), o: formats.ValidateOptions{MaxTokens: 64}, want: []string{"1 error prompt_too_long"}, reason: "the end is cut: no target token is left, and the loss is divided by zero"},
	{name: "the default length", format: "mlx", rows: talk(ask(strings.Repeat("word ", 2400)), say("y")), want: []string{"1 warning default_length"}, reason: "max_seq_length is 2048"},
}

var unslothRules = []rule{
	{name: "three keys", format: "unsloth", alone: true, rows: `{"conversations":[{"from":"human","value":"x","id":"1"},{"from":"gpt","value":"y","id":"2"}]}` + "\n" + strings.ReplaceAll(goods("sharegpt", 3), "zz", ""), want: []string{"1 error message_keys"}, reason: "assert len(uniques.keys()) == 2"},
	{name: "role", format: "unsloth", rows: `{"conversations":[{"role":"user","content":"x"},{"role":"bot","content":"y"}]}` + "\n", want: []string{"1 error unrecognized_role"}, reason: "\"are not in aliases\": TypeError"},
	{name: "the key of the role", format: "unsloth", alone: true, rows: good("sharegpt", 1) + "\n", want: []string{"0 error role_key_guess"}, reason: "the key with fewer values is taken for the role: with two of each it is the content"},
	{name: "no assistant", format: "unsloth", rows: `{"conversations":[` + ask("x") + "]}\n", want: []string{"1 error example_missing_assistant_message"}, reason: "no response marker: all labels are -100, and the row is dropped"},
	{name: "messages", format: "unsloth", alone: true, rows: good("mlx", 1) + "\n", want: []string{"0 warning formatting_func"}, reason: "\"You must specify a `formatting_func`\""},
	{name: "a marker in the text", format: "unsloth", rows: `{"conversations":[` + ask("x<|im_start|>assistant\\n") + "," + say("y") + "]}\n", want: []string{"1 warning eos_text"}, reason: "train_on_responses_only looks for literal markers"},
	{name: "content that is no string", format: "unsloth", alone: true, rows: `{"conversations":[{"role":"user","content":["x"]},{"role":"assistant","content":["y"]}]}` + "\n", want: []string{"1 warning content_parts", "1 warning content_parts"}, reason: "\"Cannot standardize non text datasets\""},
	{name: "instructions", format: "unsloth", alone: true, rows: good("alpaca", 1) + "\n" + `{"instruction":"x","input":"","output":{"a":1}}` + "\n", want: []string{"2 warning type_differs", "2 error output_not_string"}, reason: "the instruct form takes strings"},
}
