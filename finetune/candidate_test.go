package finetune_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/characters"
	"parley/eval"
	"parley/eval/run"
	recorded "parley/eval/session"
	"parley/finetune"
	"parley/sim"
	"parley/sim/llm"
	"parley/sim/simtest"
)

// memory are the sessions of a run by arm, in the order of their ids.
type memory []*finetune.Session

// source writes the tables of the run. Its scores have two metrics of a scorer, a control, and what another
// method said before the run was scored again.
func (m memory) source(t testing.TB) finetune.Source {
	t.Helper()
	in := finetune.Source{Path: t.TempDir(), Name: "run", Run: &run.Manifest{Kind: recorded.Kind, Shown: map[string]string{"wit/wit": "new"}}}
	var rows, events, scores []any
	for i, s := range m {
		text, err := json.Marshal(s.Episode.Scenario)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, recorded.Row{
			ID: s.Episode.Session, Arm: fmt.Sprintf("arm%d", i), Title: s.Scenario, Kind: "exchange", State: "complete", Seed: "7", Turns: s.Episode.Turns,
			Scenario: string(text), Cast: []recorded.Seat{{ID: "a", Model: "script:a"}},
		})
		for _, e := range s.Episode.Events {
			events = append(events, e)
		}
		for _, score := range []eval.Score{{Metric: "words"}, {Metric: "wit", Control: "told"}, {Metric: "wit", Method: "new"}, {Metric: "wit", Method: "old and long"}} {
			value := 10*float64(i) + float64(len(score.Method)+len(score.Control))
			score.Session, score.Scorer, score.Subject, score.Value, score.Status = s.Episode.Session, "wit", "a", &value, eval.Scored
			scores = append(scores, score)
		}
	}
	for name, list := range map[string][]any{"sessions": rows, "events": events, "scores": scores} {
		var text bytes.Buffer
		for _, row := range list {
			if err := json.NewEncoder(&text).Encode(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(in.Path, name+".jsonl"), text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

// compared are the preferences of a run's turns with those of others.
func compared(t testing.TB, run memory, p finetune.Preferring, acts ...simtest.Actor) *finetune.Selection {
	for i, act := range acts {
		p.Rivals = append(p.Rivals, finetune.Rival{Name: fmt.Sprintf("rival%d", i), Calls: true, Open: func(context.Context, *finetune.Source) (func() finetune.Actors, error) {
			return func() finetune.Actors {
				return func(characters.ID, bool) (sim.Actor, error) { return act, nil }
			}, nil
		}})
	}
	p.Jobs = 2
	return &finetune.Selection{
		Task: finetune.Preference, Status: []string{"complete"}, Who: finetune.Players, Preferring: p,
		Inputs: []finetune.Source{run.source(t)},
	}
}

func pass(*sim.View) (sim.Decision, error) { return sim.Decision{}, nil }

func TestAgainst(t *testing.T) {
	run := memory{session(t, "s1", 8, says("One."))}
	choose := func(c finetune.Chooser) finetune.Preferring { return finetune.Preferring{Choose: c} }
	xs, gone := gathered(t, compared(t, run, choose(finetune.First), pass).Examples(t.Context()))
	if len(xs) != 6 || len(gone) != 0 || !strings.Contains(xs[0].Completion[0].Content, "One.") || !strings.Contains(xs[0].Rejected, `"speech": ""`) {
		t.Errorf("%d preferences, %v", len(xs), gone)
	}
	if xs, _ := gathered(t, compared(t, run, choose(finetune.Second), pass).Examples(t.Context())); len(xs) != 6 || xs[0].Model != "rival0" || xs[0].Score != nil || !strings.Contains(xs[0].Rejected, "One.") {
		t.Errorf("the rival's turns: %+v", xs)
	}
	bad := func(*sim.View) (sim.Decision, error) { return sim.Decision{Fault: "empty"}, nil }
	for _, test := range []struct {
		why finetune.Reason
		act simtest.Actor
	}{{finetune.Alone, says("One.")}, {finetune.Malformed, bad}} {
		if xs, gone := gathered(t, compared(t, run, choose(finetune.First), test.act).Examples(t.Context())); len(xs) != 0 || len(gone) != 6 || gone[0].Reason != test.why {
			t.Errorf("%s: %d preferences, %v", test.why, len(xs), gone)
		}
	}
	down := errors.New("the server is down")
	s := compared(t, run, choose(finetune.First), func(*sim.View) (sim.Decision, error) { return sim.Decision{}, down })
	for _, err := range s.Examples(t.Context()) {
		if !errors.Is(err, down) {
			t.Errorf("error %v", err)
		}
	}
}

// Several candidates make a pair of each two, of as many turns as are sampled: as many as the estimate says.
func TestCandidatesAlongThePlay(t *testing.T) {
	run := memory{session(t, "s1", 40, says("One.")), session(t, "s2", 40, says("Two."))}
	talk := func(v *sim.View) (sim.Decision, error) {
		return sim.Decision{Speech: fmt.Sprintf("Shall we, in turn %d?", v.Turn)}, nil
	}
	for _, test := range []struct{ sample, turns int }{{0, 60}, {5, 10}, {1000, 60}} {
		s := compared(t, run, finetune.Preferring{Choose: finetune.First, Sample: test.sample, Seed: 3, JudgeCalls: 2}, pass, talk)
		f, err := s.Estimate(t.Context())
		if err != nil || f.Sessions != 2 || f.Views != test.turns || f.Pairs != 3*test.turns || f.RivalCalls != 2*test.turns || f.JudgeCalls != 6*test.turns {
			t.Errorf("sample %d: %+v, %v", test.sample, f, err)
		}
		xs, gone := gathered(t, s.Examples(t.Context()))
		if len(xs) != f.Pairs || len(gone) > 0 {
			t.Errorf("sample %d: %d pairs, %v", test.sample, len(xs), gone)
		}
		turns := map[string]bool{}
		for _, x := range xs {
			turns[strings.Split(x.ID, "/")[2]] = true
		}
		if test.sample == 5 && len(turns) < 6 {
			t.Errorf("the turns %v are sampled, in both sessions the same", turns)
		}
		again, _ := gathered(t, s.Examples(t.Context()))
		if !slices.EqualFunc(xs, again, func(a, b finetune.Example) bool { return a.ID == b.ID && a.Rejected == b.Rejected }) {
			t.Errorf("sample %d: the same seed gives other pairs", test.sample)
		}
	}
}

// Another arm's turn of the same number is a candidate.
func TestRecordedArm(t *testing.T) {
	run := memory{session(t, "s1", 8, says("One.")), session(t, "s2", 8, pass)}
	s := compared(t, run, finetune.Preferring{Choose: finetune.First, Rivals: []finetune.Rival{{Name: "arm1", Arm: true}}})
	s.Models = []string{"arm0"}
	xs, _ := gathered(t, s.Examples(t.Context()))
	if len(xs) != 6 || !strings.HasPrefix(xs[0].Rejected, `{"speech": "", "deed": ""`) {
		t.Errorf("%d pairs", len(xs))
	}
	s.Preferring.Rivals[0].Name = "arm7"
	for _, err := range s.Examples(t.Context()) {
		if err == nil || !strings.Contains(err.Error(), "no complete session of the arm arm7") {
			t.Errorf("error %v", err)
		}
	}
}

// answering plays as an actor and answers the debrief.
type answering struct{ simtest.Actor }

func (answering) Debrief(context.Context, *sim.View, []string) (sim.Answer, error) {
	return sim.Answer{Text: "I know."}, nil
}

// loud scores a player by how often the NPC shouts in the end.
type loud struct{ turns *[]int }

func (loud) Name() string           { return "loud" }
func (loud) Metrics() []eval.Metric { return nil }
func (l loud) Score(_ context.Context, ep *sim.Episode) ([]eval.Score, []llm.Call, error) {
	n := 0.0
	for _, e := range ep.Moves() {
		if e.Actor == "d" && strings.Contains(e.Speech, "!") {
			n++
		}
	}
	*l.turns = append(*l.turns, ep.Turn())
	return []eval.Score{{Session: ep.Session, Metric: "shouts", Subject: "a", Value: &n, Status: eval.Scored}}, nil, nil
}

// A roll-out prefers the turn of which more comes: here the NPC shouts after a question and not otherwise.
func TestRollout(t *testing.T) {
	run := memory{session(t, "s1", 12, says("One."))}
	ask := func(*sim.View) (sim.Decision, error) { return sim.Decision{Speech: "Who is there?"}, nil }
	var turns []int
	npc := func(v *sim.View) (sim.Decision, error) {
		for _, e := range v.Events[max(0, len(v.Events)-3):] {
			if strings.HasSuffix(e.Speech, "?") {
				return sim.Decision{Speech: "Me!"}, nil
			}
		}
		return sim.Decision{Speech: "Hm."}, nil
	}
	r := &finetune.Rollout{
		Turns: 4, Scorer: loud{&turns}, Record: func(llm.Call) {}, Now: simtest.Clock(),
		Actors: func(string) (finetune.Actors, error) {
			return func(id characters.ID, player bool) (sim.Actor, error) {
				if !player {
					return answering{npc}, nil
				}
				return answering{pass}, nil
			}, nil
		},
	}
	s := compared(t, run, finetune.Preferring{Choose: r.Choose}, ask)
	xs, gone := gathered(t, s.Examples(t.Context()))
	if len(xs) == 0 || len(gone) > 0 {
		t.Fatalf("%d pairs, %v", len(xs), gone)
	}
	for _, x := range xs {
		if !strings.Contains(x.Completion[0].Content, "Who is there?") || *x.Score != 1 {
			t.Errorf("%s: %q with %v is better than %q", x.ID, x.Completion[0].Content, *x.Score, x.Rejected)
		}
	}
	if turns[0] != 5 || turns[1] != 5 {
		t.Errorf("the roll-outs of turn 1 end with the turns %v, want 5", turns[:2])
	}
	s = compared(t, run, finetune.Preferring{Choose: r.Choose}, pass)
	if xs, gone := gathered(t, s.Examples(t.Context())); len(xs) != 0 || gone[0].Reason != finetune.Undecided {
		t.Errorf("where nothing comes of either turn: %d, %v", len(xs), gone)
	}
}

// A person chooses in a file.
func TestChoices(t *testing.T) {
	run := memory{session(t, "s1", 8, says("One."))}
	var collected, read finetune.Choices
	if xs, gone := gathered(t, compared(t, run, finetune.Preferring{Choose: collected.Collect}, pass).Examples(t.Context())); len(xs) > 0 || len(gone) != 6 {
		t.Fatalf("%d chosen before anybody chose, %d not", len(xs), len(gone))
	}
	var file bytes.Buffer
	if n, err := collected.Write(&file); n != 6 || err != nil {
		t.Fatal(n, err)
	}
	text := strings.Replace(file.String(), `"better":""`, `"better":"b"`, 1)
	text = strings.Replace(text, `"better":""`, `"better":"a"`, 1)
	if err := read.Read(strings.NewReader(text), "c.jsonl"); err != nil {
		t.Fatal(err)
	}
	xs, gone := gathered(t, compared(t, run, finetune.Preferring{Choose: read.Choose}, pass).Examples(t.Context()))
	if len(xs) != 2 || len(gone) != 4 || strings.Contains(xs[0].Rejected, `"speech": ""`) || !strings.Contains(xs[1].Rejected, `"speech": ""`) {
		t.Errorf("%+v, %v", xs, gone)
	}
	for _, bad := range []string{`{"id":"x","better":"c"}`, `{"id":"x","bettor":"a"}`, `{"id"`} {
		if err := new(finetune.Choices).Read(strings.NewReader(bad), "c.jsonl"); err == nil || !strings.Contains(err.Error(), "c.jsonl: pair 1") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// Any metric that a run has can be learned by; without a name it is the one of the scorer's.
func TestScores(t *testing.T) {
	run := memory{session(t, "s1", 8, says("One.")), session(t, "s2", 8, says("Two."))}
	for _, test := range []struct {
		metric      string
		first, next float64
		err         string
	}{{"", 3, 13, ""}, {"wit", 3, 13, ""}, {"words", 0, 10, ""}, {"charm", 0, 0, "no score charm of whole sessions; it has wit, words"}} {
		s := compared(t, run, finetune.Preferring{})
		s.Task, s.Metric = finetune.Roleplay, test.metric
		var got []float64
		for x, err := range s.Examples(t.Context()) {
			if err != nil {
				if test.err == "" || !strings.Contains(err.Error(), test.err) {
					t.Errorf("%q: %v", test.metric, err)
				}
				continue
			}
			got = append(got, *x.Score)
		}
		if test.err == "" && (len(got) != 12 || got[0] != test.first || got[11] != test.next) {
			t.Errorf("%q: scores %v", test.metric, got)
		}
	}
}
