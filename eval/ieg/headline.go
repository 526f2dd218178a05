package ieg

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/report"
	"parley/eval/report/view"
	"parley/sim/llm"
)

// Headline prints the gaps of every source, the larger question first, and what they mean beside the noise floor and
// the control of shuffled skills, where the results hold these.
func Headline(w io.Writer, results []eval.Result) error {
	find := func(metric, arm, control string) *eval.Result {
		for i := range results {
			if r := &results[i]; r.Metric == metric && r.Arm == arm && r.Control == control {
				return r
			}
		}
		return nil
	}
	t := &view.Table{Head: view.Columns("Play", "words_o (95 %)", "G_o (95 %)", "G_c (95 %)", "Meaning")}
	var reasons []string
	text := func(r *eval.Result) string {
		switch {
		case r == nil:
			return "-"
		case r.Value != nil && (r.Low == nil || r.High == nil):
			return fmt.Sprintf("%.1f", *r.Value)
		case r.Value != nil:
			return fmt.Sprintf("%.1f (%.1f to %.1f)", *r.Value, *r.Low, *r.High)
		}
		if reason := llm.Clean(r.Reason); !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
		return "unscored"
	}
	floor, shuffled := find("G_o", "real", NoiseFloor), find("G_o", "real", Shuffled)
	add := func(name string, o *eval.Result, meaning string) {
		t.Add(llm.Clean(name), text(find("words_o", o.Arm, o.Control)), text(o), text(find("G_c", o.Arm, o.Control)), meaning)
	}
	for i := range results {
		if r := &results[i]; r.Metric == "G_o" && r.Control == "" && r.Arm != "real" {
			add(r.Arm, r, meaning(r, floor, shuffled))
		}
	}
	if floor != nil {
		add("real, against real", floor, "the noise floor: a gap within its interval means nothing")
	}
	if shuffled != nil {
		add("real, skills shuffled", shuffled, "the control: play whose skills say nothing")
	}
	if real := find("words_o", "real", ""); real != nil {
		t.Add("real", text(real), "-", "-", "real play: what words can add")
	}
	t.DropEmpty("words_o (95 %)")
	if err := report.Print(w, t); err != nil {
		return err
	}
	for _, reason := range reasons {
		fmt.Fprintln(w, report.Wrap("unscored: "+reason))
	}
	_, err := fmt.Fprintln(w, "\n"+report.Wrap("words_o: what the words of play add to f_o, who tries which skill; 0: as much can be learned without them. "+
		"G: how far play is from real people's: 0, a virtual DM that learned from it reads real play as well as one that "+
		"learned from real play; 100, it reads nothing. G_o: who tries which skill; G_c: who tries anything."))
	return err
}

// meaning says where a gap lies between the floor and the control.
func meaning(r, floor, shuffled *eval.Result) string {
	switch {
	case r.Value == nil:
		return "" // the reason is given below
	case r.Low == nil || r.High == nil:
		return llm.Clean(strings.TrimPrefix(r.Reason, noSpread))
	case floor == nil || floor.High == nil || shuffled == nil || shuffled.Low == nil || shuffled.High == nil:
		return ""
	case *r.Low <= *floor.High:
		return "not told apart from real play"
	case *r.High < *shuffled.Low:
		return "a gap, but intentions can be learned from it"
	case *r.Low > *shuffled.High:
		return "misleads: further than skills that say nothing"
	}
	return "as far as skills that say nothing"
}
