package scenarios_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"parley/scenarios"
)

// The examples of the reference page read, one for each kind, and every key and kind has its row.
func TestREADME(t *testing.T) {
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page, -1)
	for i, kind := range scenarios.Kinds() {
		if !strings.Contains(page, "| `"+kind.Name+"` |") {
			t.Errorf("the page has no row for the kind %s", kind)
		}
		if i >= len(examples) {
			t.Fatalf("the page has no example of %s", kind.Pieces)
		}
		if _, err := kind.Read(strings.NewReader(examples[i][1]), "README.md"); err != nil {
			t.Error(err)
		}
		_, err := kind.Read(strings.NewReader("xyzzy: 1"), "f.yaml")
		_, known, _ := strings.Cut(err.Error(), "known here are ")
		known, _, _ = strings.Cut(known, "\n")
		for _, key := range strings.Split(known, ", ") {
			if !strings.Contains(page, "`"+key+"`") {
				t.Errorf("the page has no row for the key %s of %s", key, kind.Pieces)
			}
		}
	}
}
