package run

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"parley/eval"
	"parley/sim/llm"
)

// Listed describes a run in a list of runs. The JSON form is a documented interface.
type Listed struct {
	Run      string        `json:"run"` // its directory
	Kind     string        `json:"kind"`
	State    State         `json:"state"`
	Started  time.Time     `json:"started"`
	Sessions map[State]int `json:"sessions"` // jobs, whatever the kind
	Of       int           `json:"of"`
	Arms     []string      `json:"arms"`
	Headline string        `json:"headline,omitempty"` // the first headline metric of each arm
	Error    string        `json:"error,omitempty"`    // why it cannot be read
}

// Dirs lists the names of the runs in a directory. Links are none.
func Dirs(root string) (names []string, err error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if _, err := os.Lstat(filepath.Join(root, e.Name(), ManifestName)); e.IsDir() && err == nil {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// List says of a run what a list of runs shows.
func List(dir string) Listed {
	m, err := ReadManifest(dir)
	if err != nil {
		return Listed{Run: dir, Error: err.Error()}
	}
	r := Listed{Run: dir, Kind: m.Kind, State: m.State, Started: m.Started, Sessions: m.Jobs, Of: m.Of, Arms: m.Arms}
	first := slices.IndexFunc(m.Metrics, func(m eval.Metric) bool { return m.Headline })
	for i := range m.Results {
		res := &m.Results[i]
		if first < 0 || res.Scorer != m.Metrics[first].Scorer || res.Metric != m.Metrics[first].Name || res.Control != "" || res.Value == nil || !slices.Contains(m.Arms, res.Arm) {
			continue
		}
		decimals := 1
		if m.Metrics[first].High <= 1 {
			decimals = 2
		}
		r.Headline += fmt.Sprintf("%s %.*f", map[bool]string{true: m.Metrics[first].Title, false: ","}[r.Headline == ""], decimals, *res.Value)
	}
	return r
}

// PrintList prints a table of runs.
func PrintList(w io.Writer, list []Listed) error {
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tab, "RUN\tSTATE\tSTARTED\tKIND\tJOBS\tARMS\tHEADLINE")
	for _, r := range list {
		if r.Error != "" {
			fmt.Fprintf(tab, "%s\tunreadable: %s\n", llm.Clean(r.Run), llm.Clean(r.Error))
			continue
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%d of %d\t%v\t%s\n", llm.Clean(r.Run), r.State, r.Started.Format("2006-01-02 15:04"), r.Kind,
			r.Sessions[Complete], r.Of, llm.Clean(strings.Join(r.Arms, ", ")), r.Headline)
	}
	return tab.Flush()
}
