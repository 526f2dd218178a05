package session

import (
	"fmt"
	"slices"
	"strings"

	"parley/characters"
	"parley/eval"
	"parley/eval/report"
	"parley/eval/report/view"
	"parley/eval/run"
	"parley/sim"
)

// maxText is the most characters of one speech, answer or reply on a page; the streams hold all.
const maxText = 3000

// sessionBlocks is the list of sessions, and complete transcripts of a handful.
func sessionBlocks(m *run.Manifest, d *pageData) []view.Block {
	caption := "Sessions. Those with a link have their transcript below."
	if d.left > 0 {
		caption = fmt.Sprintf("The first sessions of each arm, and failed ones; %s more are in sessions.parquet. Those with a link have their transcript below.", report.Grouped(int64(d.left)))
	}
	list := &view.Table{Caption: caption, Head: view.Columns("Session", "Arm", "About", "State", "Ended by", "#Turns", "#Valid")}
	spoken := map[string]bool{}
	for _, s := range d.spoken {
		spoken[s.row.ID] = true
	}
	for i := range d.sessions {
		s := &d.sessions[i]
		id := view.Cell{Text: s.ID}
		if spoken[s.ID] {
			id.To = transcriptID(s.ID)
		}
		state := view.Cell{Text: string(s.State), Note: view.Clip(s.Error, 160)}
		list.Rows = append(list.Rows, []view.Cell{
			id, {Text: s.Arm}, {Text: s.Title}, state, {Text: s.Ended}, {Text: fmt.Sprint(s.Turns)},
			{Text: fmt.Sprintf("%d of %d", s.Valid, s.Moves)},
		})
	}
	if len(list.Rows) == 0 {
		return []view.Block{view.Text(fmt.Sprintf("No session is done yet: the run is %s.", m.State))}
	}
	blocks := []view.Block{}
	if len(list.Rows) > 20 {
		blocks = append(blocks, &view.Fold{Summary: fmt.Sprintf("The list of %d sessions", len(list.Rows)), Blocks: []view.Block{list}})
	} else {
		blocks = append(blocks, list)
	}
	blocks = append(blocks, view.Text("The first session of each arm, with all that was said. parley show DIR --session ID shows any other; --calls adds prompts and replies."))
	for _, s := range d.spoken {
		blocks = append(blocks, s.fold())
	}
	return blocks
}

// transcriptID is the anchor of a session's transcript. Session ids are letters, digits and hyphens.
func transcriptID(session string) string { return "session-" + session }

func (s *spokenSession) fold() *view.Fold {
	var cast view.Facts
	for _, seat := range s.row.Cast {
		cast = append(cast, view.Fact{Name: seat.Name, Text: []string{seat.Role + ", " + seat.Model}})
	}
	fold := &view.Fold{
		ID:      transcriptID(s.row.ID),
		Summary: fmt.Sprintf("%s, %s: %s, %d turns", s.row.ID, s.row.Arm, s.row.Title, s.row.Turns),
		Blocks:  []view.Block{cast},
	}
	if s.row.Error != "" {
		fold.Blocks = append(fold.Blocks, view.Text("Failed: "+view.Clip(s.row.Error, 1000)))
	}
	talk := &view.Talk{}
	for i := range s.events {
		talk.Lines = append(talk.Lines, s.line(&s.events[i]))
	}
	fold.Blocks = append(fold.Blocks, talk)
	return s.addScores(fold)
}

// name returns a character's name, and its place in the cast as its colour.
func (s *spokenSession) name(id characters.ID) (string, int) {
	for i, seat := range s.row.Cast {
		if seat.ID == string(id) {
			return seat.Name, i
		}
	}
	return string(id), 0
}

