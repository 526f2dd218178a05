package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval/run"
	"parley/eval/session"
)

func scoreCommand() *cli.Command {
	return &cli.Command{
		Name:      "score",
		Usage:     "score a finished run again, by other scorers or another judge",
		ArgsUsage: "RUN",
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "scorer", Usage: "score by `NAME`: " + strings.Join(session.ScorerNames(), ", ") + "; again for more (default: those of the run)"},
			&cli.StringFlag{Name: "judge", Usage: "lexical, embed:MODEL or a chat `MODEL` (default: the run's)"},
			&cli.StringFlag{Name: "out", Usage: "copy the run to `DIR` and score it there; the run itself stays as it is"},
			&cli.StringFlag{Name: "cache", Usage: "keep judges' replies in `DIR`, and do not ask again what was answered there"},
			&cli.IntFlag{Name: "jobs", Usage: "score `N` sessions at once"},
			&cli.BoolFlag{Name: "all", Usage: "print every result"},
			&cli.BoolFlag{Name: "trust", Usage: "open the judge that the run of another user names"},
			jsonFlag(),
		}, budgetFlags...),
		Action: func(c *cli.Context) error {
			dir := c.Args().First()
			if _, _, err := session.Read(dir); err != nil {
				return err
			}
			if out := c.String("out"); out != "" {
				if exists(out) {
					return fmt.Errorf("%s is there already: name a new directory", out)
				}
				if err := os.CopyFS(out, os.DirFS(dir)); err != nil {
					return fmt.Errorf("copy the run: %w", err)
				}
				dir = out
			}
			o, err := runOptions(c)
			if err != nil {
				return err
			}
			o.Jobs = c.Int("jobs")
			m, err := session.Score(c.Context, dir, c.StringSlice("scorer"), c.String("judge"), o)
			if err != nil {
				return err
			}
			return finished(c, dir, m, c.Bool("json"), showScored)
		},
	}
}

// showScored prints the results, and by which method they are.
func showScored(c *cli.Context, dir string, m *run.Manifest) error {
	if err := showSessions(c, dir, m); err != nil {
		return err
	}
	for _, metric := range m.Metrics {
		if method := m.Shown[metric.Scorer+"/"+metric.Name]; metric.Headline && method != "" {
			fmt.Fprintf(c.App.Writer, "%s is shown by %s; earlier scores are in scores.parquet\n", metric.Title, method)
		}
	}
	return nil
}
