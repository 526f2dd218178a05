package viewer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"parley/eval"
	"parley/eval/report"
	"parley/eval/report/view"
	"parley/eval/session"
	"parley/sim"
)

// maxShown is the most characters of one text on a page.
const maxShown = 100_000

// side is a session on its page, or one of two beside each other.
type side struct {
	*session.Transcript
	Arm     string
	Series  int
	Facts   view.Facts
	Scores  *view.Table // nil: nothing is measured yet
	Of      string      // the score whose evidence is shown; empty: none
	Found   *view.Table
	Heading string // of it
	Failure string
	State   string
	Scene   string // the situation as it is kept

	lines map[int][]view.Line // by group
}

// sessionPage is the body of the page of a session.
type sessionPage struct {
	Sides  []*side
	Groups []group
	Others []choice // sessions of the same situation, to be set beside this one
	Alone  string   // the page of the first session alone, where there are two
}

// group is a stretch of play: a turn, or what came before the first or after the last.
type group struct {
	Name  string
	Cells []*view.Talk
}

// Groups that are no turns.
const (
	before = -1
	after  = 1 << 30
)

// session is the page of a session, or of two beside each other.
func (v *Viewer) session(r *http.Request) (*document, error) {
	x, name, err := v.open(r)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	body := &sessionPage{}
	for i, id := range []string{q.Get("id"), q.Get("with")} {
		if id == "" && i > 0 {
			continue
		}
		s, err := x.side(name, id, q)
		if err != nil {
			return nil, err
		}
		body.Sides = append(body.Sides, s)
	}
	body.group()
	x.mu.RLock()
	defer x.mu.RUnlock()
	first := body.Sides[0]
	d := x.document("session", name, first.Session)
	d.Where = append(d.Where, step{Text: first.Session})
	e := x.byID[first.Session]
	if e == nil {
		return nil, missing{fmt.Errorf("there is no session %q any more", first.Session)}
	}
	d.Body = body
	at, found := slices.BinarySearchFunc(x.items, e.index, func(it *item, index int) int { return cmp.Compare(it.index, index) })
	if !found {
		return d, nil
	}
	for arm, other := range x.items[at].cells {
		if other != nil && other != e {
			body.Others = append(body.Others, choice{runURL(name, "session", "id", e.id, "with", other.id, "of", q.Get("of")), x.arms[arm], other.id == q.Get("with")})
		}
	}
	if len(body.Sides) > 1 {
		body.Alone = runURL(name, "session", "id", e.id, "of", q.Get("of"))
	}
	var other *entry
	if len(body.Sides) > 1 {
		other = x.byID[body.Sides[1].Session]
	}
	d.Prev, d.Next = x.neighbour(name, at-1, e, other), x.neighbour(name, at+1, e, other)
	return d, nil
}

// neighbour returns the address of the page of another situation for the arm of a session, beside the arm of the other
// where there is one; empty where there is no such session. The index has to be locked.
func (x *index) neighbour(name string, at int, e, other *entry) string {
	cell := func(e *entry) *entry {
		if e == nil || at < 0 || at >= len(x.items) || e.arm < 0 || e.arm >= len(x.items[at].cells) {
			return nil
		}
		return x.items[at].cells[e.arm]
	}
	shown, with := cell(e), ""
	if shown == nil {
		return ""
	}
	if beside := cell(other); beside != nil {
		with = beside.id
	}
	return runURL(name, "session", "id", shown.id, "with", with, "of", "")
}

// transcript reads a session; its calls where they are asked for.
func (x *index) transcript(id string, calls bool) (t *session.Transcript, arm int, err error) {
	x.mu.RLock()
	e := x.byID[id]
	var at session.Places
	if e != nil {
		at, arm = e.at, e.arm
	}
	x.mu.RUnlock()
	if e == nil {
		return nil, 0, missing{fmt.Errorf("the run has no session %q that is done or under way", id)}
	}
	t, err = session.TranscriptAt(x.dir, id, at, calls)
	if err == nil && t.Row == nil {
		t.Row = &session.Row{ID: id} // it is under way: names are not known yet
	}
	return t, arm, err
}

