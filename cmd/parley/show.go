package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"parley/characters"
	"parley/eval/run"
	"parley/eval/session"
	"parley/sim"
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
			&cli.BoolFlag{Name: "all", Usage: "print every result, also of several arms"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("show takes one run directory, and got %d", c.NArg())
			}
			dir := c.Args().First()
			m, _, err := session.Read(dir)
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
func showRun(c *cli.Context, dir string, m *run.Manifest) error {
	var list []session.Row
	for row, err := range session.Sessions.Read(dir) {
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
	if m.State == run.Complete || m.State == run.Failed {
		if err := showSessions(c, dir, m); err != nil {
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

func showSession(c *cli.Context, dir string) error {
	t, err := session.ReadTranscript(dir, c.String("session"), c.Bool("calls"))
	if err != nil {
		return err
	}
	var eyes characters.ID
	if as := c.String("as"); as != "" {
		if eyes, err = t.Seat(as); err != nil {
			return err
		}
	}
	if eyes != "" {
		t.Through(eyes)
	}
	if c.IsSet("turn") {
		t.Events = slices.DeleteFunc(t.Events, func(e sim.Event) bool { return e.Turn != c.Int("turn") })
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, t)
	}
	return t.Print(c.App.Writer)
}

// visible shows control characters, which foreign text may hold, instead of sending them to a terminal.
func visible(s string) string { return session.Visible(s) }
