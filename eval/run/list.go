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
	if first < 0 {
		return r
	}
	metric, decimals := &m.Metrics[first], 1
	if metric.High <= 1 {
		decimals = 2
	}
	var values []string
	for _, arm := range m.Arms {
		i := slices.IndexFunc(m.Results, func(res eval.Result) bool {
			return res.Scorer == metric.Scorer && res.Metric == metric.Name && res.Arm == arm && res.Control == "" && res.Value != nil
		})
		if i >= 0 {
			values = append(values, fmt.Sprintf("%.*f", decimals, *m.Results[i].Value))
		}
	}
	if len(values) > 0 {
		r.Headline = metric.Title + " " + strings.Join(values, ", ")
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
