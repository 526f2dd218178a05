package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"parley/eval/run"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "check a run of any kind against its invariants",
		ArgsUsage: "RUN",
		Flags:     []cli.Flag{jsonFlag()},
		Action: func(c *cli.Context) error {
			dir := c.Args().First()
			f, err := run.Verify(dir, kinds)
			if err != nil {
				return err
			}
			err = output(c, f, func(w io.Writer) error { return printFindings(w, f) })
			if err == nil && f.Found > 0 {
				err = fmt.Errorf("%s: %d findings", dir, f.Found)
			}
			return err
		},
	}
}

func printFindings(w io.Writer, f *run.Findings) error {
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintf(tab, "TABLE\tROWS\tFORMAT\tDIGEST\tUNTIMED\n")
	for _, name := range f.Order {
		t := f.Tables[name]
		fmt.Fprintf(tab, "%s\t%d\t%s\t%.16s\t%.16s\n", name, t.Rows, t.Format, t.Digest, t.Untimed)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	for _, finding := range f.Findings {
		fmt.Fprintln(w, visible(finding))
	}
	for _, note := range f.Notes {
		fmt.Fprintln(w, "note:", visible(note))
	}
	if f.Found > len(f.Findings) {
		fmt.Fprintf(w, "and %d more\n", f.Found-len(f.Findings))
	}
	if f.Found == 0 {
		fmt.Fprintf(w, "%s is %s; every invariant holds\n", f.Run, f.State)
	}
	return nil
}
