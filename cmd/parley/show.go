package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/characters"
	"parley/eval"
	"parley/sim"
	"parley/sim/llm"
)

func showCommand() *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "read a run: its sessions, or one session's transcript",
		ArgsUsage: "DIR",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Usage: "the transcript of session `N`: its id, or its number in the list"},
			&cli.StringFlag{Name: "as", Usage: "through the eyes of `CHARACTER`: nothing that it did not perceive"},
			&cli.BoolFlag{Name: "calls", Usage: "with prompt and reply of every model call"},
			&cli.IntFlag{Name: "turn", Usage: "only turn `N`"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("show takes one run directory, and got %d", c.NArg())
			}
			dir := c.Args().First()
			m, err := readManifest(dir)
			if err != nil {
				return err
			}
			if c.String("session") == "" {
				if c.String("as") != "" || c.Bool("calls") || c.IsSet("turn") {
					return usagef("--as, --calls and --turn go with --session")
				}
				return showRun(c, dir, m)
			}
			return showSession(c, dir)
		},
	}
}

// showRun prints the results and the list of sessions.
func showRun(c *cli.Context, dir string, m *manifest) error {
	var list []sessionRow
	for row, err := range rows[sessionRow](dir, streamSessions) {
		if err != nil {
			return err
		}
		row.Scenario = ""
		list = append(list, row)
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, map[string]any{"run": dir, "state": m.State, "sessions": list, "results": m.Results})
	}
	w := c.App.Writer
	if m.State == stateComplete || m.State == stateFailed {
		if err := printRun(w, dir, m); err != nil {
			return err
		}
		fmt.Fprintln(w)
	} else {
		fmt.Fprintf(w, "%s is %s; go on with: parley resume %s\n\n", dir, m.State, dir)
	}
	for i, s := range list {
		fmt.Fprintf(w, "%4d  %s  %-9s  %3d turns (%s)  %s  %s\n", i+1, s.ID, s.State, s.Turns, s.Ended, s.Arm, s.Title)
	}
	return nil
}

// transcript is one session as show prints it.
type transcript struct {
	Session string       `json:"session"`
	Row     *sessionRow  `json:"row"`
	Events  []sim.Event  `json:"events"`
	Calls   []shownCall  `json:"calls,omitempty"`
	Scores  []eval.Score `json:"scores"`
}

type shownCall struct {
	llm.Call
	Messages []messageRow `json:"messages"`
}

func showSession(c *cli.Context, dir string) error {
	t, err := readTranscript(dir, c.String("session"), c.Bool("calls"))
	if err != nil {
		return err
	}
	var eyes characters.ID
	if as := c.String("as"); as != "" {
		if eyes, err = t.seat(as); err != nil {
			return err
		}
	}
	if eyes != "" {
		t.through(eyes)
	}
	if c.IsSet("turn") {
		t.Events = slices.DeleteFunc(t.Events, func(e sim.Event) bool { return e.Turn != c.Int("turn") })
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, t)
	}
	return t.print(c.App.Writer)
}

// through leaves of a session what one character perceived, its own answers, and the calls behind its
// own moves. What it was told for a control was never said at the table.
func (t *transcript) through(eyes characters.ID) {
	if t.Row != nil {
		t.Row.Scenario = "" // everybody's secrets, and the NPC's knowledge
	}
	t.Scores = nil // they hold what there was to find out
	t.Events = slices.DeleteFunc(t.Events, func(e sim.Event) bool {
		return !e.Heard(eyes) || e.Kind == sim.KindEnd || e.Control == sim.ControlTold
	})
	for i := range t.Events {
		if e := &t.Events[i]; e.Actor != eyes { // what others thought, and how their replies came about
			e.Skill, e.Facts, e.Fault, e.Calls = "", nil, "", nil
		}
	}
	t.Calls = slices.DeleteFunc(t.Calls, func(call shownCall) bool {
		return call.Actor != string(eyes) || strings.HasPrefix(call.Purpose, "judge:") || call.Purpose == "debrief:"+sim.ControlTold
	})
}

