package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/compare"
)

func ptr(v float64) *float64 { return &v }

// told are results of arms with a value each, and a difference of the first two: b less a.
func told(m eval.Metric, values map[string]float64, d *eval.Result) (list []eval.Result) {
	for arm, v := range values {
		list = append(list, eval.Result{Scorer: m.Scorer, Metric: m.Name, Arm: arm, Value: &v, Low: ptr(v - 1), High: ptr(v + 1), N: 4, Of: 4})
	}
	if d != nil {
		d.Scorer, d.Metric = m.Scorer, m.Name+"_difference"
		list = append(list, *d)
	}
	return list
}

// What is concluded of a difference, whichever way round it is given, and what more would tell.
func TestConclusion(t *testing.T) {
	lower := iep
	lower.Higher = false
	for _, test := range []struct {
		reason string
		metric eval.Metric
		a, b   float64
		d      *eval.Result
		want   string
	}{
		{"the better arm comes first", iep, 20, 60, &eval.Result{Arm: "b - a", Value: ptr(40), Low: ptr(30), High: ptr(50), P: ptr(0.01), Items: 9, Effect: ptr(3)}, "By IEP, b is better than a (every p below 0.05 after Holm's correction)."},
		{"the same the other way round", iep, 20, 60, &eval.Result{Arm: "a - b", Value: ptr(-40), Low: ptr(-50), High: ptr(-30), P: ptr(0.01), Items: 9, Effect: ptr(3)}, "By IEP, b is better than a (every"},
		{"the lower the better", lower, 20, 60, &eval.Result{Arm: "b - a", Value: ptr(40), Low: ptr(30), High: ptr(50), P: ptr(0.01), Items: 9, Effect: ptr(3)}, "By IEP, a is better than b (every"},
		{"the mean over other situations may differ", iep, 20, 60, &eval.Result{Arm: "b - a", Value: ptr(-5), Low: ptr(-6), High: ptr(-4), P: ptr(0.01), Items: 9, Effect: ptr(3)}, "By IEP, b is worse than a (every"},
		{"p at the level is not below it", iep, 20, 60, &eval.Result{Arm: "b - a", Value: ptr(40), P: ptr(0.05), Items: 40, Effect: ptr(0.35)}, "cannot be concluded from 40 situations: a difference of 40.0 would take about 30 more to be seen 4 times in 5 (so many show one of 51.9 or more)."},
		{"a large difference of few situations", iep, 20, 60, &eval.Result{Arm: "b - a", Value: ptr(40), P: ptr(0.2), Items: 100, Effect: ptr(1)}, ", though 10 would show a difference of 40.0 4 times in 5 (so many show one of 11.3 or more)."},
		{"no difference", iep, 20, 20, &eval.Result{Arm: "b - a", Value: ptr(0), P: ptr(1), Items: 2}, "from 2 situations, in which there was no difference at all."},
		{"one situation", iep, 20, 60, &eval.Result{Arm: "b - a", Value: ptr(40), Items: 1}, "from 1 situations: play at least 2, better 30, that both have scores of."},
		{"no difference in one situation", iep, 20, 20, &eval.Result{Arm: "b - a", Value: ptr(0), Items: 1}, "from 1 situations: play at least 2"},
		{"two situations without a spread", iep, 20, 60, &eval.Result{Arm: "b - a", Value: ptr(40), Items: 2}, "from 2 situations."},
		{"no difference was made", iep, 20, 60, nil, "Nothing can be concluded: no two arms have scores of the same situations."},
	} {
		r, err := compare.OfResults([]eval.Metric{test.metric}, told(test.metric, map[string]float64{"a": test.a, "b": test.b}, test.d), "a", "b")
		if err != nil || !strings.Contains(r.Conclusion, test.want) {
			t.Errorf("%s: %q, want %q (%v)", test.reason, r.Conclusion, test.want, err)
		}
	}
	r, err := compare.OfResults([]eval.Metric{iep}, []eval.Result{{Scorer: "iep", Metric: "iep", Arm: "a", N: 0, Of: 3, Reason: "cut off"}}, "a")
	if err != nil || r.Conclusion != "Nothing can be concluded: no arm has a score of IEP." || fmt.Sprint(r.Notes) != "[3 of 3 scores of a are missing: cut off]" {
		t.Errorf("%q %q, %v", r.Conclusion, r.Notes, err)
	}
}

