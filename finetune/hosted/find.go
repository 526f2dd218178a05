package hosted

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"parley/eval/run"
)

// Handle is a job that a user names: by a dataset's directory, with its record there, or by its id.
type Handle struct {
	Address
	ID     string
	Record *Record // nil: the user named the id
}

// FindJob finds the job that a name means: a dataset's directory, a file of examples, a record or an id. Record is
// which one of a directory; empty: the one that was ordered last. Address says what the record does not.
func FindJob(name, record string, a Address, tell func(string)) (*Handle, error) {
	h := &Handle{}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		h.Record, err = recordOf(name, record, tell)
	case err == nil && strings.HasSuffix(name, ".jsonl"):
		h.Record, err = recordOf(filepath.Dir(name), record, tell)
	case err == nil:
		h.Record, err = Load(name)
	case !ValidID(name):
		return nil, run.Usagef("there is no %s, and it is no id of a job", name)
	case a.BaseURL == "":
		return nil, run.Usagef("there is no directory %s; if it is the id of a job, say with --base-url where it runs", name)
	default:
		h.ID, h.Address = name, a.Resolve(nil)
		return h, nil
	}
	if err != nil {
		return nil, err
	}
	if h.Record.Job == nil {
		return nil, fmt.Errorf("%s is of a job that was not created yet, as far as is known; go on with the same parley finetune start", h.Record.Path())
	}
	h.ID, h.Address = h.Record.Job.ID, a.Resolve(h.Record)
	if h.KeyVariable != "" && a.BaseURL == "" && !h.Trusted() {
		return nil, fmt.Errorf("%s says that the job runs on %s, which would be sent the key in %s: if you know it for yours, say so with --base-url %[2]s",
			h.Record.Path(), h.BaseURL, h.KeyVariable)
	}
	return h, nil
}

// recordOf reads the record of a name in a dataset's directory, or of the job that was ordered last.
func recordOf(dir, name string, tell func(string)) (*Record, error) {
	if name != "" {
		if !ValidName(name) {
			return nil, run.Usagef("--name %q is no name of a job", name)
		}
		return Load(filepath.Join(dir, Folder, name+".json"))
	}
	all, err := Records(dir)
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, fmt.Errorf("%s has no job; start one with parley finetune start", dir)
	case len(all) > 1:
		tell(fmt.Sprintf("%d jobs are in %s; this is about the last one, %s (another: --name)", len(all), dir, all[0].Name))
	}
	return all[0], nil
}

// Keep records how the job was last seen.
func (h *Handle) Keep(job *Job, now time.Time) error {
	if h.Record == nil || job == nil {
		return nil
	}
	h.Record.Job, h.Record.Updated = job, now.UTC().Truncate(time.Second)
	return h.Record.Save()
}

// List is the jobs of a server, or the records of a dataset's directory.
type List struct {
	BaseURL string    `json:"base_url,omitempty"` // empty: of a directory
	Jobs    []*Job    `json:"jobs,omitempty"`
	Records []*Record `json:"records,omitempty"`
}

// Print prints the list as a table.
func (l *List) Print(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	if l.BaseURL == "" {
		fmt.Fprintln(tab, "NAME\tJOB\tSTATE\tBASE\tMODEL\tSERVER")
		for _, r := range l.Records {
			job := cmp.Or(r.Job, &Job{ID: "-", State: "not created"})
			fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Name, job.ID, job.State, r.Order.Model, cmp.Or(job.Tuned, "-"), r.BaseURL)
		}
		return tab.Flush()
	}
	fmt.Fprintln(tab, "JOB\tSTATE\tCREATED\tBASE\tMODEL")
	for _, job := range l.Jobs {
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\n", job.ID, job.State, stamp(job.Created), cmp.Or(job.Model, "-"), cmp.Or(job.Tuned, "-"))
	}
	return tab.Flush()
}

// History lists what happened in a job, the oldest first.
type History struct {
	ID     string  `json:"id"`
	Events []Event `json:"events"`
}

// Print prints an event a line.
func (h *History) Print(w io.Writer) error {
	for i := range h.Events {
		if _, err := fmt.Fprintf(w, "%s  %s\n", stamp(h.Events[i].Created), &h.Events[i]); err != nil {
			return err
		}
	}
	return nil
}

// stamp writes a time of the server's.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}
