package formats_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/finetune/formats"
)

// rule is a case of a validator: what stands in a file, what is found, and what the trainer does with
// such a file in truth.
type rule struct {
	name   string
	format string
	rows   string            // of train.jsonl; good rows of the format follow
	alone  bool              // no good rows follow
	files  map[string]string // instead of rows
	paths  []string          // to validate, in order; none: the file, or the directory of files
	o      formats.ValidateOptions
	want   []string // findings, as "line level rule", in the order of lines; advice is left out unless it is wanted
	reason string
}

// settings are rules that speak of the trainer's settings rather than of a row.
var settings = []string{"needs_dataset_info", "trains_everything", "mask_prompt_last", "history_trained", "formatting_func", "few_examples", "min_examples", "batch_size", "role_key_guess", "keys_differ", "implicit_prompt", "type_unsure", "file_name"}

// good is a row that its format finds nothing in.
func good(format string, n int) string {
	ask, say := fmt.Sprintf("question %d", n), fmt.Sprintf("answer %d", n)
	user, answer := fmt.Sprintf(`{"role":"user","content":%q}`, ask), fmt.Sprintf(`{"role":"assistant","content":%q}`, say)
	switch format {
	case "openai-dpo":
		return fmt.Sprintf(`{"input":{"messages":[%s]},"preferred_output":[%s],"non_preferred_output":[{"role":"assistant","content":"no"}]}`, user, answer)
	case "trl-sft":
		return fmt.Sprintf(`{"prompt":[%s],"completion":[%s]}`, user, answer)
	case "trl-dpo":
		return fmt.Sprintf(`{"prompt":[%s],"chosen":[%s],"rejected":[{"role":"assistant","content":"no"}]}`, user, answer)
	case "sharegpt":
		return fmt.Sprintf(`{"conversations":[{"from":"human","value":%q},{"from":"gpt","value":%q}]}`, ask, say)
	case "alpaca":
		return fmt.Sprintf(`{"instruction":%q,"input":"","output":%q}`, ask, say)
	case "unsloth":
		return fmt.Sprintf(`{"conversations":[%s,%s]}`, user, answer)
	}
	return fmt.Sprintf(`{"messages":[%s,%s]}`, user, answer)
}

// goods are n good rows.
func goods(format string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(good(format, i) + "\n")
	}
	return b.String()
}

func (r rule) test(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := r.files
	if files == nil {
		files = map[string]string{"train.jsonl": r.rows}
		if !r.alone {
			files["train.jsonl"] += goods(r.format, 50)
		}
		if r.format == "azure-sft" && !strings.HasPrefix(r.rows, "\ufeff") && r.name != "azure without a mark" {
			files["train.jsonl"] = "\ufeff" + files["train.jsonl"]
		}
	}
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{dir}
	if r.files == nil {
		paths = []string{filepath.Join(dir, "train.jsonl")}
	}
	if len(r.paths) > 0 {
		paths = nil
		for _, p := range r.paths {
			paths = append(paths, filepath.Join(dir, p))
		}
	}
	found, sum := judge(t, r.format, r.o, paths...)
	wanted := func(rule string) bool {
		return slices.ContainsFunc(r.want, func(w string) bool { return strings.HasSuffix(w, " "+rule) })
	}
	var got []string
	errors := int64(0)
	for _, f := range found {
		if f.Level == formats.Error {
			errors++
		}
		if f.Message == "" || f.Remedy == "" || f.File == "" || strings.Contains(f.String(), "%!") {
			t.Errorf("a finding says too little: %v", f)
		}
		if !slices.Contains(settings, f.Rule) || wanted(f.Rule) {
			got = append(got, fmt.Sprintf("%d %s %s", f.Line, f.Level, f.Rule))
		}
	}
	if diff := cmp.Diff(r.want, got); diff != "" {
		t.Errorf("%s\n%s%v", r.reason, diff, found)
	}
	if sum.Errors != errors || sum.Warnings != int64(len(found))-errors {
		t.Errorf("%d errors and %d warnings are counted of %d findings", sum.Errors, sum.Warnings, len(found))
	}
}

func TestRules(t *testing.T) {
	var n int
	for _, table := range [][]rule{lineRules, openaiRules, preferenceRules, trlRules, axolotlRules, llamaRules, instructionRules, mlxRules, unslothRules, fileRules} {
		for _, r := range table {
			n++
			t.Run(r.format+" "+r.name, r.test)
			if r.reason == "" {
				t.Errorf("%s %s has no reason", r.format, r.name)
			}
		}
	}
	if n < 60 {
		t.Errorf("there are %d rules only", n)
	}
}

