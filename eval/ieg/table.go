package ieg

import (
	"fmt"
	"io"
	"text/tabwriter"

	"parley/eval"
)

// metricIEP is the name of AntEval's other measure in results.
const metricIEP = "iep"

// WriteTable writes results in the layout of AntEval's Table 1: a line for each source of play, with
// IEP where the results hold it, and F-score and gap of characters and of (character, skill). Real
// play, the controls and the baselines stand below under a rule. What has no value is a dash.
func WriteTable(w io.Writer, results []eval.Result) error {
	type line struct{ arm, control string }
	var lines []line
	cells := map[line]map[string]*float64{}
	for _, r := range results {
		at := line{r.Arm, r.Control}
		switch r.Metric {
		case metricIEP, "f_c", "G_c", "f_o", "G_o":
			if cells[at] == nil {
				cells[at] = map[string]*float64{}
				lines = append(lines, at)
			}
			cells[at][r.Metric] = r.Value
		}
	}
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tab, "\tIEP\tIEG\t\t\t")
	fmt.Fprintln(tab, "Model\tP (up)\tf_g^c (up)\tG^c (down)\tf_g^o (up)\tG^o (down)")
	rule := func() { fmt.Fprintln(tab, "---\t---\t---\t---\t---\t---") }
	rule()
	for _, below := range []bool{false, true} {
		if below {
			rule()
		}
		for _, l := range lines {
			_, compared := cells[l]["G_o"]
			if (l.control != "" || !compared) != below {
				continue
			}
			name := l.arm
			if l.control != "" {
				name += " (" + l.control + ")"
			}
			fmt.Fprint(tab, name)
			for _, metric := range []string{metricIEP, "f_c", "G_c", "f_o", "G_o"} {
				text := "-"
				if v := cells[l][metric]; v != nil {
					text = fmt.Sprintf("%.2f", *v)
				}
				fmt.Fprint(tab, "\t", text)
			}
			fmt.Fprintln(tab)
		}
	}
	return tab.Flush()
}
