package formats_test

import (
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/finetune"
	"parley/finetune/formats"
)

// A conversation with everything: a system message, a turn of the assistant before what is learned,
// and two turns to learn.
func conversation() finetune.Example {
	return finetune.Example{
		ID: "talk", Task: finetune.Roleplay, Group: "s1",
		Prompt:     said("system:You are Orla.", "Hello.", "Who asks?", "A friend. "),
		Completion: answered(" Come in.", "Thanks.", "Sit."),
	}
}

func better() finetune.Example {
	return finetune.Example{
		ID: "pair", Task: finetune.Preference, Group: "s1",
		Prompt: said("system:You are Orla.", "Hello."), Completion: answered("Good evening."), Rejected: "Huh.",
	}
}

// another is the example with another question.
func another(x finetune.Example, question string) finetune.Example {
	x.Prompt = append([]finetune.Message{}, x.Prompt...)
	x.Prompt[1].Content = question
	return x
}

// read returns a file of a directory.
func read(t *testing.T, dir, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestWrite(t *testing.T) {
	const open = `{"role":"system","content":"You are Orla."},{"role":"user","content":"Hello."}`
	const before = open + `,{"role":"assistant","content":"Who asks?"},{"role":"user","content":"A friend."}`
	const come, thanks, sit = `{"role":"assistant","content":"Come in."}`, `{"role":"user","content":"Thanks."}`, `{"role":"assistant","content":"Sit."}`
	const chosen, rejected = `{"role":"assistant","content":"Good evening."}`, `{"role":"assistant","content":"Huh."}`
	for _, c := range []struct {
		format  string
		example finetune.Example
		want    string
		reason  string
	}{
		{"openai-sft", conversation(), `{"messages":[` + open + `,{"role":"assistant","content":"Who asks?","weight":0},{"role":"user","content":"A friend."},{"role":"assistant","content":"Come in.","weight":1},` + thanks + `,{"role":"assistant","content":"Sit.","weight":1}]}` + "\n",
			"one row holds the conversation, and weights say what is learned"},
		{"azure-sft", conversation(), "\ufeff" + `{"messages":[` + open + `,{"role":"assistant","content":"Who asks?","weight":0},{"role":"user","content":"A friend."},{"role":"assistant","content":"Come in.","weight":1},` + thanks + `,{"role":"assistant","content":"Sit.","weight":1}]}` + "\n",
			"the same behind a byte order mark"},
		{"trl-sft", conversation(), `{"prompt":[` + before + `],"completion":[` + come + `]}` + "\n" + `{"prompt":[` + before + `,` + come + `,` + thanks + `],"completion":[` + sit + `]}` + "\n",
			"all of a completion is learned, so each answer is a row and users' words stand in prompts"},
		{"axolotl", conversation(), `{"messages":[{"role":"system","content":"You are Orla.","train":false},{"role":"user","content":"Hello.","train":false},{"role":"assistant","content":"Who asks?","train":false},{"role":"user","content":"A friend.","train":false},{"role":"assistant","content":"Come in.","train":true},{"role":"user","content":"Thanks.","train":false},{"role":"assistant","content":"Sit.","train":true}]}` + "\n",
			"every message says whether it is learned, in the same keys"},
		{"llama-factory", conversation(), `{"messages":[` + before + `,` + come + `]}` + "\n" + `{"messages":[` + before + `,` + come + `,` + thanks + `,` + sit + `]}` + "\n",
			"mask_history learns the last answer, so each is a row"},
		{"sharegpt", conversation(), `{"conversations":[{"from":"system","value":"You are Orla."},{"from":"human","value":"Hello."},{"from":"gpt","value":"Who asks?"},{"from":"human","value":"A friend."},{"from":"gpt","value":"Come in."}]}` + "\n" +
			`{"conversations":[{"from":"system","value":"You are Orla."},{"from":"human","value":"Hello."},{"from":"gpt","value":"Who asks?"},{"from":"human","value":"A friend."},{"from":"gpt","value":"Come in."},{"from":"human","value":"Thanks."},{"from":"gpt","value":"Sit."}]}` + "\n",
			"the system message is a message, as a column of that name is read only on request"},
		{"alpaca", conversation(), `{"instruction":"A friend.","input":"","output":"Come in.","system":"You are Orla.","history":[["Hello.","Who asks?"]]}` + "\n" +
			`{"instruction":"Thanks.","input":"","output":"Sit.","system":"You are Orla.","history":[["Hello.","Who asks?"],["A friend.","Come in."]]}` + "\n",
			"what came before is history in pairs"},
		{"mlx", conversation(), `{"messages":[` + before + `,` + come + `]}` + "\n" + `{"messages":[` + before + `,` + come + `,` + thanks + `,` + sit + `]}` + "\n",
			"--mask-prompt learns the last message, and keeps the system message that a prompt of one string would lose"},
		{"unsloth", conversation(), `{"conversations":[` + before + `,` + come + `]}` + "\n" + `{"conversations":[` + before + `,` + come + `,` + thanks + `,` + sit + `]}` + "\n",
			"last_response_only learns the last answer"},
		{"openai-dpo", better(), `{"input":{"messages":[` + open + `]},"preferred_output":[` + chosen + `],"non_preferred_output":[` + rejected + `]}` + "\n",
			"the names of the guide, not those of the reference"},
		{"trl-dpo", better(), `{"prompt":[` + open + `],"chosen":[` + chosen + `],"rejected":[` + rejected + `]}` + "\n", "an explicit prompt"},
		{"axolotl", better(), `{"messages":[` + open + `],"chosen":` + chosen + `,"rejected":` + rejected + `}` + "\n", "chat_template.default takes one message each"},
		{"llama-factory", better(), `{"messages":[` + open + `],"chosen":` + chosen + `,"rejected":` + rejected + `}` + "\n", "ranking takes one message each, after an odd number of messages"},
	} {
		t.Run(c.format+" "+c.example.ID, func(t *testing.T) {
			dir := t.TempDir()
			rows := map[finetune.Split][]finetune.Example{finetune.Train: {c.example}, finetune.Validation: {another(c.example, "Who?")}}
			files, err := format(t, c.format).Write(dir, in(rows), formats.WriteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, read(t, dir, "train.jsonl")); diff != "" {
				t.Errorf("%s\n%s", c.reason, diff)
			}
			last := files[len(files)-1]
			if last.Name != "README.md" || last.Settings != read(t, dir, "README.md") || !strings.Contains(last.Settings, "## Settings") {
				t.Errorf("the last file is %+v", last)
			}
			if f := files[0]; f.Rows != int64(strings.Count(c.want, "\n")) || f.Bytes != int64(len(c.want)) || f.Longest == 0 {
				t.Errorf("the file of the split is %+v", f)
			}
		})
	}
}

func TestWriteOptions(t *testing.T) {
	split := func(x finetune.Example) func(finetune.Split) iter.Seq2[finetune.Example, error] {
		return in(map[finetune.Split][]finetune.Example{finetune.Train: {x}})
	}
	loose := conversation()
	loose.Prompt = append(said("system:You are Orla."), finetune.Message{Role: finetune.User, Content: "Hello."}, finetune.Message{Role: finetune.User, Content: "Hm."})
	loose.Completion = answered("Yes.")
	nasty := conversation()
	nasty.Prompt = said("a\u0085b\u2028c\u2029d\x00\x1f\x7f<b>&\"\\\u00e9\U0001F409")
	nasty.Completion = answered("so <|im_end|> and </s>")
	for _, c := range []struct {
		name   string
		x      finetune.Example
		o      formats.WriteOptions
		want   string
		reason string
	}{
		{"fold", conversation(), formats.WriteOptions{FoldSystem: true}, `{"prompt":[{"role":"user","content":"You are Orla.\n\nHello."},{"role":"assistant"`, "some templates refuse a system turn"},
		{"escapes", nasty, formats.WriteOptions{}, `{"prompt":[{"role":"user","content":"a\u0085b\u2028c\u2029d\u0000\u001f\u007f<b>&\"\\` + "\u00e9\U0001F409" + `"}],"completion":[{"role":"assistant","content":"so < |im_end|> and < /s>"}]}`,
			"readers of lines cut at U+0085 and U+2028, HTML needs no escapes here, and markers would end the turn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			files, err := format(t, "trl-sft").Write(dir, split(c.x), c.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := read(t, dir, "train.jsonl"); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s\ngot  %s\nwant %s", c.reason, got, c.want)
			}
			if c.name == "escapes" && (files[0].Altered != 1 || !strings.Contains(files[len(files)-1].Settings, "In 1 messages")) {
				t.Errorf("the altered message is not counted: %+v", files)
			}
		})
	}
}

