package eval_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/stat"
)

var share = eval.Metric{Scorer: "s", Name: "m", Unit: "players", High: 100, Higher: true, Paired: true}

// score makes a score of a metric; a negative value is one that failed.
func score(item, arm, subject string, v float64, weight int) *eval.Score {
	s := &eval.Score{Session: arm + item, Item: item, Arm: arm, Scorer: "s", Metric: "m", Subject: subject, Weight: weight, Status: eval.Scored}
	if v < 0 {
		s.Status, s.Reason = eval.Failed, "no answer"
	} else {
		s.Value = &v
	}
	return s
}

func results(arms []string, scores ...*eval.Score) []eval.Result {
	s := eval.NewSummary([]eval.Metric{share}, arms, nil)
	for _, x := range scores {
		s.Add(x)
	}
	return s.Results()
}

func find(t *testing.T, list []eval.Result, metric, arm string) eval.Result {
	t.Helper()
	for _, r := range list {
		if r.Metric == metric && r.Arm == arm {
			return r
		}
	}
	t.Fatalf("no result %s of %s in %+v", metric, arm, list)
	return eval.Result{}
}

func near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-9 {
		t.Errorf("%s is %s, want %v", what, text(got), want)
	}
}

func text(v *float64) string {
	if v == nil {
		return "nil"
	}
	return fmt.Sprint(*v)
}

func TestMissingScoresStayInTheDenominator(t *testing.T) {
	r := find(t, results([]string{"a"}, score("1", "a", "x", 80, 0), score("2", "a", "x", 40, 0), score("3", "a", "x", -1, 0)), "m", "a")
	near(t, "value", r.Value, 60)
	near(t, "least", r.Least, 40)
	near(t, "most", r.Most, 220.0/3)
	if r.N != 2 || r.Of != 3 || r.Reason != "1 x failed: no answer" {
		t.Errorf("got %d of %d, reason %q", r.N, r.Of, r.Reason)
	}
}

// A missing score counts in the bounds as often as its weight says, and the others do.
func TestBoundsAreWeighted(t *testing.T) {
	r := find(t, results([]string{"a"}, score("1", "a", "x", 80, 3), score("2", "a", "x", -1, 1)), "m", "a")
	near(t, "least", r.Least, 60)
	near(t, "most", r.Most, 85)
}

func TestWeightCountsAsOften(t *testing.T) {
	r := find(t, results([]string{"a"}, score("1", "a", "x", 50, 30), score("2", "a", "x", 100, 10)), "m", "a")
	near(t, "value", r.Value, 62.5)
	if r.N != 40 || r.Of != 40 {
		t.Errorf("n is %d of %d, want 40 turns", r.N, r.Of)
	}
}

// The later arm minus the earlier one, item by item, over subjects that both have.
func TestDifferenceSignPairsAndClusters(t *testing.T) {
	list := results([]string{"a", "b"},
		score("1", "a", "x", 10, 0), score("1", "b", "x", 30, 0), // +20
		score("2", "a", "x", 50, 0), score("2", "b", "x", 40, 0), // -10
		score("2", "a", "y", 20, 0), score("2", "b", "y", 60, 0), // +40, with the above one item of +15
		score("3", "a", "x", 0, 0), score("3", "b", "x", -1, 0), // b has none
		score("3", "a", "y", 70, 0), score("3", "b", "y", 80, 0), // +10
	)
	r := find(t, list, "m_difference", "b - a")
	near(t, "difference", r.Value, 15) // of 20, 15 and 10
	if r.N != 4 || r.Of != 5 {
		t.Errorf("n is %d of %d, want 4 pairs of players of 5", r.N, r.Of)
	}
	// t = 15 / (5/sqrt 3) = 5.196 on 2 degrees of freedom.
	if r.P == nil || math.Abs(*r.P-0.0351) > 1e-3 {
		t.Errorf("p is %s, want 0.0351", text(r.P))
	}
	near(t, "low", r.Low, 15-4.302652729749464*5/math.Sqrt(3))
}

