package formats_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/finetune"
	"parley/finetune/formats"
)

// said makes a conversation of texts, the user's first; a text that begins with "system:" is one of
// the system.
func said(texts ...string) []finetune.Message {
	var out []finetune.Message
	next := finetune.User
	for _, t := range texts {
		if told, ok := strings.CutPrefix(t, "system:"); ok {
			out = append(out, finetune.Message{Role: finetune.System, Content: told})
			continue
		}
		out = append(out, finetune.Message{Role: next, Content: t})
		if next == finetune.User {
			next = finetune.Assistant
		} else {
			next = finetune.User
		}
	}
	return out
}

// answered makes a completion, the assistant's text first.
func answered(texts ...string) []finetune.Message {
	return said(append([]string{""}, texts...)...)[1:]
}

// in holds examples as a dataset does.
func in(splits map[finetune.Split][]finetune.Example) func(finetune.Split) iter.Seq2[finetune.Example, error] {
	return func(s finetune.Split) iter.Seq2[finetune.Example, error] {
		return func(yield func(finetune.Example, error) bool) {
			for _, x := range splits[s] {
				if !yield(x, nil) {
					return
				}
			}
		}
	}
}

func format(t testing.TB, name string) *formats.Format {
	t.Helper()
	f, err := formats.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// judge validates paths and returns the findings.
func judge(t testing.TB, name string, o formats.ValidateOptions, paths ...string) ([]formats.Finding, formats.Summary) {
	t.Helper()
	var found []formats.Finding
	sum, err := format(t, name).Validate(context.Background(), paths, o, func(f formats.Finding) error {
		found = append(found, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found, sum
}

func Example() {
	dir, err := os.MkdirTemp("", "formats")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	f, err := formats.Lookup("trl-sft")
	if err != nil {
		fmt.Println(err)
		return
	}
	examples := in(map[finetune.Split][]finetune.Example{finetune.Train: {{
		ID: "1", Task: finetune.DM, Group: "session 1",
		Prompt:     said("Who tries what?"),
		Completion: answered(`[{"character":"Valna","skill":"Stealth"}]`),
	}}})
	files, err := f.Write(dir, examples, formats.WriteOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	raw, _ := os.ReadFile(filepath.Join(dir, files[0].Name))
	fmt.Print(string(raw))
	sum, err := f.Validate(context.Background(), []string{dir}, formats.ValidateOptions{}, func(f formats.Finding) error {
		fmt.Println(f)
		return nil
	})
	fmt.Println(sum.Rows, sum.Errors, sum.Warnings, err)
	// Output:
	// {"prompt":[{"role":"user","content":"Who tries what?"}],"completion":[{"role":"assistant","content":"[{\"character\":\"Valna\",\"skill\":\"Stealth\"}]"}]}
	// 1 0 0 <nil>
}

// known are the formats that these tests have rows of.
var known = strings.Fields("openai-sft openai-dpo azure-sft trl-sft trl-dpo axolotl llama-factory sharegpt alpaca mlx unsloth")

func TestLookup(t *testing.T) {
	for _, name := range known {
		if !slices.Contains(formats.Names(), name) {
			t.Errorf("%s is not among %v", name, formats.Names())
		}
	}
	for _, name := range formats.Names() {
		if f := format(t, name); f.Name != name || f.About == "" || f.Trainer == "" || f.Version == "" || f.Limit.Usual == 0 {
			t.Errorf("%s is %+v", name, f)
		}
	}
	if _, err := formats.Lookup("csv"); err == nil || !strings.Contains(err.Error(), "openai-sft") {
		t.Errorf("an unknown format: %v", err)
	}
}

// A file of zeros takes no room on disk, and is larger than an upload may be.
func TestFileSize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "train.jsonl")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 512_000_001); err != nil {
		t.Skip("no sparse files here:", err)
	}
	found, _ := judge(t, "openai-sft", formats.ValidateOptions{}, path)
	if len(found) < 2 || found[0].Rule != "file_size" || found[1].Rule != "row_too_long" {
		t.Errorf("found %v", found)
	}
}

// Reading stops where the caller wants it to.
func TestStop(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "train.jsonl")
	if err := os.WriteFile(path, []byte(strings.Repeat("\n", 1000)), 0o644); err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	n := 0
	_, err := format(t, "mlx").Validate(context.Background(), []string{path}, formats.ValidateOptions{}, func(formats.Finding) error {
		n++
		return enough
	})
	if !errors.Is(err, enough) || n != 1 {
		t.Errorf("after %d findings the error is %v", n, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := format(t, "mlx").Validate(ctx, []string{path}, formats.ValidateOptions{}, func(formats.Finding) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled validation: %v", err)
	}
	if _, err := format(t, "mlx").Validate(context.Background(), []string{filepath.Join(dir, "none")}, formats.ValidateOptions{}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestHolds(t *testing.T) {
	for _, c := range []struct {
		format string
		task   finetune.Task
		others string
	}{
		{"openai-sft", finetune.Preference, "openai-dpo, trl-dpo, axolotl, llama-factory"},
		{"trl-dpo", finetune.DM, "openai-sft, azure-sft, trl-sft, axolotl, llama-factory, sharegpt, alpaca, mlx, unsloth"},
	} {
		err := format(t, c.format).Holds(c.task)
		if err == nil || !strings.Contains(err.Error(), c.others) {
			t.Errorf("%s, %s: %v", c.format, c.task, err)
		}
		if err := format(t, "axolotl").Holds(c.task); err != nil {
			t.Error(err)
		}
	}
}

// FuzzParse holds the reader of JSON against the standard library's.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e+3,true,null,"\u00e9\ud83d\ude00\n"]}`, `{"a":1,}`, `[`, `"\ud800"`, "\"\xff\"", `01`, ` 1 2`, `{"a":{"a":{}}}`, `-`, `1.`, `"\u12"`, "\"\u2028\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if strings.Count(string(raw), "[")+strings.Count(string(raw), "{") > formats.MaxDepth {
			t.Skip("it may nest too deeply")
		}
		err := formats.Parse(raw)
		if valid := json.Valid(raw); valid != (err == nil) {
			t.Errorf("%q: valid %t, and %v", raw, valid, err)
		}
	})
}

func TestParseDepth(t *testing.T) {
	deep := strings.Repeat("[", 100_000)
	if err := formats.Parse([]byte(deep)); err == nil || !strings.Contains(err.Error(), "nest") {
		t.Errorf("a deep value: %v", err)
	}
	if err := formats.Parse([]byte(strings.Repeat("[", formats.MaxDepth) + strings.Repeat("]", formats.MaxDepth))); err != nil {
		t.Errorf("a value that is just deep enough: %v", err)
	}
}

// finetune build --trainer and the validators know the same limits.
func TestTrainersLimits(t *testing.T) {
	for _, name := range finetune.Trainers() {
		trainer, err := finetune.LookupTrainer(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := formats.Lookup(name)
		if err != nil {
			f, err = formats.Lookup(name + "-sft")
		}
		if err != nil {
			t.Fatal(err)
		}
		if f.Limit.Usual != trainer.Limit {
			t.Errorf("%s: --trainer takes %d tokens, the format %s says %d", name, trainer.Limit, f.Name, f.Limit.Usual)
		}
	}
}