// Arms without a value come last, those of one value keep their order, and all pairs are compared; the p-values of one
// metric are corrected together, and more than four names are counted.
func TestManyArms(t *testing.T) {
	results := told(iep, map[string]float64{"b": 10, "c": 30, "d": 30}, nil)
	for i, pair := range []string{"b - c", "b - d", "d - c"} {
		results = append(results, eval.Result{Scorer: "iep", Metric: "iep_difference", Arm: pair, Value: ptr(-20), Low: ptr(-25), High: ptr(-15), P: ptr(0.01 * float64(i+1)), Items: 5, Effect: ptr(-1)})
	}
	second := eval.Metric{Scorer: "talk", Name: "words", Title: "words"}
	results = append(results, eval.Result{Scorer: "talk", Metric: "words", Arm: "a", Value: ptr(7)}, eval.Result{Scorer: "iep", Metric: "iep", Arm: "unknown"})
	r, err := compare.OfResults([]eval.Metric{second, iep}, results, "a", "b", "c", "d")
	if err != nil {
		t.Fatal(err)
	}
	order := ""
	for _, a := range r.Arms {
		order += a.Arm
	}
	if order != "cdba" || r.Headline != "iep" {
		t.Errorf("%s by %s", order, r.Headline)
	}
	got := ""
	for _, d := range r.Differences {
		got += fmt.Sprintf("%s-%s %v %.2f %v; ", d.A, d.B, *d.Value, *d.PHolm, *d.Needed)
	}
	// Three times the least p, twice the next, and no less than the one before.
	if want := "d-c -20 0.04 22; b-c -20 0.03 22; b-d -20 0.04 22; "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	var arms []string
	all := map[string]float64{}
	for i := range 6 {
		arms = append(arms, fmt.Sprint("arm", i))
		all[arms[i]] = float64(-i)
		if i > 0 {
			results = append(results, eval.Result{Scorer: "iep", Metric: "iep_difference", Arm: arms[i] + " - arm0", Value: ptr(-1), P: ptr(0.0001), Items: 5})
		}
	}
	r, err = compare.OfResults([]eval.Metric{iep}, append(told(iep, all, nil), results...), arms...)
	if want := "arm0 is better than arm1, arm2, arm3 and 2 others (every"; err != nil || !strings.Contains(r.Conclusion, want) {
		t.Errorf("%q, want %q", r.Conclusion, want)
	}
}

// Of several arms that cannot be told from the best, the one that would take most is spoken of; four are named.
func TestConclusionOfManyArms(t *testing.T) {
	values := map[string]float64{"a": 50, "b": 40, "c": 30, "d": 20, "e": 10}
	results := told(iep, values, nil)
	for i, arm := range []string{"b", "c", "d", "e"} {
		results = append(results, eval.Result{Scorer: "iep", Metric: "iep_difference", Arm: "a - " + arm, Value: ptr(10 * float64(i+1)), P: ptr(0.5), Items: 10, Effect: ptr([]float64{0.5, 0.2, 0.3, 0.4}[i])})
	}
	r, err := compare.OfResults([]eval.Metric{iep}, results, "a", "b", "c")
	if want := "Whether a and b and c differ cannot be"; err != nil || !strings.HasPrefix(r.Conclusion, want) {
		t.Errorf("%q, want %q", r.Conclusion, want)
	}
	r, err = compare.OfResults([]eval.Metric{iep}, results, "a", "b", "c", "d", "e")
	if want := "Whether a and b, c, d and e differ cannot be concluded from 10 situations: a difference of 20.0 would take about 339 more to be seen 4 times in 5 (so many show one of 128.4 or more)."; err != nil || !strings.HasPrefix(r.Conclusion, want) {
		t.Errorf("%q, want %q", r.Conclusion, want)
	}
}

