package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/run"
	"parley/logs"
)

func runsCommand() *cli.Command {
	return &cli.Command{
		Name:        "runs",
		Usage:       "list runs",
		Subcommands: []*cli.Command{{Name: "list", Usage: "list the runs in a directory (default runs)", ArgsUsage: "[DIR]", Flags: []cli.Flag{jsonFlag()}, Action: listRuns}},
	}
}

// listedRun is a run in the list.
type listedRun struct {
	Run      string            `json:"run"`
	Kind     string            `json:"kind"`
	State    run.State         `json:"state"`
	Started  time.Time         `json:"started"`
	Sessions map[run.State]int `json:"sessions"` // jobs, whatever the kind
	Of       int               `json:"of"`
	Arms     []string          `json:"arms"`
	Headline string            `json:"headline,omitempty"` // the first headline metric of each arm
	Error    string            `json:"error,omitempty"`    // why it cannot be read
}

func listRuns(c *cli.Context) error {
	root := "runs"
	if c.NArg() > 0 {
		root = c.Args().First()
	}
	entries, err := os.ReadDir(root)
	if err != nil && c.NArg() == 0 {
		tell(c)("there are no runs here yet; play one with: parley run")
	} else if err != nil {
		return err
	}
	list := []listedRun{}
	for _, entry := range entries {
		if dir := filepath.Join(root, entry.Name()); exists(filepath.Join(dir, run.ManifestName)) {
			list = append(list, listed(dir))
		}
	}
	return output(c, map[string]any{"runs": list}, func(w io.Writer) error {
		tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(tab, "RUN\tSTATE\tSTARTED\tKIND\tJOBS\tARMS\tHEADLINE")
		for _, r := range list {
			if r.Error != "" {
				fmt.Fprintf(tab, "%s\tunreadable: %s\n", visible(r.Run), visible(r.Error))
				continue
			}
			fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%d of %d\t%v\t%s\n", visible(r.Run), r.State, r.Started.Format("2006-01-02 15:04"), r.Kind,
				r.Sessions[run.Complete], r.Of, visible(strings.Join(r.Arms, ", ")), r.Headline)
		}
		return tab.Flush()
	})
}

// listed returns what the list says of a run.
func listed(dir string) listedRun {
	m, err := run.ReadManifest(dir)
	if err != nil {
		return listedRun{Run: dir, Error: err.Error()}
	}
	r := listedRun{Run: dir, Kind: m.Kind, State: m.State, Started: m.Started, Sessions: m.Jobs, Of: m.Of, Arms: m.Arms}
	var parts []string
	for i := range m.Results {
		res := &m.Results[i]
		if metric := eval.Find(m.Metrics, res.Scorer, res.Metric); metric.Headline && res.Control == "" && res.Value != nil && len(parts) < len(m.Arms) {
			parts = append(parts, fmt.Sprintf("%s %.1f", metric.Title, *res.Value))
		}
	}
	r.Headline = strings.Join(parts, ", ")
	return r
}

func resumeCommand() *cli.Command {
	return &cli.Command{
		Name:      "resume",
		Usage:     "continue a run of any kind that was stopped",
		ArgsUsage: "RUN",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "jobs", Usage: "do `N` jobs at once, whatever the configuration says"},
			&cli.StringFlag{Name: "cache", Usage: "keep judges' replies in `DIR`, and do not ask again what was answered there"},
			&cli.BoolFlag{Name: "trust", Usage: "open the models that the run of another user names"},
			&cli.BoolFlag{Name: "accept-changed-model", Usage: "continue although a server now serves another model under a name"},
			allFlag(), jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			o, err := runOptions(c)
			if err != nil {
				return err
			}
			o.Jobs = c.Int("jobs")
			dir := c.Args().First()
			m, err := run.Resume(c.Context, dir, o)
			if err != nil {
				return err
			}
			return finished(c, dir, m, c.Bool("json"), kindOf(m.Kind).show)
		},
	}
}

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "write a run's page again: results, plots and transcripts in one HTML file",
		ArgsUsage: "RUN",
		Flags:     []cli.Flag{&cli.StringFlag{Name: "out", Usage: "write to `FILE`, - being standard output (default RUN/" + run.ReportName + ")"}},
		Action: func(c *cli.Context) error {
			dir, out := c.Args().First(), c.String("out")
			m, err := run.ReadManifest(dir)
			if err != nil {
				return err
			}
			p, err := kinds.Plan(dir, m)
			if err != nil {
				return err
			}
			reporter, ok := p.(run.Reporter)
			if !ok {
				return fmt.Errorf("runs of kind %s have no page", m.Kind)
			}
			var page bytes.Buffer
			if err := reporter.Report(dir, m, &page); err != nil {
				return err
			}
			switch out {
			case "-":
				_, err = page.WriteTo(c.App.Writer)
				return err
			case "":
				out = filepath.Join(dir, run.ReportName)
			}
			if err := logs.WriteFile(out, page.Bytes()); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.App.Writer, "The report is in %s\n", out)
			return err
		},
	}
}
