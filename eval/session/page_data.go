package session

import (
	"cmp"
	"slices"
	"time"

	"parley/eval/report"
	"parley/eval/run"
	"parley/logs"
	"parley/sim"
)

// How much of a run its report holds, however large the run is.
const (
	listedSessions = 200 // rows in the list of sessions, shared among the arms
	listedFailures = 50  // failed sessions that are listed beyond these
	transcripts    = 10  // the first session of as many arms
)

// pageData is what a report needs of a run's streams. It grows with the arms and not with the
// sessions, but for where each session belongs.
type pageData struct {
	arms     []armData
	sessions []sessionLine
	left     int // sessions that are not listed
	spoken   []*Transcript
	errors   map[string]int // of failed sessions

	index map[string]seated // by session
}

// armData is the play of one arm.
type armData struct {
	name                 string
	sessions             map[run.State]int
	ended                map[string]int
	turns, moves, valid  int
	passes, calls, token int
	debriefs             int
	faults               map[faulty]int
	shown                int
}

// faulty is a kind of malformed turn: what was wrong, in whose.
type faulty struct{ who, fault string }

const (
	byPlayers  = "players' turns"
	byNPC      = "NPC's turns"
	byDebriefs = "debriefs"
)

type seated struct {
	arm int
	npc string
}

// sessionLine is a session in the list.
type sessionLine struct {
	ID       string    `json:"id" parquet:"id"`
	Index    int       `json:"index" parquet:"index"`
	Arm      string    `json:"arm" parquet:"arm"`
	Title    string    `json:"title" parquet:"title"`
	State    run.State `json:"state" parquet:"state"`
	Ended    string    `json:"ended" parquet:"ended"`
	Error    string    `json:"error" parquet:"error"`
	Cast     []Seat    `json:"cast" parquet:"cast,list"`
	Turns    int       `json:"turns" parquet:"turns"`
	Moves    int       `json:"moves" parquet:"moves"`
	Valid    int       `json:"valid" parquet:"valid"`
	Passes   int       `json:"passes" parquet:"passes"`
	Calls    int       `json:"calls" parquet:"calls"`
	Tokens   int       `json:"tokens" parquet:"tokens"`
	Started  time.Time `json:"started" parquet:"started,timestamp(microsecond)"`
	Finished time.Time `json:"finished" parquet:"finished,timestamp(microsecond)"`
}

// readPage reads each stream of a run once, and only the columns that are counted; of the sessions
// with transcripts it then reads whole rows.
func readPage(dir string, e *Config) (*pageData, error) {
	d := &pageData{errors: map[string]int{}, index: map[string]seated{}}
	for i := range e.Player {
		d.arms = append(d.arms, armData{
			name: e.Player[i].Name, sessions: map[run.State]int{}, ended: map[string]int{}, faults: map[faulty]int{},
		})
	}
	if err := d.readSessions(dir); err != nil {
		return nil, err
	}
	events, err := d.readEvents(dir)
	if err != nil {
		return nil, err
	}
	scores, err := d.places(dir, run.Scores.Name)
	if err != nil {
		return nil, err
	}
	return d, d.readTranscripts(dir, events, scores)
}

func (d *pageData) readSessions(dir string) error {
	first := make([]*sessionLine, len(d.arms))
	failed := 0
	for row, err := range (run.Rows[sessionLine]{Name: Sessions.Name}).Read(dir) {
		if err != nil {
			return err
		}
		arm := slices.IndexFunc(d.arms, func(a armData) bool { return a.name == row.Arm })
		if arm < 0 {
			continue
		}
		a := &d.arms[arm]
		a.sessions[row.State]++
		where := seated{arm: arm}
		for _, s := range row.Cast {
			if s.Role == "npc" {
				where.npc = s.ID
			}
		}
		d.index[row.ID] = where
		if row.State == run.Failed {
			d.errors[report.Shorten(row.Error, 160)]++
		} else {
			a.ended[row.Ended]++
			a.turns, a.moves, a.valid, a.passes = a.turns+row.Turns, a.moves+row.Moves, a.valid+row.Valid, a.passes+row.Passes
		}
		a.calls, a.token = a.calls+row.Calls, a.token+row.Tokens
		if first[arm] == nil || row.Index < first[arm].Index {
			first[arm] = &row
		}
		switch {
		case a.shown < max(5, listedSessions/len(d.arms)):
			a.shown++
		case row.State == run.Failed && failed < listedFailures:
			failed++
		default:
			d.left++
			continue
		}
		d.sessions = append(d.sessions, row)
	}
	slices.SortFunc(d.sessions, func(a, b sessionLine) int { return cmp.Compare(a.ID, b.ID) })
	for _, row := range first[:min(len(first), transcripts)] {
		if row != nil {
			d.spoken = append(d.spoken, &Transcript{Session: row.ID, Row: &Row{ID: row.ID, Arm: row.Arm, Title: row.Title, Error: row.Error, Cast: row.Cast, Turns: row.Turns}})
		}
	}
	return nil
}

