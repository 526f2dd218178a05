package hosted

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Event is something that a server tells of a job. Texts are cleaned.
type Event struct {
	ID      string             `json:"id,omitempty"`
	Created time.Time          `json:"created_at,omitzero"`
	Level   string             `json:"level,omitempty"` // info, warn, error
	Kind    string             `json:"type,omitempty"`  // message, metrics
	Message string             `json:"message"`
	Metrics map[string]float64 `json:"metrics,omitempty"` // such as step, train_loss, valid_loss
}

func readEvent(raw []byte, w washer) Event {
	top := object(raw)
	text := func(name string) string { return w.line(plain(top[name])) }
	e := Event{ID: text("id"), Created: when(top["created_at"]), Level: text("level"), Kind: text("type"), Message: text("message")}
	for name, value := range object(top["data"]) {
		if f, ok := number(value); ok {
			if e.Metrics == nil {
				e.Metrics = map[string]float64{}
			}
			e.Metrics[w.line(name)] = f
		}
	}
	return e
}

// key tells events apart, also on servers that give them no id.
func (e *Event) key() string {
	if e.ID != "" {
		return e.ID
	}
	return strconv.FormatInt(e.Created.Unix(), 10) + " " + e.Message
}

// said is how servers write steps into messages.
var said = regexp.MustCompile(`(?i)\bstep (\d{1,9})(?:/| of )(\d{1,9})`)

// Step returns how far the training was at the event, and how far it goes; 0: the event does not say.
func (e *Event) Step() (step, of int) {
	step, of = int(e.Metrics["step"]), int(e.Metrics["total_steps"])
	if m := said.FindStringSubmatch(e.Message); m != nil && step <= 0 {
		step, _ = strconv.Atoi(m[1]) // at most 9 digits
		of, _ = strconv.Atoi(m[2])
	}
	return step, of
}

// Events returns what happened in a job, the oldest first. Servers list the newest first, so a limit
// keeps the newest, and after, the id of an event, those that are older than it.
func (c *Client) Events(ctx context.Context, id string, p Page) ([]Event, error) {
	return c.events(ctx, id, p, nil)
}

// events reads until it meets a page of events that are known already.
func (c *Client) events(ctx context.Context, id string, p Page, known map[string]bool) ([]Event, error) {
	if err := checkID("job", id); err != nil {
		return nil, err
	}
	var all []Event
	old := 0 // known events in a row
	for raw, err := range c.list(ctx, "list the events of job "+id, "/fine_tuning/jobs/"+id+"/events", p) {
		if err != nil {
			return nil, err
		}
		e := readEvent(raw, c.wash)
		if all = append(all, e); known[e.key()] {
			old++
		} else {
			old = 0
		}
		if old >= perPage/2 && !ascends(all) {
			break
		}
	}
	if !ascends(all) {
		slices.Reverse(all)
	}
	slices.SortStableFunc(all, func(a, b Event) int { return a.Created.Compare(b.Created) })
	return slices.DeleteFunc(all, func(e Event) bool { return known[e.key()] }), nil
}

// ascends reports whether a server lists the oldest event first, against the custom.
func ascends(all []Event) bool {
	return len(all) > 1 && all[0].Created.Before(all[len(all)-1].Created)
}

// String is the event in a line, as it is shown.
func (e *Event) String() string {
	var b strings.Builder
	if e.Level != "" && e.Level != "info" {
		b.WriteString(e.Level + ": ")
	}
	b.WriteString(e.Message)
	sep := "  "
	for _, name := range slices.Sorted(maps.Keys(e.Metrics)) {
		fmt.Fprintf(&b, "%s%s %v", sep, name, e.Metrics[name])
		sep = ", "
	}
	return b.String()
}
