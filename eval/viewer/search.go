package viewer

import (
	"maps"
	"strings"
	"time"

	"parley/eval/run"
	"parley/eval/session"
)

// maxSearches is how many texts of a run are remembered with where they were found.
const maxSearches = 4

// search looks for a text in what was said, done and answered in a run. It goes on while pages are shown.
type search struct {
	text    string // lower case
	found   map[string]bool
	at      table
	stopped bool // a newer one took its place
	done    chan struct{}
}

// search returns the sessions in which a text is said so far, and whether all were looked at. It waits that long
// for the rest.
func (x *index) search(text string, wait time.Duration) (found map[string]bool, whole bool) {
	text = strings.ToLower(text)
	x.mu.Lock()
	var s *search
	for _, known := range x.searches {
		if known.text == text {
			s = known
		}
	}
	if s == nil {
		s = &search{text: text, found: map[string]bool{}}
		if x.searches = append(x.searches, s); len(x.searches) > maxSearches {
			x.searches[0].stopped = true
			x.searches = x.searches[1:]
		}
	}
	if s.done == nil {
		s.done = make(chan struct{})
		go x.look(s)
	}
	done := s.done
	x.mu.Unlock()
	select {
	case <-done:
		whole = true
	case <-time.After(wait):
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	return maps.Clone(s.found), whole
}

// look reads the events that the search has not seen yet.
func (x *index) look(s *search) {
	type event struct {
		Session string `json:"session" parquet:"session"`
		Speech  string `json:"speech" parquet:"speech"`
		Deed    string `json:"deed" parquet:"deed"`
		Text    string `json:"text" parquet:"text"`
	}
	rows := run.Rows[event]{Name: session.Events.Name}
	file, err := rows.File(x.dir)
	if err == nil && !file.Grew(s.at.file) {
		s.at = table{}
	}
	var hits []string
	keep := func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		for _, id := range hits {
			s.found[id] = true
		}
		if len(hits) > 0 {
			x.version++
		}
		hits = hits[:0]
		return !s.stopped && x.ctx.Err() == nil
	}
	n := 0
	if err == nil && (s.at.file.Info == nil || file.Info.Size() != s.at.file.Info.Size()) {
		s.at.file = file
		for row, err := range rows.Scan(file, s.at.next) {
			if err != nil {
				break // a finding of the index
			}
			if e := &row.Row; s.in(e.Speech) || s.in(e.Deed) || s.in(e.Text) {
				hits = append(hits, e.Session)
			}
			s.at.next = row.At.To
			if n++; n%1024 == 0 && !keep() {
				break
			}
		}
	}
	keep()
	x.mu.Lock()
	defer x.mu.Unlock()
	close(s.done)
	if s.done = nil; n > 0 {
		x.version++
	}
}

func (s *search) in(text string) bool { return strings.Contains(strings.ToLower(text), s.text) }

// naming returns a function that reports whether a text is in what the summary of a session says of it. Many sessions
// have the same title and end; ids are compared as they are written.
func naming(id string) func(*entry) bool {
	text := strings.ToLower(id)
	known := map[string]bool{}
	in := func(own string) bool {
		has, seen := known[own]
		if !seen {
			has = strings.Contains(strings.ToLower(own), text)
			known[own] = has
		}
		return has
	}
	return func(e *entry) bool {
		return strings.Contains(e.id, id) || in(e.title) || in(e.ended) || e.failure != "" && strings.Contains(strings.ToLower(e.failure), text)
	}
}
