package hosted

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"time"

	"parley/sim/llm"
)

// Create orders a job. Where an answer is lost the job is looked for among the server's before it is
// ordered again, so that it is paid for once; the jobs named by others are known not to be it. Where the
// server does not list its jobs the error says so.
func (c *Client) Create(ctx context.Context, o Order, others ...string) (*Job, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := checkID("file", o.TrainingFile); err != nil {
		return nil, err
	}
	var job *Job
	err := c.again(ctx, func() (e *Error) {
		job, e = c.order(ctx, o)
		if e != nil && o.Mark != "" && len(o.Metadata) == 0 && refusesMetadata(e) {
			o.Mark = ""
			job, e = c.order(ctx, o)
		}
		if e == nil || !e.Maybe || ctx.Err() != nil {
			return e
		}
		found, err := c.look(ctx, o, others)
		if found != nil {
			job = found
			return nil
		}
		if err != nil {
			e.hint("whether there is a job now is not known, for the server's jobs cannot be listed: " + err.Error())
			e.Cause.Final = true
		}
		return e
	})
	var e *Error
	if errors.As(err, &e) && e.Cause.Fault == llm.BadRequest && e.Param == "method" && o.Method == SFT {
		e.hint("a server without methods may take --top-level-hyperparameters")
	}
	return job, err
}

// searched is how many jobs are looked through for one that was just ordered.
const searched = 300

// look looks for the job of an order among the newest of the server's, some times, as a server may show
// a little late what it took; nil: there is none. It is found by the order's mark, and on servers that keep
// no metadata by the training file, which is sent for one order only, with the validation file, seed and
// suffix where the server tells them.
func (c *Client) look(ctx context.Context, o Order, others []string) (*Job, error) {
	for _, wait := range []time.Duration{0, 2 * time.Second, 8 * time.Second} {
		if err := llm.Sleep(ctx, wait); err != nil {
			return nil, err
		}
		for job, err := range c.Jobs(ctx, Page{Limit: searched}) {
			if err != nil {
				return nil, err
			}
			if !slices.Contains(others, job.ID) && answers(job, o) {
				return job, nil
			}
		}
	}
	return nil, nil
}

// unknownWords are how a server says that it does not know a field.
var unknownWords = regexp.MustCompile(`(?i)unknown|unrecogni[sz]ed|unsupported|not supported|unexpected|extra|not permitted|not allowed|additional|invalid`)

func refusesMetadata(e *Error) bool {
	text := e.Cause.Err.Error()
	return e.Cause.Fault == llm.BadRequest &&
		(e.Param == "metadata" || unknownWords.MatchString(text) && regexp.MustCompile(`(?i)metadata|`+markKey).MatchString(text))
}

// order asks for a job once.
func (c *Client) order(ctx context.Context, o Order) (job *Job, e *Error) {
	r := request{doing: "create the job", method: http.MethodPost, path: "/fine_tuning/jobs", kind: "application/json"}
	body, err := o.body()
	if err != nil {
		return nil, c.fail(r, "", fmt.Errorf("create the job: %w", err))
	}
	r.size = int64(len(body))
	r.body = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	job, e = attempt(ctx, c, r, readJob)
	return job, e
}

// answers reports whether a job is the one that was ordered.
func answers(j *Job, o Order) bool {
	if mark := j.Metadata[markKey]; mark != "" {
		return mark == o.Mark
	}
	return j.TrainingFile == o.TrainingFile && j.ValidationFile == o.ValidationFile &&
		(o.Seed == nil || j.Seed == nil || *j.Seed == *o.Seed) &&
		(j.Suffix == "" || j.Suffix == o.Suffix)
}
