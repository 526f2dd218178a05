package session

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"parley/eval/run"
	"parley/logs"
	"parley/sim"
)

// Row is a session that is done: complete, or failed and to be tried again.
type Row struct {
	ID        string    `json:"id" parquet:"id"`
	Index     int       `json:"index" parquet:"index"` // the same in every arm for the same situation
	Arm       string    `json:"arm" parquet:"arm,dict"`
	Seed      string    `json:"seed" parquet:"seed"` // decimal; 64 bits, which readers of JSON would round
	Kind      string    `json:"kind" parquet:"kind,dict"`
	Title     string    `json:"title" parquet:"title,dict"`
	State     run.State `json:"state" parquet:"state,dict"`
	Ended     string    `json:"ended" parquet:"ended,dict"` // why the play ended
	Error     string    `json:"error" parquet:"error"`
	Cast      []Seat    `json:"cast" parquet:"cast,list"`
	Turns     int       `json:"turns" parquet:"turns"`   // played
	Moves     int       `json:"moves" parquet:"moves"`   // of them by players
	Valid     int       `json:"valid" parquet:"valid"`   // of these without a fault
	Passes    int       `json:"passes" parquet:"passes"` // of these that did nothing
	Calls     int       `json:"calls" parquet:"calls"`   // of models, the judge's too
	Tokens    int       `json:"tokens" parquet:"tokens"` // as far as servers said
	Questions []string  `json:"questions" parquet:"questions,list"`
	Scenario  string    `json:"scenario" parquet:"scenario"` // the whole situation, JSON
	Started   time.Time `json:"started" parquet:"started,timestamp(microsecond)"`
	Finished  time.Time `json:"finished" parquet:"finished,timestamp(microsecond)"`
}

// Seat is a member of the cast with the model that plays it.
type Seat struct {
	ID    string `json:"id" parquet:"id"`
	Name  string `json:"name" parquet:"name"`
	Role  string `json:"role" parquet:"role"` // player | npc
	Model string `json:"model" parquet:"model"`
}

// NPC returns the id of the NPC; empty where there is none.
func (row *Row) NPC() string {
	for _, seat := range row.Cast {
		if seat.Role == "npc" {
			return seat.ID
		}
	}
	return ""
}

// count fills in what the episode says about the session.
func (row *Row) count(ep *sim.Episode) {
	row.Ended, row.Turns, row.Tokens = ep.Ended, ep.Turn(), ep.Tokens
	for _, m := range ep.Moves() {
		if m.Actor == ep.Scenario.NPC {
			continue
		}
		row.Moves++
		if m.Fault == "" {
			row.Valid++
		}
		if m.Kind == sim.KindPass {
			row.Passes++
		}
	}
}

// The tables of a run of sessions. A session's row comes last.
var (
	Events = run.Rows[sim.Event]{
		Name: "events", Job: func(e *sim.Event) string { return e.Session },
		Compare: func(a, b *sim.Event) int { return cmp.Or(cmp.Compare(a.Session, b.Session), a.Seq-b.Seq) },
		Untimed: func(e *sim.Event) { e.Time = time.Time{} },
		Calls:   func(e *sim.Event) []string { return e.Calls },
	}
	Sessions = run.Rows[Row]{
		Name: "sessions", Job: func(s *Row) string { return s.ID }, Keep: logs.KeepLast,
		Compare: func(a, b *Row) int { return cmp.Compare(a.ID, b.ID) },
		Untimed: func(s *Row) { s.Started, s.Finished = time.Time{}, time.Time{} },
		State:   func(s *Row) run.State { return s.State },
	}
)

// progressOf is what is known of a session while its events are checked.
type progressOf struct {
	events, turn, ends int
	last               bool // the last event so far ends its turn
	actors             []string
}

