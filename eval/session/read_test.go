package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/eval"
	"parley/eval/run"
	"parley/eval/run/runtest"
	"parley/eval/session"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/llm"
)

// Settings follow from each other, and what cannot be is said.
func TestComplete(t *testing.T) {
	for _, test := range []struct {
		reason string
		change func(*session.Config)
		err    string // empty: it is complete, with the turns
		turns  int
	}{
		{"nothing is said", func(*session.Config) {}, "", 30},
		{"turns", func(c *session.Config) { c.Turns = 7 }, "", 7},
		{"rounds of three players and an NPC", func(c *session.Config) { c.Rounds = 5 }, "", 20},
		{"rounds of two players", func(c *session.Config) { c.Rounds, c.Players = 5, 2 }, "", 15},
		{"both, the same", func(c *session.Config) { c.Rounds, c.Turns = 5, 20 }, "", 20},
		{"both, not the same", func(c *session.Config) { c.Rounds, c.Turns = 5, 21 }, "turns is 21 and rounds is 5 (of 4 turns each)", 0},
		{"no kind", func(c *session.Config) { c.Scenario = "exchagne" }, "scenario:", 0},
		{"one session", func(c *session.Config) { c.Sessions = 1 }, "", 30},
		{"no session", func(c *session.Config) { c.Sessions = 0 }, "sessions is 0: at least 1 is needed", 0},
		{"fewer than no players", func(c *session.Config) { c.Players = -1 }, "players is -1", 0},
		{"no jobs said", func(c *session.Config) { c.Jobs = 0 }, "", 30},
		{"fewer than no jobs", func(c *session.Config) { c.Jobs = -1 }, "cannot be negative", 0},
		{"fewer than no curve", func(c *session.Config) { c.Curve = -1 }, "cannot be negative", 0},
		{"fewer than no tokens", func(c *session.Config) { c.Endings.Tokens = -1 }, "cannot be negative", 0},
		{"less than no time", func(c *session.Config) { c.Endings.Wall = -1 }, "cannot be negative", 0},
		{"limits of no model", func(c *session.Config) { c.Limits.Endpoints = map[string]llm.Limits{"http://x": {Concurrent: 1}} }, "no model of the experiment is at http://x", 0},
		{"as many players as the kind takes", func(c *session.Config) { c.Scenario, c.Players = "negotiation", 1 }, "", 30},
		{"more players than the kind takes", func(c *session.Config) { c.Scenario, c.Players = "negotiation", 2 }, "players is 2: the scenario negotiation takes at most 1", 0},
		{"an arm of nobody", func(c *session.Config) { c.Player = []session.Arm{{}} }, "player 1: say either model", 0},
		{"an arm of a model and a cast", func(c *session.Config) {
			c.Player = []session.Arm{{Model: "reference:silent"}, {Model: "reference:silent", Cast: []string{"reference:loner"}}}
		}, "player 2: say either model", 0},
		{"a cast that is too small", func(c *session.Config) {
			c.Player = []session.Arm{{Model: "reference:silent"}, {Cast: []string{"reference:loner"}}}
		}, "player 2: its cast has 1 models for 3 players", 0},
		{"two arms of one name", func(c *session.Config) {
			c.Player = []session.Arm{{Model: "reference:silent"}, {Model: "reference:silent"}}
		}, `two arms are called "reference:silent"`, 0},
		{"no referee", func(c *session.Config) { c.Referee = "" }, "", 30},
		{"no order", func(c *session.Config) { c.Order = "fixd" }, `order is "fixd": did you mean fixed? say one of addressed, fixed, initiative, shuffled`, 0},
		{"no scorer", func(c *session.Config) { c.Scorers = []string{"play", "wrods"} }, `there is no scorer "wrods"`, 0},
		{"a judge that acts", func(c *session.Config) { c.Judge = "reference:npc" }, "reference:npc cannot judge", 0},
		{"key points of the built-in judge", func(c *session.Config) { c.Keypoints = "judge" }, "lexical condenses nothing", 0},
		{"key points of an embedding judge", func(c *session.Config) { c.Keypoints, c.Judge = "judge", "embed:ollama:m" }, "embed:ollama:m condenses nothing", 0},
		{"key points of a model", func(c *session.Config) { c.Keypoints, c.Judge = "judge", "ollama:m" }, "", 30},
		{"a negative budget", func(c *session.Config) { c.Limits.Tokens = -1 }, "0 (none) or more", 0},
	} {
		c := session.Default()
		test.change(c)
		err := c.Complete()
		if test.err == "" && (err != nil || c.Turns != test.turns || c.Rounds != 0 || len(c.Player) == 0) || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err) || !errors.As(err, new(run.UsageError))) {
			t.Errorf("%s: %d turns, %v", test.reason, c.Turns, err)
		}
	}
}

