package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/characters"
	"parley/eval"
	"parley/eval/run"
	"parley/eval/run/runtest"
	"parley/eval/session"
	"parley/sim"
	"parley/sim/dice"
	"parley/sim/llm"
)

// What a run shows, its sessions, a transcript and the page say, to the number.
func TestGoldenRun(t *testing.T) {
	talk := `
- {purpose: debrief, reply: "I learned nothing."}
- {turn: 3, when: Honest Plague, fault: bad request}
- {turn: 5, reply: "SAY: Psst.\nTO: Finarys Greenbranch"}
- replies:
    - "SAY: What is it, really?"
    - ""
    - "<think>quietly</think>SAY: Where is it?\nDO: climbs the wall in the dark\nTO: everybody"
`
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	o := run.Options{
		Kinds: kinds, Registry: registry(map[string]string{"talk.yaml": talk}), Now: func() time.Time { return at }, ID: "golden", Version: "v1", Jobs: 1,
	}
	dir := filepath.Join(t.TempDir(), "run")
	p := plan(t, func(c *session.Config) {
		c.Sessions, c.Turns, c.Form, c.Referee = 2, 6, "lines", "dice"
		c.Player = []session.Arm{{Name: "talk", Model: "script:talk.yaml"}, {Model: "reference:diligent"}, {Model: "reference:silent"}}
	})().(*session.Plan)
	m, err := run.Run(t.Context(), dir, p, o)
	if err != nil {
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
	for _, id := range []string{"1", session.ID(0, 1), session.ID(1, 0)} {
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
	people := filepath.Join(dir, session.AnnotationsName)
	for text, want := range map[string]string{
		`[{"metric": "alpha", "arm": "talk", "unit": "pairs", "value": 0.5, "n": 3, "of": 4}]`: "", `[{"metrik": "alpha"}]`: people + ": ",
	} {
		if err := os.WriteFile(people, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var page strings.Builder
		err := p.Report(dir, m, &page)
		if want == "" && err == nil {
			runtest.Golden(t, "run.txt", strings.ReplaceAll(b.String()+"== page\n"+runtest.PageText(page.String()), dir, "DIR"))
		} else if want == "" || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// crowded plays sessions of one turn, of which those of the first arm fail, each in its own way.
func crowded(t *testing.T, sessions int, arms ...session.Arm) string {
	t.Helper()
	failing := llm.Adapter{Scheme: "failing", Open: func(context.Context, llm.Spec, llm.Env) (llm.Model, error) {
		return llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
			return nil, &llm.Error{Fault: llm.BadRequest, Err: fmt.Errorf("no %s", req.Tag.Session)}
		}), nil
	}}
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := run.Run(t.Context(), dir, plan(t, func(c *session.Config) {
		c.Sessions, c.Turns, c.Players, c.Form, c.Scorers, c.Control, c.Player = sessions, 1, 1, "json", []string{"play"}, []string{}, arms
	})(), run.Options{Kinds: kinds, Registry: llm.Registry{failing}, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, run.ReportName))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// The page of a large run lists some of the sessions and of the errors, and says how many there are beside them.
func TestPageOfManySessions(t *testing.T) {
	page := runtest.PageText(crowded(t, 160, session.Arm{Model: "failing:m"}, session.Arm{Model: "reference:silent"}))
	for _, want := range []string{"and 150 other errors", "The list of 250 sessions", "and failed ones; 70 more are in", "2 arms, each with the same 160 sessions"} {
		if strings.Count(page, want) != 1 {
			t.Errorf("the page does not say once: %s", want)
		}
	}
	if n := strings.Count(page, "a01-"); n < 150 {
		t.Errorf("the failed sessions are named %d times", n)
	}
	silent := []session.Arm{{Name: "a", Model: "reference:silent"}, {Name: "b", Model: "reference:silent"}, {Name: "c", Model: "reference:silent"}}
	if page := crowded(t, 10, silent[:2]...); strings.Contains(page, "The list of 20 sessions") {
		t.Error("a list of twenty is folded away")
	}
	if page := crowded(t, 7, silent...); !strings.Contains(page, "The list of 21 sessions") || strings.Contains(page, "more are in") {
		t.Error("a list of twenty-one is not folded away")
	}
	var arms []session.Arm
	for i := range 50 {
		arms = append(arms, session.Arm{Name: fmt.Sprintf("arm %d", i), Model: "reference:silent"})
	}
	page = crowded(t, 6, arms...)
	if n := strings.Count(page, `id="session-`); n != 10 || !strings.Contains(page, "The list of 250 sessions") || !strings.Contains(page, "50 more are in") {
		t.Errorf("%d transcripts are on the page of 50 arms", n)
	}
}

// Of a run that was scored again only the scores of the method that is shown are left.
func TestCounting(t *testing.T) {
	tr := &session.Transcript{Scores: []eval.Score{{Scorer: "s", Metric: "a", Method: "1"}, {Scorer: "s", Metric: "a", Method: "2"}, {Scorer: "s", Metric: "b", Method: "1"}}}
	tr.Counting(&run.Manifest{Shown: map[string]string{"s/a": "2"}})
	if got := fmt.Sprintf("%d %s %s", len(tr.Scores), tr.Scores[0].Method, tr.Scores[1].Metric); got != "2 2 b" {
		t.Errorf("%s", got)
	}
}

// How every kind of event is printed and shown, of a session that is done and of one under way.
func TestLines(t *testing.T) {
	tr := transcript()
	tr.Events = []sim.Event{
		{Kind: sim.KindScene}, {Turn: 1, Seq: 1, Kind: sim.KindAct, Actor: "a", Speech: "Psst.", Deed: "winks", Audience: []characters.ID{"a", "b", "n"}, Skill: "Stealth", Facts: []int{0, 2}, Calls: []string{"c1", "c9"}},
		{Turn: 1, Seq: 2, Kind: sim.KindRoll, Actor: "a", Roll: &dice.Roll{Skill: "Stealth", First: 12, Second: 3, Mode: dice.Advantage, Modifier: -1, Total: 11, Class: 1}},
		{Turn: 1, Seq: 3, Kind: sim.KindRoll, Actor: "b", Roll: &dice.Roll{Skill: "Arcana", First: 2, Modifier: 3, Total: 5}}, {Turn: 1, Seq: 4, Kind: sim.KindNarration, Text: "It creaks."},
		{Turn: 2, Seq: 5, Kind: sim.KindPass, Actor: "zed", Fault: "empty", Calls: []string{"c2", "c4"}}, {Turn: 2, Seq: 6, Kind: sim.KindEnd, Text: "loop"},
		{Turn: 2, Seq: 7, Kind: sim.KindDebrief, Actor: "b", Control: "told"}, {Turn: 2, Seq: 8, Kind: sim.KindDebrief, Actor: "b", Text: "It creaked.", Audience: []characters.ID{"b", "a"}},
	}
	one := 1
	tr.Calls[1].Reply, tr.Calls[3].Reply, tr.Calls[0].Served, tr.Calls[1].Tokens, tr.Calls[1].Output, tr.Calls[2].Error = "no move", "none either", "other", &one, &one, "timed out"
	tr.Scores = append(tr.Scores, eval.Score{Metric: "iep", Subject: "b", Turn: 4, Status: eval.NotApplicable, Reason: "not asked"}, eval.Score{Metric: "iep", Subject: "", Control: "told", Value: new(1.25), Status: eval.Scored},
		eval.Score{Metric: "iep", Subject: "b", Status: eval.Unparsed, Reason: "unclear", Evidence: []eval.Evidence{{Want: "one"}, {Want: "two", Got: "too", Weight: 0.5}}})
	tr.Calls[1].Total = 50_000 // microseconds, which round up
	var b strings.Builder
	show := func() {
		for _, s := range []session.Screen{{}, {Width: 30, Colour: true}} {
			if err := tr.Print(&b, s); err != nil {
				t.Fatal(err)
			}
		}
		for i := range tr.Events {
			fmt.Fprintf(&b, "%+v\n", tr.Line(&tr.Events[i], 9))
		}
		for i := range tr.Scores {
			title, table := tr.Evidence(&tr.Scores[i])
			fmt.Fprintf(&b, "%s: %+v\n", title, table.Rows)
		}
		table := tr.ScoreTable(func(s *eval.Score) string { return "/" + s.Subject })
		fmt.Fprintf(&b, "%+v\n%+v\n", table.Head, table.Rows)
	}
	show()
	tr.Row, tr.Scores = nil, nil
	show()
	runtest.Golden(t, "lines.txt", b.String())
}
