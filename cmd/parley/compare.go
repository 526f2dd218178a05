package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"parley/eval/compare"
)

func compareCommand() *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "put the arms of finished runs side by side: how good, how sure, how fast, at what cost",
		ArgsUsage: "RUN...",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "baseline", Usage: "compare every arm with `ARM` (default: each with each)"},
			jsonFlag(),
			&cli.BoolFlag{Name: "csv", Usage: "print every value and difference as CSV"},
			&cli.BoolFlag{Name: "markdown", Usage: "print Markdown tables"},
			&cli.BoolFlag{Name: "latex", Usage: "print a LaTeX table"},
			&cli.StringSliceFlag{Name: "require", Usage: "fail unless `METRIC>=X` holds for every arm; again for more"},
			&cli.StringFlag{Name: "no-worse-than", Usage: "fail unless every arm is shown to be no worse than those of `RUN`"},
			&cli.Float64Flag{Name: "margin", Usage: "by more than `X` in the headline metric, with --no-worse-than"},
		},
		Action: compareRuns,
	}
}

func compareRuns(c *cli.Context) error {
	dirs, reference := c.Args().Slice(), c.String("no-worse-than")
	forms := 0
	for _, form := range []string{"json", "csv", "markdown", "latex"} {
		if c.Bool(form) {
			forms++
		}
	}
	switch {
	case len(dirs) == 0:
		return usagef("compare takes one or more run directories")
	case forms > 1:
		return usagef("say one of --json, --csv, --markdown and --latex")
	case c.IsSet("margin") && reference == "":
		return usagef("--margin goes with --no-worse-than RUN")
	case !(c.Float64("margin") >= 0):
		return usagef("margin is %v: say 0 or more", c.Float64("margin"))
	}
	var requirements []compare.Requirement
	for _, text := range c.StringSlice("require") {
		q, err := compare.ParseRequirement(text)
		if err != nil {
			return err
		}
		requirements = append(requirements, q)
	}
	if reference != "" {
		dirs = append(dirs, reference)
	}
	r, err := compare.Runs(dirs, kinds, c.String("baseline"))
	if err != nil {
		return err
	}
	for _, q := range requirements {
		if err := r.Require(q, reference); err != nil {
			return err
		}
	}
	if reference != "" {
		r.NoWorseThan(reference, c.Float64("margin"))
	}
	if err := printComparison(c, r); err != nil {
		return err
	}
	if failed := r.Failed(); len(failed) > 0 {
		return partialf("%s: %s has %s%s", failed[0].Gate, failed[0].Arm, failed[0].Why, more(len(failed)-1))
	}
	return nil
}

// more says how many gates failed beside the first.
func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d more requirements do not hold", n)
}

func printComparison(c *cli.Context, r *compare.Report) error {
	w := c.App.Writer
	switch {
	case c.Bool("json"):
		return printJSON(w, r)
	case c.Bool("csv"):
		return r.CSV(w)
	case c.Bool("markdown"):
		return r.Markdown(w)
	case c.Bool("latex"):
		return r.LaTeX(w)
	}
	return r.Print(w)
}
