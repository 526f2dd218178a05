package hosted

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"parley/sim/llm"
)

// State is how far a job came, in the words of the protocol. Servers have others too.
type State string

const (
	ValidatingFiles State = "validating_files"
	Queued          State = "queued"
	Running         State = "running"
	Paused          State = "paused"
	Succeeded       State = "succeeded"
	Failed          State = "failed"
	Cancelled       State = "cancelled"
)

// underway are the states of the protocol that are not the last.
var underway = []State{ValidatingFiles, Queued, Running, Paused}

// Done reports whether nothing more will happen.
func (s State) Done() bool { return s == Succeeded || s == Failed || s == Cancelled }

// Job is a fine-tuning job as its server tells of it. Texts are cleaned: they hold no control
// characters. What the server does not say is empty.
type Job struct {
	ID              string            `json:"id"`
	State           State             `json:"status"`
	Model           string            `json:"model,omitempty"`            // the base
	Tuned           string            `json:"fine_tuned_model,omitempty"` // the new model, once there is one
	Created         time.Time         `json:"created_at,omitzero"`
	Finished        time.Time         `json:"finished_at,omitzero"`
	Estimated       time.Time         `json:"estimated_finish,omitzero"`
	TrainingFile    string            `json:"training_file,omitempty"`
	ValidationFile  string            `json:"validation_file,omitempty"`
	Method          string            `json:"method,omitempty"`          // supervised, dpo, or another
	Hyperparameters map[string]string `json:"hyperparameters,omitempty"` // numbers, or auto
	Seed            *int64            `json:"seed,omitempty"`
	Suffix          string            `json:"suffix,omitempty"`
	TrainedTokens   *int64            `json:"trained_tokens,omitempty"` // that are billed
	ResultFiles     []string          `json:"result_files,omitempty"`
	Metadata        map[string]string `json:"metadata,omitempty"`
	Failure         *Failure          `json:"error,omitempty"`
}

// Failure is why a job failed.
type Failure struct {
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	Param   string `json:"param,omitempty"` // usually training_file or validation_file
}

// Reason says why a job failed, in a line.
func (j *Job) Reason() string {
	f := j.Failure
	if f == nil {
		return "the server gave no reason"
	}
	s := f.Message
	if f.Code != "" {
		s = strings.TrimSuffix(f.Code+": "+s, ": ")
	}
	if f.Param != "" {
		s = strings.TrimSpace(s + " (" + f.Param + ")")
	}
	return s
}

// readJob reads a job as the protocol writes it.
func readJob(raw []byte, w washer) (*Job, error) {
	top := object(raw)
	text := func(name string) string { return w.line(plain(top[name])) }
	j := &Job{
		ID: plain(top["id"]), State: State(strings.ToLower(text("status"))), Model: text("model"), Tuned: text("fine_tuned_model"),
		Created: when(top["created_at"]), Finished: when(top["finished_at"]), Estimated: when(top["estimated_finish"]),
		TrainingFile: text("training_file"), ValidationFile: text("validation_file"), Seed: whole(top["seed"]),
		Suffix: cmp.Or(text("user_provided_suffix"), text("suffix")), TrainedTokens: whole(top["trained_tokens"]),
		Metadata: texts(top["metadata"], w), Hyperparameters: texts(top["hyperparameters"], w),
	}
	switch {
	case !ValidID(j.ID):
		return nil, errors.New("the answer is no fine-tuning job: it has no id")
	case w.keys.Redact(j.ID) != j.ID:
		return nil, errors.New("the answer is no fine-tuning job: its id is the key")
	case j.State == "":
		return nil, errors.New("the answer is no fine-tuning job: it has no status")
	case j.State == "canceled":
		j.State = Cancelled
	}
	if method := object(top["method"]); method != nil {
		j.Method = w.line(plain(method["type"]))
		if inner := texts(object(method[j.Method])["hyperparameters"], w); len(inner) > 0 {
			j.Hyperparameters = inner
		}
	}
	var files []json.RawMessage
	_ = json.Unmarshal(top["result_files"], &files) // what is no list counts as none
	for _, file := range files {
		if name := w.line(cmp.Or(plain(file), plain(object(file)["id"]))); name != "" {
			j.ResultFiles = append(j.ResultFiles, name)
		}
	}
	inner := object(top["error"])
	f := Failure{w.line(plain(inner["code"])), w.line(cmp.Or(plain(inner["message"]), plain(top["error"]))), w.line(plain(inner["param"]))}
	if f != (Failure{}) {
		j.Failure = &f
	}
	return j, nil
}

