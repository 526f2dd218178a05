package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"parley/eval"
	"parley/logs"
	"parley/sim/llm"
)

// manifestName is the file that makes a directory a run.
const manifestName = "run.json"

// manifest says what was asked, of whom, and how far it came.
type manifest struct {
	ID         string                 `json:"id"`
	Version    string                 `json:"version"`
	Go         string                 `json:"go"`
	State      State                  `json:"state"`
	Started    time.Time              `json:"started"`
	Finished   *time.Time             `json:"finished"`
	Experiment *Experiment            `json:"experiment"`
	Script     *scriptConfig          `json:"script,omitempty"` // of an evaluation of scripts, instead of an experiment
	Survey     *surveyConfig          `json:"survey,omitempty"` // of an evaluation of surveys, instead of an experiment
	Models     map[string]*servedNote `json:"models"`           // as written -> what was found out before the first turn
	Prompts    map[string]string      `json:"prompts"`          // file -> SHA-256
	Files      map[string]string      `json:"files,omitempty"`  // file that the experiment names -> SHA-256
	Sessions   map[State]int          `json:"sessions"`
	Usage      *llm.Tally             `json:"usage"` // of models, by model and purpose
	Streams    map[string]streamState `json:"streams"`
	Results    []eval.Result          `json:"results"`
}

// servedNote is what a run decided about a model before its first turn, and keeps to when it is
// taken up again.
type servedNote struct {
	Identity *llm.Identity `json:"identity,omitempty"`
	Form     string        `json:"form,omitempty"` // json | lines
	Why      string        `json:"why,omitempty"`  // of the form
	// Probe holds the calls that settled the form. They stand here and not among the run's calls, so
	// that they and the form are kept at one moment, before there is a session that they could be of.
	Probe   []llm.Call `json:"probe,omitempty"`
	NumCtx  int        `json:"num_ctx,omitempty"`
	Ignored []string   `json:"ignored,omitempty"` // sampling options that its server does not take
	// Places holds form and context by place, where a replay speaks for models that differ in them.
	Places map[string]*servedNote `json:"places,omitempty"`
}

func newManifest(id string, e *Experiment, now time.Time) *manifest {
	return &manifest{
		ID: id, Version: version, Go: runtime.Version(), State: stateRunning, Started: now.UTC().Truncate(time.Microsecond),
		Experiment: e, Models: map[string]*servedNote{}, Sessions: map[State]int{},
	}
}

// read reads a file that the experiment names, and keeps the run to what stands in it: when it is
// taken up again, another text is refused.
func (m *manifest) read(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	hash := fmt.Sprintf("%x", sha256.Sum256(data))
	if was, known := m.Files[path]; known && was != hash {
		return nil, fmt.Errorf("%s is not what the run began with (its SHA-256 begins with %.8s, and was %.8s): put it back, or begin a new run", path, hash, was)
	}
	if m.Files == nil {
		m.Files = map[string]string{}
	}
	m.Files[path] = hash
	return data, nil
}

// readManifest reads the manifest of a run that is a play.
func readManifest(dir string) (*manifest, error) {
	m, err := readAnyManifest(dir)
	switch {
	case err != nil:
		return nil, err
	case m.Script != nil:
		return nil, fmt.Errorf("%s holds an evaluation of scripts, and no play: read its %s, or rank it with: parley eval script rank %s", dir, reportName, dir)
	case m.Survey != nil:
		return nil, fmt.Errorf("%s holds an evaluation of surveys, and no play: see parley eval survey report %s", dir, dir)
	case m.Experiment == nil:
		return nil, fmt.Errorf("%s: it holds no experiment", filepath.Join(dir, manifestName))
	}
	return m, nil
}

// readAnyManifest reads the manifest of a run of whatever kind.
func readAnyManifest(dir string) (*manifest, error) {
	path := filepath.Join(dir, manifestName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a run: it has no %s", dir, manifestName)
	}
	if err != nil {
		return nil, err
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &m, nil
}

func (m *manifest) write(dir string) error {
	return logs.WriteJSON(filepath.Join(dir, manifestName), m)
}

// models lists the models that take part in a run, as they are written.
func (m *manifest) models() []string {
	if m.Script != nil {
		return m.Script.models()
	}
	if m.Survey != nil {
		return m.Survey.models()
	}
	return m.Experiment.models()
}