// side makes what a page shows of a session.
func (x *index) side(name, id string, q map[string][]string) (*side, error) {
	t, arm, err := x.transcript(id, false)
	if err != nil {
		return nil, err
	}
	row := t.Row
	s := &side{Transcript: t, Arm: row.Arm, Series: max(0, arm) % 6, State: cmp.Or(string(row.State), "under way"), Failure: view.Clip(row.Error, maxShown), lines: map[int][]view.Line{}}
	x.mu.RLock()
	if s.Arm == "" && arm >= 0 {
		s.Arm = x.arms[arm]
	}
	t.Counting(x.manifest)
	x.mu.RUnlock()
	s.facts()
	var scene bytes.Buffer
	if json.Indent(&scene, []byte(row.Scenario), "", "  ") == nil {
		s.Scene = view.Clip(scene.String(), maxShown)
	}
	other := ""
	if len(q["with"]) > 0 {
		other = q["with"][0]
	}
	first := q["id"][0]
	slices.SortStableFunc(t.Scores, func(a, b eval.Score) int { // the measurement itself before controls and curves
		return cmp.Or(cmp.Compare(a.Control, b.Control), a.Turn-b.Turn)
	})
	if len(t.Scores) > 0 {
		s.Scores = t.ScoreTable(func(score *eval.Score) string {
			if len(score.Evidence) == 0 {
				return ""
			}
			return runURL(name, "session", "id", first, "with", other, "of", scoreKey(score)) + "#evidence"
		})
	}
	of := ""
	if len(q["of"]) > 0 {
		of = q["of"][0]
	}
	found := s.evidence(name, of)
	for i := range t.Events {
		e := &t.Events[i]
		l := t.Line(e, maxShown)
		l.ID = fmt.Sprintf("e%d", e.Seq)
		if arm != 0 {
			l.ID = fmt.Sprintf("a%d-e%d", arm, e.Seq)
		}
		if l.Mark = ""; len(e.Calls) > 0 {
			l.Mark = "prompt"
			l.URL = runURL(name, "turn", "id", id, "turn", strconv.Itoa(turnOf(e)))
		}
		l.Found = found[e.Seq]
		g := e.Turn
		switch {
		case e.Turn == 0:
			g = before
		case e.Kind == sim.KindDebrief, e.Kind == sim.KindEnd:
			g = after
		}
		s.lines[g] = append(s.lines[g], l)
	}
	return s, nil
}

// scoreKey names a score within its session.
func scoreKey(s *eval.Score) string {
	return strings.Join([]string{s.Scorer, s.Metric, s.Subject, s.Control, s.Method}, "/")
}

// facts lists what is known of the session as a whole.
func (s *side) facts() {
	row := s.Row
	took := "–"
	if !row.Finished.IsZero() {
		took = report.Seconds(row.Finished.Sub(row.Started).Microseconds())
	}
	tokens := ""
	if row.Tokens > 0 { // else no server counted any
		tokens = ", " + report.Grouped(int64(row.Tokens)) + " tokens"
	}
	s.Facts = view.Facts{
		{Name: "Situation", Text: []string{cmp.Or(row.Title, "–")}},
		{Name: "Play", Text: []string{fmt.Sprintf("%s, ended by %s; %d turns, %d of %d moves valid; %d calls%s; took %s",
			s.State, cmp.Or(row.Ended, "–"), row.Turns, row.Valid, row.Moves, row.Calls, tokens, took)}},
	}
	s.Facts = append(s.Facts, s.Cast()...)
}

// evidence picks the score whose evidence is shown, the one that was asked for, else the first that has found
// something, and returns what of it is where in the play.
func (s *side) evidence(name, of string) map[int][]view.Found {
	scores := s.Transcript.Scores
	i := slices.IndexFunc(scores, func(sc eval.Score) bool { return scoreKey(&sc) == of && len(sc.Evidence) > 0 })
	if i < 0 {
		i = slices.IndexFunc(scores, func(sc eval.Score) bool { return sc.Control == "" && sc.Turn == 0 && len(sc.Evidence) > 0 })
	}
	if i < 0 {
		return nil
	}
	score := &scores[i]
	said := s.Trace(score)
	found := map[int][]view.Found{}
	places := make([][]string, len(score.Evidence))
	for _, at := range said {
		mark := strconv.Itoa(at.Evidence + 1)
		found[at.Seq] = append(found[at.Seq], view.Found{Text: at.Words, Mark: mark, Title: view.Clip(score.Evidence[at.Evidence].Want, 300)})
		for k := range s.Events {
			if e := &s.Events[k]; e.Seq == at.Seq {
				where := fmt.Sprintf("turn %d", e.Turn)
				if e.Kind == sim.KindDebrief {
					where = "answer"
				}
				if !slices.Contains(places[at.Evidence], where) {
					places[at.Evidence] = append(places[at.Evidence], where)
				}
			}
		}
	}
	s.Of = scoreKey(score)
	s.Heading, s.Found = s.Evidence(score)
	s.Found.Head = append(view.Columns("#"), append(s.Found.Head, view.Column{Name: "Where it was said"})...)
	s.Found.Head[0] = view.Column{Name: "No."}
	for k := range s.Found.Rows {
		where := view.Cell{Text: strings.Join(places[k], ", ")}
		if where.Text == "" {
			where = view.Cell{Text: "not found in the play", Grey: true}
		}
		s.Found.Rows[k] = append(append([]view.Cell{{Text: strconv.Itoa(k + 1)}}, s.Found.Rows[k]...), where)
	}
	if len(score.Calls) > 0 {
		s.Found.Caption += " The judge's calls are among those outside of the play."
	}
	return found
}

// group puts the turns of the sides beside each other.
func (b *sessionPage) group() {
	var keys []int
	for _, s := range b.Sides {
		for g := range s.lines {
			if !slices.Contains(keys, g) {
				keys = append(keys, g)
			}
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		g := group{Name: fmt.Sprintf("Turn %d", key)}
		switch key {
		case before:
			g.Name = "Before the play"
		case after:
			g.Name = "After the play"
		}
		for _, s := range b.Sides {
			g.Cells = append(g.Cells, &view.Talk{Lines: s.lines[key]})
		}
		b.Groups = append(b.Groups, g)
	}
}
