package yamlfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/characters/yamlfile"
)

type weekday int

func (d *weekday) UnmarshalText(text []byte) error {
	if string(text) != "monday" {
		return fmt.Errorf("%q is no day; write monday", text)
	}
	*d = 1
	return nil
}

func (d weekday) MarshalText() ([]byte, error) { return []byte("monday"), nil }

type inner struct {
	Text string `yaml:"text"`
	N    int    `yaml:"n,omitempty"`
}

type config struct {
	Name   string           `yaml:"name"`
	Seed   uint64           `yaml:"seed"`
	Share  float64          `yaml:"share"`
	JSON   bool             `yaml:"json"`
	Wait   time.Duration    `yaml:"wait"`
	Day    weekday          `yaml:"day"`
	Models []string         `yaml:"models,omitempty"`
	Parts  []inner          `yaml:"parts,omitempty"`
	Limits map[string]inner `yaml:"limits,omitempty"`
	Try    *int             `yaml:"try,omitempty"`
	Inner  inner            `yaml:"inner"`
	Flat   inner            `yaml:",inline"`
	Hidden string
}

func (c *config) Problems() []yamlfile.Problem {
	if len(c.Parts) > 1 && c.Parts[1].N > 9 {
		return []yamlfile.Problem{{Path: "parts[1].n", Text: "more than 9"}, {Path: "wait", Text: "not with that n"}, {Text: "not at all"}}
	}
	return nil
}

func TestValue(t *testing.T) {
	two := 2
	tests := []struct {
		reason, text string
		want         config
		findings     string
	}{
		{reason: "every type", text: "name: |\n  a\n  b\nseed: 18446744073709551615\nshare: 1\njson: true\nwait: 1m30s\nday: monday\nmodels: [a, b]\nparts:\n  - text: x\nlimits: {a: {n: 3}}\ntry: 2\ninner: {text: i}\nn: 7\n",
			want: config{Name: "a\nb", Seed: 1<<64 - 1, Share: 1, JSON: true, Wait: 90 * time.Second, Day: 1, Models: []string{"a", "b"},
				Parts: []inner{{Text: "x"}}, Limits: map[string]inner{"a": {N: 3}}, Try: &two, Inner: inner{Text: "i"}, Flat: inner{N: 7}}},
		{reason: "a single text is a list of one; large numbers may be short", text: "models: a\nseed: 1.0e+3", want: config{Models: []string{"a"}, Seed: 1000}},
		{reason: "empty", text: "# nothing\n", findings: "f.yaml:1: the file is empty"},
		{reason: "two documents", text: "seed: 1\n---\nseed: 2\n", findings: "f.yaml:3: a second YAML document; keep one, without --- between"},
		{reason: "a list", text: "- seed: 1\n", findings: "f.yaml:1: the file: a list where there should be fields, each as name: value"},
		{reason: "wrong types", text: "name: 3\nseed: -1\nshare: x\njson: 1\nwait: 10\nday: friday\nmodels: {a: b}\nparts: x\nlimits: []\ntry: 1.5\ninner: 3\n", findings: `f.yaml:1: name: a number where there should be a text; put quotes around it
f.yaml:2: seed: a number where there should be a whole number without quotes
f.yaml:3: share: a text where there should be a number without quotes
f.yaml:4: json: a number where there should be true or false
f.yaml:5: wait: a number where there should be a time such as 30s or 2m
f.yaml:6: day: "friday" is no day; write monday
f.yaml:7: models: a list of fields where there should be a list, each entry on a line that begins with -
f.yaml:8: parts: a text where there should be a list, each entry on a line that begins with -
f.yaml:9: limits: a list where there should be fields, each as name: value
f.yaml:10: try: a number where there should be a whole number without quotes
f.yaml:11: inner: a number where there should be fields, each as name: value`},
		{reason: "nothing there", text: "seed:\n", findings: "f.yaml:1: seed: nothing there; write a whole number without quotes, or remove the line"},
		{reason: "unknown keys", text: "Hidden: a\nsed: 1\nlimits:\n  a:\n    txt: b\n", findings: `f.yaml:1: unknown field "Hidden"; known here are day, inner, json, limits, models, n, name, parts, seed, share, text, try, wait
f.yaml:2: unknown field "sed"; did you mean seed? known here are day, inner, json, limits, models, n, name, parts, seed, share, text, try, wait
f.yaml:5: unknown field "limits.a.txt"; did you mean text? known here are n, text`},
		{reason: "problems, at the line of what they are about", text: "wait: 3\nparts:\n  - n: 1\n  - n: 10\n", findings: `f.yaml:1: wait: a number where there should be a time such as 30s or 2m
f.yaml:4: parts[1].n: more than 9
f.yaml:1: the file: not at all`},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var got config
			err := yamlfile.Value([]byte(tt.text), "f.yaml", &got)
			if tt.findings != "" {
				if err == nil || err.Error() != tt.findings {
					t.Errorf("found\n%v\nwhere\n%s", err, tt.findings)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Fatal(err, diff)
			}
			var b bytes.Buffer
			var again config
			if err := yamlfile.Encode(&b, got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(again, got); diff == "" {
				t.Fatal("the test compares nothing")
			}
			err = yamlfile.Value(b.Bytes(), "again.yaml", &again)
			got.Day, again.Day = 0, 0 // it is written whether set or not
			if diff := cmp.Diff(got, again); err != nil || diff != "" {
				t.Errorf("written as\n%s%v %s", b.Bytes(), err, diff)
			}
		})
	}
}

func TestValueKeepsWhatIsNotInTheFile(t *testing.T) {
	got := config{Name: "before", Seed: 3, Inner: inner{Text: "kept", N: 1}}
	if err := yamlfile.Value([]byte("seed: 4\ninner: {n: 2}\n"), "f.yaml", &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(config{Name: "before", Seed: 4, Inner: inner{Text: "kept", N: 2}}, got); diff != "" {
		t.Error(diff)
	}
}

// Texts may hold any number of brackets and dashes.
func TestTextsAreNotNesting(t *testing.T) {
	many, pairs := strings.Repeat("[", 50), strings.Repeat("k: 1, ", 50)
	for _, text := range []string{"name: \"" + many + "\"", "name: '" + many + "'\nseed: 1", "name: a" + many, "name: >-\n  " + many + "\n", "# " + many + "\nseed: 1", "name: " + strings.Repeat("-", 50), "name: |\n  " + strings.Repeat("- ", 50), "{" + pairs + "l: 2}"} {
		if at := yamlfile.TooDeep([]byte(text)); at != 0 {
			t.Errorf("%q: line %d", text, at)
		}
	}
}

// A file that is made to exhaust memory is refused before it is parsed.
func TestDepthIsBounded(t *testing.T) {
	for _, text := range []string{strings.Repeat("[", 100_000), strings.Repeat("{a: ", 100_000), strings.Repeat("- ", 100_000), strings.Repeat("? ", 100_000), "seed: 1\n" + strings.Repeat("[", 1<<20)} {
		var got config
		err := yamlfile.Value([]byte(text), "f.yaml", &got)
		var finding *yamlfile.Finding
		if !errors.As(err, &finding) || !strings.Contains(finding.Text, "nested more than 32 levels deep") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}
