package iep_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/eval"
	"parley/eval/iep"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/llm"
	"parley/sim/simtest"
)

var lexical = sync.OnceValue(func() *iep.Lexical {
	var corpus []string
	for _, k := range scenarios.Library().Knowledge {
		for i := range k.Facts {
			corpus = append(corpus, k.Facts[i].Text)
		}
	}
	return iep.NewLexical(corpus)
})

var bell = simtest.Exchange(4).Knowledge

func golds(k *scenarios.Knowledge) []string {
	var gold []string
	for i := range k.Facts {
		gold = append(gold, k.Facts[i].Text)
	}
	return gold
}

func TestLexicalMatches(t *testing.T) {
	tests := []struct {
		reason string
		answer string
		want   []int // gold points that are matched
	}{
		{"word for word", "The Ashen Bell hangs in a drowned chapel under the northern lake.", []int{0}},
		{"reworded", "We found out that it's in a chapel, a drowned one, below the lake in the north.", []int{0}},
		{"all of it, as a list", "1. A smith called Orla Venn cast it from coins that were stolen.\n2) It rings on its own three nights before a flood\n- it hangs in a drowned chapel beneath the northern lake", []int{0, 1, 2}},
		{"two facts in one sentence", "Orla Venn the smith cast it out of stolen coins, and it rings by itself three nights before any flood.", []int{1, 2}},
		{"numbers as digits", "It will ring by itself 3 nights before a flood.", []int{2}},
		{"accents and curly quotes", "It “rings” by itself, three nights before a flóod.", []int{2}},
		{"the subject alone is nothing", "It was about the Ashen Bell. The Ashen Bell is a bell.", nil},
		{"nothing", "I learned nothing.", nil},
		{"empty", "", nil},
		{"ignorance is not knowledge", "I did not learn who cast the bell from stolen coins, or whether it was the smith Orla Venn.", nil},
		{"a question is not knowledge", "Was it cast by the smith Orla Venn from stolen coins?", nil},
		{"something else", "The innkeeper's daughter wants to marry a miller in spring.", nil},
		{"one fact twice is one match", "It was cast by the smith Orla Venn from stolen coins. Orla Venn, a smith, cast it from stolen coins.", []int{1}},
		{"only the beginning of a fact", "It hangs somewhere.", nil},
	}
	l := lexical()
	for _, test := range tests {
		v, _, err := l.Match(context.Background(), iep.Ask{}, bell, golds(bell), test.answer)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, m := range v.Matches {
			got = append(got, m.Gold)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %q (-want +got):\n%s", test.reason, test.answer, diff)
		}
	}
}

// A flood costs time in proportion and gains nothing.
func TestLexicalTakesAFlood(t *testing.T) {
	var b strings.Builder
	r := rand.New(rand.NewPCG(1, 2))
	for b.Len() < 200_000 {
		fmt.Fprintf(&b, "Number %d of %d says nothing about %x. ", r.IntN(1000), r.IntN(1000), r.Uint64())
	}
	v, _, err := lexical().Match(context.Background(), iep.Ask{}, bell, golds(bell), b.String())
	if err != nil || len(v.Matches) != 0 {
		t.Errorf("%d matches, %v", len(v.Matches), err)
	}
}

// Told word for word, every fact of the library is found, and no other piece's is.
func TestLexicalKnowsTheLibrary(t *testing.T) {
	l := lexical()
	shelf := scenarios.Library().Knowledge
	alien := 0
	for i := range shelf {
		k, other := &shelf[i], &shelf[(i+1)%len(shelf)]
		v, _, _ := l.Match(context.Background(), iep.Ask{}, k, golds(k), strings.Join(golds(k), "\n"))
		if len(v.Matches) != len(k.Facts) {
			t.Errorf("%s: %d of %d facts are found: %+v", k.ID, len(v.Matches), len(k.Facts), v)
		}
		v, _, _ = l.Match(context.Background(), iep.Ask{}, k, golds(k), strings.Join(golds(other), "\n"))
		if alien += len(v.Matches); len(v.Matches) > 0 {
			t.Logf("%s: %+v %q %q", k.ID, v.Matches, k.Facts[v.Matches[0].Gold].Text, v.Points[v.Matches[0].Said])
		}
	}
	if alien > 3 { // of 383
		t.Errorf("%d facts match those of another piece", alien)
	}
}

// fixed answers as it is told.
type fixed struct {
	verdict iep.Verdict
	heard   []bool
	err     error
}

