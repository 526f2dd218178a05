package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"parley/characters"
	"parley/eval"
	"parley/logs"
	"parley/sim"
	"parley/sim/llm"
)

func resumeCommand() *cli.Command {
	return &cli.Command{
		Name:      "resume",
		Usage:     "go on with a run that was stopped, from its last whole turn",
		ArgsUsage: "DIR",
		Description: "Sessions that failed are taken up again too. A run that is complete is left alone;\n" +
			"its results are printed once more.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "jobs", Usage: "play `N` sessions at once, whatever the experiment says"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("resume takes one run directory, and got %d", c.NArg())
			}
			dir := c.Args().First()
			m, err := readAnyManifest(dir)
			if err == nil && m.Script == nil && m.Survey == nil {
				m, err = readManifest(dir)
			}
			if err != nil {
				return err
			}
			if m.Script != nil {
				if c.IsSet("jobs") {
					m.Script.Jobs = c.Int("jobs")
				}
				return runScripts(c, dir, m, true)
			}
			if m.Survey != nil {
				if c.IsSet("jobs") {
					m.Survey.Jobs = c.Int("jobs")
				}
				return runSurvey(c, dir, m, true)
			}
			if c.IsSet("jobs") {
				m.Experiment.Jobs = c.Int("jobs")
			}
			return runAll(c, dir, m, true)
		},
	}
}

// mend makes the journal of a stopped run hold whole turns and finished sessions only, and returns
// what is there: which sessions are complete, and the turns of those that are not. It can itself be
// stopped at any moment and run again.
func mend(dir string) (done map[string]bool, open map[string]*restored, err error) {
	done, open = map[string]bool{}, map[string]*restored{}
	for _, stream := range streams {
		if exists(journalPath(dir, stream)) {
			if _, err := logs.Repair(journalPath(dir, stream)); err != nil {
				return nil, nil, err
			}
		}
	}
	for row, err := range journalRows[sessionRow](dir, streamSessions) {
		if err != nil {
			return nil, nil, err
		}
		if row.State == stateComplete {
			done[row.ID] = true
		}
	}
	// The last whole turn of each open session.
	whole := map[string]int{}
	for e, err := range journalRows[sim.Event](dir, streamEvents) {
		if err != nil {
			return nil, nil, err
		}
		if e.Last && !done[e.Session] {
			whole[e.Session] = e.Seq
		}
	}
	kept := map[string]bool{} // calls of whole turns, and whether they were for a move
	if err := filter(dir, streamEvents, func(e *sim.Event) bool {
		if done[e.Session] {
			return true
		}
		last, ok := whole[e.Session]
		if !ok || e.Seq > last {
			return false
		}
		r := open[e.Session]
		if r == nil {
			r = &restored{dropped: map[characters.ID]int{}}
			open[e.Session] = r
		}
		r.events = append(r.events, *e)
		for _, id := range e.Calls {
			kept[id] = e.Move()
		}
		return true
	}); err != nil {
		return nil, nil, err
	}
	if err := filter(dir, streamCalls, func(c *llm.Call) bool {
		if done[c.Session] {
			return true
		}
		move, ok := kept[c.ID]
		if r := open[c.Session]; ok && r != nil {
			r.add(c, move)
		}
		return ok
	}); err != nil {
		return nil, nil, err
	}
	if err := filter(dir, streamScores, func(s *eval.Score) bool { return done[s.Session] }); err != nil {
		return nil, nil, err
	}
	err = filter(dir, streamSessions, func(s *sessionRow) bool { return s.State == stateComplete })
	return done, open, err
}

// filter rewrites a stream's journal without the rows that are not to be kept.
func filter[T any](dir, stream string, keep func(*T) bool) error {
	path := journalPath(dir, stream)
	if !exists(path) {
		return nil
	}
	if _, _, err := logs.Filter(path, keep); err != nil {
		return fmt.Errorf("mend %s: %w", path, err)
	}
	return nil
}
