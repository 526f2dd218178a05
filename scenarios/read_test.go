package scenarios_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/characters/yamlfile"
	"parley/scenarios"
)

const goodKnowledge = `- id: brass-goat
  title: the Brass Goat
  topic: item
  hook: Ask about the Brass Goat.
  text: The Brass Goat bleats at noon.
  facts:
    - {aspect: time, text: The Brass Goat bleats at noon.}
`

const goodScene = `- id: well
  title: The Well
  premise: You stand around a well.
  aims:
    - {skill: Athletics, brief: You want to climb down the chain.}
`

func TestReadKnowledgeFindsEverything(t *testing.T) {
	tests := []struct {
		reason string
		yaml   string
		want   []string // findings, in order, each as a prefix
	}{
		{"good", goodKnowledge, nil},
		{"one piece without a list", strings.NewReplacer("- id", "id", "\n  ", "\n").Replace(goodKnowledge), nil},
		{"a user's file needs no text and no aspect", "id: a\ntitle: A\ntopic: item\nhook: A?\nfacts: [{text: A is b.}]\n", nil},
		{"empty", "", []string{"f.yaml:1: no knowledge in it"}},
		{"only a comment", "# nothing\n", []string{"f.yaml:1: no knowledge in it"}},
		{"a text in place of a piece", "hello\n", []string{"f.yaml:1: the knowledge: a text where there should be fields"}},
		{"broken YAML", "- id: [a\n  title: b\n", []string{"f.yaml:2: not YAML"}},
		{
			"unknown field, and what is missing for it", strings.Replace(goodKnowledge, "hook:", "hok:", 1),
			[]string{`f.yaml:4: unknown field "hok"; did you mean hook? known here are facts, hook, id, source, text, title, topic`, "f.yaml:1: hook: missing or empty"},
		},
		{
			"unknown field in a fact", strings.Replace(goodKnowledge, "{aspect", "{aspct: x, aspect", 1),
			[]string{`f.yaml:7: unknown field "facts[0].aspct"; did you mean aspect? known here are aspect, text`},
		},
		{
			"wrong aspect, empty fact, fact twice", goodKnowledge + "    - {aspect: smell, text: It smells.}\n    - text: ''\n    - text: the brass goat BLEATS at noon\n",
			[]string{`f.yaml:8: facts[1].aspect: "smell" is no aspect; write one of nature, look,`, "f.yaml:9: facts[2].text: empty", "f.yaml:10: facts[3].text: says the same as facts[0]"},
		},
		{"no facts", strings.Split(goodKnowledge, "  facts")[0] + "  facts: []\n", []string{"f.yaml:6: facts: none; write at least one"}},
		{"facts are a text", strings.Split(goodKnowledge, "  facts")[0] + "  facts: all\n", []string{"f.yaml:6: facts: a text where there should be a list"}},
		{"fact is a text", strings.Split(goodKnowledge, "  facts")[0] + "  facts:\n    - all\n", []string{"f.yaml:7: facts[0]: a text where there should be fields"}},
		{"number for a text", strings.Replace(goodKnowledge, "the Brass Goat\n", "12\n", 1), []string{"f.yaml:2: title: a number where there should be a text; put quotes around it"}},
		{"bad id", strings.Replace(goodKnowledge, "brass-goat", "Brass Goat", 1), []string{`f.yaml:1: id: "Brass Goat" is no id; write lower-case`}},
		{"id twice", goodKnowledge + goodKnowledge, []string{"f.yaml:8: id: brass-goat is the id of the knowledge in line 1 already"}},
		{"alias", "- &a\n  id: a\n- *a\n", []string{"f.yaml:1: the knowledge: an anchor", "f.yaml:3: the knowledge: an anchor"}},
		{"nested for the sake of it", strings.Repeat("[", 100_000), []string{"f.yaml:1: nested more than"}},
		{"lists in lists for the sake of it", strings.Repeat("- ", 100_000), []string{"f.yaml:1: nested more than"}},
		{"too large", strings.Repeat("# no\n", 1<<20), []string{"f.yaml:1: larger than 4 MiB"}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			pieces, err := readKnowledge(strings.NewReader(tt.yaml), "f.yaml")
			checkFindings(t, err, tt.want)
			if (err == nil) != (len(pieces) > 0) {
				t.Errorf("%d pieces with error %v", len(pieces), err)
			}
		})
	}
}

func TestReadScenesFindsEverything(t *testing.T) {
	tests := []struct {
		reason string
		yaml   string
		want   []string
	}{
		{"good", goodScene, nil},
		{"no premise, no aims", "- id: a\n  title: A\n", []string{"f.yaml:1: premise: missing or empty", "f.yaml:1: aims: none"}},
		{"skill in another spelling", strings.Replace(goodScene, "Athletics", "athletics", 1), []string{`f.yaml:5: aims[0].skill: "athletics" is no skill; write Athletics`}},
		{"no skill at all", strings.Replace(goodScene, "Athletics", "Juggling", 1), []string{`f.yaml:5: aims[0].skill: "Juggling" is no skill; write one of Acrobatics,`}},
		{"the brief names the skill", strings.Replace(goodScene, "climb", "athletically climb", 1), []string{`f.yaml:5: aims[0].brief: gives the skill away by "athletically"`}},
		{"empty brief", strings.Replace(goodScene, "You want to climb down the chain.", `" "`, 1), []string{"f.yaml:5: aims[0].brief: empty"}},
		{"brief twice", goodScene + "    - {skill: Stealth, brief: you want to climb down the chain}\n", []string{"f.yaml:6: aims[1].brief: is the same as aims[0]"}},
		{"knowledge in place of a scene", goodKnowledge, []string{"f.yaml:3: unknown field \"topic\"", "f.yaml:4: unknown field", "f.yaml:5: unknown field", "f.yaml:6: unknown field", "f.yaml:1: premise", "f.yaml:1: aims"}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			_, err := readScenes(strings.NewReader(tt.yaml), "f.yaml")
			checkFindings(t, err, tt.want)
		})
	}
}

