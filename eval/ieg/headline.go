package ieg

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"parley/eval"
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
	fmt.Fprintln(w, "How far play is from real people's: 0, a virtual DM that learned from it reads real play as well as one that\n"+
		"learned from real play; 100, it reads nothing. G_o: who tries which skill; G_c: who tries anything.")
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tab, "\nPLAY\tG_o (95 %)\tG_c (95 %)\tMEANING")
	floor, shuffled := find("G_o", "real", NoiseFloor), find("G_o", "real", Shuffled)
	for i := range results {
		if r := &results[i]; r.Metric == "G_o" && r.Control == "" && r.Arm != "real" {
			fmt.Fprintf(tab, "%s\t%s\t%s\t%s\n", llm.Clean(r.Arm), gapText(r), gapText(find("G_c", r.Arm, "")), meaning(r, floor, shuffled))
		}
	}
	for _, c := range []struct{ control, name, meaning string }{
		{NoiseFloor, "real, against real", "the noise floor: a gap within its interval means nothing"},
		{Shuffled, "real, skills shuffled", "the control: play whose skills say nothing"},
	} {
		if o := find("G_o", "real", c.control); o != nil {
			fmt.Fprintf(tab, "%s\t%s\t%s\t%s\n", c.name, gapText(o), gapText(find("G_c", "real", c.control)), c.meaning)
		}
	}
	return tab.Flush()
}

// gapText writes a gap with its interval.
func gapText(r *eval.Result) string {
	switch {
	case r == nil:
		return "-"
	case r.Value == nil:
		return "unscored: " + llm.Clean(r.Reason)
	case r.Low == nil || r.High == nil:
		return fmt.Sprintf("%.1f", *r.Value)
	}
	return fmt.Sprintf("%.1f (%.1f to %.1f)", *r.Value, *r.Low, *r.High)
}

// meaning says where a gap lies between the floor and the control.
func meaning(r, floor, shuffled *eval.Result) string {
	switch {
	case r.Value == nil:
		return "" // the reason stands in its place
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