func (fixed) Name() string { return "fixed" }
func (j fixed) Gold(_ context.Context, _ iep.Ask, _ *scenarios.Knowledge, n int) ([]string, []llm.Call, error) {
	return []string{"one", "two"}, []llm.Call{{ID: "gold"}}, j.err
}
func (j fixed) Match(context.Context, iep.Ask, *scenarios.Knowledge, []string, string) (iep.Verdict, []llm.Call, error) {
	return j.verdict, []llm.Call{{ID: "match"}}, j.err
}
func (j fixed) Heard(_ context.Context, _ iep.Ask, _ *scenarios.Knowledge, gold, _ []string) ([]bool, []llm.Call, error) {
	return append(j.heard, make([]bool, len(gold))...)[:len(gold)], []llm.Call{{ID: "heard"}}, nil
}

// episode is a play whose players answer the debrief.
func episode(t *testing.T, a sim.Actor) *sim.Episode {
	t.Helper()
	s := simtest.Exchange(4)
	g := sim.Game{Episode: sim.NewEpisode("s1", 1, s, 4), Actors: simtest.Everybody(s, a), Now: simtest.Clock(),
		Control: []string{sim.ControlTold}}
	for _, err := range g.Play(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return g.Episode
}

var hum = simtest.Actor(func(*sim.View) (sim.Decision, error) { return sim.Decision{Speech: "Hm."}, nil })

func TestScorerKeepsWhatCannotBeScored(t *testing.T) {
	points := []string{"a", "b"}
	tests := []struct {
		reason   string
		judge    fixed
		condense bool
		status   eval.Status
		value    float64
	}{
		{"one of three", fixed{verdict: iep.Verdict{Points: points, Matches: []iep.Match{{Gold: 2, Said: 0, Weight: 1}}}}, false, eval.Scored, 100.0 / 3},
		{"one of the judge's own two", fixed{verdict: iep.Verdict{Points: points, Matches: []iep.Match{{Gold: 1, Said: 0, Weight: 1}}}}, true, eval.Scored, 50},
		{"none is 0 and scored", fixed{}, false, eval.Scored, 0},
		{"a gold point that was not offered", fixed{verdict: iep.Verdict{Points: points, Matches: []iep.Match{{Gold: 3}}}}, false, eval.Unparsed, 0},
		{"a point that was not made", fixed{verdict: iep.Verdict{Points: points, Matches: []iep.Match{{Said: 2}}}}, false, eval.Unparsed, 0},
		{"one gold point twice", fixed{verdict: iep.Verdict{Points: points, Matches: []iep.Match{{Gold: 1, Said: 0}, {Gold: 1, Said: 1}}}}, false, eval.Unparsed, 0},
		{"one said point twice", fixed{verdict: iep.Verdict{Points: points, Matches: []iep.Match{{Gold: 0, Said: 1}, {Gold: 1, Said: 1}}}}, false, eval.Unparsed, 0},
		{"no verdict could be read", fixed{err: iep.Unparsed{Reason: "gibberish"}}, false, eval.Unparsed, 0},
		{"the judge is not there", fixed{err: errors.New("connection refused")}, false, eval.Failed, 0},
		{"the knowledge was not condensed", fixed{err: errors.New("connection refused")}, true, eval.Failed, 0},
	}
	ep := episode(t, hum)
	for _, test := range tests {
		s := iep.Scorer{Judge: test.judge, Condense: test.condense}
		scores, _, err := s.Score(context.Background(), ep)
		if err != nil || len(scores) != 36 {
			t.Fatalf("%s: %d scores of 6 metrics of 3 players under 2 conditions, %v", test.reason, len(scores), err)
		}
		for _, got := range scores {
			switch {
			case got.Metric != iep.Metric:
			case got.Status != test.status:
				t.Errorf("%s: status %q, reason %q", test.reason, got.Status, got.Reason)
			case got.Status == eval.Scored && (got.Value == nil || *got.Value-test.value > 1e-9 || test.value-*got.Value > 1e-9):
				t.Errorf("%s: value %v; want %v", test.reason, got.Value, test.value)
			case got.Status != eval.Scored && (got.Value != nil || got.Reason == ""):
				t.Errorf("%s: unscored with value %v and reason %q", test.reason, got.Value, got.Reason)
			}
		}
	}
}

func TestAMalformedDebriefIsUnscored(t *testing.T) {
	scores, _, err := (&iep.Scorer{Judge: lexical()}).Score(context.Background(), episode(t, cutOff{hum}))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scores {
		if s.Metric != iep.Heard && (s.Value != nil || s.Status != eval.Unparsed || !strings.Contains(s.Reason, "cut off")) {
			t.Errorf("%s: %+v", s.Subject, s)
		}
	}
}

// cutOff answers half a debrief.
type cutOff struct{ simtest.Actor }

func (cutOff) Debrief(context.Context, *sim.View, []string) (sim.Answer, error) {
	return sim.Answer{Text: bell.Facts[0].Text + " And it", Fault: "cut off"}, nil
}

func TestTheCurveRisesWithWhatIsHeard(t *testing.T) {
	ep := episode(t, simtest.Actor(func(v *sim.View) (sim.Decision, error) {
		if v.Turn == 4 { // the NPC's
			return sim.Decision{Speech: bell.Facts[0].Text + " " + bell.Facts[2].Text, To: v.Events[1].Audience, Facts: []int{0, 2}}, nil
		}
		return sim.Decision{Speech: "What of the bell?"}, nil
	}))
	scores, _, err := (&iep.Scorer{Judge: fixed{}, Lexical: lexical(), Every: 2}).Score(context.Background(), ep)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scores {
		switch {
		case s.Metric == iep.Recall && s.Turn == 2 && *s.Value != 0:
			t.Errorf("%s recalls %v before anything was said", s.Subject, *s.Value)
		case s.Metric == iep.Recall && s.Turn == 4 && (*s.Value < 66 || *s.Value > 67):
			t.Errorf("%s of %s is %v; want two thirds", s.Metric, s.Subject, *s.Value)
		}
	}
}

type embedder map[string][]float32

func (e embedder) Embed(_ context.Context, texts []string) (*llm.Response, error) {
	var vectors [][]float32
	for _, text := range texts {
		v, ok := e[text]
		if !ok {
			return nil, fmt.Errorf("no vector for %q", text)
		}
		vectors = append(vectors, v)
	}
	return &llm.Response{Vectors: vectors}, nil
}

func TestEmbedding(t *testing.T) {
	e := embedder{"north": {1, 0}, "south": {0, 1}, "cafe": {0.9, 0.1}, "zero": {0, 0}, "It is unlike.": {-1, 0.2}}
	j := iep.Embedding{Model: llm.Embedding(e, "fixed"), Spec: "fixed", Now: time.Now}
	v, calls, err := j.Match(context.Background(), iep.Ask{Session: "s", Subject: "orla", Control: "told"}, bell, []string{"north", "south"}, "café\nIt is unlike.")
	if err != nil || len(v.Matches) != 1 || v.Matches[0].Gold != 0 || v.Matches[0].Said != 0 {
		t.Errorf("%+v, %v; want north matched by the text folded to ASCII", v, err)
	}
	if len(calls) != 1 || calls[0].ID != "s/0/orla/judge:iep-embed:told/0" || len(calls[0].Prompt) != 4 || calls[0].Finish != llm.Embedded {
		t.Errorf("%+v; want the request on record", calls)
	}
	if _, _, err := j.Match(context.Background(), iep.Ask{}, bell, []string{"zero"}, "café"); err == nil {
		t.Error("a zero vector has a cosine")
	}
	if heard, _, err := j.Heard(context.Background(), iep.Ask{}, bell, []string{"north", "south"}, []string{"café"}); err != nil || !heard[0] || heard[1] {
		t.Errorf("heard %v, %v", heard, err)
	}
	if v, _, err := j.Match(context.Background(), iep.Ask{}, bell, []string{"north"}, ""); err != nil || len(v.Matches) != 0 {
		t.Errorf("an empty answer: %+v, %v", v, err)
	}
}

func TestSentences(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"One. Two! Three? Four", []string{"One.", "Two!", "Three?", "Four"}},
		{"It costs 3.50 in St. Orla's. Yes.", []string{"It costs 3.50 in St. Orla's.", "Yes."}},
		{"- first\n* second\n3. third\n\n# fourth; fifth", []string{"first", "second", "third", "fourth;", "fifth"}},
		{"J. R. Venn said \"Go.\" Then he left.", []string{"J. R. Venn said \"Go.\"", "Then he left."}},
		{"... !!! 12", nil},
		{"", nil},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, iep.Sentences(test.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("One. Two! 3. three\n- four; St. Five")
	f.Fuzz(func(t *testing.T, text string) {
		n := 0
		for _, s := range iep.Sentences(text) {
			if s == "" || s != strings.TrimSpace(s) {
				t.Errorf("%q", s)
			}
			n += len(s)
		}
		if n > len(text) {
			t.Errorf("%d bytes of sentences in %d bytes of text", n, len(text))
		}
	})
}

func ExampleLexical() {
	facts := []scenarios.Fact{{Text: "The bell was cast by Orla Venn."}, {Text: "It rings before a flood."}}
	k := &scenarios.Knowledge{Title: "the bell", Facts: facts}
	v, _, _ := iep.NewLexical(nil).Match(context.Background(), iep.Ask{}, k, []string{facts[0].Text, facts[1].Text}, "Somebody called Orla Venn cast it.")
	for _, m := range v.Matches {
		fmt.Printf("key point %d <- %s\n", m.Gold+1, v.Points[m.Said])
	}
	// Output: key point 1 <- Somebody called Orla Venn cast it.
}

// Whatever a player answers, the verdict holds: at most k points, each matched once.
func TestLexicalTakesAnything(t *testing.T) {
	k := &scenarios.Library().Knowledge[0]
	cases, r := iep.Cases(), rand.New(rand.NewPCG(1, 2))
	answers := []string{"", strings.Repeat("not ", 5000), "3,5 - 4th; nobody's 7 days. Not unless? (half a dozen hundred and) ’s 'tis n't"}
	for range 500 {
		b := []byte(cases[r.IntN(len(cases))].Debrief)
		for range r.IntN(40) {
			p := r.IntN(len(b))
			switch r.IntN(3) {
			case 0:
				b[p] = byte(r.IntN(256))
			case 1:
				b = append(b[:p:p], b[min(len(b)-1, p+r.IntN(9)):]...)
			case 2:
				b[p] = ",;:()-'.0 7?"[r.IntN(12)]
			}
		}
		answers = append(answers, string(b))
	}
	for _, answer := range answers {
		v, _, err := lexical().Match(context.Background(), iep.Ask{}, k, golds(k), answer)
		golden, said := map[int]bool{}, map[int]bool{}
		for _, m := range v.Matches {
			golden[m.Gold], said[m.Said] = true, true
		}
		if err != nil || len(v.Points) > len(k.Facts) || len(golden) != len(v.Matches) || len(said) != len(v.Matches) {
			t.Errorf("%q: %+v, %v", answer, v, err)
		}
	}
}

// What is made of a verdict: two of three key points are told in two points, and one of them was heard.
func TestScorerArithmetic(t *testing.T) {
	j := fixed{verdict: iep.Verdict{Points: []string{"a", "b"}, Matches: []iep.Match{{Gold: 0, Said: 1, Weight: 0.75}, {Gold: 2, Said: 0, Weight: 0.5}}}, heard: []bool{true, false, false}}
	scores, _, err := (&iep.Scorer{Judge: j}).Score(context.Background(), episode(t, hum))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{iep.Metric: 200.0 / 3, iep.Precision: 100, iep.F1: 80, iep.Heard: 100.0 / 3, iep.Unheard: 50, iep.IEPHeard: 100.0 / 3}
	for _, s := range scores {
		if s.Control != "" {
			continue
		}
		w, known := want[s.Metric]
		if !known || s.Value == nil || *s.Value < w-1e-9 || *s.Value > w+1e-9 {
			t.Errorf("%s of %s: %v, want %v", s.Metric, s.Subject, s.Value, w)
		}
		if s.Metric != iep.Metric {
			continue
		}
		var got []string
		for _, e := range s.Evidence {
			got = append(got, fmt.Sprint(e.Got, e.Weight))
		}
		if fmt.Sprint(got) != "[b0.75 0 a0.5]" || s.Reason != iep.Flag {
			t.Errorf("%s: evidence %q, flag %q", s.Subject, got, s.Reason)
		}
	}
}

// A pair under the floor does not match, and neither does a contradiction, whatever its cosine.
func TestEmbeddingFloor(t *testing.T) {
	const gold, near, denied = "The bell rings at dawn.", "Something like the bell.", "The bell does not ring at dawn."
	e := embedder{gold: {1, 0}, near: {0.55, 0.835}, denied: {1, 0.01}}
	for _, test := range []struct {
		floor  float64
		answer string
		want   int
	}{{0, near, 0}, {0.5, near, 1}, {0.56, near, 0}, {0, gold, 1}, {0, denied, 0}} {
		j := iep.Embedding{Model: llm.Embedding(e, "fixed"), Spec: "fixed", Now: time.Now, Floor: test.floor}
		v, _, err := j.Match(context.Background(), iep.Ask{}, bell, []string{gold}, test.answer)
		if err != nil || len(v.Matches) != test.want {
			t.Errorf("%q with floor %v: %+v, %v; want %d matches", test.answer, test.floor, v, err, test.want)
		}
	}
}
