package finetune_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"parley/finetune"
)

func TestReport(t *testing.T) {
	xs := many(40, 3)
	for i := range xs {
		switch {
		case i%3 == 0:
			xs[i].Labels = []string{"Arcana", "Stealth", "Arcana"}
		case i%10 == 1:
			xs[i].Labels = nil
		}
		if i%20 == 0 {
			xs[i].Prompt[1].Content += " Write to orla@example.com."
			xs[i].Source, xs[i].Model = "runs/b", "openai:gpt-4.1-mini"
		}
	}
	xs = append(xs, xs[5], example("long", "g1", prose(99, 3000)))
	b := build(t, stream(xs...), finetune.Options{
		Shares: [3]float64{80, 10, 10}, Seed: 1, Trainer: "trl", MaxTokens: 1024,
	})
	r := b.Report()
	total := r.Kept
	for _, c := range r.Dropped {
		total += c.N
	}
	if r.Read != 122 || total != r.Read {
		t.Errorf("%d are read and %d kept or dropped, want 122", r.Read, total)
	}
	examples, groups, scrubs := 0, 0, 0
	for i, s := range r.Splits {
		inBuckets := 0
		for _, bucket := range s.Lengths.Buckets {
			inBuckets += bucket.N
		}
		list := read(t, b, s.Split)
		if s.Split != finetune.Splits()[i] || s.Examples != len(list) || inBuckets != len(list) {
			t.Errorf("%s: %d examples, %d in the histogram, %d in fact", s.Split, s.Examples, inBuckets, len(list))
		}
		all, longest, unlabeled := int64(0), 0, 0
		for _, x := range list {
			n := finetune.Estimate().Of(&x)
			all += int64(n.All)
			longest = max(longest, n.Length)
			if len(x.Labels) == 0 {
				unlabeled++
			}
			if strings.Contains(x.Prompt[1].Content, "@") {
				t.Errorf("an address is left in %s", x.ID)
			}
		}
		if s.Lengths.All != all || s.Lengths.Max != longest || s.Unlabeled != unlabeled {
			t.Errorf("%s: %+v, want %d tokens and %d in the longest", s.Split, s.Lengths, all, longest)
		}
		examples, groups, scrubs = examples+s.Examples, groups+s.Groups, scrubs+s.Scrubbed.Email
	}
	if examples != r.Kept || groups != r.Groups || groups != 40 || scrubs != 6 || r.Scrubbed.Email != 6 {
		t.Errorf("%d examples, %d groups, %d addresses", examples, groups, scrubs)
	}
	if r.Scenarios != 7 || len(r.Models) != 2 || r.Sources[1] != (finetune.Count{Name: "runs/b", N: 6}) {
		t.Errorf("%d scenarios, models %v, sources %v", r.Scenarios, r.Models, r.Sources)
	}
	if len(r.Labels) != 2 || r.Labels[0].Label != "Stealth" || r.Labels[1].N[finetune.Train]+r.Labels[1].N[finetune.Validation]+r.Labels[1].N[finetune.Test] != 40 {
		t.Errorf("labels: %+v", r.Labels)
	}
	if !strings.HasPrefix(r.Tokens.Setting, "max_length: ") || r.Tokens.Exact {
		t.Errorf("tokens: %+v", r.Tokens)
	}
	warned := strings.Join(r.Warnings, "\n")
	for _, want := range []string{`"Stealth" is in`, "1 examples have more than 1024 tokens (approximate)"} {
		if !strings.Contains(warned, want) {
			t.Errorf("no warning says %q:\n%s", want, warned)
		}
	}
	var text bytes.Buffer
	if err := r.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"120 of 122 examples of the task dm are kept, of 40 groups in 7 scenarios", "dropped: 1 too long", "approximate", "train with max_length: ", "6 e-mail addresses", "Arcana"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the report does not say %q:\n%s", want, &text)
		}
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

