package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/ieg"
)

// evalIEGCommand measures the Interaction Expressiveness Gap.
func evalIEGCommand() *cli.Command {
	return &cli.Command{
		Name:  "ieg",
		Usage: "the expressiveness gap: virtual DMs that learned from generated play against one that learned from real play",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "real-train", Usage: "`FILE` of windows of real play to learn from"},
			&cli.StringFlag{Name: "real-val", Usage: "`FILE` of windows of real play to settle thresholds with; generated play then sets its own aside"},
			&cli.StringFlag{Name: "real-test", Usage: "`FILE` of windows of real play that everybody is tested on"},
			&cli.StringSliceFlag{Name: "generated", Usage: "windows `FILE` or run of generated play, or NAME=FILE to call it something; again for more"},
			&cli.StringFlag{Name: "windows", Value: "moves", Usage: "how play is cut: `HOW` is moves (a window ends as far after a move as real ones do) or stretch (the paper's: a stretch of play with every intention in it; take --real-* from corpora import --windows stretch)"},
			&cli.IntFlag{Name: "turns", Usage: "the last `N` lines are in each window, real and generated ones alike (default 15; with --windows stretch 30)"},
			&cli.IntFlag{Name: "seeds", Value: ieg.Seeds, Usage: "train `N` virtual DMs of each kind"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` that all draws follow from"},
			&cli.IntFlag{Name: "workers", Usage: "train `N` virtual DMs at a time; changes no result (default: one for each two processors)"},
			&cli.StringFlag{Name: "scores", Usage: "`FILE.csv` of F-scores: only work out the gaps; - is the standard input"},
			&cli.StringFlag{Name: "real", Usage: "with --scores: `F_C,F_O` of real play, where the table has none"},
			&cli.StringFlag{Name: "out", Usage: "`DIR` of the run (default runs/<time>)"},
			&cli.BoolFlag{Name: "all", Usage: "print every result, below the gaps"},
			&cli.BoolFlag{Name: "table", Usage: "print the layout of AntEval's Table 1"},
			&cli.BoolFlag{Name: "json", Usage: "print one object with results"},
		},
		Action: func(c *cli.Context) error {
			if c.Bool("table") && c.Bool("json") {
				return usagef("--table and --json exclude each other")
			}
			if c.String("scores") != "" {
				return scoresIEG(c)
			}
			return studyIEG(c)
		},
	}
}

// scoresIEG works out gaps from F-scores.
func scoresIEG(c *cli.Context) error {
	for _, name := range []string{"real-train", "real-val", "real-test", "generated"} {
		if c.IsSet(name) {
			return usagef("--scores only works out gaps: leave out --%s", name)
		}
	}
	name := c.String("scores")
	in, err := openInput(c, name)
	if err != nil {
		return err
	}
	defer in.Close()
	sheet, err := ieg.ReadSheet(in)
	if err != nil {
		return fmt.Errorf("read F-scores from %s: %w", name, err)
	}
	if text := c.String("real"); text != "" {
		fc, fo, err := twoScores(text)
		if err != nil {
			return err
		}
		if err := sheet.SetReal(fc, fo); err != nil {
			return usagef("--real: %w", err)
		}
	}
	results := sheet.Results()
	if err := printIEG(c, results); err != nil {
		return err
	}
	missing := 0
	for _, r := range results {
		if strings.HasPrefix(r.Metric, "G_") && r.Value == nil {
			missing++
		}
	}
	if missing > 0 {
		return partialf("%d gaps could not be worked out: the F-scores that they need are missing", missing)
	}
	return nil
}

func twoScores(text string) (a, b float64, err error) {
	first, second, ok := strings.Cut(text, ",")
	if ok {
		if a, err = strconv.ParseFloat(strings.TrimSpace(first), 64); err == nil {
			b, err = strconv.ParseFloat(strings.TrimSpace(second), 64)
		}
	}
	if !ok || err != nil || !(a >= 0 && a <= 100 && b >= 0 && b <= 100) {
		return 0, 0, usagef("--real %q: write the two F-scores of real play, from 0 to 100, such as 39.73,30.61", text)
	}
	return a, b, nil
}

// printIEG prints results as they are asked for.
func printIEG(c *cli.Context, results []eval.Result) error {
	if c.Bool("table") {
		return ieg.WriteTable(c.App.Writer, results)
	}
	return output(c, answer{Results: results}, func(w io.Writer) error { return ieg.Show(w, results, c.Bool("all")) })
}
