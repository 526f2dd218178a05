package eval_test

import (
	"fmt"
	"math"
	"testing"

	"parley/eval"
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
	if r.N != 1 || r.Of != 2 {
		t.Errorf("n is %d of %d, want 1 of 2", r.N, r.Of)
	}
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
	near(t, "p of none", same.P, 1)
	if r.Items != 10 || r.Effect != nil {
		t.Errorf("%d items with effect %s, want 10 without", r.Items, text(r.Effect))
	}
}