// Conversations that begin alike make the same first rows, of which a validation split must not have
// what the training split has.
func TestWriteOnce(t *testing.T) {
	other := conversation()
	other.Completion = answered("Come in.", "No.", "Go.")
	dir := t.TempDir()
	rows := map[finetune.Split][]finetune.Example{finetune.Train: {conversation()}, finetune.Validation: {other}}
	files, err := format(t, "trl-sft").Write(dir, in(rows), formats.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if files[0].Rows != 2 || files[1].Rows != 1 || files[1].Repeated != 1 || !strings.Contains(files[2].Settings, "1 rows were left out") {
		t.Errorf("the files are %+v", files)
	}
	if found, _ := judge(t, "trl-sft", formats.ValidateOptions{}, dir); len(found) > 0 {
		t.Error(found)
	}
}

func TestWriteErrors(t *testing.T) {
	empty := conversation()
	empty.Completion = answered(" ")
	torn := conversation()
	torn.Prompt = said("\xff")
	same := better()
	same.Rejected = " " + same.Completion[0].Content
	for _, c := range []struct {
		name, format, want string
		rows               map[finetune.Split][]finetune.Example
	}{
		{"task", "openai-sft", "those that can are openai-dpo", map[finetune.Split][]finetune.Example{finetune.Train: {better()}}},
		{"mixed", "axolotl", "cannot be in one dataset", map[finetune.Split][]finetune.Example{finetune.Train: {better(), conversation()}}},
		{"nothing", "trl-sft", "no example to learn from", map[finetune.Split][]finetune.Example{finetune.Test: {conversation()}}},
		{"mlx without validation", "mlx", "--split", map[finetune.Split][]finetune.Example{finetune.Train: {conversation()}}},
		{"empty", "trl-sft", "example talk: message 4 is empty", map[finetune.Split][]finetune.Example{finetune.Train: {empty}}},
		{"not UTF-8", "trl-sft", "not UTF-8", map[finetune.Split][]finetune.Example{finetune.Train: {torn}}},
		{"same", "trl-dpo", "white space only", map[finetune.Split][]finetune.Example{finetune.Train: {same}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			_, err := format(t, c.format).Write(dir, in(c.rows), formats.WriteOptions{})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.format) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
		})
	}
}

