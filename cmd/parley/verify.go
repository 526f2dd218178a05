package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"parley/eval/run"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "check a run of any kind against its invariants",
		ArgsUsage: "DIR",
		Description: "Turns are whole and follow each other, calls and messages that are referred to exist, hashes are\n" +
			"right, scores are either scored or have a reason, files are those that were written, jobs are those\n" +
			"of the configuration, and the results are computed again from the rows. The untimed digest of a\n" +
			"table leaves out when things happened and how long they took: it is the same for two runs of one\n" +
			"seed and configuration. A finding is exit status 1.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print one JSON object"}},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("verify takes one run directory, and got %d", c.NArg())
			}
			dir := c.Args().First()
			f, err := run.Verify(dir, kinds)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				err = printJSON(c.App.Writer, f)
			} else {
				err = printFindings(c, f)
			}
			if err == nil && f.Found > 0 {
				err = fmt.Errorf("%s: %d findings", dir, f.Found)
			}
			return err
		},
	}
}

func printFindings(c *cli.Context, f *run.Findings) error {
	tab := tabwriter.NewWriter(c.App.Writer, 0, 4, 2, ' ', 0)
	fmt.Fprintf(tab, "TABLE\tROWS\tFORMAT\tDIGEST\tUNTIMED\n")
	for _, name := range f.Order {
		t := f.Tables[name]
		fmt.Fprintf(tab, "%s\t%d\t%s\t%.16s\t%.16s\n", name, t.Rows, t.Format, t.Digest, t.Untimed)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	for _, finding := range f.Findings {
		fmt.Fprintln(c.App.Writer, visible(finding))
	}
	for _, note := range f.Notes {
		fmt.Fprintln(c.App.Writer, "note:", visible(note))
	}
	if f.Found > len(f.Findings) {
		fmt.Fprintf(c.App.Writer, "and %d more\n", f.Found-len(f.Findings))
	}
	if f.Found == 0 {
		fmt.Fprintf(c.App.Writer, "%s is %s; every invariant holds\n", f.Run, f.State)
	}
	return nil
}
