package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval/run"
	"parley/eval/session"
)

func runCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "play sessions, keep them, and measure them",
		ArgsUsage: "[EXPERIMENT.yaml]",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "scenario", Usage: "`KIND` of situation: " + kindNames()},
			&cli.IntFlag{Name: "sessions", Value: 12, Usage: "play `N` sessions with each --player"},
			&cli.IntFlag{Name: "players", DefaultText: "by the kind of scenario", Usage: "`N` players beside the NPC"},
			&cli.IntFlag{Name: "turns", Value: 30, Usage: "`N` turns a session, one turn being one actor's move"},
			&cli.IntFlag{Name: "rounds", DefaultText: "unset", Usage: "`N` rounds a session: another way to say --turns"},
			&cli.GenericFlag{Name: "player", Value: &texts{}, Usage: "`[NAME=]MODEL` of the players; each further one is an arm that plays the same sessions"},
			&cli.StringFlag{Name: "npc", Usage: "`MODEL` of the NPC (default: by the kind of scenario)"},
			&cli.StringFlag{Name: "order", Usage: "who moves when: fixed (default), shuffled, initiative or addressed"},
			&cli.StringFlag{Name: "referee", Usage: "who resolves deeds: none (default), dice or a `MODEL`"},
			&cli.StringSliceFlag{Name: "scorer", Usage: "score by `NAME`: " + strings.Join(session.ScorerNames(), ", ") + "; again for more (default: by the kind of scenario)"},
			&cli.StringFlag{Name: "judge", Usage: "lexical (default), embed:MODEL or a chat `MODEL`"},
			&cli.StringFlag{Name: "keypoints", Usage: "key points of the knowledge: authored (default) or judge"},
			&cli.StringSliceFlag{Name: "control", Usage: "hold the debrief also under `CONDITION` no-conversation, told (default: both) or none"},
			&cli.IntFlag{Name: "curve", Value: 10, Usage: "recall after every `N` turns, 0 for none"},
			&cli.StringFlag{Name: "layout", Usage: "of prompts: shared-prefix (default) or persona-first"},
			&cli.StringFlag{Name: "form", Usage: "of replies: auto (default), json or lines"},
			&cli.BoolFlag{Name: "all", Usage: "print every result, also of several arms"},
			&cli.StringFlag{Name: "prompts", Usage: "play with the prompts in `DIR` (see: parley prompts export)"},
		}, runFlags("sessions")...),
		Action: func(c *cli.Context) error {
			config, err := sessionConfig(c)
			if err != nil {
				return err
			}
			return begin(c, session.New(config), func() any { e := session.Default(); e.Turns = 0; return e }, showSessions)
		},
	}
}

// sessionConfig makes the configuration that a command line asks for.
func sessionConfig(c *cli.Context) (*session.Config, error) {
	e := session.Default()
	var own []string // endpoints of the file's models
	if c.NArg() > 0 {
		if err := run.ReadConfig(c.Args().First(), e); err != nil {
			return nil, err
		}
		own = e.Endpoints()
	}
	if c.IsSet("turns") || c.IsSet("rounds") { // another way to say the same
		e.Turns, e.Rounds = 0, 0
	}
	overlay(c, e)
	for what, n := range map[string]int{"players": e.Players, "turns": e.Turns, "rounds": e.Rounds} {
		if c.IsSet(what) && n < 1 {
			return nil, usagef("%s is %d: at least 1 is needed", what, n)
		}
	}
	if c.IsSet("player") {
		e.Player = nil
		for _, spec := range *c.Generic("player").(*texts) {
			e.Player = append(e.Player, armOf(spec))
		}
	}
	if c.IsSet("scorer") {
		e.Scorers = c.StringSlice("scorer")
	}
	if c.IsSet("control") {
		e.Control = slices.DeleteFunc(e.Control, func(name string) bool { return name == "none" })
	}
	return e, e.Complete(own...)
}

// kindNames lists the kinds of scenario, the default first.
func kindNames() string {
	names := session.Words()["scenario"]
	return strings.Join(append([]string{names[0] + " (default)"}, names[1:]...), ", ")
}

// armOf reads NAME=MODEL, or a model alone. An equals sign within a model comes after its scheme.
func armOf(text string) session.Arm {
	if name, model, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(name, ":?@/") {
		return session.Arm{Name: name, Model: model}
	}
	return session.Arm{Model: text}
}

// showSessions prints the results of a run of sessions for people.
func showSessions(c *cli.Context, dir string, m *run.Manifest) error {
	return session.Show(c.App.Writer, dir, m, c.Bool("all"))
}