func TestDifferencesBetweenAllArmsAreCorrectedTogether(t *testing.T) {
	var scores []*eval.Score
	for i := range 6 {
		item := fmt.Sprint(i)
		scores = append(scores, score(item, "a", "x", 10+float64(i), 0), score(item, "b", "x", 20+float64(2*i), 0), score(item, "c", "x", 11+float64(i*i%5), 0))
	}
	list := results([]string{"a", "b", "c"}, scores...)
	least := 2.0
	for _, arm := range []string{"b - a", "c - a", "c - b"} {
		r := find(t, list, "m_difference", arm)
		if *r.PHolm < *r.P {
			t.Errorf("%s: the corrected p %v is below p %v", arm, *r.PHolm, *r.P)
		}
		least = min(least, *r.PHolm / *r.P)
		if *r.P == *find(t, list, "m_difference", "b - a").P && math.Abs(*r.PHolm-3**r.P) > 1e-12 && *r.PHolm < 1 {
			t.Errorf("%s: the smallest p of three is corrected to %v, want three times %v", arm, *r.PHolm, *r.P)
		}
	}
}

func TestBoundsOfADifference(t *testing.T) {
	list := results([]string{"a", "b"}, score("1", "a", "x", 50, 0), score("1", "b", "x", 60, 0), score("2", "a", "x", 30, 0), score("2", "b", "x", -1, 0))
	r := find(t, list, "m_difference", "b - a")
	near(t, "least", r.Least, (10.0-30)/2)
	near(t, "most", r.Most, (10.0+70)/2)
	if r.N != 1 || r.Of != 2 || r.Low != nil || r.High != nil {
		t.Errorf("n is %d of %d, want 1 of 2, without an interval", r.N, r.Of)
	}
}

// The values of an item are one cluster of the interval.
func TestIntervalIsOverItems(t *testing.T) {
	r := find(t, results([]string{"a"}, score("1", "a", "x", 10, 0), score("2", "a", "x", 50, 0), score("1", "a", "y", 20, 0), score("2", "a", "y", 70, 0)), "m", "a")
	want := stat.BoundedInterval([][]float64{{10, 20}, {50, 70}}, 0, 100, 0.95)
	near(t, "low", r.Low, *want.Low)
	near(t, "high", r.High, *want.High)
}

func TestScoresThatAreNotShownDoNotCount(t *testing.T) {
	s := eval.NewSummary([]eval.Metric{share}, []string{"a"}, func(s *eval.Score) bool { return s.Method != "old" })
	old := score("1", "a", "x", 1, 0)
	old.Method = "old"
	s.Add(old)
	s.Add(score("1", "a", "x", 9, 0))
	near(t, "value", s.Results()[0].Value, 9)
}

// Arms that differ by the same in every item are told apart, with an interval that is not without width.
func TestDifferencesThatDoNotVary(t *testing.T) {
	var scores []*eval.Score
	for i := range 10 {
		scores = append(scores, score(fmt.Sprint(i), "a", "x", 0, 0), score(fmt.Sprint(i), "b", "x", 100, 0), score(fmt.Sprint(i), "c", "x", 100, 0))
	}
	list := results([]string{"a", "b", "c"}, scores...)
	r := find(t, list, "m_difference", "b - a")
	unseen := 1 - math.Pow(0.05, 0.1)
	near(t, "low", r.Low, 100-200*unseen)
	near(t, "high", r.High, 100)
	near(t, "p", r.P, math.Pow(2, -9)) // ten of ten, either way
	same := find(t, list, "m_difference", "c - b")
	near(t, "low of none", same.Low, -100*unseen)
	near(t, "high of none", same.High, 100*unseen)
	near(t, "p of none", same.P, 1)
	five := eval.Metric{Scorer: "s", Name: "m", Low: 1, High: 5, Paired: true}
	sum := eval.NewSummary([]eval.Metric{five}, []string{"a", "b"}, nil)
	for _, x := range []*eval.Score{score("1", "a", "x", 2, 0), score("1", "b", "x", 3, 0), score("2", "a", "x", 3, 0), score("2", "b", "x", 4, 0)} {
		sum.Add(x)
	}
	few := find(t, sum.Results(), "m_difference", "b - a")
	unseen = 1 - math.Sqrt(0.05)
	near(t, "low of two items", few.Low, 1-5*unseen)
	near(t, "high of two items", few.High, 1+3*unseen)
	if r.Items != 10 || r.Effect != nil {
		t.Errorf("%d items with effect %s, want 10 without", r.Items, text(r.Effect))
	}
}

