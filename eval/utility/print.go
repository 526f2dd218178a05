package utility

import (
	"fmt"
	"io"
	"text/tabwriter"

	"parley/eval/stat"
)

// Print writes what a study found as tables for a terminal.
func (s *Study) Print(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	if len(s.Findings) == 0 {
		fmt.Fprintln(tab, "criterion\tkind\torder\tcritics\tvalues, from worst to best")
		for _, c := range s.Pool {
			fmt.Fprintf(tab, "%s\t%s\t%s\t%d\t%q\n", clip(c.Name), c.Kind, c.Order, len(c.Seeds), c.Values)
		}
		if err := tab.Flush(); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "%d criteria, %d after consolidation; %d could not be read\n", len(s.Proposed), len(s.Pool), len(s.Rejected))
		return err
	}
	fmt.Fprintln(tab, "criterion\tverdict\tCV\tSD/range\tagreement\tpower\tties\tlabels\treason")
	for i := range s.Findings {
		f := &s.Findings[i]
		power, ties, verdict, reason := "-", "-", "-", ""
		if len(f.Powers) > 0 {
			share := f.Powers[0].Share()
			power, ties = number3(share.Value), fmt.Sprint(f.Powers[0].Ties)
		}
		if s.Verifies() {
			verdict, reason = f.Verdict, f.Reason
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d of %d\t%s\n", clip(f.Criterion.Name), verdict, ofValue(f.CV), ofValue(f.RangeSD), ofValue(f.Agreement), power, ties, f.Scored, f.Of, reason)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	fmt.Fprintln(tab, "group\tutility\tlow\thigh\tsamples")
	for _, group := range s.Config.groups() {
		u := s.Utility(group, nil)
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%d\n", group, number3(u.Value), number3(u.Low), number3(u.High), u.N)
	}
	return tab.Flush()
}

// number3 writes a number with three decimals, or a dash.
func number3(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *v)
}

func ofValue(v stat.Value) string { return number3(v.Ptr()) }
