package characters_test

import (
	"os"
	"strings"
	"testing"

	"parley/characters"
)

// The example of the reference page reads, and every key has its row.
func TestREADME(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	example, rest, _ := strings.Cut(rest, "```\n")
	sheets, err := characters.Read(strings.NewReader(example), "README.md")
	if err != nil || len(sheets) != 2 {
		t.Fatalf("%d characters: %v", len(sheets), err)
	}
	_, err = characters.Read(strings.NewReader("x: 1"), "f.yaml")
	_, known, _ := strings.Cut(err.Error(), "known here are ")
	known, _, _ = strings.Cut(known, "\n")
	for _, key := range strings.Split(known, ", ") {
		if !strings.Contains(rest, "`"+key+"`") {
			t.Errorf("the page has no row for the key %s", key)
		}
	}
}
