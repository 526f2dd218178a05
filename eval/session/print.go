package session

import (
	"fmt"
	"io"
	"strings"

	"parley/characters"
	"parley/sim"
)

// Print writes the transcript for people.
func (t *Transcript) Print(w io.Writer) error {
	if r := t.Row; r != nil {
		fmt.Fprintf(w, "%s: %s (%s), %s, ended by %s\n", r.ID, r.Title, r.Kind, r.State, r.Ended)
		for _, s := range r.Cast {
			fmt.Fprintf(w, "  %s (%s), %s\n", s.Name, s.Role, s.Model)
		}
		if r.Error != "" {
			fmt.Fprintf(w, "  failed: %s\n", r.Error)
		}
	}
	calls := map[string]*ShownCall{}
	for i := range t.Calls {
		calls[t.Calls[i].ID] = &t.Calls[i]
	}
	for i := range t.Events {
		e := &t.Events[i]
		fmt.Fprintf(w, "\n%s\n", t.line(e))
		for _, id := range e.Calls {
			if call := calls[id]; call != nil {
				call.print(w)
				delete(calls, id)
			}
		}
	}
	for i := range t.Calls { // the judge's
		if calls[t.Calls[i].ID] != nil {
			fmt.Fprintln(w)
			t.Calls[i].print(w)
		}
	}
	if len(t.Scores) > 0 {
		fmt.Fprintln(w)
	}
	for _, s := range t.Scores {
		value := "unscored: " + s.Reason
		if s.Value != nil {
			value = fmt.Sprintf("%.1f", *s.Value)
		}
		what := s.Metric
		if s.Turn > 0 {
			what = fmt.Sprintf("%s after turn %d", what, s.Turn)
		}
		if s.Control != "" {
			what += " (" + s.Control + ")"
		}
		fmt.Fprintf(w, "%s of %s: %s\n", what, t.Name(characters.ID(s.Subject)), value)
		for _, ev := range s.Evidence {
			got := ev.Got
			if got == "" {
				got = "-"
			}
			fmt.Fprintf(w, "    %s\n      <- %s\n", Visible(ev.Want), Visible(got))
		}
	}
	return nil
}

// line is an event for people.
func (t *Transcript) line(e *sim.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%d.%d] ", e.Turn, e.Seq)
	switch e.Kind {
	case sim.KindScene, sim.KindNarration:
		b.WriteString(Visible(e.Text))
		if e.Text == "" {
			b.WriteString("the referee says nothing")
		}
	case sim.KindEnd:
		fmt.Fprintf(&b, "-- the play ends: %s", e.Text)
	case sim.KindRoll:
		fmt.Fprintf(&b, "%s rolls %s: %d %+d = %d", t.Name(e.Actor), e.Roll.Skill, e.Roll.Natural(), e.Roll.Modifier, e.Roll.Total)
		if e.Roll.Class > 0 {
			fmt.Fprintf(&b, " against %d", e.Roll.Class)
		}
	case sim.KindDebrief:
		what := "debrief"
		if e.Control != "" {
			what += " (" + e.Control + ")"
		}
		fmt.Fprintf(&b, "%s, %s: %s", t.Name(e.Actor), what, Visible(e.Text))
	default:
		b.WriteString(t.Name(e.Actor))
		if len(e.Audience) > 0 {
			var to []string
			for _, id := range e.Audience {
				if id != e.Actor {
					to = append(to, t.Name(id))
				}
			}
			fmt.Fprintf(&b, " (whispers to %s)", strings.Join(to, ", "))
		}
		if e.Speech != "" {
			fmt.Fprintf(&b, ": %q", Visible(e.Speech))
		}
		if e.Deed != "" {
			fmt.Fprintf(&b, " *%s*", Visible(e.Deed))
		}
		if e.Kind == sim.KindPass {
			b.WriteString(" passes")
		}
	}
	if e.Fault != "" {
		fmt.Fprintf(&b, "  {malformed: %s}", e.Fault)
	}
	return b.String()
}

func (c *ShownCall) print(w io.Writer) {
	fmt.Fprintf(w, "    -- call %s to %s", c.ID, c.Model)
	if c.Served != "" && c.Served != c.Model {
		fmt.Fprintf(w, " (served as %s)", c.Served)
	}
	fmt.Fprintln(w)
	for _, m := range c.Messages {
		fmt.Fprintf(w, "    %s> %s\n", m.Role, indent(m.Content))
	}
	if c.Reason != "" {
		fmt.Fprintf(w, "    reasoning> %s\n", indent(c.Reason))
	}
	if c.Error != "" {
		fmt.Fprintf(w, "    failed> %s\n", indent(c.Error))
		return
	}
	fmt.Fprintf(w, "    reply> %s\n    (%s", indent(c.Reply), c.Finish)
	if c.Tokens != nil {
		fmt.Fprintf(w, ", %d prompt tokens", *c.Tokens)
	}
	if c.Output != nil {
		fmt.Fprintf(w, ", %d completion tokens", *c.Output)
	}
	fmt.Fprintf(w, ", %.1f s)\n", float64(c.Total)/1e6)
}

func indent(s string) string {
	return strings.ReplaceAll(Visible(strings.TrimSpace(s)), "\n", "\n      ")
}

// Visible shows control characters, which model text may hold, instead of sending them to a terminal.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			return '\ufffd'
		case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			return '\ufffd' // they would turn the rest of the line round
		}
		return r
	}, s)
}
