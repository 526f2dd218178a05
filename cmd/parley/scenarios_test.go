package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/characters"
	"parley/scenarios"
)

// scenariosRun runs the command by itself and returns its status and what it printed.
func scenariosRun(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, talk bytes.Buffer
	status = Main(t.Context(), append([]string{"parley", "scenarios"}, args...), &out, &talk)
	return status, out.String(), talk.String()
}

func TestScenariosCommand(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const goat = "- id: goat\n  title: the Goat\n  topic: item\n  hook: Ask for the Goat.\n  facts: [{text: The Goat is brass.}]\n"
	good := file("good.yaml", goat)
	bad := file("bad.yaml", "- id: goat\n  title: the Goat\n  topic: item\n  hok: Ask.\n")
	scene := file("scene.yaml", "- id: well\n  title: Well\n  premise: A well.\n  aims: [{skill: Athletics, brief: Climb down.}]\n")
	items := file("items.json", `[{"index": "a", "name": "Lamp", "rarity": {"name": "Rare"}, "desc": ["Wondrous item, rare (requires attunement)", "This lamp weighs 7 pounds exactly."]},
		{"index": "b", "name": "Spoon", "rarity": {"name": "Rare"}, "desc": ["Wondrous item, rare"]}]`)
	cut := file("cut.json", `[{"index": "a"`)
	imported := filepath.Join(dir, "imported.yaml")
	tests := []struct {
		args           []string
		status         int
		stdout, stderr string // parts of what is printed
	}{
		{[]string{}, exitUsage, "", "needs a command: list"},
		{[]string{"list"}, exitOK, "ashen-bell", ""},
		{[]string{"list", "--kind", "intention"}, exitOK, "rope-bridge", ""},
		{[]string{"list", "--kind", "play"}, exitUsage, "", "write exchange or intention"},
		{[]string{"show", "ashen-bell"}, exitOK, "place     The Ashen Bell hangs upside down", ""},
		{[]string{"show", "rope-bridge"}, exitOK, "Acrobatics      You want to be the first", ""},
		{[]string{"show", "no-such"}, exitUsage, "", "parley scenarios list prints"},
		{[]string{"show"}, exitUsage, "", "show takes ID, and got none"},
		{[]string{"validate", good, scene}, exitOK, "good.yaml: 1 pieces of knowledge\n", "falls short"},
		{[]string{"validate", scene}, exitOK, "scene.yaml: 1 scenes\n", "aims: 1, where 8 to 12"},
		{[]string{"validate", bad}, exitFailed, "", `bad.yaml:4: unknown field "hok"`},
		{[]string{"validate", good, file("again.yaml", goat)}, exitFailed, "", "the id goat is in "},
		{[]string{"validate", filepath.Join(dir, "none.yaml")}, exitFailed, "", "no such file"},
		{[]string{"validate"}, exitUsage, "", "takes FILE..., and got none"},
		{[]string{"generate", "--kind", "poem", "--model", "script:x"}, exitUsage, "", "write knowledge or scene"},
		{[]string{"generate", "--kind", "scene"}, exitUsage, "", "name the model"},
		{[]string{"generate", "--kind", "scene", "--model", "script:x", "--n", "0"}, exitUsage, "", "from 1"},
		{[]string{"import"}, exitUsage, "", "needs a command: srd"},
		{[]string{"import", "srd"}, exitUsage, "", "takes FILE, and got none"},
		{[]string{"import", "srd", items}, exitOK, "id: srd-a", "2 items: 1 imported with 3 facts, 1 not used\n1: too short a text: 1 of the 3 facts that are needed: Spoon"},
		{[]string{"import", "srd", items, "--out", imported}, exitOK, "2 items: 1 imported", ""},
		{[]string{"import", "srd", items, "--out", imported}, exitUsage, "", "exists already"},
		{[]string{"import", "srd", cut}, exitFailed, "", "cut.json:1: the file breaks off"},
		{[]string{"validate", imported}, exitOK, "1 pieces of knowledge", ""},
	}
	for _, tt := range tests {
		status, stdout, stderr := scenariosRun(t, tt.args...)
		if status != tt.status || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
			t.Errorf("scenarios %s: status %d, printed\n%s\nand said\n%s", strings.Join(tt.args, " "), status, stdout, stderr)
		}
		if status == exitUsage && stdout != "" {
			t.Errorf("scenarios %s: printed %q", strings.Join(tt.args, " "), stdout)
		}
	}
}

