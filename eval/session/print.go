package session

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"parley/characters"
	"parley/eval/run"
	"parley/sim"
)

// Screen describes the terminal that a transcript is printed on.
type Screen struct {
	Width  int // columns at which lines are wrapped; 0: not at all
	Colour bool
}

// Colours of the parts of a transcript, as ANSI codes.
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	yellow = "33"
	cyan   = "36"
)

// paint colours a text where the screen shows colours.
func (s Screen) paint(code, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return "\033[" + code + "m" + text + "\033[0m"
}

// wrap breaks lines at the width, at spaces where there are any. Lines that continue begin with the indent.
func (s Screen) wrap(text, indent string) string {
	if s.Width == 0 {
		return text
	}
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		column := 0
		for j, word := range strings.SplitAfter(line, " ") {
			n := seen(word)
			if j > 0 && column+n > s.Width && column > len(indent) {
				b.WriteString("\n" + indent)
				column = len(indent)
			}
			b.WriteString(word)
			column += n
		}
	}
	return b.String()
}

// seen counts the columns of a text, which colours do not take.
func seen(text string) int {
	n, code := 0, false
	for _, r := range strings.TrimRight(text, " ") {
		switch {
		case r == '\033':
			code = true
		case !code:
			n++
		case r == 'm':
			code = false
		}
	}
	return n
}

// Print writes the transcript for people.
func (t *Transcript) Print(w io.Writer, s Screen) error {
	if r := t.Row; r != nil {
		fmt.Fprintf(w, "%s: %s (%s), %s, ended by %s\n", r.ID, r.Title, r.Kind, r.State, r.Ended)
		for _, s := range r.Cast {
			fmt.Fprintf(w, "  %s (%s), %s\n", s.Name, s.Role, s.Model)
		}
		if r.Error != "" {
			fmt.Fprintf(w, "  failed: %s\n", r.Error)
		}
	}
	fmt.Fprintln(w, s.paint(faint, s.wrap("[turn.event]  *deed*  (whispers to NAME): only NAME heard it  {malformed: KIND}: played as a pass", "  ")))
	calls := map[string]*ShownCall{}
	for i := range t.Calls {
		calls[t.Calls[i].ID] = &t.Calls[i]
	}
	for i := range t.Events {
		e := &t.Events[i]
		fmt.Fprintf(w, "\n%s\n", s.wrap(t.line(e, s), "    "))
		for _, id := range e.Calls {
			if call := calls[id]; call != nil {
				call.print(w, s)
				delete(calls, id)
			}
		}
	}
	for i := range t.Calls { // the judge's
		if calls[t.Calls[i].ID] != nil {
			fmt.Fprintln(w)
			t.Calls[i].print(w, s)
		}
	}
	if len(t.Scores) > 0 {
		fmt.Fprintln(w)
	}
	for _, score := range t.Scores {
		value := "unscored: " + score.Reason
		if score.Value != nil {
			value = fmt.Sprintf("%.1f", *score.Value)
		}
		what := score.Metric
		if score.Turn > 0 {
			what = fmt.Sprintf("%s after turn %d", what, score.Turn)
		}
		if score.Control != "" {
			what += " (" + score.Control + ")"
		}
		fmt.Fprintf(w, "%s of %s: %s\n", what, t.Name(characters.ID(score.Subject)), value)
		for _, ev := range score.Evidence {
			fmt.Fprintf(w, "%s\n%s\n", s.wrap("    "+Visible(ev.Want), "    "), s.wrap("      <- "+Visible(cmp.Or(ev.Got, "-")), "         "))
		}
	}
	return nil
}

// line is an event for people.
func (t *Transcript) line(e *sim.Event, s Screen) string {
	var b strings.Builder
	b.WriteString(s.paint(faint, fmt.Sprintf("[%d.%d] ", e.Turn, e.Seq)))
	switch e.Kind {
	case sim.KindScene, sim.KindNarration:
		b.WriteString(cmp.Or(Visible(e.Text), "the referee says nothing"))
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
		fmt.Fprintf(&b, "%s: %s", s.paint(yellow, t.Name(e.Actor)+", "+what), Visible(e.Text))
	default:
		b.WriteString(s.paint(bold, t.Name(e.Actor)))
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
			b.WriteString(s.paint(cyan, " *"+Visible(e.Deed)+"*"))
		}
		if e.Kind == sim.KindPass {
			b.WriteString(" passes")
		}
	}
	if e.Fault != "" {
		b.WriteString(s.paint(red, "  {malformed: "+e.Fault+"}"))
	}
	return b.String()
}

func (c *ShownCall) print(w io.Writer, s Screen) {
	fmt.Fprintf(w, "    -- call %s to %s", c.ID, c.Model)
	if c.Served != "" && c.Served != c.Model {
		fmt.Fprintf(w, " (served as %s)", c.Served)
	}
	fmt.Fprintln(w)
	part := func(name, text string) {
		fmt.Fprintf(w, "%s%s\n", s.paint(faint, "    "+name+"> "), s.wrap(indent(text), "      "))
	}
	for _, m := range c.Messages {
		part(string(m.Role), m.Content)
	}
	if c.Reason != "" {
		part("reasoning", c.Reason)
	}
	if c.Error != "" {
		part("failed", c.Error)
		return
	}
	part("reply", c.Reply)
	fmt.Fprintf(w, "    (%s", c.Finish)
	if c.Tokens != nil {
		fmt.Fprintf(w, ", %d prompt tokens", *c.Tokens)
	}
	if c.Output != nil {
		fmt.Fprintf(w, ", %d completion tokens", *c.Output)
	}
	fmt.Fprintf(w, ", %.1f s)\n", float64(c.Total)/1e6)
}

// Follow prints the events of a run that is being played, of one session or of all where it is empty, looking for
// new ones again and again until the run is no longer running.
func Follow(ctx context.Context, w io.Writer, s Screen, dir, session string, every time.Duration) error {
	type place struct {
		session   string
		turn, seq int
		control   string
		actor     characters.ID
	}
	printed, last := map[place]bool{}, ""
	for {
		m, _, err := Read(dir)
		if err != nil {
			return err
		}
		for e, err := range Events.Read(dir) {
			if err != nil {
				return err
			}
			at := place{e.Session, e.Turn, e.Seq, e.Control, e.Actor}
			if printed[at] || session != "" && e.Session != session {
				continue
			}
			printed[at] = true
			if e.Session != last {
				last = e.Session
				fmt.Fprintf(w, "\n%s\n", s.paint(bold, "session "+last))
			}
			fmt.Fprintln(w, s.wrap((&Transcript{}).line(&e, s), "    "))
		}
		if m.State != run.Running {
			_, err := fmt.Fprintf(w, "\n%s is %s\n", dir, m.State)
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(every):
		}
	}
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
