package main

import (
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/iep"
)

func runsCommand() *cli.Command {
	return &cli.Command{
		Name:  "runs",
		Usage: "what runs there are",
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
	Run      string        `json:"run"`
	State    State         `json:"state"`
	Started  time.Time     `json:"started"`
	Scenario string        `json:"scenario"`
	Sessions map[State]int `json:"sessions"`
	Of       int           `json:"of"`
	Arms     []string      `json:"arms"`
	Error    string        `json:"error,omitempty"` // why it cannot be read
	iep      string
}

func listRuns(c *cli.Context) error {
	root := "runs"
	switch c.NArg() {
	case 0:
		if !exists(root) {
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
		if !exists(filepath.Join(dir, manifestName)) {
			continue
		}
		m, err := readAnyManifest(dir)
		if err == nil && m.Script != nil {
			r := listedRun{Run: dir, State: m.State, Started: m.Started, Scenario: "scripts", Sessions: m.Sessions, Of: m.Script.Tasks}
			for i := range m.Script.Authors {
				r.Arms = append(r.Arms, m.Script.Authors[i].Name)
			}
			list = append(list, r)
			continue
		}
		if err == nil && m.Survey != nil {
			list = append(list, listedRun{Run: dir, State: m.State, Started: m.Started, Scenario: "surveys", Arms: m.Survey.models(), Sessions: m.Sessions, Of: m.Survey.Documents})
			continue
		}
		if err == nil {
			m, err = readManifest(dir)
		}
		if err != nil {
			list = append(list, listedRun{Run: dir, Error: err.Error()})
			continue
		}
		r := listedRun{
			Run: dir, State: m.State, Started: m.Started, Scenario: m.Experiment.Scenario,
			Sessions: m.Sessions, Of: m.Experiment.Sessions * len(m.Experiment.Player),
		}
		for i := range m.Experiment.Player {
			r.Arms = append(r.Arms, m.Experiment.Player[i].Name)
		}
		for _, res := range m.Results {
			if res.Metric == iep.Metric && res.Control == "" && res.Value != nil {
				r.iep += fmt.Sprintf("%.1f ", *res.Value)
			}
		}
		list = append(list, r)
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, map[string]any{"runs": list})
	}
	tab := tabwriter.NewWriter(c.App.Writer, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tab, "RUN\tSTATE\tSTARTED\tSCENARIO\tSESSIONS\tARMS\tIEP")
	for _, r := range list {
		if r.Error != "" {
			fmt.Fprintf(tab, "%s\tunreadable: %s\n", r.Run, r.Error)
			continue
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%d of %d\t%v\t%s\n", r.Run, r.State, r.Started.Format("2006-01-02 15:04"), r.Scenario,
			r.Sessions[stateComplete], r.Of, r.Arms, r.iep)
	}
	return tab.Flush()
}