func TestScenariosJSON(t *testing.T) {
	for _, args := range [][]string{{"list", "--json"}, {"show", "ashen-bell", "--json"}, {"show", "--json", "rope-bridge"}} {
		_, stdout, _ := scenariosRun(t, args...)
		var object map[string]any
		if err := json.Unmarshal([]byte(stdout), &object); err != nil || len(object) == 0 {
			t.Errorf("scenarios %s: %v in %s", strings.Join(args, " "), err, stdout)
		}
	}
	_, stdout, _ := scenariosRun(t, "list", "--json", "--kind", "exchange")
	if !strings.Contains(stdout, `"scenes": []`) {
		t.Errorf("listed %s", stdout)
	}
}

func TestOutputLeavesNoEmptyFile(t *testing.T) {
	out := filepath.Join(t.TempDir(), "none.yaml")
	if status, _, stderr := scenariosRun(t, "generate", "--kind", "scene", "--model", "script:"+filepath.Join(t.TempDir(), "none"), "--out", out); status == exitOK {
		t.Errorf("generated without a model: %s", stderr)
	}
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
}

func TestScenariosGenerate(t *testing.T) {
	_, stdout, _ := scenariosRun(t, "show", "ashen-bell", "--json")
	var piece struct {
		Title string           `json:"title"`
		Text  string           `json:"text"`
		Facts []map[string]any `json:"facts"`
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(stdout, "Ashen Bell", "Cinder Bell")), &piece); err != nil {
		t.Fatal(err)
	}
	good, err := json.Marshal(piece)
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "replies.txt")
	if err := os.WriteFile(script, []byte(string(good)+"\n---\nOnce upon a time\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "made.yaml")
	status, _, stderr := scenariosRun(t, "generate", "--kind", "knowledge", "--n", "2", "--model", "script:"+script, "--out", out)
	if status != exitPartial || !strings.Contains(stderr, "the reply is malformed: it is not the JSON object asked for") || !strings.Contains(stderr, "1 of 2 could be used") {
		t.Errorf("status %d, said %s", status, stderr)
	}
	if status, stdout, stderr := scenariosRun(t, "validate", out); status != exitOK || !strings.Contains(stdout, "1 pieces") || stderr != "" {
		t.Errorf("what was generated: status %d, %s%s", status, stdout, stderr)
	}
	if status, _, stderr := scenariosRun(t, "generate", "--kind", "scene", "--model", "script:"+script); status != exitFailed || !strings.Contains(stderr, "wrote nothing that can be used") {
		t.Errorf("status %d, said %s", status, stderr)
	}
}

func TestShowYAMLReadsBack(t *testing.T) {
	for _, k := range scenarios.Kinds() {
		want := k.Library()[3]
		status, stdout, stderr := scenariosRun(t, "show", want.Head().ID, "--yaml")
		kind, pieces, err := scenarios.Read([]byte(stdout), "shown.yaml")
		if diff := cmp.Diff([]scenarios.Piece{want}, pieces); status != exitOK || err != nil || kind != k || diff != "" {
			t.Errorf("%s: status %d, %s%v %s", k, status, stderr, err, diff)
		}
	}
	want := characters.Library()[2]
	stdout, stderr, status := castCommand(t, "show", want.Name, "--yaml")
	sheets, err := characters.Read(strings.NewReader(stdout), "shown.yaml")
	if diff := cmp.Diff([]*characters.Sheet{want}, sheets); status != exitOK || err != nil || diff != "" {
		t.Errorf("status %d, %s%v %s", status, stderr, err, diff)
	}
}
