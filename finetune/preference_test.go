package finetune_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/characters"
	"parley/eval/judge"
	"parley/finetune"
	"parley/sim"
	"parley/sim/llm"
	"parley/sim/simtest"
)

// says is an actor whose first words are given; then everybody says the same.
func says(first string) simtest.Actor {
	return func(v *sim.View) (sim.Decision, error) {
		if v.Turn == 1 {
			return sim.Decision{Speech: first}, nil
		}
		return sim.Decision{Speech: fmt.Sprintf("I say this in turn %d.", v.Turn)}, nil
	}
}

// arms are sessions of the same situation with a score each.
func arms(t testing.TB, firsts []string, scores []float64) (xs []finetune.Example) {
	t.Helper()
	for i, first := range firsts {
		s := session(t, fmt.Sprintf("arm%d", i), 4, says(first))
		s.Scores = map[characters.ID]float64{"a": scores[i]}
		list, _ := gathered(t, s.Roleplay(t.Context(), finetune.PlayOptions{Written: true}))
		xs = append(xs, list...)
	}
	return xs
}

// preferences are what is chosen, as "better > worse", and why nothing was.
func preferences(t testing.TB, xs []finetune.Example, choose finetune.Chooser) (list []string, gone []*finetune.Dropped) {
	t.Helper()
	chosen, gone := gathered(t, finetune.Choose(t.Context(), 2, finetune.Pairs(stream(xs...)), choose))
	for _, x := range chosen {
		list = append(list, x.Completion[0].Content+" > "+x.Rejected)
	}
	return list, gone
}

func TestPairsByScore(t *testing.T) {
	move := func(speech string) string {
		return `{"speech": "` + speech + `", "deed": "", "to": [], "check": "none"}`
	}
	for _, test := range []struct {
		reason string
		firsts []string
		scores []float64
		margin float64
		want   string
		gone   []string
	}{
		{"the higher score is better", []string{"One.", "Two."}, []float64{10, 30}, 0, move("Two.") + " > " + move("One."), []string{"no alternative"}},
		{"later views differ, as what was said before does", []string{"One.", "Two."}, []float64{30, 10}, 0, move("One.") + " > " + move("Two."), []string{"no alternative"}},
		{"not by more than the margin", []string{"One.", "Two."}, []float64{10, 30}, 20, "", []string{"no alternative", "undecided"}},
		{"equal scores", []string{"One.", "Two."}, []float64{10, 10}, 0, "", []string{"no alternative", "undecided"}},
		{"the same words are one turn, whose score is the mean", []string{"One.", "Two.", "One."}, []float64{0, 30, 100}, 0, move("One.") + " > " + move("Two."), []string{"no alternative"}},
		{"the same words alone", []string{"One.", "One."}, []float64{0, 30}, 0, "", []string{"no alternative"}},
	} {
		got, gone := preferences(t, arms(t, test.firsts, test.scores), finetune.ByScore(test.margin))
		if strings.Join(got, "; ") != test.want {
			t.Errorf("%s: %q, want %q", test.reason, got, test.want)
		}
		var reasons []string
		for _, d := range gone {
			reasons = append(reasons, string(d.Reason))
		}
		if strings.Join(reasons, ", ") != strings.Join(test.gone, ", ") {
			t.Errorf("%s: dropped %q, want %q", test.reason, reasons, test.gone)
		}
	}
	xs := arms(t, []string{"One.", "Two."}, []float64{10, 30})
	for i := range xs {
		xs[i].Score = nil
	}
	if got, gone := preferences(t, xs, finetune.ByScore(0)); got != nil || len(gone) != 2 || gone[1].Detail != "one of the two has no score" {
		t.Errorf("without scores: %q, %v", got, gone)
	}
}

// asJudge is a judge that answers what a function says.
func asJudge(say func(req llm.Request) string) *judge.Judge {
	return &judge.Judge{
		Name: "script:judge", Trusting: true, Again: -1, Now: func() time.Time { return time.Time{} },
		Model: llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
			return &llm.Response{Text: say(req), Finish: llm.Stop}, nil
		}),
	}
}

func TestPairsByJudge(t *testing.T) {
	for _, test := range []struct {
		reason string
		say    func(req llm.Request) string
		better string
		gone   string
	}{
		{"what both orders agree on", func(req llm.Request) string {
			text := req.Messages[1].Content
			if strings.Index(text, "Two.") < strings.Index(text, "One.") {
				return `{"winner": "first"}`
			}
			return `{"winner": "second"}`
		}, "Two.", ""},
		{"a judge of the place and not of the turn", func(llm.Request) string { return `{"winner": "first"}` }, "", "by position"},
		{"a tie", func(llm.Request) string { return `{"winner": "tie"}` }, "", "a tie"},
		{"no verdict", func(llm.Request) string { return "Hard to say." }, "", "unparsed"},
	} {
		calls := 0
		choose := finetune.ByJudge(asJudge(test.say), 5, func(llm.Call) { calls++ })
		got, gone := preferences(t, arms(t, []string{"One.", "Two."}, []float64{0, 0}), choose)
		if (test.better == "") != (len(got) == 0) || test.better != "" && !strings.Contains(strings.Split(got[0], " > ")[0], test.better) {
			t.Errorf("%s: %q", test.reason, got)
		}
		last := gone[len(gone)-1]
		if test.gone != "" && (last.Reason != finetune.Undecided || !strings.Contains(last.Detail, test.gone)) {
			t.Errorf("%s: dropped %v", test.reason, last)
		}
		if calls == 0 {
			t.Errorf("%s: no call was told", test.reason)
		}
	}
}
