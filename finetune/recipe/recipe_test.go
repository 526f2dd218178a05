package recipe_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"parley/finetune"
	"parley/finetune/formats"
	"parley/finetune/recipe"
)

func Example() {
	dir, err := os.MkdirTemp("", "dataset")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	files, err := recipe.Write(filepath.Join(dir, "recipe"), recipe.Options{
		Kind: recipe.TRL, Task: finetune.DM, Seed: 1,
		Train: "../formats/trl-sft/train.jsonl", Validation: "../formats/trl-sft/validation.jsonl",
	})
	fmt.Println(files, err)
	// Output: [train.py requirements.txt README.md] <nil>
}

var usual = recipe.Options{
	Kind: recipe.TRL, Task: finetune.DM, Seed: 7, Train: "../formats/trl-sft/train.jsonl", Validation: "../formats/trl-sft/validation.jsonl", Length: 448,
}

func with(change func(*recipe.Options)) recipe.Options {
	o := usual
	change(&o)
	return o
}

// write writes a recipe and returns its files.
func write(t testing.TB, o recipe.Options) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "recipe")
	names, err := recipe.Write(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	there, err := os.ReadDir(dir)
	if err != nil || len(there) != len(names) {
		t.Fatalf("%d files were promised, and there are %v (%v)", len(names), there, err)
	}
	out := map[string]string{}
	for _, name := range names {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(raw)
	}
	return out
}

func TestWrongOptionsWriteNothing(t *testing.T) {
	tests := []struct {
		name   string
		change func(*recipe.Options)
		want   string
		reason string
	}{
		{"kind", func(o *recipe.Options) { o.Kind = "mlx" }, `there is no recipe for "mlx": take trl or axolotl`, ""},
		{"no data", func(o *recipe.Options) { o.Train = "" }, "no training file", ""},
		{"absolute", func(o *recipe.Options) { o.Train = "/data/train.jsonl" }, "seen from the recipe", "the directory is a dataset that is moved and published"},
		{"line break", func(o *recipe.Options) { o.Base = "a\nb" }, "no name", "the README would show it as text of its own"},
		{"not UTF-8", func(o *recipe.Options) { o.Base = "a\xff" }, "no name", "Python reads the script as UTF-8"},
		{"option", func(o *recipe.Options) { o.Base = "--help" }, "for an option", "the README's command passes it to the script"},
		{"length", func(o *recipe.Options) { o.Length = -1 }, "-1 tokens", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "recipe")
			_, err := recipe.Write(dir, with(test.change))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
			if _, err := os.Stat(dir); err == nil {
				t.Error("something was written")
			}
		})
	}
}

func TestFormatsAreThere(t *testing.T) {
	for _, kind := range recipe.Kinds() {
		for _, task := range []finetune.Task{finetune.DM, finetune.Roleplay, finetune.Preference, finetune.Judge} {
			name, err := recipe.Format(kind, task)
			if err != nil {
				t.Fatal(err)
			}
			f, err := formats.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Holds(task); err != nil {
				t.Errorf("%s for %s: %v", kind, task, err)
			}
		}
	}
	if _, err := recipe.Format("torchtune", finetune.DM); err == nil {
		t.Error("a recipe that is not there has a format")
	}
}

// assigned finds what the script sets a name to.
func assigned(t testing.TB, script, name string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + name + ` = ("(?:[^"\\\n]|\\.)*")(?:  # .*)?$`).FindStringSubmatch(script)
	if m == nil {
		t.Fatalf("%s is not set to a string in the script", name)
	}
	text, err := strconv.Unquote(m[1])
	if err != nil {
		t.Fatalf("%s: %v", m[1], err)
	}
	return text
}