// line is an event in a transcript.
func (s *spokenSession) line(e *sim.Event) view.Line {
	l := view.Line{
		Mark: fmt.Sprint(e.Turn), Speech: view.Clip(e.Speech, maxText), Deed: view.Clip(e.Deed, maxText), Text: view.Clip(e.Text, maxText),
	}
	if e.Actor != "" {
		l.Who, l.Series = s.name(e.Actor)
	}
	switch e.Kind {
	case sim.KindEnd:
		l.Text = "The play ends: " + l.Text + "."
	case sim.KindDebrief:
		l.Aside = true
		l.Notes = append(l.Notes, strings.TrimSpace("debrief "+e.Control))
		if l.Text == "" {
			l.Notes = append(l.Notes, "no answer")
		}
	case sim.KindPass:
		l.Notes = append(l.Notes, "passes")
	case sim.KindRoll:
		if e.Roll != nil {
			l.Text = fmt.Sprintf("rolls %s: %d %+d = %d", e.Roll.Skill, e.Roll.Natural(), e.Roll.Modifier, e.Roll.Total)
			if e.Roll.Class > 0 {
				l.Text += fmt.Sprintf(" against %d", e.Roll.Class)
			}
		}
	}
	if len(e.Audience) > 0 && e.Kind != sim.KindDebrief {
		var to []string
		for _, id := range e.Audience {
			if id != e.Actor {
				name, _ := s.name(id)
				to = append(to, name)
			}
		}
		l.To = strings.Join(to, ", ")
	}
	if e.Skill != "" {
		l.Notes = append(l.Notes, "check: "+string(e.Skill))
	}
	if len(e.Facts) > 0 {
		var facts []string
		for _, f := range e.Facts {
			facts = append(facts, fmt.Sprint(f+1))
		}
		l.Notes = append(l.Notes, "gives away fact "+strings.Join(facts, ", "))
	}
	if e.Fault != "" {
		l.Faults = []string{e.Fault}
		var raw []string
		for _, id := range e.Calls {
			if reply := s.replies[id]; reply != "" {
				raw = append(raw, view.Clip(reply, maxText))
			}
		}
		l.Raw = strings.Join(raw, "\n\n")
	}
	return l
}

// addScores puts what was measured of a session under its transcript: the values, and for each
// player what was looked for and what was found for it.
func (s *spokenSession) addScores(fold *view.Fold) *view.Fold {
	if len(s.scores) == 0 {
		fold.Blocks = append(fold.Blocks, view.Text("Nothing was measured in this session."))
		return fold
	}
	var subjects, metrics []string
	values := map[[2]string]view.Cell{}
	for i := range s.scores {
		sc := &s.scores[i]
		metric := sc.Metric
		if sc.Turn > 0 {
			metric = fmt.Sprintf("%s@%d", metric, sc.Turn)
		}
		if sc.Control != "" {
			metric += " (" + sc.Control + ")"
		}
		if !slices.Contains(subjects, sc.Subject) {
			subjects = append(subjects, sc.Subject)
		}
		if !slices.Contains(metrics, metric) {
			metrics = append(metrics, metric)
		}
		cell := view.Cell{Text: string(sc.Status), Note: view.Clip(sc.Reason, 200), Grey: true}
		if sc.Value != nil {
			cell = view.Cell{Text: view.Number(sc.Value)}
		}
		values[[2]string{metric, sc.Subject}] = cell
	}
	t := &view.Table{Caption: "What was measured.", Head: view.Columns("Metric")}
	for _, id := range subjects {
		name, _ := s.name(characters.ID(id))
		t.Head = append(t.Head, view.Column{Name: name, Number: true})
	}
	for _, metric := range metrics {
		row := []view.Cell{{Text: metric}}
		for _, id := range subjects {
			row = append(row, values[[2]string{metric, id}])
		}
		t.Rows = append(t.Rows, row)
	}
	fold.Blocks = append(fold.Blocks, t)
	for i := range s.scores {
		if sc := &s.scores[i]; sc.Control == "" && sc.Turn == 0 && len(sc.Evidence) > 0 {
			fold.Blocks = append(fold.Blocks, s.evidence(sc))
		}
	}
	return fold
}

func (s *spokenSession) evidence(sc *eval.Score) *view.Fold {
	name, _ := s.name(characters.ID(sc.Subject))
	found := 0
	t := &view.Table{
		Caption: "What was looked for, and what was said that matched it. Judged by " + sc.Method + ".",
		Head:    view.Columns("Looked for", "Said", "#Weight"),
	}
	for _, e := range sc.Evidence {
		got, weight := view.Cell{Text: view.Clip(e.Got, maxText)}, view.Cell{Text: fmt.Sprintf("%.2f", e.Weight)}
		if e.Got == "" {
			got, weight = view.Cell{Text: "nothing", Grey: true}, view.Cell{}
		} else {
			found++
		}
		t.Rows = append(t.Rows, []view.Cell{{Text: view.Clip(e.Want, maxText)}, got, weight})
	}
	return &view.Fold{
		Summary: fmt.Sprintf("%s of %s: %s, %d of %d found", strings.ToUpper(sc.Metric), name, view.Number(sc.Value), found, len(sc.Evidence)),
		Blocks:  []view.Block{t},
	}
}
