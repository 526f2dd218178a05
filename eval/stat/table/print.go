package table

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Print writes a line for each result, with the parts that it has. The level is that of the intervals.
func Print(w io.Writer, results []Result, level float64) error {
	for _, r := range results {
		var line []string
		add := func(there bool, format string, args ...any) {
			if there {
				line = append(line, fmt.Sprintf(format, args...))
			}
		}
		add(true, "%s", strings.TrimSpace(r.Metric+" "+r.Label))
		add(r.Value == nil, "undefined")
		add(r.Value != nil, "%.10g", at(r.Value))
		add(r.Low != nil && r.High != nil, "%g %% interval [%.10g, %.10g]", 100*level, at(r.Low), at(r.High))
		add(r.Statistic != nil && (r.Value == nil || *r.Statistic != *r.Value), "statistic %.10g", at(r.Statistic))
		add(r.DF > 0, "df %.6g", r.DF)
		add(r.P != nil, "p %.6g", at(r.P))
		add(true, "n %d of %d %s", r.N, r.Of, r.Unit)
		add(r.Clusters > 0, "%d clusters", r.Clusters)
		add(r.Zeros > 0, "%d zeros", r.Zeros)
		add(r.Lost > 0, "%d resamples lost", r.Lost)
		add(r.Dropped > 0, "%d rows dropped", r.Dropped)
		for _, why := range slices.Sorted(maps.Keys(r.Skipped)) {
			add(true, "%d skipped, since %s", r.Skipped[why], why)
		}
		add(r.Method != "", "%s", r.Method)
		add(r.Reason != "", "%s", r.Reason)
		if _, err := fmt.Fprintln(w, strings.Join(line, "; ")); err != nil {
			return err
		}
	}
	return nil
}

// at returns the number, or 0 where there is none.
func at(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
