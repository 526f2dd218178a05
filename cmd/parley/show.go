package main

import (
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/run"
	"parley/eval/session"
)

func showCommand() *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "read a run: its results, its sessions, or one session's transcript",
		ArgsUsage: "RUN",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Usage: "the transcript of session `N`: its id, or its number in the list"},
			&cli.StringFlag{Name: "as", Usage: "only what `CHARACTER` perceived"},
			&cli.BoolFlag{Name: "calls", Usage: "with prompt and reply of every model call; with --turn, of that turn's"},
			&cli.IntFlag{Name: "turn", Usage: "only turn `N`"},
			&cli.BoolFlag{Name: "follow", Usage: "print turns as they are played, of all sessions or of --session ID, until the run ends"},
			allFlag(), jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			dir, single := c.Args().First(), c.String("session") != ""
			m, err := run.ReadManifest(dir)
			if err != nil {
				return err
			}
			if m.Kind != session.Kind && kindOf(m.Kind).show != nil && !single && !c.Bool("follow") {
				return output(c, answer{Run: dir, Sessions: m.Jobs, Results: m.Results}, func(w io.Writer) error { return showEnded(c, dir, m) })
			}
			if m, _, err = session.Read(dir); err != nil {
				return err
			}
			switch {
			case c.Bool("follow") && (c.Bool("json") || c.Bool("calls") || c.IsSet("turn") || c.IsSet("as")):
				return usagef("--follow goes with --session only")
			case c.Bool("follow"):
				return session.Follow(c.Context, c.App.Writer, screen(c), dir, c.String("session"), time.Second)
			case !single && (c.String("as") != "" || c.Bool("calls") || c.IsSet("turn")):
				return usagef("--as, --calls and --turn go with --session")
			case !single:
				return showRun(c, dir, m)
			}
			return showSession(c, dir)
		},
	}
}

// showRun prints the results and the list of sessions.
func showRun(c *cli.Context, dir string, m *run.Manifest) error {
	list, err := session.List(dir)
	if err != nil {
		return err
	}
	return output(c, map[string]any{"run": dir, "state": m.State, "sessions": list, "results": m.Results}, func(w io.Writer) error {
		if err := showEnded(c, dir, m); err != nil {
			return err
		}
		fmt.Fprintln(w)
		return session.PrintList(w, list)
	})
}

// showEnded prints the results of a run that has ended, or how it goes on.
func showEnded(c *cli.Context, dir string, m *run.Manifest) error {
	if m.State == run.Complete || m.State == run.Failed {
		return kindOf(m.Kind).show(c, dir, m)
	}
	_, err := fmt.Fprintf(c.App.Writer, "%s is %s; continue with: parley resume %s\n", dir, m.State, dir)
	return err
}

func showSession(c *cli.Context, dir string) error {
	t, err := session.ReadTranscript(dir, c.String("session"), c.Bool("calls"))
	if err != nil {
		return err
	}
	if as := c.String("as"); as != "" {
		eyes, err := t.Seat(as)
		if err != nil {
			return err
		}
		t.Through(eyes)
	}
	if c.IsSet("turn") {
		if err := t.Only(c.Int("turn")); err != nil {
			return err
		}
	}
	return output(c, t, func(w io.Writer) error { return t.Print(w, screen(c)) })
}
