package main

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/urfave/cli/v2"

	"parley/eval/report/view"
	"parley/logs"
)

// reportName is a run's page in its directory.
const reportName = "report.html"

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "make a run's page anew: results, plots and transcripts in one HTML file",
		ArgsUsage: "DIR",
		Description: "Every run writes DIR/" + reportName + " when it ends. This makes it again, also of a run that\n" +
			"is still under way or was stopped. The page needs no network and no server.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "out", Usage: "write to `FILE`, - being standard output (default DIR/" + reportName + ")"}},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("report takes one run directory, and got %d", c.NArg())
			}
			dir, out := c.Args().First(), c.String("out")
			page, err := pageOf(dir)
			if err != nil {
				return err
			}
			if out == "-" {
				return page.Write(c.App.Writer)
			}
			if out == "" {
				out = filepath.Join(dir, reportName)
			}
			if err := writePage(out, page); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.App.Writer, "The report lies in %s\n", out)
			return err
		},
	}
}

// pageOf makes the page of a run of whatever kind.
func pageOf(dir string) (*view.Page, error) {
	m, err := readAnyManifest(dir)
	if err == nil && m.Script != nil {
		d, err := readScriptData(dir, m.Script)
		if err != nil {
			return nil, err
		}
		return scriptPage(m, d)
	}
	if err == nil && m.Survey != nil {
		d, err := readSurvey(dir, m)
		if err != nil {
			return nil, err
		}
		return surveyPage(m, d), nil
	}
	if m, err = readManifest(dir); err != nil {
		return nil, err
	}
	return reportPage(dir, m)
}

// writeReport writes the page of a run whose streams and results are final.
func writeReport(dir string, m *manifest) error {
	page, err := reportPage(dir, m)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return writePage(filepath.Join(dir, reportName), page)
}

func writePage(path string, page *view.Page) error {
	var html bytes.Buffer
	if err := page.Write(&html); err != nil {
		return err
	}
	return logs.WriteFile(path, html.Bytes())
}

// reportPage puts the page together.
func reportPage(dir string, m *manifest) (*view.Page, error) {
	e := m.Experiment
	d, err := readReportData(dir, e)
	if err != nil {
		return nil, err
	}
	asked, err := reportAsked(m)
	if err != nil {
		return nil, err
	}
	title := e.Name
	if title == "" {
		title = "parley run " + m.ID
	}
	sessions := fmt.Sprintf("%d sessions of %s", e.Sessions*len(e.Player), e.Scenario)
	if len(e.Player) > 1 {
		sessions = fmt.Sprintf("%d arms, each with the same %d sessions of %s", len(e.Player), e.Sessions, e.Scenario)
	}
	return &view.Page{
		Title: title,
		Subtitle: fmt.Sprintf("%s: %d players and one NPC (%s), up to %d turns, judge %s, seed %d.",
			sessions, e.Players, e.NPC, e.Turns, e.Judge, e.Seed),
		Sections: []view.Section{
			{ID: "glance", Title: "At a glance", Blocks: reportGlance(m, d)},
			{ID: "results", Title: "Results", Blocks: reportResults(m, d)},
			{ID: "play", Title: "How the play went", Blocks: reportPlay(d)},
			{ID: "models", Title: "Who served, and what it took", Blocks: reportModels(m)},
			{ID: "sessions", Title: "Sessions", Blocks: reportSessionList(m, d)},
			{ID: "asked", Title: "What was asked", Blocks: asked},
			{ID: "data", Title: "The data", Blocks: reportStreams(m)},
		},
		Foot: fmt.Sprintf("Made by parley %s (%s) from run %s. This page holds everything that it shows; it asks no network.", m.Version, m.Go, m.ID),
	}, nil
}

// reportAsked is the configuration, and the prompts by their hashes.
func reportAsked(m *manifest) ([]view.Block, error) {
	config, err := yaml.Marshal(m.Experiment)
	if err != nil {
		return nil, err
	}
	blocks := []view.Block{&view.Fold{
		Summary: "The whole effective configuration",
		Blocks: []view.Block{
			view.Text("Kept in a file, it runs again to the same result: parley run FILE."),
			view.Code(config),
		},
	}}
	if len(m.Prompts) > 0 {
		prompts := &view.Table{Caption: "Prompts by their hash. parley prompts export DIR writes the built-in ones.", Head: view.Columns("Prompt", "SHA-256")}
		for _, name := range slices.Sorted(maps.Keys(m.Prompts)) {
			prompts.Add(name, m.Prompts[name])
		}
		blocks = append(blocks, &view.Fold{Summary: fmt.Sprintf("The %d prompts", len(m.Prompts)), Blocks: []view.Block{prompts}})
	}
	return blocks, nil
}

// reportStreams says what lies beside the page and how to read it.
func reportStreams(m *manifest) []view.Block {
	var blocks []view.Block
	if len(m.Streams) > 0 {
		t := &view.Table{
			Caption: "Streams beside this page. The digest is over the canonical JSON lines of the rows; parley verify recomputes it.",
			Head:    view.Columns("Stream", "#Rows", "SHA-256"),
		}
		for _, stream := range streams {
			if s, ok := m.Streams[stream]; ok {
				t.Add(stream+".parquet", grouped(s.Rows), s.Digest)
			}
		}
		blocks = append(blocks, t)
	}
	return append(blocks,
		view.Text("In the run's directory, with DuckDB and with pandas:"),
		view.Code(strings.Join([]string{
			`duckdb -c "SELECT arm, metric, control, avg(value), count(value), count(*) FROM 'scores.parquet' WHERE turn = 0 GROUP BY ALL ORDER BY ALL"`,
			`python3 -c "import pandas as pd; s = pd.read_parquet('scores.parquet'); print(s[s.turn == 0].groupby(['arm', 'metric', 'control']).value.agg(['mean', 'count', 'size']))"`,
		}, "\n")))
}
