package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"parley/eval/stat"
	"parley/eval/stat/table"
)

// evalStatCommand gives any statistic of eval/stat on a user's own table, so that our numbers can be
// compared with those of R or SciPy.
func evalStatCommand() *cli.Command {
	return &cli.Command{
		Name:      "stat",
		Usage:     "one statistic on a table of your own, to check ours against R or SciPy",
		ArgsUsage: "[FILE.csv]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "test", Usage: "`NAME` of the statistic; list prints them"},
			&cli.StringFlag{Name: "x", Usage: "`COLUMN` of values (default: x, or the first where the table has as many as the test needs)"},
			&cli.StringFlag{Name: "y", Usage: "`COLUMN` of values to compare with x"},
			&cli.StringFlag{Name: "group", Usage: "`COLUMN` of what goes together: clusters, documents, units, samples"},
			&cli.StringFlag{Name: "raters", Usage: "`COLUMNS` of raters of alpha, one row a unit, separated by commas"},
			&cli.StringFlag{Name: "labels", Usage: "all `LABELS` of weighted kappa in their order, separated by commas (default for whole numbers: all from the least to the greatest)"},
			&cli.StringFlag{Name: "of", Usage: "`NAME` of the statistic that --test bootstrap resamples (default: mean)"},
			&cli.StringFlag{Name: "method", Usage: "`METHOD`: percentile or bca of a bootstrap; auto, exact or normal of wilcoxon"},
			&cli.StringFlag{Name: "zeros", Usage: "`WAY` of wilcoxon with pairs that do not differ: wilcox or pratt", Value: string(stat.DropZeros)},
			&cli.StringFlag{Name: "alternative", Usage: "`SIDE` two-sided, greater or less (x than y)", Value: "two-sided"},
			&cli.Float64Flag{Name: "level", Usage: "`SHARE` of confidence", Value: 0.95},
			&cli.IntFlag{Name: "draws", Usage: "`NUMBER` of resamples", Value: stat.MinDraws},
			&cli.Uint64Flag{Name: "seed", Usage: "`SEED` of the resamples", Value: 1},
			&cli.Float64Flag{Name: "diff", Usage: "`DIFFERENCE` of means to be seen (default: the one in the table)"},
			&cli.Float64Flag{Name: "power", Usage: "`SHARE` of the time that it is to be seen", Value: 0.8},
			jsonFlag(),
		},
		Action: evalStat,
	}
}

func evalStat(c *cli.Context) error {
	name := c.String("test")
	if name == "list" || name == "" && c.NArg() == 0 {
		return listStatistics(c)
	}
	if name == "" {
		return usagef("eval stat needs --test NAME; --test list prints the names")
	}
	if c.Args().First() == "" {
		return usagef("parley eval stat takes one table, and got none")
	}
	results, err := statistic(c, name, c.Args().First())
	if err != nil {
		if wrong := new(table.Usage); errors.As(err, &wrong) {
			return usageError{err}
		}
		return err
	}
	undefined := 0
	for _, r := range results {
		if r.Value == nil {
			undefined++
		}
	}
	if c.Bool("json") {
		err = printJSON(c.App.Writer, map[string]any{"results": results})
	} else {
		err = table.Print(c.App.Writer, results, c.Float64("level"))
	}
	switch {
	case err != nil:
		return err
	case undefined > 0:
		return partialf("%d of %d statistics are undefined; each line says why", undefined, len(results))
	}
	return nil
}

// statistic computes what the flags ask for from a file.
func statistic(c *cli.Context, name, file string) ([]table.Result, error) {
	s, err := table.Find(name)
	if err != nil {
		return nil, err
	}
	o := table.Options{
		X: c.String("x"), Y: c.String("y"), Group: c.String("group"), Raters: c.String("raters"), Labels: c.String("labels"),
		Of: c.String("of"), Method: c.String("method"), Zeros: c.String("zeros"), Alternative: c.String("alternative"),
		Level: c.Float64("level"), Power: c.Float64("power"), Draws: c.Int("draws"), Seed: c.Uint64("seed"),
	}
	if c.IsSet("diff") {
		diff := c.Float64("diff")
		o.Diff = &diff
	}
	if err := s.Check(o); err != nil {
		return nil, err
	}
	in, err := openInput(c, file)
	if err != nil {
		return nil, fmt.Errorf("opening the table: %w", err)
	}
	defer in.Close()
	if file == "-" {
		file = "standard input"
	}
	t, err := table.Read(file, in)
	if err != nil {
		return nil, err
	}
	return s.Run(t, o)
}

func listStatistics(c *cli.Context) error {
	if c.Bool("json") {
		type listed struct {
			Name    string   `json:"name"`
			Aliases []string `json:"aliases,omitempty"`
			Needs   string   `json:"needs"`
			About   string   `json:"about"`
		}
		var list []listed
		for _, s := range table.List() {
			list = append(list, listed{s.Name, s.Aliases, s.Needs(), s.About})
		}
		return printJSON(c.App.Writer, map[string]any{"tests": list})
	}
	tab := tabwriter.NewWriter(c.App.Writer, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tab, "TEST\tNEEDS\tGIVES")
	for _, s := range table.List() {
		fmt.Fprintf(tab, "%s\t%s\t%s\n", s.Name, s.Needs(), s.About)
	}
	return tab.Flush()
}
