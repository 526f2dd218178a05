package viewer

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"parley/characters"
	"parley/eval/report"
	"parley/eval/report/view"
	"parley/eval/session"
	"parley/sim"
)

// turnOf returns the turn by which the calls behind an event are found: their ids say it.
func turnOf(e *sim.Event) int {
	for _, id := range e.Calls {
		if rest, ok := strings.CutPrefix(id, e.Session+"/"); ok {
			turn, _, _ := strings.Cut(rest, "/")
			if n, err := strconv.Atoi(turn); err == nil {
				return n
			}
		}
	}
	return e.Turn
}

// callsPerPage is how many calls a page shows.
const callsPerPage = 20

// turnPage is the body of the page of a turn's calls.
type turnPage struct {
	Session, Back string
	Turn          int
	Talk          *view.Talk
	Calls         []shownCall
	Shown         string
	Turns         []choice
}

// shownCall is a call with what a page says of it.
type shownCall struct {
	*session.ShownCall
	Number int
	Who    string
	Facts  view.Facts
}

// turn is the page of the calls of one turn: the exact prompt, the raw reply, the reasoning, tokens and times.
func (v *Viewer) turn(r *http.Request) (*document, error) {
	x, name, err := v.open(r)
	if err != nil {
		return nil, err
	}
	id := r.URL.Query().Get("id")
	n, _ := strconv.Atoi(r.URL.Query().Get("turn"))
	t, _, err := x.transcript(id, true)
	if err != nil {
		return nil, err
	}
	b := &turnPage{Session: id, Back: runURL(name, "session", "id", id), Turn: n, Talk: &view.Talk{}}
	of := map[string]bool{} // calls behind the turn's events
	for i := range t.Events {
		if e := &t.Events[i]; turnOf(e) == n {
			b.Talk.Lines = append(b.Talk.Lines, t.Line(e, maxShown))
			for _, id := range e.Calls {
				of[id] = true
			}
		}
	}
	turns := []int{}
	for i := range t.Calls {
		if turn := t.Calls[i].Turn; !slices.Contains(turns, turn) {
			turns = append(turns, turn)
		}
	}
	slices.Sort(turns)
	t.Calls = slices.DeleteFunc(t.Calls, func(c session.ShownCall) bool { return c.Turn != n && !of[c.ID] })
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	pages := max(1, (len(t.Calls)+callsPerPage-1)/callsPerPage)
	page = min(max(1, page), pages)
	all, from := len(t.Calls), (page-1)*callsPerPage
	t.Calls = t.Calls[from:min(from+callsPerPage, all)]
	messages, err := x.messages(t.Prompts())
	if err != nil {
		return nil, err
	}
	t.Ask(messages)
	for i := range t.Calls {
		b.Calls = append(b.Calls, showCall(t, &t.Calls[i], from+i+1))
	}
	if b.Shown = fmt.Sprintf("%d calls", all); all == 1 {
		b.Shown = "1 call"
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	d := x.document("turn", name, fmt.Sprintf("%s, turn %d", id, n))
	d.Where = append(d.Where, step{id, b.Back}, step{Text: fmt.Sprintf("turn %d", n)})
	address := func(turn, page int) string {
		return runURL(name, "turn", "id", id, "turn", strconv.Itoa(turn), "page", strconv.Itoa(page))
	}
	if pages > 1 {
		b.Shown += fmt.Sprintf(", page %d of %d", page, pages)
	}
	i, _ := slices.BinarySearch(turns, n)
	switch {
	case page > 1:
		d.Prev = address(n, page-1)
	case i > 0:
		d.Prev = address(turns[i-1], 1)
	}
	switch {
	case page < pages:
		d.Next = address(n, page+1)
	case i+1 < len(turns):
		d.Next = address(turns[i+1], 1)
	}
	for _, turn := range turns {
		text := fmt.Sprint(turn)
		if turn == 0 {
			text = "outside of the play"
		}
		b.Turns = append(b.Turns, choice{address(turn, 1), text, turn == n})
	}
	d.Body = b
	return d, nil
}

// showCall makes what a page says of a call.
func showCall(t *session.Transcript, c *session.ShownCall, number int) shownCall {
	count := func(n *int) string {
		if n == nil {
			return "unknown"
		}
		return report.Grouped(int64(*n))
	}
	s := shownCall{ShownCall: c, Number: number, Who: t.Name(characters.ID(c.Actor))}
	add := func(name, text string) {
		if text != "" {
			s.Facts = append(s.Facts, view.Fact{Name: name, Text: []string{text}})
		}
	}
	model := c.Model
	if c.Served != "" && c.Served != c.Model {
		model += ", served as " + c.Served
	}
	add("Model", model)
	add("Ended", strings.Join(slices.DeleteFunc([]string{string(c.Finish), c.FinishRaw, string(c.Fault)}, func(s string) bool { return s == "" }), ", "))
	add("Tokens", fmt.Sprintf("prompt %s (cached %s), reply %s", count(c.Tokens), count(c.Cached), count(c.Output)))
	times := report.Seconds(c.Total) + " in all"
	for i, us := range []int64{c.Queue, c.Load, c.Read, c.Write} {
		if us > 0 {
			times += ", " + []string{"queue ", "load ", "prompt ", "reply "}[i] + report.Seconds(us)
		}
	}
	add("Time", times)
	how := fmt.Sprintf("seed %d, asked %d times", c.Seed, c.Attempt)
	if c.Attempt == 1 {
		how = fmt.Sprintf("seed %d, asked once", c.Seed)
	}
	if c.Schema {
		how += ", constrained by a schema"
	}
	if c.Dropped > 0 {
		how += fmt.Sprintf(", without the %d oldest events, which did not fit", c.Dropped)
	}
	if c.FromCache {
		how += ", answered from the cache"
	}
	add("Request", how)
	add("Started", c.Started.UTC().Format("2006-01-02 15:04:05.000 MST"))
	add("Id", c.ID)
	return s
}