// readTranscript reads what a run has of a session.
func readTranscript(dir, which string, calls bool) (*transcript, error) {
	t := &transcript{}
	n := 0
	for row, err := range rows[sessionRow](dir, streamSessions) {
		if err != nil {
			return nil, err
		}
		if n++; row.ID == which || fmt.Sprint(n) == which {
			t.Session, t.Row = row.ID, &row
			break
		}
	}
	if t.Row == nil {
		t.Session = which // one that is still under way has no row, and only its id finds it
	}
	for e, err := range rows[sim.Event](dir, streamEvents) {
		if err != nil {
			return nil, err
		}
		if e.Session == t.Session {
			t.Events = append(t.Events, e)
		}
	}
	if t.Row == nil && t.Events == nil {
		return nil, fmt.Errorf("%s has no session %s that is done, and none under way with that id; parley show %s lists them", dir, which, dir)
	}
	for s, err := range rows[eval.Score](dir, streamScores) {
		if err != nil {
			return nil, err
		}
		if s.Session == t.Session {
			t.Scores = append(t.Scores, s)
		}
	}
	if !calls {
		return t, nil
	}
	wanted := map[string]bool{}
	for call, err := range rows[llm.Call](dir, streamCalls) {
		if err != nil {
			return nil, err
		}
		if call.Session == t.Session {
			t.Calls = append(t.Calls, shownCall{Call: call})
			for _, hash := range call.Prompt {
				wanted[hash] = true
			}
		}
	}
	messages := map[string]messageRow{}
	for m, err := range rows[messageRow](dir, streamMessages) {
		if err != nil {
			return nil, err
		}
		if wanted[m.Hash] {
			messages[m.Hash] = m
		}
	}
	for i := range t.Calls {
		for _, hash := range t.Calls[i].Prompt {
			t.Calls[i].Messages = append(t.Calls[i].Messages, messages[hash])
		}
	}
	return t, nil
}

// seat finds a character by id or by name.
func (t *transcript) seat(who string) (characters.ID, error) {
	if t.Row == nil {
		return characters.ID(who), nil
	}
	var cast []string
	for _, s := range t.Row.Cast {
		first, _, _ := strings.Cut(s.Name, " ")
		if strings.EqualFold(who, s.ID) || strings.EqualFold(who, s.Name) || strings.EqualFold(who, first) {
			return characters.ID(s.ID), nil
		}
		cast = append(cast, s.ID)
	}
	return "", usagef("%s is not in the cast: %s", who, strings.Join(cast, ", "))
}

func (t *transcript) name(id characters.ID) string {
	if t.Row != nil {
		for _, s := range t.Row.Cast {
			if s.ID == string(id) {
				return s.Name
			}
		}
	}
	return string(id)
}

func (t *transcript) print(w io.Writer) error {
	if r := t.Row; r != nil {
		fmt.Fprintf(w, "%s: %s (%s), %s, ended by %s\n", r.ID, r.Title, r.Kind, r.State, r.Ended)
		for _, s := range r.Cast {
			fmt.Fprintf(w, "  %s (%s), %s\n", s.Name, s.Role, s.Model)
		}
		if r.Error != "" {
			fmt.Fprintf(w, "  failed: %s\n", r.Error)
		}
	}
	calls := map[string]*shownCall{}
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
		fmt.Fprintf(w, "%s of %s: %s\n", what, t.name(characters.ID(s.Subject)), value)
		for _, ev := range s.Evidence {
			got := ev.Got
			if got == "" {
				got = "-"
			}
			fmt.Fprintf(w, "    %s\n      <- %s\n", visible(ev.Want), visible(got))
		}
	}
	return nil
}

// line is an event for people.
func (t *transcript) line(e *sim.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%d.%d] ", e.Turn, e.Seq)
	switch e.Kind {
	case sim.KindScene, sim.KindNarration:
		b.WriteString(visible(e.Text))
		if e.Text == "" {
			b.WriteString("the referee says nothing")
		}
	case sim.KindEnd:
		fmt.Fprintf(&b, "-- the play ends: %s", e.Text)
	case sim.KindRoll:
		fmt.Fprintf(&b, "%s rolls %s: %d %+d = %d", t.name(e.Actor), e.Roll.Skill, e.Roll.Natural(), e.Roll.Modifier, e.Roll.Total)
		if e.Roll.Class > 0 {
			fmt.Fprintf(&b, " against %d", e.Roll.Class)
		}
	case sim.KindDebrief:
		what := "debrief"
		if e.Control != "" {
			what += " (" + e.Control + ")"
		}
		fmt.Fprintf(&b, "%s, %s: %s", t.name(e.Actor), what, visible(e.Text))
	default:
		b.WriteString(t.name(e.Actor))
		if len(e.Audience) > 0 {
			var to []string
			for _, id := range e.Audience {
				if id != e.Actor {
					to = append(to, t.name(id))
				}
			}
			fmt.Fprintf(&b, " (whispers to %s)", strings.Join(to, ", "))
		}
		if e.Speech != "" {
			fmt.Fprintf(&b, ": %q", visible(e.Speech))
		}
		if e.Deed != "" {
			fmt.Fprintf(&b, " *%s*", visible(e.Deed))
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

func (c *shownCall) print(w io.Writer) {
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
	return strings.ReplaceAll(visible(strings.TrimSpace(s)), "\n", "\n      ")
}

// visible shows control characters, which model text may hold, instead of sending them to a terminal.
func visible(s string) string {
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
