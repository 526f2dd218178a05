package formats_test

import (
	"fmt"
	"strings"

	"parley/finetune/formats"
)

// shared makes a row of from and value, in pairs.
func shared(pairs ...string) string {
	var messages []string
	for i := 0; i < len(pairs); i += 2 {
		messages = append(messages, fmt.Sprintf(`{"from":%q,"value":%q}`, pairs[i], pairs[i+1]))
	}
	return `{"conversations":[` + strings.Join(messages, ",") + "]}\n"
}

// info is a dataset_info.json of one dataset in train.jsonl.
func info(more string) string { return `{"d":{"file_name":"train.jsonl"` + more + `}}` }

const openTags = `,"formatting":"sharegpt","columns":{"messages":"messages"},"tags":{"role_tag":"role","content_tag":"content","user_tag":"user","assistant_tag":"assistant","system_tag":"system"}`

var llamaRules = []rule{
	{name: "odd count", format: "sharegpt", rows: shared("system", "s", "human", "x", "gpt", "y", "human", "z"), want: []string{"1 error odd_count"}, reason: "\"Invalid message count\": the row is skipped"},
	{name: "roles in a row", format: "sharegpt", rows: shared("human", "x", "human", "y", "gpt", "z", "gpt", "w"), want: []string{"1 error alternation"}, reason: "\"Invalid role tag\", \"Skipping this abnormal example\""},
	{name: "gpt first", format: "sharegpt", rows: shared("gpt", "x", "human", "y"), want: []string{"1 error alternation"}, reason: "odd places are human's"},
	{name: "other tags", format: "sharegpt", rows: shared("user", "x", "assistant", "y"), want: []string{"1 error unrecognized_role"}, reason: "LlamaFactory#2529: \"Invalid role tag\""},
	{name: "role and content", format: "sharegpt", alone: true, rows: good("unsloth", 1) + "\n", want: []string{"1 error message_missing_key"}, reason: "message[\"from\"]: KeyError"},
	{name: "no messages", format: "sharegpt", rows: `{"conversations":[]}` + "\n" + `{"dialog":[]}` + "\n", want: []string{"1 error empty_messages", "2 error missing_messages_list"}, reason: "\"Dropped invalid example\", and KeyError"},
	{name: "an empty answer", format: "sharegpt", rows: shared("human", "x", "gpt", ""), want: []string{"1 error empty_content"}, reason: "only the end of the turn is learned"},
	{name: "a null answer", format: "sharegpt", rows: `{"conversations":[{"from":"human","value":"x"},{"from":"gpt","value":null}]}` + "\n", want: []string{"1 error missing_content"}, reason: "templates add strings: TypeError"},
	{name: "tools", format: "sharegpt", alone: true, rows: shared("human", "x", "function_call", "{}", "observation", "1", "gpt", "y"), reason: "observation stands in human's places and function_call in gpt's"},
	{name: "a column that is not read", format: "sharegpt", alone: true, rows: `{"system":"Be brief.",` + shared("human", "x", "gpt", "y")[1:], want: []string{"0 warning column_unlisted"}, reason: "system is None unless columns lists it"},
	{name: "an array", format: "sharegpt", files: map[string]string{"train.json": "[" + strings.TrimSpace(shared("human", "x", "gpt", "y")) + ",\n" + shared("human", "x") + "]"}, want: []string{"2 error odd_count"}, reason: "the demo files of LLaMA-Factory are lists in .json"},

	{name: "no dataset_info", format: "llama-factory", alone: true, rows: good("mlx", 1) + "\n", want: []string{"0 warning needs_dataset_info"}, reason: "the default tags are from and value"},
	{name: "no dataset_info in a directory", format: "llama-factory", files: map[string]string{"train.jsonl": shared("human", "x", "gpt", "y")}, want: []string{"0 error missing_file"}, reason: "\"Cannot open dataset_info.json\""},
	{name: "tags that match", format: "llama-factory", files: map[string]string{"dataset_info.json": info(openTags), "train.jsonl": good("mlx", 1) + "\n"}, reason: "as the project's README describes it"},
	{name: "tags that do not match", format: "llama-factory", files: map[string]string{"dataset_info.json": info(strings.Replace(openTags, `"user_tag":"user"`, `"user_tag":"human"`, 1)), "train.jsonl": good("mlx", 1) + "\n"}, want: []string{"1 error unrecognized_role"}, reason: "LlamaFactory#8197: a wrong user_tag skips rows without a word"},
	{name: "tags left out", format: "llama-factory", files: map[string]string{"dataset_info.json": info(`,"formatting":"sharegpt","columns":{"messages":"messages"},"tags":{"user_tag":"user"}`), "train.jsonl": good("mlx", 1) + "\n"}, want: []string{"0 error info_tags"}, reason: "a tag that is not listed is None: KeyError"},
	{name: "no tags", format: "llama-factory", files: map[string]string{"dataset_info.json": info(`,"formatting":"sharegpt","columns":{"messages":"messages"}`), "train.jsonl": good("mlx", 1) + "\n"}, want: []string{"1 error message_missing_key"}, reason: "the default role_tag is from: KeyError"},
	{name: "columns reset", format: "llama-factory", files: map[string]string{"dataset_info.json": info(`,"formatting":"sharegpt","columns":{"system":"system"}`), "train.jsonl": shared("human", "x", "gpt", "y")}, want: []string{"0 error info_columns"}, reason: "naming any column resets messages to None"},
	{name: "a column reset in alpaca", format: "llama-factory", files: map[string]string{"dataset_info.json": info(`,"columns":{"prompt":"instruction","response":"output"}`), "train.jsonl": `{"instruction":"x","input":"y","output":"z"}` + "\n"}, want: []string{"1 error column_unlisted"}, reason: "query is None, so the input is lost without a word"},
	{name: "formatting", format: "llama-factory", files: map[string]string{"dataset_info.json": info(`,"formatting":"chatml"`), "train.jsonl": good("mlx", 1) + "\n"}, want: []string{"0 error formatting"}, reason: "\"Dataset converter chatml not found\""},
	{name: "no file", format: "llama-factory", files: map[string]string{"dataset_info.json": info("")}, want: []string{"0 error missing_file"}, reason: "\"File not found\""},
	{name: "no file_name", format: "llama-factory", files: map[string]string{"dataset_info.json": `{"d":{}}`, "train.jsonl": ""}, want: []string{"0 error file_name"}, reason: "KeyError"},
	{name: "extension", format: "llama-factory", files: map[string]string{"dataset_info.json": `{"d":{"file_name":"x.tsv"}}`, "x.tsv": "x"}, want: []string{"0 error extension"}, reason: "\"Allowed file types\""},
	{name: "an info that is not ASCII", format: "llama-factory", files: map[string]string{"dataset_info.json": `{"dät":{"file_name":"train.jsonl"}}`, "train.jsonl": good("alpaca", 1) + "\n"}, want: []string{"0 warning info_not_ascii"}, reason: "open() without an encoding: the platform's own"},
	{name: "an info with a mark", format: "llama-factory", files: map[string]string{"dataset_info.json": "\ufeff" + info(""), "train.jsonl": good("alpaca", 1) + "\n"}, want: []string{"0 error bom_present"}, reason: "json.load: \"Unexpected UTF-8 BOM\""},
	{name: "an info that is no JSON", format: "llama-factory", files: map[string]string{"dataset_info.json": "{", "train.jsonl": good("alpaca", 1) + "\n"}, want: []string{"0 error info_invalid"}, reason: "\"Cannot open dataset_info.json\""},
	{name: "a data file beside an info", format: "llama-factory", files: map[string]string{"dataset_info.json": info(openTags), "train.jsonl": talk(ask("x"))}, paths: []string{"train.jsonl"}, want: []string{"1 error odd_count"}, reason: "the entry of the file says how it is read"},
	{name: "an even count", format: "llama-factory", files: map[string]string{"dataset_info.json": info(`,"ranking":true,"formatting":"sharegpt","columns":{"messages":"conversations","chosen":"chosen","rejected":"rejected"}`),
		"train.jsonl": strings.TrimSuffix(shared("human", "x", "gpt", "y"), "}\n") + `,"chosen":{"from":"gpt","value":"a"},"rejected":{"from":"gpt","value":"b"}}` + "\n"}, want: []string{"1 error even_count"}, reason: "preferences end with human: \"Invalid message count\""},
	{name: "no ranking columns", format: "llama-factory", files: map[string]string{"dataset_info.json": info(`,"ranking":true,"formatting":"sharegpt","columns":{"messages":"conversations"}`), "train.jsonl": shared("human", "x")}, want: []string{"0 error info_columns"}, reason: "chosen and rejected are None: KeyError"},
	{name: "an answer that is a string", format: "llama-factory", alone: true, rows: `{"messages":[` + ask("x") + `],"chosen":"y","rejected":` + say("z") + "}\n", want: []string{"1 error answer_not_message"}, reason: "not a dict: the row is read as a normal one, and dropped"},
	{name: "an answer of the user", format: "llama-factory", alone: true, rows: `{"messages":[` + ask("x") + `],"chosen":` + ask("y") + `,"rejected":` + say("z") + "}\n", want: []string{"1 error answer_role"}, reason: "\"Invalid role tag\""},
	{name: "identical", format: "llama-factory", alone: true, rows: `{"messages":[` + ask("x") + `],"chosen":` + say("y") + `,"rejected":` + say("y") + "}\n", want: []string{"1 error identical"}, reason: "nothing is compared"},
	{name: "weight 0", format: "llama-factory", rows: talk(ask("x"), `{"role":"assistant","content":"a","weight":0}`, ask("z"), say("y")), want: []string{"1 error weight_ignored"}, reason: "weights are not looked at, and history is learned"},
	{name: "messages and conversations", format: "llama-factory", alone: true, rows: `{"messages":[` + ask("x") + "," + say("y") + "]," + shared("human", "x", "gpt", "y")[1:], want: []string{"1 error two_formats"}, reason: "one column is read"},
	{name: "text and messages", format: "llama-factory", alone: true, rows: `{"text":"x",` + talk(ask("x"), say("y"))[1:], want: []string{"1 error two_formats"}, reason: "one column is read"},
	{name: "nothing to read", format: "llama-factory", alone: true, rows: `{"text":"x"}` + "\n", want: []string{"1 error missing_columns"}, reason: "KeyError: instruction"},
	{name: "tools that are a list", format: "llama-factory", files: map[string]string{"dataset_info.json": info(`,"formatting":"sharegpt","columns":{"messages":"conversations","tools":"tools"}`), "train.jsonl": `{"tools":[],` + shared("human", "x", "gpt", "y")[1:]}, want: []string{"1 error tools"}, reason: "json.loads of a list: TypeError"},
	{name: "answers of tools", format: "llama-factory", files: map[string]string{"dataset_info.json": info(strings.Replace(openTags, `"sharegpt"`, `"openai"`, 1)[:len(openTags)-2-1] + `,"observation_tag":"tool","function_tag":"function_call"}`), "train.jsonl": talk(ask("x"), `{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}`, `{"role":"tool","content":"1"}`, `{"role":"tool","content":"2"}`, say("y"))}, reason: "the openai converter joins the answers of several tools"},
	{name: "kto_tag", format: "llama-factory", files: map[string]string{"dataset_info.json": info(`,"formatting":"sharegpt","columns":{"messages":"conversations","kto_tag":"good"}`), "train.jsonl": `{"good":"yes",` + shared("human", "x", "gpt", "y")[1:]}, want: []string{"1 error kto_tag"}, reason: "not a bool: the row is read as a normal one"},
}

