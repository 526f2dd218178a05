package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/characters"
	"parley/characters/yamlfile"
	"parley/eval/ieg/corpora"
	"parley/eval/session"
	"parley/eval/survey"
	"parley/eval/utility"
	"parley/scenarios"
	"parley/sim/llm"
)

// follows returns what is wrong with a text by the schema of a format.
func follows(t *testing.T, name, text string) error {
	t.Helper()
	schema, err := schemaOf(name)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return compiled.Validate(value)
}

var fenced = regexp.MustCompile("(?s)```(?:yaml|json)\n(.*?)```")

// The page has an example of every format, which reads and follows its schema; a misspelt key does not.
func TestFormats(t *testing.T) {
	_, files, _ := strings.Cut(page, "\n## Files\n")
	texts := map[string]string{}
	for _, part := range strings.Split(files, "\n### ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		if block := fenced.FindStringSubmatch(text); block != nil {
			texts[name] = block[1]
		}
	}
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "f.yaml")
		writeFile(t, path, []byte(text))
		return path
	}
	read := map[string]func(text string) error{
		"experiment": func(text string) error {
			e := session.Default()
			if err := yamlfile.Value([]byte(text), "f.yaml", e); err != nil {
				return err
			}
			return e.Complete()
		},
		"prices":     func(text string) error { _, err := llm.ReadPrices(strings.NewReader(text), "f.yaml"); return err },
		"script":     func(text string) error { _, err := openModel(t.Context(), "script:"+file(text)); return err },
		"characters": func(text string) error { _, err := characters.Read(strings.NewReader(text), "f.yaml"); return err },
		"names":      func(text string) error { _, err := corpora.ReadPeople(strings.NewReader(text), "f.json"); return err },
		"rubric":     func(text string) error { _, err := survey.ReadRubric([]byte(text), "f.yaml"); return err },
		"task":       func(text string) error { _, err := utility.ReadTask(file(text), &utility.Reader{}); return err },
		"criteria":   func(text string) error { _, err := utility.ReadCriteria([]byte(text), "f.yaml"); return err },
	}
	var pieces []string
	for _, kind := range scenarios.Kinds() {
		pieces = append(pieces, kind.Pieces)
		read[kind.Pieces] = func(text string) error { _, err := kind.Read(strings.NewReader(text), "f.yaml"); return err }
	}
	for name := range formatsOf() {
		text, ok := texts[name]
		if !ok || read[name] == nil {
			t.Errorf("README.md has no example of %s that is read here", name)
			continue
		}
		if err := read[name](text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := follows(t, name, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		unknown := "xyzzy: 1"
		if name == "script" {
			unknown = "- xyzzy: 1"
		}
		if follows(t, name, unknown) == nil {
			t.Errorf("%s: the schema takes an unknown key", name)
		}
	}
	for path, names := range map[string][]string{"characters": {"characters"}, "scenarios": pieces} {
		data, err := os.ReadFile(filepath.Join("..", "..", path, "README.md"))
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range names {
			if err := follows(t, name, fenced.FindAllStringSubmatch(string(data), -1)[i][1]); err != nil {
				t.Errorf("%s/README.md: %v", path, err)
			}
		}
	}
}

// What init writes runs as it is, and follows the schema beside it.
func TestInit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	runParley(t, exitOK, "init", dir)
	file := filepath.Join(dir, "experiment.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := follows(t, "experiment", string(text)); err != nil {
		t.Error(err)
	}
	out, _ := runParley(t, exitOK, "run", file, "--out", filepath.Join(dir, "run"))
	if !strings.Contains(out, "diligent is better than small-talk") {
		t.Error(out)
	}
	runParley(t, exitFailed, "init", dir)
}
