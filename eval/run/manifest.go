package run

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"parley/eval"
	"parley/logs"
	"parley/sim/llm"
)

// ManifestName is the file that makes a directory a run.
const ManifestName = "run.json"

// ReportName is the page of a run.
const ReportName = "report.html"

// Format is the version of the directory's form. Runs of another format are refused and left as they are.
const Format = 2

// Manifest says what was asked, of which models, and how far it came.
type Manifest struct {
	Format    int                   `json:"format"`
	ID        string                `json:"id"`
	Kind      string                `json:"kind"`
	Version   string                `json:"version"`
	Go        string                `json:"go"`
	State     State                 `json:"state"`
	Started   time.Time             `json:"started"`
	Finished  *time.Time            `json:"finished"`
	Config    json.RawMessage       `json:"config"`
	Models    map[string]*Served    `json:"models"`            // as written
	Inputs    map[string]Input      `json:"inputs,omitempty"`  // by the name in the configuration
	Prompts   map[string]string     `json:"prompts,omitempty"` // name -> SHA-256
	Arms      []string              `json:"arms"`
	Of        int                   `json:"of"`   // jobs in all
	Jobs      map[State]int         `json:"jobs"` // done, by state
	Usage     *llm.Tally            `json:"usage"`
	Elapsed   float64               `json:"elapsed_s"`       // in which the run was under way, over all passes
	Began     *time.Time            `json:"began,omitempty"` // the pass that is under way
	Tables    map[string]TableState `json:"tables"`
	Metrics   []eval.Metric         `json:"metrics"`         // of the scores, those of a program's own scorers too
	Passes    int                   `json:"passes"`          // how often it was scored
	Shown     map[string]string     `json:"shown,omitempty"` // scorer/metric -> method whose scores are shown, where it was scored again
	Results   []eval.Result         `json:"results"`
	Digest    string                `json:"config_digest,omitempty"` // SHA-256 of the configuration
	Signature string                `json:"signature,omitempty"`
	SHA256    string                `json:"sha256"` // of the manifest without this; Verify finds what was changed by it
}

// Served is what a run found out about a model.
type Served struct {
	Identity *llm.Identity `json:"identity,omitempty"`
	// Before holds the digests that the server gave earlier in the run, where it changed.
	Before  []string `json:"before,omitempty"`
	Form    string   `json:"form,omitempty"` // of replies: json or lines
	Why     string   `json:"why,omitempty"`  // of the form
	NumCtx  int      `json:"num_ctx,omitempty"`
	Ignored []string `json:"ignored,omitempty"` // sampling options that its server does not take
	Names   []string `json:"names,omitempty"`   // that the server answered under
	Notes   []string `json:"notes,omitempty"`   // what was unusual in its replies, such as unknown reasons for their end
	// Hosted says that somebody else serves the model, and Recorded that its replies are those of another run.
	Hosted   bool `json:"hosted,omitempty"`
	Recorded bool `json:"recorded,omitempty"`
	// Places holds form and context by place, where a replay speaks for models that differ in them.
	Places map[string]*Served `json:"places,omitempty"`
}

// Input is a file that the configuration names, of which the run keeps a copy.
type Input struct {
	Copy   string `json:"copy"` // within the run's directory
	SHA256 string `json:"sha256"`
}

// TableState is what a manifest says of a finished table.
type TableState struct {
	Rows   int64  `json:"rows"`
	Digest string `json:"digest"` // SHA-256 of the canonical JSON lines of the rows, in order
	SHA256 string `json:"sha256"` // of the Parquet file
}

// newManifest begins the manifest of a plan.
func newManifest(p Plan, o *Options) (*Manifest, error) {
	config, err := json.Marshal(p.Config())
	if err != nil {
		return nil, fmt.Errorf("the configuration cannot be kept: %w", err)
	}
	id := o.ID
	if id == "" {
		id = NewID(o.Now())
	}
	m := &Manifest{
		Format: Format, ID: id, Kind: p.Kind(), Version: o.Version, Go: runtime.Version(), State: Running,
		Started: o.Now().UTC().Truncate(time.Microsecond), Config: config, Digest: configDigest(config), Models: map[string]*Served{},
		Inputs: map[string]Input{}, Arms: p.Arms(), Jobs: map[State]int{}, Passes: 1,
	}
	if o.Secret != nil {
		m.Signature = m.sign(o.Secret)
	}
	return m, nil
}