// The headlines come first, then metrics in the order of their list, unknown ones last, and arms in theirs.
func TestOrderOfResults(t *testing.T) {
	metrics := []eval.Metric{{Scorer: "o", Name: "n"}, {Scorer: "s", Name: "m", High: 1}, {Scorer: "s", Name: "n", High: 1}, {Scorer: "s", Name: "top", High: 1, Headline: true}}
	s := eval.NewSummary(metrics, []string{"b", "a"}, nil)
	add := func(metric, arm, control string, turn int) {
		x := score("1", arm, "x", 1, 0)
		x.Metric, x.Control, x.Turn = metric, control, turn
		s.Add(x)
	}
	for _, arm := range []string{"a", "b"} {
		add("other", arm, "", 0)
		add("n", arm, "", 0)
		add("m", arm, "", 10)
		add("m", arm, "told", 0)
		add("m", arm, "", 1)
		add("m", arm, "", 0)
		add("top", arm, "", 0)
	}
	inapplicable := score("1", "a", "x", -1, 0)
	inapplicable.Status, inapplicable.Metric = eval.NotApplicable, "never"
	s.Add(inapplicable)
	var got []string
	for _, r := range s.Results() {
		got = append(got, strings.Trim(r.Arm+" "+r.Metric+" "+r.Control, " "))
	}
	want := []string{"b top", "a top", "b m", "b m@1", "b m@10", "b m told", "a m", "a m@1", "a m@10", "a m told", "b n", "a n", "b other", "a other"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// What does not apply is in no number, but the result says how many there are.
func TestInapplicableScoresAreCounted(t *testing.T) {
	s := eval.NewSummary([]eval.Metric{{Scorer: "s", Name: "m", Paired: true}}, []string{"none", "b", "a"}, nil)
	for i, arm := range []string{"a", "a", "a", "b"} {
		v := score(fmt.Sprint(i), arm, "x", 0.5, 0)
		if i > 0 {
			v.Value, v.Status, v.Reason = nil, eval.NotApplicable, "nothing is asserted"
		}
		s.Add(v)
	}
	r := s.Results()
	if len(r) != 1 || r[0].N != 1 || r[0].Of != 1 || !strings.HasSuffix(r[0].Reason, "2 x not applicable: nothing is asserted") {
		t.Errorf("got %+v", r)
	}
}

// Only what is asked for as paired is compared: no control, no curve, no metric that is not paired.
func TestWhatIsNotCompared(t *testing.T) {
	metrics := []eval.Metric{share, {Scorer: "s", Name: "alone", High: 100}}
	s := eval.NewSummary(metrics, []string{"a", "b"}, nil)
	for i := range 3 {
		for _, arm := range []string{"a", "b"} {
			for _, of := range []struct {
				metric, control string
				turn            int
			}{{"m", "", 0}, {"m", "told", 0}, {"m", "", 1}, {"alone", "", 0}} {
				x := score(fmt.Sprint(i), arm, "x", float64(10*i), 0)
				x.Metric, x.Control, x.Turn = of.metric, of.control, of.turn
				s.Add(x)
			}
		}
	}
	var compared []string
	for _, r := range s.Results() {
		if strings.HasSuffix(r.Metric, "_difference") {
			compared = append(compared, r.Metric+" "+r.Control)
		}
	}
	if !slices.Equal(compared, []string{"m_difference "}) {
		t.Errorf("compared: %q", compared)
	}
}

// The size of a difference is its mean in standard deviations of the items' differences.
func TestEffectOfADifference(t *testing.T) {
	r := find(t, results([]string{"a", "b"},
		score("1", "a", "x", 10, 0), score("1", "b", "x", 30, 0),
		score("2", "a", "x", 10, 0), score("2", "b", "x", 25, 0),
		score("3", "a", "x", 10, 0), score("3", "b", "x", 20, 0)), "m_difference", "b - a")
	near(t, "effect", r.Effect, 3)
	if r.Least != nil || r.Most != nil || r.Items != 3 || r.Unit != "pairs of players" {
		t.Errorf("bounds of a difference with nothing missing: %+v", r)
	}
}

// No difference of two shares is over 100 %, whatever two items let one guess.
func TestIntervalOfADifferenceStaysWithinItsRange(t *testing.T) {
	r := find(t, results([]string{"a", "b"},
		score("1", "a", "x", 0, 0), score("1", "b", "x", 100, 0),
		score("2", "a", "x", 40, 0), score("2", "b", "x", 50, 0)), "m_difference", "b - a")
	near(t, "low", r.Low, -100)
	near(t, "high", r.High, 100)
	near(t, "difference", r.Value, 55)
}

// What is missing of a scale on which less is better is at worst its upper end; a scale without ends has no bounds.
func TestBoundsFollowTheScale(t *testing.T) {
	for _, test := range []struct {
		metric      eval.Metric
		least, most float64
		bounded     bool
	}{
		{eval.Metric{Scorer: "s", Name: "m", Low: 1, High: 5}, 2, 4, true},
		{eval.Metric{Scorer: "s", Name: "m", Low: 1, High: 5, Higher: true}, 2, 4, true},
		{eval.Metric{Scorer: "s", Name: "m"}, 0, 0, false},
	} {
		s := eval.NewSummary([]eval.Metric{test.metric}, []string{"a"}, nil)
		s.Add(score("1", "a", "x", 3, 0))
		s.Add(score("2", "a", "x", -1, 0))
		r := s.Results()[0]
		if (r.Least != nil) != test.bounded {
			t.Fatalf("%+v: bounds %s to %s", test.metric, text(r.Least), text(r.Most))
		}
		if test.bounded { // named by how good they are: the worst that may be first
			if test.metric.Higher {
				near(t, "least", r.Least, test.least)
				near(t, "most", r.Most, test.most)
			} else {
				near(t, "least", r.Least, test.most)
				near(t, "most", r.Most, test.least)
			}
		}
	}
	whole := find(t, results([]string{"a"}, score("1", "a", "x", 3, 0)), "m", "a")
	if whole.Least != nil || whole.Reason != "" {
		t.Errorf("nothing is missing: %+v", whole)
	}
}

// A score that is there keeps its remark, and a score that was made again takes the place of the first.
func TestRemarksAndRepetition(t *testing.T) {
	first, again := score("1", "a", "x", 20, 0), score("1", "a", "x", 40, 0)
	again.Reason = "told without hearing it"
	r := find(t, results([]string{"a"}, first, again, score("2", "a", "x", 60, 0)), "m", "a")
	near(t, "value", r.Value, 50)
	if r.N != 2 || r.Of != 2 || !strings.Contains(r.Reason, "1 x told without hearing it") {
		t.Errorf("%+v", r)
	}
}

func TestTallied(t *testing.T) {
	if got := eval.Tallied(map[string]int{"b": 2, "a": 2, "c": 3}); got != "3 x c; 2 x a; 2 x b" {
		t.Error(got)
	}
	if got := eval.Tallied(map[string]int{"a": 7, "b": 6, "c": 5, "d": 4, "e": 3, "f": 2, "g": 1}); got != "7 x a; 6 x b; 5 x c; 4 x d; 3 x e; and 2 other reasons" {
		t.Error(got)
	}
}

func TestMerge(t *testing.T) {
	first := []eval.Metric{{Scorer: "s", Name: "m", Title: "mine"}}
	got := eval.Merge(first, []eval.Metric{{Scorer: "s", Name: "m"}, {Scorer: "s", Name: "n"}, {Scorer: "o", Name: "m"}})
	if len(got) != 3 || got[0].Title != "mine" || got[1].Name != "n" || got[2].Scorer != "o" {
		t.Errorf("%+v", got)
	}
	if m := eval.Find(got, "o", "m"); m.Unit != "" {
		t.Errorf("of another scorer: %+v", m)
	}
	if m := eval.Find(got, "o", "n"); m.Unit != "scores" || m.Bounded() || (&eval.Metric{Low: 2, High: 2}).Bounded() {
		t.Errorf("an unknown metric: %+v", m)
	}
}

func TestLines(t *testing.T) {
	for _, test := range []struct{ text, want, err string }{
		{"a\n\n  b \nc", "a b c", ""},
		{"a\n", "a", ""},
		{"", "", ""},
		{"a\n\nbad\nc", "a", "f:3: no good"},
		{"bad", "", "f:1: no good"},
	} {
		var got []string
		err := eval.EachLine(strings.NewReader(test.text), "f", func(line []byte) error {
			if string(line) == "bad" {
				return errors.New("no good")
			}
			got = append(got, string(line))
			return nil
		})
		if strings.Join(got, " ") != test.want || (err == nil) != (test.err == "") || err != nil && err.Error() != test.err {
			t.Errorf("%q: %q, %v", test.text, got, err)
		}
	}
	var v struct{ A int }
	for text, ok := range map[string]bool{`{"A": 1}`: true, ` {"A": 1} `: true, `{"A": 1} x`: false, `{"B": 1}`: false, `{"A": 1}{}`: false, `{`: false} {
		if err := eval.Strict([]byte(text), &v); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
	half := 0.5
	near(t, "percent", eval.Percent(&half), 50)
	if eval.Percent(nil) != nil {
		t.Error("percent of nothing")
	}
}

func TestRows(t *testing.T) {
	for _, test := range []struct{ table, want, err string }{
		{"\ufeffA, B\n1,2\n3\n", "1 2 |3  |", ""},
		{"b,a\n1,2\n", "2 1 |", ""},
		{",\n1,2\n", "  |", ""},
		{"a\n1,2\n", "", "f:2: the row has 2 cells, and there are 1 columns"},
		{"a,b\n1,2\nbad,2\n", "1 2 |", "f:3: no good"},
		{"a,A\n", "", "f: two columns are called a"},
		{"", "", "f: the table is empty; its first line names the columns"},
		{"c\n1\n", "", "f: no column"},
		{"a\n\"x\n", "", "f: "},
	} {
		var got strings.Builder
		err := eval.EachRow(strings.NewReader(test.table), "f", func(has map[string]bool) error {
			if has["c"] {
				return errors.New("no column")
			}
			return nil
		}, func(cell func(string) string) error {
			if cell("a") == "bad" {
				return errors.New("no good")
			}
			fmt.Fprintf(&got, "%s %s |", cell("a"), cell("b"))
			return nil
		})
		if got.String() != test.want || (err == nil) != (test.err == "") || err != nil && !strings.HasPrefix(err.Error(), test.err) {
			t.Errorf("%q: %q, %v", test.table, got.String(), err)
		}
	}
	if err := eval.EachRow(strings.NewReader("a\n1\n"), "f", nil, func(func(string) string) error { return nil }); err != nil {
		t.Error(err)
	}
}

// What Go's decoder says of a wrong type is said in plain words, wherever it stands in the text.
func TestPlainError(t *testing.T) {
	type parts struct {
		Int    int
		Uint   *uint8
		Float  float64
		Bool   bool
		List   []string
		Map    map[string]int
		String string
		Other  eval.Metric
	}
	for text, want := range map[string]string{
		`{"int": "x"}`: "Int: a text where there should be a whole number", `{"int": 1.5}`: "Int: a number where there should be a whole number",
		`{"uint": true}`: "Uint: true or false where there should be a whole number", `{"float": []}`: "Float: a list where there should be a number",
		`{"bool": {}}`: "Bool: an object where there should be true or false", `{"list": 1}`: "List: a number where there should be a list",
		`{"map": 1}`: "Map: a number where there should be an object", `{"string": 1}`: "String: a number where there should be a text",
		`{"other": 1}`: "Other: a number where there should be something else", `[]`: "a list where there should be something else",
	} {
		err := eval.Strict([]byte(text), &parts{})
		if got := eval.PlainError(fmt.Sprintf("f:1: %v", err)); got != "f:1: "+want {
			t.Errorf("%s: %s, want %s (%v)", text, got, want, err)
		}
	}
}