func TestGates(t *testing.T) {
	lower := iep
	lower.Higher = false
	for _, test := range []struct {
		reason string
		metric eval.Metric
		d      *eval.Result
		margin float64
		want   bool
	}{
		{"the interval ends within the margin", iep, &eval.Result{Arm: "new - old", Value: ptr(-2), Low: ptr(-5), High: ptr(1), P: ptr(0.2), Effect: ptr(-1), Items: 9}, 5, true},
		{"and just outside", iep, &eval.Result{Arm: "new - old", Value: ptr(-2), Low: ptr(-5.1), High: ptr(1), P: ptr(0.2), Effect: ptr(-1), Items: 9}, 5, false},
		{"the other way round", iep, &eval.Result{Arm: "old - new", Value: ptr(2), Low: ptr(-1), High: ptr(5.1), P: ptr(0.2), Effect: ptr(1), Items: 9}, 5, false},
		{"the lower the better", lower, &eval.Result{Arm: "new - old", Value: ptr(2), Low: ptr(-9), High: ptr(5), P: ptr(0.2), Effect: ptr(1), Items: 9}, 5, true},
		{"the lower the better, and it is higher", lower, &eval.Result{Arm: "new - old", Value: ptr(2), Low: ptr(-9), High: ptr(5.1), P: ptr(0.2), Effect: ptr(1), Items: 9}, 5, false},
		{"the same in every situation", iep, &eval.Result{Arm: "new - old", Value: ptr(0), P: ptr(1), Items: 9}, 0, true},
		{"no interval", iep, &eval.Result{Arm: "new - old", Value: ptr(-1), P: ptr(1), Items: 1}, 5, false},
		{"no value", iep, &eval.Result{Arm: "new - old", Items: 1}, 5, false},
		{"no difference", iep, nil, 5, false},
	} {
		r, err := compare.OfResults([]eval.Metric{test.metric}, told(test.metric, map[string]float64{"old": 50, "new": 48, "best": 90}, test.d), "old", "new", "best")
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Arms {
			r.Arms[i].Run, r.Arms[i].Models = "runs/"+r.Arms[i].Arm, []string{"m"}
			if r.Arms[i].Arm == "best" { // of the same run, by other models
				r.Arms[i].Run, r.Arms[i].Models = "runs/old", []string{"n"}
			}
		}
		r.NoWorseThan("runs/old", test.margin)
		if len(r.Gates) != 1 || r.Gates[0].Arm != "new" || r.Gates[0].OK != test.want || r.Gates[0].Gate != fmt.Sprintf("no worse than old by more than %v", test.margin) {
			t.Errorf("%s: %+v", test.reason, r.Gates)
		}
	}
	r, err := compare.OfResults([]eval.Metric{iep}, told(iep, map[string]float64{"old": 50, "new": 48}, nil), "old", "new")
	if err != nil {
		t.Fatal(err)
	}
	r.Arms[0].Run, r.Arms[1].Run = "runs/old", "runs/new"
	q, err := compare.ParseRequirement(" iep >= 49 ")
	if err != nil || r.Require(q, "runs/old") != nil || len(r.Gates) != 1 || len(r.Failed()) != 1 || r.Gates[0].Why != "48.00 (47.0 to 49.0)" {
		t.Errorf("%+v, %v", r.Gates, err)
	}
	for _, text := range []string{"iep", "iep=5", "iep>=x", "iep>=NaN", ">=5", "iep>=5 or so"} {
		if _, err := compare.ParseRequirement(text); err == nil {
			t.Errorf("%q is a requirement", text)
		}
	}
	if q, err = compare.ParseRequirement("irp<5"); err != nil || r.Require(q, "") == nil || !strings.Contains(r.Require(q, "").Error(), "there is no metric irp; did you mean iep? there are iep") {
		t.Errorf("%v %v", err, r.Require(q, ""))
	}
}

// Foreign names break no table, and a table with long ones is as wide as a terminal.
func TestPrintForeignNames(t *testing.T) {
	const name = `a|b<c>_&%$#{~^\`
	long := strings.Repeat("long-name ", 12)
	r, err := compare.OfResults([]eval.Metric{iep, {Scorer: "iep", Name: "iep_gain", Against: "no-conversation"}, {Scorer: "talk", Name: "valid", Short: "VALID", High: 100}, {Scorer: "talk", Name: "odd", Short: "ODD", High: 1}}, append(told(iep, map[string]float64{name: 50, long: 48}, nil),
		eval.Result{Scorer: "iep", Metric: "iep_gain", Arm: name, Value: ptr(12.34)}, eval.Result{Scorer: "talk", Metric: "valid", Arm: name, Value: ptr(97.5)}, eval.Result{Scorer: "talk", Metric: "odd", Arm: name, Value: ptr(0.25)}), name, long)
	if err != nil {
		t.Fatal(err)
	}
	r.Conclusion = strings.Repeat("word ", 60)
	for i := range r.Arms {
		r.Arms[i].Place, r.Arms[i].Faults, r.Arms[i].CostTotal = "local", map[string]int{"long": 2}, ptr(float64(i+1))
	}
	var markdown, latex, plain strings.Builder
	_, _, _ = r.Markdown(&markdown), r.LaTeX(&latex), r.Verdict(&plain)
	for _, want := range []string{`| a\|b&lt;c>_&%$#{~^\ | 50.0 (49 to 51) | +12.3 | - | - | 98% | 0.25 |`, "| ARM | IEP (95 %) | GAIN |", "| 2 long of 0 moves |", "| all | 0 | - | - | 3.0000 |"} {
		if !strings.Contains(markdown.String(), want) {
			t.Errorf("%s\nwant %s", markdown.String(), want)
		}
	}
	if want := `a|b\textless{}c\textgreater{}\_\&\%\$\#\{\textasciitilde{}\textasciicircum{}\textbackslash{} & 50.0 (49 to 51)`; !strings.Contains(latex.String(), want) {
		t.Errorf("%s\nwant %s", latex.String(), want)
	}
	if !strings.Contains(plain.String(), "GAIN: over the control no-conversation. P: corrected by Holm's method.") {
		t.Error(plain.String())
	}
	widest := 0
	for line := range strings.Lines(plain.String()) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		} else {
			widest = max(widest, n)
		}
	}
	if widest < 99 {
		t.Errorf("no line has more than %d columns:\n%s", widest, plain.String())
	}
}
