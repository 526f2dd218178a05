package main

import (
	"fmt"
	"math"
	"time"

	"github.com/urfave/cli/v2"

	"parley/eval/report"
	"parley/eval/run"
)

// estimateRun prints about what a run would take.
func estimateRun(c *cli.Context, p run.Plan, o run.Options) error {
	f, err := run.Estimate(c.Context, p, o)
	if err != nil {
		return err
	}
	w := c.App.Writer
	if p.Settings().JSON {
		return printJSON(w, f)
	}
	total := f.Tally.Total()
	tokens := func(sum *int64) string {
		if sum == nil {
			return "0"
		}
		return report.Grouped(*sum)
	}
	took := time.Duration(math.Ceil(f.Minutes)) * time.Minute
	fmt.Fprintf(w, "%s jobs: about %s calls, %s tokens in, %s tokens out, cost %s, %s\n", report.Grouped(int64(f.Jobs)), report.Grouped(int64(f.Calls)),
		tokens(total.Prompt.Sum), tokens(total.Completion.Sum), report.CostText(total.Cost, f.Tally.Currency), took)
	if err := report.Usage(w, &f.Tally); err != nil {
		return err
	}
	for _, text := range f.Assumes {
		fmt.Fprintln(w, "assumes: "+text)
	}
	_, err = fmt.Fprintln(w, "no model was asked; leave out --estimate to run")
	return err
}