// Replies from a file and from a run are read as they would be played, and counted by model, form and kind.
func TestReadReplies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "replies.jsonl")
	lines := `{"id":"x","model":"m","speaker":"Ada Brook","others":["Bela Corso"],"raw":"SAY: Good evening.\nDO: bows"}
{"n":7,"model":"m","actor":"Ada Brook","cast":["Ada Brook","Bela Corso"],"reply":"{\"say\": \"Psst.\", \"do\": \"\", \"to\": [\"Bela Corso\"]}"}
{"model":"m","speaker":"Ada Brook","raw":"SAY:\nDO:"}
{"model":"n","speaker":"Ada Brook","raw":""}
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := session.ReadReplies([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.Print(&b, true); err != nil {
		t.Fatal(err)
	}
	if err := r.Print(&b, false); err != nil {
		t.Fatal(err)
	}
	runtest.Golden(t, "replies.txt", b.String())
	if err := os.WriteFile(path, []byte(`{"id":"x"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := session.ReadReplies([]string{path}); err == nil || !strings.Contains(err.Error(), "replies.jsonl:1: no speaker") {
		t.Errorf("%v", err)
	}
	if _, err := session.ReadReplies([]string{filepath.Join(t.TempDir(), "nowhere")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// What is printed of the costs of prompts: what no server counted is a hyphen, and times are set beside the last.
func TestPrintPromptCosts(t *testing.T) {
	n, m := int64(1200), int64(300)
	long, short, none := 3.0, 1.5, 0.0
	var b strings.Builder
	for _, costs := range [][]*session.PromptCost{
		{{Layout: "a", Moves: 4, Valid: 3, Tokens: &n, Counted: &m, Unshared: 0.255, Seconds: &long}, {Layout: "b", Moves: 4, Valid: 4, Seconds: &short}},
		{{Layout: "a", Seconds: &long}, {Layout: "b", Seconds: &none}}, {{Layout: "a", Seconds: &long}, {Layout: "b"}},
	} {
		if err := session.PrintPromptCosts(&b, costs); err != nil {
			t.Fatal(err)
		}
	}
	runtest.Golden(t, "prompts.txt", b.String())
}

// served is a script whose server counts tokens.
func served(t *testing.T, cached *int) llm.Registry {
	t.Helper()
	return llm.Registry{{Scheme: "script", Open: func(context.Context, llm.Spec, llm.Env) (llm.Model, error) {
		return llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
			prompt, reply := 100, 5
			return &llm.Response{Text: "SAY: Well.", Finish: llm.Stop, Usage: llm.Usage{Prompt: &prompt, Cached: cached, Completion: &reply}, Timing: llm.Timing{Prompt: 250 * time.Millisecond}}, nil
		}), nil
	}}}
}

// The cost of a run's prompts is added up over its moves, and of what an earlier prompt begins with alike, nothing is
// evaluated again.
func TestReadPromptCost(t *testing.T) {
	sixty := 60
	for _, cached := range []*int{nil, &sixty} {
		at := time.Unix(0, 0)
		o := run.Options{Kinds: kinds, Registry: served(t, cached), Now: func() time.Time { at = at.Add(time.Second); return at }, Jobs: 1}
		dir := filepath.Join(t.TempDir(), "run")
		if _, err := run.Run(t.Context(), dir, plan(t, func(c *session.Config) {
			c.Sessions, c.Turns, c.Form, c.Player = 1, 8, "lines", []session.Arm{{Model: "script:p"}}
		})(), o); err != nil {
			t.Fatal(err)
		}
		cost, err := session.ReadPromptCost(dir)
		if err != nil {
			t.Fatal(err)
		}
		if cost.Moves != 6 || cost.Valid != 8 || *cost.Tokens != 600 || cost.Unshared <= 0 || cost.Unshared >= 0.9 || (cost.Counted != nil) != (cached != nil) || cached != nil && *cost.Counted != 240 {
			t.Errorf("%+v", cost)
		}
		if cost.Seconds == nil || *cost.Seconds != 1.5 {
			t.Errorf("the prompts took %v s", cost.Seconds)
		}
		r, err := session.ReadReplies([]string{dir})
		if err != nil || len(r.Replies) != 6 || len(r.Kinds) != 1 || r.Kinds[0].Kind != "played" || r.Kinds[0].Of != 6 {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// transcript is one of two players and an NPC who knows a fact.
func transcript() *session.Transcript {
	s, err := json.Marshal(&scenarios.Scenario{Kind: scenarios.Exchange, Knowledge: &scenarios.Knowledge{Title: "the bell", Facts: []scenarios.Fact{{Text: "The bell hangs under the northern lake."}}}})
	if err != nil {
		panic(err)
	}
	return &session.Transcript{
		Session: "s", Row: &session.Row{ID: "s", Scenario: string(s), Cast: []session.Seat{{ID: "a", Name: "Ada Brook", Role: "player"}, {ID: "b", Name: "Bela Corso", Role: "player"}, {ID: "n", Name: "Nan Dunne", Role: "npc"}}},
		Events: []sim.Event{
			{Session: "s", Seq: 0, Kind: sim.KindScene, Text: "A tavern."},
			{Session: "s", Seq: 1, Turn: 1, Kind: sim.KindAct, Actor: "a", Speech: "Where does it hang?", Calls: []string{"c1"}, Skill: "Insight"},
			{Session: "s", Seq: 2, Turn: 2, Kind: sim.KindAct, Actor: "n", Speech: "So be it. The bell hangs under the northern lake.", Facts: []int{0}, Calls: []string{"c2"}, Fault: "odd"},
			{Session: "s", Seq: 3, Turn: 3, Kind: sim.KindAct, Actor: "b", Speech: "Psst.", Audience: nil},
			{Session: "s", Seq: 4, Turn: 3, Kind: sim.KindEnd, Text: "turns"},
			{Session: "s", Seq: 5, Turn: 3, Kind: sim.KindDebrief, Actor: "a", Text: "It hangs under the lake.", Audience: nil, Calls: []string{"c3"}},
			{Session: "s", Seq: 6, Turn: 3, Kind: sim.KindDebrief, Actor: "a", Text: "As I was told.", Control: "told", Audience: nil},
		},
		Calls: []session.ShownCall{{Call: llm.Call{ID: "c1", Actor: "a", Purpose: "act"}}, {Call: llm.Call{ID: "c2", Actor: "n", Purpose: "act"}}, {Call: llm.Call{ID: "c3", Actor: "a", Purpose: "debrief"}},
			{Call: llm.Call{ID: "c4", Actor: "a", Purpose: "debrief:told"}}, {Call: llm.Call{ID: "c5", Actor: "a", Purpose: "judge:iep-match"}}},
		Scores: []eval.Score{{Scorer: "iep", Metric: "iep", Subject: "a", Evidence: []eval.Evidence{{Want: "The bell hangs under the northern lake.", Got: "It hangs under the lake."}}}},
	}
}

func TestTranscriptThroughEyes(t *testing.T) {
	for who, want := range map[string]string{"a": "", "Bela": "", "bela corso": "", "zoe": "zoe is not in the cast: a, b, n"} {
		if _, err := transcript().Seat(who); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v", who, err)
		}
	}
	tr := transcript()
	tr.Through("a")
	var seen []int
	for _, e := range tr.Events {
		seen = append(seen, e.Seq)
		if e.Actor != "a" && (e.Fault != "" || e.Facts != nil || e.Calls != nil) || e.Seq == 1 && (e.Skill == "" || e.Calls == nil) {
			t.Errorf("%+v", e)
		}
	}
	if len(seen) != 5 || seen[3] != 3 || seen[4] != 5 || tr.Scores != nil || tr.Row.Scenario != "" || len(tr.Calls) != 2 || tr.Calls[0].ID != "c1" || tr.Calls[1].ID != "c3" {
		t.Errorf("a perceives %v with %+v", seen, tr.Calls)
	}
	tr = transcript()
	if err := tr.Only(2); err != nil || len(tr.Events) != 1 || len(tr.Calls) != 1 || tr.Calls[0].ID != "c2" || tr.Scores != nil {
		t.Errorf("%+v, %v", tr, err)
	}
	if err := transcript().Only(4); err == nil || err.Error() != "session s has no turn 4; its turns are 0 to 3" {
		t.Errorf("%v", err)
	}
	if npc := tr.Row.NPC(); npc != "n" || (&session.Row{}).NPC() != "" {
		t.Errorf("the NPC is %q", npc)
	}
}

// What a score found is traced to the subject's answer, and what was looked for to those who told it.
func TestTrace(t *testing.T) {
	for _, test := range []struct {
		reason string
		change func(*session.Transcript)
		want   []session.Said
	}{
		{"found and told", func(*session.Transcript) {}, []session.Said{{0, 5, "It hangs under the lake."}, {0, 2, "The bell hangs under the northern lake."}}},
		{"nothing was found", func(tr *session.Transcript) { tr.Scores[0].Evidence[0].Got = "" }, []session.Said{{0, 2, "The bell hangs under the northern lake."}}},
		{"found in the play", func(tr *session.Transcript) { tr.Scores[0].Evidence[0].Got = "Where does it hang?" }, []session.Said{{0, 1, "Where does it hang?"}, {0, 2, "The bell hangs under the northern lake."}}},
		{"found nowhere", func(tr *session.Transcript) { tr.Scores[0].Evidence[0].Got = "It is gone." }, []session.Said{{0, 2, "The bell hangs under the northern lake."}}},
		{"told to another", func(tr *session.Transcript) { tr.Events[2].Audience = append(tr.Events[2].Audience, "n", "b") }, []session.Said{{0, 5, "It hangs under the lake."}}},
		{"told in a whisper", func(tr *session.Transcript) { tr.Events[2].Audience = append(tr.Events[2].Audience, "n", "a") }, []session.Said{{0, 5, "It hangs under the lake."}, {0, 2, "The bell hangs under the northern lake."}}},
		{"given away in other words", func(tr *session.Transcript) { tr.Events[2].Speech = " Seek it in the deep. " }, []session.Said{{0, 5, "It hangs under the lake."}, {0, 2, "Seek it in the deep."}}},
		{"a fact that there is not", func(tr *session.Transcript) { tr.Events[2].Speech, tr.Events[2].Facts = "Hm.", []int{-1, 1} }, []session.Said{{0, 5, "It hangs under the lake."}}},
		{"of a control", func(tr *session.Transcript) { tr.Scores[0].Control = "told" }, nil},
		{"nothing was known", func(tr *session.Transcript) { tr.Row.Scenario = "" }, []session.Said{{0, 5, "It hangs under the lake."}}},
		{"of one who told it", func(tr *session.Transcript) { tr.Scores[0].Subject = "n" }, nil},
	} {
		tr := transcript()
		test.change(tr)
		got := tr.Trace(&tr.Scores[0])
		if len(got) != len(test.want) {
			t.Errorf("%s: %+v, want %+v", test.reason, got, test.want)
			continue
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%s: %+v, want %+v", test.reason, got, test.want)
			}
		}
	}
}

// Control characters that could reach a terminal are shown.
func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain\ttext\n": "plain\ttext\n", "\x1b[2J\x00": "\ufffd[2J\ufffd", "\x1f \x7f\u0080\u009f\u00a0": "\ufffd \ufffd\ufffd\ufffd\u00a0",
		"\u2029\u202a\u202e\u202f": "\u2029\ufffd\ufffd\u202f", "\u2065\u2066\u2069\u206a": "\u2065\ufffd\ufffd\u206a", "~": "~",
	} {
		if got := session.Visible(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// A run is followed to its end: every event once, those of one session where it is asked for.
func TestFollow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	at := time.Unix(0, 0)
	if _, err := run.Run(t.Context(), dir, plan(t, func(c *session.Config) { c.Sessions, c.Turns = 2, 4 })(), run.Options{Kinds: kinds, Registry: registry(nil), Now: func() time.Time { return at }, Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	var all, one strings.Builder
	if err := errors.Join(session.Follow(t.Context(), &all, session.Screen{}, dir, "", time.Millisecond), session.Follow(t.Context(), &one, session.Screen{}, dir, session.ID(0, 1), time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	first, second := session.ID(0, 0), session.ID(0, 1)
	for text, wants := range map[string][2]int{all.String(): {1, 1}, one.String(): {0, 1}} {
		if strings.Count(text, "\nsession "+first+"\n") != wants[0] || strings.Count(text, "\nsession "+second+"\n") != wants[1] || !strings.HasSuffix(text, dir+" is complete\n") {
			t.Errorf("%s", text)
		}
	}
	if a, b := strings.Count(all.String(), "\n"), strings.Count(one.String(), "\n"); a <= b || b < 8 {
		t.Errorf("%d and %d lines", a, b)
	}
}