func TestTRL(t *testing.T) {
	files := write(t, usual)
	script := files["train.py"]
	for name, want := range map[string]string{"BASE": recipe.DefaultBase, "TRAIN": usual.Train, "VALIDATION": usual.Validation} {
		if got := assigned(t, script, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, want := range []string{"SEED = 7\n", "SFTTrainer", "completion_only_loss=True", "max_length=most", "lr_scheduler_type=\"linear\""} {
		if !strings.Contains(script, want) {
			t.Errorf("the script has no %q", want)
		}
	}
	preference := write(t, with(func(o *recipe.Options) { o.Task = finetune.Preference }))["train.py"]
	if !strings.Contains(preference, "DPOTrainer") || strings.Contains(preference, "SFTTrainer") || strings.Contains(preference, "completion_only_loss") {
		t.Error("a preference is not learned by comparison")
	}
}

// Python has to be able to read the scripts, whatever they are told.
func TestPythonReadsTheScripts(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	base := `it's a "base" \ 'n' % {x} ` + "`b` $HOME é \U0001F600\u2028"
	for _, task := range []finetune.Task{finetune.DM, finetune.Preference} {
		dir := t.TempDir()
		if _, err := recipe.Write(dir, with(func(o *recipe.Options) { o.Task, o.Base = task, base })); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(python, "-c", `import sys; sys.dont_write_bytecode = True; sys.path.insert(0, sys.argv[1]); import train; assert train.BASE == sys.argv[2], train.BASE; print(train.SEED)`, dir, base).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "7" {
			t.Errorf("%s: %v\n%s", task, err, out)
		}
	}
}

func TestEveryVersionIsPinned(t *testing.T) {
	for _, kind := range recipe.Kinds() {
		n := 0
		for line := range strings.Lines(write(t, with(func(o *recipe.Options) { o.Kind = kind }))["requirements.txt"]) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			n++
			if !regexp.MustCompile(`^[a-z0-9_-]+==[0-9][0-9.]*\n$`).MatchString(line) {
				t.Errorf("%s: %q pins no version", kind, line)
			}
		}
		if n == 0 {
			t.Errorf("%s requires nothing", kind)
		}
	}
}

// config is what the tests look at of an Axolotl configuration.
type config struct {
	Base     string           `yaml:"base_model"`
	RL       string           `yaml:"rl"`
	Datasets []map[string]any `yaml:"datasets"`
	Tests    []map[string]any `yaml:"test_datasets"`
	Length   int              `yaml:"sequence_len"`
	Seed     int              `yaml:"seed"`
	Excess   string           `yaml:"excess_length_strategy"`
	Adapter  string           `yaml:"adapter"`
	Alpha    any              `yaml:"lora_alpha"`
	Eval     string           `yaml:"eval_strategy"`
}

func configOf(t testing.TB, o recipe.Options) config {
	t.Helper()
	var c config
	if err := yaml.Unmarshal([]byte(write(t, o)["config.yml"]), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAxolotl(t *testing.T) {
	o := with(func(o *recipe.Options) { o.Kind = recipe.Axolotl })
	c := configOf(t, o)
	if c.Base != recipe.DefaultBase || c.RL != "" || c.Seed != 7 || c.Excess != "raise" || c.Adapter != "lora" || fmt.Sprint(c.Alpha) != "32" || c.Eval != "epoch" {
		t.Errorf("got %+v", c)
	}
	if len(c.Datasets) != 1 || len(c.Tests) != 1 {
		t.Fatalf("%d datasets and %d to test on", len(c.Datasets), len(c.Tests))
	}
	for i, d := range []map[string]any{c.Datasets[0], c.Tests[0]} {
		if want := []string{o.Train, o.Validation}[i]; d["path"] != want {
			t.Errorf("the path is %v, want %s", d["path"], want)
		}
		if d["type"] != "chat_template" || d["train_on_eos"] != "turn" || d["message_field_training"] != "train" || fmt.Sprint(d["roles_to_train"]) != "[assistant]" {
			t.Errorf("got %v", d)
		}
	}
	o.Task, o.Validation = finetune.Preference, ""
	if c := configOf(t, o); c.RL != "dpo" || c.Datasets[0]["type"] != "chat_template.default" || len(c.Tests) != 0 || c.Eval != "" {
		t.Errorf("got %+v", c)
	}
}

func TestSeedsFitIntoWhatTrainersTake(t *testing.T) {
	o := with(func(o *recipe.Options) { o.Seed = 1<<63 + 5 })
	if !strings.Contains(write(t, o)["train.py"], "\nSEED = 5\n") {
		t.Error("numpy refuses a seed of more than 32 bits")
	}
}

func TestWritingAgainReplaces(t *testing.T) {
	dir := t.TempDir()
	for _, base := range []string{"first", "second"} {
		if _, err := recipe.Write(dir, with(func(o *recipe.Options) { o.Base = base })); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(filepath.Join(dir, "train.py"))
	if err != nil || assigned(t, string(raw), "BASE") != "second" {
		t.Errorf("the first recipe is still there (%v)", err)
	}
	entries, _ := os.ReadDir(dir)
	names := slices.Collect(func(yield func(string) bool) {
		for _, e := range entries {
			if !yield(e.Name()) {
				return
			}
		}
	})
	if want := []string{"README.md", "requirements.txt", "train.py"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

// Whatever a base is called, script and configuration say exactly that.
func FuzzBase(f *testing.F) {
	for _, seed := range []string{"HuggingFaceTB/SmolLM2-135M-Instruct", `a"b'c\d`, "# : - {}[]&*!|>%@`", "null", "1e3", "é\u2028\U0001F600", `"""`, "<%quote .Seed%>", "~/models/x", "{{ x }}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, base string) {
		o := with(func(o *recipe.Options) { o.Base = base })
		if base == "" || o.Validate() != nil {
			t.Skip()
		}
		if got := assigned(t, write(t, o)["train.py"], "BASE"); got != base {
			t.Errorf("the script has %q, want %q", got, base)
		}
		o.Kind = recipe.Axolotl
		if got := configOf(t, o).Base; got != base {
			t.Errorf("the configuration has %q, want %q", got, base)
		}
	})
}