func TestDrift(t *testing.T) {
	tests := []struct {
		a, b []int
		want float64
	}{
		{[]int{1, 2, 3}, []int{10, 20, 30}, 0},
		{[]int{5, 0}, []int{0, 1}, 1},
		{[]int{1, 1}, []int{1, 0}, 0.311278}, // H(3/4) - H(1/2)/2 = 0.811278 - 0.5
		{[]int{1}, []int{0}, math.NaN()},
	}
	for _, test := range tests {
		if got := finetune.Drift(test.a, test.b); math.Abs(got-test.want) > 1e-6 || math.IsNaN(got) != math.IsNaN(test.want) {
			t.Errorf("%v and %v: %g, want %g", test.a, test.b, got, test.want)
		}
	}
}

func TestTrainers(t *testing.T) {
	for _, name := range finetune.Trainers() {
		if tr, err := finetune.LookupTrainer(name); err != nil || tr.Limit == 0 || tr.Counter("").Exact != tr.Hosted {
			t.Errorf("%s: %+v, %v", name, tr, err)
		}
	}
	if _, err := finetune.LookupTrainer("abacus"); err == nil || !strings.Contains(err.Error(), "llama-factory") {
		t.Errorf("an unknown trainer is answered with %v", err)
	}
	trl, _ := finetune.LookupTrainer("trl")
	if got := trl.Setting(1000, true) + ", " + trl.Setting(1000, false); got != "max_length: 1024, max_length: 1216" {
		t.Errorf("the settings are %s", got)
	}
}

// nasty are names that YAML, Markdown and tables would take for their own.
var nasty = []string{"a: b # c", "- x", "'\"`", "---\nevil: true\n---", "| a | <script>alert(1)</script> |", "[x](http://y) *z* _w_ \\", "\u202egnp", "null", "{a}", "!!python/object"}

func TestCard(t *testing.T) {
	for _, name := range nasty {
		xs := many(6, 2)
		for i := range xs {
			xs[i].Source, xs[i].Model, xs[i].Labels = name, name, []string{name}
		}
		b := build(t, stream(xs...), finetune.Options{})
		card := finetune.Card{
			Name: name, License: name, Languages: []string{name}, Made: []string{name},
		}
		var out bytes.Buffer
		if err := card.Write(&out, b.Report()); err != nil {
			t.Fatal(err)
		}
		front, page, ok := strings.Cut(strings.TrimPrefix(out.String(), "---\n"), "\n---\n")
		var head struct {
			Name     string   `yaml:"pretty_name"`
			License  string   `yaml:"license"`
			Language []string `yaml:"language"`
			Sizes    []string `yaml:"size_categories"`
			Configs  []struct {
				Name  string                         `yaml:"config_name"`
				Files []struct{ Split, Path string } `yaml:"data_files"`
			}
		}
		if err := yaml.Unmarshal([]byte(front), &head); !ok || err != nil {
			t.Fatalf("%q: the front matter is not YAML: %v\n%s", name, err, front)
		}
		if head.License != name || len(head.Language) != 1 || head.Language[0] != name {
			t.Errorf("%q: license %q, language %q", name, head.License, head.Language)
		}
		if got := fmt.Sprint(head.Sizes, head.Configs); got != "[n<1K] [{default [{train data/train-*.parquet}]}]" {
			t.Errorf("%q: %s", name, got)
		}
		if strings.Contains(strings.ReplaceAll(page, "    | a | <script>", ""), "<script>") || strings.Contains(page, "\nevil") || strings.Contains(page, "\u202e") || strings.Contains(page, "| [x]") {
			t.Errorf("%q is taken for Markdown:\n%s", name, page)
		}
		for _, want := range []string{"## Splits", "## Quality", "## Privacy", "## Provenance", "load_dataset"} {
			if !strings.Contains(page, want) {
				t.Errorf("%q: the page has no %q", name, want)
			}
		}
		for n, line := range strings.Split(page, "\n") {
			if strings.HasPrefix(line, "|") && !strings.HasSuffix(line, "|") {
				t.Errorf("%q: line %d is a torn row: %q", name, n+1, line)
			}
		}
	}
}
