package runtest

import (
	"flag"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update says that golden files are written anew, with the flag -update.
var Update = flag.Bool("update", false, "write the golden files anew")

// home is the directory of the package under test, which a test may leave.
var home, _ = os.Getwd()

// PageText is the text of a page, a line for each of its blocks, without what changes with the program.
func PageText(page string) string {
	page = regexp.MustCompile(`(?s)<(style|script)>.*?</`).ReplaceAllString(page, "<")
	page = regexp.MustCompile(`</?(p|tr|li|h\d|dt|dd|section|table|caption|div|details|summary|text|desc|line)\b[^>]*>`).ReplaceAllString(page, "\n")
	page = html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " | "))
	page = regexp.MustCompile(`\b[0-9a-f]{12,}\b`).ReplaceAllString(strings.ReplaceAll(page, runtime.Version(), "GO"), "DIGEST")
	var lines []string
	for line := range strings.Lines(page) {
		line = strings.Trim(strings.Join(strings.Fields(strings.ReplaceAll(line, " |  | ", " | ")), " "), " |")
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// Golden compares a text with the file of testdata that has this name; with the flag -update, it writes the file.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(home, "testdata", name)
	if *Update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got; go test -update accepts it):\n%s", path, diff)
	}
}
