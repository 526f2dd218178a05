package session

import (
	"fmt"
	"slices"
	"strings"

	"parley/characters"
	"parley/eval"
	"parley/eval/report/view"
	"parley/sim"
)

// Cast lists who takes part, with the models that play them.
func (t *Transcript) Cast() view.Facts {
	var cast view.Facts
	for _, seat := range t.Row.Cast {
		cast = append(cast, view.Fact{Name: seat.Name, Text: []string{seat.Role + ", " + seat.Model}})
	}
	return cast
}

// seat returns a character's name, and its place in the cast as its colour.
func (t *Transcript) seat(id characters.ID) (string, int) {
	if t.Row != nil {
		for i, seat := range t.Row.Cast {
			if seat.ID == string(id) {
				return seat.Name, i
			}
		}
	}
	return string(id), 0
}

// Name returns a character's name; its id where it is not in the cast.
func (t *Transcript) Name(id characters.ID) string {
	name, _ := t.seat(id)
	return name
}

// Line returns an event as a line of a transcript, with at most so many characters of each text.
func (t *Transcript) Line(e *sim.Event, maxText int) view.Line {
	l := view.Line{
		Mark: fmt.Sprint(e.Turn), Speech: view.Clip(e.Speech, maxText), Deed: view.Clip(e.Deed, maxText), Text: view.Clip(e.Text, maxText),
	}
	if e.Actor != "" {
		l.Who, l.Series = t.seat(e.Actor)
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
				name, _ := t.seat(id)
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
		for i := range t.Calls {
			if c := &t.Calls[i]; c.Reply != "" && slices.Contains(e.Calls, c.ID) {
				raw = append(raw, view.Clip(c.Reply, maxText))
			}
		}
		l.Raw = strings.Join(raw, "\n\n")
	}
	return l
}

// ScoreTable shows what was measured of a session, a column for each subject. Link says where a value leads;
// nil: nowhere.
func (t *Transcript) ScoreTable(link func(*eval.Score) string) *view.Table {
	var subjects, metrics []string
	values := map[[2]string]view.Cell{}
	for i := range t.Scores {
		s := &t.Scores[i]
		metric := s.Metric
		if s.Turn > 0 {
			metric = fmt.Sprintf("%s@%d", metric, s.Turn)
		}
		if s.Control != "" {
			metric += " (" + s.Control + ")"
		}
		if !slices.Contains(subjects, s.Subject) {
			subjects = append(subjects, s.Subject)
		}
		if !slices.Contains(metrics, metric) {
			metrics = append(metrics, metric)
		}
		cell := view.Cell{Text: view.Number(s.Value), Note: view.Clip(s.Reason, 200)}
		if s.Value == nil {
			cell.Text, cell.Grey = string(s.Status), true
			if s.Status != eval.NotApplicable {
				cell.Text = "unscored: " + cell.Text
			}
		}
		if link != nil {
			cell.URL = link(s)
		}
		values[[2]string{metric, s.Subject}] = cell
	}
	table := &view.Table{Caption: "What was measured.", Head: view.Columns("Metric")}
	for _, id := range subjects {
		name := "the session"
		if id != "" {
			name = t.Name(characters.ID(id))
		}
		table.Head = append(table.Head, view.Column{Name: name, Number: true})
	}
	for _, metric := range metrics {
		row := []view.Cell{{Text: metric}}
		for _, id := range subjects {
			row = append(row, values[[2]string{metric, id}])
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// Evidence shows what a score rests on: what was looked for, and what was found for it.
func (t *Transcript) Evidence(s *eval.Score) (title string, table *view.Table) {
	found := 0
	table = &view.Table{
		Caption: "What was looked for, and what was said that matched it. Judged by " + s.Method + ".",
		Head:    view.Columns("Looked for", "Said", "#Weight"),
	}
	for _, e := range s.Evidence {
		got, weight := view.Cell{Text: view.Clip(e.Got, maxText)}, view.Cell{Text: fmt.Sprintf("%.2f", e.Weight)}
		if e.Got == "" {
			got, weight = view.Cell{Text: "nothing", Grey: true}, view.Cell{}
		} else {
			found++
		}
		table.Rows = append(table.Rows, []view.Cell{{Text: view.Clip(e.Want, maxText)}, got, weight})
	}
	return fmt.Sprintf("%s of %s: %s, %d of %d found", strings.ToUpper(s.Metric), t.Name(characters.ID(s.Subject)), view.Number(s.Value), found, len(s.Evidence)), table
}