// ask and say are messages.
func ask(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) }
func say(text string) string { return fmt.Sprintf(`{"role":"assistant","content":%q}`, text) }

func talk(messages ...string) string { return `{"messages":[` + strings.Join(messages, ",") + "]}\n" }

var lineRules = []rule{
	{name: "blank line", format: "openai-sft", rows: "\n", want: []string{"1 error blank_line"},
		reason: "each line has to be a JSON object"},
	{name: "blank line", format: "mlx", rows: good("mlx", 99) + "\n  \n", want: []string{"2 error blank_line"},
		reason: "json.loads of an empty line raises, and nothing is loaded"},
	{name: "blank line", format: "trl-sft", rows: "\n", want: []string{"1 warning blank_line"},
		reason: "pyarrow passes over it; other readers of lines stop"},
	{name: "no JSON", format: "openai-sft", rows: "{'messages': []}\n", want: []string{"1 error json_invalid"},
		reason: "Python's own notation is not JSON"},
	{name: "two objects on a line", format: "mlx", rows: good("mlx", 98) + good("mlx", 99) + "\n", want: []string{"1 error json_invalid"},
		reason: "json.loads raises on extra data"},
	{name: "NaN", format: "alpaca", rows: `{"instruction":NaN,"input":"","output":"x"}` + "\n", want: []string{"1 error json_invalid"},
		reason: "NaN is not JSON; pyarrow reads a number where the converter wants a string"},
	{name: "a list", format: "openai-sft", rows: "[" + ask("x") + "," + say("y") + "]\n", want: []string{"1 error data_type"},
		reason: "OpenAI's cookbook: data_type"},
	{name: "a string", format: "mlx", rows: "\"x\"\n" + good("mlx", 99) + "\n", want: []string{"1 error data_type"},
		reason: "the loader asks a string for its keys"},
	{name: "not UTF-8", format: "trl-sft", rows: strings.Replace(good("trl-sft", 99), "question", "caf\xe9", 1) + "\n", want: []string{"1 error invalid_utf8"},
		reason: "pyarrow's strings are UTF-8: UnicodeDecodeError"},
	{name: "half a character", format: "unsloth", rows: strings.Replace(good("unsloth", 99), "question", `\ud83d`, 1) + "\n", want: []string{"1 error lone_surrogate"},
		reason: "pyarrow: \"The surrogate pair in string is invalid\""},
	{name: "half a character", format: "mlx", rows: strings.Replace(good("mlx", 99), "question", `\udc00\ud800`, 1) + "\n", want: []string{"1 error lone_surrogate"},
		reason: "json.loads takes it, and the tokenizer cannot encode it"},
	{name: "a whole pair of escapes", format: "trl-sft", rows: strings.Replace(good("trl-sft", 99), "question", `\ud83d\ude00`, 1) + "\n",
		reason: "two halves are a character"},
	{name: "U+2028", format: "openai-sft", rows: talk("{\"role\":\"user\",\"content\":\"a\u2028b\"}", say("c")) + talk("{\"role\":\"user\",\"content\":\"a\u0085b\"}", say("c")) + talk(`{"role":"user","content":"a\u2028b\u0085"}`, say("c")), want: []string{"1 warning line_separator", "2 warning line_separator"},
		reason: "trainers read it; splitlines() and readline libraries cut there. Escaped it is harmless"},
	{name: "a key twice", format: "trl-sft", rows: `{"prompt":[],` + good("trl-sft", 99)[1:] + "\n", want: []string{"1 error duplicate_key"},
		reason: "pyarrow: \"was specified twice in row 0\""},
	{name: "a key twice", format: "openai-sft", rows: talk(ask("x"), `{"role":"assistant","content":"a","content":"b"}`), want: []string{"1 error duplicate_key"},
		reason: "readers keep one of them without a word"},
	{name: "byte order mark", format: "openai-sft", rows: "\ufeff", want: []string{"1 error bom_present"},
		reason: "the first line is not JSON to Python, Go and DuckDB"},
	{name: "byte order mark", format: "mlx", rows: "\ufeff", want: []string{"1 error bom_present"},
		reason: "open() without an encoding keeps it, and json.loads raises \"Unexpected UTF-8 BOM\""},
	{name: "byte order mark", format: "axolotl", rows: "\ufeff", want: []string{"1 error bom_present"},
		reason: "pyarrow passes it, most other readers of the file refuse it"},
	{name: "azure without a mark", format: "azure-sft", want: []string{"1 error bom_missing"},
		reason: "Azure's documentation: UTF-8 with a byte order mark"},
	{name: "azure with a mark", format: "azure-sft", reason: "that is what Azure wants"},
	{name: "Windows' line ends", format: "mlx", rows: strings.ReplaceAll(goods("mlx", 5), "question", "other")[:10] + "", alone: true, want: []string{"1 error json_invalid"},
		reason: "a file that is cut off in a row cannot be read to its end"},
	{name: "CRLF", format: "openai-sft", rows: strings.ReplaceAll(strings.ReplaceAll(goods("openai-sft", 50), "question", "other"), "\n", "\r\n"),
		reason: "a carriage return is white space to JSON"},
	{name: "no newline at the end", format: "mlx", rows: strings.TrimSuffix(goods("mlx", 5), "\n"), alone: true,
		reason: "readers of lines take the last one as it is"},
	{name: "a long row", format: "openai-sft", rows: talk(ask(strings.Repeat("x", 5000)), say("y")), o: formats.ValidateOptions{MaxLine: 4096}, want: []string{"1 error row_too_long"},
		reason: "memory is bounded: the row is passed and what follows is read"},
	{name: "the same row", format: "trl-sft", rows: good("trl-sft", 7) + "\n" + `{ "prompt" : [{"role":"user","content":"\u0071uestion 7"}], "completion":[` + say("answer 7") + "]}\n", want: []string{"2 warning duplicate", "10 warning duplicate"},
		reason: "no trainer looks for duplicates; they weigh double, however they are written"},
	{name: "keys that differ", format: "trl-sft", rows: `{"prompt":[` + ask("x") + `],"completion":[` + say("y") + `],"id":"1"}` + "\n", want: []string{"2 warning keys_differ"},
		reason: "datasets#7617: None is filled in"},
	{name: "keys that differ in messages", format: "unsloth", rows: `{"conversations":[{"role":"user","content":"x","name":"Bo"},` + say("y") + "]}\n", want: []string{"1 warning keys_differ", "1 error message_keys"},
		reason: "None is filled in, and standardize_sharegpt asserts that there are two keys"},
	{name: "keys that differ", format: "axolotl", rows: `{"messages":[{"role":"user","content":"x","name":"Bo"},` + say("y") + "]}\n",
		reason: "axolotl takes None out again (remove_none_values)"},
	{name: "types that differ", format: "trl-sft", rows: `{"prompt":"a","completion":"b"}` + "\n", alone: false, want: typesDiffer(),
		reason: "pyarrow: \"changed from string to array\"; datasets 5.2 leaves the column untyped, and TRL goes by the first row"},
	{name: "two objects on a line", format: "trl-sft", rows: good("trl-sft", 98) + " " + good("trl-sft", 99) + "x\n", want: []string{"1 warning several_in_line", "1 error json_invalid"},
		reason: "pyarrow reads one value after the other"},
	{name: "a list in lines", format: "sharegpt", alone: true, rows: "[" + good("sharegpt", 1) + ",\n" + good("sharegpt", 2) + "]", want: []string{"1 warning list_in_jsonl"},
		reason: "datasets looks at what is in the file, not at its name"},
	{name: "dates only", format: "alpaca", alone: true, rows: `{"instruction":"When?","input":"","output":"2020-01-31"}` + "\n" + `{"instruction":"And then?","input":"","output":"2020-02-01 10:00:00"}` + "\n", want: []string{"1 error date_strings"},
		reason: "pyarrow makes timestamps of a column of dates: the converter finds no string and drops every row"},
	{name: "a date among words", format: "alpaca", rows: `{"instruction":"When?","input":"","output":"2020-01-31"}` + "\n", reason: "one word keeps the column a column of strings"},
	{name: "no rows", format: "mlx", alone: true, rows: "", want: []string{"0 error no_rows"},
		reason: "create_dataset takes data[0] of an empty list: IndexError"},
	{name: "no rows", format: "openai-sft", alone: true, rows: "", want: []string{"0 error no_rows"}, reason: "an empty file is refused"},
}