// The files beside the data name it as their trainers look for it.
func TestWriteSideFiles(t *testing.T) {
	rows := map[finetune.Split][]finetune.Example{finetune.Train: {conversation()}, finetune.Validation: {another(conversation(), "Who?")}, finetune.Test: {another(conversation(), "What?")}}
	t.Run("dataset_info", func(t *testing.T) {
		dir := t.TempDir()
		if _, err := format(t, "llama-factory").Write(dir, in(rows), formats.WriteOptions{Dataset: "säle\U0001F409"}); err != nil {
			t.Fatal(err)
		}
		raw := read(t, dir, "dataset_info.json")
		if strings.ContainsFunc(raw, func(r rune) bool { return r > 127 }) {
			t.Errorf("it is not ASCII, and is opened in the platform's encoding: %s", raw)
		}
		var info map[string]struct {
			File string            `json:"file_name"`
			Tags map[string]string `json:"tags"`
		}
		if err := json.Unmarshal([]byte(raw), &info); err != nil {
			t.Fatal(err)
		}
		var names []string
		for name, e := range info {
			names = append(names, name+" "+e.File)
			if e.Tags["user_tag"] != "user" || e.Tags["role_tag"] != "role" {
				t.Errorf("the tags are %v", e.Tags)
			}
		}
		slices.Sort(names)
		if diff := cmp.Diff([]string{"säle\U0001F409_test test.jsonl", "säle\U0001F409_train train.jsonl", "säle\U0001F409_validation validation.jsonl"}, names); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("axolotl", func(t *testing.T) {
		dir := t.TempDir()
		if _, err := format(t, "axolotl").Write(dir, in(rows), formats.WriteOptions{MaxTokens: 777}); err != nil {
			t.Fatal(err)
		}
		raw := read(t, dir, "axolotl.yaml")
		for _, want := range []string{"sequence_len: 777", "path: train.jsonl", "test_datasets:\n  - path: validation.jsonl", "message_field_training: train", "roles_to_train: [assistant]"} {
			if !strings.Contains(raw, want) {
				t.Errorf("%q is not in\n%s", want, raw)
			}
		}
	})
	t.Run("mlx", func(t *testing.T) {
		dir := t.TempDir()
		files, err := format(t, "mlx").Write(dir, in(rows), formats.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range files {
			names = append(names, f.Name)
		}
		if diff := cmp.Diff([]string{"train.jsonl", "valid.jsonl", "test.jsonl", "README.md"}, names); diff != "" {
			t.Error(diff)
		}
	})
}