// reconfigure keeps another configuration of a run.
func (m *Manifest) reconfigure(p Plan, o *Options) error {
	config, err := json.Marshal(p.Config())
	if err != nil {
		return fmt.Errorf("the configuration cannot be kept: %w", err)
	}
	m.Config, m.Digest = config, configDigest(config)
	if o.Secret != nil {
		m.Signature = m.sign(o.Secret)
	}
	return nil
}

// configDigest returns the SHA-256 of a configuration, without the spaces between its parts.
func configDigest(config json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, config) != nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(b.Bytes()))
}

// NewID names a run by its time, and by chance, since two may start within a second.
func NewID(now time.Time) string {
	var b [2]byte
	rand.Read(b[:]) // never fails
	return now.UTC().Format("20060102-150405") + "-" + hex.EncodeToString(b[:])
}

// sign returns the signature of what a run may open: its id, kind, configuration and inputs' names.
func (m *Manifest) sign(secret []byte) string {
	h := hmac.New(sha256.New, secret)
	var config bytes.Buffer
	if json.Compact(&config, m.Config) != nil {
		return "" // no configuration, and so nothing that it could open
	}
	fmt.Fprintf(h, "%s\n%s\n%s\n", m.ID, m.Kind, &config)
	return hex.EncodeToString(h.Sum(nil))
}

// ReadManifest reads the manifest of a run.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestName)
	if err := refuseLinks(dir); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a run: it has no %s", dir, ManifestName)
	}
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m.Format != Format {
		return nil, fmt.Errorf("%s has format %d, and this version of parley reads format %d: use the version that made the run (%s); nothing was changed",
			path, max(1, m.Format), Format, m.Version)
	}
	m.Tables, m.Jobs = orMade(m.Tables), orMade(m.Jobs)
	m.Models, m.Inputs = orMade(m.Models), orMade(m.Inputs)
	return &m, nil
}

// orMade returns a map that can be written to.
func orMade[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return m
}

// refuseLinks returns an error where the directory holds a symbolic link, a pipe or a device: a run is plain
// files, and a link in another person's could lead anywhere.
func refuseLinks(dir string) error {
	for _, d := range []string{dir, filepath.Join(dir, inputsName)} {
		entries, err := os.ReadDir(d)
		if err != nil {
			continue // what is missing is said where it is needed
		}
		for _, e := range entries {
			if err := refuseOther(filepath.Join(d, e.Name()), e.Type()); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuseOther returns an error for what is neither a plain file nor a directory: opening a pipe waits forever.
func refuseOther(path string, mode fs.FileMode) error {
	switch {
	case mode&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link, which a run directory never holds: remove it, or put the file in its place", path)
	case mode.Type() != 0 && !mode.IsDir():
		return fmt.Errorf("%s is no plain file (%s), which a run directory never holds: remove it", path, mode.Type())
	}
	return nil
}

func (m *Manifest) write(dir string) (err error) {
	if m.SHA256, err = m.sum(); err != nil {
		return err
	}
	return logs.WriteJSON(filepath.Join(dir, ManifestName), m)
}

// sum returns the SHA-256 of the manifest, without that in it.
func (m *Manifest) sum() (string, error) {
	bare := *m
	bare.SHA256 = ""
	text, err := json.Marshal(&bare)
	if err != nil {
		return "", fmt.Errorf("the manifest cannot be kept: %w", err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text)), nil
}

// Changes says which models answered under several names, or with other weights than the run began with.
func (m *Manifest) Changes() (all []string) {
	for _, spec := range slices.Sorted(maps.Keys(m.Models)) {
		s := m.Models[spec]
		if s == nil {
			continue
		}
		if len(s.Names) > 1 {
			all = append(all, fmt.Sprintf("%s answered under several names: %s.", spec, strings.Join(s.Names, ", ")))
		}
		if len(s.Before) > 0 && s.Identity != nil {
			all = append(all, fmt.Sprintf("%s was another model when the run began: digest %s, now %s.", spec, strings.Join(s.Before, ", "), s.Identity.Digest))
		}
	}
	return all
}

// fileHash returns the SHA-256 of a file.
func fileHash(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Result returns the first result of a metric, or nil.
func (m *Manifest) Result(metric, arm, control string) *eval.Result {
	i := slices.IndexFunc(m.Results, func(r eval.Result) bool {
		return r.Metric == metric && r.Arm == arm && r.Control == control
	})
	if i < 0 {
		return nil
	}
	return &m.Results[i]
}