func checkFindings(t *testing.T, err error, want []string) {
	t.Helper()
	var got []string
	if err != nil {
		got = strings.Split(err.Error(), "\n")
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("not found: %s", want[i])
		case i >= len(want):
			t.Errorf("found besides: %s", got[i])
		case !strings.HasPrefix(got[i], want[i]):
			t.Errorf("found %s\n where %s", got[i], want[i])
		}
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, os.ErrClosed }

func TestReadPassesReadErrors(t *testing.T) {
	if _, err := readKnowledge(brokenReader{}, "f.yaml"); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestEncodeReadsBack(t *testing.T) {
	shelf := scenarios.Library()
	var b bytes.Buffer
	if err := yamlfile.Encode(&b, shelf.Knowledge); err != nil {
		t.Fatal(err)
	}
	pieces, err := readKnowledge(&b, "encoded.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shelf.Knowledge, pieces); diff != "" {
		t.Error(diff)
	}
	b.Reset()
	if err := yamlfile.Encode(&b, shelf.Scenes); err != nil {
		t.Fatal(err)
	}
	scenes, err := readScenes(&b, "encoded.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shelf.Scenes, scenes); diff != "" {
		t.Error(diff)
	}
}

func TestEncodeKeepsOddTexts(t *testing.T) {
	for _, odd := range []string{
		"yes", "12", "- a", "a: b", "a #b", "# a", "'", `"`, "a\nb", "a\n\n  b", "*a", "&a", "!a", "%a", "@a", "`a", "{a", "[a", "null", "~", "a\tb",
		"é’“”—", "a\\nb", "|", ">-", "0x1", "1e3", "2020-01-01", "<<", "? a", "a\u2028b", "a\u0085b", "\ufeffa", "a:", "-", "...", "---",
	} {
		want := []scenarios.Knowledge{{ID: "a", Title: odd, Topic: odd, Hook: odd, Text: odd, Facts: []scenarios.Fact{{Text: odd + " fact"}}}}
		var b bytes.Buffer
		if err := yamlfile.Encode(&b, want); err != nil {
			t.Errorf("%q: %v", odd, err)
			continue
		}
		encoded := b.String()
		got, err := readKnowledge(&b, "odd.yaml")
		if err != nil {
			t.Errorf("%q: %v in\n%s", odd, err, encoded)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s in\n%s", odd, diff, encoded)
		}
	}
}

func seeds(f *testing.F, dir string) {
	files, err := filepath.Glob(filepath.Join("library", dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		f.Fatal("no library", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 700)])
	}
}

// FuzzReadKnowledge holds that whatever is read can be played, and is encoded and read back the same.
func FuzzReadKnowledge(f *testing.F) {
	f.Add([]byte(goodKnowledge))
	seeds(f, "knowledge")
	f.Fuzz(func(t *testing.T, data []byte) {
		pieces, err := readKnowledge(bytes.NewReader(data), "f.yaml")
		if err != nil {
			if len(pieces) > 0 || !strings.Contains(err.Error(), "f.yaml:") {
				t.Fatalf("%d pieces with %v", len(pieces), err)
			}
			return
		}
		for i := range pieces {
			if err := pieces[i].Validate(); err != nil {
				t.Fatal(err)
			}
			scenarios.NewExchange(&pieces[i], cast(2))
			pieces[i].Review()
		}
		var b bytes.Buffer
		if err := yamlfile.Encode(&b, pieces); err != nil {
			t.Fatal(err)
		}
		encoded := b.String()
		again, err := readKnowledge(&b, "f.yaml")
		if diff := cmp.Diff(pieces, again); diff != "" || err != nil {
			t.Fatalf("%v %s in\n%q", err, diff, encoded)
		}
	})
}

// FuzzReadScenes holds the same of scenes.
func FuzzReadScenes(f *testing.F) {
	f.Add([]byte(goodScene))
	seeds(f, "scenes")
	f.Fuzz(func(t *testing.T, data []byte) {
		scenes, err := readScenes(bytes.NewReader(data), "f.yaml")
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := yamlfile.Encode(&b, scenes); err != nil {
			t.Fatal(err)
		}
		encoded := b.String()
		again, err := readScenes(&b, "f.yaml")
		if diff := cmp.Diff(scenes, again); diff != "" || err != nil {
			t.Fatalf("%v %s in\n%q", err, diff, encoded)
		}
	})
}