// texts reads the plain values of an object.
func texts(raw json.RawMessage, w washer) map[string]string {
	var out map[string]string
	for key, value := range object(raw) {
		if s := w.line(plain(value)); s != "" {
			if out == nil {
				out = map[string]string{}
			}
			out[w.line(key)] = s
		}
	}
	return out
}

// Job asks for a job.
func (c *Client) Job(ctx context.Context, id string) (*Job, error) {
	return c.job(ctx, http.MethodGet, id, "", "look at job "+id)
}

func (c *Client) job(ctx context.Context, method, id, action, doing string) (*Job, error) {
	if err := checkID("job", id); err != nil {
		return nil, err
	}
	return ask(ctx, c, request{doing: doing, method: method, path: "/fine_tuning/jobs/" + id + action}, readJob)
}

// Cancel ends a job. A job that is cancelled already is no error; one that ended otherwise comes back
// with the server's refusal.
func (c *Client) Cancel(ctx context.Context, id string) (*Job, error) {
	job, err := c.job(ctx, http.MethodPost, id, "/cancel", "cancel job "+id)
	if llm.FaultOf(err) != llm.BadRequest && llm.FaultOf(err) != llm.Overloaded && llm.FaultOf(err) != llm.BadResponse {
		return job, err
	}
	// The first of two tries may have done it; and not every server answers with the job.
	after, lookErr := c.Job(ctx, id)
	if lookErr == nil && after.State == Cancelled {
		return after, nil
	}
	return after, err
}

// Page says which part of a list is asked for.
type Page struct {
	After string // an id; empty: from the start
	Limit int    // how many in all; 0: all
}

// perPage is how many entries are asked for at once.
const perPage = 100

// Jobs lists the jobs of the account in the server's order, which is newest first.
func (c *Client) Jobs(ctx context.Context, p Page) iter.Seq2[*Job, error] {
	return func(yield func(*Job, error) bool) {
		for raw, err := range c.list(ctx, "list jobs", "/fine_tuning/jobs", p) {
			if err != nil {
				yield(nil, err)
				return
			}
			// What is no job, in a list of some, is none that could be asked for.
			if job, err := readJob(raw, c.wash); err == nil && !yield(job, nil) {
				return
			}
		}
	}
}

// page is a part of a list.
type page struct {
	data []json.RawMessage
	more bool
}

func readPage(raw []byte, _ washer) (p page, err error) {
	top := object(raw)
	if json.Unmarshal(top["data"], &p.data) != nil || top["data"] == nil {
		return p, errors.New("the answer is no list")
	}
	p.more = plain(top["has_more"]) == "true"
	return p, nil
}

// list goes through the pages of a list.
func (c *Client) list(ctx context.Context, doing, path string, p Page) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		after, left, seen := p.After, p.Limit, map[string]bool{}
		for {
			query := url.Values{}
			size := perPage
			if p.Limit > 0 {
				size = min(size, left)
			}
			query.Set("limit", strconv.Itoa(size))
			if after != "" {
				query.Set("after", after)
			}
			page, err := ask(ctx, c, request{doing: doing, method: http.MethodGet, path: path, query: query}, readPage)
			if err != nil {
				yield(nil, err)
				return
			}
			last := ""
			for _, raw := range page.data {
				last = plain(object(raw)["id"])
				if !yield(raw, nil) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
			// A server that says "more" for ever must not be asked for ever.
			if !page.more || !ValidID(last) || seen[last] {
				return
			}
			seen[last], after = true, last
		}
	}
}