// checkedTables returns the tables with what Verify checks beside references and digests: turns are whole and
// follow each other, and sessions are those of the configuration.
func (p *Plan) checkedTables() []run.Table {
	seen := map[string]*progressOf{}
	events, sessions := Events, Sessions
	events.Check = func() run.CheckRow[sim.Event] {
		return func(e *sim.Event, finding func(string, ...any)) {
			if e != nil {
				checkEvent(e, seen, finding)
			}
		}
	}
	sessions.Check = func() run.CheckRow[Row] {
		return func(r *Row, finding func(string, ...any)) {
			if r == nil {
				return
			}
			p.checkRow(r, finding)
			s := seen[r.ID]
			switch {
			case r.State != run.Complete:
				return
			case s == nil:
				finding("%s is complete and has no events", r.ID)
				return
			case !s.last:
				finding("the last turn of %s is not whole", r.ID)
			case s.ends != 1:
				finding("%s ends %d times", r.ID, s.ends)
			case s.turn != r.Turns:
				finding("%s says %d turns, and %d were played", r.ID, r.Turns, s.turn)
			}
			for _, id := range s.actors {
				if !slices.ContainsFunc(r.Cast, func(seat Seat) bool { return seat.ID == id }) {
					finding("the events of %s name %s, who is not in the cast", r.ID, id)
				}
			}
		}
	}
	return []run.Table{events, sessions}
}

// checkEvent checks that an event follows the one before it.
func checkEvent(e *sim.Event, seen map[string]*progressOf, finding func(string, ...any)) {
	s := seen[e.Session]
	if s == nil {
		s = &progressOf{}
		seen[e.Session] = s
	}
	if e.Seq != s.events {
		finding("session %s has event %d where %d should be", e.Session, e.Seq, s.events)
	}
	s.events = e.Seq + 1
	switch {
	case e.Seq == 0 && e.Kind != sim.KindScene:
		finding("session %s does not begin with its scene", e.Session)
	case e.Turn < s.turn || e.Turn > s.turn+1:
		finding("session %s, event %d: turn %d follows turn %d", e.Session, e.Seq, e.Turn, s.turn)
	case e.Turn > s.turn && !s.last:
		finding("session %s: turn %d is not whole", e.Session, s.turn)
	}
	s.turn, s.last = e.Turn, e.Last
	if e.Kind == sim.KindEnd {
		s.ends++
	}
	if e.Kind == sim.KindPass && (e.Speech != "" || e.Deed != "") {
		finding("session %s, event %d is a pass that says or does something", e.Session, e.Seq)
	}
	for _, id := range append(slices.Clone(e.Audience), e.Actor) {
		if id != "" && !slices.Contains(s.actors, string(id)) {
			s.actors = append(s.actors, string(id))
		}
	}
}

// checkRow compares a session with the configuration: its seed, who took part, and how long they played.
func (p *Plan) checkRow(r *Row, finding func(string, ...any)) {
	c := p.config
	arm := slices.IndexFunc(c.Player, func(a Arm) bool { return a.Name == r.Arm })
	if arm < 0 || r.Index < 0 || r.Index >= c.Sessions || r.ID != ID(arm, r.Index) {
		finding("the configuration has no %s, session %d of arm %q", r.ID, r.Index, r.Arm)
		return
	}
	if seed := strconv.FormatUint(c.seed(r.Index), 10); r.Kind != c.Scenario || r.Seed != seed {
		finding("%s is of kind %s with seed %s, and the configuration says %s and %s", r.ID, r.Kind, r.Seed, c.Scenario, seed)
	}
	if r.Turns > c.Turns || r.Ended == "turns" && r.Turns != c.Turns {
		finding("%s has %d turns of %d, and was ended by %q", r.ID, r.Turns, c.Turns, r.Ended)
	}
	ids := map[string]bool{}
	var got, want []string
	for _, seat := range r.Cast {
		if ids[seat.ID] {
			finding("%s has %s in its cast twice", r.ID, seat.ID)
		}
		ids[seat.ID] = true
		got = append(got, seat.Role+" "+seat.Model)
	}
	for _, model := range c.Player[arm].Models(c.Players) {
		want = append(want, "player "+model)
	}
	if want = append(want, "npc "+c.NPC); !slices.Equal(got, want) {
		finding("%s has the seats %q, and the configuration has %q", r.ID, got, want)
	}
}