// typesDiffer are the findings when every good row has lists where the first has strings.
func typesDiffer() []string {
	var out []string
	for line := 2; line <= 51; line++ {
		out = append(out, fmt.Sprintf("%d warning type_differs", line), fmt.Sprintf("%d warning type_differs", line), fmt.Sprintf("%d error mixed_rows", line))
	}
	return out
}

var openaiRules = []rule{
	{name: "no messages", format: "openai-sft", rows: `{"message":[]}` + "\n" + `{"messages":[]}` + "\n" + `{"messages":"x"}` + "\n", want: []string{"1 error missing_messages_list", "2 error missing_messages_list", "3 error missing_messages_list"},
		reason: "OpenAI's cookbook: missing_messages_list; the specification has at least one"},
	{name: "another format", format: "openai-sft", rows: good("trl-dpo", 1) + "\n", want: []string{"1 error missing_messages_list"}, reason: "a preference has no messages"},
	{name: "no role", format: "openai-sft", rows: talk(`{"content":"x"}`, say("y")), want: []string{"1 error message_missing_key"}, reason: "OpenAI's cookbook: message_missing_key"},
	{name: "no content", format: "openai-sft", rows: talk(`{"role":"user"}`, say("y")), want: []string{"1 error message_missing_key"}, reason: "OpenAI's cookbook: message_missing_key"},
	{name: "a message that is a string", format: "openai-sft", rows: talk(`"hi"`, say("y")), want: []string{"1 error message_missing_key"}, reason: "it has neither role nor content"},
	{name: "another key", format: "openai-sft", rows: talk(`{"role":"user","content":"x","train":false}`, say("y")), want: []string{"1 error message_unrecognized_key"}, reason: "OpenAI's cookbook: message_unrecognized_key"},
	{name: "role", format: "openai-sft", rows: talk(`{"role":"human","content":"x"}`, say("y")), want: []string{"1 error unrecognized_role"}, reason: "OpenAI's cookbook: unrecognized_role"},
	{name: "developer", format: "openai-sft", rows: talk(`{"role":"developer","content":"x"}`, ask("x"), say("y")), want: []string{"1 error unrecognized_role"}, reason: "the specification of training rows has system, user, assistant, tool and function"},
	{name: "content that is a number", format: "openai-sft", rows: talk(`{"role":"user","content":7}`, say("y")), want: []string{"1 error missing_content"}, reason: "OpenAI's cookbook: missing_content"},
	{name: "empty content", format: "openai-sft", rows: talk(ask(""), say("y")) + talk(ask("x"), say("")), want: []string{"1 error missing_content", "2 error missing_content"}, reason: "OpenAI's cookbook takes it for missing"},
	{name: "null content", format: "openai-sft", rows: talk(ask("x"), `{"role":"assistant","content":null}`), want: []string{"1 error missing_content"}, reason: "null is for messages with tool_calls only"},
	{name: "no assistant", format: "openai-sft", rows: talk(ask("x")), want: []string{"1 error example_missing_assistant_message"}, reason: "OpenAI's cookbook: example_missing_assistant_message"},
	{name: "last role", format: "openai-sft", rows: talk(ask("x"), say("y"), ask("z")), want: []string{"1 error last_role"}, reason: "an example ends with what is learned"},
	{name: "no user", format: "openai-sft", rows: talk(`{"role":"system","content":"x"}`, say("y")), want: []string{"1 warning first_role", "1 warning missing_user"}, reason: "OpenAI's cookbook warns; others refuse a conversation that the assistant opens"},
	{name: "two users in a row", format: "openai-sft", rows: talk(ask("x"), ask("x"), say("y")), want: []string{"1 warning alternation"}, reason: "OpenAI takes it, Together does not"},
	{name: "a late system message", format: "openai-sft", rows: talk(ask("x"), `{"role":"system","content":"x"}`, say("y")), want: []string{"1 warning system_position"}, reason: "OpenAI takes it, most templates do not"},
	{name: "weight", format: "openai-sft", rows: talk(ask("x"), say("y")[:len(say("y"))-1]+`,"weight":0.5}`) + talk(ask("x"), say("y")[:len(say("y"))-1]+`,"weight":1.0}`) + talk(ask("x"), say("y")[:len(say("y"))-1]+`,"weight":true}`), want: []string{"1 error weight_value", "2 error weight_value", "3 error weight_value"},
		reason: "the specification: an integer, 0 or 1; pages that call it a float are wrong"},
	{name: "weight of a user", format: "openai-sft", rows: talk(`{"role":"user","content":"x","weight":1}`, say("y")), want: []string{"1 error weight_role"}, reason: "the specification gives it to assistant messages only"},
	{name: "nothing trained", format: "openai-sft", rows: talk(ask("x"), `{"role":"assistant","content":"y","weight":0}`), want: []string{"1 error nothing_trained"}, reason: "with the weight 0 everywhere no token is learned"},
	{name: "tools", format: "openai-sft", rows: `{"messages":[` + ask("x") + `,{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"c","content":"1"},` + say("y") + `],"parallel_tool_calls":false,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}` + "\n",
		reason: "a line of OpenAI's own kind: content may be missing beside tool_calls, which the cookbook's old check calls an error"},
	{name: "null beside tool calls", format: "openai-sft", rows: `{"messages":[` + ask("x") + `,{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}],"tools":[{"type":"function","function":{"name":"f"}}]}` + "\n",
		reason: "content may be null with tool_calls"},
	{name: "arguments", format: "openai-sft", rows: `{"messages":[` + ask("x") + `,{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":{"a":1}}}]}],"tools":[{"type":"function","function":{"name":"f"}}]}` + "\n", want: []string{"1 error arguments_not_string"},
		reason: "arguments are a JSON text in a string"},
	{name: "an answer that no call asked for", format: "openai-sft", rows: talk(ask("x"), `{"role":"tool","tool_call_id":"c","content":"1"}`, say("y")), want: []string{"1 error tool_call_id"}, reason: "a tool message answers a call before it"},
	{name: "a call without an id", format: "openai-sft", rows: `{"messages":[` + ask("x") + `,{"role":"assistant","tool_calls":[{"type":"function","function":{"name":"f","arguments":"{}"}}]}],"tools":[{"name":"f"}]}` + "\n", want: []string{"1 error tools", "1 error tool_calls"}, reason: "the specification: id, type and function; a tool is wrapped in {type, function}"},
	{name: "functions", format: "openai-sft", rows: `{"messages":[` + ask("x") + `,{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}],"functions":[{"name":"f"}]}` + "\n", want: []string{"1 warning functions_deprecated"}, reason: "they still train and are deprecated"},
	{name: "name", format: "openai-sft", rows: talk(`{"role":"user","name":"Bo Ek","content":"x"}`, say("y")), want: []string{"1 error name_value"}, reason: "the interface refuses names with white space"},
	{name: "two formats", format: "openai-sft", rows: `{"text":"x",` + talk(ask("x"), say("y"))[1:], want: []string{"1 error two_formats"}, reason: "Together refuses a row that fits two formats"},
	{name: "another top key", format: "openai-sft", rows: `{"id":"x",` + talk(ask("x"), say("y"))[1:], want: []string{"1 warning unrecognized_key"}, reason: "it is no key of a training row"},
	{name: "nine examples", format: "openai-sft", alone: true, rows: goods("openai-sft", 9), want: []string{"0 error min_examples"}, reason: "a job with fewer than 10 examples fails"},
	{name: "ten examples", format: "openai-sft", alone: true, rows: goods("openai-sft", 10), want: []string{"0 warning few_examples"}, reason: "OpenAI's guide: gains from 50 to 100 examples"},
	{name: "a short validation file", format: "openai-sft", files: map[string]string{"valid.jsonl": good("openai-sft", 1) + "\n"}, reason: "the minimum is for what is learned"},
	{name: "extension", format: "openai-sft", files: map[string]string{"train.json": goods("openai-sft", 50)}, paths: []string{"train.json"}, want: []string{"0 error extension"}, reason: "only .jsonl is taken"},
	{name: "end of text", format: "openai-sft", rows: talk(ask("x"), say("y<|endoftext|>")), want: []string{"1 warning eos_text"}, reason: "services add the end themselves; as text it is learned as text"},
	{name: "too long", format: "openai-sft", rows: talk(ask("x"), say(strings.Repeat("word ", 100))), o: formats.ValidateOptions{MaxTokens: 60}, want: []string{"1 warning too_long"}, reason: "OpenAI's cookbook: over the limit is truncated, not refused"},
	{name: "a prompt that fills the limit", format: "openai-sft", rows: talk(ask(strings.Repeat("word ", 100)), say("y")), o: formats.ValidateOptions{MaxTokens: 60}, want: []string{"1 error prompt_too_long"}, reason: "what is cut off at the end is the answer: nothing is learned"},
	{name: "content in parts", format: "openai-sft", rows: talk(`{"role":"user","content":[{"type":"text","text":"x"}]}`, say("y")) + talk(`{"role":"user","content":[{"type":"audio"}]}`, say("y")), want: []string{"1 warning content_parts", "2 error content_parts", "2 error missing_content"}, reason: "models with vision take parts of text and images"},
	{name: "white space before the answer", format: "openai-sft", rows: talk(ask("x"), say(" y")), want: []string{"1 warning leading_space"}, reason: "the first token of an answer is another one with a space before it"},
}