var instructionRules = []rule{
	{name: "an output that is an object", format: "alpaca", alone: true, rows: `{"instruction":"x","input":"","output":{"a":1}}` + "\n", want: []string{"1 error output_not_string"}, reason: "LlamaFactory#4249: not a string, so there is no answer, and the row is dropped"},
	{name: "no output", format: "alpaca", rows: `{"instruction":"x","input":""}` + "\n" + `{"instruction":"x","input":"","output":null}` + "\n", want: []string{"1 error missing_output", "2 error missing_output"}, reason: "unsupervised: \"Dropped invalid example\""},
	{name: "an empty output", format: "alpaca", rows: `{"instruction":"x","input":"","output":" "}` + "\n", want: []string{"1 error empty_content"}, reason: "only the end of the turn is learned"},
	{name: "no instruction", format: "alpaca", rows: `{"input":"a","output":"x"}` + "\n", want: []string{"1 error missing_instruction"}, reason: "KeyError, or None where other rows have it"},
	{name: "nothing asked", format: "alpaca", rows: `{"instruction":"","input":"","output":"x"}` + "\n", want: []string{"1 warning empty_content"}, reason: "the user's message is empty"},
	{name: "history", format: "alpaca", alone: true, rows: `{"instruction":"x","input":"","output":"y","history":[["a","b"]]}` + "\n" + `{"instruction":"z","input":"","output":"y","history":[["a"]]}` + "\n", want: []string{"0 warning history_trained", "2 error history_pair"}, reason: "its answers are learned unless mask_history is set; other than pairs: \"not enough values to unpack\""},
	{name: "another format", format: "alpaca", alone: true, rows: good("mlx", 1) + "\n", want: []string{"1 error wrong_format"}, reason: "KeyError: instruction"},
	{name: "an instruction that is a list", format: "alpaca", alone: true, rows: `{"instruction":["x"],"input":"","output":"y"}` + "\n", want: []string{"1 error instruction_not_string"}, reason: "\"\\n\".join of lists: TypeError"},
	{name: "system", format: "alpaca", alone: true, rows: `{"instruction":"x","input":"","output":"y","system":"s"}` + "\n", want: []string{"0 warning needs_dataset_info"}, reason: "system is None unless columns lists it"},
	{name: "preferences", format: "alpaca", alone: true, rows: `{"instruction":"x","input":"","chosen":"a","rejected":"a"}` + "\n", want: []string{"1 error identical"}, reason: "ranking compares two strings"},
	{name: "an array", format: "alpaca", files: map[string]string{"train.json": "\n[\n" + good("alpaca", 1) + ",\n{\n\"instruction\": \"x\", \"input\": \"[{\\\"\", \"output\": 7}\n]\n"}, want: []string{"4 warning type_differs", "4 error output_not_string"}, reason: "alpaca's own file is a list"},
}

