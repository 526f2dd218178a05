package hosted

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/sim/llm"
)

// Waiting says how a job is waited for. The zero value is ready to use.
type Waiting struct {
	// Every is the wait between two looks while things happen; 0: 10 seconds. While nothing does it
	// grows to Max; 0: a minute, or Every where that is more.
	Every, Max time.Duration
	// Outage is how long the server may be away; 0: 30 minutes.
	Outage time.Duration
}

// Progress holds the news of a look.
type Progress struct {
	Job     *Job // as it is now; nil: the server did not answer, see Trouble
	Changed bool // its state is another than at the look before; true at the first
	Events  []Event
	Step    int // of the training; 0: the server does not say
	Steps   int
	Trouble error // why the server did not answer; it will be asked again
}

// Wait looks at a job until it is done, and tells what is new at each look. A server that does not
// answer for a while is asked again. The job goes on when the context ends.
func (c *Client) Wait(ctx context.Context, id string, w Waiting, tell func(Progress) error) (*Job, error) {
	w.Every = cmp.Or(w.Every, 10*time.Second)
	w.Max = max(cmp.Or(w.Max, time.Minute), w.Every)
	w.Outage = cmp.Or(w.Outage, 30*time.Minute)
	known, eventless := map[string]bool{}, false
	var state State
	var p Progress
	var away time.Duration
	for wait := w.Every; ; {
		job, err := c.Job(ctx, id)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || !e.Temporary() && e.Cause.Fault != llm.OverBudget || away >= w.Outage {
				return nil, err
			}
			if err := tell(Progress{Step: p.Step, Steps: p.Steps, Trouble: err}); err != nil {
				return nil, err
			}
			pause := max(wait, min(e.Cause.RetryAfter, w.Outage))
			if err := llm.Sleep(ctx, pause); err != nil {
				return nil, err
			}
			away += pause
			continue
		}
		away = 0
		p.Job, p.Changed, p.Events = job, job.State != state, nil
		state = job.State
		if !eventless {
			if eventless, err = c.news(ctx, id, &p, known); err != nil {
				return nil, err
			}
		}
		if err := tell(p); err != nil {
			return nil, err
		}
		switch {
		case job.State.Done():
			return job, nil
		case !job.Finished.IsZero() && job.Finished.After(job.Created) && !slices.Contains(underway, job.State):
			return job, fmt.Errorf("job %s is finished, and the server calls its state %q, which parley does not know", id, job.State)
		}
		if p.Changed || len(p.Events) > 0 {
			wait = w.Every
		} else {
			wait = min(wait+wait/2, w.Max)
		}
		if err := llm.Sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// news adds the events that are not known yet to the progress. It reports whether the server has none at all.
func (c *Client) news(ctx context.Context, id string, p *Progress, known map[string]bool) (eventless bool, err error) {
	fresh, err := c.events(ctx, id, Page{}, known)
	switch llm.FaultOf(err) {
	case llm.NotFound, llm.Unsupported, llm.BadRequest:
		return true, nil
	case "":
		if err != nil {
			return false, err
		}
	}
	for _, e := range fresh {
		known[e.key()] = true
		step, of := e.Step()
		p.Step, p.Steps = max(p.Step, step), max(p.Steps, of)
	}
	p.Events = fresh
	return false, nil
}
