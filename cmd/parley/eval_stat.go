package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/stat"
)

// evalStatCommand gives any statistic of eval/stat on a user's own table, so that our numbers can be
// held against those of R or SciPy.
func evalStatCommand() *cli.Command {
	return &cli.Command{
		Name:      "stat",
		Usage:     "one statistic on a table of your own, to check ours against R or SciPy",
		ArgsUsage: "FILE.csv",
		Description: "The first line names the columns. FILE - is standard input. Cells that are empty, NA, NaN or\n" +
			"null are missing: rows that lack what the test needs are dropped and counted.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "test", Usage: "`NAME` of the statistic; list prints them"},
			&cli.StringFlag{Name: "x", Usage: "`COLUMN` of values (default: x, or the first where the table has as many as the test needs)"},
			&cli.StringFlag{Name: "y", Usage: "`COLUMN` of values to hold against x"},
			&cli.StringFlag{Name: "group", Usage: "`COLUMN` of what goes together: clusters, documents, units, samples"},
			&cli.StringFlag{Name: "raters", Usage: "`COLUMNS` of raters of alpha, one row a unit, separated by commas"},
			&cli.StringFlag{Name: "labels", Usage: "all `LABELS` of weighted kappa in their order, separated by commas (default for whole numbers: all from the least to the greatest)"},
			&cli.StringFlag{Name: "of", Usage: "`NAME` of the statistic that --test bootstrap resamples", Value: "mean"},
			&cli.StringFlag{Name: "method", Usage: "`METHOD`: percentile or bca of a bootstrap; auto, exact or normal of wilcoxon"},
			&cli.StringFlag{Name: "zeros", Usage: "`WAY` of wilcoxon with pairs that do not differ: wilcox or pratt", Value: string(stat.DropZeros)},
			&cli.StringFlag{Name: "alternative", Usage: "`SIDE` two-sided, greater or less (x than y)", Value: "two-sided"},
			&cli.Float64Flag{Name: "level", Usage: "`SHARE` of confidence", Value: 0.95},
			&cli.IntFlag{Name: "draws", Usage: "`NUMBER` of resamples", Value: stat.MinDraws},
			&cli.Uint64Flag{Name: "seed", Usage: "`SEED` of the resamples", Value: 1},
			&cli.Float64Flag{Name: "diff", Usage: "`DIFFERENCE` of means to be seen (default: the one in the table)"},
			&cli.Float64Flag{Name: "power", Usage: "`SHARE` of the time that it is to be seen", Value: 0.8},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
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
	if c.NArg() != 1 {
		return usagef("eval stat takes one table, and got %d", c.NArg())
	}
	s, err := findStatistic(name)
	if err != nil {
		return err
	}
	o, err := statOptionsOf(c, s)
	if err != nil {
		return err
	}
	t, err := openStatTable(c, c.Args().First())
	if err != nil {
		return err
	}
	subject := s
	if o.of != nil {
		subject = o.of
	}
	d, err := t.load(c, subject, s.group)
	if err != nil {
		return err
	}
	results := s.run(d, o)
	undefined := 0
	for i := range results {
		r := &results[i]
		r.Scorer, r.Of, r.Dropped = "stat", max(r.Of, r.N), d.dropped
		if r.Metric == "" {
			r.Metric = s.name
		}
		if r.Value == nil {
			undefined++
		}
	}
	if c.Bool("json") {
		err = printJSON(c.App.Writer, map[string]any{"results": results})
	} else {
		err = printStatistics(c.App.Writer, results, o)
	}
	switch {
	case err != nil:
		return err
	case undefined > 0:
		return partialf("%d of %d statistics are undefined; the reason stands beside each", undefined, len(results))
	}
	return nil
}

// statResult is a result with what a test adds to it. The JSON form is a documented interface.
type statResult struct {
	eval.Result
	Statistic *float64       `json:"statistic"`
	P         *float64       `json:"p"`
	DF        float64        `json:"df,omitempty"`
	Method    string         `json:"method,omitempty"`
	Label     string         `json:"label,omitempty"` // of a p value, by --group
	Clusters  int            `json:"clusters,omitempty"`
	Zeros     int            `json:"zeros,omitempty"`   // pairs that do not differ
	Lost      int            `json:"lost,omitempty"`    // resamples on which the statistic is undefined
	Skipped   map[string]int `json:"skipped,omitempty"` // groups without a value, by reason
	Dropped   int            `json:"dropped"`           // rows that lack a value
}

func openStatTable(c *cli.Context, name string) (*statTable, error) {
	if name == "-" {
		return readStatTable("standard input", c.App.Reader)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("opening the table: %w", err)
	}
	defer file.Close()
	return readStatTable(name, file)
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
		for _, s := range statistics() {
			list = append(list, listed{s.name, s.aliases, s.needs(), s.about})
		}
		return printJSON(c.App.Writer, map[string]any{"tests": list})
	}
	tab := tabwriter.NewWriter(c.App.Writer, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tab, "TEST\tNEEDS\tGIVES")
	for _, s := range statistics() {
		fmt.Fprintf(tab, "%s\t%s\t%s\n", s.name, s.needs(), s.about)
	}
	return tab.Flush()
}

// printStatistics prints a line a result, with only what it has.
func printStatistics(w io.Writer, results []statResult, o *statOptions) error {
	for _, r := range results {
		line := []string{strings.TrimSpace(r.Metric + " " + r.Label)}
		if r.Value == nil {
			line = append(line, "undefined")
		} else {
			line = append(line, fmt.Sprintf("%.10g", *r.Value))
		}
		if r.Low != nil && r.High != nil {
			line = append(line, fmt.Sprintf("%g %% interval [%.10g, %.10g]", 100*o.level, *r.Low, *r.High))
		}
		if r.Statistic != nil && (r.Value == nil || *r.Statistic != *r.Value) {
			line = append(line, fmt.Sprintf("statistic %.10g", *r.Statistic))
		}
		if r.DF > 0 {
			line = append(line, fmt.Sprintf("df %.6g", r.DF))
		}
		if r.P != nil {
			line = append(line, fmt.Sprintf("p %.6g", *r.P))
		}
		line = append(line, fmt.Sprintf("n %d of %d %s", r.N, r.Of, r.Unit))
		if r.Clusters > 0 {
			line = append(line, fmt.Sprintf("%d clusters", r.Clusters))
		}
		if r.Zeros > 0 {
			line = append(line, fmt.Sprintf("%d zeros", r.Zeros))
		}
		if r.Lost > 0 {
			line = append(line, fmt.Sprintf("%d resamples lost", r.Lost))
		}
		if r.Dropped > 0 {
			line = append(line, fmt.Sprintf("%d rows dropped", r.Dropped))
		}
		for _, why := range slices.Sorted(maps.Keys(r.Skipped)) {
			line = append(line, fmt.Sprintf("%d skipped, since %s", r.Skipped[why], why))
		}
		if r.Method != "" {
			line = append(line, r.Method)
		}
		if r.Reason != "" {
			line = append(line, r.Reason)
		}
		if _, err := fmt.Fprintln(w, strings.Join(line, "; ")); err != nil {
			return err
		}
	}
	return nil
}
