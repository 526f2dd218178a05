package main

import (
	"fmt"
	"math"

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
	fmt.Fprintf(w, "%s jobs: about %s calls, %s tokens in, %s tokens out, cost %s, %.0f minutes\n", report.Grouped(int64(f.Jobs)), report.Grouped(int64(f.Calls)),
		tokens(total.Prompt.Sum), tokens(total.Completion.Sum), report.CostText(total.Cost, f.Tally.Currency), math.Ceil(f.Minutes))
	if err := report.Usage(w, &f.Tally); err != nil {
		return err
	}
	for _, text := range f.Assumes {
		fmt.Fprintln(w, report.Wrap("assumes: "+text))
	}
	_, err = fmt.Fprintln(w, "no model was asked; leave out --estimate to run")
	return err
}

// budgetFlags are the flags of every command whose calls a budget can end.
var budgetFlags = []cli.Flag{
	&cli.Float64Flag{Name: "max-cost", Usage: "stop when the run has cost `MONEY`, in the currency of the prices, over all its passes"},
	&cli.Int64Flag{Name: "max-tokens", Usage: "stop when prompts and replies of the run have `N` tokens"},
	&cli.DurationFlag{Name: "max-time", Usage: "stop when the run was under way for `DURATION`, such as 2h"},
}

// setBudget puts the flags for a budget over one.
func setBudget(c *cli.Context, b *run.Budget) {
	if c.IsSet("max-cost") {
		b.Cost = c.Float64("max-cost")
	}
	if c.IsSet("max-tokens") {
		b.Tokens = c.Int64("max-tokens")
	}
	if c.IsSet("max-time") {
		b.Time = c.Duration("max-time")
	}
}
