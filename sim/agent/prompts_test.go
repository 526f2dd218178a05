package agent_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/scenarios"
	"parley/sim/agent"
)

func TestExportedPromptsLoadAsTheSame(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my", "prompts")
	if err := agent.BuiltinPrompts().Export(dir); err != nil {
		t.Fatal(err)
	}
	p, err := agent.LoadPrompts(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := agent.BuiltinPrompts().Hashes()
	if got := p.Hashes(); !maps.Equal(got, want) || len(got) != 8 {
		t.Errorf("hashes %v, want %v", got, want)
	}
	if err := p.Export(dir); err == nil || !strings.Contains(err.Error(), "rules.tmpl exists") {
		t.Errorf("exporting over files: error %v", err)
	}
}

func TestLoadPromptsTakesWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "turn-lines.tmpl", "Now you, {{.Label}}, against {{len .Others}}!\n\n")
	write(t, dir, "notes.txt", "no prompt")
	p, err := agent.LoadPrompts(dir)
	if err != nil {
		t.Fatal(err)
	}
	builtin, own := agent.BuiltinPrompts().Hashes(), p.Hashes()
	for _, name := range slices.Sorted(maps.Keys(builtin)) {
		if same := builtin[name] == own[name]; same != (name != "turn-lines") {
			t.Errorf("%s is the built-in one: %v", name, same)
		}
	}
	m := &model{reply: "PASS"}
	if _, err := build(t, m, agent.Config{Form: agent.Lines, Prompts: p}).Act(t.Context(), view(0, scenarios.Exchange)); err != nil {
		t.Fatal(err)
	}
	if got := m.prompt(); !strings.HasSuffix(got, "\n\nNow you, Orla, against 3!\n") {
		t.Errorf("the user's own prompt is not what is asked:\n%s", got)
	}
}

func TestLoadPromptsReportsEveryMistake(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "rules.tmpl", "Rules.\n\n{{.Self.Name}}")     // private: not to be had here
	write(t, dir, "persona.tmpl", "You.\n{{if .Player}}\nmore") // does not end
	write(t, dir, "scene.tmpl", "{{/* nothing */}}\n")
	write(t, dir, "debrief.tmpl", "Well?\n{{.Self.Shoes}}")
	write(t, dir, "turn-yaml.tmpl", "Go.")
	_, err := agent.LoadPrompts(dir)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		dir + "/rules.tmpl:3: ", "Self", dir + "/persona.tmpl:3: ", dir + "/scene.tmpl:1: renders to nothing",
		dir + "/debrief.tmpl:2: ", "Shoes", dir + "/turn-yaml.tmpl: no prompt has this name", "turn-lines.tmpl",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
	if _, err := agent.LoadPrompts(filepath.Join(dir, "none")); err == nil {
		t.Error("a directory that is not there loads")
	}
}

func TestRulesAreShort(t *testing.T) {
	m := &model{reply: "PASS"}
	if _, err := build(t, m, agent.Config{Checks: true}).Act(t.Context(), view(0, scenarios.Exchange)); err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Fields(m.asked[0].Messages[0].Content)); n >= 200 {
		t.Errorf("%d words of rules are too many for a small model", n)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
