package session_test

import (
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/eval"
	"parley/eval/run"
	"parley/eval/session"
)

var update = flag.Bool("update", false, "write the goldens anew")

// What a run shows, its sessions, a transcript and the page say, to the number.
func TestGoldenRun(t *testing.T) {
	talk := `
- {purpose: debrief, reply: "I learned nothing."}
- {turn: 3, fault: bad request}
- replies:
    - "SAY: What is it, really?"
    - ""
    - "<think>quietly</think>SAY: Where is it?\nDO: climbs the wall in the dark\nTO: nobody"
`
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	o := run.Options{
		Kinds: kinds, Registry: registry(map[string]string{"talk": talk}), Now: func() time.Time { return at }, ID: "golden", Version: "v1", Jobs: 1,
	}
	dir := filepath.Join(t.TempDir(), "run")
	m, err := run.Run(t.Context(), dir, plan(t, func(c *session.Config) {
		c.Sessions, c.Turns, c.Form, c.Referee = 2, 6, "lines", "dice"
		c.Player = []session.Arm{{Name: "talk", Model: "script:talk"}, {Model: "reference:diligent"}, {Model: "reference:silent"}}
	})(), o)
	if m == nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := session.Show(&b, dir, m, true); err != nil {
		t.Fatal(err)
	}
	rows, err := session.Sessions.All(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := session.PrintList(&b, rows); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"1", session.ID(1, 0)} {
		for _, s := range []session.Screen{{Width: 100}, {Width: 60, Colour: true}} {
			tr, err := session.ReadTranscript(dir, id, s.Colour && id == "1")
			if err != nil {
				t.Fatal(err)
			}
			if s.Colour {
				if err := tr.Only(1); err != nil {
					t.Fatal(err)
				}
			}
			if err := tr.Print(&b, s); err != nil {
				t.Fatal(err)
			}
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, run.ReportName))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "run.txt", strings.ReplaceAll(b.String(), dir, "DIR")+"== page\n"+pageText(strings.ReplaceAll(string(page), dir, "DIR")))
}

// Of a run that was scored again only the scores of the method that is shown are left.
func TestCounting(t *testing.T) {
	tr := &session.Transcript{Scores: []eval.Score{{Scorer: "s", Metric: "a", Method: "1"}, {Scorer: "s", Metric: "a", Method: "2"}, {Scorer: "s", Metric: "b", Method: "1"}}}
	tr.Counting(&run.Manifest{Shown: map[string]string{"s/a": "2"}})
	if got := fmt.Sprintf("%d %s %s", len(tr.Scores), tr.Scores[0].Method, tr.Scores[1].Metric); got != "2 2 b" {
		t.Errorf("%s", got)
	}
}

// pageText is the text of a page, a line for each of its blocks, without what changes with the program.
func pageText(page string) string {
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

// golden compares a text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
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
