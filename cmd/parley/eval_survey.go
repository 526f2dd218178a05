package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"parley/eval/report"
	"parley/eval/survey/form"
)

func evalSurveyCommand() *cli.Command {
	return &cli.Command{
		Name:  "survey",
		Usage: "judge surveys, forms, lists and conversations without a reference",
		Subcommands: []*cli.Command{
			surveyGenerateCommand(),
			surveyRunCommand(),
			surveyCheckCommand(),
			surveyReportCommand(),
			surveyRubricCommand(),
		},
	}
}

func surveyCheckCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "find what is wrong with documents, without a model",
		ArgsUsage: "FILE|DIR...",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print one object with `findings`, each {file, where, rule, message}, files and unread"},
		},
		Action: func(c *cli.Context) error {
			files, err := documentFiles(c.Args().Slice())
			if err != nil {
				return err
			}
			report := checkReport{Findings: []finding{}, Unread: []unread{}}
			for _, file := range files {
				d, err := readDocument(file)
				if err != nil {
					report.Unread = append(report.Unread, unread{file, err.Error()})
					continue
				}
				report.Files++
				for _, f := range form.Check(d) {
					report.Findings = append(report.Findings, finding{file, f.Where, f.Rule, f.Message})
				}
			}
			if c.Bool("json") {
				err = printJSON(c.App.Writer, report)
			} else {
				err = report.print(c.App.Writer)
			}
			if err == nil && len(report.Unread) > 0 {
				err = partialf("%d of %d files could not be read: %s", len(report.Unread), len(files), report.Unread[0].Reason)
			}
			return err
		},
	}
}

// finding is one line of what check finds.
type finding struct {
	File    string    `json:"file"`
	Where   string    `json:"where"`
	Rule    form.Rule `json:"rule"`
	Message string    `json:"message"`
}

type unread struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

type checkReport struct {
	Files    int       `json:"files"`
	Findings []finding `json:"findings"`
	Unread   []unread  `json:"unread"`
}

func (r *checkReport) print(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, f := range r.Findings {
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\n", f.File, f.Where, f.Rule, report.Shorten(f.Message, 120))
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d findings in %d documents\n", len(r.Findings), r.Files)
	return err
}

// documentFiles lists files, and those within directories, in order. Hidden ones are passed over.
func documentFiles(args []string) ([]string, error) {
	if len(args) == 0 {
		return nil, usagef("name a file or directory of documents")
	}
	var files []string
	for _, arg := range args {
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case path != arg && d.Name()[0] == '.' && d.IsDir():
				return fs.SkipDir
			case d.Type().IsRegular() && (path == arg || d.Name()[0] != '.'):
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("find documents: %w", err)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there are no documents in %s", args[0])
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

func readDocument(file string) (*form.Document, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > form.MaxSize {
		return nil, fmt.Errorf("%s: %d bytes are more than a document may have (%d)", file, info.Size(), form.MaxSize)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return form.Read(data, file)
}
