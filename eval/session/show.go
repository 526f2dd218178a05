package session

import (
	"fmt"
	"io"
	"maps"
	"parley/eval/compare"
	"parley/eval/report"
	"parley/eval/run"
	"path/filepath"
	"slices"
	"strings"
)

// Show prints the results of a run for people: the verdict, and every result where there is one arm or all are wanted.
func Show(w io.Writer, dir string, m *run.Manifest, all bool) error {
	_, e, err := Read(dir)
	if err != nil {
		return err
	}
	verdict, err := compare.Of(dir, m, m.Metrics)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d sessions of %s, %d players and 1 NPC (%s), %d turns, judge %s, seed %d\n",
		e.Sessions*len(e.Player), e.Scenario, e.Players, e.NPC, e.Turns, e.Judge, e.Seed)
	fmt.Fprintf(w, "sessions by state: %d %s %d %s\n\n", m.Jobs[run.Complete], run.Complete, m.Jobs[run.Failed], run.Failed)
	if err := verdict.Verdict(w); err != nil {
		return err
	}
	if len(e.Player) == 1 || all {
		fmt.Fprintln(w)
		if err := printDetails(w, m); err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "\nThe run is in %s\nread it with: parley show %s, or open %s\n", dir, dir, filepath.Join(dir, run.ReportName))
		return err
	}
	_, err = fmt.Fprintf(w, "\nThe run is in %s\nevery result: parley show --all %s, or open %s\n", dir, dir, filepath.Join(dir, run.ReportName))
	return err
}

// printDetails prints every result, and what the models used.
func printDetails(w io.Writer, m *run.Manifest) error {
	if err := report.Results(w, m.Results); err != nil {
		return err
	}
	for _, spec := range slices.Sorted(maps.Keys(m.Models)) {
		served := m.Models[spec]
		if len(served.Ignored) > 0 {
			fmt.Fprintf(w, "\n%s does not take %s\n", spec, strings.Join(served.Ignored, ", "))
		}
		if len(served.Names) > 1 {
			fmt.Fprintf(w, "\n%s answered under several names: %s\n", spec, strings.Join(served.Names, ", "))
		}
	}
	return report.Usage(w, m.Usage)
}

// PrintList prints a line for each of the sessions that List returns.
func PrintList(w io.Writer, list []Row) (err error) {
	for i, s := range list {
		_, err = fmt.Fprintf(w, "%4d  %s  %-9s  %3d turns (%s)  %s  %s\n", i+1, s.ID, s.State, s.Turns, s.Ended, s.Arm, s.Title)
	}
	return err
}
