package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/run"
)

func runsCommand() *cli.Command {
	return &cli.Command{
		Name:  "runs",
		Usage: "list runs",
		Subcommands: []*cli.Command{{
			Name:      "list",
			Usage:     "list the runs in a directory (default runs)",
			ArgsUsage: "[DIR]",
			Flags:     []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print one JSON object"}},
			Action:    listRuns,
		}},
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
	switch c.NArg() {
	case 0:
		if _, err := os.Stat(root); err != nil {
			fmt.Fprintln(c.App.ErrWriter, "there are no runs here yet; play one with: parley run")
			if c.Bool("json") {
				return printJSON(c.App.Writer, map[string]any{"runs": []listedRun{}})
			}
			return nil
		}
	case 1:
		root = c.Args().First()
	default:
		return usagef("runs list takes one directory, and got %d", c.NArg())
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	list := []listedRun{}
	for _, entry := range entries {
		dir := filepath.Join(root, entry.Name())
		if _, err := os.Stat(filepath.Join(dir, run.ManifestName)); err == nil {
			list = append(list, listed(dir))
		}
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, map[string]any{"runs": list})
	}
	tab := tabwriter.NewWriter(c.App.Writer, 0, 4, 2, ' ', 0)
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
