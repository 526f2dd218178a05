package hosted

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/logs"
	"parley/sim/llm"
)

// Record is the record of a job on this machine, so that any command can go on with it after a
// restart at any moment. It holds no key.
type Record struct {
	Version int `json:"version"` // of this file's form: 1

	Name        string `json:"name"`
	BaseURL     string `json:"base_url"`
	Azure       bool   `json:"azure,omitempty"`
	APIVersion  string `json:"api_version,omitempty"`
	KeyVariable string `json:"key_env,omitempty"` // the name of the variable, never what is in it

	Order      Order  `json:"order"`
	Training   Piece  `json:"training"`
	Validation *Piece `json:"validation,omitempty"`

	// Asked is when the job was last ordered. With no job beside it, it is not known whether the server
	// took the order.
	Asked   time.Time `json:"asked,omitzero"`
	Job     *Job      `json:"job,omitempty"`     // as it was last seen
	Earlier []string  `json:"earlier,omitempty"` // jobs of the same record that came to nothing
	Updated time.Time `json:"updated,omitzero"`

	path string
}

// Folder is the directory of records within a dataset's.
const Folder = "jobs"

// Digest identifies an order by server, settings and the content of the files, wherever they are.
func (r *Record) Digest() string {
	o := r.Order
	o.TrainingFile, o.ValidationFile, o.Mark = "", "", ""
	validation := ""
	if r.Validation != nil {
		validation = r.Validation.SHA256
	}
	text, err := json.Marshal([]any{r.BaseURL, r.Azure, o, r.Training.SHA256, validation})
	if err != nil {
		text = fmt.Append(nil, r) // an extra hyperparameter that is no JSON, which Validate refuses
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

var unnamed = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// DefaultName makes a name of the model and of the digest, so that the same order has the same record.
func (r *Record) DefaultName() string {
	model := strings.Trim(unnamed.ReplaceAllString(r.Order.Model, "-"), "-.")
	if len(model) > 60 {
		model = model[:60]
	}
	return strings.TrimPrefix(model+"-"+r.Digest()[:8], "-")
}

// Open takes up the record of a name in a dataset's directory if there is one for the same order;
// otherwise it makes r that record, on disk too. A job of another order that may be under way is not
// forgotten: that is an error. With again, a job that succeeded or is not known of is done once more.
// The caller has to Hold the directory from before Open until the job is started.
func (r *Record) Open(dir string, again bool) error {
	if err := r.Check(); err != nil {
		return err
	}
	r.path = filepath.Join(dir, Folder, r.Name+".json")
	old, err := Load(r.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		r.Order.Mark = ""
		return r.Save()
	case err != nil:
		return err
	}
	return r.follow(old, again)
}

// follow makes the record the one that comes after an older one of its name.
func (r *Record) follow(old *Record, again bool) error {
	same := old.Digest() == r.Digest()
	ended := old.Job != nil && (old.Job.State == Failed || old.Job.State == Cancelled || old.Job.State == Succeeded && (again || !same))
	underway := old.Job != nil && !old.Job.State.Done() || old.Job == nil && !old.Asked.IsZero() && !again
	if !same && underway {
		return fmt.Errorf("%s is of another job, which may be under way; give this one another --name", r.path)
	}
	if same {
		r.Training.ID, r.Training.Uploaded = old.Training.ID, old.Training.Uploaded
		if r.Validation != nil {
			r.Validation.ID, r.Validation.Uploaded = old.Validation.ID, old.Validation.Uploaded
		}
		r.Order.Mark, r.Asked, r.Job = old.Order.Mark, old.Asked, old.Job
	}
	r.Earlier = old.Earlier
	if ended {
		r.Earlier = append(r.Earlier, old.Job.ID)
	}
	if ended || again && r.Job == nil {
		r.Order.Mark, r.Asked, r.Job = "", time.Time{}, nil
	}
	return r.Save()
}

// Check says what is wrong with a record's name.
func (r *Record) Check() error {
	if !ValidName(r.Name) {
		return fmt.Errorf("%q is no name for a job: it is made of letters, digits, points, - and _", r.Name)
	}
	return nil
}

// ValidName reports whether a text can name a job's record.
func ValidName(text string) bool {
	return text != "" && len(text) <= 100 && !unnamed.MatchString(text) && strings.Trim(text, ".-") == text
}

// Path returns the record's file.
func (r *Record) Path() string { return r.path }

// Load reads a record.
func Load(path string) (*Record, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Record{path: path}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, fmt.Errorf("%s is no record of a job: %w", path, err)
	}
	switch {
	case r.Version != 1:
		return nil, fmt.Errorf("%s is a record of the form %d, and this program reads 1", path, r.Version)
	case r.Job != nil && !ValidID(r.Job.ID), r.Training.ID != "" && !ValidID(r.Training.ID):
		return nil, fmt.Errorf("%s is no record of a job: an id in it is none", path)
	}
	if r.Job != nil {
		// A dataset's directory may come from elsewhere, and these are shown.
		for _, text := range []string{string(r.Job.State), r.Job.Model, r.Job.Tuned, r.Job.Reason(), r.Order.Model, r.Name} {
			if llm.Clean(text) != text {
				return nil, fmt.Errorf("%s is no record of a job: it holds control characters", path)
			}
		}
	}
	if _, err := checkBase(r.BaseURL); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Records reads the records of a dataset's directory, the one that was ordered last first.
func Records(dir string) ([]*Record, error) {
	names, err := filepath.Glob(filepath.Join(globbed.Replace(dir), Folder, "*.json"))
	if err != nil {
		return nil, err
	}
	var all []*Record
	for _, name := range names {
		r, err := Load(name)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b *Record) int {
		return cmp.Or(b.Asked.Compare(a.Asked), b.Updated.Compare(a.Updated))
	})
	return all, nil
}

var globbed = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// Save writes the record, of which there is never half a one.
func (r *Record) Save() error {
	r.Version = 1
	if err := os.MkdirAll(filepath.Dir(r.path), 0o755); err != nil {
		return err
	}
	return logs.WriteJSON(r.path, r)
}

// Hold keeps the jobs of a dataset's directory for the caller until release is called or the process
// ends, so that commands that are given at the same moment order one job. It waits while another
// process has them, and tells so.
func Hold(ctx context.Context, dir string, tell func(string)) (release func() error, err error) {
	dir = filepath.Join(dir, Folder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for told := false; ; told = true {
		release, err := logs.Lock(dir)
		held := (*logs.Locked)(nil)
		if !errors.As(err, &held) {
			return release, err
		}
		if !told {
			tell(fmt.Sprintf("process %d starts a job of this dataset: waiting for it", held.PID))
		}
		if err := llm.Sleep(ctx, 200*time.Millisecond); err != nil {
			return nil, fmt.Errorf("wait for %s: %w", dir, err)
		}
	}
}