var fileRules = []rule{
	{name: "the same row in two splits", format: "trl-sft", files: map[string]string{"train.jsonl": goods("trl-sft", 3), "validation.jsonl": good("trl-sft", 2) + "\n"}, want: []string{"1 error split_overlap"}, reason: "OpenAI's guide: the same data should not be in both; the loss there says nothing"},
	{name: "the same row in two files", format: "openai-sft", files: map[string]string{"a.jsonl": goods("openai-sft", 50), "b.jsonl": strings.ReplaceAll(goods("openai-sft", 50), "question", "q")[:0] + good("openai-sft", 2) + "\n" + strings.ReplaceAll(goods("openai-sft", 50), "question", "q")}, paths: []string{"a.jsonl", "b.jsonl"}, want: []string{"1 warning split_overlap"}, reason: "the names do not say which split they are"},
	{name: "shards", format: "trl-sft", files: map[string]string{"train-00000-of-00002.jsonl": goods("trl-sft", 3), "train-00001-of-00002.jsonl": good("trl-sft", 2) + "\n"}, want: []string{"1 warning duplicate"}, reason: "shards of one split hold a row twice"},
	{name: "more rows than are remembered", format: "trl-sft", rows: goods("trl-sft", 50), o: formats.ValidateOptions{Remember: 10}, want: duplicatesOf(10), reason: "memory is bounded: only the first rows are compared"},
}

// duplicatesOf are the findings when the first n rows stand in a file again, fifty lines below.
func duplicatesOf(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("%d warning duplicate", 51+i))
	}
	return out
}
