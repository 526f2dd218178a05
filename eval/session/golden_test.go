package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/eval"
	"parley/eval/run"
	"parley/eval/run/runtest"
	"parley/eval/session"
)

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
	runtest.Golden(t, "run.txt", strings.ReplaceAll(b.String(), dir, "DIR")+"== page\n"+runtest.PageText(strings.ReplaceAll(string(page), dir, "DIR")))
}

// Of a run that was scored again only the scores of the method that is shown are left.
func TestCounting(t *testing.T) {
	tr := &session.Transcript{Scores: []eval.Score{{Scorer: "s", Metric: "a", Method: "1"}, {Scorer: "s", Metric: "a", Method: "2"}, {Scorer: "s", Metric: "b", Method: "1"}}}
	tr.Counting(&run.Manifest{Shown: map[string]string{"s/a": "2"}})
	if got := fmt.Sprintf("%d %s %s", len(tr.Scores), tr.Scores[0].Method, tr.Scores[1].Metric); got != "2 2 b" {
		t.Errorf("%s", got)
	}
}
