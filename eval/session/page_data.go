package session

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley/eval"
	"parley/eval/report"
	"parley/eval/run"
	"parley/logs"
	"parley/sim"
	"parley/sim/llm"
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
	spoken   []*spokenSession
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

// spokenSession is a session whose transcript is in the report.
type spokenSession struct {
	row     sessionLine
	events  []sim.Event
	scores  []eval.Score
	replies map[string]string // raw replies behind malformed turns, by call
}

// span is where the rows of a session stand in a stream.
type span struct{ from, to int64 }

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
	scores, err := d.readScores(dir)
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
			d.spoken = append(d.spoken, &spokenSession{row: *row, replies: map[string]string{}})
		}
	}
	return nil
}

func (d *pageData) readEvents(dir string) (map[string]span, error) {
	type event struct {
		Session string `json:"session" parquet:"session"`
		Kind    string `json:"kind" parquet:"kind"`
		Actor   string `json:"actor" parquet:"actor"`
		Fault   string `json:"fault" parquet:"fault"`
	}
	spans := newSpans(d.spoken)
	if sound, err := d.soundEvents(dir, spans); sound || err != nil {
		return spans.spans, err
	}
	for e, err := range (run.Rows[event]{Name: Events.Name}).Read(dir) {
		if err != nil {
			return nil, err
		}
		spans.note(e.Session)
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
	return spans.spans, nil
}

// soundEvents reads two columns of a complete run's events, and says whether nothing is malformed in
// them: then there is nothing to count.
func (d *pageData) soundEvents(dir string, spans *spans) (bool, error) {
	path := filepath.Join(dir, Events.Name+".parquet")
	if !fileExists(path) {
		return false, nil
	}
	type fault struct {
		Fault string `parquet:"fault"`
	}
	for e, err := range logs.ReadParquet[fault](path) {
		if err != nil || e.Fault != "" {
			return false, err
		}
	}
	type session struct {
		ID string `parquet:"session"`
	}
	for e, err := range logs.ReadParquet[session](path) {
		if err != nil {
			return false, err
		}
		spans.note(e.ID)
	}
	return true, nil
}

func (d *pageData) readScores(dir string) (map[string]span, error) {
	type score struct {
		Session string `json:"session" parquet:"session"`
	}
	spans := newSpans(d.spoken)
	for s, err := range (run.Rows[score]{Name: run.Scores.Name}).Read(dir) {
		if err != nil {
			return nil, err
		}
		spans.note(s.Session)
	}
	return spans.spans, nil
}

func (d *pageData) readTranscripts(dir string, events, scores map[string]span) error {
	by := map[string]*spokenSession{}
	for _, s := range d.spoken {
		by[s.row.ID] = s
	}
	faults := false
	err := pick(dir, Events, events, func(e *sim.Event) string { return e.Session }, func(e sim.Event) {
		by[e.Session].events = append(by[e.Session].events, e)
		faults = faults || e.Fault != "" && len(e.Calls) > 0
	})
	if err != nil {
		return err
	}
	err = pick(dir, run.Scores, scores, func(s *eval.Score) string { return s.Session }, func(s eval.Score) {
		by[s.Session].scores = append(by[s.Session].scores, s)
	})
	if err != nil || !faults {
		return err
	}
	for _, s := range d.spoken {
		for i := range s.events {
			if s.events[i].Fault != "" {
				for _, id := range s.events[i].Calls {
					s.replies[id] = ""
				}
			}
		}
	}
	calls := newSpans(d.spoken)
	type call struct {
		Session string `json:"session" parquet:"session"`
	}
	for c, err := range (run.Rows[call]{Name: run.Calls.Name}).Read(dir) {
		if err != nil {
			return err
		}
		calls.note(c.Session)
	}
	return pick(dir, run.Calls, calls.spans, func(c *llm.Call) string { return c.Session }, func(c llm.Call) {
		if _, asked := by[c.Session].replies[c.ID]; asked {
			by[c.Session].replies[c.ID] = c.Reply
		}
	})
}

// spans notes where the rows of some sessions stand.
type spans struct {
	row   int64
	want  map[string]bool
	spans map[string]span
}

func newSpans(of []*spokenSession) *spans {
	s := &spans{want: map[string]bool{}, spans: map[string]span{}}
	for _, session := range of {
		s.want[session.row.ID] = true
	}
	return s
}

// note counts a row.
func (s *spans) note(session string) {
	if s.want[session] {
		at, ok := s.spans[session]
		if !ok {
			at.from = s.row
		}
		at.to = s.row + 1
		s.spans[session] = at
	}
	s.row++
}

// pick reads whole rows of some sessions: from their places in Parquet, or all through a journal.
func pick[T any](dir string, table run.Rows[T], at map[string]span, of func(*T) string, keep func(T)) error {
	path := filepath.Join(dir, table.Name+".parquet")
	if !fileExists(path) {
		for row, err := range table.Read(dir) {
			if err != nil {
				return err
			}
			if _, ok := at[of(&row)]; ok {
				keep(row)
			}
		}
		return nil
	}
	for _, session := range slices.Sorted(maps.Keys(at)) {
		n := at[session].from
		for row, err := range logs.ReadParquetFrom[T](path, n) {
			if err != nil {
				return err
			}
			if of(&row) == session {
				keep(row)
			}
			if n++; n >= at[session].to {
				break
			}
		}
	}
	return nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