// spans says where the rows of the sessions with transcripts are in the file of a table.
type spans map[string]logs.Span

func (d *pageData) newSpans() spans {
	s := spans{}
	for _, t := range d.spoken {
		s[t.Session] = logs.Span{}
	}
	return s
}

// note notes the place of a row.
func (s spans) note(session string, at logs.Span) {
	if have, wanted := s[session]; wanted {
		s[session] = have.Join(at)
	}
}

// places reads where the rows of the sessions with transcripts are.
func (d *pageData) places(dir, table string) (spans, error) {
	type row struct {
		Session string `json:"session" parquet:"session"`
	}
	rows := run.Rows[row]{Name: table}
	f, err := rows.File(dir)
	if err != nil {
		return nil, err
	}
	s := d.newSpans()
	for row, err := range rows.Scan(f, 0) {
		if err != nil {
			return nil, err
		}
		s.note(row.Row.Session, row.At)
	}
	return s, nil
}

// readEvents counts what is malformed. Where nothing is, which one column says, the others are not read.
func (d *pageData) readEvents(dir string) (spans, error) {
	type event struct {
		Session string `json:"session" parquet:"session"`
		Kind    string `json:"kind" parquet:"kind"`
		Actor   string `json:"actor" parquet:"actor"`
		Fault   string `json:"fault" parquet:"fault"`
	}
	rows := run.Rows[event]{Name: Events.Name}
	f, err := rows.File(dir)
	if err != nil {
		return nil, err
	}
	if sound, err := sound(f); err != nil {
		return nil, err
	} else if sound {
		return d.places(dir, Events.Name)
	}
	at := d.newSpans()
	for row, err := range rows.Scan(f, 0) {
		if err != nil {
			return nil, err
		}
		e := row.Row
		at.note(e.Session, row.At)
		where, ok := d.index[e.Session]
		if !ok {
			continue // under way
		}
		a := &d.arms[where.arm]
		who := byPlayers
		switch {
		case e.Kind == string(sim.KindDebrief):
			a.debriefs++
			who = byDebriefs
		case e.Actor == where.npc:
			who = byNPC
		}
		if e.Fault != "" {
			a.faults[faulty{who, e.Fault}]++
		}
	}
	return at, nil
}

// sound reports whether nothing is malformed in the events of a complete run.
func sound(f run.File) (bool, error) {
	type fault struct {
		Fault string `parquet:"fault"`
	}
	if !f.Parquet {
		return false, nil
	}
	for e, err := range logs.ReadParquet[fault](f.Path) {
		if err != nil || e.Fault != "" {
			return false, err
		}
	}
	return true, nil
}

func (d *pageData) readTranscripts(dir string, events, scores spans) error {
	for _, t := range d.spoken {
		if err := t.read(dir, Places{Events: events[t.Session], Scores: scores[t.Session]}); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(d.spoken, (*Transcript).faulty) {
		return nil
	}
	calls, err := d.places(dir, run.Calls.Name)
	for _, t := range d.spoken {
		if err == nil && t.faulty() {
			err = t.read(dir, Places{Calls: calls[t.Session]})
		}
	}
	return err
}

// faulty reports whether something in a session is malformed.
func (t *Transcript) faulty() bool {
	return slices.ContainsFunc(t.Events, func(e sim.Event) bool { return e.Fault != "" })
}
