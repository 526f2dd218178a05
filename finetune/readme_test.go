package finetune_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"parley/finetune"
	"parley/finetune/hosted"
	"parley/finetune/publish"
)

// keys adds the JSON keys of a type, and of those within it.
func keys(of reflect.Type, to map[string]bool) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		keys(of.Elem(), to)
	case reflect.Struct:
		for i := range of.NumField() {
			if name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); name != "" {
				to[name] = true
				keys(of.Field(i).Type, to)
			}
		}
	}
}

// The page names every key of the files, and its examples can be read.
func TestPage(t *testing.T) {
	raw, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	named := map[string]bool{}
	for _, x := range []any{finetune.Report{}, finetune.Dropped{}, finetune.Choice{}, publish.Row{}, hosted.Record{}} {
		keys(reflect.TypeOf(x), named)
	}
	settings := map[string]any{}
	files, err := filepath.Glob("formats/*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range append(files, "formats/rules.yaml") {
		raw, err := os.ReadFile(name)
		file := map[string]any{}
		if err == nil {
			err = yaml.Unmarshal(raw, &file)
		}
		if err != nil {
			t.Fatal(name, err)
		}
		for key := range file {
			settings[key], named[key] = true, true
		}
	}
	for key := range named {
		if !strings.Contains(page, "`"+key+"`") && !strings.Contains(page, `"`+key+`":`) {
			t.Errorf("README.md does not name the key %s", key)
		}
	}
	blocks := regexp.MustCompile("(?s)```(json|yaml)\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(blocks) != 3 {
		t.Fatalf("%d examples of files", len(blocks))
	}
	dec := json.NewDecoder(strings.NewReader(blocks[0][2]))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&finetune.Dropped{}); err != nil {
		t.Error(err)
	}
	if err := new(finetune.Choices).Read(strings.NewReader(blocks[1][2]), "README.md"); err != nil {
		t.Error(err)
	}
	own := map[string]any{}
	if err := yaml.Unmarshal([]byte(blocks[2][2]), &own); err != nil {
		t.Error(err)
	}
	for key := range own {
		if settings[key] == nil {
			t.Errorf("no trainer's file has the key %s", key)
		}
	}
}
