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
