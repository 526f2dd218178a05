package script

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// PrintRanking prints a ranking for people.
func PrintRanking(w io.Writer, g *Ranking) error {
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tab, "RANK\tMODEL\tSCORE\t95 % INTERVAL\tRANKS\tN\tNOTE")
	for _, r := range g.Ranked {
		rank, score, interval, ranks, note := "-", "unscored", "-", "-", r.Score.Reason
		if r.Rank > 0 {
			rank, note = fmt.Sprint(r.Rank), ""
			if len(r.Tied) > 0 {
				rank = "=" + rank
			}
		}
		if r.Score.Value != nil {
			score = fmt.Sprintf("%.4f", *r.Score.Value)
		}
		if r.Score.Low != nil {
			interval, ranks = fmt.Sprintf("%.4f to %.4f", *r.Score.Low, *r.Score.High), fmt.Sprintf("%d to %d", r.Best, r.Worst)
		}
		if r.N < r.Of {
			note = fmt.Sprintf("%s over all tasks between %.4f and %.4f", note, r.Least, r.Most)
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\t%d of %d\t%s\n", rank, r.Arm, score, interval, ranks, r.N, r.Of, note)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	if len(g.Pairs) > 0 {
		fmt.Fprintln(tab, "\nDIFFERENCE\tVALUE\t95 % INTERVAL\tP\tP BY HOLM")
		for _, p := range g.Pairs {
			value, interval := "undefined", "-"
			if p.Diff.Value != nil {
				value = fmt.Sprintf("%.4f", *p.Diff.Value)
			}
			if p.Diff.Low != nil {
				interval = fmt.Sprintf("%.4f to %.4f", *p.Diff.Low, *p.Diff.High)
			}
			fmt.Fprintf(tab, "%s - %s\t%s\t%s\t%s\t%s\n", p.A, p.B, value, interval, short(p.P), short(p.Holm))
		}
	}
	return tab.Flush()
}
