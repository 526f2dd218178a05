package ieg_test

import (
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/ieg"
)

// The gaps come first, with what they mean beside floor and control.
func TestHeadline(t *testing.T) {
	gap := func(metric, arm, control string, low, value, high float64) eval.Result {
		return eval.Result{Metric: metric, Arm: arm, Control: control, Low: &low, Value: &value, High: &high}
	}
	results := []eval.Result{
		gap("f_o", "real", "", 30, 36, 40),
		gap("G_o", "real", ieg.NoiseFloor, 0.1, 0.3, 5), gap("G_c", "real", ieg.NoiseFloor, 0, 0.2, 2),
		gap("G_o", "real", ieg.Shuffled, 20, 32, 44),
		gap("G_o", "twin", "", 0.5, 3, 9), gap("G_c", "twin", "", 0, 1, 2),
		gap("G_o", "near", "", 6, 12, 19),
		gap("G_o", "idle", "", 30, 36, 42),
		gap("G_o", "blunt", "", 72, 78, 83),
		{Metric: "G_o", Arm: "silent", Reason: "both F-scores are 0: there is no ratio"},
	}
	var out strings.Builder
	if err := ieg.Headline(&out, results); err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, want := range []string{
		"twin 3.0 (0.5 to 9.0) 1.0 (0.0 to 2.0) not told apart from real play",
		"near 12.0 (6.0 to 19.0) - a gap, but intentions can be learned from it",
		"idle 36.0 (30.0 to 42.0) - as far as skills that say nothing",
		"blunt 78.0 (72.0 to 83.0) - misleads: further than skills that say nothing",
		"silent unscored -",
		"real, against real 0.3 (0.1 to 5.0) 0.2 (0.0 to 2.0) the noise floor",
		"real, skills shuffled 32.0 (20.0 to 44.0) - the control",
		"unscored: both F-scores are 0: there is no ratio",
	} {
		text := strings.Join(strings.Fields(out.String()), " ")
		if next := strings.Index(text, want); next <= at {
			t.Errorf("%q is not there, or not in its place:\n%s", want, out.String())
		} else {
			at = next
		}
	}
	if strings.Contains(out.String(), "36.0 (30.0 to 40.0)") {
		t.Error("F-scores are among the gaps")
	}
}

// A gap means what its whole interval says, its ends included.
func TestMeanings(t *testing.T) {
	num := func(v float64) *float64 { return &v }
	floor := eval.Result{Metric: "G_o", Arm: "real", Control: ieg.NoiseFloor, Low: num(0), Value: num(1), High: num(5)}
	shuffled := eval.Result{Metric: "G_o", Arm: "real", Control: ieg.Shuffled, Low: num(20), Value: num(32), High: num(44)}
	open := shuffled
	open.High = nil
	gap := func(low, high float64) eval.Result {
		return eval.Result{Metric: "G_o", Arm: "x", Low: &low, Value: num((low + high) / 2), High: &high}
	}
	for _, test := range []struct {
		results []eval.Result
		want    string
	}{
		{[]eval.Result{gap(5, 60), floor, shuffled}, "x 32.5 (5.0 to 60.0) - not told apart from real play"},
		{[]eval.Result{gap(5.1, 19.9), floor, shuffled}, "- a gap, but"},
		{[]eval.Result{gap(5.1, 20), floor, shuffled}, "- as far as"},
		{[]eval.Result{gap(44, 50), floor, shuffled}, "- as far as"},
		{[]eval.Result{gap(44.1, 50), floor, shuffled}, "- misleads"},
		{[]eval.Result{gap(44.1, 50), floor}, "x 47.0 (44.1 to 50.0) - real, against real"},
		{[]eval.Result{gap(44.1, 50), shuffled}, "x 47.0 (44.1 to 50.0) - real, skills"},
		{[]eval.Result{gap(44.1, 50), floor, open}, "x 47.0 (44.1 to 50.0) - real, against real"},
		{[]eval.Result{{Metric: "G_o", Arm: "x", Value: num(3), Low: num(2), Reason: "why not"}, floor, shuffled}, "x 3.0 - why not"},
		{[]eval.Result{{Metric: "G_o", Arm: "x", Value: num(3), High: num(4), Reason: "a single number has no interval"}, floor, shuffled}, "x 3.0 - real, against real"},
		{[]eval.Result{{Metric: "G_o", Arm: "real", Value: num(3)}, floor}, "Meaning real, against real"},
		{[]eval.Result{{Metric: "words_o", Arm: "real", Low: num(1), Value: num(3), High: num(4)}, {Metric: "words_o", Arm: "real", Control: "mute", Value: num(7)}}, "real 3.0 (1.0 to 4.0) - - real play"},
		{[]eval.Result{{Metric: "G_o", Arm: "x", Control: "other", Value: num(3)}, {Metric: "G_c", Arm: "y", Value: num(3)}, floor}, "Meaning real, against real"},
	} {
		var out strings.Builder
		if err := ieg.Headline(&out, test.results); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(strings.ToLower(text), strings.ToLower(test.want)) {
			t.Errorf("%q, want %q", text, test.want)
		}
	}
}

// Everything below the gaps is shown where it is asked for, skills in a table of their own.
func TestShow(t *testing.T) {
	num := func(v float64) *float64 { return &v }
	results := []eval.Result{
		{Metric: "f_o", Arm: "twin", Value: num(40), N: 7, Of: 8, Unit: "predictions"},
		{Metric: "precision@Stealth", Arm: "twin", Value: num(75), N: 3, Of: 4}, {Metric: "recall@Stealth", Arm: "twin", Value: num(50), N: 3, Of: 6},
		{Metric: "recall@Arcana", Arm: "twin"}, {Metric: "recall@Stealth", Arm: "twin", Control: ieg.Baseline, Value: num(1), N: 1, Of: 1},
	}
	for all, want := range map[bool][]string{true: {"f_o twin", "stealth 75 (3 of 4) 50 (3 of 6)", "arcana - -"}, false: nil} {
		var out strings.Builder
		if err := ieg.Show(&out, results, all); err != nil {
			t.Fatal(err)
		}
		text := strings.ToLower(strings.Join(strings.Fields(out.String()), " "))
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("all %t: %s, want %s", all, text, w)
			}
		}
		if strings.Contains(text, "stealth") != all || strings.Contains(text, "1 (1 of 1)") {
			t.Errorf("all %t: %s", all, text)
		}
		out.Reset()
		if err := ieg.Show(&out, results[:1], all); err != nil || strings.Contains(strings.ToLower(out.String()), "arcana") {
			t.Errorf("without skills: %v, %s", err, &out)
		}
	}
}
