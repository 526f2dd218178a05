package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/characters"
)

// castCommand runs characters alone and returns what it printed, and its exit status.
func castCommand(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, talk bytes.Buffer
	status = Main(t.Context(), append([]string{"parley", "characters"}, args...), &out, &talk)
	return out.String(), talk.String(), status
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCharactersGenerate(t *testing.T) {
	out, talk, status := castCommand(t, "generate", "--n", "5", "--seed", "3")
	if status != exitOK || talk != "" {
		t.Fatalf("status %d: %s", status, talk)
	}
	cast, err := characters.Read(strings.NewReader(out), "stdout")
	if err != nil || len(cast) != 5 {
		t.Fatalf("%d characters: %v", len(cast), err)
	}
	if again, _, _ := castCommand(t, "generate", "--seed", "3", "--n", "5"); again != out {
		t.Error("one seed, two casts")
	}
	if other, _, _ := castCommand(t, "generate", "--seed", "4", "--n", "5"); other == out {
		t.Error("two seeds, one cast")
	}
	path := filepath.Join(t.TempDir(), "cast.yaml")
	if printed, talk, status := castCommand(t, "generate", "--n", "5", "--seed", "3", "--out", path); status != exitOK || printed != "" {
		t.Errorf("status %d, printed %q, said %q", status, printed, talk)
	}
	if data, _ := os.ReadFile(path); string(data) != out {
		t.Error("the file is not what would have been printed")
	}
	if _, talk, status := castCommand(t, "validate", path); status != exitOK || !strings.Contains(talk, "characters: 5") {
		t.Errorf("validate: status %d: %s", status, talk)
	}
	if _, talk, status := castCommand(t, "generate", "--out", filepath.Join(t.TempDir(), "no", "such")); status != exitFailed {
		t.Errorf("a folder that is not there: status %d: %s", status, talk)
	}
}

func TestCharactersGenerateByModel(t *testing.T) {
	replies := `{"name": "Mirel Salt", "description": "Mirel keeps bees, grudges and time, in that order."}
---
Sure! Here is a character for you.
---
{"name": "Mirela Stone", "description": "Mirela keeps bees, grudges and time, in that order."}
---
{"name": "Oswin Pike", "description": "Oswin whistles at funerals and pays for the flowers."}
`
	out, talk, status := castCommand(t, "generate", "--n", "4", "--writer", "script:"+write(t, "replies.txt", replies))
	if status != exitPartial || !strings.Contains(talk, "2 of 4 characters kept") {
		t.Fatalf("status %d: %s", status, talk)
	}
	for _, want := range []string{"it is not the JSON object asked for", `is too like "Mirel`} {
		if !strings.Contains(talk, want) {
			t.Errorf("no %q in %s", want, talk)
		}
	}
	cast, err := characters.Read(strings.NewReader(out), "stdout")
	if err != nil || len(cast) != 4 {
		t.Fatal(err)
	}
	plain, _, _ := castCommand(t, "generate", "--n", "4")
	grammar, _ := characters.Read(strings.NewReader(plain), "stdout")
	names := map[string]bool{}
	kept := 0
	for i, s := range cast {
		names[s.Name] = true
		if s.Name == grammar[i].Name && s.Description == grammar[i].Description {
			kept++
		}
	}
	if kept != 2 || !names["Oswin Pike"] || names["Mirel Salt"] == names["Mirela Stone"] {
		t.Errorf("%d kept, names %v", kept, names)
	}

	if out, talk, status = castCommand(t, "generate", "--writer", "script:"+write(t, "gone.yaml", "- fault: denied\n")); status != exitFailed || out != "" {
		t.Errorf("a model that is out of reach: status %d: %s", status, talk)
	}
	if _, talk, status = castCommand(t, "generate", "--writer", "nonsense"); status != exitUsage {
		t.Errorf("a model that is none: status %d: %s", status, talk)
	}
}

func TestCharactersListAndShow(t *testing.T) {
	out, talk, status := castCommand(t, "list")
	if status != exitOK || strings.Count(out, "\n") != len(characters.Library())+1 {
		t.Errorf("status %d: %s\n%s", status, talk, out)
	}
	var listed castList
	if out, _, _ = castCommand(t, "list", "--json"); json.Unmarshal([]byte(out), &listed) != nil || len(listed.Characters) != len(characters.Library()) {
		t.Errorf("list --json: %s", out)
	}
	first := characters.Library()[0]
	out, talk, status = castCommand(t, "show", string(first.ID))
	for _, want := range []string{first.Name, first.Class, "CHA ", first.Secrets[0]} {
		if status != exitOK || !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("status %d: no %q in\n%s%s", status, want, out, talk)
		}
	}
	for _, line := range strings.Split(out, "\n") {
		if len([]rune(line)) > 100 {
			t.Errorf("long line: %s", line)
		}
	}
	path := write(t, "two.yaml", encodedLibrary(t, 2))
	if out, _, _ = castCommand(t, "show", path, "--json"); json.Unmarshal([]byte(out), &listed) != nil || len(listed.Characters) != 2 || listed.Characters[0].Name != first.Name {
		t.Errorf("show --json: %s", out)
	}
	if _, talk, status = castCommand(t, "show", "nobody-here"); status != exitUsage || !strings.Contains(talk, "parley characters list") {
		t.Errorf("status %d: %s", status, talk)
	}
}

func TestCharactersValidate(t *testing.T) {
	good := encodedLibrary(t, 1)
	fine := write(t, "fine.yaml", good)
	bad := write(t, "bad.yaml", strings.Replace(strings.Replace(good, "race: ", "race: X", 1), "level: 4", "level: 40", 1))
	out, talk, status := castCommand(t, "validate", fine, bad, filepath.Join(t.TempDir(), "gone.yaml"))
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if status != exitFailed || len(lines) != 3 || !strings.HasPrefix(lines[0], bad+":3: race: ") || !strings.HasPrefix(lines[1], bad+":7: level: 40") {
		t.Errorf("status %d: %s\n%s", status, talk, out)
	}
	if !strings.Contains(talk, fine+": fine") || !strings.Contains(talk, "2 of 3 files are not in order, findings: 3") {
		t.Errorf("said %s", talk)
	}
}

func TestCharactersUsage(t *testing.T) {
	for _, args := range [][]string{
		{}, {"generate", "5"}, {"generate", "--n", "0"}, {"list", "x"},
		{"show"}, {"show", "a", "b"}, {"validate"},
	} {
		if out, talk, status := castCommand(t, args...); status != exitUsage || out != "" && !strings.Contains(out, "USAGE") || talk == "" {
			t.Errorf("%q: status %d, %s %s", args, status, out, talk)
		}
	}
}

// encodedLibrary returns the first n characters of the library as a file.
func encodedLibrary(t *testing.T, n int) string {
	t.Helper()
	var file bytes.Buffer
	if err := characters.Encode(&file, characters.Library()[:n]); err != nil {
		t.Fatal(err)
	}
	return file.String()
}
