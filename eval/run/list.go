package run

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"parley/eval"
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
	n := 0
	for i := range m.Results {
		res := &m.Results[i]
		metric := eval.Find(m.Metrics, res.Scorer, res.Metric)
		if !metric.Headline || res.Control != "" || res.Value == nil || n >= len(m.Arms) {
			continue
		}
		if n++; r.Headline != "" {
			r.Headline += ", "
		}
		r.Headline += fmt.Sprintf("%s %.1f", metric.Title, *res.Value)
	}
	return r
}
